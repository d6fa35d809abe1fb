//! The risk of random features over their number and the penalty.

use super::contour::contour;
use super::models::levels;
use super::{Drawing, Failure, GalleryError, Settings, in_figure};
use crate::learning::{LearningError, RandomFeatures, Signal};
use crate::montecarlo::{CpuEngine, Engine, RandomFeaturesExperiment, Streams};
use crate::plot::{Annotation, Axis, Colour, Dash, Figure, Legend, Mark, Panel, Series};
use crate::spectrum::Spectrum;

pub(super) const DRAWING: Drawing = Drawing {
    name: "risk-surface",
    caption: "Excess risk of ridge regression on p random features of Gaussian data (d = 200 \
              dimensions with eigenvalues k^(−½), n = 100 samples, a flat signal of variance 1, \
              noise variance τ² = 0.3). (a) Lines of equal risk over p/n and the penalty, \
              thicker for higher risk: a ridge of double descent rises along p = n as the \
              penalty falls, and the best penalty (dashed) passes round it. (b) Cuts at two \
              penalties and along the best one: deterministic equivalent (lines) and \
              simulation (mean ± 2 standard errors); with the best penalty more features never \
              hurt.",
    draw,
};

const DIMENSION: usize = 200;
const SAMPLES: usize = 100;
const NOISE: f64 = 0.3;
const EXPERIMENT: u32 = 9_400;
const RATIOS: (f64, f64) = (0.1, 10.0);
/// ρ = λ/n.
const PENALTIES: (f64, f64) = (1e-5, 10.0);
/// Risks of the contours.
const CONTOURS: [f64; 8] = [0.65, 0.7, 0.75, 0.85, 1.0, 1.5, 3.0, 8.0];

fn draw(settings: &Settings) -> Result<Figure, GalleryError> {
    figure(settings).map_err(in_figure(DRAWING.name))
}

fn figure(settings: &Settings) -> Result<Figure, Failure> {
    let spectrum = Spectrum::power_law(0.5, DIMENSION)?;
    let power = 1.0 / spectrum.mean();
    let learner = RandomFeatures::new(&spectrum, DIMENSION, &Signal::Flat { power }, NOISE)?;
    let cuts = cut_panel(settings, &learner, power)?;
    Ok(Figure::new(1000, 460, vec![surface_panel(settings, &learner)?, cuts]))
}

/// The excess risk at p/n and ρ.
fn risk(learner: &RandomFeatures, ratio: f64, ridge: f64) -> Result<f64, LearningError> {
    let n = SAMPLES as f64;
    Ok(learner.curve_point(n, ratio * n, ridge * n)?.risk.value)
}

/// The best ρ at p/n: the least on a grid of 1 % steps.
fn best(learner: &RandomFeatures, ratio: f64) -> Result<(f64, f64), LearningError> {
    let mut least = (0.0, f64::INFINITY);
    for ridge in levels((1e-3, PENALTIES.1), 900) {
        let value = risk(learner, ratio, ridge)?;
        if value < least.1 {
            least = (ridge, value);
        }
    }
    Ok(least)
}

fn surface_panel(settings: &Settings, learner: &RandomFeatures) -> Result<Panel, Failure> {
    let count = if settings.quick { 60 } else { 160 };
    let (ratios, ridges) = (levels(RATIOS, count), levels(PENALTIES, count));
    let mut logs = Vec::with_capacity(count * count);
    for &ridge in &ridges {
        for &ratio in &ratios {
            logs.push(risk(learner, ratio, ridge)?.ln());
        }
    }
    let mut panel = Panel::new(
        Axis::log("features per sample p/n").range(RATIOS.0, RATIOS.1),
        Axis::log("penalty λ/n (units of the variance of a feature)")
            .range(PENALTIES.0, PENALTIES.1),
    );
    panel.title = "lines of equal excess risk".into();
    panel.legend = Legend::Above;
    for (k, level) in CONTOURS.into_iter().enumerate() {
        for line in contour(&ratios, &ridges, &logs, level.ln()) {
            let longest = line.len();
            if longest > count / 8 {
                let (x, y) = line[longest / 2];
                panel.annotations.push(Annotation::Text { x, y, text: format!("{level}") });
            }
            panel.series.push(Series {
                name: "excess risk".into(),
                colour: Colour::Blue,
                mark: Mark::Line { points: line, dash: Dash::Solid, width: 0.7 + 0.25 * k as f64 },
            });
        }
    }
    let mut optimum = Vec::new();
    for ratio in levels(RATIOS, 60) {
        optimum.push((ratio, best(learner, ratio)?.0));
    }
    panel.series.push(Series {
        name: "best penalty".into(),
        colour: Colour::Vermillion,
        mark: Mark::Line { points: optimum, dash: Dash::Dashed, width: 1.8 },
    });
    panel.annotations.push(Annotation::Vertical { x: 1.0, label: "p = n".into() });
    Ok(panel)
}

fn cut_panel(settings: &Settings, learner: &RandomFeatures, power: f64) -> Result<Panel, Failure> {
    const FEATURES: [usize; 9] = [12, 25, 50, 80, 100, 125, 200, 400, 900];
    let replicates = if settings.quick { 10 } else { 200 };
    let eigenvalues: Vec<f64> = (1..=DIMENSION).map(|k| (k as f64).powf(-0.5)).collect();
    let signal = vec![(power / DIMENSION as f64).sqrt(); DIMENSION];
    let mut panel = Panel::new(
        Axis::log("features per sample p/n").range(RATIOS.0, RATIOS.1),
        Axis::log("excess risk (units of the signal's variance)"),
    );
    panel.title = "cuts at fixed penalty".into();
    let mut experiment = EXPERIMENT;
    for (k, ridge) in [0.001, 0.03].into_iter().enumerate() {
        let mut theory = Vec::new();
        for ratio in levels(RATIOS, 300) {
            theory.push((ratio, risk(learner, ratio, ridge)?));
        }
        let mut points = Vec::new();
        for p in FEATURES {
            let penalty = ridge * SAMPLES as f64;
            let regression =
                RandomFeaturesExperiment::new(&eigenvalues, &signal, SAMPLES, p, penalty, NOISE)?;
            let streams = Streams { seed: settings.seed, experiment };
            experiment += 1;
            let sample = CpuEngine::DOUBLE.run(&regression, streams, 0..replicates, &|_, _| ())?;
            let risk = sample.column(0)?.sampled()?;
            points.push((p as f64 / SAMPLES as f64, risk.mean, 2.0 * risk.standard_error));
        }
        let name = format!("λ/n = {ridge}");
        panel.series.push(Series::line(name.clone(), k, theory));
        panel.series.push(Series::error_bars(name, k, points));
    }
    let mut least = Vec::new();
    for ratio in levels(RATIOS, 60) {
        least.push((ratio, best(learner, ratio)?.1));
    }
    panel.series.push(Series {
        name: "best penalty".into(),
        colour: Colour::Vermillion,
        mark: Mark::Line { points: least, dash: Dash::Dashed, width: 1.8 },
    });
    Ok(panel)
}
