//! The learning curve of random features on fixed cases: 1,000 feature counts from 1 to 1e6.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use rootrate::learning::{RandomFeatures, Signal};
use rootrate::spectrum::Spectrum;

fn random_features(criterion: &mut Criterion) {
    let counts: Vec<f64> = (0..1000).map(|i| 10f64.powf(6.0 * f64::from(i) / 999.0)).collect();
    let mut group = criterion.benchmark_group("random features, 1000 feature counts");
    for (name, d, n, penalty) in [
        ("d=100 k^-0.8 n=50", 100, 50.0, 0.1),
        ("d=1000 k^-0.8 n=500", 1000, 500.0, 0.1),
        ("d=1000 k^-0.8 n=500 tiny penalty", 1000, 500.0, 1e-12),
    ] {
        let spectrum = Spectrum::power_law(0.8, d).expect("valid exponent");
        let signal = Signal::Power { exponent: 0.5, power: 1.0 };
        let learner = RandomFeatures::new(&spectrum, d, &signal, 0.3).expect("valid learner");
        group.bench_function(name, |b| {
            b.iter(|| {
                for &p in black_box(&counts) {
                    black_box(learner.curve_point(n, p, penalty).expect("certified"));
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, random_features);
criterion_main!(benches);
