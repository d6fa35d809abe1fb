//! `rootrate figures`: draws the figures, SVG and PNG.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use rootrate::data::write_atomic;
use rootrate::plot::gallery::{self, Drawing, Settings};
use serde_json::json;

use super::CliError;
use super::output::emit;
use super::progress::bar;

#[derive(Debug, Args)]
pub(crate) struct FiguresArgs {
    /// Names of the figures (default: all)
    names: Vec<String>,
    /// Folder to write to
    #[arg(long, value_name = "DIR", default_value = "figures")]
    out: PathBuf,
    /// Fewer replicates
    #[arg(long)]
    quick: bool,
    /// Seed of every random stream
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// A figure as it is embedded in the report.
#[derive(Debug)]
pub(crate) struct Drawn {
    pub(crate) name: &'static str,
    pub(crate) caption: &'static str,
    pub(crate) svg: String,
}

pub(crate) fn run(args: &FiguresArgs, json: bool) -> Result<ExitCode, CliError> {
    let chosen = choose(&args.names)?;
    let settings = Settings { quick: args.quick, seed: args.seed };
    let (written, _) = draw(&chosen, &settings, &args.out)?;
    emit(json, &json!({ "written": written }), || {
        written.iter().map(|path| format!("{path}\n")).collect()
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Makes the folder for the output; before the work, so that a bad name costs no time.
pub(crate) fn create_folder(out: &Path) -> Result<(), CliError> {
    fs::create_dir_all(out)
        .map_err(|e| CliError::new(format!("cannot create the folder {}: {e}", out.display())))
}

fn choose(names: &[String]) -> Result<Vec<Drawing>, CliError> {
    let every = gallery::all();
    if names.is_empty() {
        return Ok(every);
    }
    names
        .iter()
        .map(|name| {
            every.iter().find(|d| d.name == name).copied().ok_or_else(|| {
                let valid: Vec<_> = every.iter().map(|d| d.name).collect();
                CliError::new(format!(
                    "no figure is named `{name}`: valid are {}",
                    valid.join(", ")
                ))
            })
        })
        .collect()
}

/// Draws and writes the figures under a progress bar.
pub(crate) fn draw(
    drawings: &[Drawing],
    settings: &Settings,
    out: &Path,
) -> Result<(Vec<String>, Vec<Drawn>), CliError> {
    create_folder(out)?;
    let progress = bar(drawings.len() as u64, "figures");
    let mut written = Vec::new();
    let mut drawn = Vec::new();
    for drawing in drawings {
        progress.set_message(drawing.name);
        let figure = (drawing.draw)(settings)?;
        let svg = figure.to_svg()?;
        for (extension, bytes) in [("svg", svg.as_bytes()), ("png", &figure.to_png()?)] {
            let path = out.join(format!("{}.{extension}", drawing.name));
            write_atomic(&path, bytes)?;
            written.push(path.display().to_string());
        }
        drawn.push(Drawn { name: drawing.name, caption: drawing.caption, svg });
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok((written, drawn))
}
