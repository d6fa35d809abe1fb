//! How a finite number of draws is spent.

use super::models::{EDM_RANGE, EDM_SIGMA_DATA, levels};
use super::{Drawing, Failure, GalleryError, Settings, in_figure};
use crate::entropy::Clock;
use crate::plot::{Annotation, Axis, Colour, Dash, Figure, Mark, Panel, Series};
use crate::schedule::{Allocation, NoiseLaw};

pub(super) const DRAWING: Drawing = Drawing {
    name: "allocation",
    caption: "Optimal allocation of N draws over noise levels, |T| = ln(σ_max/σ_min) ≈ 10.6, for \
              Gaussian data of standard deviation 0.5 when the learner at each level has p = \
              100 features. (a) Every learner first needs its p draws (dashed floor); what is \
              left follows the √-entropy law. (b) Scarce draws are therefore spread almost \
              evenly, plentiful ones by the √-entropy law.",
    draw,
};

const FEATURES: f64 = 100.0;

fn draw(_: &Settings) -> Result<Figure, GalleryError> {
    figure().map_err(in_figure(DRAWING.name))
}

fn figure() -> Result<Figure, Failure> {
    let law = NoiseLaw::gaussian(EDM_SIGMA_DATA, Clock::LogSigma, EDM_RANGE)?;
    let length = (EDM_RANGE.1 / EDM_RANGE.0).ln();
    let panel = |label: &str, y: Axis| {
        let x = Axis::log("noise level σ (data units)").range(EDM_RANGE.0, EDM_RANGE.1);
        let mut panel = Panel::new(x, y);
        panel.title = label.into();
        panel
    };
    let mut draws = panel("draws", Axis::log("draws per unit of ln σ").range(60.0, 1e4));
    let mut share = panel("share of all draws", Axis::linear("density (per unit of ln σ)"));
    let sigmas = levels(EDM_RANGE, 300);
    for (k, multiple) in [30.0, 10.0, 3.0, 1.2].into_iter().enumerate() {
        let total = multiple * FEATURES * length;
        let plan = Allocation::new(&law, Clock::LogSigma, EDM_RANGE, FEATURES, total)?;
        let name = format!("N = {multiple} p|T|");
        let at = |f: &dyn Fn(f64) -> f64| sigmas.iter().map(|&s| (s, f(s))).collect();
        draws.series.push(Series::line(&name, k, at(&|s| plan.draws_at(s))));
        let density = |s| plan.law().density(Clock::LogSigma, s);
        share.series.push(Series::line(&name, k, at(&density)));
    }
    let limit = sigmas.iter().map(|&s| (s, law.density(Clock::LogSigma, s))).collect();
    share.series.push(Series {
        name: "√-entropy".into(),
        colour: Colour::Grey,
        mark: Mark::Line { points: limit, dash: Dash::Solid, width: 1.2 },
    });
    draws.annotations.push(Annotation::Horizontal { y: FEATURES, label: "p draws".into() });
    Ok(Figure::new(960, 400, vec![draws, share]))
}
