//! Gaussian, Wishart and random-energy models: goldens, identities, certificates.

use super::dirac::golden;
use rootrate::entropy::{
    Clock, DataModel, EntropyError, GaussianSpectrum, LowNoise, RandomEnergy, Unit, Wishart,
};
use rootrate::evidence::{Certified, Evidence};
use rootrate::numeric::quadrature::{Tolerance, integrate};
use rootrate::spectrum::Spectrum;

pub(crate) fn certified(evidence: Evidence) -> Certified {
    match evidence {
        Evidence::Certified(c) => c,
        other => panic!("not certified: {other:?}"),
    }
}

/// The certificate contains the golden value (a decimal string, of which the nearest double
/// lies within ε/2) and is no wider than `relative`.
pub(crate) fn assert_contains(c: Certified, exact: &str, relative: f64, context: &str) {
    let exact: f64 = exact.parse().unwrap();
    let slack = 0.5 * f64::EPSILON * exact.abs();
    assert!((c.value - exact).abs() <= c.radius + slack, "{context}: {c:?} misses {exact}");
    assert!(c.radius <= relative * exact.abs() + 1e-300, "{context}: {c:?} is wide");
}

fn text(value: &serde_json::Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn gaussian_goldens() {
    let golden = &golden()["gaussian"];
    let variances: Vec<(f64, usize)> = golden["variances"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| (v[0].as_f64().unwrap(), v[1].as_u64().unwrap() as usize))
        .collect();
    let model = GaussianSpectrum::from_variances(&variances).unwrap();
    assert_eq!(model.unit(), Unit::Total { dimension: 10 });
    assert_eq!(model.low_noise(), LowNoise::Continuous { dimension: 6.0 });
    for point in golden["points"].as_array().unwrap() {
        let sigma = point["sigma"].as_f64().unwrap();
        let context = format!("σ = {sigma}");
        let mmse = certified(model.mmse(sigma).unwrap());
        assert_contains(mmse, text(&point["mmse"]), 1e-14, &context);
        let information = certified(model.information(sigma).unwrap());
        assert_contains(information, text(&point["information"]), 1e-14, &context);
    }
}

#[test]
fn a_spectrum_gives_totals_with_a_dimension_and_coordinates_without() {
    let law = Spectrum::from_atoms(&[1.0, 10.0], &[0.5, 0.5]).unwrap();
    let per = GaussianSpectrum::new(&law).unwrap();
    let total = GaussianSpectrum::new(&law.with_dimension(8).unwrap()).unwrap();
    assert_eq!(per.unit(), Unit::PerCoordinate);
    assert_eq!(total.unit(), Unit::Total { dimension: 8 });
    let (a, b) = (per.mmse(0.7).unwrap().value(), total.mmse(0.7).unwrap().value());
    assert!((8.0 * a / b - 1.0).abs() < 1e-14);
    // the Stieltjes bridge (E3): Ḣ_ℓ = 1 − σ² m(−σ²), m(z) = Σ w/(τ−z)
    let s2 = 0.49;
    let bridge = 1.0 - s2 * (0.5 / (1.0 + s2) + 0.5 / (10.0 + s2));
    assert!((Clock::LogSigma.rate(0.7, a) / bridge - 1.0).abs() < 1e-14);
}

#[test]
fn wishart_goldens() {
    for point in golden()["wishart"].as_array().unwrap() {
        let (ratio, sigma) = (point["ratio"].as_f64().unwrap(), point["sigma"].as_f64().unwrap());
        let model = Wishart::new(ratio).unwrap();
        let context = format!("c = {ratio}, σ = {sigma}");
        let mmse = certified(model.mmse(sigma).unwrap());
        assert_contains(mmse, text(&point["mmse"]), 1e-14, &context);
        let information = certified(model.information(sigma).unwrap());
        assert_contains(information, text(&point["information"]), 4e-14, &context);
    }
}

#[test]
fn wishart_is_the_hyperbolic_form_and_has_its_limits() {
    for (c, s2) in [(0.3, 0.01), (0.3, 7.0), (1.0, 0.5), (4.0, 2.0)] {
        let eta = f64::acosh((1.0 + c + s2) / (2.0 * f64::sqrt(c)));
        let sigma = f64::sqrt(s2);
        let rate =
            Clock::LogSigma.rate(sigma, Wishart::new(c).unwrap().mmse(sigma).unwrap().value());
        assert!((rate * c.sqrt() * eta.exp() - 1.0).abs() < 1e-13, "c = {c}, σ² = {s2}");
    }
    // rank: Ḣ_ℓ → min(1, 1/c), and Ḣ_ℓ = 1 − σ + O(σ²) at c = 1
    for (c, limit) in [(0.5, 1.0), (1.0, 1.0), (8.0, 0.125)] {
        let model = Wishart::new(c).unwrap();
        let rate = Clock::LogSigma.rate(1e-9, model.mmse(1e-9).unwrap().value());
        assert!((rate - limit).abs() < 2e-9, "c = {c}: {rate}");
        assert_eq!(model.low_noise(), LowNoise::Continuous { dimension: limit });
    }
}

/// dI/dγ = ½ mmse (E1) integrated between two levels: I(a) − I(b) = ∫ₐᵇ mmse/σ³ dσ, in ln σ.
#[test]
fn information_is_the_integral_of_the_rate() {
    let gaussian = GaussianSpectrum::from_variances(&[(2.5, 3), (0.01, 2)]).unwrap();
    let wishart = [0.2, 1.0, 5.0].map(|c| Wishart::new(c).unwrap());
    let energy = RandomEnergy::new(0.4).unwrap();
    let mut models: Vec<&dyn DataModel> = vec![&gaussian, &energy];
    models.extend(wishart.iter().map(|w| w as &dyn DataModel));
    for model in models {
        let (a, b) = (0.05_f64, 20.0_f64);
        let mut cuts = vec![a.ln()];
        cuts.extend(model.kinks().iter().map(|k| k.ln()));
        cuts.push(b.ln());
        let rate = |l: f64| {
            // just inside the panel that starts at a kink, where the limit from above counts
            let sigma = l.exp() * (1.0 + 1e-14);
            Clock::LogSigma.rate(sigma, model.mmse(sigma).unwrap().value())
        };
        let integral: f64 = cuts
            .windows(2)
            .map(|w| {
                // below the random-energy transition the rate is 0 up to the end
                let end = w[1] - 1e-12;
                let tolerance = Tolerance { relative: 1e-12, absolute: 1e-13 };
                integrate(rate, w[0], end, tolerance).unwrap().value
            })
            .sum();
        let information = |s: f64| model.information(s).unwrap().value();
        let difference = information(a) - information(b);
        // 1e-12 of a panel's end is left out, with rates ≤ 5
        assert!((integral - difference).abs() < 2e-11, "{}: {integral} {difference}", model.name());
    }
}

#[test]
fn random_energy_goldens_and_jump() {
    for point in golden()["random_energy"].as_array().unwrap() {
        let alpha = point["alpha"].as_f64().unwrap();
        let model = RandomEnergy::new(alpha).unwrap();
        let exact: f64 = text(&point["critical_sigma"]).parse().unwrap();
        let critical = model.critical_sigma();
        assert!((critical / exact - 1.0).abs() <= 16.0 * f64::EPSILON, "α = {alpha}");
        assert_eq!(model.kinks(), vec![critical]);
        assert_eq!(model.low_noise(), LowNoise::Discrete { entropy: alpha });
        let (below, above) = (critical * (1.0 - 1e-14), critical * (1.0 + 1e-14));
        assert_eq!(certified(model.mmse(below).unwrap()), Certified::new(0.0, 0.0));
        let rate = Clock::LogSigma.rate(above, model.mmse(above).unwrap().value());
        // at the jump Ḣ_ℓ = 1/(1+σ_c²) = 1 − e^{−2α}, unless the mmse itself underflows
        if critical > 1e-150 {
            assert!((rate / -(-2.0 * alpha).exp_m1() - 1.0).abs() < 4e-14, "α = {alpha}: {rate}");
        }
        // continuous information, and a certificate that covers both sides at σ_c itself
        let information = certified(model.information(critical).unwrap());
        assert!((information.value / alpha - 1.0).abs() < 2e-14, "α = {alpha}");
        let at = certified(model.mmse(critical).unwrap());
        assert!(
            at.contains(0.0) && at.contains(model.mmse(above).unwrap().value() * (1.0 - 1e-13))
        );
    }
}

#[test]
fn extreme_levels_are_finite_and_bad_ones_are_errors() {
    let gaussian = GaussianSpectrum::from_variances(&[(1e300, 1), (1e-300, 1)]).unwrap();
    let wishart = [1e-300, 1.0, 1e300].map(|c| Wishart::new(c).unwrap());
    let energy = [1e-300, 700.0].map(|a| RandomEnergy::new(a).unwrap());
    let mut models: Vec<&dyn DataModel> = vec![&gaussian];
    models.extend(wishart.iter().map(|w| w as &dyn DataModel));
    models.extend(energy.iter().map(|w| w as &dyn DataModel));
    for model in models {
        for sigma in [5e-324, 1e-300, 1e-150, 1e-8, 1.0, 1e8, 1e150, 1e300, f64::MAX] {
            for e in [model.mmse(sigma).unwrap(), model.information(sigma).unwrap()] {
                let c = certified(e);
                assert!(c.value >= 0.0 && c.value.is_finite(), "{} {sigma}: {c:?}", model.name());
                assert!(c.radius >= 0.0 && c.radius.is_finite(), "{} {sigma}: {c:?}", model.name());
            }
        }
        for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(model.mmse(sigma), Err(EntropyError::NoiseLevel { .. })));
            assert!(matches!(model.information(sigma), Err(EntropyError::NoiseLevel { .. })));
        }
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Wishart::new(bad), Err(EntropyError::Parameter { .. })));
        assert!(matches!(RandomEnergy::new(bad), Err(EntropyError::Parameter { .. })));
    }
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let r = GaussianSpectrum::from_variances(&[(1.0, 1), (bad, 1)]);
        assert!(matches!(r, Err(EntropyError::Parameter { .. })), "{r:?}");
    }
    for empty in [vec![], vec![(1.0, 0)], vec![(1.0, usize::MAX), (1.0, 2)]] {
        let r = GaussianSpectrum::from_variances(&empty);
        assert!(matches!(r, Err(EntropyError::Shape { .. })), "{r:?}");
    }
}
