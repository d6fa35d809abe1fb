//! Rendering: a readable table by default, one JSON object with `--json`.

use std::io::{self, Write};

use serde_json::Value;

use super::CliError;

/// A right-aligned table with a header line.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new<S: Into<String>>(header: impl IntoIterator<Item = S>) -> Self {
        Self { rows: vec![header.into_iter().map(Into::into).collect()] }
    }

    pub(crate) fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The first column left-aligned, the others right-aligned, two spaces between.
    pub(crate) fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| {
            self.rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for (i, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (c, cell) in row.iter().enumerate() {
                let pad = " ".repeat(widths[c] - cell.chars().count());
                match c {
                    0 => line += &format!("{cell}{pad}"),
                    _ => line += &format!("  {pad}{cell}"),
                }
            }
            text += line.trim_end();
            text.push('\n');
            if i == 0 {
                text += &"─".repeat(widths.iter().sum::<usize>() + 2 * (columns.max(1) - 1));
                text.push('\n');
            }
        }
        text
    }
}

/// Prints `value` when `json`, otherwise the text that `readable` makes.
pub(crate) fn emit(
    json: bool,
    value: &Value,
    readable: impl FnOnce() -> String,
) -> Result<(), CliError> {
    let text = if json { format!("{value:#}\n") } else { readable() };
    match io::stdout().lock().write_all(text.as_bytes()) {
        // a closed pipe (`| head`) is the reader's decision, not an error
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// A number with twelve significant digits, without trailing zeros.
pub(crate) fn number(x: f64) -> String {
    significant(x, 12)
}

/// An error bound: two significant digits are enough.
pub(crate) fn bound(x: f64) -> String {
    match x {
        0.0 => "0".into(),
        0.01..1000.0 => significant(x, 2),
        _ => format!("{x:.1e}"),
    }
}

/// A number to two digits more than its error leaves, at most twelve.
pub(crate) fn measured(x: f64, error: f64) -> String {
    let known = if x == 0.0 || error == 0.0 { 12.0 } else { (x.abs() / error).log10() + 2.0 };
    significant(x, known.clamp(2.0, 12.0) as usize)
}

/// `digits` significant digits, plain between 1e-4 and 1e9, scientific outside.
pub(crate) fn significant(x: f64, digits: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let exponent = x.abs().log10().floor() as i32;
    let trim = |s: String| {
        if s.contains('.') { s.trim_end_matches('0').trim_end_matches('.').to_owned() } else { s }
    };
    if (-4..9).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        return trim(format!("{x:.decimals$}"));
    }
    let text = format!("{x:.*e}", digits - 1);
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{}e{exponent}", trim(mantissa.to_owned())),
        None => text,
    }
}
