//! Density and transforms of the general law against references computed with 100 digits.
//!
//! Tolerances: away from edges a radius of 1e-11 relative is asked of every value, and a density
//! error of 1e-12. The certificate's own bound is near 70u|w|²Σg/|e| over |x'(u)|, i.e. 1e-14
//! times the condition of the root.

use num_complex::Complex64;
use rootrate::resolvent::silverstein::{Checked, Reason};
use rootrate::resolvent::{MarchenkoPastur, ResolventError, SilversteinLaw};
use rootrate::spectrum::Spectrum;
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    axis: Vec<Axis>,
    points: Vec<Points>,
    random: Vec<Points>,
}

#[derive(Deserialize)]
struct Axis {
    name: String,
    ratio: String,
    atoms: Vec<String>,
    weights: Vec<String>,
    edges: Vec<Vec<String>>,
    x: Vec<String>,
    density: Vec<String>,
}

#[derive(Deserialize)]
struct Points {
    name: String,
    ratio: String,
    atoms: Vec<String>,
    weights: Vec<String>,
    rows: Vec<Vec<String>>,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../golden/silverstein.json")).expect("valid golden file")
}

/// The nearest double: the text is read by `str::parse`, since the JSON reader may be 1 ulp off.
fn parse(text: &str) -> f64 {
    text.parse().expect("a number")
}

fn law(ratio: &str, atoms: &[String], weights: &[String]) -> SilversteinLaw {
    let parse_all = |x: &[String]| x.iter().map(|x| parse(x)).collect::<Vec<_>>();
    let h = Spectrum::from_atoms(&parse_all(atoms), &parse_all(weights)).expect("a spectrum");
    SilversteinLaw::new(&h, parse(ratio)).expect("a law")
}

/// Half an ulp: the rounding of the reference.
fn rounding(reference: f64) -> f64 {
    0.51 * f64::EPSILON * reference.abs()
}

#[test]
fn density_agrees_with_a_hundred_digits_at_every_point() {
    for case in golden().axis {
        let law = law(&case.ratio, &case.atoms, &case.weights);
        let edges: Vec<_> = case.edges.iter().flatten().map(|e| parse(e)).collect();
        let width = edges[edges.len() - 1] - edges[0];
        for (x, reference) in case.x.iter().zip(&case.density) {
            let (x, reference) = (parse(x), parse(reference));
            let density = law.density(x).expect("a density");
            let name = &case.name;
            let f = density.certified().unwrap_or_else(|e| panic!("{name} at {x:?}: {e}"));
            let error = (f.value - reference).abs();
            let near = edges.iter().any(|e| (x - e).abs() < 1e-6 * width);
            let (tolerance, radius) = if near { (1e-9, 1e-9) } else { (1e-12, 1e-11) };
            assert!(error <= tolerance * reference, "{name} at {x:?}: {f:?}, {reference}");
            assert!(error <= f.radius + rounding(reference), "{name} at {x:?}: {f:?}, {reference}");
            assert!(f.radius <= radius * reference, "{name} at {x:?}: {f:?}");
        }
    }
}

/// v, v', m, m' with their references.
fn transforms(law: &SilversteinLaw, row: &[String]) -> [(Checked<Complex64>, Complex64); 4] {
    let row: Vec<f64> = row.iter().map(|x| parse(x)).collect();
    let z = Complex64::new(row[0], row[1]);
    let at = |i: usize| Complex64::new(row[2 + 2 * i], row[3 + 2 * i]);
    [
        (law.companion(z).expect("v"), at(0)),
        (law.companion_derivative(z).expect("v'"), at(1)),
        (law.stieltjes(z).expect("m"), at(2)),
        (law.stieltjes_derivative(z).expect("m'"), at(3)),
    ]
}

/// Every value is certified, contains the reference, and has a radius ≤ 1e-11 relative.
fn check(cases: &[Points]) {
    assert!(!cases.is_empty());
    for case in cases {
        let law = law(&case.ratio, &case.atoms, &case.weights);
        for row in &case.rows {
            for (i, (y, reference)) in transforms(&law, row).into_iter().enumerate() {
                let place =
                    format!("{} at {:?}, transform {i}: {y:?}, {reference}", case.name, &row[..2]);
                assert!(y.is_certified(), "{place}");
                let (error, size) = ((y.value() - reference).norm(), reference.norm());
                assert!(error <= y.radius() + rounding(size), "{place}");
                assert!(y.radius() <= 1e-11 * size, "{place}");
            }
        }
    }
}

#[test]
fn transforms_agree_with_a_hundred_digits_in_the_plane() {
    check(&golden().points);
}

#[test]
fn transforms_of_random_spectra_agree_with_a_hundred_digits() {
    check(&golden().random);
}

fn spectrum(atoms: &[f64], weights: &[f64]) -> Spectrum {
    Spectrum::from_atoms(atoms, weights).expect("a spectrum")
}

fn general(atoms: &[f64], weights: &[f64], ratio: f64) -> SilversteinLaw {
    SilversteinLaw::new(&spectrum(atoms, weights), ratio).expect("a law")
}

/// One atom is the closed form, with its own error of 8 (20 for derivatives) ulp.
#[test]
fn one_atom_is_the_marchenko_pastur_law() {
    for (ratio, scale) in [(0.5, 1.0), (1.0, 3.0), (2.0, 0.1), (1e-3, 1.0), (1e3, 2.0)] {
        let closed = MarchenkoPastur::new(ratio, scale).expect("a law");
        let law = general(&[scale], &[1.0], ratio);
        let (a, b) = closed.support();
        for k in 1..20 {
            let x = a + (b - a) * f64::from(k) / 20.0;
            let f = law.density(x).expect("a density").certified().expect("a proof");
            let expected = closed.density(x).expect("a density");
            assert!((f.value - expected).abs() <= f.radius + 12.0 * f64::EPSILON * expected);
            for y in [1e-9, 0.3, -2.0] {
                let z = Complex64::new(x, scale * y);
                let pairs = [
                    (law.stieltjes(z), closed.stieltjes(z)),
                    (law.companion(z), closed.companion(z)),
                    (law.stieltjes_derivative(z), closed.stieltjes_derivative(z)),
                    (law.companion_derivative(z), closed.companion_derivative(z)),
                ];
                for (general, closed) in pairs {
                    let (general, closed) = (general.expect("a value"), closed.expect("a value"));
                    let error = (general.value() - closed).norm();
                    let allowed = general.radius() + 20.0 * f64::EPSILON * closed.norm();
                    assert!(error <= allowed, "{ratio} {z}: {general:?}, {closed}");
                }
            }
        }
    }
}

#[test]
fn arrays_are_the_scalars_to_the_last_bit() {
    let law = general(&[1.0, 4.0, 30.0], &[0.5, 0.3, 0.2], 0.4);
    let x: Vec<f64> = (0..37).map(|i| 2.0 * f64::from(i) - 3.0).collect();
    let z: Vec<_> = x.iter().map(|&x| Complex64::new(x, (x * 0.7).sin())).collect();
    let densities = law.densities(&x).expect("densities");
    let companions = law.companions(&z).expect("v");
    let companion_derivatives = law.companion_derivatives(&z).expect("v'");
    let stieltjes = law.stieltjes_all(&z).expect("m");
    let stieltjes_derivatives = law.stieltjes_derivatives(&z).expect("m'");
    let pairs: Vec<_> = z.iter().zip(&companions).map(|(z, v)| (*z, v.value())).collect();
    let radii = law.certify_all(&pairs);
    for i in 0..x.len() {
        assert_eq!(densities[i], law.density(x[i]).expect("a density"));
        assert_eq!(companions[i], law.companion(z[i]).expect("v"));
        assert_eq!(companion_derivatives[i], law.companion_derivative(z[i]).expect("v'"));
        assert_eq!(stieltjes[i], law.stieltjes(z[i]).expect("m"));
        assert_eq!(stieltjes_derivatives[i], law.stieltjes_derivative(z[i]).expect("m'"));
        assert_eq!(radii[i], law.certify(pairs[i].0, pairs[i].1));
    }
}

#[test]
fn the_density_is_exactly_zero_outside_the_support() {
    let law = general(&[1.0, 10.0], &[0.5, 0.5], 0.3);
    let zero = Checked::Certified { value: 0.0, radius: 0.0 };
    let outside = [
        f64::NEG_INFINITY,
        -1e300,
        -1.0,
        0.0,
        1e-300,
        0.2,
        1.7,
        3.0,
        3.9,
        19.5,
        1e200,
        f64::INFINITY,
    ];
    for x in outside {
        assert_eq!(law.density(x), Ok(zero), "{x}");
    }
    let v = law.companion_real(3.0).expect("v");
    let z = law.companion(Complex64::new(3.0, 0.0)).expect("v").value();
    assert!(z.im == 0.0 && z.re == v.value() && v.is_certified());
}

/// The pole or infinite density at 0, by the sign of 1 − c(1−H{0}).
#[test]
fn values_at_zero_and_at_infinity() {
    let origin = Complex64::new(0.0, 0.0);
    let domain = |r: &Result<Checked<Complex64>, ResolventError>| {
        matches!(r, Err(ResolventError::Domain { .. }))
    };
    // 1 − c = ½: m(0) = (1/(1−c))∫dH/τ, m'(0) = ∫dH/τ²/(1−c)² + c(∫dH/τ)²/(1−c)³
    let law = general(&[1.0, 2.0], &[0.5, 0.5], 0.5);
    let m = law.stieltjes(origin).expect("m(0)");
    assert!((m.value() - 1.5).norm() <= m.radius() && m.radius() < 1e-13);
    let dm = law.stieltjes_derivative(origin).expect("m'(0)");
    let expected = 0.625 / 0.25 + 0.5 * 0.75 * 0.75 / 0.125;
    assert!((dm.value() - expected).norm() <= dm.radius() && dm.radius() < 1e-12, "{dm:?}");
    assert!(domain(&law.companion(origin)) && domain(&law.companion_derivative(origin)));
    // an atom at 0 in H
    let law = general(&[0.0, 1.0], &[0.5, 0.5], 0.5);
    assert!(domain(&law.stieltjes(origin)) && domain(&law.companion(origin)));
    assert_eq!(law.density(0.0).map(|f| f.radius()), Ok(0.0));
    // the hard edge, with and without atom
    for law in [general(&[1.0], &[1.0], 1.0), general(&[0.0, 3.0], &[0.5, 0.5], 2.0)] {
        assert!(domain(&law.stieltjes(origin)) && domain(&law.companion(origin)));
        assert!(matches!(law.density(0.0), Err(ResolventError::Domain { .. })));
    }
    // p > n: v(0) is finite, one atom: z = −1/v + 2/(1+v) = 0 for v = 1
    let law = general(&[1.0], &[1.0], 2.0);
    let v = law.companion(origin).expect("v(0)");
    assert!((v.value() - 1.0).norm() <= v.radius() && v.radius() < 1e-13, "{v:?}");
    assert!(domain(&law.stieltjes(origin)));
    for infinite in [Complex64::new(f64::INFINITY, 0.0), Complex64::new(0.0, f64::NEG_INFINITY)] {
        assert_eq!(law.companion(infinite).map(|v| v.value()), Ok(origin));
    }
    let nan = Complex64::new(0.0, f64::NAN);
    assert!(matches!(law.companion(nan), Err(ResolventError::NotANumber { .. })));
    assert!(matches!(law.density(f64::NAN), Err(ResolventError::NotANumber { .. })));
}

/// Where even the edge is not known well enough, the value says so.
#[test]
fn the_edge_itself_is_not_certified() {
    // c = ½, H = δ₁ scaled so that the edge (1 − √c)² = ¼ is a double: c = ¼
    let law = general(&[1.0], &[1.0], 0.25);
    let f = law.density(0.25).expect("a density");
    assert!(!f.is_certified() && f.reason() == Some(Reason::Edge), "{f:?}");
}
