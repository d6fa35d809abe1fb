//! Deterministic equivalents with one and two resolvents (T1)–(T4).
//!
//! Golden values carry 30 digits and come from a matrix-valued fixed point, in which the
//! companion transform does not appear.

use num_complex::Complex64;
use proptest::prelude::*;
use rootrate::learning::{Ridge, Signal};
use rootrate::resolvent::silverstein::Checked;
use rootrate::resolvent::{MarchenkoPastur, ResolventError, SilversteinLaw};
use rootrate::spectrum::Spectrum;
use serde_json::Value;

use super::outliers::{golden, golden_law, law, numbers};

fn complex(value: &Value) -> Complex64 {
    let parts = numbers(value);
    Complex64::new(parts[0], parts[1])
}

fn real(x: f64) -> Complex64 {
    Complex64::new(x, 0.0)
}

fn near(a: Complex64, b: Complex64, relative: f64) -> bool {
    (a - b).norm() <= relative * b.norm()
}

#[test]
fn equivalents_match_references() {
    let golden = golden();
    for case in golden["two_point"].as_array().unwrap() {
        let law = golden_law(&golden, &case["law"]);
        let (z, w) = (complex(&case["z"]), complex(&case["w"]));
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        let check = |value: Checked<Complex64>, exact: Complex64| {
            assert!(value.is_certified(), "{case}");
            let off = (value.value() - exact).norm();
            assert!(off <= value.radius() + f64::EPSILON * exact.norm(), "{case}: {value:?}");
            // the numbers of a case do not cancel: what the root's radius of about 1e-13 allows
            assert!(value.radius() <= 2e-11 * exact.norm(), "{case}: {value:?}");
        };
        check(law.resolvent_trace(z, &a).unwrap(), complex(&case["one"]));
        check(law.two_point(z, w, &a, &b).unwrap(), complex(&case["two"]));
        check(law.two_point(w, z, &b, &a).unwrap(), complex(&case["two"]));
    }
}

/// A = B = 1 is (m(z) − m(z′))/(z − z′), and m′(z) for z = z′, here of the closed form.
#[test]
fn ones_are_divided_differences_of_the_closed_form() {
    for c in [0.3, 1.0, 2.5] {
        let law = law(&[1.0], &[1.0], c);
        let closed = MarchenkoPastur::new(c, 1.0).unwrap();
        let points = [real(-1.0), real(40.0), Complex64::new(0.7, 0.4), Complex64::new(2.0, -1.0)];
        for z in points {
            let m = closed.stieltjes(z).unwrap();
            assert!(near(law.resolvent_trace(z, &[1.0]).unwrap().value(), m, 1e-13));
            for w in points {
                let exact = if z == w {
                    closed.stieltjes_derivative(z).unwrap()
                } else {
                    (m - closed.stieltjes(w).unwrap()) / (z - w)
                };
                let two = law.two_point(z, w, &[1.0], &[1.0]).unwrap().value();
                assert!(near(two, exact, 1e-12), "{c} {z} {w}: {two} {exact}");
            }
        }
    }
}

/// The equal-argument value is the limit, and next to an edge nothing is lost: 1 − χ = x′(u)
/// vanishes there like a root, and m′ of the closed form is the reference.
#[test]
fn equal_arguments_and_edges() {
    let law = law(&[1.0], &[1.0], 0.25);
    let closed = MarchenkoPastur::new(0.25, 1.0).unwrap();
    for distance in [1e-2, 1e-6, 1e-10, 1e-13] {
        let z = real(2.25 + distance);
        let two = law.two_point(z, z, &[1.0], &[1.0]).unwrap();
        let exact = closed.stieltjes_derivative(z).unwrap();
        assert!(near(two.value(), exact, 1e-11), "{distance}: {two:?} {exact}");
        assert!(two.radius() <= 1e-10 * exact.norm(), "{distance}: {two:?}");
        let shifted = law.two_point(z, z + 1e-9 * distance, &[1.0], &[1.0]).unwrap().value();
        assert!(near(shifted, two.value(), 2e-9), "{distance}");
    }
}

#[test]
fn symmetry_conjugation_and_covariance() {
    let law = law(&[0.0, 1.0, 7.0], &[0.25, 0.5, 0.25], 0.5);
    let (z, w) = (Complex64::new(1.0, 0.25), Complex64::new(-2.0, -3.0));
    let (a, b) = ([1.0, -2.0, 0.5], [0.25, 1.0, 3.0]);
    let two = law.two_point(z, w, &a, &b).unwrap().value();
    assert!(near(law.two_point(w, z, &a, &b).unwrap().value(), two, 1e-14));
    let conjugate = law.two_point(z.conj(), w.conj(), &a, &b).unwrap().value();
    assert!(near(conjugate, two.conj(), 1e-15));
    // B = Σ: the general formula against (T3)
    let general = law.two_point(z, w, &a, &[0.0, 1.0, 7.0]).unwrap().value();
    let special = law.two_point_population(z, w, &a).unwrap().value();
    assert!(near(special, general, 1e-13));
    // |R|² has a positive trace
    let square = law.two_point(z, z.conj(), &[1.0; 3], &[1.0; 3]).unwrap().value();
    assert!(square.re > 0.0 && square.im.abs() < 1e-15 * square.re);
    assert!(
        (square.re - law.resolvent_trace(z, &[1.0; 3]).unwrap().value().im / z.im).abs() < 1e-13
    );
}

fn power_law(p: usize, exponent: f64) -> Vec<f64> {
    (1..=p).map(|k| (k as f64).powf(-exponent)).collect()
}

/// bias = pρ² · (1/p) tr W(Ŝ+ρ)⁻¹Σ(Ŝ+ρ)⁻¹ and variance = τ²c [tr ΣR − ρ tr ΣR²]/p against the
/// independent code of (R3), (R4).
#[test]
fn ridge_regression_is_made_of_these() {
    let p = 40;
    let eigenvalues = power_law(p, 0.8);
    let spectrum = Spectrum::from_eigenvalues(&eigenvalues).unwrap();
    // ascending, like the atoms
    let squares: Vec<f64> = (1..=p).map(|k| 1.0 / k as f64).collect();
    let ascending: Vec<f64> = squares.iter().rev().copied().collect();
    let noise = 0.3;
    let learner = Ridge::new(&spectrum, p, &Signal::Custom(squares), noise).unwrap();
    for (n, ridge) in [(20.0, 1e-3), (80.0, 0.1), (40.0, 0.01), (10.0, 2.0)] {
        let point = learner.curve_point(n, ridge).unwrap();
        let law = SilversteinLaw::new(&spectrum, p as f64 / n).unwrap();
        let z = real(-ridge);
        let two = law.two_point_population(z, z, &ascending).unwrap().value();
        let bias = p as f64 * ridge * ridge * two.re;
        assert!((bias / point.bias.value - 1.0).abs() < 1e-12, "{n} {ridge}: {bias} {point:?}");
        let one = law.resolvent_trace(z, spectrum.atoms()).unwrap().value().re;
        let square = law.two_point_population(z, z, &vec![1.0; p]).unwrap().value().re;
        let variance = noise * law.ratio() * (one - ridge * square);
        let error = (variance / point.variance.value - 1.0).abs();
        // the difference of the two traces cancels by the factor one/(one − ρ·square)
        let condition = one / (one - ridge * square);
        assert!(error < 1e-12 * condition.max(1.0), "{n} {ridge}: {variance} {point:?}");
    }
}

/// D̂ = Ŝ(Ŝ+σ²)⁻¹ has the risk tr[σ⁴ RΣR + σ²(1 − σ²R)²] on fresh data; in closed form
/// σ² df1(κ) + (κ² − σ⁴) tr Σ(Σ+κ)⁻²/(1 − df2(κ)/n).
#[test]
fn the_linear_denoiser_is_made_of_these() {
    let p = 200;
    let eigenvalues: Vec<f64> = power_law(p, 0.7).iter().map(|t| 3.0 * t).collect();
    let spectrum = Spectrum::from_eigenvalues(&eigenvalues).unwrap();
    let learner = Ridge::new(&spectrum, p, &Signal::Flat { power: 1.0 }, 0.0).unwrap();
    let ones = vec![1.0; p];
    for (n, level, simulated, error) in
        [(100.0, 0.3, 27.730, 0.017), (300.0, 0.1, 14.3097, 0.0057), (1000.0, 1.0, 29.7575, 0.0016)]
    {
        let law = SilversteinLaw::new(&spectrum, p as f64 / n).unwrap();
        let z = real(-level);
        let mean = |value: Checked<Complex64>| p as f64 * value.value().re;
        let covariance = mean(law.two_point_population(z, z, &ones).unwrap());
        let one = mean(law.resolvent_trace(z, &ones).unwrap());
        let two = mean(law.two_point(z, z, &ones, &ones).unwrap());
        let square = p as f64 - 2.0 * level * one + level * level * two;
        let risk = level * level * covariance + level * square;

        let point = learner.curve_point(n, level).unwrap();
        let kappa = point.kappa.value;
        let trace: f64 = eigenvalues.iter().map(|t| t / ((t + kappa) * (t + kappa))).sum();
        let slack = 1.0 - point.df2.value / n;
        let closed = level * point.df1.value + (kappa * kappa - level * level) * trace / slack;
        assert!((risk / closed - 1.0).abs() < 1e-12, "{n} {level}: {risk} {closed}");
        // a simulation of 200-dimensional data: its standard error and the O(1/n) of the limit
        assert!((risk - simulated).abs() < 4.0 * error + 2.0 / n, "{n} {level}: {risk}");
    }
}

#[test]
fn zero_is_allowed_where_the_resolvent_has_no_pole() {
    let regular = law(&[1.0, 4.0], &[0.5, 0.5], 0.5);
    // (1/p) tr Ŝ⁻¹ = Σ hτ⁻¹/(1−c), and (1/p) tr Ŝ⁻² = … of the limit z → 0
    let one = regular.resolvent_trace(real(0.0), &[1.0, 1.0]).unwrap();
    assert!((one.value() - 1.25).norm() <= one.radius() && one.radius() < 1e-14, "{one:?}");
    let near_zero = regular.two_point(real(-1e-9), real(-1e-9), &[1.0, 2.0], &[3.0, 1.0]).unwrap();
    let at_zero = regular.two_point(real(0.0), real(0.0), &[1.0, 2.0], &[3.0, 1.0]).unwrap();
    assert!(near(near_zero.value(), at_zero.value(), 1e-7));
    for singular in [law(&[1.0, 4.0], &[0.5, 0.5], 1.0), law(&[0.0, 4.0], &[0.5, 0.5], 0.5)] {
        let error = singular.resolvent_trace(real(0.0), &[1.0, 1.0]);
        assert!(matches!(error, Err(ResolventError::Domain { .. })), "{error:?}");
    }
}

#[test]
fn bad_input_is_refused() {
    let law = law(&[1.0, 100.0], &[0.5, 0.5], 0.25);
    let ones = [1.0, 1.0];
    let two = |z, a: &[f64], b: &[f64]| law.two_point(z, real(-1.0), a, b);
    for z in [real(1.0), real(100.0), real(1e200), real(f64::INFINITY), Complex64::new(0.0, 1e-200)]
    {
        assert!(matches!(two(z, &ones, &ones), Err(ResolventError::Domain { .. })), "{z}");
    }
    for z in [real(f64::NAN), Complex64::new(1.0, f64::NAN)] {
        assert!(matches!(two(z, &ones, &ones), Err(ResolventError::NotANumber { .. })), "{z}");
    }
    let z = real(-2.0);
    assert!(matches!(two(z, &ones, &[]), Err(ResolventError::Shape { expected: 2, .. })));
    assert!(matches!(two(z, &[1.0; 3], &ones), Err(ResolventError::Shape { found: 3, .. })));
    for bad in [f64::NAN, f64::INFINITY, 1e61] {
        assert!(matches!(two(z, &[1.0, bad], &ones), Err(ResolventError::Parameter { .. })));
    }
    // a gap holds points off the support
    let gap = two(real(10.0), &ones, &ones).unwrap();
    assert_eq!(gap.value().im, 0.0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Any spectrum, any scale, any point: numbers or an error, never NaN.
    #[test]
    fn extreme_inputs_give_numbers_or_errors(
        decades in prop::collection::vec(-60.0..60.0_f64, 1..5), log_c in -10.0..10.0_f64,
        spike in -60.0..60.0_f64, point in (-99.0..99.0_f64, 0.0..6.3_f64), turn in 0.0..6.3_f64,
    ) {
        let atoms: Vec<f64> = decades.iter().map(|e| 10f64.powf(*e)).collect();
        let spectrum = Spectrum::from_eigenvalues(&atoms).unwrap();
        let law = SilversteinLaw::new(&spectrum, 10f64.powf(log_c)).unwrap();
        let outlier = law.outlier(10f64.powf(spike)).unwrap();
        for value in [outlier.sample, outlier.overlap] {
            prop_assert!(value.value.is_finite() && value.radius >= 0.0, "{:?}", outlier);
        }
        if let Ok(back) = law.spike_from_outlier(10f64.powf(spike)) {
            prop_assert!(back.population.value > 0.0 && back.overlap.value.is_finite());
        }
        let ones = vec![1.0; spectrum.atoms().len()];
        let z = Complex64::from_polar(10f64.powf(point.0), point.1);
        let w = Complex64::from_polar(10f64.powf(point.0), turn);
        let finite = |c: &Checked<Complex64>| c.value().re.is_finite() && c.value().im.is_finite();
        if let Ok(two) = law.two_point(z, w, &ones, &ones) {
            prop_assert!(finite(&two) && !two.radius().is_nan(), "{:?}", two);
        }
        if let Ok(one) = law.resolvent_trace(z, &ones) {
            prop_assert!(finite(&one) && !one.radius().is_nan(), "{:?}", one);
        }
    }
}
