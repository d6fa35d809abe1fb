//! Building laws over noise levels, and drawing from them.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use rootrate::entropy::{Clock, DataModel, EntropyError, LowNoise, Unit};
use rootrate::evidence::{Estimated, Evidence};
use rootrate::schedule::{NoiseLaw, efficiency, sqrt_entropy};

/// Unit Gaussian data: a model whose own cost is nothing.
#[derive(Debug)]
struct Gaussian;

impl DataModel for Gaussian {
    fn name(&self) -> String {
        "gaussian".into()
    }
    fn unit(&self) -> Unit {
        Unit::Total { dimension: 1 }
    }
    fn low_noise(&self) -> LowNoise {
        LowNoise::Continuous { dimension: 1.0 }
    }
    fn mmse(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        Ok(Estimated { value: sigma * sigma / (1.0 + sigma * sigma), estimate: 0.0 }.into())
    }
    fn information(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        Ok(Estimated { value: 0.5 * sigma.powi(-2).ln_1p(), estimate: 0.0 }.into())
    }
}

fn schedule(c: &mut Criterion) {
    let range = (0.002, 80.0);
    c.bench_function("schedule/build sqrt-entropy", |b| {
        b.iter(|| sqrt_entropy(black_box(&Gaussian), Clock::Flow, range))
    });
    let fitted = sqrt_entropy(&Gaussian, Clock::Flow, range).unwrap();
    let asinh = NoiseLaw::gaussian(1.0, Clock::LogSigma, range).unwrap();
    let wishart = NoiseLaw::wishart(0.3, range).unwrap();
    let offsets = vec![0.5; 1000];
    for (name, law) in [("fitted", &fitted), ("asinh", &asinh), ("wishart", &wishart)] {
        c.bench_function(&format!("schedule/1000 draws, {name}"), |b| {
            b.iter(|| law.stratified(black_box(&offsets)))
        });
    }
    c.bench_function("schedule/efficiency of edm", |b| {
        b.iter(|| efficiency(&NoiseLaw::edm(), black_box(&fitted)))
    });
}

criterion_group!(benches, schedule);
criterion_main!(benches);
