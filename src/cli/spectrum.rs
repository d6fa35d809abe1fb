//! `rootrate spectrum`: the limiting spectrum of a sample covariance.

mod export;
mod grid;
mod law;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rootrate::data::write_atomic;
use rootrate::resolvent::silverstein::{Checked, Outlier, Placement};
use serde_json::{Value, json};

use super::CliError;
use super::output::{Table, bound, emit, number};
use super::population::{PopulationArgs, note};
use super::progress::spinner;
use law::{Component, Law};

/// Components that the readable output lists; `--json` lists all.
const LISTED: usize = 12;

#[derive(Debug, Args)]
pub(crate) struct SpectrumArgs {
    #[command(flatten)]
    population: PopulationArgs,
    /// Aspect ratio c = p/n, features over samples
    #[arg(long, value_name = "C", allow_negative_numbers = true)]
    ratio: f64,
    /// Points x at which to evaluate
    #[arg(long, value_name = "X,…", value_delimiter = ',', allow_hyphen_values = true)]
    at: Vec<f64>,
    /// Number of points across the support, when --at is not given: shared among its components
    /// by their mass, dense at the edges of each
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    points: u32,
    /// Single population eigenvalues besides the spectrum: where each one's outlier is
    #[arg(long, value_name = "TAU,…", value_delimiter = ',', allow_hyphen_values = true)]
    spikes: Vec<f64>,
    /// Write x, density, CDF and their proved error bounds to this file (inf: not proved)
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the density over the eigenvalues of one simulated sample covariance: .png or .svg
    #[arg(long, value_name = "FILE")]
    figure: Option<PathBuf>,
}

/// The law at one point.
#[derive(Debug)]
struct Point {
    x: f64,
    density: Checked<f64>,
    cdf: Checked<f64>,
}

pub(crate) fn run(args: &SpectrumArgs, json: bool) -> Result<ExitCode, CliError> {
    let format = args.figure.as_deref().map(export::figure_format).transpose()?;
    if let Some(x) = args.at.iter().find(|x| !x.is_finite()) {
        return Err(CliError::new(format!("--at {x}: a point must be a finite number")));
    }
    let population = args.population.spectrum()?;
    let progress = spinner("spectrum");
    let law = Law::new(&population, args.ratio)?;
    let components = law.components();
    let outliers = law.outliers(&args.spikes)?;
    let abscissae = match args.at.is_empty() {
        true => grid::across(&components, args.points as usize),
        false => args.at.clone(),
    };
    let points = law.points(&abscissae)?;
    let figure = format
        .map(|format| export::figure(&population, args.ratio, &args.spikes, format))
        .transpose()?;
    progress.finish_and_clear();

    if let Some(path) = &args.csv {
        write_atomic(path, export::csv(&points).as_bytes())?;
    }
    if let (Some(path), Some(bytes)) = (&args.figure, &figure) {
        write_atomic(path, bytes)?;
    }
    let value = json!({
        "ratio": args.ratio,
        "atom_at_zero": law.atom_at_zero(),
        "components": components.iter().map(component_json).collect::<Vec<_>>(),
        "points": points.iter().map(point_json).collect::<Vec<_>>(),
        "outliers": outliers.iter().map(outlier_json).collect::<Vec<_>>(),
    });
    emit(json, &value, || {
        let clipped = note(&population).map(|note| note + "\n\n");
        [
            clipped.unwrap_or_default(),
            support_text(&components, law.atom_at_zero()),
            outlier_text(&outliers),
            point_text(&points),
        ]
        .concat()
    })?;
    Ok(ExitCode::SUCCESS)
}

fn component_json(c: &Component) -> Value {
    json!({
        "lower": c.lower.value,
        "upper": c.upper.value,
        "mass": c.mass.value,
        "lower_error_bound": c.lower.radius,
        "upper_error_bound": c.upper.radius,
        "mass_error_bound": c.mass.radius,
    })
}

/// A number with its bound under `bound_name`, or with the reason why there is none under
/// `reason_name`: who reads only the bound of an unproved number finds none.
fn put(fields: &mut Value, names: [&str; 3], checked: &Checked<f64>) {
    let [name, bound_name, reason_name] = names;
    fields[name] = json!(checked.value());
    match checked.reason() {
        None => fields[bound_name] = json!(checked.radius()),
        Some(reason) => fields[reason_name] = json!(reason),
    }
}

fn point_json(p: &Point) -> Value {
    let mut fields = json!({ "x": p.x });
    put(&mut fields, ["density", "error_bound", "uncertified"], &p.density);
    put(&mut fields, ["cdf", "cdf_error_bound", "cdf_uncertified"], &p.cdf);
    fields
}

fn outlier_json(o: &Outlier) -> Value {
    json!({
        "population": o.population.value,
        "sample": o.sample.value,
        "overlap": o.overlap.value,
        "sample_error_bound": o.sample.radius,
        "overlap_error_bound": o.overlap.radius,
        "placement": o.placement,
    })
}

fn support_text(components: &[Component], atom: f64) -> String {
    let mut table = Table::new(["component", "lower edge", "upper edge", "mass"]);
    for (i, c) in components.iter().take(LISTED).enumerate() {
        let cells = [&c.lower, &c.upper, &c.mass].map(|e| number(e.value));
        table.row(std::iter::once((i + 1).to_string()).chain(cells));
    }
    let rest = components.len().saturating_sub(LISTED);
    let more =
        if rest > 0 { format!("… and {rest} more (--json lists all)\n") } else { String::new() };
    format!("{}{more}atom at 0: {}\n\n", table.render(), number(atom))
}

fn outlier_text(outliers: &[Outlier]) -> String {
    if outliers.is_empty() {
        return String::new();
    }
    let mut table = Table::new(["spike", "sample eigenvalue", "squared overlap", "where"]);
    for o in outliers {
        let place = match o.placement {
            Placement::Detached => "outside the support".to_owned(),
            Placement::LowerEdge { component } => format!("lower edge of {}", component + 1),
            Placement::UpperEdge { component } => format!("upper edge of {}", component + 1),
            Placement::Bulk { component } => format!("in component {}", component + 1),
            Placement::Null => "at 0".to_owned(),
            Placement::Undecided => "outside or at an edge: too near to tell".to_owned(),
        };
        let [spike, overlap] = [o.population, o.overlap].map(|c| number(c.value));
        let sample = match o.placement {
            Placement::Bulk { .. } => "–".to_owned(),
            _ => number(o.sample.value),
        };
        table.row([spike, sample, overlap, place]);
    }
    table.render() + "\n"
}

fn point_text(points: &[Point]) -> String {
    let mut table = Table::new(["x", "density", "proved error ≤", "CDF", "proved error ≤"]);
    let evidence = |c: &Checked<f64>| match c.is_certified() {
        true => bound(c.radius()),
        false => "not proved".to_owned(),
    };
    for p in points {
        table.row([
            number(p.x),
            number(p.density.value()),
            evidence(&p.density),
            number(p.cdf.value()),
            evidence(&p.cdf),
        ]);
    }
    let mut text = table.render();
    let mut reasons: Vec<String> = points
        .iter()
        .flat_map(|p| [p.density.reason(), p.cdf.reason()])
        .flatten()
        .map(|reason| reason.to_string())
        .collect();
    reasons.sort_unstable();
    reasons.dedup();
    for reason in reasons {
        text += &format!("not proved: {reason}\n");
    }
    text
}
