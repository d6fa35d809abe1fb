//! The ridge learning curve against high-precision values, closed forms and identities.
//!
//! Golden points carry 30 digits; the only slack beyond the proved radius is the rounding of
//! the golden string to f64 (half a unit in the last place).

use proptest::prelude::*;
use rootrate::evidence::{Certified, Evidence};
use rootrate::interval::Interval;
use rootrate::learning::{
    LearningError, OptimalRidge, Ridge, RidgePoint, ScaleClass, Signal, decoupling_defect,
    ridgeless_gaussian_exact,
};
use rootrate::spectrum::Spectrum;
use serde_json::Value;

/// What the documentation promises for every value of a point.
const RELATIVE_RADIUS: f64 = 1e-13;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/ridge.json")).unwrap()
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_str().map_or_else(|| value.as_f64().unwrap(), |s| s.parse().unwrap())
}

fn floats(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn learner(eigenvalues: &[f64], signal: &Signal, noise: f64) -> Ridge {
    let spectrum = Spectrum::from_eigenvalues(eigenvalues).unwrap();
    Ridge::new(&spectrum, eigenvalues.len(), signal, noise).unwrap()
}

pub(crate) fn power_law(p: usize, exponent: f64) -> Vec<f64> {
    (1..=p).map(|k| (k as f64).powf(-exponent)).collect()
}

pub(crate) fn covers(c: Certified, exact: f64) -> bool {
    (c.value - exact).abs() <= c.radius + 0.5 * f64::EPSILON * exact.abs()
}

fn values(point: &RidgePoint) -> [(&'static str, Certified); 6] {
    [
        ("kappa", point.kappa),
        ("df1", point.df1),
        ("df2", point.df2),
        ("bias", point.bias),
        ("variance", point.variance),
        ("risk", point.risk),
    ]
}

#[test]
fn golden_points_lie_within_proved_radii() {
    for case in golden()["points"].as_array().unwrap() {
        let signal =
            Signal::Power { exponent: number(&case["exponent"]), power: number(&case["power"]) };
        let learner = learner(&floats(&case["eigenvalues"]), &signal, number(&case["noise"]));
        let point = learner.curve_point(number(&case["samples"]), number(&case["ridge"])).unwrap();
        for (name, value) in values(&point) {
            let exact = number(&case[name]);
            assert!(covers(value, exact), "{} {name}: {value:?} {exact}", case["name"]);
            // df2 of the huge ridge, 1e-600, underflows
            let tight = value.radius <= RELATIVE_RADIUS * exact || value.radius < 1e-300;
            assert!(tight, "{} {name}: {value:?}", case["name"]);
        }
        assert!(point.steps <= 4, "{}: {} steps", case["name"], point.steps);
    }
}

/// Values of an independent computation, kept to 4–5 digits; its signal is
/// normalised to variance one, Σ w²λ = 1.
#[test]
fn independently_computed_example_is_reproduced() {
    let eigenvalues = power_law(200, 0.8);
    let w: Vec<f64> = power_law(200, 0.5);
    let variance: f64 = w.iter().zip(&eigenvalues).map(|(w, l)| w * l).sum();
    let power = w.iter().sum::<f64>() / variance;
    let learner = learner(&eigenvalues, &Signal::Power { exponent: 0.5, power }, 0.3);
    for (n, ridge, expected, digit) in [(100.0, 1e-3, 0.4376, 1e-4), (400.0, 0.1, 0.18318, 1e-5)] {
        let risk = learner.curve_point(n, ridge).unwrap().risk.value;
        assert!((risk - expected).abs() <= 0.5 * digit, "{risk}");
    }
}

/// Σ = I: κ² + κ(1 − ρ − c) − ρ = 0, solved in intervals without cancellation.
fn isotropic_kappa(c: Interval, ridge: f64) -> Interval {
    let rho = Interval::point(ridge);
    let half = (Interval::ONE - rho - c) / Interval::point(2.0);
    let root = (half.square() + rho).sqrt();
    if half.lo() > 0.0 { rho / (half + root) } else { root - half }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn isotropic_closed_form_is_enclosed(
        p in 1usize..400, n in 1usize..400, log_ridge in -12.0..4.0_f64, noise in 0.0..3.0_f64,
    ) {
        let ridge = log_ridge.exp();
        let spectrum = Spectrum::identity();
        let learner = Ridge::new(&spectrum, p, &Signal::Flat { power: 2.0 }, noise).unwrap();
        let point = learner.curve_point(n as f64, ridge).unwrap();
        let (p, n) = (Interval::point(p as f64), Interval::point(n as f64));
        let kappa = isotropic_kappa(p / n, ridge);
        let slack = Interval::ONE - p / n / (Interval::ONE + kappa).square();
        let bias = Interval::point(2.0) * (kappa / (Interval::ONE + kappa)).square() / slack;
        let variance = Interval::point(noise) * (Interval::ONE - slack) / slack;
        for (mine, exact) in
            [(point.kappa, kappa), (point.bias, bias), (point.variance, variance)]
        {
            // two enclosures of one number meet
            let distance = (mine.value - exact.lo()).max(exact.hi() - mine.value);
            prop_assert!(distance <= mine.radius + exact.width(), "{mine:?} {exact:?}");
        }
    }

    /// Any spectrum, any scale: a result within the promise, or none.
    #[test]
    fn extreme_inputs_are_certified_and_finite(
        exponents in prop::collection::vec(-250.0..250.0_f64, 1..30),
        log_n in 0.0..12.0_f64, whole in any::<bool>(), log_ridge in -300.0..300.0_f64,
        signal_exponent in -3.0..3.0_f64,
    ) {
        let eigenvalues: Vec<f64> = exponents.iter().map(|e| 10f64.powf(*e)).collect();
        let signal = Signal::Power { exponent: signal_exponent, power: 1.0 };
        let n = 10f64.powf(log_n);
        let n = if whole { n.round() } else { n };
        let learner = learner(&eigenvalues, &signal, 0.5);
        match learner.curve_point(n, 10f64.powf(log_ridge)) {
            Ok(point) => {
                prop_assert!(point.steps <= 8);
                prop_assert!(point.kappa.relative_radius() <= RELATIVE_RADIUS);
                for (name, v) in values(&point) {
                    prop_assert!(v.value >= 0.0 && v.radius.is_finite(), "{name} {v:?}");
                    let tight = v.radius <= RELATIVE_RADIUS * v.value || v.radius < 1e-30;
                    prop_assert!(tight, "{name} {v:?}");
                }
            }
            Err(error) => prop_assert!(
                matches!(error, LearningError::Overflow { .. }), "{error}"
            ),
        }
    }

    /// Scaling by a power of two is exact: Σ → 4Σ, ρ → 4ρ, w² → w²/4 scales κ by 4 and
    /// leaves the risk.
    #[test]
    fn scaling_of_the_features(p in 2usize..40, n in 1.0..100.0_f64, log_ridge in -9.0..3.0_f64) {
        let ridge = log_ridge.exp();
        let eigenvalues = power_law(p, 1.3);
        let scaled: Vec<f64> = eigenvalues.iter().map(|l| 4.0 * l).collect();
        let one = learner(&eigenvalues, &Signal::Power { exponent: 1.0, power: 1.0 }, 0.3);
        let four = learner(&scaled, &Signal::Power { exponent: 1.0, power: 0.25 }, 0.3);
        let (a, b) = (one.curve_point(n, ridge).unwrap(), four.curve_point(n, 4.0 * ridge).unwrap());
        prop_assert!((4.0 * a.kappa.value - b.kappa.value).abs() <= 4.0 * a.kappa.radius + b.kappa.radius);
        prop_assert!((a.risk.value - b.risk.value).abs() <= a.risk.radius + b.risk.radius);
    }

    /// Bad numbers give an error that says so, never a panic or a NaN.
    #[test]
    fn arbitrary_bits_never_panic(samples in any::<f64>(), ridge in any::<f64>(), noise in any::<f64>()) {
        let spectrum = Spectrum::from_eigenvalues(&[2.0, 1.0, 0.0]).unwrap();
        if let Ok(learner) = Ridge::new(&spectrum, 3, &Signal::Flat { power: 1.0 }, noise) {
            if let Ok(point) = learner.curve_point(samples, ridge) {
                prop_assert!(values(&point).iter().all(|(_, v)| v.value.is_finite() && v.radius.is_finite()));
            }
            if let Ok(best) = learner.optimal_ridge(samples) {
                prop_assert!(best.risk().value.is_finite());
            }
        }
    }
}

/// At c = 1 with ρ → 0 the root is at a square-root singularity, where plain Newton halves its
/// error a step; here the condition number stays at most 2.
#[test]
fn threshold_with_tiny_ridges_takes_few_steps() {
    let learner = learner(&power_law(1000, 0.8), &Signal::Flat { power: 1.0 }, 0.3);
    for exponent in (-300..=300).step_by(20) {
        let ridge = format!("1e{exponent}").parse().unwrap();
        let point = learner.curve_point(1000.0, ridge).unwrap();
        assert!(point.steps <= 4, "{exponent}: {}", point.steps);
        assert!(point.kappa.relative_radius() <= RELATIVE_RADIUS);
    }
    // κ² ≈ nρ/Σλ⁻¹ as ρ → 0, up to a relative O(κ tr Σ⁻²/tr Σ⁻¹) = O(1e-145)
    let inverse: f64 = power_law(1000, -0.8).iter().sum();
    let kappa = learner.curve_point(1000.0, 1e-300).unwrap().kappa.value;
    assert!((kappa / (1000.0 * 1e-300 / inverse).sqrt() - 1.0).abs() < 1e-12);
}

/// At most 8 steps at every one of 1,000 penalties, n = p included; most need one.
#[test]
fn curves_take_few_steps() {
    let ridges: Vec<f64> =
        (0..1000).map(|i| 10f64.powf(-6.0 + 9.0 * f64::from(i) / 999.0)).collect();
    for (p, exponent) in [(100, 0.8), (100, 4.0), (1000, 0.8), (1000, 4.0)] {
        let learner = learner(&power_law(p, exponent), &Signal::Flat { power: 1.0 }, 0.3);
        for n in [p / 2, p, 10 * p] {
            let curve = learner.curve(n as f64, &ridges).unwrap();
            assert!(curve.iter().all(|point| point.steps <= 8), "{p} {exponent} {n}");
            let single = curve.iter().filter(|point| point.steps == 1).count();
            assert!(single > 900, "{p} {exponent} {n}: the start misses, {single}");
            for point in curve {
                assert!(point.risk.relative_radius() <= RELATIVE_RADIUS, "{point:?}");
            }
        }
    }
}

/// A huge weight on an atom so far above κ that its q underflows: the bias stays tight.
#[test]
fn underflow_does_not_blur_the_bias() {
    let learner = learner(&[1e230, 1.0, 1.0], &Signal::Flat { power: 1.0 }, 0.5);
    let point = learner.curve_point(3.0, 1e-173).unwrap();
    // κ² = nρ/Σλ⁻¹, and (R3) with q = κ for the unit atoms: n (2κ²/3)/(2 Σq) = κ/2
    let kappa = (3.0 * 1e-173_f64 / 2.0).sqrt();
    assert!((point.kappa.value / kappa - 1.0).abs() < 1e-13);
    assert!((point.bias.value / (0.5 * kappa) - 1.0).abs() < 1e-13, "{point:?}");
    assert!(point.bias.relative_radius() <= RELATIVE_RADIUS);
}

#[test]
fn a_million_atoms() {
    let p = 1_000_000;
    let eigenvalues = power_law(p, 1.1);
    let learner = learner(&eigenvalues, &Signal::Power { exponent: 0.4, power: 1.0 }, 0.3);
    let point = learner.curve_point(3000.0, 1e-6).unwrap();
    assert!(point.risk.relative_radius() <= RELATIVE_RADIUS, "{point:?}");
    // (R1) with the plain definition of df1, whose rounding is below p·u
    let df1: f64 = eigenvalues.iter().map(|l| l / (l + point.kappa.value)).sum();
    let ridge = point.kappa.value * (1.0 - df1 / 3000.0);
    assert!((ridge / 1e-6 - 1.0).abs() < 1e-7);
}

#[test]
fn certificate_refuses_wrong_solutions() {
    let eigenvalues = power_law(50, 2.0);
    let learner = learner(&eigenvalues, &Signal::Flat { power: 1.0 }, 0.3);
    for (n, ridge) in [(20.0, 1e-3), (50.0, 1e-12), (200.0, 0.1), (20.0, 0.0), (1.0, 1e3)] {
        let kappa = learner.curve_point(n, ridge).unwrap().kappa;
        let proved = learner.certify(n, ridge, kappa.value).unwrap();
        assert!(proved.relative_radius() <= RELATIVE_RADIUS);
        for shift in [1e-11, -1e-11, 1e-9, 1e-6, -0.1, 1.0] {
            assert_eq!(learner.certify(n, ridge, kappa.value * (1.0 + shift)), None, "{shift}");
        }
        // a small error is not refused, but the radius owns up to it
        let off = kappa.value * (1.0 + 3e-13);
        let radius = learner.certify(n, ridge, off).unwrap().radius;
        assert!(radius >= 2.9e-13 * off, "{radius} {off}");
    }
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, 5e-324, f64::MAX] {
        assert_eq!(learner.certify(20.0, 1e-3, wrong), None);
    }
}

#[test]
fn curve_equals_points_to_the_last_bit() {
    let learner = learner(&power_law(77, 0.9), &Signal::Power { exponent: 1.0, power: 1.0 }, 0.1);
    let ridges: Vec<f64> = (0..40).map(|i| 10f64.powf(-6.0 + 0.2 * f64::from(i))).collect();
    let curve = learner.curve(50.0, &ridges).unwrap();
    let points: Vec<_> = ridges.iter().map(|&r| learner.curve_point(50.0, r).unwrap()).collect();
    assert_eq!(curve, points);
    assert!(curve.windows(2).all(|w| w[0].kappa.value < w[1].kappa.value), "κ rises with ρ");
}

#[test]
fn ridgeless_limits() {
    let eigenvalues = [3.0, 2.0, 1.0, 1.0, 0.5, 0.0, 0.0];
    let learner = learner(&eigenvalues, &Signal::Flat { power: 7.0 }, 0.25);
    assert_eq!(learner.rank(), 5.0);
    let over = learner.curve_point(15.0, 0.0).unwrap();
    assert_eq!((over.kappa, over.bias), (Certified::new(0.0, 0.0), Certified::new(0.0, 0.0)));
    assert!(covers(over.variance, 0.25 * 5.0 / 10.0) && over.variance.radius < 1e-16);
    let under = learner.curve_point(3.0, 0.0).unwrap();
    assert!(under.df1.contains(3.0), "interpolation: df1 = n");
    // the penalty's limit, from above: continuous on both sides of the threshold
    for n in [3.0, 15.0] {
        let limit = learner.curve_point(n, 1e-14).unwrap().risk.value;
        let exact = learner.curve_point(n, 0.0).unwrap().risk.value;
        assert!((limit / exact - 1.0).abs() < 1e-11, "{n}");
    }
    assert_eq!(
        learner.curve_point(5.0, 0.0),
        Err(LearningError::Threshold { samples: 5.0, rank: 5.0 })
    );
    let peak = learner.curve_point(5.0, 1e-8).unwrap().risk.value;
    assert!(peak > 100.0 * over.risk.value && peak > 100.0 * under.risk.value, "double descent");
    // without noise the signal is recovered exactly from n = rank samples
    let clean = Ridge::new(&Spectrum::identity(), 4, &Signal::Flat { power: 1.0 }, 0.0).unwrap();
    assert_eq!(clean.curve_point(4.0, 0.0).unwrap().risk, Certified::new(0.0, 0.0));
}

/// E tr (ΦᵀΦ)⁻¹ = p/(n−p−1), whose limit is (R5): they differ by the factor (n−p)/(n−p−1).
#[test]
fn gaussian_least_squares_is_exact_at_finite_n() {
    let exact = ridgeless_gaussian_exact(0.5, 20, 50).unwrap();
    assert!(covers(exact, 0.5 * 20.0 / 29.0) && exact.radius < 1e-15);
    assert!(ridgeless_gaussian_exact(0.5, 20, 21).is_err());
    assert!(ridgeless_gaussian_exact(-1.0, 20, 50).is_err());
}

/// A measure with fractional directions (a limit law) and its refinement by splitting atoms.
#[test]
fn fractional_directions_are_a_limit_law() {
    let law = Spectrum::from_atoms(&[1.0, 3.0], &[1.0 / 3.0, 2.0 / 3.0]).unwrap();
    let signal = Signal::Flat { power: 1.0 };
    let small = Ridge::new(&law, 100, &signal, 0.3).unwrap();
    let whole = Ridge::new(&law, 300, &signal, 0.3).unwrap();
    let (a, b) = (small.curve_point(50.0, 0.1).unwrap(), whole.curve_point(150.0, 0.1).unwrap());
    assert!((a.risk.value - b.risk.value).abs() <= 1e-14);
    assert!((a.kappa.value - b.kappa.value).abs() <= 1e-14);
    // fractional masses do not blur the threshold
    assert!(matches!(small.curve_point(100.0, 0.0), Err(LearningError::Threshold { .. })));
    let needs_whole = Ridge::new(&law, 100, &Signal::Power { exponent: 1.0, power: 1.0 }, 0.3);
    assert!(matches!(needs_whole, Err(LearningError::Shape { .. })));
}

#[test]
fn signals_agree_where_they_coincide() {
    let eigenvalues = [1.0, 4.0, 4.0, 0.25];
    let risk = |signal: &Signal| learner(&eigenvalues, signal, 0.3).curve_point(3.0, 0.2).unwrap();
    let flat = risk(&Signal::Flat { power: 2.0 }).risk.value;
    let power = risk(&Signal::Power { exponent: 0.0, power: 2.0 }).risk.value;
    let custom = risk(&Signal::Custom(vec![0.5; 4])).risk.value;
    assert!((flat - power).abs() < 1e-15 && (flat - custom).abs() < 1e-15);
    // descending order: the first weight belongs to an eigenvalue 4, the last to 0.25
    let first = risk(&Signal::Custom(vec![1.0, 0.0, 0.0, 0.0])).bias.value;
    let last = risk(&Signal::Custom(vec![0.0, 0.0, 0.0, 1.0])).bias.value;
    let kappa = risk(&Signal::Flat { power: 2.0 }).kappa.value;
    let ratio = 4.0 / (4.0 + kappa).powi(2) / (0.25 / (0.25 + kappa).powi(2));
    assert!((first / last / ratio - 1.0).abs() < 1e-13);
}

#[test]
fn flat_signal_has_the_closed_optimal_ridge() {
    for eigenvalues in [power_law(30, 0.0), power_law(30, 1.2)] {
        for n in [10.0, 30.0, 90.0] {
            let flat = learner(&eigenvalues, &Signal::Flat { power: 2.0 }, 0.3);
            let scan = learner(&eigenvalues, &Signal::Custom(vec![2.0 / 30.0; 30]), 0.3);
            let exact = 0.3 * 30.0 / (n * 2.0);
            let OptimalRidge::Interior { ridge: Evidence::Certified(ridge), .. } =
                flat.optimal_ridge(n).unwrap()
            else {
                panic!("a flat signal has a proved optimum")
            };
            assert!((ridge.value - exact).abs() <= ridge.radius + f64::EPSILON * exact);
            let OptimalRidge::Interior { ridge: found, bracket, .. } =
                scan.optimal_ridge(n).unwrap()
            else {
                panic!("an interior optimum")
            };
            // the bracket is proved for this spectrum, and the optimum is unique
            assert!(bracket.0 <= exact * (1.0 + 4e-16) && exact * (1.0 - 4e-16) <= bracket.1);
            assert!(found.error() <= 1e-10 * exact, "{found:?}");
        }
    }
}

#[test]
fn optimal_ridge_matches_high_precision_optima() {
    for case in golden()["optima"].as_array().unwrap() {
        let signal =
            Signal::Power { exponent: number(&case["exponent"]), power: number(&case["power"]) };
        let learner = learner(&floats(&case["eigenvalues"]), &signal, number(&case["noise"]));
        let n = number(&case["samples"]);
        let best = learner.optimal_ridge(n).unwrap();
        let OptimalRidge::Interior { ridge, bracket, point } = &best else {
            panic!("{}: {best:?}", case["name"])
        };
        let exact = number(&case["ridge"]);
        // 18 golden digits: rounding of the string only
        assert!(bracket.0 <= exact * (1.0 + 2e-16) && exact * (1.0 - 2e-16) <= bracket.1);
        assert!(ridge.error() <= 1e-11 * exact, "{ridge:?}");
        assert!((point.risk.value - number(&case["risk"])).abs() <= 2.0 * point.risk.radius);
        for i in -60..=60 {
            let other = learner.curve_point(n, exact * 1.2f64.powi(i)).unwrap().risk;
            assert!(other.value + other.radius >= point.risk.value - point.risk.radius);
        }
    }
}

#[test]
fn the_optimum_may_lie_at_either_end() {
    let nothing = learner(&[1.0, 2.0], &Signal::Flat { power: 0.0 }, 0.3);
    let best = nothing.optimal_ridge(5.0).unwrap();
    assert_eq!(nothing.curve_point(5.0, 0.1).unwrap().bias, Certified::new(0.0, 0.0));
    assert!(best == OptimalRidge::Infinite && best.risk().value == 0.0);
    let clean = learner(&[1.0, 2.0], &Signal::Custom(vec![1.0, 0.5]), 0.0);
    assert!(matches!(clean.optimal_ridge(5.0).unwrap(), OptimalRidge::Ridgeless { .. }));
    assert!(matches!(clean.optimal_ridge(2.0).unwrap(), OptimalRidge::Ridgeless { .. }));
    // many weak directions regularise a strong one: any further penalty hurts
    // (Kobak, Lomond & Sanchez 2020; Wu & Xu 2020)
    let mut eigenvalues = vec![1.0; 400];
    eigenvalues[0] = 1000.0;
    let mut squares = vec![0.0; 400];
    squares[0] = 1.0;
    let spiked = learner(&eigenvalues, &Signal::Custom(squares), 0.01);
    let best = spiked.optimal_ridge(40.0).unwrap();
    let OptimalRidge::Ridgeless { point } = best else { panic!("{best:?}") };
    for ridge in [1e-4, 1e-2, 1.0, 100.0] {
        assert!(spiked.curve_point(40.0, ridge).unwrap().risk.value > point.risk.value);
    }
}

#[test]
fn bad_input_is_named() {
    let spectrum = Spectrum::from_eigenvalues(&[1.0, 2.0]).unwrap();
    let flat = Signal::Flat { power: 1.0 };
    let message = |r: Result<Ridge, LearningError>| r.unwrap_err().to_string();
    assert!(message(Ridge::new(&spectrum, 3, &flat, 0.1)).contains("expected 2"));
    assert!(message(Ridge::new(&spectrum, 0, &flat, 0.1)).contains("dimension"));
    assert!(message(Ridge::new(&spectrum, 2, &flat, f64::NAN)).contains("noise"));
    assert!(message(Ridge::new(&spectrum, 2, &flat, -0.1)).contains("noise"));
    let negative = Signal::Flat { power: -1.0 };
    assert!(message(Ridge::new(&spectrum, 2, &negative, 0.1)).contains("power"));
    let steep = Signal::Power { exponent: 31.0, power: 1.0 };
    assert!(message(Ridge::new(&spectrum, 2, &steep, 0.1)).contains("exponent"));
    let short = Signal::Custom(vec![1.0]);
    assert!(message(Ridge::new(&spectrum, 2, &short, 0.1)).contains("one per direction"));
    let nan = Signal::Custom(vec![1.0, f64::NAN]);
    assert!(message(Ridge::new(&spectrum, 2, &nan, 0.1)).contains("power"));
    let loud = Signal::Custom(vec![1e300, 1.0]);
    assert!(message(Ridge::new(&spectrum, 2, &loud, 0.1)).contains("overflows"));
    let tiny = Spectrum::from_eigenvalues(&[1e-300, 1.0]).unwrap();
    assert!(message(Ridge::new(&tiny, 2, &flat, 0.1)).contains("eigenvalue"));
    let huge = Spectrum::from_atoms(&[1.0, 2.0], &[0.5, 0.5]).unwrap();
    let steps = Signal::Power { exponent: 1.0, power: 1.0 };
    assert!(message(Ridge::new(&huge, 1 << 40, &steps, 0.1)).contains("2^26"));
    let fine = Ridge::new(&spectrum, 2, &flat, 0.1).unwrap();
    for (n, ridge) in
        [(0.5, 0.1), (f64::NAN, 0.1), (5.0, -1.0), (5.0, f64::INFINITY), (5.0, 1e-310)]
    {
        assert!(matches!(fine.curve_point(n, ridge), Err(LearningError::Parameter { .. })));
    }
    assert!(fine.optimal_ridge(f64::NAN).is_err());
}

fn classes(case: &Value) -> Vec<ScaleClass> {
    let triple = |c: &Value| {
        let c = floats(c);
        ScaleClass { weight: c[0], scale: c[1], noise: c[2] }
    };
    case["classes"].as_array().unwrap().iter().map(triple).collect()
}

/// Monte Carlo at three sizes with n/p fixed: the distance to (R9) falls like 1/p, and the
/// extrapolation 2V(2p) − V(p), free of the 1/p term, meets (R9). Six z-tests at 4 standard
/// errors: false-alarm rate 4e-4 (seed fixed). Power: the decoupled value is ≥ 10 errors off.
#[test]
fn dependent_noise_has_the_predicted_variance() {
    for case in golden()["decoupling"].as_array().unwrap() {
        let classes = classes(case);
        let sizes = case["sizes"].as_array().unwrap();
        let theory = |size: &Value| {
            let count = |name: &str| size[name].as_u64().unwrap() as usize;
            decoupling_defect(&classes, count("dimension"), count("samples")).unwrap()
        };
        for pair in sizes.windows(2) {
            let (mean, error) = (
                2.0 * number(&pair[1]["mean"]) - number(&pair[0]["mean"]),
                (4.0 * number(&pair[1]["standard_error"]).powi(2)
                    + number(&pair[0]["standard_error"]).powi(2))
                .sqrt(),
            );
            let result = theory(&pair[1]);
            assert!((mean - result.variance.value).abs() <= 4.0 * error, "{mean} {result:?}");
            assert!((mean - result.decoupled.value).abs() >= 10.0 * error, "{mean} {result:?}");
        }
    }
}

#[test]
fn decoupling_identities() {
    // one scale, or noise that does not depend on it: no defect; the variance is (R5)
    let class = |weight, scale, noise| ScaleClass { weight, scale, noise };
    let plain = decoupling_defect(&[class(1.0, 2.0, 0.3)], 30, 75).unwrap();
    assert!(plain.defect.contains(0.0) && plain.defect.radius < 1e-13);
    assert!(covers(plain.variance, 0.3 * 30.0 / 45.0));
    let free = [class(0.3, 0.5, 0.7), class(0.7, 4.0, 0.7)];
    let free = decoupling_defect(&free, 30, 75).unwrap();
    assert!(free.defect.contains(0.0) && free.classical.contains(0.0));
    // n ≫ p: δ → E[a²s]/(E a² E s) − 1 with a correction of order p/n
    let pair = [class(0.5, 0.5, 0.25), class(0.5, 1.5, 2.25)];
    let far = decoupling_defect(&pair, 10, 1_000_000_000).unwrap();
    let classical: f64 = (0.0625 + 5.0625) / 2.0 / (1.25 * 1.25) - 1.0;
    assert!((far.classical.value - classical).abs() < 1e-14);
    assert!((far.defect.value - classical).abs() < 1e-6);
    // n → p: δ → E[s/a²]/(E a⁻² E s) − 1, the opposite sign
    let near = decoupling_defect(&pair, 1_000_000_000, 1_000_000_001).unwrap();
    let inverse = (4.0 + 1.0 / 2.25) / 2.0;
    assert!((near.defect.value - (1.0 / (inverse * 1.25) - 1.0)).abs() < 1e-6);
    // samples without features carry noise but no information
    let idle = [class(0.5, 1.0, 1.0), class(0.5, 0.0, 9.0)];
    let idle = decoupling_defect(&idle, 30, 100).unwrap();
    assert!(covers(idle.variance, 0.5 * 30.0 / 20.0), "{idle:?}");
    assert!(decoupling_defect(&[class(0.5, 1.0, 1.0), class(0.5, 0.0, 9.0)], 50, 100).is_err());
    for bad in [class(-1.0, 1.0, 1.0), class(1.0, f64::NAN, 1.0), class(1.0, 1.0, f64::INFINITY)] {
        assert!(decoupling_defect(&[bad], 3, 9).is_err());
    }
    assert!(decoupling_defect(&[], 3, 9).is_err());
    assert!(decoupling_defect(&[class(1.0, 1.0, 0.0)], 3, 9).is_err());
}
