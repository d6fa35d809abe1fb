//! The five clocks: closed forms of theory page 3, table (E2), round trips and domains.

use proptest::prelude::*;
use rootrate::entropy::Clock;

/// |a − b| within `ulps` units of rounding of b.
fn close(a: f64, b: f64, ulps: f64) -> bool {
    (a - b).abs() <= ulps * f64::EPSILON * b.abs()
}

#[test]
fn rates_match_the_table() {
    for sigma in [0.01, 0.3, 1.0, 4.0, 90.0] {
        let mmse = 0.37 * sigma;
        let u = sigma / (1.0 + sigma);
        let growth: f64 = 1.0 + sigma * sigma; // e^{2t}
        let table = [
            (Clock::LogSigma, mmse / (sigma * sigma)),
            (Clock::Sigma, mmse / sigma.powi(3)),
            (Clock::LogSnr, mmse / (2.0 * sigma * sigma)),
            // 1−u = 1/(1+σ), written without the cancellation of 1−u
            (Clock::Flow, mmse / ((1.0 + sigma) * u.powi(3))),
            (Clock::OrnsteinUhlenbeck, mmse * growth / sigma.powi(4)),
        ];
        for (clock, rate) in table {
            assert!(close(clock.rate(sigma, mmse), rate, 12.0), "{clock} at {sigma}");
        }
    }
}

#[test]
fn speeds_are_derivatives_of_levels() {
    for clock in Clock::ALL {
        for sigma in [0.02_f64, 0.5, 1.0, 3.0, 50.0] {
            // central difference in ℓ: error h²/6·u‴ ≈ 2e-11, rounding ε·|u|/h ≈ 1e-11
            let h = 1e-5;
            let du = clock.level(sigma * f64::exp(h)) - clock.level(sigma * f64::exp(-h));
            let speed = 2.0 * h / du.abs();
            assert!((speed / clock.log_sigma_speed(sigma) - 1.0).abs() < 1e-8, "{clock} {sigma}");
        }
    }
}

#[test]
fn names_round_trip_and_unknown_names_list_the_valid_ones() {
    for clock in Clock::ALL {
        assert_eq!(clock.to_string().parse::<Clock>().unwrap(), clock);
    }
    let message = "snr".parse::<Clock>().unwrap_err();
    assert!(message.contains("`snr`") && message.contains("log-sigma, sigma, log-snr, flow, ou"));
}

#[test]
fn extreme_levels_give_no_nan() {
    for clock in Clock::ALL {
        for sigma in [f64::MIN_POSITIVE, 1e-200, 1e-8, 1.0, 1e9, 1e200, f64::MAX] {
            assert!(!clock.level(sigma).is_nan());
            assert!(!clock.rate(sigma, 0.0).is_nan(), "{clock} {sigma}");
            assert!(!clock.rate(sigma, 1.0).is_nan(), "{clock} {sigma}");
        }
    }
}

#[test]
fn domains() {
    assert!(Clock::Flow.contains(0.5) && !Clock::Flow.contains(1.0) && !Clock::Flow.contains(0.0));
    assert!(Clock::LogSnr.contains(-3.0) && !Clock::LogSnr.contains(f64::NAN));
    assert!(!Clock::Sigma.contains(-1.0) && !Clock::OrnsteinUhlenbeck.contains(0.0));
    assert!(!Clock::LogSigma.contains(f64::INFINITY));
}

proptest! {
    /// σ(u(σ)) = σ. The level carries a relative rounding ε, which the inverse amplifies by
    /// |u dσ/(σ du)| ≤ 1 + |ln σ| in the logarithmic clocks, 1 + σ for flow (1−u cancels) and
    /// 1 + t for the OU time, t = |ln σ| at most.
    #[test]
    fn levels_round_trip(log_sigma in -18.0..18.0_f64) {
        let sigma = log_sigma.exp();
        for clock in Clock::ALL {
            let level = clock.level(sigma);
            prop_assert!(clock.contains(level));
            let amplification = match clock {
                Clock::Flow => 1.0 + sigma,
                _ => 1.0 + log_sigma.abs(),
            };
            prop_assert!(close(clock.sigma(level), sigma, 4.0 * amplification), "{clock}");
        }
    }
}
