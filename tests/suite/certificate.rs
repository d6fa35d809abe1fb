//! The certificate of the general law: what it must accept, and what it must refuse.

use num_complex::Complex64;
use proptest::prelude::*;
use rootrate::resolvent::silverstein::Reason;
use rootrate::resolvent::{ResolventError, SilversteinLaw};
use rootrate::spectrum::Spectrum;

fn law(atoms: &[f64], weights: &[f64], ratio: f64) -> SilversteinLaw {
    let h = Spectrum::from_atoms(atoms, weights).expect("a spectrum");
    SilversteinLaw::new(&h, ratio).expect("a law")
}

fn laws() -> Vec<SilversteinLaw> {
    vec![
        law(&[1.0], &[1.0], 0.5),
        law(&[1.0], &[1.0], 2.0),
        law(&[1.0, 10.0], &[0.5, 0.5], 0.3),
        law(&[1.0, 4.0], &[0.999, 0.001], 0.5),
        law(&[0.0, 1.0, 5.0], &[0.4, 0.3, 0.3], 0.5),
        law(&[1.0, 4.0], &[0.5, 0.5], 1.0),
        law(&[1e-8, 1e-4, 1.0], &[0.3, 0.3, 0.4], 0.7),
    ]
}

/// z's in the upper half plane and on the axis, around the spectrum.
fn points() -> Vec<Complex64> {
    let mut points = vec![];
    for x in [-3.0, -0.1, 0.01, 0.3, 0.9, 2.5, 6.0, 12.0] {
        for y in [0.0, 1e-6, 1e-2, 1.0] {
            points.push(Complex64::new(x, y));
        }
    }
    points
}

/// x(v) = −1/v + cΣhτ/(1+τv) and dx/dv, plainly.
fn companion_equation(atoms: &[(f64, f64)], c: f64, v: Complex64) -> (Complex64, Complex64) {
    let (mut x, mut slope) = (-1.0 / v, 1.0 / (v * v));
    for &(t, h) in atoms {
        let q = t / (1.0 + t * v);
        x += c * h * q;
        slope -= c * h * q * q;
    }
    (x, slope)
}

#[test]
fn proves_solutions_and_refuses_conjugates() {
    for law in laws() {
        for z in points() {
            let v = law.companion(z).expect("not a pole");
            let radius = law.certify(z, v.value());
            let size = v.value().norm();
            assert!(radius.is_ok_and(|r| r < 1e-11 * size), "{z}: {v:?}, {radius:?}");
            let below = law.certify(z.conj(), v.value().conj());
            if z.im > 0.0 {
                assert_eq!(below, radius, "{z}");
                assert_eq!(law.certify(z.conj(), v.value()), Err(Reason::Branch), "{z}");
            }
            if v.value().im > 0.0 {
                assert_eq!(law.certify(z, v.value().conj()), Err(Reason::Branch), "{z}");
            }
        }
    }
}

/// A value that is off gets no proof, or a radius that admits how far it is off: 10 of its own
/// bounds away, the claim must be at least 8.
#[test]
fn a_value_off_by_ten_bounds_is_not_given_its_bound() {
    for law in laws() {
        for z in points() {
            let v = law.companion(z).expect("not a pole");
            let shift = 10.0 * v.radius().max(1e-14 * v.value().norm());
            for direction in [1.0, -1.0] {
                let moved = v.value() + direction * shift;
                if let Ok(radius) = law.certify(z, moved) {
                    assert!(radius >= 0.8 * shift, "{z}: {radius:e} for {shift:e}");
                }
            }
            let moved = Complex64::new(v.value().re, v.value().im + shift);
            if let Ok(radius) = law.certify(z, moved) {
                assert!(radius >= 0.8 * shift, "{z}: {radius:e} for {shift:e}");
            }
        }
    }
}

/// All real roots of x(v) = z of two atoms outside the support: only the one with dx/dv > 0 is
/// the transform.
#[test]
fn real_roots_where_x_decreases_are_refused() {
    let atoms = [(1.0, 0.5), (10.0, 0.5)];
    let law = law(&[1.0, 10.0], &[0.5, 0.5], 0.3);
    // below the support, in the gap, above, and negative
    for x in [0.1, 0.25, 2.0, 3.0, 3.8, 21.0, 100.0, -1.0] {
        let z = Complex64::new(x, 0.0);
        let truth = law.companion(z).expect("not a pole").value();
        let (mut accepted, mut refused) = (0, 0);
        let mut roots: Vec<f64> = vec![];
        for i in 0..400 {
            let start = if i < 200 {
                -1.5 + 0.0075 * f64::from(i)
            } else {
                0.05 * f64::from(i - 199) - 5.0
            };
            let mut v = Complex64::new(start + 1e-4, 0.0);
            for _ in 0..60 {
                let (value, slope) = companion_equation(&atoms, 0.3, v);
                v -= (value - z) / slope;
            }
            let (value, _) = companion_equation(&atoms, 0.3, v);
            let old = roots.iter().any(|r| (r - v.re).abs() < 1e-9 * r.abs());
            let residual = (value - z).norm();
            if old || residual.is_nan() || residual >= 1e-10 * (1.0 + x.abs()) {
                continue;
            }
            roots.push(v.re);
            let (_, slope) = companion_equation(&atoms, 0.3, v);
            match law.certify(z, v) {
                Ok(radius) => {
                    accepted += 1;
                    assert!(slope.re > 0.0 && (v - truth).norm() <= radius + 1e-14 * v.norm());
                }
                Err(reason) => {
                    refused += 1;
                    assert!(slope.re < 0.0 && reason == Reason::Branch, "{x}: {v}, {reason}");
                }
            }
        }
        assert_eq!((accepted, refused), (1, 2), "{x}: {roots:?}");
    }
}

/// Plain Newton from bad starts ends on every root of the equation; those in the wrong half
/// plane are refused, whatever their residual. c = 2, z = −1+1e-3i is a known trap.
#[test]
fn plain_newton_from_bad_starts_is_caught() {
    let cases = [(vec![(1.0, 1.0)], 2.0), (vec![(1.0, 0.5), (10.0, 0.5)], 0.3)];
    let mut wrong = 0;
    for (atoms, c) in cases {
        let (t, h): (Vec<f64>, Vec<f64>) = atoms.iter().copied().unzip();
        let law = law(&t, &h, c);
        for z in [Complex64::new(-1.0, 1e-3), Complex64::new(2.0, 0.1), Complex64::new(0.5, 1e-5)] {
            let truth = law.companion(z).expect("not a pole");
            for i in 0..81 {
                let start = Complex64::new(f64::from(i % 9) - 4.4, f64::from(i / 9) - 3.9);
                let mut v = start;
                for _ in 0..200 {
                    let (value, slope) = companion_equation(&atoms, c, v);
                    v -= (value - z) / slope;
                }
                match law.certify(z, v) {
                    Ok(radius) => {
                        let error = (v - truth.value()).norm();
                        assert!(error <= radius + truth.radius(), "{z} from {start}: {v}");
                    }
                    Err(_) => {
                        let error = (v - truth.value()).norm();
                        assert!(error.is_nan() || error >= 1e-10, "{z} from {start}: {v}");
                        wrong += usize::from(v.is_finite());
                    }
                }
            }
        }
    }
    assert!(wrong > 10, "too few wrong branches were met: {wrong}");
}

#[test]
fn odd_arguments_are_refused_without_a_panic() {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let fine = Complex64::new(0.5, 0.5);
    for law in laws() {
        for a in odd {
            for bad in [Complex64::new(a, 0.0), Complex64::new(0.0, a), Complex64::new(a, a)] {
                assert!(law.certify(bad, fine).is_err());
                assert!(law.certify(fine, bad).is_err());
                assert!(law.certify(bad, bad).is_err());
            }
        }
        for a in [0.0, -0.0, 1e-320, -1e-320, 1e-160, 1e160, f64::MAX, f64::MIN, -1.0] {
            for b in [0.0, -0.0, 1e-320, 1e-160, 1e160, f64::MAX] {
                let extreme = Complex64::new(a, b);
                for (z, v) in [(extreme, fine), (fine, extreme), (extreme, extreme)] {
                    if let Ok(radius) = law.certify(z, v) {
                        assert!(radius >= 0.0 && radius.is_finite(), "{z} {v}: {radius}");
                    }
                }
                let density = law.density(a);
                assert!(density.is_err() || density.is_ok_and(|f| !f.value().is_nan()));
                for transform in [
                    law.companion(extreme),
                    law.stieltjes(extreme),
                    law.companion_derivative(extreme),
                    law.stieltjes_derivative(extreme),
                ] {
                    match transform {
                        Ok(y) => {
                            assert!(!y.value().is_nan() && y.radius() >= 0.0, "{extreme}: {y:?}")
                        }
                        Err(e) => {
                            assert!(matches!(e, ResolventError::Domain { .. }), "{extreme}: {e}")
                        }
                    }
                }
            }
        }
    }
}

/// Edges: certified down to distances at which the square root of the distance has lost nothing.
#[test]
fn points_an_ulp_from_an_edge_are_certified() {
    for law in laws() {
        for component in &law.support().components {
            for edge in [&component.lower, &component.upper] {
                let e = edge.position.value;
                for steps in [2.0, 16.0, 1e4] {
                    for side in [-1.0, 1.0] {
                        let x = e + side * steps * e * f64::EPSILON;
                        if edge.hard {
                            continue;
                        }
                        let f = law.density(x).expect("a density");
                        assert!(f.is_certified(), "{e} + {side}·{steps} ulp: {f:?}");
                        assert!(f.radius() <= 1e-9 * f.value(), "{f:?}");
                    }
                }
            }
        }
    }
}

fn spectrum() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, f64)> {
    let atom = (-16.0..0.0_f64).prop_map(|e| 10.0_f64.powf(e));
    let weight =
        prop_oneof![4 => 0.1..1.0_f64, 1 => (-12.0..-2.0_f64).prop_map(|e| 10.0_f64.powf(e))];
    let atoms = prop::collection::vec((atom, weight), 1..300);
    let ratio = prop_oneof![5 => (-3.0..3.0_f64).prop_map(|e| 10.0_f64.powf(e)), 1 => Just(1.0)];
    (atoms, ratio, prop::bool::ANY, prop::bool::ANY).prop_map(|(atoms, ratio, zero, twin)| {
        let (mut t, mut h): (Vec<f64>, Vec<f64>) = atoms.into_iter().unzip();
        if zero {
            t.push(0.0);
            h.push(0.3);
        }
        if twin {
            t.push(t[0] * (1.0 + 1e-13));
            h.push(h[0]);
        }
        let sum: f64 = h.iter().sum();
        h.iter_mut().for_each(|h| *h /= sum);
        (t, h, ratio)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// No point outside the neighbourhood of the edges is left without a proof, and v and m with
    /// their radii satisfy the companion equation and m = (v + (1−c)/z)/c.
    #[test]
    fn random_spectra_are_certified_everywhere((t, h, ratio) in spectrum(), place in 0.0..1.0_f64, height in -14.0..1.0_f64) {
        let law = law(&t, &h, ratio);
        let top = t.iter().copied().fold(0.0, f64::max) * (1.0 + ratio.sqrt()).powi(2);
        let components = &law.support().components;
        let component = &components[(place * components.len() as f64) as usize];
        let (a, b) = (component.lower.position.value, component.upper.position.value);
        let inside = a + (b - a) * (0.01 + 0.98 * place);
        for z in [
            Complex64::new(inside, 0.0),
            Complex64::new(inside, top * 10.0_f64.powf(height)),
            Complex64::new(-top * 10.0_f64.powf(height), 0.0),
            Complex64::new(1.1 * top, 0.0),
        ] {
            let (v, m) = (law.companion(z).expect("v"), law.stieltjes(z).expect("m"));
            prop_assert!(v.is_certified() && m.is_certified(), "{}: {:?} {:?}", z, v, m);
            let scale = v.value().norm() + ((1.0 - ratio) / z).norm() + ratio * m.value().norm();
            let identity = v.value() + (1.0 - ratio) / z - ratio * m.value();
            let allowed = v.radius() + ratio * m.radius() + 4.0 * f64::EPSILON * scale;
            prop_assert!(identity.norm() <= allowed, "{}: {:?} {:?}", z, v, m);
            prop_assert!(v.radius() <= 1e-9 * v.value().norm(), "{}: {:?}", z, v);
        }
    }
}
