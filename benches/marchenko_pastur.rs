//! Marchenko–Pastur kernels on fixed cases: the closed form at c = ½ and the quadrature of the
//! tail at c = 0.01.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use num_complex::Complex64;
use rootrate::resolvent::MarchenkoPastur;

fn kernels(criterion: &mut Criterion) {
    for ratio in [0.5, 0.01] {
        let law = MarchenkoPastur::new(ratio, 1.0).expect("a valid law");
        let mut group = criterion.benchmark_group(format!("marchenko-pastur/c={ratio}"));
        group.bench_function("new", |b| {
            b.iter(|| MarchenkoPastur::new(black_box(ratio), black_box(1.0)));
        });
        group.bench_function("density", |b| b.iter(|| law.density(black_box(1.0))));
        group.bench_function("density_certified", |b| {
            b.iter(|| law.density_certified(black_box(1.0)));
        });
        group.bench_function("cdf_certified", |b| b.iter(|| law.cdf_certified(black_box(0.95))));
        group.bench_function("quantile", |b| b.iter(|| law.quantile(black_box(0.3))));
        let z = Complex64::new(0.9, 0.1);
        group.bench_function("stieltjes", |b| b.iter(|| law.stieltjes(black_box(z))));
        group.bench_function("stieltjes_derivative", |b| {
            b.iter(|| law.stieltjes_derivative(black_box(z)));
        });
        group.bench_function("stieltjes_real", |b| b.iter(|| law.stieltjes_real(black_box(-0.3))));
        group.bench_function("log_determinant", |b| b.iter(|| law.log_determinant(black_box(3.0))));
        group.finish();
    }
}

criterion_group!(benches, kernels);
criterion_main!(benches);
