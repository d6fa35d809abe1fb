//! `rootrate risk from-sample`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rootrate::data::{DataMatrix, read_eigenvalues, read_matrix};
use rootrate::learning::{CrossValidation, CrossValidationPoint};
use serde_json::{Value, json};

use crate::cli::CliError;
use crate::cli::output::{Table, emit, measured, number, significant};

/// Penalties of the default grid, from 1e-6 to 1e2 times the mean eigenvalue.
const GRID: i32 = 33;

/// The data, and the penalties to judge.
#[derive(Debug, Clone, Args)]
pub(crate) struct FromSampleArgs {
    /// Data file, rows are samples (.npy, .csv, IDX); its last column is the response, unless
    /// --target names another file
    #[arg(value_name = "FILE")]
    data: PathBuf,
    /// A file with the response of every row
    #[arg(long, value_name = "FILE")]
    target: Option<PathBuf>,
    /// Ridge penalties ρ on the loss Σ/(n−1), one sample being taken by the intercept (default: 33 from 1e-6 to 1e2 times the mean eigenvalue
    /// of the features' covariance)
    #[arg(long, value_name = "RHO,…", value_delimiter = ',', allow_negative_numbers = true)]
    ridge: Vec<f64>,
}

pub(super) fn run(args: &FromSampleArgs, json: bool) -> Result<ExitCode, CliError> {
    let (features, responses) = read(args)?;
    let fit = CrossValidation::new(&features, &responses)?;
    let ridges = if args.ridge.is_empty() { grid(&fit) } else { args.ridge.clone() };
    let points = fit.curve(&ridges)?;
    let best = points
        .iter()
        .min_by(|a, b| a.gcv.value.total_cmp(&b.gcv.value))
        .ok_or_else(|| CliError::new("no penalty given"))?;
    let (n, p) = (features.rows(), features.cols());
    let value = json!({
        "samples": n,
        "features": p,
        "rank": fit.spectrum().eigenvalues().len(),
        "points": points.iter().map(point).collect::<Vec<_>>(),
        "best": point(best),
        "evidence": "estimated",
    });
    emit(json, &value, || {
        let mut table = Table::new([
            "ρ",
            "κ",
            "df1",
            "df2",
            "train",
            "GCV",
            "± s.e.",
            "leave-one-out",
            "± s.e.",
            "",
        ]);
        let short = |x: f64| significant(x, 6);
        for point in &points {
            table.row([
                short(point.sample.ridge),
                short(point.sample.kappa.value),
                short(point.sample.df1.value),
                short(point.sample.df2.value),
                short(point.train),
                measured(point.gcv.value, point.gcv.estimate),
                significant(point.gcv.estimate, 2),
                measured(point.leave_one_out.value, point.leave_one_out.estimate),
                significant(point.leave_one_out.estimate, 2),
                if point == best { "← least GCV".into() } else { String::new() },
            ]);
        }
        format!(
            "n = {n}, p = {p}; the fit minimises Σᵢ(yᵢ − b − wᵀxᵢ)²/(n−1) + ρ|w|²\n\n{}\nThe penalty with \
             the least GCV is ρ = {}. GCV and leave-one-out estimate the mean squared error on fresh \
             data, noise included (theory/8-from-a-sample.md).\n",
            table.render(),
            number(best.sample.ridge),
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Features and responses.
fn read(args: &FromSampleArgs) -> Result<(DataMatrix, Vec<f64>), CliError> {
    let data = read_matrix(&args.data)?;
    if let Some(target) = &args.target {
        return Ok((data, read_eigenvalues(target)?));
    }
    let (n, cols) = (data.rows(), data.cols());
    if cols < 2 {
        return Err(CliError::new(format!(
            "{}: one column only: add a column for the response, or give --target FILE",
            args.data.display()
        )));
    }
    let responses = (0..n).map(|i| data.row(i)[cols - 1]).collect();
    let features = (0..n).flat_map(|i| &data.row(i)[..cols - 1]).copied().collect();
    Ok((DataMatrix::new(n, cols - 1, features)?, responses))
}

fn grid(fit: &CrossValidation) -> Vec<f64> {
    let eigenvalues = fit.spectrum().eigenvalues();
    let mean = eigenvalues.iter().sum::<f64>() / eigenvalues.len() as f64;
    (0..GRID).map(|i| mean * 10f64.powf(-6.0 + 0.25 * f64::from(i))).collect()
}

fn point(point: &CrossValidationPoint) -> Value {
    json!({
        "ridge": point.sample.ridge,
        "kappa": point.sample.kappa.value,
        "df1": point.sample.df1.value,
        "df2": point.sample.df2.value,
        "train": point.train,
        "test": point.gcv.value,
        "test_error": point.gcv.estimate,
        "leave_one_out": point.leave_one_out.value,
        "leave_one_out_error": point.leave_one_out.estimate,
    })
}
