//! mmse, entropy rate and information of the models and of the digits.

use super::models::{self, PIXELS, coordinates, levels};
use super::{Drawing, Failure, GalleryError, Settings, in_figure};
use crate::entropy::{Clock, DataModel, EmpiricalPoint, EntropyError};
use crate::evidence::Sampled;
use crate::plot::{Annotation, Axis, Figure, Legend, Panel, Series};

pub(super) const DRAWING: Drawing = Drawing {
    name: "entropy",
    caption: "mmse, entropy rate Ḣ = mmse/σ² per unit of ln σ, and information, all per \
              coordinate. (a–c) Models of unit variance: continuous data keep a positive rate \
              as σ → 0, discrete data lose it once the noise no longer hides which point it \
              was; the random-energy limit (α = 1, beside a Wishart covariance of ratio c = 0.3) \
              follows the Gaussian down to a sharp cut-off. (d–f) 10,000 digits (784 pixels between 0 and 1): a Gaussian of the same \
              covariance, and the empirical law of the images, whose information saturates at \
              ln N: below σ ≈ 1 an optimal denoiser of the training set has memorised it. \
              Bands are ± 2 standard errors; they open where so few draws carry the mean that a \
              proved bound on rare events takes the place of their spread.",
    draw,
};

const MODEL_RANGE: (f64, f64) = (0.05, 20.0);
const DIGITS_RANGE: (f64, f64) = (0.1, 80.0);
/// Below every axis: where a curve that drops to zero leaves the box.
const NOTHING: f64 = 1e-12;

const SIGMA: &str = "noise level σ (data units)";
const MMSE: &str = "mmse (data units², per coordinate)";
const RATE: &str = "Ḣ (nats per unit ln σ, per coord.)";
const INFORMATION: &str = "information (nats, per coordinate)";

/// σ, mmse, rate and information, per coordinate.
type Row = (f64, [f64; 3]);

fn draw(settings: &Settings) -> Result<Figure, GalleryError> {
    figure(settings).map_err(in_figure(DRAWING.name))
}

fn figure(settings: &Settings) -> Result<Figure, Failure> {
    let mut panels = model_panels()?;
    panels.extend(digits_panels(settings)?);
    Ok(Figure { columns: 3, ..Figure::new(1080, 720, panels) })
}

fn rows(model: &dyn DataModel, sigmas: &[f64]) -> Result<Vec<Row>, EntropyError> {
    let d = coordinates(model);
    sigmas
        .iter()
        .map(|&sigma| {
            let mmse = model.mmse(sigma)?.value() / d;
            let information = model.information(sigma)?.value() / d;
            Ok((sigma, [mmse, Clock::LogSigma.rate(sigma, mmse), information]))
        })
        .collect()
}

/// One of the three quantities as a line; zeros end it at the foot of the box.
fn line(name: &str, k: usize, rows: &[Row], quantity: usize) -> Series {
    let points = rows.iter().map(|(sigma, values)| (*sigma, values[quantity].max(NOTHING)));
    Series::line(name, k, points.collect())
}

fn model_panels() -> Result<Vec<Panel>, Failure> {
    let pair = models::pair()?;
    let gaussian = models::gaussian(1.0)?;
    let wishart = models::wishart()?;
    let random_energy = models::random_energy()?;
    let every: [(&str, &dyn DataModel); 4] = [
        ("Gaussian", &gaussian),
        ("random energy", &random_energy),
        ("±1 pair", &pair),
        ("Wishart", &wishart),
    ];
    let mut panels = [
        Panel::new(Axis::log(SIGMA), Axis::log(MMSE).range(1e-3, 1.5)),
        Panel::new(Axis::log(SIGMA), Axis::linear(RATE).range(0.0, 1.05)),
        Panel::new(Axis::log(SIGMA), Axis::linear(INFORMATION).range(0.0, 2.2)),
    ];
    for (k, (name, model)) in every.into_iter().enumerate() {
        let mut sigmas = levels(MODEL_RANGE, 260);
        // both sides of a jump
        sigmas.extend(model.kinks().iter().flat_map(|s| [s * (1.0 - 1e-9), s * (1.0 + 1e-9)]));
        sigmas.sort_by(f64::total_cmp);
        let rows = rows(model, &sigmas)?;
        for (quantity, panel) in panels.iter_mut().enumerate() {
            panel.title = "models of variance 1".into();
            panel.series.push(line(name, k, &rows, quantity));
        }
    }
    panels[1].legend = Legend::None;
    Ok(panels.to_vec())
}

fn digits_panels(settings: &Settings) -> Result<Vec<Panel>, Failure> {
    let gaussian = rows(&models::digits_gaussian()?, &levels(DIGITS_RANGE, 200))?;
    let empirical = models::digits_empirical(settings)?;
    let scaled = |s: Sampled, factor: f64| (s.mean * factor, 2.0 * s.standard_error * factor);
    type Quantity<'a> = &'a dyn Fn(&EmpiricalPoint) -> (f64, f64);
    let quantities: [Quantity<'_>; 3] = [
        &|p| scaled(p.mmse, 1.0 / PIXELS),
        &|p| scaled(p.mmse, 1.0 / (PIXELS * p.sigma * p.sigma)),
        &|p| scaled(p.information, 1.0 / PIXELS),
    ];
    let mut panels = [
        Panel::new(Axis::log(SIGMA), Axis::log(MMSE).range(1e-5, 0.1)),
        Panel::new(Axis::log(SIGMA), Axis::log(RATE).range(1e-5, 1.0)),
        Panel::new(Axis::log(SIGMA), Axis::log(INFORMATION).range(1e-5, 1.0)),
    ];
    for (quantity, panel) in panels.iter_mut().enumerate() {
        let value = quantities[quantity];
        let points = empirical.iter().map(|p| (p.sigma, value(p).0.max(NOTHING))).collect();
        let band = empirical.iter().map(|p| {
            let (mean, width) = value(p);
            (p.sigma, mean - width, (mean + width).max(NOTHING))
        });
        panel.series = vec![
            line("Gaussian", 0, &gaussian, quantity),
            Series::band("empirical", 3, band.collect()),
            Series::line("empirical", 3, points),
        ];
        panel.title = "digits".into();
    }
    let total = empirical.first().map(|p| p.information.mean + p.posterior_entropy.mean);
    if let Some(entropy) = total {
        panels[2]
            .annotations
            .push(Annotation::Horizontal { y: entropy / PIXELS, label: "ln N / d".into() });
    }
    Ok(panels.to_vec())
}
