//! Laws against mpmath values (tests/golden/generate_schedule.py).

use rootrate::entropy::Clock;
use rootrate::evidence::Estimated;
use rootrate::schedule::{NoiseLaw, RateProfile, efficiency};
use serde_json::Value;

use crate::schedule_models::{Normal, Pair};

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/schedule.json")).unwrap()
}

/// Numbers are stored as floats (inputs) or as decimal strings (results).
fn number(v: &Value) -> f64 {
    v.as_f64().unwrap_or_else(|| v.as_str().unwrap().parse().unwrap())
}

#[track_caller]
fn close(found: f64, expected: f64, relative: f64, what: &str) {
    let scale = expected.abs().max(f64::MIN_POSITIVE);
    assert!((found - expected).abs() <= relative * scale, "{what}: {found:e} {expected:e}");
}

/// A moment within both a fixed tolerance and its own error estimate.
#[track_caller]
fn moment(found: Estimated, expected: f64, tolerance: f64, what: &str) {
    let error = (found.value - expected).abs();
    assert!(error <= tolerance, "{what}: {found:?} {expected}");
    assert!(error <= found.estimate, "{what}: {found:?} {expected} error {error:e}");
    assert!(found.estimate < 1e-9, "{what}: useless estimate {found:?}");
}

fn clock(name: &str) -> Clock {
    name.parse().unwrap()
}

#[test]
fn pair_of_diracs_on_the_edm_range() {
    let g = golden();
    let profile = RateProfile::from_model(&Pair(1.0), (0.002, 80.0), 1e-13).unwrap();
    for (name, row) in g["pair"].as_object().unwrap() {
        let law = match name.as_str() {
            "entropy" => profile.entropy(),
            c => profile.sqrt_entropy(clock(c)),
        }
        .unwrap();
        // 1e-12: the model's own rounding, which its exponent 1/(2σ²) ≤ 300 amplifies
        close(law.normaliser().value(), number(&row["normaliser"]), 1e-12, name);
        moment(law.mean_log_sigma(), number(&row["mean"]), 3e-12, name);
        moment(law.sd_log_sigma(), number(&row["sd"]), 3e-12, name);
    }
}

#[test]
fn gaussian_data_in_every_clock() {
    let g = golden();
    let profile = RateProfile::from_model(&Normal(0.5), (0.05, 80.0), 1e-13).unwrap();
    for (name, row) in g["gaussian"].as_object().unwrap() {
        let closed = NoiseLaw::gaussian(0.5, clock(name), (0.05, 80.0)).unwrap();
        let fitted = profile.sqrt_entropy(clock(name)).unwrap();
        for law in [closed, fitted] {
            moment(law.mean_log_sigma(), number(&row["mean"]), 1e-12, name);
            moment(law.sd_log_sigma(), number(&row["sd"]), 1e-12, name);
            close(law.normaliser().value(), number(&row["normaliser"]), 1e-13, name)
        }
        let law = NoiseLaw::gaussian(0.5, clock(name), (0.05, 80.0)).unwrap();
        for p in row["points"].as_array().unwrap() {
            let sigma = number(&p[0]);
            close(law.density(Clock::LogSigma, sigma), number(&p[1]), 1e-13, name);
            close(law.cdf(sigma), number(&p[2]), 1e-13, name);
            close(law.quantile(number(&p[2])).unwrap(), sigma, 1e-12, name);
        }
    }
}

#[test]
fn asinh_law_at_extreme_scales() {
    for case in golden()["asinh"].as_array().unwrap() {
        let range = (number(&case["low"]), number(&case["high"]));
        let law = NoiseLaw::gaussian(number(&case["scale"]), Clock::LogSigma, range).unwrap();
        for p in case["points"].as_array().unwrap() {
            let what = format!("{case}");
            close(law.cdf(number(&p[0])), number(&p[1]), 4e-15, &what);
            if number(&p[1]) == 1.0 {
                continue;
            }
            // a quantile can be no better than its u: |d ln σ| = |du|/density
            let sigma = number(&p[0]);
            let tolerance = 1e-15 * (4.0 + sigma.ln().abs())
                + f64::EPSILON / law.density(Clock::LogSigma, sigma);
            close(law.quantile(number(&p[1])).unwrap(), sigma, tolerance, &what);
        }
    }
}

#[test]
fn unbounded_sigma_clock_law_is_an_incomplete_beta() {
    let g = golden();
    for scale in [1.0, 1e-3, 40.0] {
        let law = NoiseLaw::gaussian_sigma_clock(scale).unwrap();
        for p in g["beta"].as_array().unwrap() {
            let sigma = number(&p[0]) * scale;
            let (below, above) = (number(&p[1]), number(&p[2]));
            close(law.cdf(sigma), below, 4e-15, "lower tail");
            let u = number(&p[1]);
            let tolerance = 1e-14 + 4.0 * f64::EPSILON / law.density(Clock::LogSigma, sigma);
            close(law.quantile(u).unwrap(), sigma, tolerance, "quantile");
            // symmetric in ln σ about ln s: the upper tail is the lower tail of the mirror image
            close(law.cdf(scale / sigma * scale), above, 4e-15, "mirror");
        }
        let z = number(&g["beta_normaliser"]) * scale.sqrt();
        close(law.normaliser().value(), z, 1e-15, "normaliser");
        close(law.mean_log_sigma().value, scale.ln(), 1e-15, "mean");
        let sd = number(&g["beta_variance"]).sqrt();
        close(law.sd_log_sigma().value, sd, 1e-15, "sd");
    }
}

#[test]
fn wishart_law_is_the_integral_over_marchenko_pastur() {
    for case in golden()["wishart"].as_array().unwrap() {
        let c = number(&case["c"]);
        let law = NoiseLaw::wishart(c, (0.01, 80.0)).unwrap();
        let what = format!("c = {c}");
        let z = number(&case["normaliser"]);
        close(law.normaliser().value(), z, 1e-14, &what);
        moment(law.mean_log_sigma(), number(&case["mean"]), 1e-12, &what);
        moment(law.sd_log_sigma(), number(&case["sd"]), 1e-12, &what);
        for p in case["points"].as_array().unwrap() {
            let sigma = number(&p[0]);
            close(law.density(Clock::LogSigma, sigma), number(&p[1]), 1e-14, &what);
            close(law.cdf(sigma), number(&p[2]), 2e-14, &what);
            // a quantile can be no better than its u: |d ln σ| = |du|/density
            let tolerance = 1e-13 + f64::EPSILON / law.density(Clock::LogSigma, sigma);
            close(law.quantile(number(&p[2])).unwrap(), sigma, tolerance, &what);
        }
        for p in case["rate"].as_array().unwrap() {
            let root = law.density(Clock::LogSigma, number(&p[0])) * z;
            close(root * root, number(&p[1]), 1e-13, &what);
        }
    }
}

#[test]
fn efficiencies() {
    let g = golden();
    let gauss = NoiseLaw::gaussian(0.5, Clock::LogSigma, (0.002, 80.0)).unwrap();
    let profile = RateProfile::from_model(&Pair(1.0), (0.002, 80.0), 1e-13).unwrap();
    let pair = profile.sqrt_entropy(Clock::LogSigma).unwrap();
    for (name, schedule, optimum) in [
        ("gaussian_edm", NoiseLaw::edm(), &gauss),
        ("gaussian_cosine", NoiseLaw::cosine(), &gauss),
        ("pair_edm", NoiseLaw::edm(), &pair),
    ] {
        let found = efficiency(&schedule, optimum).unwrap();
        let expected = number(&g["efficiency"][name]);
        close(found.value, expected, 3e-12, name);
        assert!((found.value - expected).abs() <= found.estimate, "{name}: {found:?}");
    }
}

/// The crate's own data models lead to the same laws.
#[test]
fn laws_of_the_data_models() {
    use rootrate::entropy::{DiracMixture, GaussianSpectrum, RandomEnergy, Wishart};
    use rootrate::schedule::{entropy_law, sqrt_entropy};
    let g = golden();
    let pair = DiracMixture::on_line(&[-1.0, 1.0], &[0.5, 0.5]).unwrap();
    let range = (0.002, 80.0);
    for (name, row) in g["pair"].as_object().unwrap() {
        let law = match name.as_str() {
            "entropy" => entropy_law(&pair, range),
            c => sqrt_entropy(&pair, clock(c), range),
        }
        .unwrap();
        moment(law.mean_log_sigma(), number(&row["mean"]), 1e-10, name);
        moment(law.sd_log_sigma(), number(&row["sd"]), 1e-10, name);
    }
    // unbounded: ∫Ḣ = ln 2
    let law = entropy_law(&pair, (0.0, f64::INFINITY)).unwrap();
    close(law.normaliser().value(), std::f64::consts::LN_2, 1e-10, "entropy of the pair");

    let log = Clock::LogSigma;
    let range = (0.01, 80.0);
    let gaussian = GaussianSpectrum::from_variances(&[(0.25, 1)]).unwrap();
    let energy = RandomEnergy::new(0.8).unwrap();
    for (law, closed) in [
        (sqrt_entropy(&Wishart::new(0.3).unwrap(), log, range), NoiseLaw::wishart(0.3, range)),
        (sqrt_entropy(&Wishart::new(2.5).unwrap(), log, range), NoiseLaw::wishart(2.5, range)),
        (sqrt_entropy(&gaussian, log, range), NoiseLaw::gaussian(0.5, log, range)),
        (sqrt_entropy(&energy, log, range), NoiseLaw::random_energy(0.8, range)),
    ] {
        let (law, closed) = (law.unwrap(), closed.unwrap());
        let what = closed.name();
        close(law.normaliser().value(), closed.normaliser().value(), 1e-12, what);
        for i in 0..=20 {
            let u = f64::from(i) / 20.0;
            close(law.quantile(u).unwrap(), closed.quantile(u).unwrap(), 1e-11, what);
        }
    }
}
