//! The files of `rootrate spectrum`.

use std::fmt::Write;
use std::path::Path;

use rootrate::plot::Figure;
use rootrate::plot::gallery::sample_covariance;
use rootrate::spectrum::Spectrum;

use super::super::CliError;
use super::Point;

/// Seed of the simulated matrix.
const SEED: u64 = 1;

/// The two formats of `--figure`, by the ending of the file name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Png,
    Svg,
}

pub(super) fn figure_format(path: &Path) -> Result<Format, CliError> {
    match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("png") => Ok(Format::Png),
        Some("svg") => Ok(Format::Svg),
        _ => Err(CliError::new(format!(
            "--figure {}: the file name must end in .png or .svg",
            path.display()
        ))),
    }
}

/// The bytes of the figure.
pub(super) fn figure(
    population: &Spectrum,
    ratio: f64,
    spikes: &[f64],
    format: Format,
) -> Result<Vec<u8>, CliError> {
    let panel = sample_covariance(population, ratio, spikes, SEED)?;
    let figure = Figure::new(640, 420, vec![panel]);
    Ok(match format {
        Format::Png => figure.to_png()?,
        Format::Svg => figure.to_svg()?.into_bytes(),
    })
}

/// A header and a line a point; a bound that is not proved is `inf`.
pub(super) fn csv(points: &[Point]) -> String {
    let mut text = String::from("x,density,error_bound,cdf,cdf_error_bound\n");
    for Point { x, density, cdf } in points {
        let numbers = [density.value(), density.radius(), cdf.value(), cdf.radius()];
        let _ = write!(text, "{x}");
        numbers.iter().for_each(|v| text += &format!(",{v}"));
        text.push('\n');
    }
    text
}
