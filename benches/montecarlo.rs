//! Random words, normals and replicated experiments.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rootrate::montecarlo::{CpuEngine, Engine, NoiseKind, RidgeExperiment, Stream, Streams};
use std::hint::black_box;

fn normals(c: &mut Criterion) {
    const COUNT: usize = 1 << 14;
    let mut group = c.benchmark_group("montecarlo/normal");
    group.throughput(Throughput::Elements(COUNT as u64));
    let mut double = vec![0.0_f64; COUNT];
    group.bench_function("f64", |b| {
        let mut stream = Stream::new(1, 2, 3);
        b.iter(|| stream.fill_normal_f64(black_box(&mut double)));
    });
    let mut single = vec![0.0_f32; COUNT];
    group.bench_function("f32", |b| {
        let mut stream = Stream::new(1, 2, 3);
        b.iter(|| stream.fill_normal_f32(black_box(&mut single)));
    });
    group.bench_function("u32", |b| {
        let mut stream = Stream::new(1, 2, 3);
        b.iter(|| (0..COUNT).fold(0_u32, |sum, _| sum.wrapping_add(stream.next_u32())));
    });
    group.finish();
}

/// Replicates a second of the power-law learner, p = 200, on all threads.
fn ridge(c: &mut Criterion) {
    const REPLICATES: u64 = 16;
    let eigenvalues: Vec<f64> = (1..=200).map(|k| f64::from(k).powf(-0.8)).collect();
    let signal = vec![0.1; 200];
    let mut group = c.benchmark_group("montecarlo/ridge");
    group.throughput(Throughput::Elements(REPLICATES)).sample_size(20);
    for n in [100, 400] {
        let kind = NoiseKind::Homoscedastic;
        let experiment =
            RidgeExperiment::new(&eigenvalues, &signal, n, 0.1, 0.3, kind).expect("valid input");
        let streams = Streams { seed: 1, experiment: 0 };
        group.bench_function(format!("p=200/n={n}"), |b| {
            b.iter(|| CpuEngine::DOUBLE.run(&experiment, streams, 0..REPLICATES, &|_, _| ()));
        });
    }
    group.finish();
}

criterion_group!(benches, normals, ridge);
criterion_main!(benches);
