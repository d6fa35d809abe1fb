//! The vectorisable exponential against the platform's.

use rootrate::numeric::exp::exp;

/// 2 units in the last place of the claim and 1 of the platform's own exponential.
#[test]
fn agrees_with_the_platform() {
    for i in 0..200_000 {
        // −708 … 708 in irregular steps, and tiny arguments of both signs
        let x = -708.0 + 1416.0 * (f64::from(i) * 0.618_033_988_749_894_9).fract();
        for x in [x, x * 1e-3, x * 1e-9] {
            let expected = x.exp();
            let ulp = expected * f64::EPSILON;
            assert!((exp(x) - expected).abs() <= 3.0 * ulp, "exp({x})");
        }
    }
}

#[test]
fn ends_and_exact_values() {
    assert_eq!(exp(0.0), 1.0);
    assert_eq!(exp(-1e300), exp(-708.0));
    assert_eq!(exp(f64::NEG_INFINITY), exp(-708.0));
    assert!(exp(-708.0) > 0.0 && exp(-708.0) < 1e-307);
    assert!(exp(1e300).is_finite());
    assert!((exp(1.0) - std::f64::consts::E).abs() <= 2.0 * 4.5e-16);
}
