//! `rootrate verify`: the claims of `theory/`, checked.

use std::process::ExitCode;

use clap::Args;
use rootrate::claims::{Claim, Context, Verdict, all};
use rootrate::montecarlo;
use serde_json::json;

use super::CliError;
use super::backend::{self, Backend};
use super::output::{Table, bound, emit, significant};
use super::progress::bar;

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Only claims whose id contains this
    filter: Option<String>,
    /// Fewer replicates and smaller sizes
    #[arg(long)]
    quick: bool,
    /// Seed of every random stream
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Where the simulations run that have a compute shader
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    backend: Backend,
    /// List the claims without running them
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(args: &VerifyArgs, json: bool) -> Result<ExitCode, CliError> {
    let chosen: Vec<Claim> = all()
        .into_iter()
        .filter(|c| args.filter.as_ref().is_none_or(|f| c.id.contains(f.as_str())))
        .collect();
    if chosen.is_empty() {
        let ids: Vec<_> = all().iter().map(|c| c.id).collect();
        return Err(CliError::new(format!(
            "no claim's id contains `{}`; the ids are {}",
            args.filter.as_deref().unwrap_or_default(),
            ids.join(", ")
        )));
    }
    if args.list {
        let rows: Vec<_> = chosen
            .iter()
            .map(|c| {
                json!({
                    "id": c.id,
                    "statement": c.statement,
                    "theory": c.theory,
                    "how": c.how,
                    "detects": c.detects,
                })
            })
            .collect();
        emit(json, &json!({ "claims": rows }), || list(&chosen))?;
        return Ok(ExitCode::SUCCESS);
    }
    let engine = montecarlo::open(args.backend.into(), None)?;
    let verdicts = verify(&chosen, &backend::context(args.quick, args.seed, &*engine));
    backend::tell_notes(&*engine);
    emit(json, &json!({ "claims": verdicts }), || render(&verdicts))?;
    Ok(if verdicts.iter().all(|v| v.passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs `claims` one after the other (each uses all threads) under a progress bar.
pub(crate) fn verify(claims: &[Claim], context: &Context<'_>) -> Vec<Verdict> {
    let progress = bar(claims.len() as u64, "claims");
    let verdicts = claims
        .iter()
        .map(|claim| {
            progress.set_message(claim.id);
            let verdict = claim.verify(context);
            progress.inc(1);
            verdict
        })
        .collect();
    progress.finish_and_clear();
    verdicts
}

fn list(claims: &[Claim]) -> String {
    let mut table = Table::new(["claim", "notices", "theory"]);
    for claim in claims {
        table.row([claim.id.to_owned(), bound(claim.detects), claim.theory.to_owned()]);
    }
    let mut text = table.render();
    text += "\nnotices: the relative error of its formula at which a claim is tested to fail\n";
    for claim in claims {
        text += &format!("\n{}\n  {}\n", claim.id, claim.statement);
    }
    text
}

/// The verdicts as a table; failures are explained below it.
pub(crate) fn render(verdicts: &[Verdict]) -> String {
    let mut table = Table::new(["claim", "verdict", "value", "expected", "tolerance", "theory"]);
    for v in verdicts {
        let cell = |x: Option<f64>| x.map_or_else(|| "–".to_owned(), |x| significant(x, 9));
        table.row([
            v.id.to_owned(),
            if v.passed { "pass" } else { "FAIL" }.to_owned(),
            cell(v.value),
            cell(v.expected),
            v.tolerance.map_or_else(|| "–".to_owned(), bound),
            v.theory.to_owned(),
        ]);
    }
    let passed = verdicts.iter().filter(|v| v.passed).count();
    let mut text = table.render();
    text += &format!("\n{passed} of {} claims pass\n", verdicts.len());
    let few = verdicts.len() <= 3;
    for v in verdicts.iter().filter(|v| few || !v.passed) {
        let word = if v.passed { "" } else { "FAIL " };
        text += &format!("\n{word}{}: {}\n  {}\n", v.id, v.statement, v.how);
    }
    text
}
