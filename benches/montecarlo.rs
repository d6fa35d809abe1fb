//! Random words, normals and replicated experiments.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rootrate::montecarlo::Stream;
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

criterion_group!(benches, normals);
criterion_main!(benches);
