//! The command-line program: parse the options, run, print the error.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

mod cli;

fn main() -> ExitCode {
    match cli::run(cli::Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            // nobody may be listening: `eprintln!` would panic on a closed pipe
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::from(error.code())
        }
    }
}
