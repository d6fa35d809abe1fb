//! The empirical law of the digits that ship with the crate, against its matrix products alone.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use rayon::prelude::*;
use rootrate::data::{DataMatrix, digits};
use rootrate::entropy::{Component, DataModel, EmpiricalData, EmpiricalOptions, GaussianMixture};
use rootrate::numeric::linalg::matmul_f64;

/// 64 levels from 0.05 to 50, logarithmic.
fn levels() -> Vec<f64> {
    (0..64).map(|i| 0.05 * 1000_f64.powf(f64::from(i) / 63.0)).collect()
}

/// Queries × data and noise × data (2·1000·10,000·784 multiplications): the two products that
/// the method does once and the naive method (distances and posterior means) once a level.
fn products(data: &DataMatrix) -> Vec<f64> {
    let (n, d) = (data.rows(), data.cols());
    let mut out = vec![0.0; 2000 * n];
    out.par_chunks_mut(125 * n).enumerate().for_each(|(block, chunk)| {
        let rows = &data.values()[block * 125 * d..][..125 * d];
        matmul_f64(rows, data.values(), chunk, (125, n, d)).unwrap();
    });
    out
}

fn bench(c: &mut Criterion) {
    let data = digits();
    let mut group = c.benchmark_group("digits 10000x784, 1000 queries");
    group.sample_size(10);
    group.bench_function("products alone", |b| b.iter(|| black_box(products(&data))));
    let options = EmpiricalOptions::default();
    group.bench_function("setup", |b| b.iter(|| EmpiricalData::new(&data, options).unwrap()));
    let law = EmpiricalData::new(&data, options).unwrap();
    let levels = levels();
    group.bench_function("64 levels", |b| b.iter(|| law.profile(&levels, None).unwrap()));
    group.finish();

    let line = [-1.0, 0.5, 3.0].map(|m| Component::isotropic(1.0 / 3.0, vec![m], 0.01));
    let line = GaussianMixture::new(line.to_vec()).unwrap();
    c.bench_function("mixture on a line", |b| b.iter(|| line.mmse(black_box(0.5)).unwrap()));
    let plane = [[0.0, 1.0], [2.0, -1.0], [-1.0, -1.0]];
    let plane = plane.map(|m| Component::isotropic(1.0 / 3.0, m.to_vec(), 0.01));
    let plane = GaussianMixture::new(plane.to_vec()).unwrap();
    c.bench_function("mixture in a plane", |b| b.iter(|| plane.mmse(black_box(0.5)).unwrap()));
}

criterion_group!(benches, bench);
criterion_main!(benches);
