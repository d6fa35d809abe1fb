//! √-entropy laws beside the training law of EDM.

use super::models::{self, EDM_RANGE, EDM_SIGMA_DATA, levels};
use super::{Drawing, Failure, GalleryError, Settings, in_figure};
use crate::entropy::Clock;
use crate::evidence::Evidence;
use crate::plot::{Axis, Colour, Dash, Figure, Mark, Panel, Series};
use crate::schedule::{NoiseLaw, RateProfile, sqrt_entropy};

pub(super) const DRAWING: Drawing = Drawing {
    name: "schedules",
    caption: "√-entropy laws, the optimal training laws over noise levels, on σ from 0.002 to \
              80, beside EDM's log-normal law; all as densities in ln σ. (a) The clock in which \
              the root is taken matters: with ln σ the law of Gaussian data is flat down to the \
              cut-off, with σ it moves to larger noise; the ±1 pair needs no cut-off. \
              (b) Digits (pixels between 0 and 1): their Gaussian law depends on the cut-off \
              σ ≥ 0.002, their empirical law has its own at σ ≈ 1, where the data set is \
              memorised.",
    draw,
};

fn draw(settings: &Settings) -> Result<Figure, GalleryError> {
    figure(settings).map_err(in_figure(DRAWING.name))
}

fn figure(settings: &Settings) -> Result<Figure, Failure> {
    let (pair, gaussian) = (models::pair()?, models::gaussian(EDM_SIGMA_DATA)?);
    let mut scalar = Vec::new();
    for (k, clock, name) in [(0, Clock::LogSigma, "clock ln σ"), (1, Clock::Sigma, "clock σ")] {
        let dash = Dash::nth(k);
        let law = sqrt_entropy(&pair, clock, EDM_RANGE)?;
        scalar.push(density(format!("±1 pair, {name}"), Colour::Vermillion, dash, &law));
        let law = NoiseLaw::gaussian(EDM_SIGMA_DATA, clock, EDM_RANGE)?;
        scalar.push(density(format!("Gaussian s = 0.5, {name}"), Colour::Blue, dash, &law));
    }
    scalar.push(edm());

    let mut digits = Vec::new();
    let empirical = empirical_profile(settings)?;
    let profile = RateProfile::from_model(&models::digits_gaussian()?, EDM_RANGE, 1e-10)?;
    for (k, clock, name) in [(0, Clock::LogSigma, "clock ln σ"), (1, Clock::Sigma, "clock σ")] {
        let dash = Dash::nth(k);
        let law = empirical.sqrt_entropy(clock)?;
        digits.push(density(format!("empirical, {name}"), Colour::Vermillion, dash, &law));
        let law = profile.sqrt_entropy(clock)?;
        digits.push(density(format!("Gaussian, {name}"), Colour::Blue, dash, &law));
    }
    digits.push(edm());
    let _ = gaussian;
    let panels = [("one coordinate", scalar), ("digits", digits)].map(|(title, series)| {
        let mut panel = Panel::new(
            Axis::log("noise level σ (data units)").range(EDM_RANGE.0, EDM_RANGE.1),
            Axis::linear("density (per unit ln σ)"),
        );
        panel.title = title.into();
        panel.series = series;
        panel
    });
    Ok(Figure::new(1000, 430, panels.to_vec()))
}

/// The empirical rate of the digits as a profile.
pub(super) fn empirical_profile(settings: &Settings) -> Result<RateProfile, Failure> {
    let points = models::digits_empirical(settings)?;
    let sigma: Vec<f64> = points.iter().map(|p| p.sigma).collect();
    let mmse: Vec<Evidence> = points.iter().map(|p| p.mmse.into()).collect();
    Ok(RateProfile::tabulated("digits, empirical", &sigma, &mmse)?)
}

fn edm() -> Series {
    density("EDM log-normal".into(), Colour::Black, Dash::DashDot, &NoiseLaw::edm())
}

fn density(name: String, colour: Colour, dash: Dash, law: &NoiseLaw) -> Series {
    let points = levels(EDM_RANGE, 500)
        .into_iter()
        .map(|sigma| (sigma, law.density(Clock::LogSigma, sigma)))
        .collect();
    Series { name, colour, mark: Mark::Line { points, dash, width: 1.8 } }
}
