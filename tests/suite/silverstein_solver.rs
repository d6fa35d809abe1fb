//! The solver of the general law: roots u(z) of x(u) = z before they are proved.

use num_complex::Complex64;
use rootrate::resolvent::SilversteinLaw;
use rootrate::spectrum::Spectrum;
use serde_json::Value;

fn law(atoms: &[f64], weights: &[f64], ratio: f64) -> SilversteinLaw {
    SilversteinLaw::new(&Spectrum::from_atoms(atoms, weights).unwrap(), ratio).unwrap()
}

fn equal(atoms: &[f64], ratio: f64) -> SilversteinLaw {
    law(atoms, &vec![1.0 / atoms.len() as f64; atoms.len()], ratio)
}

fn geometric(n: usize, lo: f64, hi: f64) -> Vec<f64> {
    (0..n).map(|k| lo * (hi / lo).powf(k as f64 / (n - 1) as f64)).collect()
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// A decimal string as the nearest double and the remainder, good to 30 digits of the string.
fn decimal(text: &str) -> f64 {
    text.parse().unwrap()
}

#[test]
fn roots_agree_with_the_polynomials_in_250_digits() {
    let golden: Value =
        serde_json::from_str(include_str!("../golden/silverstein_solver.json")).unwrap();
    let mut compared = 0;
    for entry in golden["laws"].as_array().unwrap() {
        let law = law(
            &numbers(&entry["atoms"]),
            &numbers(&entry["weights"]),
            entry["ratio"].as_f64().unwrap(),
        );
        let roots = entry["roots"].as_array().unwrap();
        let z: Vec<Complex64> = roots
            .iter()
            .map(|r| {
                let z = numbers(&r["z"]);
                Complex64::new(z[0], z[1])
            })
            .collect();
        let mut worst = [0.0_f64; 2];
        for ((root, z), (s, w)) in roots.iter().zip(&z).zip(law.unproved_roots(&z)) {
            let u = root["u"].as_array().unwrap();
            let (re, im) = (decimal(u[0].as_str().unwrap()), decimal(u[1].as_str().unwrap()));
            let scale = re.hypot(im);
            let error = ((s[0] - re) + s[1] + w.re).hypot(w.im - im) / scale;
            // the small component alone: Im u is what the density is made of
            let part = if im == 0.0 { w.im } else { (w.im - im).abs() / im };
            let error = error.max(part);
            let near = root["edge_distance"].as_f64().unwrap() < 1e-6;
            worst[usize::from(near)] = worst[usize::from(near)].max(error);
            if std::env::var_os("VERBOSE").is_some() && error > 1e-14 {
                eprintln!(
                    "{} {z} error {error:.1e} near {near} s {s:?} w {w} u {re} {im}",
                    entry["name"]
                );
            }
            compared += 1;
        }
        eprintln!("{} worst {:.1e} {:.1e}", entry["name"], worst[0], worst[1]);
    }
    assert!(compared > 700, "{compared}");
}

#[test]
fn timing() {
    for (name, law, n) in [
        ("2", equal(&[1.0, 10.0], 0.3), 2usize),
        ("100", equal(&geometric(100, 0.1, 10.0), 0.5), 100),
        ("1000", equal(&geometric(1000, 0.1, 10.0), 0.5), 1000),
        ("100000", equal(&geometric(100_000, 0.1, 10.0), 0.5), 100_000),
    ] {
        let mut x = Vec::new();
        let parts = law.support().components.len();
        for c in &law.support().components {
            let (a, b) = (c.lower.position.value, c.upper.position.value);
            let m = 1000 / parts;
            for k in 0..m {
                let t = (std::f64::consts::PI * (k as f64 + 0.5) / m as f64).cos();
                x.push(Complex64::new(0.5 * (a + b) - 0.5 * (b - a) * t, 0.0));
            }
        }
        let (mut cold, mut warm) = (f64::INFINITY, f64::INFINITY);
        let repeats = if n < 5000 { 30 } else { 2 };
        for _ in 0..repeats {
            let fresh = law.clone_cold();
            let t = std::time::Instant::now();
            fresh.unproved_roots(&x);
            cold = cold.min(t.elapsed().as_secs_f64());
            let t = std::time::Instant::now();
            fresh.unproved_roots(&x);
            warm = warm.min(t.elapsed().as_secs_f64());
        }
        eprintln!(
            "{name} atoms: table+solve {:.3} ms, solve {:.3} ms; {}",
            cold * 1e3,
            warm * 1e3,
            law.statistics()
        );
    }
}
