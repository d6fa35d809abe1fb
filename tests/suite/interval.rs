//! Outward rounding: the exact result, known in integers or as a residual, is never outside.

use proptest::prelude::*;
use rootrate::interval::Interval;

/// x·y − z in exact integer arithmetic for operands m·2^e: sign only.
fn exact(x: f64) -> (i128, i32) {
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let mantissa = (bits & ((1 << 52) - 1)) as i128 | 1 << 52;
    (if x < 0.0 { -mantissa } else { mantissa }, exponent - 1075)
}

/// Sign of a·b − c for products and numbers of moderate exponents, exactly.
fn product_minus(a: f64, b: f64, c: f64) -> i128 {
    let ((ma, ea), (mb, eb), (mc, ec)) = (exact(a), exact(b), exact(c));
    let shift = ec - (ea + eb);
    if (0..=70).contains(&shift) {
        (ma * mb - (mc << shift)).signum()
    } else {
        (a * b - c).partial_cmp(&0.0).unwrap() as i128
    }
}

fn operand() -> impl Strategy<Value = f64> {
    (any::<bool>(), 1.0..2.0_f64, -12i32..12).prop_map(|(negative, m, e)| {
        let x = m * f64::from(e).exp2();
        if negative { -x } else { x }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// lo < xy < hi strictly in exact arithmetic, so a single missing outward step shows.
    #[test]
    fn product_contains_the_exact_product(x in operand(), y in operand()) {
        let z = Interval::point(x) * Interval::point(y);
        prop_assert!(product_minus(x, y, z.lo()) >= 0);
        prop_assert!(product_minus(x, y, z.hi()) <= 0);
        prop_assert!(z.width() <= 4.0 * f64::EPSILON * (x * y).abs());
    }

    /// q·y encloses x: lo·y ≤ x ≤ hi·y in exact arithmetic (y > 0).
    #[test]
    fn quotient_contains_the_exact_quotient(x in operand(), y in operand()) {
        let y = y.abs();
        let q = Interval::point(x) / Interval::point(y);
        prop_assert!(product_minus(q.lo(), y, x) <= 0);
        prop_assert!(product_minus(q.hi(), y, x) >= 0);
    }

    /// lo² ≤ x ≤ hi² in exact arithmetic.
    #[test]
    fn root_contains_the_exact_root(x in operand()) {
        let r = Interval::point(x.abs()).sqrt();
        prop_assert!(product_minus(r.lo(), r.lo(), x.abs()) <= 0);
        prop_assert!(product_minus(r.hi(), r.hi(), x.abs()) >= 0);
    }

    /// The rounding error of a sum is itself a float (TwoSum): compare it with the ends.
    #[test]
    fn sum_contains_the_exact_sum(x in operand(), y in operand()) {
        let s = x + y;
        let part = s - x;
        let error = (x - (s - part)) + (y - part);
        let z = Interval::point(x) + Interval::point(y);
        prop_assert!(z.lo() - s <= error && error <= z.hi() - s);
        let d = Interval::point(x) - Interval::point(-y);
        prop_assert_eq!(z, d);
    }

    /// Inclusion isotonicity: operands inside give results inside.
    #[test]
    fn operations_are_inclusion_isotonic(
        x in operand(), y in operand(), w in 0.0..0.5_f64, s in 0.0..1.0_f64, t in 0.0..1.0_f64,
    ) {
        let (bx, by) = (Interval::new(x - w, x + w), Interval::new(y, y + w));
        let (px, py) = (x - w + 2.0 * w * s, y + w * t);
        prop_assert!((bx + by).contains(px + py));
        prop_assert!((bx - by).contains(px - py));
        prop_assert!((bx * by).contains(px * py));
        prop_assert!((bx / by).contains(px / py));
        prop_assert!(bx.square().contains(px * px) && bx.square().lo() >= 0.0);
        prop_assert!((-bx).contains(-px) && bx.hull(by).contains(py));
    }
}

#[test]
fn undefined_and_overflowing_operations_stay_enclosures() {
    let big = Interval::point(f64::MAX);
    assert_eq!((big * big).lo(), f64::MAX);
    assert_eq!((big + big).hi(), f64::INFINITY);
    assert!(!(big * big).is_finite() && (big * big).to_certified().is_none());
    assert_eq!(Interval::ONE / Interval::new(-1.0, 1.0), Interval::ENTIRE);
    assert_eq!(Interval::new(f64::NAN, 1.0), Interval::ENTIRE);
    assert_eq!(Interval::ENTIRE - Interval::ENTIRE, Interval::ENTIRE);
    assert_eq!(Interval::ENTIRE * Interval::ZERO, Interval::ENTIRE);
    assert_eq!(Interval::ZERO * big, Interval::ZERO);
    let tiny = Interval::point(5e-324) * Interval::point(0.25);
    assert!(tiny.lo() == 0.0 && tiny.hi() > 0.0, "an underflowing product is not the exact 0");
    assert_eq!(Interval::new(-1.0, 0.0).sqrt(), Interval::ZERO);
}

#[test]
fn conversions_to_proved_values_cover_the_interval() {
    let x = Interval::new(0.1, 0.7);
    let c = x.to_certified().unwrap();
    assert!(c.contains(0.1) && c.contains(0.7) && c.radius < 0.3 + 1e-15);
    let off = x.certify(0.2).unwrap();
    assert!(off.value == 0.2 && off.contains(0.7) && off.radius >= 0.5);
    assert!(Interval::from(off).contains(0.7));
    assert_eq!(Interval::point(3.0).to_certified().unwrap().radius, 0.0);
    // (1 ± 2⁻⁵³)^10 around 1, plus an absolute part
    let r = Interval::rounded(1.0, 10, 1e-20);
    assert!(r.contains(1.0 + 10.0 * f64::EPSILON / 2.0) && !r.contains(1.0 + 20.0 * f64::EPSILON));
    assert!(Interval::ONE.widened(1e-3, 0.0).contains(0.999));
}
