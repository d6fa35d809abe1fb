//! Sample spectra against their limiting laws: of digits, of noise, of other populations.

use std::ops::RangeInclusive;

use super::models::digits_spectrum;
use super::{Drawing, Failure, GalleryError, Settings, in_figure, sample_covariance};
use crate::data::{DataMatrix, digits};
use crate::montecarlo::Stream;
use crate::numeric::linalg::{gram, symmetric_eigenvalues};
use crate::plot::{Annotation, Axis, Colour, Dash, Figure, Mark, Panel, Series};
use crate::resolvent::MarchenkoPastur;
use crate::spectrum::Spectrum;

pub(super) const DRAWING: Drawing = Drawing {
    name: "spectrum",
    caption: "Eigenvalues of sample covariances against limiting laws without a fitted parameter. \
              (a) Correlation matrix of 10,000 handwritten digits (the pixels of variance above \
              0.01, on a scale from 0 to 1): dozens of eigenvalues exceed the upper \
              Marchenko–Pastur edge λ₊ = (1+√(p/n))², beyond which independent pixels have none: \
              this is the structure of the data. (b) Each pixel permuted over the images by \
              itself, which keeps its distribution and destroys every correlation: the histogram \
              is the Marchenko–Pastur density. (c) A population with eigenvalues 1 and 10 in \
              equal shares, and one τ = 50: two bulks with their edges, and an outlier at its \
              predicted place (dashed). (d) Gaussian data with the covariance of the digits, 784 \
              eigenvalues over nine decades, and twice as many samples.",
    draw,
};

/// Pixels of smaller variance are left out: a few images determine their correlations.
const LEAST_VARIANCE: f64 = 0.01;
/// Below the logarithmic axis, where the density vanishes at its edges.
const NOTHING: f64 = 1e-9;
const EXPERIMENT: u32 = 9_100;

fn draw(settings: &Settings) -> Result<Figure, GalleryError> {
    figure(settings).map_err(in_figure(DRAWING.name))
}

fn figure(settings: &Settings) -> Result<Figure, Failure> {
    let mut columns = standardised(&digits());
    let (p, n) = (columns.len(), columns[0].len());
    let law = MarchenkoPastur::new(p as f64 / n as f64, 1.0)?;
    let data = correlation_eigenvalues(&columns)?;
    for (pixel, column) in columns.iter_mut().enumerate() {
        permute(column, &mut Stream::new(settings.seed, EXPERIMENT, pixel as u32));
    }
    let permuted = correlation_eigenvalues(&columns)?;

    let size = format!("n = {n}, p = {p}");
    let two_bulks = Spectrum::from_atoms(&[1.0, 10.0], &[0.5, 0.5])?;
    let mut bulks = sample_covariance(&two_bulks, 0.3, &[50.0], settings.seed)?;
    bulks.title = format!("two bulks and a spike, {}", bulks.title);
    let mut of_digits = sample_covariance(digits_spectrum()?, 0.5, &[], settings.seed)?;
    of_digits.title = format!("as the digits, {}", of_digits.title);
    let panels = vec![
        data_panel(&data, &law, format!("digits, {size}"))?,
        null_panel(&permuted, &law, format!("pixels permuted, {size}"))?,
        bulks,
        of_digits,
    ];
    Ok(Figure { columns: 2, ..Figure::new(960, 800, panels) })
}

/// The columns of variance above the threshold, each with mean 0 and variance 1.
fn standardised(data: &DataMatrix) -> Vec<Vec<f64>> {
    let n = data.rows() as f64;
    (0..data.cols())
        .filter_map(|j| {
            let mut column: Vec<f64> = (0..data.rows()).map(|i| data.row(i)[j]).collect();
            let mean = column.iter().sum::<f64>() / n;
            column.iter_mut().for_each(|v| *v -= mean);
            let variance = column.iter().map(|v| v * v).sum::<f64>() / n;
            column.iter_mut().for_each(|v| *v /= variance.sqrt());
            (variance > LEAST_VARIANCE).then_some(column)
        })
        .collect()
}

/// Fisher and Yates' shuffle.
fn permute(column: &mut [f64], stream: &mut Stream) {
    for last in (1..column.len()).rev() {
        column.swap(last, (stream.uniform() * (last + 1) as f64) as usize);
    }
}

/// Ascending.
fn correlation_eigenvalues(columns: &[Vec<f64>]) -> Result<Vec<f64>, Failure> {
    let (p, n) = (columns.len(), columns[0].len());
    let rows: Vec<f64> = (0..n).flat_map(|i| columns.iter().map(move |c| c[i])).collect();
    let mut correlation = gram(&rows, n, p)?;
    correlation.iter_mut().for_each(|v| *v /= n as f64);
    Ok(symmetric_eigenvalues(&correlation, p)?)
}

fn data_panel(eigenvalues: &[f64], law: &MarchenkoPastur, title: String) -> Result<Panel, Failure> {
    const PER_DECADE: f64 = 8.0;
    const SHOWN: RangeInclusive<i32> = -15..=14;
    let p = eigenvalues.len() as f64;
    let (lower, upper) = law.support();
    let edges: Vec<f64> = SHOWN.map(|i| 10f64.powf(f64::from(i) / PER_DECADE)).collect();
    let counts = count(eigenvalues, &edges);
    let width = std::f64::consts::LN_10 / PER_DECADE;
    let expected = curve((lower, upper), |x| Ok((p * width * x * law.density(x)?).max(NOTHING)))?;
    let above = eigenvalues.iter().filter(|&&v| v > upper).count();

    let mut panel = Panel::new(
        Axis::log("eigenvalue (dimensionless)"),
        Axis::log("eigenvalues per bin (⅛ decade)").range(0.7, 300.0),
    );
    panel.title = title;
    panel.series =
        vec![Series::histogram("digits", 0, edges, counts), law_line("Marchenko–Pastur", expected)];
    for (x, label) in [(lower, "λ₋"), (upper, "λ₊")] {
        panel.annotations.push(Annotation::Vertical { x, label: label.into() });
    }
    let text = format!("{above} of {p} > λ₊");
    panel.annotations.push(Annotation::Text { x: 1.2 * upper, y: 60.0, text });
    Ok(panel)
}

fn null_panel(eigenvalues: &[f64], law: &MarchenkoPastur, title: String) -> Result<Panel, Failure> {
    const BINS: usize = 32;
    let (lower, upper) = law.support();
    let margin = 0.06 * (upper - lower);
    let (first, last) = (lower - margin, upper + margin);
    let width = (last - first) / BINS as f64;
    let edges: Vec<f64> = (0..=BINS).map(|i| first + i as f64 * width).collect();
    let total = eigenvalues.len() as f64 * width;
    let heights = count(eigenvalues, &edges).iter().map(|c| c / total).collect();

    let mut panel = Panel::new(
        Axis::linear("eigenvalue (dimensionless)"),
        Axis::linear("density (per unit of the eigenvalue)"),
    );
    panel.title = title;
    panel.series = vec![
        Series::histogram("permuted digits", 0, edges, heights),
        law_line("Marchenko–Pastur", curve((lower, upper), |x| Ok(law.density(x)?))?),
    ];
    Ok(panel)
}

pub(super) fn law_line(name: &str, points: Vec<(f64, f64)>) -> Series {
    let mark = Mark::Line { points, dash: Dash::Solid, width: 2.0 };
    Series { name: name.into(), colour: Colour::Vermillion, mark }
}

/// How many values lie in each interval, the left ends included.
pub(super) fn count(values: &[f64], edges: &[f64]) -> Vec<f64> {
    let mut counts = vec![0.0; edges.len() - 1];
    for value in values {
        let above = edges.partition_point(|edge| edge <= value);
        if (1..edges.len()).contains(&above) {
            counts[above - 1] += 1.0;
        }
    }
    counts
}

/// The graph over [a, b], dense at both ends, where densities rise like a root.
fn curve(
    (a, b): (f64, f64),
    f: impl Fn(f64) -> Result<f64, Failure>,
) -> Result<Vec<(f64, f64)>, Failure> {
    const POINTS: usize = 240;
    (0..=POINTS)
        .map(|i| {
            let angle = i as f64 / POINTS as f64 * std::f64::consts::PI;
            let x = a + (b - a) * (0.5 * angle).sin().powi(2);
            Ok((x, f(x)?))
        })
        .collect()
}
