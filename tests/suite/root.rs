//! The root finder against planted roots.

use std::cell::Cell;

use proptest::prelude::*;
use rootrate::numeric::root::{Bracket, RootError, find_root};

type Function = fn(f64) -> f64;

/// The documented guarantee for a bracket around a known root.
fn holds(b: Bracket, root: f64) -> bool {
    b.lo <= root && root <= b.hi && (b.hi - b.lo) <= 4.0 * f64::EPSILON * b.hi.abs().max(b.lo.abs())
}

#[test]
fn degenerate_input_ends_in_errors() {
    for (lo, hi) in [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (f64::NEG_INFINITY, 0.0)] {
        assert!(matches!(find_root(|x| x, lo, hi), Err(RootError::Interval { .. })));
    }
    assert!(matches!(find_root(|_| 1.0, 0.0, 1.0), Err(RootError::NoSignChange { .. })));
    assert!(matches!(find_root(|_| f64::NAN, 0.0, 1.0), Err(RootError::NotANumber { x: 0.0 })));
    let hole = |x: f64| if (0.4..0.6).contains(&x) { f64::NAN } else { x - 0.5 };
    assert!(matches!(find_root(hole, 0.0, 1.0), Err(RootError::NotANumber { .. })));
}

#[test]
fn zeros_at_the_ends_are_returned() {
    assert_eq!(find_root(|x| x, 0.0, 1.0), Ok(Bracket { lo: 0.0, hi: 0.0 }));
    assert_eq!(find_root(|x| x - 1.0, 0.0, 1.0), Ok(Bracket { lo: 1.0, hi: 1.0 }));
    assert_eq!(find_root(|x| x, 0.0, 0.0), Ok(Bracket { lo: 0.0, hi: 0.0 }));
}

#[test]
fn hostile_functions_end_within_the_promised_evaluations() {
    let functions: [(&str, Function); 8] = [
        ("step", |x| if x < 0.3 { -1.0 } else { 1.0 }),
        ("tiny values", |x| 1e-200 * (x * x * x - 0.027)),
        ("subnormal values", |x| 5e-324 * (x - 0.3).signum()),
        ("huge values", |x| (x - 0.3) * f64::MAX * 4.0),
        ("infinite values", |x| if x < 0.3 { f64::NEG_INFINITY } else { f64::INFINITY }),
        ("pole", |x| 1.0 / (x - 0.3)),
        ("flat", |x| (x - 0.3).powi(31)),
        ("steep", |x| (x - 0.3).cbrt()),
    ];
    for (name, f) in functions {
        for (lo, hi) in [(0.0, 1.0), (-1e300, 1e300), (-1e-300, 0.5)] {
            let count = Cell::new(0);
            let counted = |x| {
                count.set(count.get() + 1);
                f(x)
            };
            let b = find_root(counted, lo, hi).unwrap();
            // ±1 ulp: the function itself rounds
            assert!((b.lo - 0.3).abs().max((b.hi - 0.3).abs()) < 4e-10, "{name}: {b:?}");
            assert!(f(b.lo) * f(b.hi).signum() <= 0.0, "{name}: {b:?}");
            assert!(count.get() <= 260, "{name}: {} evaluations", count.get());
        }
    }
    assert!(find_root(|x| x, -1.0, 2.0).is_ok_and(|b| b.lo <= 0.0 && 0.0 <= b.hi && b.hi < 1e-300));
}

proptest! {
    #[test]
    fn planted_roots_are_bracketed(
        exponent in -300.0..300.0_f64,
        negative in any::<bool>(),
        left in 0.0..50.0_f64,
        right in 0.0..50.0_f64,
        power in 1..6_i32,
        scale in -280.0..280.0_f64,
    ) {
        let root = 10.0_f64.powf(exponent) * if negative { -1.0 } else { 1.0 };
        let (lo, hi) = (root - left * root.abs(), root + right * root.abs());
        prop_assume!(lo.is_finite() && hi.is_finite());
        // the sign of x − root is exact for doubles; an odd power of the ratio keeps it
        let f = |x: f64| {
            let t = (x - root) / root.abs();
            10.0_f64.powf(scale) * (t * t.abs().powi(power - 1) + 1e-3 * t)
        };
        let bracket = find_root(f, lo, hi).unwrap();
        prop_assert!(holds(bracket, root), "{bracket:?} for {root:e} in [{lo:e}, {hi:e}]");
        prop_assert!(bracket.lo <= bracket.midpoint() && bracket.midpoint() <= bracket.hi);
    }

    #[test]
    fn smooth_functions_need_few_evaluations(root in 0.01..0.99_f64, bend in 0.1..5.0_f64) {
        let count = Cell::new(0);
        let f = |x: f64| {
            count.set(count.get() + 1);
            (bend * x).exp() - (bend * root).exp()
        };
        let bracket = find_root(f, 0.0, 1.0).unwrap();
        prop_assert!((bracket.midpoint() - root).abs() < 1e-13);
        // typically 10; rounding noise of the function may send Brent's method to bisection
        prop_assert!(count.get() <= 60, "{} evaluations", count.get());
    }
}
