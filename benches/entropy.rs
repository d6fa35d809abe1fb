//! Entropy models at 1,000 noise levels, σ from 0.01 to 100 in equal ratios.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use rootrate::entropy::{DataModel, DiracMixture, GaussianSpectrum};

fn levels() -> Vec<f64> {
    (0..1000).map(|k| 10f64.powf(-2.0 + 4.0 * f64::from(k) / 999.0)).collect()
}

fn total(model: &dyn DataModel, levels: &[f64]) -> f64 {
    levels.iter().map(|&s| model.mmse(s).expect("valid level").value()).sum()
}

fn entropy(c: &mut Criterion) {
    let levels = levels();
    let pair = DiracMixture::on_line(&[-1.0, 1.0], &[0.5, 0.5]).expect("valid");
    c.bench_function("dirac pair, mmse, 1000 levels", |b| {
        b.iter(|| total(&pair, black_box(&levels)))
    });
    c.bench_function("dirac pair, information, 1000 levels", |b| {
        b.iter(|| -> f64 {
            let levels = black_box(&levels);
            levels.iter().map(|&s| pair.information(s).expect("valid level").value()).sum()
        })
    });
    let grid: Vec<f64> = (0..1000).map(f64::from).collect();
    let grid = DiracMixture::on_line(&grid, &[1e-3; 1000]).expect("valid");
    c.bench_function("1000 diracs on a grid, mmse at σ = 0.5", |b| {
        b.iter(|| grid.mmse(black_box(0.5)).expect("valid level").value())
    });
    let variances: Vec<(f64, usize)> = (1..=1000).map(|k| (1.0 / f64::from(k), 1)).collect();
    let gaussian = GaussianSpectrum::from_variances(&variances).expect("valid");
    c.bench_function("gaussian, 1000 variances, mmse, 1000 levels", |b| {
        b.iter(|| total(&gaussian, black_box(&levels)))
    });
}

criterion_group!(benches, entropy);
criterion_main!(benches);
