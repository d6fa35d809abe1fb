//! Spectra of laws and of data on fixed cases.

use criterion::{Criterion, criterion_group, criterion_main};
use rootrate::data::digits;
use rootrate::spectrum::Spectrum;
use std::hint::black_box;

fn spectrum(c: &mut Criterion) {
    let mut group = c.benchmark_group("spectrum");
    group.sample_size(10);
    group.bench_function("ar1 p=1e5", |b| {
        b.iter(|| Spectrum::ar1(black_box(0.9), 100_000));
    });
    group.bench_function("decode digits", |b| b.iter(digits));
    let images = digits();
    group.bench_function("covariance of the digits, 10000×784", |b| {
        b.iter(|| Spectrum::from_data(black_box(&images)));
    });
    group.finish();
}

criterion_group!(benches, spectrum);
criterion_main!(benches);
