//! The empirical law: brute force, exact two-point data, planes by quadrature, rare events.

use std::sync::atomic::{AtomicUsize, Ordering};

use rootrate::data::DataMatrix;
use rootrate::entropy::{
    Component, DataModel, EmpiricalData, EmpiricalOptions, EmpiricalPoint, EntropyError,
    GaussianMixture, LowNoise,
};
use rootrate::evidence::Sampled;
use rootrate::montecarlo::Stream;
use serde_json::Value;

/// Two-sided false-alarm rate of one comparison at this many standard errors: 6e-7 (normal).
/// Seeds are fixed, so a test that passes keeps passing.
const Z: f64 = 5.0;

fn law(data: &DataMatrix, queries: usize, seed: u64) -> EmpiricalData {
    EmpiricalData::new(data, EmpiricalOptions { queries, seed }).unwrap()
}

fn assert_sampled(found: Sampled, expected: f64, what: &str) {
    let z = (found.mean - expected) / found.standard_error;
    assert!(z.abs() < Z, "{what}: {found:?}, expected {expected:e}: z = {z}");
}

fn pair_mmse(sigma: f64) -> f64 {
    let ends = [-1.0, 1.0].map(|m| Component::isotropic(0.5, vec![m], 0.0));
    GaussianMixture::new(ends.to_vec()).unwrap().mmse(sigma).unwrap().value()
}

fn pair_information(sigma: f64) -> f64 {
    let ends = [-1.0, 1.0].map(|m| Component::isotropic(0.5, vec![m], 0.0));
    GaussianMixture::new(ends.to_vec()).unwrap().information(sigma).unwrap().value()
}

/// n points in d dimensions: clusters at `far` with inner scale 1, so that D cancels.
fn clusters(n: usize, d: usize, far: f64) -> DataMatrix {
    let mut values = vec![0.0; n * d];
    Stream::new(11, 0, 0).fill_normal_f64(&mut values);
    for (i, row) in values.chunks_mut(d).enumerate() {
        row[0] += far * (i % 3) as f64;
    }
    DataMatrix::new(n, d, values).unwrap()
}

#[test]
fn planes_agree_with_quadrature() {
    let golden: Value = serde_json::from_str(include_str!("../golden/mixture.json")).unwrap();
    let laws = golden["planes"].as_array().unwrap();
    for (index, repeat_first) in [(1, false), (2, true)] {
        let mut rows: Vec<Vec<f64>> = laws[index]["means"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect())
            .collect();
        if repeat_first {
            rows.push(rows[0].clone());
        }
        let model = law(&DataMatrix::from_rows(&rows).unwrap(), 20_000, 5);
        let LowNoise::Discrete { entropy } = model.low_noise() else { panic!() };
        // weights of 1/5, or 2/5 and three of 1/5
        let expected =
            if repeat_first { 0.4 * 2.5_f64.ln() + 0.6 * 5_f64.ln() } else { 5_f64.ln() };
        assert!((entropy - expected).abs() < 1e-15);
        for point in laws[index]["points"].as_array().unwrap() {
            let [sigma, mmse, information] =
                ["sigma", "mmse", "information"].map(|key| point[key].as_f64().unwrap());
            let found = model.profile(&[sigma], None).unwrap()[0];
            assert_sampled(found.mmse, mmse, "mmse");
            assert_sampled(found.information, information, "information");
            assert_sampled(found.posterior_entropy, entropy - information, "entropy");
            // power: a relative error of the formula of 2 % would show
            assert!(found.mmse.standard_error < 0.004 * mmse || sigma < 1.0, "{found:?}");
        }
    }
}

/// Two points at distance R in d = 784 are the pair ±1: mmse = (R/2)² mmse_pair(2σ/R).
#[test]
fn two_points_in_many_dimensions() {
    let mut values = vec![0.0; 2 * 784];
    Stream::new(3, 0, 0).fill_normal_f64(&mut values);
    let data = DataMatrix::new(2, 784, values).unwrap();
    let distance: f64 =
        data.row(0).iter().zip(data.row(1)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    let half = 0.5 * distance;
    let model = law(&data, 4000, 1);
    let levels = [0.15, 0.2, 0.3, 0.5, 1.0, 3.0, 30.0, 1e4].map(|s| s * half);
    for point in model.profile(&levels, None).unwrap() {
        let relative = point.sigma / half;
        assert_sampled(point.mmse, half * half * pair_mmse(relative), "mmse");
        assert_sampled(point.information, pair_information(relative), "information");
        if relative >= 0.5 {
            assert!(point.mmse.standard_error < 0.1 * point.mmse.mean, "{point:?}");
        }
    }
}

/// The same draws pushed through the definition: pᵢ from ‖x_σ − xᵢ‖² itself, in plain loops.
///
/// A single query repeated has no Monte Carlo error: with N = Q every point is the origin of
/// one query, and the noise is that of the model's streams only in law, so the comparison is
/// of means; levels are chosen where both means are precise.
#[test]
fn agrees_with_the_definition() {
    let (n, d) = (60, 5);
    let data = clusters(n, d, 1e5);
    let model = law(&data, 6000, 2);
    let levels = [0.4, 1.0, 3.0, 1e5];
    let found = model.profile(&levels, None).unwrap();
    for (point, &sigma) in found.iter().zip(&levels) {
        let (mut losses, mut entropies) = (Vec::new(), Vec::new());
        let mut noise = vec![0.0; d];
        for q in 0..6000_u32 {
            Stream::new(77, 1, q).fill_normal_f64(&mut noise);
            let origin = data.row(q as usize % n);
            let noisy: Vec<f64> = origin.iter().zip(&noise).map(|(x, z)| x + sigma * z).collect();
            let log = |row: &[f64]| -> f64 {
                row.iter().zip(&noisy).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
                    / (-2.0 * sigma * sigma)
            };
            let logs: Vec<f64> = (0..n).map(|i| log(data.row(i))).collect();
            let top = logs.iter().fold(f64::NEG_INFINITY, |a, &l| a.max(l));
            let total: f64 = logs.iter().map(|l| (l - top).exp()).sum();
            let p: Vec<f64> = logs.iter().map(|l| (l - top).exp() / total).collect();
            let loss: f64 = (0..d)
                .map(|j| {
                    let mean: f64 = (0..n).map(|i| p[i] * data.row(i)[j]).sum();
                    (origin[j] - mean).powi(2)
                })
                .sum();
            losses.push(loss);
            entropies.push(p.iter().filter(|p| **p > 0.0).map(|p| -p * p.ln()).sum::<f64>());
        }
        for (sampled, values) in [(point.mmse, losses), (point.posterior_entropy, entropies)] {
            let mean = values.iter().sum::<f64>() / 6000.0;
            let square: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
            let error = (square / 5999.0 / 6000.0).sqrt().hypot(sampled.standard_error);
            assert!(
                (sampled.mean - mean).abs() < Z * error,
                "σ={sigma}: {sampled:?}, {mean}±{error}"
            );
            assert!(error < 0.1 * mean, "weak test at σ={sigma}: {mean}±{error}");
        }
    }
}

/// Clusters 1e5 apart make D cancel in its Gram form; an offset common to all must not matter,
/// nor the unit: the draws are the same, so values agree to rounding.
#[test]
fn offset_and_unit_do_not_matter() {
    let data = clusters(40, 3, 1e5);
    let moved: Vec<f64> = data.values().iter().map(|x| 1e-30 * (x + 1e6)).collect();
    let moved = DataMatrix::new(40, 3, moved).unwrap();
    let levels = [0.3, 1.0, 1e3, 1e6];
    let scaled = levels.map(|s| 1e-30 * s);
    let here = law(&data, 300, 4).profile(&levels, None).unwrap();
    let there = law(&moved, 300, 4).profile(&scaled, None).unwrap();
    for (a, b) in here.iter().zip(&there) {
        // the offset rounds the data by 1e-10 of the inner scale
        assert!((b.mmse.mean * 1e60 / a.mmse.mean - 1.0).abs() < 1e-8, "{a:?} {b:?}");
        assert!((b.information.mean - a.information.mean).abs() < 1e-8, "{a:?} {b:?}");
    }
}

/// Where no query sees an event, the standard error must still cover the exact value: two
/// points at R/σ = 9 … 20 and 200 queries, of which P(any sees it) < 0.1 %.
#[test]
fn rare_events_are_in_the_standard_error() {
    let data = DataMatrix::from_rows(&[vec![-1.0, 0.0], vec![1.0, 0.0]]).unwrap();
    for seed in 0..5 {
        let levels = [0.1, 0.15, 0.2, 0.22];
        for point in law(&data, 200, seed).profile(&levels, None).unwrap() {
            let exact = pair_mmse(point.sigma);
            assert_sampled(point.mmse, exact, "mmse");
            // the difference is rounded to 1e-15
            let deficit = (std::f64::consts::LN_2 - pair_information(point.sigma)).max(0.0);
            let error = (point.posterior_entropy.mean - deficit).abs();
            assert!(error < Z * point.posterior_entropy.standard_error + 1e-14, "{point:?}");
            assert!(point.mmse.standard_error < 1e3 * exact, "{point:?} means nothing: {exact:e}");
        }
    }
}

/// I(σ₁) − I(σ₂) = ∫ mmse/σ² dℓ with the same draws (Simpson, step 0.05 in ln σ).
#[test]
fn information_is_the_integral_of_the_mmse() {
    let model = law(&clusters(50, 2, 4.0), 4000, 9);
    let levels: Vec<f64> = (0..=100).map(|i| (-2.0 + 0.05 * f64::from(i)).exp()).collect();
    let points = model.profile(&levels, None).unwrap();
    let weight = |i: usize| if i == 0 || i == 100 { 1.0 } else { (2 + 2 * (i % 2)) as f64 };
    let sum = |f: fn(&EmpiricalPoint) -> f64| -> f64 {
        let terms = points.iter().enumerate();
        terms.map(|(i, p)| weight(i) * f(p) / (p.sigma * p.sigma)).sum::<f64>() * 0.05 / 3.0
    };
    let integral = sum(|p| p.mmse.mean);
    // errors are correlated between levels: added, not their squares
    let error = sum(|p| p.mmse.standard_error);
    let (first, last) = (points[0].information, points[100].information);
    let difference = first.mean - last.mean;
    let error = error + first.standard_error + last.standard_error;
    assert!((integral - difference).abs() < Z * error, "{integral}, {difference} ± {error}");
    assert!(error < 0.03 * difference, "weak test: {difference} ± {error}");
}

#[test]
fn limits_and_large_noise() {
    let data = clusters(30, 4, 2.0);
    let model = law(&data, 1000, 0);
    let n = 30.0;
    let variance: f64 = (0..4)
        .map(|j| {
            let mean = (0..30).map(|i| data.row(i)[j]).sum::<f64>() / n;
            (0..30).map(|i| (data.row(i)[j] - mean).powi(2)).sum::<f64>() / n
        })
        .sum();
    let points = model.profile(&[1e-6, 1e6, 1e100], None).unwrap();
    assert_eq!(points[0].mmse.mean, 0.0);
    assert_eq!(points[0].mmse.standard_error, 0.0);
    // a plain sum of 1000 terms: at most 1000 ε relative
    assert!((points[0].information.mean - 30_f64.ln()).abs() < 1e-12);
    // mmse → tr C, I → tr C/2σ²; both to 1e-5 (control variates leave O(1/σ))
    for point in &points[1..] {
        assert!((point.mmse.mean / variance - 1.0).abs() < 1e-5, "{point:?}");
        let expected = 0.5 * variance / point.sigma / point.sigma;
        assert!((point.information.mean / expected - 1.0).abs() < 1e-5, "{point:?}, {expected:e}");
    }
}

#[test]
fn numbers_do_not_depend_on_threads() {
    // 130 queries in tiles of 64: the last one is not full, nor is the last block of points
    let data = clusters(203, 7, 3.0);
    let at = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| law(&data, 130, 6).profile(&[0.1, 1.0, 7.0], None).unwrap())
    };
    let one = at(1);
    assert_eq!(one, at(2));
    assert_eq!(one, at(3));
    // one level at a time, and through the trait
    let model = law(&data, 130, 6);
    for point in &one {
        assert_eq!(model.mmse(point.sigma).unwrap(), point.mmse.into());
        assert_eq!(model.information(point.sigma).unwrap(), point.information.into());
    }
    assert_ne!(one, law(&data, 130, 7).profile(&[0.1, 1.0, 7.0], None).unwrap());
}

#[test]
fn progress_counts_every_query() {
    let (calls, highest) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let report = |done: usize, total: usize| {
        assert_eq!(total, 150);
        calls.fetch_add(1, Ordering::Relaxed);
        highest.fetch_max(done, Ordering::Relaxed);
    };
    law(&clusters(20, 2, 1.0), 150, 0).profile(&[1.0, 2.0], Some(&report)).unwrap();
    assert_eq!((calls.into_inner(), highest.into_inner()), (150, 150));
}

#[test]
fn degenerate_and_bad_input() {
    let same = DataMatrix::from_rows(&vec![vec![3.0, 1.0]; 4]).unwrap();
    let point = law(&same, 200, 0).profile(&[1.0], None).unwrap()[0];
    for value in [point.mmse, point.posterior_entropy, point.information] {
        assert!(value.mean.abs() < 1e-15 && value.standard_error < 1e-15, "{point:?}");
    }
    let options = |queries| EmpiricalOptions { queries, seed: 0 };
    for queries in [0, 1, usize::MAX] {
        let error = EmpiricalData::new(&same, options(queries)).unwrap_err();
        assert!(error.to_string().contains("queries"), "{error}");
    }
    let huge = DataMatrix::from_rows(&[vec![-1e308], vec![1e308]]).unwrap();
    let error = EmpiricalData::new(&huge, options(2)).unwrap_err();
    assert!(error.to_string().contains("1e140"), "{error}");
    let model = law(&clusters(5, 2, 1.0), 2, 0);
    for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(model.mmse(sigma), Err(EntropyError::NoiseLevel { .. })));
        assert!(model.profile(&[1.0, sigma], None).is_err());
    }
    assert!(matches!(model.mmse(1e-300), Err(EntropyError::NoConvergence { .. })));
    assert_eq!(model.profile(&[], None).unwrap(), []);
    assert!(model.mmse(1.0).unwrap().error().is_finite());
}

/// 16·Q·N bytes above 256 MiB: D and G are recomputed tile by tile. 100,000 points of N(0, I₂)
/// have nearly its mmse, 2σ²/(1+σ²): the data set is off by N^{-1/2} and by the chance that few
/// points are near, together below 2 %.
#[test]
fn many_points_are_tiled() {
    let mut values = vec![0.0; 200_000];
    Stream::new(21, 0, 0).fill_normal_f64(&mut values);
    let model = law(&DataMatrix::new(100_000, 2, values).unwrap(), 170, 3);
    let count = AtomicUsize::new(0);
    let report = |_: usize, _: usize| {
        count.fetch_add(1, Ordering::Relaxed);
    };
    let all = model.profile(&[1.0], Some(&report)).unwrap()[0];
    assert_eq!(count.into_inner(), 170);
    assert!((all.mmse.mean - 1.0).abs() < Z * all.mmse.standard_error + 0.02, "{all:?}");
    assert!(all.mmse.standard_error < 0.05, "{all:?}");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| model.profile(&[1.0], None).unwrap()[0]), all);
}
