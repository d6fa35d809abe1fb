//! How a finite number of draws is spent.

use super::models::{EDM_RANGE, EDM_SIGMA_DATA, levels};
use super::{Drawing, Failure, GalleryError, Settings, in_figure};
use crate::entropy::Clock;
use crate::plot::{Annotation, Axis, Figure, Panel, Series};
use crate::schedule::{Allocation, NoiseLaw};

pub(super) const DRAWING: Drawing = Drawing {
    name: "allocation",
    caption: "Optimal allocation of N draws over noise levels for Gaussian data of standard \
              deviation 0.5, when the learner at each level has p = 100 features. Every learner \
              first needs its p draws (dashed floor); only what is left follows the √-entropy \
              law, so that scarce draws are spread almost evenly and plentiful ones as the law \
              says.",
    draw,
};

const FEATURES: f64 = 100.0;

fn draw(_: &Settings) -> Result<Figure, GalleryError> {
    figure().map_err(in_figure(DRAWING.name))
}

fn figure() -> Result<Figure, Failure> {
    let law = NoiseLaw::gaussian(EDM_SIGMA_DATA, Clock::LogSigma, EDM_RANGE)?;
    let minimum = FEATURES * (EDM_RANGE.1 / EDM_RANGE.0).ln();
    let mut panel = Panel::new(
        Axis::log("noise level σ (data units)").range(EDM_RANGE.0, EDM_RANGE.1),
        Axis::log("draws per unit of ln σ").range(60.0, 1e4),
    );
    for (k, multiple) in [30.0, 10.0, 3.0, 1.2].into_iter().enumerate() {
        let plan =
            Allocation::new(&law, Clock::LogSigma, EDM_RANGE, FEATURES, multiple * minimum)?;
        let points = levels(EDM_RANGE, 300).into_iter().map(|s| (s, plan.draws_at(s))).collect();
        panel.series.push(Series::line(format!("N = {multiple} × p ln(σ_max/σ_min)"), k, points));
    }
    panel.annotations.push(Annotation::Horizontal { y: FEATURES, label: "p draws".into() });
    Ok(Figure::new(560, 430, vec![panel]))
}
