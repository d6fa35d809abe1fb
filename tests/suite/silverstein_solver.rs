//! The solver of the general law: companion values before they are proved.

use num_complex::Complex64;
use rootrate::resolvent::SilversteinLaw;
use rootrate::spectrum::Spectrum;
use serde_json::Value;

fn law(atoms: &[f64], weights: &[f64], ratio: f64) -> SilversteinLaw {
    let spectrum = Spectrum::from_atoms(atoms, weights).expect("a spectrum");
    SilversteinLaw::new(&spectrum, ratio).expect("a law")
}

/// n equal weights on a geometric grid.
fn geometric(n: usize, lo: f64, hi: f64, ratio: f64) -> SilversteinLaw {
    let atoms: Vec<f64> = (0..n).map(|k| lo * (hi / lo).powf(k as f64 / (n - 1) as f64)).collect();
    law(&atoms, &vec![1.0 / n as f64; n], ratio)
}

fn number(v: &Value) -> f64 {
    v.as_str().expect("a string").parse().expect("a number")
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().expect("a list").iter().map(number).collect()
}

/// Cosine grids of `n` points in every component, points in gaps and off the axis.
fn points(law: &SilversteinLaw, n: u32) -> Vec<Complex64> {
    let mut z = vec![];
    for c in &law.support().components {
        let (a, b) = (c.lower.position.value, c.upper.position.value);
        for k in 0..n {
            let t = (std::f64::consts::PI * (f64::from(k) + 0.5) / f64::from(n)).cos();
            let x = 0.5 * (a + b) - 0.5 * (b - a) * t;
            z.push(Complex64::new(x, 0.0));
            z.push(Complex64::new(x, 1e-3 * (b - a)));
        }
        z.push(Complex64::new(1.0001 * b, 0.0));
        z.push(Complex64::new(-a - 1.0, 1e-9));
    }
    z
}

/// Roots of the polynomial equation in 250 digits: inside and outside the support, at distances
/// down to one ulp from edges, off the axis from 1e-100 to 1e90. Modulus and imaginary part (the
/// density) each have the stated relative error.
#[test]
fn roots_agree_with_the_polynomials_in_250_digits() {
    let golden: Value =
        serde_json::from_str(include_str!("../golden/silverstein_solver.json")).expect("JSON");
    let mut compared = 0;
    for entry in golden["laws"].as_array().expect("laws") {
        let law =
            law(&numbers(&entry["atoms"]), &numbers(&entry["weights"]), number(&entry["ratio"]));
        let rows = entry["roots"].as_array().expect("roots");
        let z: Vec<_> =
            rows.iter().map(|r| numbers(&r["z"])).map(|z| Complex64::new(z[0], z[1])).collect();
        let found = law.companions_unproved(&z).expect("not a pole");
        for ((row, z), v) in rows.iter().zip(&z).zip(found) {
            let u = numbers(&row["u"]);
            let square = u[0].hypot(u[1]).powi(2);
            let exact = if square > 0.0 && square.is_finite() {
                Complex64::new(-u[0] / square, u[1] / square)
            } else {
                -Complex64::new(u[0], u[1]).inv()
            };
            let whole = (v - exact).norm() / exact.norm();
            let part = if exact.im == 0.0 {
                v.im.abs() / exact.norm()
            } else {
                (v.im - exact.im).abs() / exact.im
            };
            let near = row["edge_distance"].as_f64().expect("a number") < 1e-6;
            let tolerance = if near { 1e-9 } else { 1e-12 };
            let place = format!("{} {z}: {v} {exact}", entry["name"]);
            assert!(whole.max(part) <= tolerance, "{place}: {whole:e} {part:e}");
            compared += 1;
        }
    }
    assert!(compared > 700, "{compared}");
}

/// Each value depends on its z and the law only: not on the array, its order, the lanes it
/// shares, or the number of threads; also where a coarse measure is solved first.
#[test]
fn a_scalar_call_equals_the_array_call_on_any_number_of_threads() {
    let laws = [
        law(&[1.0, 10.0], &[0.5, 0.5], 0.3),
        law(&[1.0, 3.176540655470742], &[0.5, 0.5], 0.3),
        geometric(300, 1e-8, 1e8, 1.0),
        geometric(9000, 0.1, 10.0, 0.5),
    ];
    for law in laws {
        let z = points(&law, 40);
        let all = law.companions_unproved(&z).expect("values");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
        let fresh = law.clone();
        assert_eq!(pool.install(|| fresh.companions_unproved(&z)).expect("values"), all);
        let reversed: Vec<_> = z.iter().rev().copied().collect();
        let mut back = law.companions_unproved(&reversed).expect("values");
        back.reverse();
        assert_eq!(back, all);
        for (z, v) in z.iter().zip(&all).step_by(7) {
            assert_eq!(law.companions_unproved(&[*z]).expect("a value")[0], *v);
        }
    }
}

/// All points of a law with more atoms than the coarse measure keeps are proved, with the radii
/// of a small one.
#[test]
fn very_many_atoms_are_solved_to_the_last_digits() {
    let law = geometric(20_000, 0.1, 10.0, 0.5);
    let z = points(&law, 50);
    for (z, v) in z.iter().zip(law.companions(&z).expect("values")) {
        assert!(v.radius() <= 1e-12 * v.value().norm(), "{z}: {v:?}");
    }
}

/// Quantiles of a log-normal law: dense in the middle, with tails so sparse that single atoms
/// make components of their own, beside bulks that hang together by a thread.
#[test]
fn sparse_tails_of_very_many_atoms_are_solved_too() {
    use statrs::distribution::{ContinuousCDF, Normal};
    let normal = Normal::standard();
    let n = 20_000;
    // unequal steps, so that gaps of all sizes occur
    let at = |k: usize| (k as f64 + 0.5 + 0.45 * (k as f64 * 1.7).sin()) / n as f64;
    let atoms: Vec<f64> = (0..n).map(|k| normal.inverse_cdf(at(k)).exp()).collect();
    let law = law(&atoms, &vec![1.0 / n as f64; n], 0.05);
    assert!(law.support().components.len() > 20, "{}", law.support().components.len());
    let z: Vec<_> = points(&law, 4).into_iter().step_by(5).collect();
    for (z, v) in z.iter().zip(law.companions(&z).expect("values")) {
        assert!(v.radius() <= 1e-11 * v.value().norm(), "{z}: {v:?}");
    }
}
