//! The general law on fixed cases: 1,000 points of the density on cosine grids across the
//! support, from the population to the values: support, table and roots, without and with the
//! proofs; the support alone is in `support.rs`, the proofs alone in `certificate.rs`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use num_complex::Complex64;
use rootrate::resolvent::SilversteinLaw;
use rootrate::spectrum::Spectrum;

/// n equal weights on a geometric grid from 0.1 to 10, c = ½; {1, 10} and c = 0.3 for n = 2.
fn population(n: usize) -> (Spectrum, f64) {
    if n == 2 {
        return (Spectrum::from_atoms(&[1.0, 10.0], &[0.5, 0.5]).expect("a spectrum"), 0.3);
    }
    let atom = |k: usize| 0.1 * 100f64.powf(k as f64 / (n - 1) as f64);
    let atoms: Vec<f64> = (0..n).map(atom).collect();
    (Spectrum::from_eigenvalues(&atoms).expect("a spectrum"), 0.5)
}

fn grid(law: &SilversteinLaw) -> Vec<f64> {
    let components = &law.support().components;
    let n = 1000 / components.len();
    let angle = |k: usize| std::f64::consts::PI * (k as f64 + 0.5) / n as f64;
    let mut x = Vec::new();
    for c in components {
        let (a, b) = (c.lower.position.value, c.upper.position.value);
        x.extend((0..n).map(|k| 0.5 * (a + b) - 0.5 * (b - a) * angle(k).cos()));
    }
    x
}

fn density(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("silverstein, 1000 points");
    for n in [2, 100, 1000, 100_000] {
        let (spectrum, ratio) = population(n);
        let x = grid(&SilversteinLaw::new(&spectrum, ratio).expect("a law"));
        let z: Vec<_> = x.iter().map(|&x| Complex64::new(x, 0.0)).collect();
        group.sample_size(if n > 1000 { 10 } else { 50 });
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
        let law = || SilversteinLaw::new(black_box(&spectrum), ratio).expect("a law");
        group.bench_function(format!("{n} atoms, roots, one thread"), |b| {
            one.install(|| b.iter(|| law().companions_unproved(&z).expect("values")));
        });
        group.bench_function(format!("{n} atoms, proved density, one thread"), |b| {
            one.install(|| b.iter(|| law().densities(&x).expect("values")));
        });
        group.bench_function(format!("{n} atoms, proved density"), |b| {
            b.iter(|| law().densities(&x).expect("values"));
        });
    }
    group.finish();
}

criterion_group!(benches, density);
criterion_main!(benches);
