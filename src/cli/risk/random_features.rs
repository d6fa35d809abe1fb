//! `rootrate risk random-features`.

use std::process::ExitCode;

use clap::Args;
use rootrate::learning::{RandomFeatures, RandomFeaturesPoint};
use serde_json::{Value, json};

use super::problem::ProblemArgs;
use crate::cli::CliError;
use crate::cli::output::{Table, bound, emit, number};
use crate::cli::population::note;

/// At most one of --samples, --features, --ridge takes several values.
#[derive(Debug, Clone, Args)]
pub(crate) struct RandomFeaturesArgs {
    #[command(flatten)]
    problem: ProblemArgs,
    /// Number of samples n, or several: N1,N2,…
    #[arg(long, value_name = "N,…", value_delimiter = ',', required = true)]
    samples: Vec<usize>,
    /// Number of random features p (inf: the kernel limit), or several: P1,P2,…
    #[arg(long, value_name = "P,…", value_delimiter = ',', required = true)]
    features: Vec<Features>,
    /// Ridge penalty λ ≥ 0 on the summed loss (n times the ρ of `risk ridge`), or several
    #[arg(
        long,
        value_name = "LAMBDA,…",
        value_delimiter = ',',
        required = true,
        allow_negative_numbers = true
    )]
    ridge: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
struct Features(f64);

impl std::str::FromStr for Features {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "inf" => Ok(Self(f64::INFINITY)),
            _ => s
                .parse::<u64>()
                .map(|p| Self(p as f64))
                .map_err(|_| format!("`{s}` is neither a whole number ≥ 1 nor `inf`")),
        }
    }
}

pub(super) fn run(args: &RandomFeaturesArgs, json: bool) -> Result<ExitCode, CliError> {
    let counts = [args.samples.len(), args.features.len(), args.ridge.len()];
    if counts.iter().filter(|&&count| count > 1).count() > 1 {
        return Err(CliError::new(
            "only one of --samples, --features and --ridge can take several values",
        ));
    }
    let swept = ["samples", "features", "ridge"]
        .into_iter()
        .zip(counts)
        .find_map(|(name, count)| (count > 1).then_some(name));
    let (spectrum, signal) = args.problem.read()?;
    let dimension = spectrum.dimension().unwrap_or_default();
    let learner = RandomFeatures::new(&spectrum, dimension, &signal, args.problem.noise)?;
    let mut points: Vec<RandomFeaturesPoint> = Vec::new();
    for &samples in &args.samples {
        for features in &args.features {
            for &ridge in &args.ridge {
                points.push(learner.curve_point(samples as f64, features.0, ridge)?);
            }
        }
    }
    let note = note(&spectrum);
    emit(json, &value(&points, swept, note.as_deref()), || {
        let mut table = Table::new([
            "n",
            "p",
            "λ",
            "ν₁",
            "ν₂",
            "df1",
            "df2",
            "bias",
            "variance",
            "excess risk",
            "proved error ≤",
        ]);
        for point in &points {
            let features =
                if point.features.is_finite() { number(point.features) } else { "inf".into() };
            let short = |x: f64| crate::cli::output::significant(x, 6);
            table.row([
                number(point.samples),
                features,
                number(point.penalty),
                short(point.nu1.value),
                short(point.nu2.value),
                short(point.df1.value),
                short(point.df2.value),
                short(point.bias.value),
                short(point.variance.value),
                number(point.risk.value),
                bound(point.risk.radius),
            ]);
        }
        let note = note.map(|n| format!("\nnote: {n}\n")).unwrap_or_default();
        format!(
            "{}\nThe error is that of the excess risk; ν₁ and ν₂ are the effective penalties (F1). These are the \
             values of the formulas for n, p, d → ∞ (theory/7-random-features.md); a finite experiment \
             differs by O(1/n).\n{note}",
            table.render(),
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Numbers for one point, arrays over the swept axis; ∞ features are the string "inf".
fn value(points: &[RandomFeaturesPoint], swept: Option<&str>, note: Option<&str>) -> Value {
    let list = |get: &dyn Fn(&RandomFeaturesPoint) -> Value, axis: Option<&str>| {
        let constant = axis.is_some() && axis != swept;
        match points {
            [point] => get(point),
            [point, ..] if constant => get(point),
            _ => Value::Array(points.iter().map(get).collect()),
        }
    };
    let features = |point: &RandomFeaturesPoint| match point.features {
        p if p.is_finite() => json!(p as u64),
        _ => json!("inf"),
    };
    json!({
        "swept": swept,
        "samples": list(&|p| json!(p.samples as u64), Some("samples")),
        "features": list(&features, Some("features")),
        "ridge": list(&|p| json!(p.penalty), Some("ridge")),
        "test": list(&|p| json!(p.risk.value), None),
        "bias": list(&|p| json!(p.bias.value), None),
        "variance": list(&|p| json!(p.variance.value), None),
        "error_bound": list(&|p| json!(p.risk.radius), None),
        "nu1": list(&|p| json!(p.nu1.value), None),
        "nu2": list(&|p| json!(p.nu2.value), None),
        "df1": list(&|p| json!(p.df1.value), None),
        "df2": list(&|p| json!(p.df2.value), None),
        "evidence": "certified",
        "note": note,
    })
}
