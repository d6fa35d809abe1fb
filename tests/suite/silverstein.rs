//! Density and transforms of the general law against mpmath, to 25 digits.
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
    #[serde(default)]
    points: Vec<Points>,
    #[serde(default)]
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
fn density_agrees_with_mpmath_at_every_point() {
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

fn check(cases: &[Points], tight: f64) {
    let mut worst = [0.0_f64; 4];
    for case in cases {
        let law = law(&case.ratio, &case.atoms, &case.weights);
        for row in &case.rows {
            for (i, (y, reference)) in transforms(&law, row).into_iter().enumerate() {
                let place =
                    format!("{} at {:?}, transform {i}: {y:?}, {reference}", case.name, &row[..2]);
                assert!(y.is_certified(), "{place}");
                let error = (y.value() - reference).norm();
                assert!(error <= y.radius() + rounding(reference.norm()), "{place}");
                worst[i] = worst[i].max(y.radius() / reference.norm());
                if y.radius() > tight * reference.norm() {
                    println!("LOOSE {place}");
                }
            }
        }
    }
    println!("WORST {worst:?}");
}

#[test]
fn transforms_agree_with_mpmath_in_the_plane() {
    check(&golden().points, 1e-11);
}

#[test]
fn transforms_of_random_spectra_agree_with_mpmath() {
    check(&golden().random, 1e-11);
}
