//! How good the laws in use are, model by model.

use super::models::{self, EDM_RANGE, EDM_SIGMA_DATA, PAIR_RANGE, levels};
use super::schedules::empirical_profile;
use super::{Drawing, Failure, GalleryError, Settings, in_figure};
use crate::entropy::{Clock, DataModel};
use crate::evidence::Estimated;
use crate::plot::{Axis, Figure, Panel, Series};
use crate::schedule::{NoiseLaw, RateProfile, efficiency};

pub(super) const DRAWING: Drawing = Drawing {
    name: "efficiency",
    caption: "Efficiency of training laws for σ from 0.002 to 80 (the ±1 pair from 0.05 and the \
              empirical law of the digits from 0.1, below which their rates are negligible): \
              the fraction of the draws with which the optimal law, √-entropy in the clock \
              ln σ, attains the same error. The law proportional to the entropy rate itself is \
              no better than a uniform one where there is a rate; the log-normal law of greatest \
              efficiency is good, and EDM's standard one (made for data of standard deviation \
              0.5) has hardly any draws where continuous data near the cut-off need them. Error \
              bars: estimated error, visible where the rate is sampled.",
    draw,
};

/// Errors below this are not seen in a bar.
const INVISIBLE: f64 = 1e-3;

fn draw(settings: &Settings) -> Result<Figure, GalleryError> {
    figure(settings).map_err(in_figure(DRAWING.name))
}

fn figure(settings: &Settings) -> Result<Figure, Failure> {
    let pair = models::pair()?;
    let gaussian = models::gaussian(EDM_SIGMA_DATA)?;
    let wishart = models::wishart()?;
    let random_energy = models::random_energy()?;
    let digits = models::digits_gaussian()?;
    let every: [(&str, &dyn DataModel, (f64, f64)); 5] = [
        ("±1 pair, σ ≥ 0.05", &pair, PAIR_RANGE),
        ("Gaussian, s = 0.5", &gaussian, EDM_RANGE),
        ("random energy, α = 1", &random_energy, EDM_RANGE),
        ("Wishart covariance, c = 0.3", &wishart, EDM_RANGE),
        ("digits, Gaussian", &digits, EDM_RANGE),
    ];
    let mut panels = Vec::new();
    for (title, model, range) in every {
        panels.push(panel(title, &RateProfile::from_model(model, range, 1e-10)?)?);
    }
    panels.push(panel("digits, empirical, σ ≥ 0.1", &empirical_profile(settings)?)?);
    Ok(Figure { columns: 2, ..Figure::new(960, 760, panels) })
}

fn panel(title: &str, profile: &RateProfile) -> Result<Panel, Failure> {
    let best = profile.sqrt_entropy(Clock::LogSigma)?;
    let laws = [
        ("√-entropy (ln σ)", best.clone()),
        ("√-entropy (σ)", profile.sqrt_entropy(Clock::Sigma)?),
        ("uniform in ln σ", NoiseLaw::uniform(Clock::LogSigma, profile.range())?),
        ("EDM log-normal", NoiseLaw::edm()),
        ("best log-normal", best_log_normal(&best)?),
    ];
    let mut bars = Vec::new();
    for (name, law) in &laws {
        bars.push((*name, efficiency(law, &best)?));
    }
    bars[0].1 = Estimated { value: 1.0, estimate: 0.0 };
    bars.insert(2, ("entropy rate", profile.entropy_efficiency(Clock::LogSigma)?));
    let names = bars.iter().map(|(name, _)| (*name).to_owned()).collect();
    let values = bars.iter().map(|(_, eff)| eff.value).collect();
    let visible = |e: f64| if e > INVISIBLE { e } else { 0.0 };
    let errors = bars.iter().map(|(_, eff)| visible(eff.estimate)).collect();
    let mut panel = Panel::new(
        Axis::linear("efficiency (fraction of draws)").range(0.0, 1.18),
        Axis::linear(""),
    );
    panel.title = title.to_owned();
    panel.series.push(Series::bars(names, values, errors));
    Ok(panel)
}

/// The log-normal law μ of greatest efficiency for the optimal law π.
///
/// In the natural parameters θ of μ, with T = (l, l²) for l = ln σ and A(θ) the log-partition
/// function, 1/μ ∝ exp(A(θ) − θ·T): F = ln ∫π²/μ is convex, with the gradient E_μ T − E_q T for
/// q ∝ π²/μ and the Hessian Cov_μ T + Cov_q T. A damped Newton iteration finds its minimum.
fn best_log_normal(optimum: &NoiseLaw) -> Result<NoiseLaw, Failure> {
    const STEPS: usize = 100;
    let rows: Vec<(f64, f64)> = levels(optimum.support(), 4001)
        .into_iter()
        .map(|sigma| (sigma.ln(), 2.0 * optimum.density(Clock::LogSigma, sigma).ln()))
        .filter(|row| row.1.is_finite())
        .collect();
    let (mut mean, mut sd) = (optimum.mean_log_sigma().value, optimum.sd_log_sigma().value);
    for _ in 0..STEPS {
        // in z = (l − mean)/sd, where μ is the standard normal law and θ = (0, −½)
        let scaled = rows.iter().map(|&(l, squared)| {
            let z = (l - mean) / sd;
            (z, squared + 0.5 * z * z)
        });
        let top = scaled.clone().map(|row| row.1).fold(f64::NEG_INFINITY, f64::max);
        let mut sums = [0.0; 5];
        for (z, log_weight) in scaled {
            let mut term = (log_weight - top).exp();
            for sum in &mut sums {
                *sum += term;
                term *= z;
            }
        }
        let [m1, m2, m3, m4] = [1, 2, 3, 4].map(|k| sums[k] / sums[0]);
        let gradient = (-m1, 1.0 - m2);
        let (a, b, c) = (1.0 + m2 - m1 * m1, m3 - m1 * m2, 2.0 + m4 - m2 * m2);
        let determinant = a * c - b * b;
        let newton = (
            (b * gradient.1 - c * gradient.0) / determinant,
            (b * gradient.0 - a * gradient.1) / determinant,
        );
        let decrement = -(gradient.0 * newton.0 + gradient.1 * newton.1);
        if decrement < 1e-18 {
            return Ok(NoiseLaw::log_normal(mean, sd)?);
        }
        let damping = 1.0 / (1.0 + 2.0 * decrement.sqrt());
        let step = (damping * newton.0, (damping * newton.1).min(0.25));
        let precision = 1.0 - 2.0 * step.1;
        mean += sd * step.0 / precision;
        sd /= precision.sqrt();
    }
    Err(format!("no best log-normal law for {} in {STEPS} steps", optimum.name()).into())
}
