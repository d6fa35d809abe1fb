//! √-entropy laws beside the training law of EDM.

use super::models::{self, EDM_RANGE, EDM_SIGMA_DATA, levels};
use super::{Drawing, Failure, GalleryError, Settings, in_figure};
use crate::entropy::Clock;
use crate::evidence::Evidence;
use crate::plot::{Axis, Colour, Dash, Figure, Mark, Panel, Series};
use crate::schedule::{NoiseLaw, RateProfile};

pub(super) const DRAWING: Drawing = Drawing {
    name: "schedules",
    caption: "√-entropy laws, the optimal training laws over noise levels, on σ from 0.002 to \
              80 beside EDM's log-normal law; all as densities in ln σ, in brackets the clock \
              in which the root is taken. (a) The clock matters: with ln σ the law of Gaussian \
              data (s = 0.5) is flat down to the cut-off σ = 0.002, with σ it moves to larger \
              noise; the ±1 pair needs no cut-off. (b) Digits (pixels between 0 and 1): the law \
              of a Gaussian of their covariance depends on that cut-off, the law of the \
              10,000 images themselves ends by σ ≈ 0.3, below which the noise hides no image \
              from a denoiser that has memorised them all.",
    draw,
};

fn draw(settings: &Settings) -> Result<Figure, GalleryError> {
    figure(settings).map_err(in_figure(DRAWING.name))
}

fn figure(settings: &Settings) -> Result<Figure, Failure> {
    let range = EDM_RANGE;
    let pair = RateProfile::from_model(&models::pair()?, range, 1e-10)?;
    let gaussian = RateProfile::from_model(&models::gaussian(EDM_SIGMA_DATA)?, range, 1e-10)?;
    let digits = RateProfile::from_model(&models::digits_gaussian()?, range, 1e-10)?;
    let empirical = empirical_profile(settings)?;
    Ok(Figure::new(
        1000,
        410,
        vec![
            panel("one coordinate", [("±1 pair", &pair), ("Gaussian", &gaussian)])?,
            panel("digits", [("empirical", &empirical), ("Gaussian", &digits)])?,
        ],
    ))
}

/// The laws of two models in two clocks, and EDM's.
fn panel(title: &str, models: [(&str, &RateProfile); 2]) -> Result<Panel, Failure> {
    let mut panel = Panel::new(
        Axis::log("noise level σ (data units)").range(EDM_RANGE.0, EDM_RANGE.1),
        Axis::linear("density (per unit ln σ)"),
    );
    panel.title = title.into();
    for (clock, of, dash) in
        [(Clock::LogSigma, "ln σ", Dash::Solid), (Clock::Sigma, "σ", Dash::Dashed)]
    {
        for ((name, profile), colour) in models.into_iter().zip([Colour::Orange, Colour::Blue]) {
            let law = profile.sqrt_entropy(clock)?;
            panel.series.push(density(format!("{name} ({of})"), colour, dash, &law));
        }
        if clock == Clock::LogSigma {
            let edm = density("EDM".into(), Colour::Black, Dash::DashDot, &NoiseLaw::edm());
            panel.series.push(edm);
        }
    }
    Ok(panel)
}

/// The empirical rate of the digits as a profile.
pub(super) fn empirical_profile(settings: &Settings) -> Result<RateProfile, Failure> {
    let points = models::digits_empirical(settings)?;
    let sigma: Vec<f64> = points.iter().map(|p| p.sigma).collect();
    let mmse: Vec<Evidence> = points.iter().map(|p| p.mmse.into()).collect();
    Ok(RateProfile::tabulated("digits, empirical", &sigma, &mmse)?)
}

fn density(name: String, colour: Colour, dash: Dash, law: &NoiseLaw) -> Series {
    let points = levels(EDM_RANGE, 500)
        .into_iter()
        .map(|sigma| (sigma, law.density(Clock::LogSigma, sigma)))
        .collect();
    Series { name, colour, mark: Mark::Line { points, dash, width: 1.8 } }
}
