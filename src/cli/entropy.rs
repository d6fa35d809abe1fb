//! `rootrate entropy`: mmse, rate and information at given noise levels.

use std::process::ExitCode;

use clap::Args;
use rootrate::entropy::{Clock, DataModel, Unit};
use serde_json::{Value, json};

use super::CliError;
use super::model::ModelArgs;
use super::output::{Table, bound, emit, measured, number};
use super::progress::spinner;

#[derive(Debug, Args)]
pub(crate) struct EntropyArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Noise levels σ, in units of the data
    #[arg(
        long,
        value_name = "S,…",
        required = true,
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    at: Vec<f64>,
    /// Clock of the rate: log-sigma, sigma, log-snr, flow, ou
    #[arg(long, value_name = "K", default_value = "log-sigma")]
    clock: Clock,
}

pub(crate) fn run(args: &EntropyArgs, json: bool) -> Result<ExitCode, CliError> {
    let model = args.model.model()?;
    let linear = args.model.linear_reference()?;
    let progress = spinner("posterior integrals");
    let mut points = Vec::new();
    let mut header = vec!["σ", "mmse", "±", "rate", "±", "information", "±"];
    if linear.is_some() {
        header.push("Gaussian mmse");
    }
    let mut table = Table::new(header);
    for &sigma in &args.at {
        let (mut value, mut cells) = point(model.as_ref(), sigma, args.clock)?;
        if let Some(linear) = &linear {
            let (reference, reference_cells) = point(linear, sigma, args.clock)?;
            value["gaussian"] = reference;
            cells.push(reference_cells[1].clone());
        }
        points.push(value);
        table.row(cells);
    }
    progress.finish_and_clear();
    let unit = match model.unit() {
        Unit::Total { dimension } => format!("summed over d = {dimension}"),
        Unit::PerCoordinate => "per coordinate".to_owned(),
    };
    let value = json!({
        "model": model.name(),
        "unit": unit,
        "clock": args.clock.name(),
        "points": points,
    });
    emit(json, &value, || {
        let evidence = match points[0]["evidence"].as_str() {
            Some("certified") => "a proved bound",
            Some("sampled") => "one standard error",
            _ => "an estimate of the error",
        };
        format!(
            "{} ({unit}); rate in nats per unit of {}; ± is {evidence}\n\n{}",
            model.name(),
            args.clock,
            table.render(),
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

/// One noise level, as JSON and as a table row.
fn point(
    model: &dyn DataModel,
    sigma: f64,
    clock: Clock,
) -> Result<(Value, Vec<String>), CliError> {
    let mmse = model.mmse(sigma)?;
    let information = model.information(sigma)?;
    let rate = clock.rate_evidence(sigma, mmse);
    if !(rate.value().is_finite() && rate.error().is_finite()) {
        return Err(CliError::new(format!(
            "σ = {sigma:?}: the rate per unit of {clock}, or its error, exceeds the largest double; use a larger σ"
        )));
    }
    let value = json!({
        "sigma": sigma,
        "mmse": mmse.value(),
        "rate": rate.value(),
        "information": information.value(),
        "error_bound": mmse.error(),
        "rate_error_bound": rate.error(),
        "information_error_bound": information.error(),
        "evidence": mmse.kind(),
        "information_evidence": information.kind(),
    });
    let cells = vec![
        number(sigma),
        measured(mmse.value(), mmse.error()),
        bound(mmse.error()),
        measured(rate.value(), rate.error()),
        bound(rate.error()),
        measured(information.value(), information.error()),
        bound(information.error()),
    ];
    Ok((value, cells))
}
