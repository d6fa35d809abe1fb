//! `rootrate reproduce`: the main job, everything into one folder.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rootrate::claims;
use rootrate::data::write_atomic;
use rootrate::montecarlo;
use rootrate::plot::gallery::{self, Settings};
use serde_json::json;

use super::backend::{self, Backend};
use super::output::emit;
use super::{CliError, figures, report, verify};

#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    /// Fewer replicates and smaller sizes
    #[arg(long)]
    quick: bool,
    /// Folder for the figures and report.html [default: figures, with --quick figures/quick]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seed of every random stream
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Where the simulations run that have a compute shader
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    backend: Backend,
}

pub(crate) fn run(args: &ReproduceArgs, json: bool) -> Result<ExitCode, CliError> {
    let default = if args.quick { "figures/quick" } else { "figures" };
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(default));
    figures::create_folder(&out)?;
    let settings = Settings { quick: args.quick, seed: args.seed };
    let engine = montecarlo::open(args.backend.into(), None)?;
    let context = backend::context(args.quick, args.seed, &*engine);
    let verdicts = verify::verify(&claims::all(), &context);
    backend::tell_notes(&*engine);
    let (mut written, drawn) = figures::draw(&gallery::all(), &settings, &out)?;
    let path = out.join("report.html");
    write_atomic(&path, report::html(&verdicts, &drawn, &settings, &engine.name()).as_bytes())?;
    written.push(path.display().to_string());
    let value = json!({
        "passed": verdicts.iter().all(|v| v.passed),
        "claims": verdicts,
        "written": written,
        "seed": args.seed,
        "backend": engine.backend(),
        "adapter": engine.name(),
        "version": env!("CARGO_PKG_VERSION"),
    });
    emit(json, &value, || {
        let files: String = written.iter().map(|path| format!("  {path}\n")).collect();
        format!("{}\nwritten:\n{files}", verify::render(&verdicts))
    })?;
    Ok(if verdicts.iter().all(|v| v.passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
