//! How good the laws in use are, model by model.

use super::models::{self, EDM_RANGE, EDM_SIGMA_DATA, levels};
use super::schedules::empirical_profile;
use super::{Drawing, Failure, GalleryError, Settings, in_figure};
use crate::entropy::{Clock, DataModel};
use crate::plot::{Axis, Figure, Panel, Series};
use crate::schedule::{NoiseLaw, RateProfile, efficiency};

pub(super) const DRAWING: Drawing = Drawing {
    name: "efficiency",
    caption: "Efficiency of training laws on σ from 0.002 to 80: the fraction of the draws with \
              which the optimal law, √-entropy in the clock ln σ, attains the same error. The \
              entropy-rate law wastes most where the rate varies most; a log-normal law fits \
              discrete data well and continuous data, whose rate stays positive down to the \
              cut-off, badly.",
    draw,
};

fn draw(settings: &Settings) -> Result<Figure, GalleryError> {
    figure(settings).map_err(in_figure(DRAWING.name))
}

fn figure(settings: &Settings) -> Result<Figure, Failure> {
    let pair = models::pair()?;
    let gaussian = models::gaussian(EDM_SIGMA_DATA)?;
    let wishart = models::wishart()?;
    let random_energy = models::random_energy()?;
    let digits = models::digits_gaussian()?;
    let every: [(&str, &dyn DataModel); 5] = [
        ("±1 pair", &pair),
        ("Gaussian, s = 0.5", &gaussian),
        ("random energy, α = 1", &random_energy),
        ("Wishart covariance, c = 0.3", &wishart),
        ("digits, Gaussian", &digits),
    ];
    let mut panels = Vec::new();
    for (title, model) in every {
        panels.push(panel(title, &RateProfile::from_model(model, EDM_RANGE, 1e-10)?)?);
    }
    panels.push(panel("digits, empirical", &empirical_profile(settings)?)?);
    Ok(Figure { columns: 2, ..Figure::new(960, 720, panels) })
}

fn panel(title: &str, profile: &RateProfile) -> Result<Panel, Failure> {
    let best = profile.sqrt_entropy(Clock::LogSigma)?;
    let laws = [
        ("√-entropy", best.clone()),
        ("entropy rate", profile.entropy()?),
        ("uniform in ln σ", NoiseLaw::uniform(Clock::LogSigma, EDM_RANGE)?),
        ("EDM log-normal", NoiseLaw::edm()),
        ("best log-normal", best_log_normal(&best)?),
    ];
    let mut values = Vec::new();
    for (_, law) in &laws {
        values.push(efficiency(law, &best)?.value);
    }
    let names = laws.map(|(name, _)| name.to_owned()).to_vec();
    let mut panel =
        Panel::new(Axis::linear("efficiency (fraction of draws)").range(0.0, 1.15), Axis::linear(""));
    panel.title = title.to_owned();
    panel.series.push(Series::bars(names, values, Vec::new()));
    Ok(panel)
}

/// The log-normal law μ of greatest efficiency for the optimal law π.
///
/// In its natural parameters ∫π²/μ is convex, and it is least where the mean and the variance
/// of ln σ under μ are those under q ∝ π²/μ. Replacing them by those of q overshoots by as much
/// as they were off, when π is itself log-normal; going half-way converges.
fn best_log_normal(optimum: &NoiseLaw) -> Result<NoiseLaw, Failure> {
    const STEPS: usize = 500;
    let rows: Vec<(f64, f64)> = levels(optimum.support(), 4001)
        .into_iter()
        .map(|sigma| (sigma.ln(), optimum.density(Clock::LogSigma, sigma)))
        .filter(|row| row.1 > 0.0)
        .collect();
    let (mut mean, mut variance) =
        (optimum.mean_log_sigma().value, optimum.sd_log_sigma().value.powi(2));
    for _ in 0..STEPS {
        let exponent = |l: f64, density: f64| {
            2.0 * density.ln() + (l - mean) * (l - mean) / (2.0 * variance)
        };
        let top = rows.iter().map(|&(l, d)| exponent(l, d)).fold(f64::NEG_INFINITY, f64::max);
        let mut sums = [0.0; 3];
        for &(l, density) in &rows {
            let weight = (exponent(l, density) - top).exp();
            for (sum, power) in sums.iter_mut().zip([1.0, l - mean, (l - mean) * (l - mean)]) {
                *sum += weight * power;
            }
        }
        let shift = sums[1] / sums[0];
        let spread = sums[2] / sums[0] - shift * shift;
        mean += 0.5 * shift;
        variance += 0.5 * (spread - variance);
        if shift.abs() < 1e-9 && (spread - variance).abs() < 1e-9 * variance {
            return Ok(NoiseLaw::log_normal(mean, variance.sqrt())?);
        }
    }
    Err(format!("no best log-normal law for {} found in {STEPS} steps", optimum.name()).into())
}
