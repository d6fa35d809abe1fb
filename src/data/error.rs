//! What can be wrong with data and files.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Errors of [`DataMatrix`](super::DataMatrix), of reading and of writing.
///
/// Reading and writing always return [`File`](Self::File), which names the path and wraps what
/// is wrong. Rows, columns and lines are counted from 1.
#[derive(Debug, Error)]
pub enum DataError {
    /// Something is wrong with a file.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: Box<DataError>,
    },
    /// The operating system refused.
    #[error("cannot {action}: {error}")]
    Io {
        /// What was tried: "read" or "write".
        action: &'static str,
        /// The system's answer.
        error: io::Error,
    },
    /// The file name does not tell the format.
    #[error(
        "the format is told by the name, and this one is not known: valid are .npy, .csv, .idx and names that end in ubyte (IDX)"
    )]
    UnknownFormat,
    /// There are no values.
    #[error("no values: at least one row and one column are needed")]
    Empty,
    /// The number of values does not match the shape.
    #[error("{found} values do not fill a {rows}×{cols} matrix")]
    Shape {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        cols: usize,
        /// Values given.
        found: usize,
    },
    /// A row has another number of values than the first.
    #[error(
        "{place} has {found} values, the first row has {expected}: all rows must be equally long"
    )]
    Ragged {
        /// "line 7" of a text file, or "row 7".
        place: String,
        /// Values in the first row.
        expected: usize,
        /// Values in this row.
        found: usize,
    },
    /// A value is NaN or infinite.
    #[error("row {row}, column {column} is {value}: values must be finite")]
    NotFinite {
        /// Row, from 1.
        row: usize,
        /// Column, from 1.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A field of a text file is not a finite number.
    #[error(
        "line {line}, column {column}: {text:?} is not a finite number (fields are separated by commas, one header line may precede the numbers)"
    )]
    NotANumber {
        /// Line of the file, from 1.
        line: u64,
        /// Field within the line, from 1.
        column: usize,
        /// The text found, at most 40 characters of it.
        text: String,
    },
    /// The file violates its format.
    #[error("not valid as {format}: {problem}")]
    Malformed {
        /// The format.
        format: &'static str,
        /// The rule that is violated.
        problem: String,
    },
    /// The file ends before the data that its header announces, or goes on after them.
    #[error("the header announces {expected} bytes of data, the file has {found}")]
    Length {
        /// Bytes announced.
        expected: u64,
        /// Bytes found.
        found: u64,
    },
    /// More values than are accepted.
    #[error("{values} values, at most {limit} can be read")]
    TooLarge {
        /// Number of values (saturating).
        values: u64,
        /// Largest number accepted.
        limit: u64,
    },
    /// The values do not fit into memory.
    #[error("{values} values do not fit into this machine's memory")]
    Memory {
        /// Number of values.
        values: u64,
    },
    /// A list of numbers was expected, a matrix found.
    #[error("a {rows}×{cols} matrix, where a list of numbers (one row or one column) is expected")]
    NotAList {
        /// Rows found.
        rows: usize,
        /// Columns found.
        cols: usize,
    },
}

impl DataError {
    /// The same error with the file it occurred in.
    pub(super) fn in_file(self, path: &Path) -> Self {
        Self::File { path: path.to_path_buf(), problem: Box::new(self) }
    }

    /// A failed read.
    pub(super) fn reading(error: io::Error) -> Self {
        Self::Io { action: "read", error }
    }

    /// A failed write.
    pub(super) fn writing(error: io::Error) -> Self {
        Self::Io { action: "write", error }
    }
}
