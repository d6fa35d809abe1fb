//! The support of the general law on fixed cases.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use rootrate::resolvent::SilversteinLaw;
use rootrate::spectrum::Spectrum;

fn support(c: &mut Criterion) {
    let mut group = c.benchmark_group("support");
    group.sample_size(10);
    let mut case = |name: &str, atoms: &[f64], ratio: f64| {
        let population = Spectrum::from_eigenvalues(atoms).expect("a population");
        group.bench_function(name, |b| {
            b.iter(|| SilversteinLaw::new(black_box(&population), black_box(ratio)));
        });
    };
    let geometric =
        |n: usize| (0..n).map(|k| 100.0_f64.powf(k as f64 / n as f64)).collect::<Vec<_>>();
    let power = |n: usize| (1..=n).map(|k| 1.0 / k as f64).collect::<Vec<_>>();
    case("2 atoms, one gap", &[1.0, 10.0], 0.3);
    case("1000 atoms, no gap", &geometric(1000), 0.5);
    case("100000 atoms, no gap", &geometric(100_000), 0.5);
    case("1000 atoms 1/k", &power(1000), 0.5);
    case("100000 atoms 1/k", &power(100_000), 0.5);
    let even: Vec<f64> = (0..1000).map(|k| 1.0 + k as f64 / 64.0).collect();
    case("1000 atoms, 999 gaps", &even, 1e-5);
    let wide: Vec<f64> = (0..1000).map(|k| 1.1_f64.powi(k - 500)).collect();
    case("1000 atoms over 41 decades, c = 1e-3", &wide, 1e-3);
    group.finish();
}

criterion_group!(benches, support);
criterion_main!(benches);
