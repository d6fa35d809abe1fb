//! The certificate alone: 1,000 values of the companion transform of 1,000 atoms, and one value.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use num_complex::Complex64;
use rootrate::resolvent::SilversteinLaw;
use rootrate::spectrum::Spectrum;

fn certificate(criterion: &mut Criterion) {
    let atoms: Vec<f64> = (1..=1000).map(|k| f64::from(k).powf(-1.0)).collect();
    let spectrum = Spectrum::from_eigenvalues(&atoms).expect("a spectrum");
    let law = SilversteinLaw::new(&spectrum, 0.5).expect("a law");
    // off the axis a few values serve for many points
    let z = Complex64::new(0.05, 0.01);
    let v = law.companion(z).expect("not a pole").value();
    let pairs: Vec<_> = (0..1000).map(|i| (z + 1e-9 * f64::from(i), v)).collect();
    let mut group = criterion.benchmark_group("certificate/1000 atoms");
    group.throughput(Throughput::Elements(1));
    group.bench_function("one point", |b| b.iter(|| law.certify(black_box(z), black_box(v))));
    group.throughput(Throughput::Elements(1000));
    group.bench_function("1000 points", |b| b.iter(|| law.certify_all(black_box(&pairs))));
    group.finish();
}

criterion_group!(benches, certificate);
criterion_main!(benches);
