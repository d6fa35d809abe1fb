//! Small data models for the schedule tests, and the behaviour of ranges.

use rootrate::entropy::{Clock, DataModel, EntropyError, LowNoise, Unit};
use rootrate::evidence::{Estimated, Evidence, Sampled};
use rootrate::schedule::{RateProfile, ScheduleError, entropy_law, sqrt_entropy};

/// Diracs at ±a: mmse = a² e^{−γ/2} E sech(√γ Y), γ = a²/σ², by the trapezoid rule.
#[derive(Debug)]
pub(crate) struct Pair(pub(crate) f64);

impl Pair {
    fn value(&self, sigma: f64) -> f64 {
        let root = self.0 / sigma;
        let h = (root / 4.0).min(0.1);
        let mut sum = 0.5;
        for k in 1.. {
            let x = h * k as f64;
            let term = (-0.5 * (x / root).powi(2)).exp() / x.cosh();
            if term < 1e-18 {
                break;
            }
            sum += term;
        }
        let density = h / (root * (2.0 * std::f64::consts::PI).sqrt());
        (-0.5 * root * root).exp() * 2.0 * sum * density * self.0 * self.0
    }
}

impl DataModel for Pair {
    fn name(&self) -> String {
        "pair".into()
    }
    fn unit(&self) -> Unit {
        Unit::Total { dimension: 1 }
    }
    fn low_noise(&self) -> LowNoise {
        LowNoise::Discrete { entropy: std::f64::consts::LN_2 }
    }
    fn mmse(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        Ok(Estimated { value: self.value(sigma), estimate: 0.0 }.into())
    }
    /// I = ln 2 − E ln(1 + e^{−2x}), x = γ + √γ Z, by the trapezoid rule.
    fn information(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        let gamma = (self.0 / sigma).powi(2);
        let softplus = |x: f64| (-2.0 * x.abs()).exp().ln_1p() + 2.0 * (-x).max(0.0);
        if gamma > 200.0 {
            return Ok(Estimated { value: std::f64::consts::LN_2, estimate: 1e-30 }.into());
        }
        let h = 0.02;
        let mean: f64 = (-600..=600)
            .map(|k| {
                let z = h * k as f64;
                (-0.5 * z * z).exp() * softplus(gamma + gamma.sqrt() * z)
            })
            .sum::<f64>()
            * h
            / (2.0 * std::f64::consts::PI).sqrt();
        Ok(Estimated { value: std::f64::consts::LN_2 - mean, estimate: 1e-10 }.into())
    }
}

/// N(0, s²).
#[derive(Debug)]
pub(crate) struct Normal(pub(crate) f64);

impl DataModel for Normal {
    fn name(&self) -> String {
        "normal".into()
    }
    fn unit(&self) -> Unit {
        Unit::Total { dimension: 1 }
    }
    fn low_noise(&self) -> LowNoise {
        LowNoise::Continuous { dimension: 1.0 }
    }
    fn mmse(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        let value = sigma * sigma / (1.0 + (sigma / self.0).powi(2));
        Ok(Estimated { value, estimate: 0.0 }.into())
    }
    fn information(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        let value = 0.5 * (self.0 / sigma).powi(2).ln_1p();
        Ok(Estimated { value, estimate: 0.0 }.into())
    }
}

/// The random-energy limit: 1/(1+σ²) above σ_c, 0 below.
#[derive(Debug)]
pub(crate) struct Jump(pub(crate) f64);

impl DataModel for Jump {
    fn name(&self) -> String {
        "jump".into()
    }
    fn unit(&self) -> Unit {
        Unit::PerCoordinate
    }
    fn low_noise(&self) -> LowNoise {
        LowNoise::Discrete { entropy: 0.5 * self.0.powi(-2).ln_1p() }
    }
    fn mmse(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        let value = if sigma < self.0 { 0.0 } else { sigma * sigma / (1.0 + sigma * sigma) };
        Ok(Estimated { value, estimate: 0.0 }.into())
    }
    fn information(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        let value = 0.5 * sigma.max(self.0).powi(-2).ln_1p();
        Ok(Estimated { value, estimate: 0.0 }.into())
    }
    fn kinks(&self) -> Vec<f64> {
        vec![self.0]
    }
}

/// A model with Monte Carlo evidence.
#[derive(Debug)]
struct Noisy;

impl DataModel for Noisy {
    fn name(&self) -> String {
        "noisy".into()
    }
    fn unit(&self) -> Unit {
        Unit::PerCoordinate
    }
    fn low_noise(&self) -> LowNoise {
        LowNoise::Discrete { entropy: 1.0 }
    }
    fn mmse(&self, _: f64) -> Result<Evidence, EntropyError> {
        Ok(Sampled { mean: 0.5, standard_error: 0.01, replicates: 10 }.into())
    }
    fn information(&self, _: f64) -> Result<Evidence, EntropyError> {
        Ok(Sampled { mean: 0.5, standard_error: 0.01, replicates: 10 }.into())
    }
}

#[test]
fn continuous_data_need_a_cut_off() {
    let error = sqrt_entropy(&Normal(1.0), Clock::LogSigma, (0.0, 80.0)).unwrap_err();
    assert!(matches!(error, ScheduleError::CutOff { dimension: 1.0, .. }));
    let text = error.to_string();
    assert!(text.contains("cut-off") && text.contains("infinite mass"), "{text}");
}

#[test]
fn bad_ranges_are_refused() {
    let inf = f64::INFINITY;
    for range in
        [(80.0, 0.1), (1.0, 1.0), (-1.0, 2.0), (f64::NAN, 2.0), (1.0, f64::NAN), (inf, inf)]
    {
        for model in [&Pair(1.0) as &dyn DataModel, &Normal(1.0)] {
            let error = sqrt_entropy(model, Clock::LogSigma, range).unwrap_err();
            assert!(matches!(error, ScheduleError::Range { .. }), "{range:?}: {error}");
        }
    }
    assert!(entropy_law(&Normal(1.0), (1e-300, 1.0)).is_err());
}

#[test]
fn sampled_models_are_sent_to_the_profile() {
    let error = sqrt_entropy(&Noisy, Clock::LogSigma, (0.1, 1.0)).unwrap_err();
    assert!(matches!(error, ScheduleError::Sampled { .. }));
}

/// The automatic window of discrete data carries all information (H = ln 2 up to the part
/// Var/(2S²) above it), and scales with the data.
#[test]
fn unbounded_ranges_of_discrete_data() {
    for scale in [1e-12, 1.0, 1e12] {
        let model = Pair(scale);
        let profile = RateProfile::from_model(&model, (0.0, f64::INFINITY), 1e-12).unwrap();
        let total = profile.entropy().unwrap().normaliser();
        assert!((total.value() - std::f64::consts::LN_2).abs() < 1e-12, "{total:?}");
        for clock in [Clock::LogSigma, Clock::Sigma] {
            let law = profile.sqrt_entropy(clock).unwrap();
            // the range (0, ∞) may not be cut visibly: compare with the half-size window
            let (low, high) = profile.range();
            let shorter = sqrt_entropy(&model, clock, (low * 1.1, high * 1e-2)).unwrap();
            let (a, b) = (law.normaliser().value(), shorter.normaliser().value());
            assert!((a / b - 1.0).abs() < 2e-14, "{scale} {clock}: {a} {b}");
            // and ln σ shifts with the scale
            let one = sqrt_entropy(&Pair(1.0), clock, (0.0, f64::INFINITY)).unwrap();
            let shift = law.mean_log_sigma().value - one.mean_log_sigma().value - scale.ln();
            assert!(shift.abs() < 1e-11, "{scale} {clock}: {shift}");
        }
    }
}

/// Two well separated scales: the search for the window must not stop in the gap.
#[test]
fn the_window_crosses_gaps_in_the_rate() {
    #[derive(Debug)]
    struct Product;
    impl DataModel for Product {
        fn name(&self) -> String {
            "two scales".into()
        }
        fn unit(&self) -> Unit {
            Unit::Total { dimension: 2 }
        }
        fn low_noise(&self) -> LowNoise {
            LowNoise::Discrete { entropy: 2.0 * std::f64::consts::LN_2 }
        }
        fn mmse(&self, s: f64) -> Result<Evidence, EntropyError> {
            let value = Pair(1.0).value(s) + Pair(1e-9).value(s);
            Ok(Estimated { value, estimate: 0.0 }.into())
        }
        fn information(&self, s: f64) -> Result<Evidence, EntropyError> {
            let value = Pair(1.0).information(s)?.value() + Pair(1e-9).information(s)?.value();
            Ok(Estimated { value, estimate: 1e-10 }.into())
        }
    }
    let law = entropy_law(&Product, (0.0, f64::INFINITY)).unwrap();
    assert!((law.normaliser().value() - 2.0 * std::f64::consts::LN_2).abs() < 1e-11);
    // between the scales lies all but Var/(2σ²) = 5e-13 nats of the lower one
    assert!((law.cdf(1e-3) - 0.5).abs() < 1e-11);
}

/// A jump of the rate that the model announces is resolved exactly: support and law are those
/// of the closed form, which is built another way.
#[test]
fn announced_jumps_are_resolved() {
    let alpha: f64 = 0.8;
    let cut = (2.0 * alpha).exp_m1().sqrt().recip();
    let law = sqrt_entropy(&Jump(cut), Clock::LogSigma, (0.01, 80.0)).unwrap();
    let exact = rootrate::schedule::NoiseLaw::random_energy(alpha, (0.01, 80.0)).unwrap();
    assert!((law.support().0 / cut - 1.0).abs() < 1e-14);
    for u in [0.0, 1e-9, 0.2, 0.5, 0.99, 1.0] {
        let (a, b) = (law.quantile(u).unwrap(), exact.quantile(u).unwrap());
        assert!((a / b - 1.0).abs() < 1e-13, "{u}: {a} {b}");
    }
}
