//! `rootrate spectrum`: the limiting spectrum of a sample covariance.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rootrate::data::write_atomic;
use rootrate::resolvent::MarchenkoPastur;
use serde_json::json;

use super::CliError;
use super::output::{Table, bound, emit, number};
use super::population::PopulationArgs;

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
    /// Number of points across the support, when --at is not given
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    points: u32,
    /// Write x, density, error bound, CDF to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

#[derive(Debug)]
struct Point {
    x: f64,
    density: f64,
    error_bound: f64,
    cdf: f64,
}

pub(crate) fn run(args: &SpectrumArgs, json: bool) -> Result<ExitCode, CliError> {
    let population = args.population.spectrum()?;
    let &[scale] = population.atoms() else {
        return Err(CliError::new(format!(
            "the population has {} distinct eigenvalues; the sample spectrum is available in closed \
             form for one only (--identity, or --atoms VALUE:1)",
            population.atoms().len()
        )));
    };
    let law = MarchenkoPastur::new(args.ratio, scale)?;
    let (lower, upper) = law.support();
    let atom = law.atom_at_zero();
    let points = abscissae(args, lower, upper)
        .into_iter()
        .map(|x| {
            if !x.is_finite() {
                return Err(CliError::new(format!("--at {x}: a point must be a finite number")));
            }
            let density = law.density_certified(x)?;
            if density.value.is_infinite() {
                return Err(CliError::new(format!(
                    "--at {x}: the density diverges there (hard edge at ratio 1); choose x > 0"
                )));
            }
            let cdf = law.cdf(x)?;
            Ok(Point { x, density: density.value, error_bound: density.radius, cdf })
        })
        .collect::<Result<Vec<_>, CliError>>()?;
    if let Some(path) = &args.csv {
        let mut text = String::from("x,density,error_bound,cdf\n");
        for p in &points {
            text += &format!("{},{},{},{}\n", p.x, p.density, p.error_bound, p.cdf);
        }
        write_atomic(path, text.as_bytes())?;
    }
    let rows: Vec<_> = points
        .iter()
        .map(
            |p| json!({"x": p.x, "density": p.density, "error_bound": p.error_bound, "cdf": p.cdf}),
        )
        .collect();
    let value = json!({
        "ratio": args.ratio,
        "atom_at_zero": atom,
        "components": [{"lower": lower, "upper": upper, "mass": 1.0 - atom}],
        "points": rows,
        "outliers": [],
    });
    emit(json, &value, || {
        let mut table = Table::new(["x", "density", "proved error ≤", "CDF"]);
        for p in &points {
            table.row([number(p.x), number(p.density), bound(p.error_bound), number(p.cdf)]);
        }
        format!(
            "support [{}, {}], mass {} (atom at 0: {})\n\n{}",
            number(lower),
            number(upper),
            number(1.0 - atom),
            number(atom),
            table.render()
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The points asked for, or a cosine grid: dense at the square-root edges, which it leaves out.
fn abscissae(args: &SpectrumArgs, lower: f64, upper: f64) -> Vec<f64> {
    if !args.at.is_empty() {
        return args.at.clone();
    }
    let n = f64::from(args.points);
    let (middle, half) = (0.5 * (lower + upper), 0.5 * (upper - lower));
    (0..args.points)
        .map(|i| middle - half * (std::f64::consts::PI * (f64::from(i) + 0.5) / n).cos())
        .collect()
}
