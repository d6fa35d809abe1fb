//! Moments, intervals, comparisons and the finite-size check (M3, M4, M7).

use proptest::prelude::*;
use rootrate::evidence::{Certified, Estimated, Evidence, Sampled};
use rootrate::montecarlo::{
    Comparison, Moments, MonteCarloError, Sample, Stream, confidence_interval, family_threshold,
    finite_size_check,
};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/statistics.json")).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_str().unwrap().parse().unwrap()
}

fn run(mean: f64, standard_error: f64, replicates: u64) -> Sampled {
    Sampled { mean, standard_error, replicates }
}

/// Integers of a known exact variance on a large offset: the textbook formula E x² − (E x)²
/// would lose all digits at 10⁹ ± 1. Here each push rounds the mean by ≤ ε·10⁹ = 2.2e-7.
#[test]
fn moments_survive_a_large_offset() {
    let values: Vec<f64> = (0..100_000).map(|i| 1e9 + f64::from(i % 5)).collect();
    let moments = Moments::of(&values);
    assert_eq!(moments.count(), 100_000);
    assert!((moments.mean() - (1e9 + 2.0)).abs() < 2e-6);
    // Population variance of 0..5 is 2, times n/(n−1).
    assert!((moments.variance().unwrap() - 2.0 * 100_000.0 / 99_999.0).abs() < 1e-5);
}

proptest! {
    /// Any split merges to the exact moments: integers, so the oracle is exact in i128. Rounding
    /// of a merge is a few ε of |mean| and of m2, and there are at most 12 of them.
    #[test]
    fn merged_moments_are_those_of_the_union(
        values in prop::collection::vec(-1000_i32..1000, 2..2000),
        cut in 0.0..1.0_f64,
    ) {
        let n = values.len() as i128;
        let sum: i128 = values.iter().map(|&v| i128::from(v)).sum();
        let squares: i128 = values.iter().map(|&v| i128::from(v) * i128::from(v)).sum();
        let floats: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
        let (left, right) = floats.split_at((cut * n as f64) as usize);
        let mut merged = Moments::of(left);
        merged.merge(&Moments::of(right));
        let variance = (n * squares - sum * sum) as f64 / (n * (n - 1)) as f64;
        for moments in [merged, Moments::of(&floats)] {
            prop_assert_eq!(moments.count() as i128, n);
            prop_assert!((moments.mean() - sum as f64 / n as f64).abs() < 1e-10);
            prop_assert!((moments.variance().unwrap() - variance).abs() < 1e-10 * (1.0 + variance));
        }
    }
}

#[test]
fn tails_and_quantiles_agree_with_multiprecision() {
    let golden = golden();
    for case in golden["tails"].as_array().unwrap() {
        let z = case["z"].as_f64().unwrap();
        let simulation = run(z, 1.0, case["freedom"].as_u64().unwrap() + 1);
        let comparison = Comparison::new(Certified::new(0.0, 0.0).into(), simulation, 0.0).unwrap();
        assert_eq!(comparison.z, z);
        // The beta function's logarithm, near 10⁶ for 10⁶ degrees, cancels to 4e-10 relative.
        let p = number(&case["p"]);
        assert!((comparison.p_value / p - 1.0).abs() < 1e-9, "{case}: {}", comparison.p_value);
    }
    for case in golden["quantiles"].as_array().unwrap() {
        let sampled = run(10.0, 2.0, case["freedom"].as_u64().unwrap() + 1);
        let (low, high) = confidence_interval(&sampled, case["level"].as_f64().unwrap()).unwrap();
        let quantile = number(&case["quantile"]);
        assert!(((high - 10.0) / 2.0 / quantile - 1.0).abs() < 1e-9, "{case}: {high}");
        assert!(((10.0 - low) / 2.0 / quantile - 1.0).abs() < 1e-9, "{case}: {low}");
    }
}

/// Coverage of 90 % intervals from 5 normals, 20,000 times: within 5 binomial standard
/// deviations, 5·√(.9·.1/20000) = 0.0106 (two-sided rate 5.7e-7). The normal quantile in place of
/// Student's would cover 82 %.
#[test]
fn confidence_intervals_cover_at_their_level() {
    const TRIALS: u32 = 20_000;
    let mut z = [0.0; 5];
    let mut stream = Stream::new(1908, 0, 0);
    let covered = (0..TRIALS)
        .filter(|_| {
            stream.fill_normal_f64(&mut z);
            let sampled = Moments::of(&z).sampled().unwrap();
            let (low, high) = confidence_interval(&sampled, 0.9).unwrap();
            low <= 0.0 && 0.0 <= high
        })
        .count();
    assert!((covered as f64 / f64::from(TRIALS) - 0.9).abs() < 0.0106, "{covered}");
}

#[test]
fn a_comparison_subtracts_what_the_theory_allows() {
    let simulation = run(1.5, 0.1, 1000);
    let z = |theory: Evidence, allowance| Comparison::new(theory, simulation, allowance).unwrap().z;
    let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
    assert!(close(z(Certified::new(1.0, 0.0).into(), 0.0), 5.0));
    assert!(close(z(Certified::new(1.0, 0.1).into(), 0.0), 4.0));
    assert!(close(z(Estimated { value: 2.0, estimate: 0.1 }.into(), 0.1), -3.0));
    assert!(close(z(Certified::new(1.0, 0.3).into(), 0.3), 0.0));
    assert!(close(z(run(1.0, 0.1, 50).into(), 0.0), 5.0 / 2.0_f64.sqrt()));
    let inside = Comparison::new(Certified::new(1.0, 1.0).into(), simulation, 0.0).unwrap();
    assert_eq!((inside.z, inside.p_value), (0.0, 1.0));
    // No spread: agreement is exact, disagreement is certain, and neither is NaN.
    let exact = run(1.0, 0.0, 10);
    let same = Comparison::new(Certified::new(1.0, 0.0).into(), exact, 0.0).unwrap();
    assert!(same.agrees(1.0));
    let other = Comparison::new(Certified::new(2.0, 0.0).into(), exact, 0.0).unwrap();
    assert_eq!((other.z, other.p_value), (-f64::MAX, 0.0));
    assert!(!other.agrees(family_threshold(1e-3, 50).unwrap()));
}

/// A true deviation anywhere inside bound + allowance alarms at most as often as the level
/// says; one beyond by 4 standard errors is seen. 4000 trials: 5 standard deviations of a 5 %
/// rate are 0.0172.
#[test]
fn comparisons_keep_their_level_and_have_power() {
    const TRIALS: usize = 4000;
    let mut z = [0.0; 100];
    let mut alarms = |shift: f64, replicate| {
        let mut stream = Stream::new(77, 1, replicate);
        let theory = Certified::new(0.0, 0.05).into();
        let alarms = (0..TRIALS).filter(|_| {
            stream.fill_normal_f64(&mut z);
            let sampled = Moments::of(&z.map(|z| z + shift)).sampled().unwrap();
            !Comparison::new(theory, sampled, 0.05).unwrap().agrees(0.05)
        });
        alarms.count() as f64 / TRIALS as f64
    };
    for (replicate, shift) in [0.0, 0.05, 0.1, -0.1].into_iter().enumerate() {
        assert!(alarms(shift, replicate as u32) < 0.05 + 0.0172);
    }
    assert!(alarms(0.5, 9) > 0.95);
}

#[test]
fn the_finite_size_fit_agrees_with_multiprecision() {
    let fit = &golden()["fit"];
    let list =
        |name: &str| -> Vec<f64> { fit[name].as_array().unwrap().iter().map(number).collect() };
    let sizes: Vec<usize> =
        fit["sizes"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
    let simulations: Vec<Sampled> =
        list("means").into_iter().zip(list("errors")).map(|(m, e)| run(m, e, 100)).collect();
    let outcome = finite_size_check(&sizes, &simulations, &list("theory")).unwrap();
    for (name, found) in [
        ("limit", outcome.limit),
        ("limit_error", outcome.limit_error),
        ("slope", outcome.slope),
        ("slope_error", outcome.slope_error),
        ("limit_p_value", outcome.limit_p_value),
        ("decay_p_value", outcome.decay_p_value),
    ] {
        // Differences of numbers near 1 in units of 0.01 lose two digits; p-values amplify by z².
        assert!((found / number(&fit[name]) - 1.0).abs() < 1e-10, "{name}: {found}");
    }
}

/// Under Δ = b/n the check fails at its level; under Δ = a + b/n with a = `detectable` it fails
/// with at least the promised power; a decay like n^{−1/2} is noticed by the residuals.
/// 4000 trials: 5 standard deviations of a 5 % rate are 0.0172, of a 10 % rate 0.0237.
#[test]
fn the_finite_size_check_keeps_its_level_and_has_power() {
    const TRIALS: usize = 4000;
    let sizes = [50, 100, 200, 400];
    let errors = [0.02, 0.01, 0.01, 0.005];
    let failures = |difference: &dyn Fn(f64) -> f64, replicate| {
        let mut stream = Stream::new(31, 4, replicate);
        let mut z = [0.0; 4];
        let failures = (0..TRIALS).filter(|_| {
            stream.fill_normal_f64(&mut z);
            let simulations: Vec<Sampled> = (0..4)
                .map(|k| run(1.0 + difference(sizes[k] as f64) + errors[k] * z[k], errors[k], 1000))
                .collect();
            !finite_size_check(&sizes, &simulations, &[1.0; 4]).unwrap().passes(0.05).unwrap()
        });
        failures.count() as f64 / TRIALS as f64
    };
    let exact: Vec<Sampled> = errors.iter().map(|&e| run(1.0, e, 1000)).collect();
    let outcome = finite_size_check(&sizes, &exact, &[1.0; 4]).unwrap();
    let a = outcome.detectable(0.05, 0.9).unwrap();
    assert!(a > 0.0 && a < 0.05, "{a}");
    assert!(failures(&|n| 3.0 / n, 0) < 0.05 + 0.0172);
    assert!(failures(&|n| a + 3.0 / n, 1) > 0.9 - 0.0237);
    assert!(failures(&|n| 3.0 / n.sqrt(), 2) > 0.9);
}

#[test]
fn quantiles_interpolate_order_statistics() {
    let sample = Sample::new(3, vec![4.0, 1.0, 3.0, 2.0]).unwrap();
    for (probability, value) in [(0.0, 1.0), (0.5, 2.5), (1.0, 4.0), (1.0 / 3.0, 2.0), (0.1, 1.3)] {
        assert!((sample.quantile(probability).unwrap() - value).abs() < 1e-14);
    }
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    use MonteCarloError as E;
    let good = run(1.0, 0.1, 100);
    let theory: Evidence = Certified::new(1.0, 0.0).into();
    for bad in [run(f64::NAN, 0.1, 9), run(1.0, f64::INFINITY, 9), run(1.0, -0.1, 9)] {
        assert!(matches!(Comparison::new(theory, bad, 0.0), Err(E::Parameter { .. })));
        assert!(matches!(confidence_interval(&bad, 0.9), Err(E::Parameter { .. })));
    }
    let one = run(1.0, 0.1, 1);
    assert!(matches!(Comparison::new(theory, one, 0.0), Err(E::TooFewReplicates { .. })));
    assert!(matches!(Comparison::new(theory, good, -1.0), Err(E::Parameter { .. })));
    let nan = Certified::new(f64::NAN, 0.0).into();
    assert!(matches!(Comparison::new(nan, good, 0.0), Err(E::Parameter { .. })));
    for level in [0.0, 1.0, f64::NAN] {
        assert!(matches!(confidence_interval(&good, level), Err(E::Parameter { .. })));
        assert!(matches!(family_threshold(level, 3), Err(E::Parameter { .. })));
    }
    assert!(matches!(family_threshold(0.1, 0), Err(E::Parameter { .. })));
    assert_eq!(family_threshold(0.001, 50), Ok(0.001 / 50.0));

    assert!(matches!(Moments::of(&[1.0]).sampled(), Err(E::TooFewReplicates { .. })));
    assert_eq!(Moments::of(&[1e300, -1e300]).sampled(), Err(E::NotFinite));
    assert_eq!(Sample::new(0, vec![1.0, f64::NAN]), Err(E::NotFinite));
    let sample = Sample::new(0, vec![]).unwrap();
    assert!(matches!(sample.quantile(0.5), Err(E::TooFewReplicates { .. })));
    assert!(matches!(sample.quantile(f64::NAN), Err(E::Parameter { .. })));

    let check = |sizes: &[usize], simulations: &[Sampled], theory: &[f64]| {
        finite_size_check(sizes, simulations, theory).unwrap_err()
    };
    assert!(matches!(check(&[1, 2], &[good; 2], &[1.0; 2]), E::Parameter { .. }));
    assert!(matches!(check(&[1, 2, 3], &[good; 2], &[1.0; 3]), E::Length { .. }));
    assert!(matches!(check(&[1, 2, 2], &[good; 3], &[1.0; 3]), E::Element { .. }));
    assert!(matches!(check(&[1, 2, 0], &[good; 3], &[1.0; 3]), E::Element { .. }));
    assert!(matches!(check(&[1, 2, 3], &[good; 3], &[1.0, f64::NAN, 1.0]), E::Element { .. }));
    let few = run(1.0, 0.1, 99);
    assert!(matches!(check(&[1, 2, 3], &[few; 3], &[1.0; 3]), E::TooFewReplicates { .. }));
    let still = run(1.0, 0.0, 100);
    assert!(matches!(check(&[1, 2, 3], &[still; 3], &[1.0; 3]), E::Parameter { .. }));
    let huge = [run(1e300, 1e-10, 100), good, good];
    assert_eq!(check(&[1, 2, 3], &huge, &[1.0; 3]), E::NotFinite);
}
