//! Comma-separated text.
//!
//! Read line by line rather than with the `csv` crate, whose positions do not count skipped
//! blank and comment lines: an error must name the line that an editor shows.

use super::read::{MAX_VALUES, Source};
use super::{DataError, DataMatrix};
use std::io::{BufRead, Read};

/// Bytes of a line that is not refused: 10⁷ numbers, and a stop for streams without an end.
const LONGEST_LINE: u64 = 1 << 28;
/// Characters of a bad field that its error quotes.
const QUOTED: usize = 40;

/// Reads comma-separated numbers. The first line is a header when none of its fields is a
/// number; blank lines and lines that start with `#` are skipped.
pub(super) fn read(source: &mut Source) -> Result<DataMatrix, DataError> {
    let stream = source.stream();
    let (mut values, mut rows, mut cols) = (Vec::new(), 0, None);
    let mut buffer = Vec::new();
    for line in 1.. {
        buffer.clear();
        let limited = &mut stream.by_ref().take(LONGEST_LINE);
        if limited.read_until(b'\n', &mut buffer).map_err(DataError::reading)? == 0 {
            break;
        }
        if buffer.len() as u64 == LONGEST_LINE {
            return Err(DataError::Malformed {
                format: "text",
                problem: format!("line {line} has {LONGEST_LINE} bytes or more"),
            });
        }
        let byte_order_mark: &[u8] = if line == 1 { b"\xef\xbb\xbf" } else { b"" };
        let text = buffer.strip_prefix(byte_order_mark).unwrap_or(&buffer).trim_ascii();
        if text.is_empty() || text.starts_with(b"#") {
            continue;
        }
        let found = fields(text).count();
        let is_first = cols.is_none();
        let expected = *cols.get_or_insert(found);
        if found != expected {
            return Err(DataError::Ragged { place: format!("line {line}"), expected, found });
        }
        if is_first && fields(text).all(|field| number(field).is_none()) {
            check_header(text)?;
            continue;
        }
        for (column, field) in fields(text).enumerate() {
            match number(field).filter(|v| v.is_finite()) {
                Some(value) => values.push(value),
                None => {
                    let text = String::from_utf8_lossy(field).chars().take(QUOTED).collect();
                    return Err(DataError::NotANumber { line, column: column + 1, text });
                }
            }
        }
        if values.len() as u64 > MAX_VALUES {
            return Err(DataError::TooLarge { values: values.len() as u64, limit: MAX_VALUES });
        }
        rows += 1;
    }
    match cols {
        Some(cols) if rows > 0 => DataMatrix::new(rows, cols, values),
        _ => Err(DataError::Empty),
    }
}

/// The fields of a line, without surrounding blanks and quotes; commas inside quotes do not
/// separate.
fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut quoted = false;
    line.split(move |&byte| {
        quoted ^= byte == b'"';
        byte == b',' && !quoted
    })
    .map(|field| {
        let field = field.trim_ascii();
        let inside = field.strip_prefix(b"\"").and_then(|f| f.strip_suffix(b"\""));
        inside.unwrap_or(field).trim_ascii()
    })
}

/// An unnamed column is a table's row index, which must not pass for a feature.
fn check_header(line: &[u8]) -> Result<(), DataError> {
    match fields(line).position(<[u8]>::is_empty) {
        Some(column) => Err(DataError::Malformed {
            format: ".csv",
            problem: format!(
                "column {} has no name in the header: if it is a row index, leave it out (pandas: index=False)",
                column + 1
            ),
        }),
        None => Ok(()),
    }
}

fn number(field: &[u8]) -> Option<f64> {
    std::str::from_utf8(field).ok()?.parse().ok()
}
