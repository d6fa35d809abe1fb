//! The Marchenko–Pastur law against high-precision references, identities and duality.

use std::f64::consts::PI;
use std::sync::LazyLock;

use num_complex::Complex64;
use proptest::prelude::*;
use rootrate::evidence::Certified;
use rootrate::resolvent::{MarchenkoPastur, ResolventError};
use serde_json::Value;

const ULP: f64 = f64::EPSILON;

/// The accuracy promised in the documentation, relative, in ulp (2⁻⁵²). Reason: forward error
/// analysis gives these or more; the worst seen over the table is noted beside each.
mod promised {
    pub(super) const TRANSFORM: f64 = 8.0;
    pub(super) const IMAGINARY: f64 = 12.0;
    pub(super) const DERIVATIVE: f64 = 20.0;
    pub(super) const LOG_DETERMINANT: f64 = 8.0;
    pub(super) const DENSITY: f64 = 6.0;
    pub(super) const CDF: f64 = 16.0;
    pub(super) const QUANTILE: f64 = 8.0;
}

static GOLDEN: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../golden/marchenko_pastur.json")).expect("valid JSON")
});

/// A 25-digit reference as an unevaluated sum of two doubles.
#[derive(Clone, Copy)]
struct Reference {
    hi: f64,
    lo: f64,
}

impl Reference {
    /// From a decimal string; the digits beyond the double are recovered in integers.
    fn new(value: &Value) -> Self {
        let text = value.as_str().expect("a decimal string");
        let hi: f64 = text.parse().expect("a number");
        // the remainder: subtract the exact decimal expansion of `hi`, 40 digits of it
        let exact = format!("{hi:.40e}");
        Self { hi, lo: decimal_difference(text, &exact) }
    }

    /// |x − self|, accurate to about 2⁻⁸⁰ of self.
    fn distance(self, x: f64) -> f64 {
        ((x - self.hi) - self.lo).abs()
    }

    fn inside(self, c: Certified) -> bool {
        self.distance(c.value) <= c.radius
    }
}

/// a − b of two decimal numbers that agree in their first 15 digits or so.
fn decimal_difference(a: &str, b: &str) -> f64 {
    const DIGITS: i32 = 34;
    let parse = |s: &str| -> Option<(i128, i32)> {
        let (mantissa, exponent) = s.split_once('e').unwrap_or((s, "0"));
        let exponent: i32 = exponent.parse().ok()?;
        let negative = mantissa.starts_with('-');
        let (whole, fraction) =
            mantissa.trim_start_matches('-').split_once('.').unwrap_or((mantissa, ""));
        let whole = whole.trim_start_matches('-');
        let digits = format!("{whole}{fraction}");
        let leading = digits.len() - digits.trim_start_matches('0').len();
        let digits: String = digits
            .chars()
            .skip(leading)
            .chain(std::iter::repeat('0'))
            .take(DIGITS as usize)
            .collect();
        let power = exponent + whole.len() as i32 - leading as i32;
        let value: i128 = digits.parse().ok()?;
        Some((if negative { -value } else { value }, power))
    };
    let (Some((x, p)), Some((y, q))) = (parse(a), parse(b)) else { return 0.0 };
    if p != q {
        return 0.0; // a power of ten lies between, or both are zero
    }
    let difference = x - y;
    difference as f64 * 10.0_f64.powi((p - DIGITS).max(-300))
}

/// An input: inputs are strings, since `serde_json` may parse a number an ulp off.
fn input(value: &Value) -> f64 {
    value.as_str().unwrap().parse().unwrap()
}

fn law(entry: &Value) -> MarchenkoPastur {
    MarchenkoPastur::new(input(&entry["ratio"]), input(&entry["scale"])).unwrap()
}

fn rows<'a>(entry: &'a Value, key: &str) -> impl Iterator<Item = &'a [Value]> {
    entry[key].as_array().unwrap().iter().map(|r| r.as_array().unwrap().as_slice())
}

fn laws() -> impl Iterator<Item = (MarchenkoPastur, &'static Value)> {
    GOLDEN["laws"].as_array().unwrap().iter().map(|e| (law(e), e))
}

/// The part of the promised errors that comes from the 100-bit edges, in ulp: 2⁻¹⁰⁰e/|z−e| for
/// both edges e.
fn edge_term(entry: &Value, z: Complex64) -> f64 {
    let term = |k: usize| {
        let edge = Reference::new(&entry["support"][k]);
        let distance = edge.distance(z.re).hypot(z.im);
        if edge.hi == 0.0 { 0.0 } else { 2.0_f64.powi(-100) * edge.hi / distance }
    };
    (term(0) + term(1)) / ULP
}

/// Largest value with the place where it occurred.
#[derive(Default)]
struct Worst(f64, String);

impl Worst {
    fn see(&mut self, error: f64, place: impl FnOnce() -> String) {
        assert!(!error.is_nan(), "NaN at {}", place());
        if error > self.0 {
            *self = Self(error, place());
        }
    }

    fn below(&self, limit: f64, what: &str) {
        println!("{what}: worst {:.2} ulp of {limit} at {}", self.0, self.1);
        assert!(self.0 <= limit, "{what}: {} ulp, promised {limit}, at {}", self.0, self.1);
    }
}

#[test]
fn transforms_match_references() {
    let names = ["m", "v", "m'", "v'"];
    let mut worst: [Worst; 4] = Default::default();
    let mut imaginary = Worst::default();
    let mut count = 0;
    for (law, entry) in laws() {
        for row in rows(entry, "transforms") {
            let z = Complex64::new(input(&row[0]), input(&row[1]));
            let values = [
                law.stieltjes(z).unwrap(),
                law.companion(z).unwrap(),
                law.stieltjes_derivative(z).unwrap(),
                law.companion_derivative(z).unwrap(),
            ];
            for (k, value) in values.into_iter().enumerate() {
                let (re, im) = (Reference::new(&row[2 + 2 * k]), Reference::new(&row[3 + 2 * k]));
                let modulus = re.hi.hypot(im.hi);
                let edges = edge_term(entry, z);
                let place = || format!("{} of {law:?}, z = {z:e}: {value:e}", names[k]);
                if modulus < 1e-290 {
                    continue; // subnormal squares
                }
                let error = re.distance(value.re).hypot(im.distance(value.im)) / modulus;
                worst[k].see(error / ULP - edges, place);
                if k < 2 && im.hi.abs() > 1e-290 {
                    imaginary.see(im.distance(value.im) / im.hi.abs() / ULP - edges, place);
                }
                count += 1;
            }
        }
    }
    assert!(count > 3000, "{count}");
    worst[0].below(promised::TRANSFORM, "m");
    worst[1].below(promised::TRANSFORM, "v");
    worst[2].below(promised::DERIVATIVE, "m'");
    worst[3].below(promised::DERIVATIVE, "v'");
    imaginary.below(promised::IMAGINARY, "Im m, Im v");
}

#[test]
fn density_and_distribution_match_references() {
    let (mut density, mut cdf, mut survival) =
        (Worst::default(), Worst::default(), Worst::default());
    for (law, entry) in laws() {
        for row in rows(entry, "points") {
            let x = input(&row[0]);
            let place = || format!("{law:?}, x = {x:e}");
            let edges = edge_term(entry, Complex64::new(x, 0.0));
            let relative = |r: Reference, value: f64| {
                if r.hi == 0.0 {
                    value.abs() / ULP
                } else {
                    r.distance(value) / r.hi / ULP - 2.0 * edges
                }
            };
            let [f, lower, upper] = [1, 2, 3].map(|k| Reference::new(&row[k]));
            density.see(relative(f, law.density(x).unwrap()), place);
            cdf.see(relative(lower, law.cdf(x).unwrap()), place);
            survival.see(relative(upper, law.survival(x).unwrap()), place);
            // the certificates, at edges too
            let certified = law.density_certified(x).unwrap();
            assert!(f.inside(certified), "density {} {certified:?} {:e}", place(), f.hi);
            assert!(lower.inside(law.cdf_certified(x).unwrap()), "cdf {}", place());
            let certified = law.survival_certified(x).unwrap();
            assert!(upper.inside(certified), "survival {} {certified:?} {:e}", place(), upper.hi);
        }
    }
    density.below(promised::DENSITY, "density");
    cdf.below(promised::CDF, "cdf");
    survival.below(promised::CDF, "survival");
}

#[test]
fn certificates_hold_at_random_points() {
    let mut count = 0;
    for row in rows(&GOLDEN, "samples") {
        let [c, s, x] = [0, 1, 2].map(|k| input(&row[k]));
        let law = MarchenkoPastur::new(c, s).unwrap();
        let certified = [law.density_certified(x), law.cdf_certified(x), law.survival_certified(x)];
        for (k, value) in certified.into_iter().enumerate() {
            let (value, expected) = (value.unwrap(), Reference::new(&row[3 + k]));
            assert!(expected.inside(value), "{k}: {law:?} {x:e} {value:?} {:e}", expected.hi);
            count += 1;
        }
    }
    assert_eq!(count, 2400);
}

#[test]
fn certificates_are_tight_enough_to_be_useful() {
    for (law, entry) in laws() {
        for row in rows(entry, "points") {
            let x = input(&row[0]);
            let f = law.density_certified(x).unwrap();
            let edges = 4.0 * edge_term(entry, Complex64::new(x, 0.0));
            assert!(
                f.value == 0.0 || f.relative_radius() < (8.0 + edges) * ULP,
                "{law:?} {x:e} {f:?}"
            );
            let s = law.survival_certified(x).unwrap();
            assert!(
                s.value == 0.0 || s.relative_radius() < (400.0 + 4.0 * edges) * ULP,
                "{law:?} {x:e} {s:?}"
            );
        }
    }
}

#[test]
fn quantiles_match_references() {
    let mut worst = Worst::default();
    for (law, entry) in laws() {
        for row in rows(entry, "quantiles") {
            let u = input(&row[0]);
            let expected = Reference::new(&row[1]);
            let q = law.quantile(u).unwrap();
            assert!(expected.inside(q), "{law:?} u = {u:e} {q:?} {:e}", expected.hi);
            assert!(q.relative_radius() < 3e-13, "{law:?} u = {u:e} {q:?}");
            worst.see(expected.distance(q.value) / expected.hi / ULP, || format!("{law:?}, {u:e}"));
        }
    }
    worst.below(promised::QUANTILE, "quantile");
}

#[test]
fn log_determinant_matches_references() {
    let mut worst = Worst::default();
    for (law, entry) in laws() {
        for row in rows(entry, "log_determinants") {
            let (snr, expected) = (input(&row[0]), Reference::new(&row[1]));
            let value = law.log_determinant(snr).unwrap();
            worst.see(expected.distance(value) / expected.hi / ULP, || format!("{law:?}, {snr:e}"));
        }
    }
    worst.below(promised::LOG_DETERMINANT, "log-determinant");
}

/// ∫ g(x) f(x) dx over the continuous part with x = mid − half·cos t, for which the integrand is
/// smooth; the trapezoidal rule then converges geometrically.
fn integrate(law: &MarchenkoPastur, g: impl Fn(f64) -> f64) -> f64 {
    let (a, b) = law.support();
    let nodes = 4000;
    let sum: f64 = (0..nodes)
        .map(|k| {
            let t = PI * (f64::from(k) + 0.5) / f64::from(nodes);
            let x = a + (b - a) * (0.5 * t).sin().powi(2);
            g(x) * law.density(x).unwrap() * t.sin()
        })
        .sum();
    sum * 0.5 * (b - a) * PI / f64::from(nodes)
}

/// Ratios at which √c is far enough from 1 for 4000 nodes to give 1e-13.
const SMOOTH: [f64; 7] = [1e-3, 0.1, 0.3, 0.5, 2.0, 10.0, 1e3];

#[test]
fn moments_are_integrals_of_the_density() {
    for c in SMOOTH {
        let law = MarchenkoPastur::new(c, 1.3).unwrap();
        let mass = integrate(&law, |_| 1.0);
        assert!((mass + law.atom_at_zero() - 1.0).abs() < 1e-13, "mass at {c}: {mass}");
        for k in 1..=8 {
            let moment = law.moment(k).unwrap();
            let quadrature = integrate(&law, |x| x.powi(k as i32));
            assert!((quadrature / moment - 1.0).abs() < 1e-12, "c = {c}, k = {k}");
        }
        if c < 1.0 {
            let quadrature = integrate(&law, |x| 1.0 / x);
            assert!((quadrature / law.inverse_moment() - 1.0).abs() < 1e-12, "c = {c}");
        }
        for k in [1e-3, 1.0, 40.0] {
            let quadrature = integrate(&law, |x| x / (x + k));
            assert!((quadrature / law.degrees_of_freedom(k).unwrap() - 1.0).abs() < 1e-12);
        }
    }
    // at c = 1, s² = 1 the moments are the Catalan numbers
    let law = MarchenkoPastur::new(1.0, 1.0).unwrap();
    let catalan = [1.0, 1.0, 2.0, 5.0, 14.0, 42.0, 132.0, 429.0, 1430.0];
    for (k, expected) in catalan.into_iter().enumerate() {
        assert_eq!(law.moment(k as u32).unwrap(), expected);
    }
    assert_eq!(law.inverse_moment(), f64::INFINITY);
}

#[test]
fn moments_survive_intermediate_overflow() {
    // the Narayana sum is about 4^1000, times 4^-1000: m_k(s²=¼) of c = 1 is Catalan(k)/4^k,
    // Stirling: 1/(k^{3/2}√π)·(1 − 9/(8k) + 145/(128k²) − …)
    let law = MarchenkoPastur::new(1.0, 0.25).unwrap();
    let k: f64 = 1000.0;
    let expected = (1.0 - 9.0 / (8.0 * k) + 145.0 / (128.0 * k * k)) / (k.powf(1.5) * PI.sqrt());
    assert!((law.moment(1000).unwrap() / expected - 1.0).abs() < 2e-9);
    let wide = MarchenkoPastur::new(1.0, 1.0).unwrap();
    assert!(matches!(wide.moment(1000), Err(ResolventError::Overflow { order: 1000, .. })));
    assert!(matches!(wide.moment(20_000), Err(ResolventError::Domain { .. })));
    let tiny = MarchenkoPastur::new(1e-100, 1e-100).unwrap();
    assert_eq!(tiny.moment(9_999).unwrap(), 0.0);
}

/// Moments from free cumulants by the recursion m_n = Σ_s κ_s Σ_{i₁+…+i_s = n−s} m_{i₁}…m_{i_s}.
#[test]
fn free_cumulants_give_the_moments() {
    for c in [0.3, 1.0, 7.0] {
        let law = MarchenkoPastur::new(c, 0.8).unwrap();
        let order = 7;
        let mut moments = vec![1.0];
        for n in 1..=order {
            let mut power = vec![0.0; n + 1]; // coefficients of M(z)^s up to n
            power[0] = 1.0;
            let mut total = 0.0;
            for s in 1..=n {
                power = (0..=n)
                    .map(|k| {
                        (0..=k.min(moments.len() - 1)).map(|i| moments[i] * power[k - i]).sum()
                    })
                    .collect();
                total += law.free_cumulant(s as u32).unwrap() * power[n - s];
            }
            moments.push(total);
            assert!((total / law.moment(n as u32).unwrap() - 1.0).abs() < 1e-13, "{c} {n}");
        }
        assert!(law.free_cumulant(0).is_err());
    }
}

#[test]
fn log_determinant_differentiates_to_the_degrees_of_freedom() {
    // γ dV/dγ = ∫γx/(1+γx) dF = df1(1/γ)/p; central difference, error h²/6·V''' + 2⁻⁵²V/h
    for c in [1e-3, 0.5, 1.0, 1.0 + 1e-9, 3.0, 1e4] {
        let law = MarchenkoPastur::new(c, 0.7).unwrap();
        for snr in [1e-3, 0.1, 1.0, 30.0, 1e6] {
            let h: f64 = 1e-4;
            let value = |t: f64| law.log_determinant(snr * t.exp()).unwrap();
            let slope =
                (8.0 * (value(h) - value(-h)) - (value(2.0 * h) - value(-2.0 * h))) / (12.0 * h);
            let expected = law.degrees_of_freedom(1.0 / snr).unwrap();
            let tolerance = 20.0 * ULP * value(0.0) / h + 1e-14 * expected;
            assert!((slope - expected).abs() < tolerance, "{c} {snr}: {slope} {expected}");
        }
    }
}

#[test]
fn poles_edges_and_extremes_have_documented_values() {
    let infinity = Complex64::new(f64::INFINITY, 0.0);
    let zero = Complex64::new(0.0, 0.0);
    let [narrow, hard, wide] = [0.5, 1.0, 2.0].map(|c| MarchenkoPastur::new(c, 1.0).unwrap());
    assert!((narrow.stieltjes_real(0.0).unwrap() - narrow.inverse_moment()).abs() < 4.0 * ULP);
    assert_eq!(narrow.companion(zero).unwrap(), infinity);
    assert_eq!(hard.stieltjes(zero).unwrap(), infinity);
    assert_eq!(hard.companion(zero).unwrap(), infinity);
    assert_eq!(wide.stieltjes(zero).unwrap(), infinity);
    // (1/n) tr (XXᵀ/n)⁻¹ → 1/(c−1)
    assert!((wide.companion(zero).unwrap().re - 1.0).abs() < 4.0 * ULP);
    // c = ¼: both edges are doubles
    let exact = MarchenkoPastur::new(0.25, 1.0).unwrap();
    assert_eq!(exact.support(), (0.25, 2.25));
    assert_eq!(exact.density(0.25).unwrap(), 0.0);
    assert_eq!(exact.stieltjes_derivative(Complex64::new(0.25, 0.0)).unwrap(), infinity);
    assert_eq!(exact.cdf(0.25).unwrap(), 0.0);
    assert_eq!(exact.survival(2.25).unwrap(), 0.0);
    assert_eq!(hard.density(0.0).unwrap(), f64::INFINITY);
    assert_eq!(hard.density(-0.0).unwrap(), f64::INFINITY);
    assert_eq!(hard.density(-5e-324).unwrap(), 0.0);
    assert_eq!((wide.cdf(0.0).unwrap(), wide.cdf(-1e-300).unwrap()), (0.5, 0.0));
    assert_eq!((wide.survival(0.0).unwrap(), wide.survival(-1.0).unwrap()), (0.5, 1.0));
    for x in [f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(hard.density(x).unwrap(), 0.0);
        assert_eq!(hard.stieltjes(Complex64::new(x, 1.0)).unwrap().norm(), 0.0);
    }
    assert_eq!(hard.quantile(1.0).unwrap().value, 4.0);
    assert_eq!(narrow.quantile(0.0).unwrap().value, narrow.support().0);
    assert_eq!(wide.quantile(0.5).unwrap().value, 0.0);
    // the atom of c = 3 is not a double: its own mass is ambiguous, and the radius says so
    let third = MarchenkoPastur::new(3.0, 1.0).unwrap();
    let ambiguous = third.quantile(2.0 / 3.0).unwrap();
    assert!(ambiguous.value == 0.0 || ambiguous.value >= third.support().0);
    assert!(narrow.log_determinant(-1.0).is_err() && narrow.degrees_of_freedom(-1.0).is_err());
    assert_eq!(narrow.log_determinant(0.0).unwrap(), 0.0);
}

#[test]
fn bad_parameters_are_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-101, 1e101] {
        assert!(matches!(
            MarchenkoPastur::new(bad, 1.0),
            Err(ResolventError::Parameter { name: "ratio", .. })
        ));
        assert!(matches!(
            MarchenkoPastur::new(1.0, bad),
            Err(ResolventError::Parameter { name: "scale", .. })
        ));
    }
    let law = MarchenkoPastur::new(0.5, 1.0).unwrap();
    assert!(law.density(f64::NAN).is_err() && law.cdf(f64::NAN).is_err());
    assert!(law.stieltjes(Complex64::new(f64::NAN, 1.0)).is_err());
    assert!(law.companion(Complex64::new(1.0, f64::NAN)).is_err());
    for u in [f64::NAN, -1e-300, 1.0 + ULP] {
        assert!(matches!(law.quantile(u), Err(ResolventError::Domain { .. })));
    }
}

/// Ratios over the whole domain, often next to 1.
fn any_ratio() -> impl Strategy<Value = f64> {
    prop_oneof![
        (-100.0..100.0_f64).prop_map(|e| 10.0_f64.powf(e)),
        (-3.0..3.0_f64).prop_map(|e| 10.0_f64.powf(e)),
        (-16.0..-1.0_f64, any::<bool>())
            .prop_map(|(e, up)| 1.0 + 10.0_f64.powf(e) * if up { 1.0 } else { -1.0 }),
        Just(1.0),
    ]
}

fn moderate_law() -> impl Strategy<Value = MarchenkoPastur> {
    ((-3.0..3.0_f64), (-2.0..2.0_f64))
        .prop_map(|(c, s)| MarchenkoPastur::new(10.0_f64.powf(c), 10.0_f64.powf(s)).unwrap())
}

/// Any double that is not NaN.
fn any_coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("a number", |x| !x.is_nan()),
        -10.0..10.0_f64,
        Just(0.0),
        Just(-0.0),
        Just(f64::MAX),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn nothing_panics_or_gives_nan(
        c in any_ratio(),
        s in (-100.0..100.0_f64).prop_map(|e| 10.0_f64.powf(e)),
        x in any_coordinate(),
        y in any_coordinate(),
        near in 0..4_usize,
        u in 0.0..=1.0_f64,
    ) {
        let law = MarchenkoPastur::new(c, s.clamp(1e-100, 1e100)).unwrap();
        let (a, b) = law.support();
        let x = [x, a, b, a + (b - a) * u][near];
        let z = Complex64::new(x, y);
        for value in [law.stieltjes(z), law.companion(z), law.stieltjes_derivative(z), law.companion_derivative(z)] {
            let value = value.unwrap();
            prop_assert!(!value.re.is_nan() && !value.im.is_nan(), "{law:?} {z}");
        }
        if y >= 0.0 {
            prop_assert!(law.stieltjes(z).unwrap().im >= 0.0);
            prop_assert!(law.companion(z).unwrap().im >= 0.0);
        }
        let density = law.density_certified(x).unwrap();
        prop_assert!(density.value >= 0.0 && density.radius >= 0.0, "{law:?} {x:e} {density:?}");
        for probability in [law.cdf_certified(x).unwrap(), law.survival_certified(x).unwrap()] {
            prop_assert!((0.0..=1.0).contains(&probability.value) && probability.radius >= 0.0);
            prop_assert!(probability.radius < 1e-9 || !(1e-25..=1e25).contains(&c));
        }
        let quantile = law.quantile(u).unwrap();
        prop_assert!(quantile.value >= 0.0 && quantile.value <= b && quantile.radius.is_finite());
        prop_assert!(law.stieltjes_real(x).is_ok_and(|m| !m.is_nan()));
        prop_assert!(law.degrees_of_freedom(x.abs()).is_ok_and(|d| (0.0..=1.0 + 4.0 * ULP).contains(&d)));
        if x.is_finite() {
            prop_assert!(law.log_determinant(x.abs()).is_ok_and(|v| v >= 0.0 && v.is_finite()));
        }
        prop_assert!(law.moment(12).map_or(true, |m| !m.is_nan()));
    }

    #[test]
    fn identities_of_the_transforms(law in moderate_law(), x in -3.0..3.0_f64, y in -6.0..1.0_f64) {
        let (_, b) = law.support();
        let (c, s) = (law.ratio(), law.scale());
        let z = Complex64::new(x * b, 10.0_f64.powf(y) * b);
        let (m, v) = (law.stieltjes(z).unwrap(), law.companion(z).unwrap());
        // conditioning of an identity: the sum of the moduli of its terms
        // (MP1)  z = −1/v + cs²/(1+s²v)
        let terms = [-v.inv(), c * s / (1.0 + s * v)];
        let size = terms[0].norm() + terms[1].norm() * (1.0 + (s * v).norm() / (1.0 + s * v).norm());
        prop_assert!((terms[0] + terms[1] - z).norm() < 40.0 * ULP * size, "MP1 {law:?} {z}");
        // (MP2)  v = c m − (1−c)/z
        let terms = [c * m, (1.0 - c) / z];
        let size = terms[0].norm() + terms[1].norm() + v.norm();
        prop_assert!((terms[0] - terms[1] - v).norm() < 20.0 * ULP * size, "MP2 {law:?} {z}");
        // reflection, exactly
        prop_assert_eq!(law.stieltjes(z.conj()).unwrap(), m.conj());
        prop_assert_eq!(law.companion_derivative(z.conj()).unwrap(), law.companion_derivative(z).unwrap().conj());
        // duality: the companion of (c, s²) is the transform of (1/c, cs²); the reciprocal and
        // the product are rounded, which moves the edges and costs conditioning |m'z/m|
        let dual = MarchenkoPastur::new(1.0 / c, c * s).unwrap();
        let slope = law.companion_derivative(z).unwrap().norm() * b;
        let difference = (dual.stieltjes(z).unwrap() - v).norm();
        prop_assert!(difference < 20.0 * ULP * (v.norm() + slope), "duality {law:?} {z}");
        // scaling by a power of two, exactly
        let scaled = MarchenkoPastur::new(c, 4.0 * s).unwrap();
        prop_assert_eq!(4.0 * scaled.stieltjes(4.0 * z).unwrap(), m);
        prop_assert_eq!(4.0 * scaled.density(4.0 * z.re).unwrap(), law.density(z.re).unwrap());
    }

    #[test]
    fn derivative_by_cauchy_integral(law in moderate_law(), x in -2.0..2.0_f64, y in 0.3..2.0_f64) {
        let (_, b) = law.support();
        let z = Complex64::new(x * b, y * b);
        // 48 nodes on a circle of a third of the distance to the axis: error 3⁻⁴⁸
        let (nodes, radius) = (48, y * b / 3.0);
        let mut sums = [Complex64::new(0.0, 0.0); 2];
        for k in 0..nodes {
            let direction = Complex64::from_polar(1.0, 2.0 * PI * f64::from(k) / f64::from(nodes));
            let at = z + radius * direction;
            sums[0] += law.stieltjes(at).unwrap() / direction;
            sums[1] += law.companion(at).unwrap() / direction;
        }
        let exact = [law.stieltjes_derivative(z).unwrap(), law.companion_derivative(z).unwrap()];
        let size = [law.stieltjes(z).unwrap(), law.companion(z).unwrap()];
        for k in 0..2 {
            let integral = sums[k] / (radius * f64::from(nodes));
            let tolerance = 40.0 * ULP * (size[k].norm() / radius + exact[k].norm());
            prop_assert!((integral - exact[k]).norm() < tolerance, "{law:?} {z}");
        }
    }

    #[test]
    fn quantile_inverts_the_distribution_function(c in any_ratio(), u in 0.0..1.0_f64) {
        prop_assume!((1e-12..1e12).contains(&c));
        let law = MarchenkoPastur::new(c, 1.7).unwrap();
        let q = law.quantile(u).unwrap();
        if q.value == 0.0 {
            prop_assert!(u <= law.atom_at_zero() * (1.0 + 2.0 * ULP));
        } else {
            // both certificates hold at once
            let slope = law.density(q.value).unwrap();
            let f = law.cdf_certified(q.value).unwrap();
            prop_assert!((f.value - u).abs() <= 1.1 * (f.radius + slope * q.radius) + ULP, "{law:?} {u} {q:?} {f:?}");
        }
    }

    #[test]
    fn density_is_the_boundary_value(law in moderate_law(), t in 0.01..0.99_f64) {
        let (a, b) = law.support();
        let x = a + (b - a) * t;
        let m = law.stieltjes(Complex64::new(x, 0.0)).unwrap();
        let f = law.density(x).unwrap();
        prop_assert!((m.im / PI / f - 1.0).abs() < 20.0 * ULP);
        let total = law.cdf(x).unwrap() + law.survival(x).unwrap();
        prop_assert!((total - 1.0).abs() < 4.0 * ULP);
    }
}
