//! Continuous populations on fixed cases.

use criterion::{Criterion, criterion_group, criterion_main};
use rootrate::resolvent::ContinuousPopulation;
use rootrate::spectrum::ContinuousLaw;
use std::hint::black_box;

fn continuous(c: &mut Criterion) {
    let mut group = c.benchmark_group("continuous");
    let uniform = ContinuousLaw::uniform(1.0, 3.0).expect("valid");
    group.bench_function("Gauss-Legendre rule, 256 nodes", |b| {
        b.iter(|| uniform.rule(black_box(256)));
    });
    let iterated = ContinuousLaw::marchenko_pastur(0.3, 1.0).expect("valid");
    for (name, law) in [("uniform", uniform), ("Marchenko-Pastur", iterated)] {
        let population = ContinuousPopulation::new(law, 0.5).expect("valid");
        for tolerance in [1e-3, 1e-12] {
            group.bench_function(format!("density, {name}, tolerance {tolerance:e}"), |b| {
                b.iter(|| population.density(black_box(1.5), tolerance));
            });
        }
        group.bench_function(format!("edges, {name}"), |b| b.iter(|| population.edges(1e-10)));
    }
    group.finish();
}

criterion_group!(benches, continuous);
criterion_main!(benches);
