//! The ridge learning curve on fixed cases: 1,000 penalties from 1e-6 to 1e3.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use rootrate::learning::{Ridge, Signal};
use rootrate::spectrum::Spectrum;

/// λ_k = k^{−E}, w_k² ∝ k^{−1/2}, τ² = 0.3.
fn power_law(p: usize, exponent: f64) -> Ridge {
    let eigenvalues: Vec<f64> = (1..=p).map(|k| (k as f64).powf(-exponent)).collect();
    let spectrum = Spectrum::from_eigenvalues(&eigenvalues).expect("valid eigenvalues");
    let signal = Signal::Power { exponent: 0.5, power: 1.0 };
    Ridge::new(&spectrum, p, &signal, 0.3).expect("valid learner")
}

fn penalties() -> Vec<f64> {
    (0..1000).map(|i| 10f64.powf(-6.0 + 9.0 * f64::from(i) / 999.0)).collect()
}

fn ridge(criterion: &mut Criterion) {
    let penalties = penalties();
    let mut group = criterion.benchmark_group("ridge curve, 1000 penalties");
    for (name, p, exponent, n) in [
        ("p=1000 k^-0.8 n=500", 1000, 0.8, 500.0),
        ("p=1000 k^-0.8 n=1000", 1000, 0.8, 1000.0),
        ("p=1000 k^-4 n=1000", 1000, 4.0, 1000.0),
        ("p=1000 k^-0.8 n=10000", 1000, 0.8, 10000.0),
        ("p=100 k^-0.8 n=50", 100, 0.8, 50.0),
        ("p=100 k^-0.8 n=100", 100, 0.8, 100.0),
        ("p=10 k^-0.8 n=10", 10, 0.8, 10.0),
    ] {
        let learner = power_law(p, exponent);
        group.bench_function(name, |b| {
            b.iter(|| learner.curve(black_box(n), black_box(&penalties)).expect("certified"));
        });
    }
    group.finish();

    let learner = power_law(1000, 0.8);
    criterion.bench_function("ridge optimum, p=1000 k^-0.8 n=500", |b| {
        b.iter(|| learner.optimal_ridge(black_box(500.0)).expect("found"));
    });
}

criterion_group!(benches, ridge);
criterion_main!(benches);
