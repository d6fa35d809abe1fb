//! Comma-separated text.

use super::read::{MAX_VALUES, Source};
use super::{DataError, DataMatrix};
use csv::{ByteRecord, ReaderBuilder, Trim};

/// Reads comma-separated numbers. The first line is a header when none of its fields is a
/// number; blank lines and lines that start with `#` are skipped.
pub(super) fn read(source: &mut Source) -> Result<DataMatrix, DataError> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .comment(Some(b'#'))
        .from_reader(source.stream());
    let (mut values, mut rows, mut cols) = (Vec::new(), 0, 0);
    let mut record = ByteRecord::new();
    let mut first = true;
    while reader.read_byte_record(&mut record).map_err(failed)? {
        let line = record.position().map_or(0, csv::Position::line);
        let header = first && record.iter().all(|field| number(field).is_none());
        if std::mem::take(&mut first) {
            cols = record.len();
            if header {
                check_header(&record)?;
                continue;
            }
        }
        if record.len() != cols {
            let place = format!("line {line}");
            return Err(DataError::Ragged { place, expected: cols, found: record.len() });
        }
        for (column, field) in record.iter().enumerate() {
            match number(field).filter(|v| v.is_finite()) {
                Some(value) => values.push(value),
                None => {
                    let text = String::from_utf8_lossy(field).chars().take(40).collect();
                    return Err(DataError::NotANumber { line, column: column + 1, text });
                }
            }
        }
        if values.len() as u64 > MAX_VALUES {
            return Err(DataError::TooLarge { values: values.len() as u64, limit: MAX_VALUES });
        }
        rows += 1;
    }
    if rows == 0 {
        return Err(DataError::Empty);
    }
    DataMatrix::new(rows, cols, values)
}

/// An unnamed column is a table's row index, which must not pass for a feature.
fn check_header(record: &ByteRecord) -> Result<(), DataError> {
    match record.iter().position(<[u8]>::is_empty) {
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

fn failed(error: csv::Error) -> DataError {
    let text = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(error) => DataError::reading(error),
        _ => DataError::Malformed { format: ".csv", problem: text },
    }
}
