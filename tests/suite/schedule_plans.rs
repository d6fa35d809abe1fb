//! Optimality: efficiency, covariance, allocation, tabulated profiles.

use rootrate::entropy::Clock;
use rootrate::evidence::{Estimated, Evidence, Sampled};
use rootrate::schedule::{
    Allocation, NoiseLaw, RateProfile, ScheduleError, efficiency, efficiency_table,
};

use crate::schedule_models::{Normal, Pair};

const RANGE: (f64, f64) = (0.05, 80.0);

fn profiles() -> [RateProfile; 2] {
    [
        RateProfile::from_model(&Normal(0.5), RANGE, 1e-13).unwrap(),
        RateProfile::from_model(&Pair(1.0), RANGE, 1e-13).unwrap(),
    ]
}

/// (S6): uniform in the clock and the entropy-rate law have the same value |T|∫Ḣ, so the same
/// efficiency Z²/(|T|∫Ḣ), which is computed from three normalisers.
#[test]
fn uniform_and_entropy_rate_have_equal_efficiency() {
    for profile in profiles() {
        let rate = profile.entropy().unwrap();
        for clock in Clock::ALL {
            let best = profile.sqrt_entropy(clock).unwrap();
            let z = best.normaliser().value();
            let expected = z * z / (profile.length(clock) * rate.normaliser().value());
            let uniform = NoiseLaw::uniform(clock, RANGE).unwrap();
            for law in [&uniform, &rate] {
                let found = efficiency(law, &best).unwrap();
                let error = (found.value / expected - 1.0).abs();
                assert!(error < 1e-10, "{} {clock} {law}: {found:?} {expected}", profile.name());
            }
        }
    }
}

/// (S5): eff(μ*(1+εh)) = 1 − ε² Var h + ε³ E h³ − …, for h with E h = 0 under μ*.
#[test]
fn perturbations_cost_their_variance() {
    let best = NoiseLaw::gaussian(0.5, Clock::LogSigma, RANGE).unwrap();
    // h = cos 2πF has mean 0, variance ½, third moment 0, fourth moment 3/8
    let h = |s: f64| (2.0 * std::f64::consts::PI * best.cdf(s)).cos();
    for epsilon in [0.3, 0.1, 0.01] {
        let density = |s: f64| best.density(Clock::LogSigma, s) * (1.0 + epsilon * h(s));
        let law = NoiseLaw::from_density("p", Clock::LogSigma, RANGE, &[0.5], density).unwrap();
        let loss = 1.0 - efficiency(&law, &best).unwrap().value;
        // exactly: ∫dF/(1+ε cos 2πF) = (1−ε²)^{−½}
        let exact = 1.0 - (1.0f64 - epsilon * epsilon).sqrt();
        assert!((loss - exact).abs() < 1e-11, "{epsilon}: {loss} {exact}");
        // next order: ε⁴ (E h⁴ − Var² ) = ε⁴/8, and it is the only one below ε⁶
        assert!((loss - 0.5 * epsilon.powi(2)).abs() < 0.2 * epsilon.powi(4) + 1e-11);
    }
}

#[test]
fn uncovered_ranges_have_efficiency_zero_and_waste_costs_its_mass() {
    let best = NoiseLaw::gaussian(0.5, Clock::LogSigma, RANGE).unwrap();
    for range in [(0.05, 70.0), (0.06, 80.0), (100.0, 200.0), (1e-3, 0.05)] {
        let law = NoiseLaw::uniform(Clock::LogSigma, range).unwrap();
        assert_eq!(efficiency(&law, &best).unwrap().value, 0.0, "{range:?}");
    }
    // half of the draws outside: half the efficiency
    let outside = NoiseLaw::uniform(Clock::LogSigma, (100.0, 200.0)).unwrap();
    let half = NoiseLaw::mixture("half", vec![(1.0, best.clone()), (1.0, outside)]).unwrap();
    assert!((efficiency(&half, &best).unwrap().value - 0.5).abs() < 1e-12);
    // 1/μ beyond floating point is no NaN
    let far = NoiseLaw::log_normal(-1.0, 0.01).unwrap();
    assert_eq!(efficiency(&far, &best).unwrap().value, 0.0);
    assert!(efficiency(&best, &NoiseLaw::edm()).is_err());
    let table = efficiency_table(&[NoiseLaw::edm(), best.clone()], &best).unwrap();
    assert_eq!(table[0].0, "edm");
    assert!(table[0].1.value < table[1].1.value);
}

/// (S7): widths said in one clock or converted into another give the same law; without the
/// conversion they do not.
#[test]
fn explicit_widths_make_the_law_covariant() {
    for profile in profiles() {
        let width = |s: f64| 0.1 + s / (1.0 + s);
        let reference = profile.sqrt_entropy_with_width(Clock::LogSigma, width).unwrap();
        for clock in Clock::ALL {
            // a length in ln σ is a length in u times |du/dℓ|
            let converted = |s: f64| width(s) / clock.log_sigma_speed(s);
            let law = profile.sqrt_entropy_with_width(clock, converted).unwrap();
            let plain = profile.sqrt_entropy_with_width(clock, width).unwrap();
            let mut trap = 0.0f64;
            for i in 0..=20 {
                let sigma = reference.quantile(i as f64 / 20.0).unwrap();
                assert!((law.cdf(sigma) - reference.cdf(sigma)).abs() < 1e-12, "{clock}");
                trap = trap.max((plain.cdf(sigma) - reference.cdf(sigma)).abs());
            }
            let same = matches!(clock, Clock::LogSigma | Clock::LogSnr);
            assert_eq!(trap < 1e-12, same, "{clock}: {trap}");
        }
        assert!(profile.sqrt_entropy_with_width(Clock::Sigma, |_| 0.0).is_err());
        assert!(profile.sqrt_entropy_with_width(Clock::Sigma, |_| f64::NAN).is_err());
    }
}

/// (S1): with w = ½|dγ/du| the weighted law is the √-entropy law.
#[test]
fn the_entropy_weight_gives_the_sqrt_entropy_law() {
    let [profile, _] = profiles();
    for clock in Clock::ALL {
        let weight = |s: f64| clock.log_sigma_speed(s) / (s * s);
        let a = profile.sqrt_weighted(clock, weight).unwrap();
        let b = profile.sqrt_entropy(clock).unwrap();
        for u in [0.1, 0.5, 0.9] {
            let (x, y) = (a.quantile(u).unwrap(), b.quantile(u).unwrap());
            assert!((x / y - 1.0).abs() < 1e-12, "{clock}");
        }
    }
}

/// (S8) against water filling on a grid: cells get draws until their marginal gain, a finite
/// difference of the risk itself, falls to a common level found by bisection.
#[test]
fn allocation_is_the_discrete_optimum() {
    let (p, n_total) = (20.0, 1e3);
    for clock in [Clock::LogSigma, Clock::Flow, Clock::Sigma] {
        let range = (0.1, 10.0);
        let best = NoiseLaw::gaussian(0.5, clock, range).unwrap();
        let plan = Allocation::new(&best, clock, range, p, n_total).unwrap();
        let cells = 400;
        let (u0, u1) = (clock.level(range.0), clock.level(range.1));
        let h = (u1 - u0) / cells as f64;
        let sigma: Vec<f64> = (0..cells).map(|i| clock.sigma(u0 + h * (i as f64 + 0.5))).collect();
        // w V of Gaussian data: the rate in the clock
        let wv: Vec<f64> =
            sigma.iter().map(|s| clock.log_sigma_speed(*s) * 0.25 / (0.25 + s * s)).collect();
        let risk = |i: usize, n: f64| 0.5 * wv[i] / (n - p);
        let gain = |i: usize, n: f64| {
            let d = 1e-4 * (n - p);
            (risk(i, n - d) - risk(i, n + d)) / (2.0 * d)
        };
        // draws of one cell for a common marginal gain, by bisection in ln(n − p)
        let fill = |i: usize, level: f64| {
            let (mut a, mut b) = (-30.0f64, 30.0f64);
            for _ in 0..100 {
                let m = 0.5 * (a + b);
                if gain(i, p + m.exp()) > level { a = m } else { b = m }
            }
            p + a.exp()
        };
        let (mut a, mut b) = (-60.0f64, 60.0f64);
        for _ in 0..100 {
            let m: f64 = 0.5 * (a + b);
            let used: f64 = (0..cells).map(|i| h * fill(i, m.exp())).sum();
            if used > n_total { a = m } else { b = m }
        }
        for (i, s) in sigma.iter().enumerate() {
            let (water, formula) = (fill(i, a.exp()), plan.draws_at(*s));
            // the midpoint rule of 400 cells normalises to about h²: 2e-4 in the worst clock
            assert!((water / formula - 1.0).abs() < 1e-3, "{clock} {s}: {water} {formula}");
        }
    }
}

#[test]
fn allocation_accounts_for_every_draw() {
    let best = NoiseLaw::gaussian(0.5, Clock::LogSigma, RANGE).unwrap();
    let length = (RANGE.1 / RANGE.0).ln();
    let plan = Allocation::new(&best, Clock::LogSigma, RANGE, 100.0, 5e3).unwrap();
    let edges: Vec<f64> = (0..=10).map(|i| RANGE.0 * (length * i as f64 / 10.0).exp()).collect();
    let sum: f64 = edges.windows(2).map(|e| plan.draws_between(e[0], e[1])).sum();
    assert!((sum - 5e3).abs() < 1e-8, "{sum}");
    assert!(edges.windows(2).all(|e| plan.draws_between(e[0], e[1]) >= 10.0 * length - 1e-9));
    assert_eq!(plan.draws_between(2.0, 1.0), 0.0);
    assert!((plan.minimum() - 100.0 * length).abs() < 1e-10);
    let json = serde_json::to_value(&plan).unwrap();
    assert_eq!(json["clock"], "log-sigma");
    assert_eq!(json["draws"], 5e3);

    let error = Allocation::new(&best, Clock::LogSigma, RANGE, 100.0, 700.0).unwrap_err();
    assert!(matches!(error, ScheduleError::TooFewDraws { .. }));
    assert!(error.to_string().contains("737.7"), "{error}");
    for (p, n) in [(f64::NAN, 1e3), (-1.0, 1e3), (1.0, f64::NAN), (1.0, f64::INFINITY)] {
        assert!(Allocation::new(&best, Clock::LogSigma, RANGE, p, n).is_err());
    }
    // p = 0 is the asymptotic law
    let plan = Allocation::new(&best, Clock::LogSigma, RANGE, 0.0, 10.0).unwrap();
    assert_eq!(plan.law().quantile(0.3).unwrap(), best.quantile(0.3).unwrap());
}

fn table(n: usize) -> (Vec<f64>, Vec<f64>) {
    let sigma: Vec<f64> = (0..n).map(|i| 0.05 * 1600f64.powf(i as f64 / (n - 1) as f64)).collect();
    let mmse = sigma.iter().map(|s| s * s / (1.0 + 4.0 * s * s)).collect();
    (sigma, mmse)
}

/// The law of a table converges with the square of its step, within its own error estimate.
#[test]
fn tabulated_profiles_converge_within_their_estimate() {
    let exact = NoiseLaw::gaussian(0.5, Clock::LogSigma, RANGE).unwrap();
    let mut last = f64::INFINITY;
    for n in [20, 40, 80, 160] {
        let (sigma, mmse) = table(n);
        let rows: Vec<Evidence> =
            mmse.iter().map(|&value| Estimated { value, estimate: 0.0 }.into()).collect();
        let law = RateProfile::tabulated("t", &sigma, &rows)
            .unwrap()
            .sqrt_entropy(Clock::LogSigma)
            .unwrap();
        let error = (law.mean_log_sigma().value - exact.mean_log_sigma().value).abs();
        assert!(error <= law.mean_log_sigma().estimate, "{n}: {error} {:?}", law.mean_log_sigma());
        assert!(error < 0.35 * last, "{n}: {error} {last}");
        last = error;
        let z = law.normaliser();
        assert!((z.value() - exact.normaliser().value()).abs() <= z.error(), "{n}: {z:?}");
    }
}

/// Noise in the rows appears in the estimate, and zeros are legal rows.
#[test]
fn tabulated_profiles_carry_their_noise() {
    let (sigma, mmse) = table(100);
    let noisy = |relative: f64| -> RateProfile {
        let rows: Vec<Evidence> = mmse
            .iter()
            .enumerate()
            .map(|(i, m)| {
                let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
                Sampled {
                    mean: m * (1.0 + sign * relative),
                    standard_error: m * relative,
                    replicates: 100,
                }
                .into()
            })
            .collect();
        RateProfile::tabulated("noisy", &sigma, &rows).unwrap()
    };
    let exact = NoiseLaw::gaussian(0.5, Clock::LogSigma, RANGE).unwrap();
    let law = noisy(0.02).sqrt_entropy(Clock::LogSigma).unwrap();
    let z = law.normaliser();
    assert!((z.value() - exact.normaliser().value()).abs() <= z.error(), "{z:?}");
    // a relative error r of the rate is r/2 of its root
    assert!(z.error() / z.value() > 0.009 && z.error() / z.value() < 0.04, "{z:?}");

    let rows: Vec<Evidence> = [0.0, 0.0, 0.3, 0.8, 1.0]
        .iter()
        .map(|&value| Estimated { value, estimate: 0.0 }.into())
        .collect();
    let levels = [0.1, 0.2, 0.5, 1.0, 3.0];
    let profile = RateProfile::tabulated("zeros", &levels, &rows).unwrap();
    for clock in Clock::ALL {
        let law = profile.sqrt_entropy(clock).unwrap();
        assert!(law.cdf(0.2) < 1e-20 && law.cdf(0.21) > 0.0);
        assert!((law.cdf(law.quantile(0.25).unwrap()) - 0.25).abs() < 1e-13);
    }
    assert!(RateProfile::tabulated("short", &levels[..2], &rows).is_err());
    assert!(RateProfile::tabulated("zero", &levels[..2], &rows[..2]).is_err());
    let bad = [Estimated { value: f64::NAN, estimate: 0.0 }.into(); 5];
    assert!(RateProfile::tabulated("nan", &levels, &bad).is_err());
}

/// (S6) where the densities themselves underflow or vanish: the pair's rate is positive down to
/// σ = 0.002, although it is far below the smallest double there; below its critical level the
/// random-energy limit has none, and uniform draws there are waste.
#[test]
fn entropy_efficiency_without_the_ratio_of_densities() {
    let range = (0.002, 80.0);
    for clock in [Clock::LogSigma, Clock::Sigma] {
        let profile = RateProfile::from_model(&Pair(1.0), range, 1e-13).unwrap();
        let best = profile.sqrt_entropy(clock).unwrap();
        let uniform = efficiency(&NoiseLaw::uniform(clock, range).unwrap(), &best).unwrap();
        let found = profile.entropy_efficiency(clock).unwrap();
        assert!((found.value / uniform.value - 1.0).abs() < 1e-10, "{found:?} {uniform:?}");

        let model = rootrate::entropy::RandomEnergy::new(1.0).unwrap();
        let profile = RateProfile::from_model(&model, range, 1e-13).unwrap();
        let best = profile.sqrt_entropy(clock).unwrap();
        let positive = NoiseLaw::uniform(clock, (model.critical_sigma(), 80.0)).unwrap();
        let uniform = efficiency(&positive, &best).unwrap();
        let found = profile.entropy_efficiency(clock).unwrap();
        assert!((found.value / uniform.value - 1.0).abs() < 1e-9, "{found:?} {uniform:?}");
    }
}

/// Two √-laws of the pair fall below the smallest double at different levels near σ = 0.03;
/// what lies beyond does not change the efficiency of one for the other.
#[test]
fn efficiency_does_not_depend_on_where_densities_underflow() {
    let ranges = [(0.002, 80.0), (0.1, 80.0)];
    let [wide, narrow] = ranges.map(|range| {
        let profile = RateProfile::from_model(&Pair(1.0), range, 1e-13).unwrap();
        let best = profile.sqrt_entropy(Clock::LogSigma).unwrap();
        efficiency(&profile.sqrt_entropy(Clock::Sigma).unwrap(), &best).unwrap()
    });
    assert!((wide.value / narrow.value - 1.0).abs() < 1e-8, "{wide:?} {narrow:?}");
}
