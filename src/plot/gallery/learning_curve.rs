//! The learning curve of ridge regression: theory and simulation.

use super::models::levels;
use super::{Drawing, Failure, GalleryError, Settings, in_figure};
use crate::evidence::Sampled;
use crate::learning::{LearningError, OptimalRidge, Ridge, Signal, ridgeless_gaussian_exact};
use crate::montecarlo::{CpuEngine, Engine, NoiseKind, RidgeExperiment, Streams};
use crate::plot::{Axis, Colour, Dash, Figure, Mark, Panel, Series};
use crate::spectrum::Spectrum;

pub(super) const DRAWING: Drawing = Drawing {
    name: "learning-curve",
    caption: "Ridge regression on Gaussian features. (a) Excess risk of p = 100 features with \
              covariance eigenvalues k⁻¹, a flat signal and noise variance τ² = 1: \
              deterministic equivalent (lines) and simulation (mean ± 2 standard errors). \
              Without a penalty the risk peaks at n = p (double descent); the best penalty \
              removes the peak. (b) The difference between the two at a fixed ratio p/n \
              vanishes as 1/n, as the theory promises; for least squares it is known exactly.",
    draw,
};

const FEATURES: usize = 100;
const SMALL_RIDGE: f64 = 0.003;
const NOISE: f64 = 1.0;
const EXPERIMENT: u32 = 9_200;

fn draw(settings: &Settings) -> Result<Figure, GalleryError> {
    figure(settings).map_err(in_figure(DRAWING.name))
}

fn figure(settings: &Settings) -> Result<Figure, Failure> {
    Ok(Figure::new(960, 430, vec![risk_panel(settings)?, error_panel(settings)?]))
}

/// Mean excess risk over replicates; every call of a figure needs its own `experiment`.
fn simulate(
    eigenvalues: &[f64],
    (samples, ridge): (usize, f64),
    streams: Streams,
    replicates: u64,
) -> Result<Sampled, Failure> {
    let signal = vec![1.0; eigenvalues.len()];
    let noise = NoiseKind::Homoscedastic;
    let experiment = RidgeExperiment::new(eigenvalues, &signal, samples, ridge, NOISE, noise)?;
    Ok(CpuEngine::DOUBLE
        .run(&experiment, streams, 0..replicates, &|_, _| ())?
        .column(0)?
        .sampled()?)
}

/// A learner whose target has the coefficient 1 in every direction.
fn learner(spectrum: &Spectrum, p: usize) -> Result<Ridge, LearningError> {
    Ridge::new(spectrum, p, &Signal::Flat { power: p as f64 }, NOISE)
}

fn risk_panel(settings: &Settings) -> Result<Panel, Failure> {
    const SAMPLES: [usize; 13] = [12, 20, 32, 50, 70, 84, 92, 108, 120, 145, 200, 320, 560];
    let spectrum = Spectrum::power_law(1.0, FEATURES)?;
    let learner = learner(&spectrum, FEATURES)?;
    let eigenvalues: Vec<f64> = (1..=FEATURES).map(|k| 1.0 / k as f64).collect();
    let replicates = if settings.quick { 24 } else { 400 };
    let best = |n: f64| match learner.optimal_ridge(n) {
        Ok(OptimalRidge::Interior { ridge, .. }) => Ok(ridge.value()),
        Ok(_) => Ok(0.0),
        Err(error) => Err(error),
    };
    type Penalty<'a> = &'a dyn Fn(f64) -> Result<f64, LearningError>;
    let penalties: [(&str, Penalty<'_>); 3] =
        [("no penalty", &|_| Ok(0.0)), ("ρ = 0.003", &|_| Ok(SMALL_RIDGE)), ("best ρ", &best)];

    let mut panel = Panel::new(
        Axis::log("number of samples n"),
        Axis::log("excess risk (units of the noise variance τ²)").range(0.1, 60.0),
    );
    panel.title = "double descent, p = 100".into();
    let mut experiment = EXPERIMENT;
    for (k, (name, penalty)) in penalties.into_iter().enumerate() {
        let mut theory = Vec::new();
        for n in levels((10.0, 700.0), 400) {
            // the risk without penalty is infinite at n = p
            let risk = match learner.curve_point(n, penalty(n)?) {
                Ok(point) => point.risk.value,
                Err(LearningError::Threshold { .. }) => f64::NAN,
                Err(error) => return Err(error.into()),
            };
            theory.push((n, risk));
        }
        let mut points = Vec::new();
        for n in SAMPLES {
            let streams = Streams { seed: settings.seed, experiment };
            experiment += 1;
            let risk = simulate(&eigenvalues, (n, penalty(n as f64)?), streams, replicates)?;
            points.push((n as f64, risk.mean, 2.0 * risk.standard_error));
        }
        panel.series.push(Series::line(name, k, theory));
        panel.series.push(Series::error_bars(name, k, points));
    }
    Ok(panel)
}

/// p/n, penalty and name.
const RATIOS: [(f64, f64, &str); 2] =
    [(0.5, 0.0, "no penalty, p/n = ½"), (1.0, 0.2, "ρ = 0.2, p/n = 1")];

fn error_panel(settings: &Settings) -> Result<Panel, Failure> {
    const SIZES: [usize; 5] = [8, 16, 32, 64, 128];
    let identity = Spectrum::identity();
    let mut panel = Panel::new(
        Axis::log("number of samples n, at fixed p/n"),
        Axis::log("|simulation − theory| / theory (relative)").range(1e-3, 1.0),
    );
    panel.title = "finite-size error, Σ = I".into();
    let mut experiment = EXPERIMENT + 100;
    for (k, (ratio, ridge, name)) in RATIOS.into_iter().enumerate() {
        let mut points = Vec::new();
        for n in SIZES {
            let p = (ratio * n as f64) as usize;
            let theory = learner(&identity, p)?.curve_point(n as f64, ridge)?.risk.value;
            // a replicate spreads like n^(−½), its bias is of order 1/n
            let replicates = (160 * n as u64).max(20_000) / if settings.quick { 32 } else { 1 };
            let streams = Streams { seed: settings.seed, experiment };
            experiment += 1;
            let risk = simulate(&vec![1.0; p], (n, ridge), streams, replicates)?;
            let error = (risk.mean - theory).abs() / theory;
            points.push((n as f64, error, 2.0 * risk.standard_error / theory));
        }
        panel.series.push(Series::error_bars(name, k, points));
    }
    let mut exact = Vec::new();
    for n in (8..=128).step_by(2) {
        let (p, size) = (n / 2, n as f64);
        let theory = NOISE * 0.5 * size / (size - 0.5 * size);
        exact.push((size, ridgeless_gaussian_exact(NOISE, p, n)?.value / theory - 1.0));
    }
    panel.series.push(Series::line("exact, 1/(n − p − 1)", 0, exact));
    let reference = SIZES.iter().map(|&n| (n as f64, 0.25 / n as f64)).collect();
    panel.series.push(Series {
        name: "∝ 1/n".into(),
        colour: Colour::Grey,
        mark: Mark::Line { points: reference, dash: Dash::Dashed, width: 1.4 },
    });
    Ok(panel)
}
