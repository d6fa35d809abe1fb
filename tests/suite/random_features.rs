//! Random features against high-precision solutions of the published equations, limits and
//! closed forms.

use proptest::prelude::*;
use rootrate::evidence::Certified;
use rootrate::learning::{LearningError, RandomFeatures, RandomFeaturesPoint, Ridge, Signal};
use rootrate::spectrum::Spectrum;
use serde_json::Value;

use crate::ridge::{covers, number, power_law};

/// What the documentation promises for every value of a point.
const RELATIVE_RADIUS: f64 = 1e-13;

fn spectrum(eigenvalues: &[f64]) -> Spectrum {
    Spectrum::from_eigenvalues(eigenvalues).unwrap()
}

fn learner(eigenvalues: &[f64], signal: &Signal, noise: f64) -> RandomFeatures {
    RandomFeatures::new(&spectrum(eigenvalues), eigenvalues.len(), signal, noise).unwrap()
}

fn values(point: &RandomFeaturesPoint) -> [(&'static str, Certified); 7] {
    [
        ("nu1", point.nu1),
        ("nu2", point.nu2),
        ("df1", point.df1),
        ("df2", point.df2),
        ("bias", point.bias),
        ("variance", point.variance),
        ("risk", point.risk),
    ]
}

#[test]
fn golden_points_lie_within_proved_radii() {
    let golden: Value =
        serde_json::from_str(include_str!("../golden/random_features.json")).unwrap();
    let cases = golden["points"].as_array().unwrap();
    assert!(cases.len() > 15);
    for case in cases {
        let eigenvalues: Vec<f64> =
            case["eigenvalues"].as_array().unwrap().iter().map(number).collect();
        let signal =
            Signal::Power { exponent: number(&case["exponent"]), power: number(&case["power"]) };
        let learner = learner(&eigenvalues, &signal, number(&case["noise"]));
        let [n, p, penalty] = ["samples", "features", "penalty"].map(|name| number(&case[name]));
        let point = learner.curve_point(n, p, penalty).unwrap();
        for (name, value) in values(&point) {
            let exact = number(&case[name]);
            assert!(covers(value, exact), "{} {name}: {value:?} {exact}", case["name"]);
            // df2 of the huge penalty, 1e-280, is at the end of the range
            let tight = value.radius <= RELATIVE_RADIUS * exact || value.radius < 1e-300;
            assert!(tight, "{} {name}: {value:?}", case["name"]);
        }
        assert!(point.steps <= 8, "{}: {} steps", case["name"], point.steps);
    }
}

/// p = ∞ is kernel ridge; 2⁵⁰ features differ from it by O(d/p) = 1e-13 (F7).
#[test]
fn many_features_are_kernel_ridge() {
    let eigenvalues = power_law(80, 0.9);
    let signal = Signal::Power { exponent: 0.5, power: 1.0 };
    let features = learner(&eigenvalues, &signal, 0.3);
    let kernel = Ridge::new(&spectrum(&eigenvalues), 80, &signal, 0.3).unwrap();
    for (n, penalty) in [(30.0, 0.5), (80.0, 1e-9), (300.0, 40.0), (30.0, 0.0), (300.0, 0.0)] {
        let ridge = kernel.curve_point(n, penalty / n).unwrap();
        let limit = features.curve_point(n, f64::INFINITY, penalty).unwrap();
        let near = features.curve_point(n, (1u64 << 50) as f64, penalty).unwrap();
        for (of, mine, slack) in [("∞", limit, 0.0), ("2^50", near, 1e-12)] {
            for (a, b) in [
                (mine.nu1, ridge.kappa),
                (mine.nu2, ridge.kappa),
                (mine.df1, ridge.df1),
                (mine.df2, ridge.df2),
                (mine.bias, ridge.bias),
                (mine.variance, ridge.variance),
                (mine.risk, ridge.risk),
            ] {
                // λ/n is rounded once on the way into `Ridge`
                let allowed = a.radius + b.radius + (slack + f64::EPSILON) * b.value;
                assert!((a.value - b.value).abs() <= allowed, "{of} {n} {penalty}: {a:?} {b:?}");
            }
        }
    }
}

/// Σ = I: df1 = d/(1+ν), so ν(n − df1)(p − df1) = pλ is a cubic, and the floor for n → ∞ is the
/// share 1 − p/d of the signal that p projections do not see (F8).
#[test]
fn isotropic_closed_forms() {
    let d = 50;
    let learner = learner(&vec![1.0; d], &Signal::Flat { power: 2.0 }, 0.3);
    let many = (1u64 << 50) as f64;
    let floor = learner.curve_point(many, 20.0, 1e-3).unwrap().risk;
    // variance O(p/n), penalty O(λ/n): both below 1e-12
    assert!((floor.value / (2.0 * (1.0 - 20.0 / 50.0)) - 1.0).abs() < 1e-12, "{floor:?}");
    for (n, p, penalty) in [(30.0, 70.0, 2.0), (70.0, 30.0, 2.0), (40.0, 40.0, 1e-6)] {
        let point = learner.curve_point(n, p, penalty).unwrap();
        let nu = point.nu2.value;
        let df1 = d as f64 / (1.0 + nu);
        let balance = nu * (n - df1) * (p - df1) / (p * penalty);
        // n − df1 may cancel: its condition number, in units of rounding
        let condition = n / (n - df1) + p / (p - df1);
        assert!((balance - 1.0).abs() < 8.0 * f64::EPSILON * condition, "{n} {p}: {balance}");
    }
}

/// The floor Σ s q at df1 = p for any spectrum (F8).
#[test]
fn infinitely_many_samples_leave_the_truncation() {
    let eigenvalues = power_law(60, 1.0);
    let squares: Vec<f64> = (0..60).map(|k| 1.0 / (1.0 + k as f64)).collect();
    let learner = learner(&eigenvalues, &Signal::Custom(squares.clone()), 0.3);
    let point = learner.curve_point((1u64 << 50) as f64, 15.0, 0.5).unwrap();
    let nu = point.nu2.value;
    assert!((point.df1.value - 15.0).abs() < 1e-11);
    let floor: f64 = eigenvalues.iter().zip(&squares).map(|(l, w)| w * l * nu / (l + nu)).sum();
    assert!((point.risk.value / floor - 1.0).abs() < 1e-11);
}

#[test]
fn without_a_penalty() {
    let mut eigenvalues = power_law(20, 1.0);
    eigenvalues.extend([0.0; 5]);
    let learner = learner(&eigenvalues, &Signal::Flat { power: 1.0 }, 0.3);
    assert_eq!(learner.rank(), 20.0);
    for (n, p) in [(10.0, 15.0), (15.0, 10.0), (50.0, 10.0), (10.0, 50.0), (50.0, 50.0)] {
        let limit = learner.curve_point(n, p, 1e-12).unwrap();
        let exact = learner.curve_point(n, p, 0.0).unwrap();
        assert!((limit.risk.value / exact.risk.value - 1.0).abs() < 1e-9, "{n} {p}");
    }
    // enough of both: ordinary least squares (R5)
    let least_squares = learner.curve_point(50.0, 30.0, 0.0).unwrap();
    assert!(covers(least_squares.risk, 0.3 * 20.0 / 30.0));
    for (n, p) in [(10.0, 10.0), (20.0, 20.0), (20.0, 30.0), (20.0, f64::INFINITY)] {
        let error = learner.curve_point(n, p, 0.0).unwrap_err();
        assert!(matches!(error, LearningError::FeatureThreshold { .. }), "{n} {p}: {error}");
        assert!(
            learner.curve_point(n, p, 1e-9).unwrap().risk.value > 1e2 * least_squares.risk.value
        );
    }
    assert!(learner.curve_point(30.0, 20.0, 0.0).is_ok(), "p = rank is no threshold");
    assert!(learner.curve_point(30.0, 30.0, 0.0).is_ok(), "n = p > rank is none");
}

/// n ↔ p leaves ν₂, df1 and the determinant D: the equation is symmetric in them at fixed ρ.
#[test]
fn samples_and_features_trade_places() {
    let learner = learner(&power_law(60, 1.0), &Signal::Flat { power: 1.0 }, 0.3);
    let ridge = 0.02;
    let one = learner.curve_point(25.0, 40.0, 25.0 * ridge).unwrap();
    let two = learner.curve_point(40.0, 25.0, 40.0 * ridge).unwrap();
    assert!((one.nu2.value / two.nu2.value - 1.0).abs() < 1e-14);
    assert!((one.df2.value / two.df2.value - 1.0).abs() < 1e-14);
}

#[test]
fn bad_input_is_named() {
    let learner = learner(&[1.0, 2.0], &Signal::Flat { power: 1.0 }, 0.1);
    let message = |n, p, l| learner.curve_point(n, p, l).unwrap_err().to_string();
    assert!(message(0.0, 1.0, 1.0).contains("samples"));
    assert!(message(f64::INFINITY, 1.0, 1.0).contains("samples"));
    assert!(message(1.0, 0.5, 1.0).contains("features"));
    assert!(message(1.0, f64::NAN, 1.0).contains("features"));
    assert!(message(1.0, 1.0, -1.0).contains("penalty"));
    assert!(message(1.0, 1.0, f64::NAN).contains("penalty"));
    let flat = Signal::Flat { power: 1.0 };
    let tiny = RandomFeatures::new(&spectrum(&[1e-200, 1.0]), 2, &flat, 0.1);
    assert!(tiny.unwrap_err().to_string().contains("eigenvalue"));
    assert!(RandomFeatures::new(&spectrum(&[1.0, 2.0]), 3, &flat, 0.1).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Any spectrum, any scale: a result within the promise, which satisfies (F1) where that can
    /// be evaluated.
    #[test]
    fn extreme_inputs_are_certified_and_finite(
        exponents in prop::collection::vec(-100.0..100.0_f64, 1..30),
        log_n in 0.0..12.0_f64, log_p in 0.0..12.0_f64, equal in any::<bool>(),
        log_penalty in -100.0..150.0_f64, signal_exponent in -3.0..3.0_f64,
    ) {
        let eigenvalues: Vec<f64> = exponents.iter().map(|e| 10f64.powf(*e)).collect();
        let signal = Signal::Power { exponent: signal_exponent, power: 1.0 };
        let n = 10f64.powf(log_n).round();
        let p = if equal { n } else { 10f64.powf(log_p).round() };
        let learner = learner(&eigenvalues, &signal, 0.5);
        let point = learner.curve_point(n, p, 10f64.powf(log_penalty)).unwrap();
        prop_assert!(point.steps <= 8);
        for (name, v) in values(&point) {
            prop_assert!(v.value >= 0.0 && v.radius.is_finite(), "{name} {v:?}");
            let tight = v.radius <= RELATIVE_RADIUS * v.value || v.radius < 1e-200;
            prop_assert!(tight, "{name} {v:?}");
        }
    }

    #[test]
    fn arbitrary_bits_never_panic(
        n in any::<f64>(), p in any::<f64>(), penalty in any::<f64>(),
    ) {
        let learner = learner(&[2.0, 1.0, 0.0], &Signal::Flat { power: 1.0 }, 0.1);
        if let Ok(point) = learner.curve_point(n, p, penalty) {
            prop_assert!(values(&point).iter().all(|(_, v)| v.value.is_finite() && v.radius.is_finite()));
        }
    }
}
