//! Random words, normals, and replicated experiments on every engine.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rayon::ThreadPoolBuilder;
use rootrate::montecarlo::gpu::{GpuEngine, adapters};
use rootrate::montecarlo::{
    CpuEngine, Engine, Experiment, NoiseKind, RandomFeaturesExperiment, RidgeExperiment, Stream,
    Streams,
};
use rootrate::numeric::linalg::{gram, symmetric_eigenvalues};
use std::hint::black_box;

const STREAMS: Streams = Streams { seed: 1, experiment: 0 };

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

/// Σ_k = k^{−0.8} and its target.
fn power_law(p: u32) -> (Vec<f64>, Vec<f64>) {
    ((1..=p).map(|k| f64::from(k).powf(-0.8)).collect(), vec![0.1; p as usize])
}

fn ridge(n: usize, p: u32) -> RidgeExperiment {
    let (eigenvalues, signal) = power_law(p);
    let kind = NoiseKind::Homoscedastic;
    RidgeExperiment::new(&eigenvalues, &signal, n, 0.1, 0.3, kind).expect("valid input")
}

/// Replicates a second on the processor, on one and two threads.
fn processor(c: &mut Criterion) {
    let (eigenvalues, signal) = power_law(128);
    let features = RandomFeaturesExperiment::new(&eigenvalues, &signal, 256, 128, 0.1, 0.3);
    let cases: [(&str, u64, Box<dyn Experiment>); 4] = [
        ("ridge n=256 p=128", 256, Box::new(ridge(256, 128))),
        ("ridge n=400 p=200", 64, Box::new(ridge(400, 200))),
        ("ridge n=100 p=200", 64, Box::new(ridge(100, 200))),
        ("random features n=256 p=128 d=128", 64, Box::new(features.expect("valid input"))),
    ];
    for (name, replicates, experiment) in cases {
        let mut group = c.benchmark_group(format!("montecarlo/{name}"));
        group.throughput(Throughput::Elements(replicates)).sample_size(20);
        for threads in [1, 2] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            for engine in [CpuEngine::SINGLE, CpuEngine::DOUBLE] {
                let run = || engine.run(&*experiment, STREAMS, 0..replicates, &|_, _| ());
                group.bench_function(format!("{}, {threads} threads", engine.name()), |b| {
                    b.iter(|| pool.install(run));
                });
            }
        }
        group.finish();
    }
}

/// The eigenvalues of XᵀX for a drawn 2000×1000 matrix: two, one after the other and at once.
fn spectrum(c: &mut Criterion) {
    const SIZE: (usize, usize) = (2000, 1000);
    let draw = |replicate| {
        let mut x = vec![0.0; SIZE.0 * SIZE.1];
        Stream::new(1, 1, replicate).fill_normal_f64(&mut x);
        symmetric_eigenvalues(&gram(&x, SIZE.0, SIZE.1).expect("a product"), SIZE.1)
    };
    let mut group = c.benchmark_group("montecarlo/spectrum 2000x1000");
    group.throughput(Throughput::Elements(2)).sample_size(10);
    for threads in [1, 2] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        group.bench_function(format!("one after the other, {threads} threads"), |b| {
            b.iter(|| pool.install(|| (draw(0), draw(1))));
        });
        group.bench_function(format!("at once, {threads} threads"), |b| {
            b.iter(|| pool.install(|| rayon::join(|| draw(0), || draw(1))));
        });
    }
    group.finish();
}

/// Replicates a second on the first adapter, where there is one.
fn adapter(c: &mut Criterion) {
    const REPLICATES: u64 = 64;
    let Some(adapter) = adapters().into_iter().next() else { return };
    let engine = GpuEngine::open(adapter).expect("an adapter that was listed opens");
    let experiment = ridge(256, 128);
    let mut group = c.benchmark_group("gpu/ridge n=256 p=128");
    group.throughput(Throughput::Elements(REPLICATES)).sample_size(10);
    group.bench_function(engine.name(), |b| {
        b.iter(|| engine.run(&experiment, STREAMS, 0..REPLICATES, &|_, _| ()));
    });
    group.finish();
}

criterion_group!(benches, normals, processor, spectrum, adapter);
criterion_main!(benches);
