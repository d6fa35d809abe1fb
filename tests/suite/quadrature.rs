//! Adaptive quadrature against closed forms, at tolerances from 1e-2 to 1e-13.

use rootrate::numeric::quadrature::{QuadratureError, Tolerance, integrate};
use std::f64::consts::PI;

type Case = (&'static str, fn(f64) -> f64, f64, f64, f64);

/// Name, integrand, limits, exact value.
fn cases() -> Vec<Case> {
    vec![
        ("exp", |x| x.exp(), 0.0, 1.0, 1f64.exp_m1()),
        ("reversed", |x| x.cos(), PI / 2.0, 0.0, -1.0),
        // a √ singularity inside
        ("root", |x| (x - 0.3).abs().sqrt(), 0.0, 1.0, (0.3f64.powf(1.5) + 0.7f64.powf(1.5)) / 1.5),
        ("semicircle", |x| (1.0 - x * x).max(0.0).sqrt(), -1.0, 1.0, PI / 2.0),
        ("kink", |x| (x - 1.0 / 3.0).abs(), 0.0, 1.0, 5.0 / 18.0),
        // near-poles at distance 1e-3
        ("lorentz", |x| 1e-3 / (x * x + 1e-6), -1.0, 1.0, 2.0 * 1e3f64.atan()),
        ("oscillating", |x| (60.0 * x).sin().powi(2), 0.0, PI, PI / 2.0),
        ("tiny", |x| 1e-200 * x, 0.0, 2.0, 2e-200),
        ("wide", |x| (-x).exp(), 0.0, 700.0, 1.0),
    ]
}

#[test]
fn the_tolerance_is_met_from_1e_2_to_1e_13() {
    for (name, f, a, b, exact) in cases() {
        for digits in 2..=13 {
            let relative = 10f64.powi(-digits);
            let i = integrate(f, a, b, Tolerance::relative(relative)).unwrap();
            let error = (i.value - exact).abs();
            assert!(error <= relative * exact.abs(), "{name}, {relative}: error {error}");
            assert!(i.estimate <= relative * i.value.abs(), "{name}, {relative}: {}", i.estimate);
        }
    }
}

#[test]
fn an_absolute_tolerance_serves_integrals_that_vanish() {
    let odd = |x: f64| x.powi(3) * (x * x).exp();
    let i = integrate(odd, -1.0, 1.0, Tolerance { relative: 0.0, absolute: 1e-12 }).unwrap();
    assert!(i.value.abs() <= 1e-12 && i.estimate <= 1e-12);
    assert_eq!(integrate(odd, 2.0, 2.0, Tolerance::relative(1e-9)).unwrap().value, 0.0);
}

#[test]
fn values_that_are_not_finite_are_errors() {
    let pole = integrate(|x| 1.0 / x, 0.0, 1.0, Tolerance::relative(1e-6));
    assert!(matches!(pole, Err(QuadratureError::NotFinite { x: 0.0, .. })), "{pole:?}");
    let nan = integrate(|x| (x - 0.5).sqrt(), 0.0, 1.0, Tolerance::relative(1e-6));
    assert!(matches!(nan, Err(QuadratureError::NotFinite { .. })), "{nan:?}");
}

#[test]
fn bad_arguments_and_unreachable_tolerances_are_errors() {
    let one = |_: f64| 1.0;
    for (a, b) in [(f64::NAN, 1.0), (0.0, f64::INFINITY), (-f64::MAX, f64::MAX)] {
        let r = integrate(one, a, b, Tolerance::relative(1e-6));
        assert!(matches!(r, Err(QuadratureError::Limits { .. })), "{r:?}");
    }
    for (relative, absolute) in [(0.0, 0.0), (-1.0, 1.0), (f64::NAN, 1.0)] {
        let r = integrate(one, 0.0, 1.0, Tolerance { relative, absolute });
        assert!(matches!(r, Err(QuadratureError::Tolerance { .. })), "{r:?}");
    }
    let r = integrate(|x| x.exp(), 0.0, 1.0, Tolerance::relative(1e-20));
    assert!(matches!(r, Err(QuadratureError::NoConvergence { .. })), "{r:?}");
}
