//! Identities that every law over noise levels obeys, and its extremes.

use proptest::prelude::*;
use rootrate::entropy::Clock;
use rootrate::schedule::{NoiseLaw, RateProfile, ScheduleError};

use crate::schedule_models::Pair;

/// One law of every kind and representation.
fn zoo() -> Vec<NoiseLaw> {
    let range = (0.002, 80.0);
    let profile = RateProfile::from_model(&Pair(1.0), range, 1e-12).unwrap();
    let mut laws = vec![
        NoiseLaw::edm(),
        NoiseLaw::log_normal(3.0, 0.01).unwrap(),
        NoiseLaw::logit_normal(0.0, 1.0).unwrap(),
        NoiseLaw::cosine(),
        NoiseLaw::gaussian_sigma_clock(0.5).unwrap(),
        NoiseLaw::wishart(0.3, range).unwrap(),
        NoiseLaw::wishart(1.0, range).unwrap(),
        NoiseLaw::wishart(7.0, range).unwrap(),
        NoiseLaw::random_energy(0.8, range).unwrap(),
        NoiseLaw::uniform(Clock::Flow, (0.0, f64::INFINITY)).unwrap(),
        NoiseLaw::uniform(Clock::Sigma, (0.0, 80.0)).unwrap(),
        NoiseLaw::from_table("hat", &[0.1, 1.0, 2.0, 30.0], &[0.0, 2.0, 2.0, 0.0]).unwrap(),
        profile.entropy().unwrap(),
    ];
    for clock in Clock::ALL {
        laws.push(NoiseLaw::uniform(clock, range).unwrap());
        laws.push(NoiseLaw::gaussian(0.5, clock, range).unwrap());
        laws.push(profile.sqrt_entropy(clock).unwrap());
    }
    let parts = vec![(1.0, NoiseLaw::edm()), (3.0, laws[13].clone())];
    laws.push(NoiseLaw::mixture("mixture", parts).unwrap());
    laws
}

/// u = F(Q(u)) up to the rounding of σ and of F: |δu| ≤ density·|δℓ| + few ulps.
#[test]
fn quantile_inverts_the_distribution_function() {
    for law in zoo() {
        let mut last = 0.0;
        for i in 1..400 {
            let u = i as f64 / 400.0;
            let sigma = law.quantile(u).unwrap();
            let slack =
                2e-15 * (1.0 + law.density(Clock::LogSigma, sigma) * (1.0 + sigma.ln().abs()));
            assert!((law.cdf(sigma) - u).abs() < slack, "{law} at {u}: {:e}", law.cdf(sigma) - u);
            assert!(sigma > last, "{law} not increasing at {u}");
            last = sigma;
        }
        let (low, high) = law.support();
        assert_eq!((law.quantile(0.0).unwrap(), law.quantile(1.0).unwrap()), (low, high), "{law}");
        assert_eq!((law.cdf(low), law.cdf(high)), (0.0, 1.0), "{law}");
    }
}

/// The density is the derivative of the distribution function in every clock: Simpson's rule
/// over short intervals, whose error is below h⁵ f⁗/90.
#[test]
fn density_integrates_to_probability_in_every_clock() {
    for law in zoo() {
        let (low, high) = (law.quantile(0.003).unwrap(), law.quantile(0.997).unwrap());
        for clock in Clock::ALL {
            let n = 2000;
            let (a, b) = (low.ln(), high.ln());
            let at = |k: usize| (a + (b - a) * k as f64 / (2 * n) as f64).exp();
            // in the clock's own level, so the Jacobian is tested too
            let mut sum = 0.0;
            for k in 0..n {
                let s = [at(2 * k), at(2 * k + 1), at(2 * k + 2)];
                let u = s.map(|x| clock.level(x));
                let middle = clock.sigma(0.5 * (u[0] + u[2]));
                let values = [s[0], middle, s[2]].map(|x| law.density(clock, x));
                sum += (u[2] - u[0]).abs() / 6.0 * (values[0] + 4.0 * values[1] + values[2]);
            }
            // the table law has kinks inside intervals: second order there
            let tolerance = if law.name() == "hat" { 1e-5 } else { 1e-8 };
            assert!(
                (sum - (law.cdf(high) - law.cdf(low))).abs() < tolerance,
                "{law} {clock}: {sum}"
            );
        }
    }
}

/// Moments against midpoint quadrature of the quantile function.
#[test]
fn moments_are_those_of_the_draws() {
    for law in zoo() {
        let n = 8_000;
        let draws = law.stratified(&vec![0.5; n]).unwrap();
        let mean = draws.iter().map(|s| s.ln()).sum::<f64>() / n as f64;
        let var = draws.iter().map(|s| (s.ln() - mean).powi(2)).sum::<f64>() / n as f64;
        let (m, s) = (law.mean_log_sigma(), law.sd_log_sigma());
        // the midpoint rule misses the tails beyond 1/(2n): of order ln²(n)/n of the variance
        assert!((m.value - mean).abs() < 6e-3 * s.value, "{law}: {m:?} {mean}");
        assert!((s.value / var.sqrt() - 1.0).abs() < 6e-3, "{law}: {s:?} {}", var.sqrt());
        assert!(m.estimate < 1e-8 && s.estimate < 1e-8, "{law}: {m:?} {s:?}");
    }
}

#[test]
fn draws_at_the_ends_are_finite_and_bad_numbers_are_refused() {
    for law in zoo() {
        for sigma in law.draws(&[0.0, 1.0]).unwrap() {
            assert!(sigma > 0.0 && sigma.is_finite(), "{law}: {sigma}");
        }
        for u in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            for result in [law.quantile(u), law.draw(u)] {
                assert!(matches!(result, Err(ScheduleError::Probability { .. })), "{law} {u}");
            }
            assert!(law.draws(&[0.5, u]).is_err() && law.stratified(&[0.5, u]).is_err());
        }
        for sigma in [f64::NAN, -1.0, 0.0, f64::INFINITY, f64::MIN_POSITIVE, f64::MAX] {
            for clock in Clock::ALL {
                assert!(law.density(clock, sigma) >= 0.0, "{law} {clock} {sigma}");
            }
            assert!((0.0..=1.0).contains(&law.cdf(sigma)), "{law} {sigma}");
        }
        assert!(law.stratified(&[]).unwrap().is_empty());
    }
}

/// One draw in each stratum, whatever the offsets.
#[test]
fn stratified_draws_fill_the_strata() {
    let law = NoiseLaw::wishart(0.3, (0.01, 80.0)).unwrap();
    let offsets: Vec<f64> = (0..100).map(|i| (i as f64 * 0.754_877_666) % 1.0).collect();
    for (i, sigma) in law.stratified(&offsets).unwrap().into_iter().enumerate() {
        let u = law.cdf(sigma) * 100.0;
        assert!((u - i as f64 - offsets[i]).abs() < 1e-11, "{i}: {u}");
    }
}

/// A closed form and the general numerical representation of the same density.
#[test]
fn closed_forms_agree_with_fitted_densities() {
    let range = (0.01, 80.0);
    let fitted = |f: &dyn Fn(f64) -> f64, clock| {
        NoiseLaw::from_density("fit", clock, range, &[], f).unwrap()
    };
    let eta = |c: f64, s: f64| ((1.0 + c + s * s) / (2.0 * c.sqrt())).acosh();
    let pairs = [
        (
            NoiseLaw::wishart(0.3, range).unwrap(),
            fitted(&|s| (-0.5 * eta(0.3, s)).exp(), Clock::LogSigma),
        ),
        (
            NoiseLaw::wishart(2.0, range).unwrap(),
            fitted(&|s| (-0.5 * eta(2.0, s)).exp(), Clock::LogSnr),
        ),
        (
            NoiseLaw::gaussian(0.5, Clock::LogSigma, range).unwrap(),
            fitted(&|s| 1.0 / (s * s + 0.25).sqrt(), Clock::LogSigma),
        ),
        (NoiseLaw::uniform(Clock::Flow, range).unwrap(), fitted(&|_| 7.0, Clock::Flow)),
        (
            NoiseLaw::uniform(Clock::OrnsteinUhlenbeck, range).unwrap(),
            fitted(&|_| 1e200, Clock::OrnsteinUhlenbeck),
        ),
    ];
    for (closed, fit) in pairs {
        for i in 0..=100 {
            let u = i as f64 / 100.0;
            let (a, b) = (closed.quantile(u).unwrap(), fit.quantile(u).unwrap());
            // u = F(σ) determines ln σ only to ε/density
            let tolerance = 1e-13 + 4e-15 / closed.density(Clock::LogSigma, a);
            assert!((a / b - 1.0).abs() < tolerance, "{closed} at {u}: {a} {b}");
        }
    }
}

/// Ranges of 600 decades, of relative length 1e-12, and Gaussians of any scale: no panic, no
/// NaN, the quantile stays in the range and inverts.
#[test]
fn extreme_ranges() {
    let narrow = (3.0, 3.0 * (1.0 + 1e-12));
    for range in [(1e-300, 1e300), (1e-300, 1e-290), (1e290, 1e300), (1e-3, 1e3), narrow] {
        let mut laws: Vec<NoiseLaw> = Vec::new();
        for clock in Clock::ALL {
            // a range can be too short in a clock for floating point; that must be an error
            laws.extend(NoiseLaw::uniform(clock, range));
            for s in [1e-300, 1e-10, 1.0, 1e10, 1e300] {
                laws.extend(NoiseLaw::gaussian(s, clock, range));
            }
        }
        assert!(laws.len() > 12, "{range:?}: {}", laws.len());
        laws.extend(NoiseLaw::wishart(0.3, range));
        for law in laws {
            let (low, high) = law.support();
            let mut last = 0.0;
            for i in 0..=50 {
                let u = i as f64 / 50.0;
                let sigma = law.quantile(u).unwrap();
                assert!(sigma >= low && sigma <= high, "{law} {range:?} {u}: {sigma}");
                assert!(sigma >= last, "{law} {range:?} {u}");
                last = sigma;
                let density = law.density(Clock::LogSigma, sigma);
                // ln σ relative to an end of the range, up to 1382, is known to one ulp
                let size = low.ln().abs() + high.ln().abs() + 1.0;
                let slack = 1e-14 + density * size * 2.0 * f64::EPSILON;
                let back = law.cdf(sigma);
                assert!((back - u).abs() <= slack, "{law} {range:?} {u}: {sigma} {back}");
            }
            let (m, s) = (law.mean_log_sigma(), law.sd_log_sigma());
            assert!(m.value.is_finite() && s.value >= 0.0 && m.estimate.is_finite(), "{law}");
            assert!(m.value >= low.ln() - 1e-9 && m.value <= high.ln() + 1e-9, "{law} {m:?}");
        }
    }
}

#[test]
fn bad_parameters_are_refused() {
    let range = (0.1, 1.0);
    let nan = f64::NAN;
    for s in [0.0, -1.0, nan, f64::INFINITY] {
        assert!(NoiseLaw::gaussian(s, Clock::LogSigma, range).is_err());
        assert!(NoiseLaw::gaussian_sigma_clock(s).is_err());
        assert!(NoiseLaw::wishart(s, range).is_err());
        assert!(NoiseLaw::log_normal(0.0, s).is_err());
        assert!(NoiseLaw::random_energy(s, range).is_err());
    }
    assert!(NoiseLaw::log_normal(nan, 1.0).is_err() && NoiseLaw::log_normal(1e9, 1.0).is_err());
    assert!(NoiseLaw::random_energy(0.01, (0.1, 1.0)).is_err());
    assert!(NoiseLaw::uniform(Clock::LogSigma, (0.0, 1.0)).is_err());
    assert!(NoiseLaw::uniform(Clock::Sigma, (0.0, f64::INFINITY)).is_err());
    assert!(NoiseLaw::from_density("x", Clock::Sigma, range, &[], |_| -1.0).is_err());
    assert!(NoiseLaw::from_density("x", Clock::Sigma, range, &[], |_| f64::NAN).is_err());
    assert!(NoiseLaw::from_density("x", Clock::Sigma, range, &[], |_| 0.0).is_err());
    assert!(NoiseLaw::from_table("x", &[1.0], &[1.0]).is_err());
    assert!(NoiseLaw::from_table("x", &[1.0, 2.0], &[1.0]).is_err());
    assert!(NoiseLaw::from_table("x", &[2.0, 1.0], &[1.0, 1.0]).is_err());
    assert!(NoiseLaw::from_table("x", &[1.0, 2.0], &[1.0, -1.0]).is_err());
    assert!(NoiseLaw::from_table("x", &[1.0, 2.0], &[0.0, 0.0]).is_err());
    assert!(NoiseLaw::mixture("x", vec![]).is_err());
    assert!(NoiseLaw::mixture("x", vec![(-1.0, NoiseLaw::edm())]).is_err());
}

/// White noise cannot be resolved, and says so instead of returning a law.
#[test]
fn rough_densities_are_not_resolved() {
    let hash = |s: f64| (s.to_bits().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f64;
    let law = NoiseLaw::from_density("noise", Clock::Sigma, (1.0, 1.001), &[], hash);
    assert!(matches!(law, Err(ScheduleError::NotResolved { .. })), "{law:?}");
}

proptest! {
    /// Any table is a law whose distribution function is exact at its own nodes.
    #[test]
    fn tables_of_points(steps in prop::collection::vec((1e-6..3.0f64, 0.0..10.0f64), 2..30)) {
        let mut l = -5.0;
        let sigma: Vec<f64> = steps.iter().map(|s| { l += s.0; l.exp() }).collect();
        let density: Vec<f64> = steps.iter().map(|s| s.1).collect();
        prop_assume!(density.iter().any(|&d| d > 0.0));
        let law = NoiseLaw::from_table("t", &sigma, &density).unwrap();
        let area = |n: usize| -> f64 {
            (1..=n).map(|i| 0.5 * (density[i] + density[i - 1]) * (sigma[i] / sigma[i - 1]).ln()).sum()
        };
        let total = area(sigma.len() - 1);
        for (i, s) in sigma.iter().enumerate() {
            prop_assert!((law.cdf(*s) - area(i) / total).abs() < 1e-8);
        }
        for i in 1..50 {
            let u = i as f64 / 50.0;
            prop_assert!((law.cdf(law.quantile(u).unwrap()) - u).abs() < 1e-8);
        }
    }

    /// The asinh law on any range at any scale.
    #[test]
    fn asinh_law_inverts(low in -600.0..600.0f64, width in 1e-9..80.0f64, s in -600.0..600.0f64, u in 0.0..1.0f64) {
        let range = (low.exp(), (low + width).exp());
        let law = NoiseLaw::gaussian(s.exp(), Clock::LogSigma, range).unwrap();
        let sigma = law.quantile(u).unwrap();
        let density = law.density(Clock::LogSigma, sigma);
        let slack = 1e-14 + density * 4.0 * f64::EPSILON * (1.0 + sigma.ln().abs() + s.abs());
        prop_assert!((law.cdf(sigma) - u).abs() <= slack);
    }
}
