//! Dirac mixtures: goldens in 40 digits, published figures, symmetries, certificates.

use super::entropy_analytic::{assert_contains, certified};
use proptest::prelude::*;
use rootrate::entropy::{Clock, DataModel, DiracMixture, EntropyError, LowNoise};
use rootrate::numeric::quadrature::{Tolerance, integrate};
use serde_json::Value;

pub(crate) fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/entropy.json")).unwrap()
}

fn floats(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn pair() -> DiracMixture {
    DiracMixture::on_line(&[-1.0, 1.0], &[0.5, 0.5]).unwrap()
}

/// Every certificate contains the 25-digit value, and is tight relative to it: (E6.5) grows
/// with the squared distance of the decisive nodes, half the smallest gap in units of σ.
#[test]
fn goldens() {
    for mixture in golden()["mixtures"].as_array().unwrap() {
        let centres: Vec<Vec<f64>> =
            mixture["centres"].as_array().unwrap().iter().map(floats).collect();
        let model = DiracMixture::new(&centres, &floats(&mixture["weights"])).unwrap();
        let gaps = centres.iter().enumerate().flat_map(|(i, a)| {
            let others = &centres[..i];
            others.iter().map(|b| a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>())
        });
        let gap2 = gaps.fold(f64::INFINITY, f64::min);
        for point in mixture["points"].as_array().unwrap() {
            let sigma = point["sigma"].as_f64().unwrap();
            let context = format!("{}, σ = {sigma}", mixture["name"]);
            let width = 1e-13 + 1e-15 * gap2 / (sigma * sigma);
            let mmse = certified(model.mmse(sigma).unwrap());
            assert_contains(mmse, point["mmse"].as_str().unwrap(), width, &context);
            let entropy = model.conditional_entropy(sigma).unwrap();
            let exact = point["conditional_entropy"].as_str().unwrap();
            assert_contains(entropy, exact, width, &context);
        }
    }
}

#[test]
fn the_published_pair() {
    let figures = [
        (0.3, 0.0013240784),
        (0.5, 0.0685974088),
        (0.7, 0.2250938374),
        (1.0, 0.4495995092),
        (2.0, 0.7959457344),
        (5.0, 0.9615031010),
    ];
    for (sigma, mmse) in figures {
        // ten decimals are given
        assert!((pair().mmse(sigma).unwrap().value() - mmse).abs() < 5.1e-11, "σ = {sigma}");
    }
}

/// ∫mmse/σ³ dσ over [.002, 80] = ln 2 − I(80), with I(80) = ½·80⁻²(1 − O(80⁻²)) (E1).
#[test]
fn the_area_is_the_entropy() {
    let model = pair();
    let rate = |l: f64| {
        let sigma = l.exp();
        Clock::LogSigma.rate(sigma, model.mmse(sigma).unwrap().value())
    };
    let area = integrate(rate, f64::ln(0.002), f64::ln(80.0), Tolerance::relative(1e-11)).unwrap();
    let end = certified(model.information(80.0).unwrap());
    assert!((area.value - (2f64.ln() - end.value)).abs() < 1e-10, "{area:?}");
    assert!((area.value - 0.69306906).abs() < 1e-8);
}

/// The ±1 pair against its expansion I = ½γ − ¼γ² + γ³/6 − (5/24)γ⁴ + …, which is where the
/// difference of entropies hands over to the sandwich (E5″).
#[test]
fn information_at_large_noise() {
    for sigma in [30.0, 1e3, 1e6, 1e12, 1e100] {
        let gamma: f64 = 1.0 / (sigma * sigma);
        let information = certified(pair().information(sigma).unwrap());
        let series = 0.5 * gamma - 0.25 * gamma * gamma + gamma * gamma * gamma / 6.0;
        let rest = gamma.powi(4) + 4.0 * f64::EPSILON * series;
        assert!((information.value - series).abs() <= information.radius + rest, "σ = {sigma}");
        // the rounding bound (E6.5′) is near 100u·ln 2
        assert!(information.radius <= 2e-14, "σ = {sigma}: {information:?}");
    }
    let far = certified(pair().information(1e12).unwrap());
    assert!(far.relative_radius() < 1e-13);
}

#[test]
fn one_atom_and_tiny_noise() {
    let single = DiracMixture::on_line(&[3.0, 3.0], &[0.5, 0.5]).unwrap();
    assert_eq!(single.atoms(), 1);
    assert_eq!(single.mmse(1.0).unwrap().value(), 0.0);
    assert_eq!(single.information(1.0).unwrap().value(), 0.0);
    assert_eq!(single.low_noise(), LowNoise::Discrete { entropy: 0.0 });
    // far below the rate 1e-290 the certificate is [0, tiny]
    for sigma in [0.02, 1e-3, 1e-100, 5e-324] {
        let mmse = certified(pair().mmse(sigma).unwrap());
        assert!(mmse.value <= 1e-290 && mmse.radius <= 1e-290, "σ = {sigma}: {mmse:?}");
        let information = certified(pair().information(sigma).unwrap());
        assert!(information.contains(2f64.ln()) && information.radius < 1e-14);
    }
}

/// The mmse of the ±1 pair against its expansion (E7) at a value near 1e-279.
#[test]
fn relative_accuracy_deep_in_the_tail() {
    // the next term, ∫s⁴/cosh(s)/(8π)·σ⁴ = 5π⁴/128·σ⁴, is 2.3e-6
    let sigma: f64 = 0.028;
    let mmse = certified(pair().mmse(sigma).unwrap());
    let leading = sigma * (std::f64::consts::PI / 2.0).sqrt() * (-0.5 / (sigma * sigma)).exp();
    let ratio = mmse.value / leading;
    let bracket = 1.0 - sigma * sigma * std::f64::consts::PI.powi(2) / 8.0;
    assert!((ratio - bracket).abs() < 2.4e-6, "{ratio} {bracket}");
    assert!(mmse.relative_radius() < 1e-11);
}

/// A product of independent pairs: mmse and entropy add, in the plane and rotated.
#[test]
fn the_plane_is_additive_and_rotation_invariant() {
    let square = |angle: f64, a: f64, b: f64| -> Vec<Vec<f64>> {
        let (s, c) = angle.sin_cos();
        [(a, b), (a, -b), (-a, b), (-a, -b)]
            .iter()
            .map(|&(x, y)| vec![c * x - s * y, s * x + c * y])
            .collect()
    };
    for sigma in [0.4, 1.0, 3.0] {
        let of = |a: f64| DiracMixture::on_line(&[-a, a], &[0.5, 0.5]).unwrap();
        let (p, q) = (of(1.0), of(1.5));
        let mmse = p.mmse(sigma).unwrap().value() + q.mmse(sigma).unwrap().value();
        let entropy = p.conditional_entropy(sigma).unwrap().value
            + q.conditional_entropy(sigma).unwrap().value;
        for angle in [0.0, 0.3, 1.0] {
            let model = DiracMixture::new(&square(angle, 1.0, 1.5), &[0.25; 4]).unwrap();
            let m = certified(model.mmse(sigma).unwrap());
            let h = model.conditional_entropy(sigma).unwrap();
            // sin and cos perturb the centres by ε: factor Δ²/σ² of rounding
            let slack = 1e-14 * mmse;
            assert!(
                (m.value - mmse).abs() <= m.radius + slack,
                "σ = {sigma}, {angle}: {m:?} {mmse}"
            );
            assert!((h.value - entropy).abs() <= h.radius + 1e-14, "σ = {sigma}, {angle}: {h:?}");
            assert!(m.relative_radius() < 1e-12 && h.relative_radius() < 1e-12);
        }
    }
}

#[test]
fn collinear_centres_of_any_dimension_reduce_to_a_line() {
    let t = [-1.0, 0.25, 2.0];
    let weights = [0.25, 0.5, 0.25];
    let line = DiracMixture::on_line(&t, &weights).unwrap();
    let direction = [2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0];
    let embedded: Vec<Vec<f64>> =
        t.iter().map(|s| direction.iter().map(|e| 5.0 + s * e).collect()).collect();
    let model = DiracMixture::new(&embedded, &weights).unwrap();
    for sigma in [0.2, 1.0, 10.0] {
        let (a, b) = (certified(model.mmse(sigma).unwrap()), certified(line.mmse(sigma).unwrap()));
        // the coordinates 5 + s·e are rounded to ε·5 of a scale ≥ 0.25
        assert!((a.value - b.value).abs() <= a.radius + b.radius + 1e-13 * b.value, "{a:?} {b:?}");
    }
    // one varying coordinate: exactly the line
    let axis: Vec<Vec<f64>> = t.iter().map(|&s| vec![4.0, s, -1.0]).collect();
    let model = DiracMixture::new(&axis, &weights).unwrap();
    assert_eq!(model.mmse(0.5).unwrap(), line.mmse(0.5).unwrap());
}

/// Two clusters far apart are two problems: H(x0|x) and mmse are averages (E6.4).
#[test]
fn far_clusters_do_not_interact() {
    let near = DiracMixture::on_line(&[0.0, 1.0, 1.5], &[0.5, 0.25, 0.25]).unwrap();
    let both = DiracMixture::on_line(
        &[0.0, 1.0, 1.5, 1e9, 1e9 + 1.0, 1e9 + 1.5],
        &[0.25, 0.125, 0.125, 0.25, 0.125, 0.125],
    )
    .unwrap();
    for sigma in [0.1, 0.5, 3.0, 100.0] {
        let (a, b) = (certified(near.mmse(sigma).unwrap()), certified(both.mmse(sigma).unwrap()));
        assert!((a.value - b.value).abs() <= a.radius + b.radius, "σ = {sigma}: {a:?} {b:?}");
    }
}

/// Thousands of atoms: a fine grid is a uniform law, whose mmse is a Gaussian integral.
#[test]
fn a_thousand_atoms() {
    let n = 1000;
    let centres: Vec<f64> = (0..n).map(f64::from).collect();
    let model = DiracMixture::on_line(&centres, &vec![1.0 / f64::from(n); n as usize]).unwrap();
    // spacing 1 ≪ σ = 20 ≪ 1000: away from both ends the posterior is N(x, σ²) on a lattice,
    // variance σ² up to e^{−2π²σ²}; the ends lose a part of order σ/n each
    let mmse = certified(model.mmse(20.0).unwrap());
    assert!((mmse.value / 400.0 - 1.0).abs() < 0.05, "{mmse:?}");
    assert!(mmse.value < 400.0 && mmse.relative_radius() < 1e-12, "{mmse:?}");
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let shape = |r: Result<DiracMixture, EntropyError>| {
        assert!(matches!(r, Err(EntropyError::Shape { .. })), "{r:?}");
        r.unwrap_err().to_string()
    };
    let parameter = |r: Result<DiracMixture, EntropyError>| {
        assert!(matches!(r, Err(EntropyError::Parameter { .. })), "{r:?}");
        r.unwrap_err().to_string()
    };
    shape(DiracMixture::new(&[], &[]));
    shape(DiracMixture::new(&[vec![]], &[1.0]));
    shape(DiracMixture::on_line(&[0.0, 1.0], &[1.0]));
    shape(DiracMixture::new(&[vec![0.0], vec![1.0, 2.0]], &[0.5, 0.5]));
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|c| c.to_vec());
    assert!(shape(DiracMixture::new(&corners, &[0.25; 4])).contains("Monte Carlo"));
    let message = parameter(DiracMixture::on_line(&[0.0, f64::NAN], &[0.5, 0.5]));
    assert!(message.contains("centre 1"), "{message}");
    parameter(DiracMixture::on_line(&[0.0, 1e200], &[0.5, 0.5]));
    parameter(DiracMixture::on_line(&[0.0, 1.0], &[1.5, -0.5]));
    parameter(DiracMixture::on_line(&[0.0, 1.0], &[0.5, f64::INFINITY]));
    parameter(DiracMixture::on_line(&[0.0, 1.0], &[0.5, 0.4]));
    for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(pair().mmse(sigma), Err(EntropyError::NoiseLevel { .. })));
    }
    let grid: Vec<Vec<f64>> =
        (0..400).map(|k| vec![f64::from(k % 20), f64::from(k / 20)]).collect();
    let model = DiracMixture::new(&grid, &vec![1.0 / 400.0; 400]).unwrap();
    assert!(matches!(model.mmse(0.1), Err(EntropyError::NoConvergence { .. })));
}

fn mixtures() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    prop::collection::vec((-3.0..3.0_f64, 0.01..1.0_f64), 2..6).prop_map(|atoms| {
        let total: f64 = atoms.iter().map(|a| a.1).sum();
        atoms.into_iter().map(|(a, w)| (a, w / total)).unzip()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Scale and reflection, 0 ≤ I ≤ H(w), linear estimator and (E7) as upper bounds.
    #[test]
    fn identities((centres, weights) in mixtures(), log_sigma in -2.0..2.5_f64) {
        let sigma = log_sigma.exp();
        let model = DiracMixture::on_line(&centres, &weights).unwrap();
        let mmse = certified(model.mmse(sigma).unwrap());
        let scaled: Vec<f64> = centres.iter().map(|a| -8.0 * a).collect();
        let other = DiracMixture::on_line(&scaled, &weights).unwrap();
        let image = certified(other.mmse(8.0 * sigma).unwrap());
        prop_assert!((image.value / 64.0 - mmse.value).abs() <= mmse.radius + image.radius / 64.0);
        let mean: f64 = centres.iter().zip(&weights).map(|(a, w)| a * w).sum();
        let variance: f64 = centres.iter().zip(&weights).map(|(a, w)| w * (a - mean).powi(2)).sum();
        // mmse ≤ best linear error (rounding of the variance: 1e-14)
        let linear = variance * sigma * sigma / (variance + sigma * sigma);
        prop_assert!(mmse.value <= linear * (1.0 + 1e-13) + mmse.radius);
        // (E7)
        let mut small = 0.0;
        for j in 0..centres.len() {
            for k in 0..j {
                let gap2 = (centres[j] - centres[k]).powi(2);
                let overlap = (-gap2 / (8.0 * sigma * sigma)).exp();
                small += 0.5 * gap2 * (weights[j] * weights[k]).sqrt() * overlap;
            }
        }
        prop_assert!(mmse.value <= small * (1.0 + 1e-12) + mmse.radius);
        let LowNoise::Discrete { entropy } = model.low_noise() else { panic!() };
        let information = certified(model.information(sigma).unwrap());
        prop_assert!(information.value >= -information.radius);
        prop_assert!(information.value <= entropy + information.radius);
        prop_assert!(mmse.relative_radius() < 1e-11);
    }

    /// The mmse increases with σ.
    #[test]
    fn monotone((centres, weights) in mixtures(), log_sigma in -2.0..2.5_f64) {
        let model = DiracMixture::on_line(&centres, &weights).unwrap();
        let sigma = log_sigma.exp();
        let (a, b) = (certified(model.mmse(sigma).unwrap()), certified(model.mmse(1.01 * sigma).unwrap()));
        prop_assert!(a.value - a.radius <= b.value + b.radius);
    }
}
