//! Statistics of the general law on fixed cases: three atoms, and 100 over two decades.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use rootrate::resolvent::SilversteinLaw;
use rootrate::spectrum::Spectrum;

fn kernels(criterion: &mut Criterion) {
    let many: Vec<f64> = (0..100).map(|k| 0.1 * 100_f64.powf(f64::from(k) / 99.0)).collect();
    for (name, atoms, c) in [("three", vec![1.0, 3.0, 7.0], 0.1), ("hundred", many, 0.5)] {
        let spectrum = Spectrum::from_eigenvalues(&atoms).expect("a valid spectrum");
        let law = SilversteinLaw::new(&spectrum, c).expect("a valid law");
        let sampler = law.sampler().expect("a valid law");
        let mut group = criterion.benchmark_group(format!("statistics/{name}"));
        let grid: Vec<f64> = (0..1000).map(|i| 0.01 * f64::from(i)).collect();
        group.bench_function("cdf", |b| b.iter(|| law.cdf(black_box(2.9))));
        group.bench_function("cdf_many/1000", |b| b.iter(|| law.cdf_many(black_box(&grid))));
        group.bench_function("quantile", |b| b.iter(|| law.quantile(black_box(0.77))));
        group.bench_function("log_determinant", |b| b.iter(|| law.log_determinant(black_box(3.0))));
        group.bench_function("moment/8", |b| b.iter(|| law.moment(black_box(8))));
        group.bench_function("integrate", |b| b.iter(|| law.integrate(|x| (3.0 * x).ln_1p())));
        group.bench_function("sample", |b| b.iter(|| sampler.sample(black_box(0.37))));
        group.finish();
    }
}

criterion_group!(benches, kernels);
criterion_main!(benches);
