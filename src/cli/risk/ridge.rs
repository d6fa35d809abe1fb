//! `rootrate risk ridge`.

use std::process::ExitCode;

use clap::Args;
use rootrate::learning::{OptimalRidge, Ridge, RidgePoint, Signal};
use rootrate::spectrum::Spectrum;
use serde_json::json;

use super::problem::ProblemArgs;
use crate::cli::CliError;
use crate::cli::output::{Table, bound, emit, number};
use crate::cli::population::note;

/// What defines a ridge regression; shared with `simulate ridge`.
#[derive(Debug, Clone, Args)]
pub(crate) struct RidgeArgs {
    #[command(flatten)]
    problem: ProblemArgs,
    /// Number of samples n
    #[arg(long, value_name = "N")]
    pub(crate) samples: usize,
    /// Ridge penalty ρ ≥ 0 on the mean loss, or `optimal`
    #[arg(long, value_name = "RHO", allow_negative_numbers = true)]
    ridge: RidgeChoice,
}

#[derive(Debug, Clone, Copy)]
enum RidgeChoice {
    Given(f64),
    Optimal,
}

impl std::str::FromStr for RidgeChoice {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "optimal" => Ok(Self::Optimal),
            _ => s
                .parse()
                .map(Self::Given)
                .map_err(|_| format!("`{s}` is neither a number ≥ 0 nor `optimal`")),
        }
    }
}

impl RidgeArgs {
    /// The spectrum with its dimension, and the signal.
    pub(crate) fn problem(&self) -> Result<(Spectrum, Signal), CliError> {
        self.problem.read()
    }

    /// The noise variance τ².
    pub(crate) fn noise(&self) -> f64 {
        self.problem.noise
    }

    /// The theory's point, at the given or the optimal ridge, for the [`problem`](Self::problem).
    pub(crate) fn point(
        &self,
        (spectrum, signal): &(Spectrum, Signal),
    ) -> Result<RidgePoint, CliError> {
        let dimension = spectrum.dimension().unwrap_or_default();
        let learner = Ridge::new(spectrum, dimension, signal, self.noise())?;
        let samples = self.samples as f64;
        match self.ridge {
            RidgeChoice::Given(ridge) => Ok(learner.curve_point(samples, ridge)?),
            RidgeChoice::Optimal => match learner.optimal_ridge(samples)? {
                OptimalRidge::Interior { point, .. } | OptimalRidge::Ridgeless { point } => {
                    Ok(point)
                }
                OptimalRidge::Infinite => Err(CliError::new(
                    "the optimal ridge is infinite: there is no signal to learn; give --ridge a number",
                )),
            },
        }
    }
}

pub(super) fn run(ridge: &RidgeArgs, json: bool) -> Result<ExitCode, CliError> {
    let problem = ridge.problem()?;
    let point = ridge.point(&problem)?;
    let note = note(&problem.0);
    let value = json!({
        "ridge": point.ridge,
        "samples": ridge.samples,
        "kappa": point.kappa.value,
        "df1": point.df1.value,
        "df2": point.df2.value,
        "bias": point.bias.value,
        "variance": point.variance.value,
        "risk": point.risk.value,
        "error_bound": point.risk.radius,
        "kappa_error_bound": point.kappa.radius,
        "evidence": "certified",
        "note": note,
    });
    emit(json, &value, || {
        let mut table = Table::new(["quantity", "value", "proved error ≤"]);
        for (name, c) in [
            ("effective ridge κ", point.kappa),
            ("degrees of freedom df1", point.df1),
            ("degrees of freedom df2", point.df2),
            ("bias", point.bias),
            ("variance", point.variance),
            ("excess risk", point.risk),
        ] {
            table.row([name.to_owned(), number(c.value), bound(c.radius)]);
        }
        let note = note.map(|n| format!("\nnote: {n}\n")).unwrap_or_default();
        format!(
            "n = {}, ρ = {}\n\n{}\nThese are the values of the formulas for n, p → ∞ (theory/2-ridge.md); a finite \
             experiment differs by O(1/n).\n{note}",
            ridge.samples,
            number(point.ridge),
            table.render(),
        )
    })?;
    Ok(ExitCode::SUCCESS)
}
