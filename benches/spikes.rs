//! Outliers and two-point equivalents on fixed cases: 1,000 atoms τ_k = k^{−0.8} and c = ½.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use num_complex::Complex64;
use rootrate::resolvent::SilversteinLaw;
use rootrate::spectrum::Spectrum;

fn spikes(criterion: &mut Criterion) {
    let p = 1000;
    let eigenvalues: Vec<f64> = (1..=p).map(|k| f64::from(k).powf(-0.8)).collect();
    let spectrum = Spectrum::from_eigenvalues(&eigenvalues).expect("valid eigenvalues");
    let law = SilversteinLaw::new(&spectrum, 0.5).expect("valid law");
    let position = law.outlier(5.0).expect("valid spike").sample.value;
    let ones = vec![1.0; eigenvalues.len()];
    let mut group = criterion.benchmark_group("p=1000 k^-0.8 c=0.5");
    group.bench_function("outlier of a spike", |b| b.iter(|| law.outlier(black_box(5.0))));
    group.bench_function("spike from an outlier", |b| {
        b.iter(|| law.spike_from_outlier(black_box(position)));
    });
    group.bench_function("two-point, real z", |b| {
        let [z, w] = [-0.1, -1.0].map(|x| Complex64::new(x, 0.0));
        b.iter(|| law.two_point(black_box(z), black_box(w), &ones, &ones));
    });
    group.finish();
}

criterion_group!(benches, spikes);
criterion_main!(benches);
