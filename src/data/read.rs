//! Reading matrices and lists of eigenvalues from files.

use super::{DataError, DataMatrix, idx, npy, text};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// Largest number of values that a file may hold (16 GiB of doubles).
pub(super) const MAX_VALUES: u64 = 1 << 31;

/// Reads a matrix whose rows are samples; the format is told by the file's name.
///
/// | name | format |
/// |---|---|
/// | `.npy` | NumPy array of any float (4, 8 bytes), integer or bool type, either byte order; one dimension: n samples of one feature; more than two: the first counts samples, the others are flattened (C order only) |
/// | `.csv` | comma-separated, with or without one header line; lines that start with `#` are comments |
/// | `.idx`, `…ubyte` | IDX images (the format of MNIST): one row an image, values k/255 |
///
/// Integers beyond 2⁵³ are rounded to the nearest double. Nothing is allocated on the word of
/// a header alone: announced sizes are checked against the file's length first.
///
/// # Errors
/// [`DataError::File`] with the path and what is wrong where: unreadable, malformed,
/// truncated, ragged, not a number, not finite, empty, or more than 2³¹ values.
pub fn read_matrix(path: impl AsRef<Path>) -> Result<DataMatrix, DataError> {
    let path = path.as_ref();
    let name = path.file_name().map(|n| n.to_string_lossy().to_lowercase()).unwrap_or_default();
    let parse = if name.ends_with(".npy") {
        npy::read
    } else if name.ends_with(".csv") {
        text::read
    } else if name.ends_with(".idx") || name.ends_with("ubyte") {
        idx::read
    } else {
        return Err(DataError::UnknownFormat.in_file(path));
    };
    open(path).and_then(|mut file| parse(&mut file)).map_err(|e| e.in_file(path))
}

/// Reads a list of eigenvalues: a `.npy` array with one dimension (or one row or column), or
/// text with one number a line or all numbers in one line separated by commas (any other
/// name). The order is that of the file; signs are not judged here.
///
/// # Errors
/// As [`read_matrix`]; a matrix with several rows and columns.
pub fn read_eigenvalues(path: impl AsRef<Path>) -> Result<Vec<f64>, DataError> {
    let path = path.as_ref();
    let is_npy = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy"));
    let parse = if is_npy { npy::read } else { text::read };
    let list = |matrix: DataMatrix| match (matrix.rows(), matrix.cols()) {
        (1, _) | (_, 1) => Ok(matrix.values().to_vec()),
        (rows, cols) => Err(DataError::NotAList { rows, cols }),
    };
    open(path).and_then(|mut file| parse(&mut file)).and_then(list).map_err(|e| e.in_file(path))
}

/// A file that is being read, with what the system says is left of it.
#[derive(Debug)]
pub(super) struct Source {
    reader: BufReader<File>,
    left: u64,
}

fn open(path: &Path) -> Result<Source, DataError> {
    let file = File::open(path).map_err(DataError::reading)?;
    let left = file.metadata().map_err(DataError::reading)?.len();
    Ok(Source { reader: BufReader::with_capacity(1 << 16, file), left })
}

impl Source {
    /// The next `N` bytes of a header.
    pub(super) fn header<const N: usize>(
        &mut self,
        format: &'static str,
    ) -> Result<[u8; N], DataError> {
        let mut bytes = [0; N];
        self.header_into(&mut bytes, format)?;
        Ok(bytes)
    }

    /// Fills `bytes` from the header.
    pub(super) fn header_into(
        &mut self,
        bytes: &mut [u8],
        format: &'static str,
    ) -> Result<(), DataError> {
        let missing = || DataError::Malformed { format, problem: "the file is too short".into() };
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or_else(missing)?;
        self.reader.read_exact(bytes).map_err(DataError::reading)
    }

    /// The data section: `product(shape)` items of `N` bytes, which must be exactly the rest of
    /// the file, each turned into a double.
    pub(super) fn items<const N: usize>(
        &mut self,
        shape: &[u64],
        convert: impl Fn([u8; N]) -> f64,
    ) -> Result<Vec<f64>, DataError> {
        let count = shape.iter().try_fold(1_u64, |n, &s| n.checked_mul(s)).unwrap_or(u64::MAX);
        if count > MAX_VALUES {
            return Err(DataError::TooLarge { values: count, limit: MAX_VALUES });
        }
        let expected = count * N as u64;
        if expected != self.left {
            return Err(DataError::Length { expected, found: self.left });
        }
        let mut values = Vec::new();
        let memory = |_| DataError::Memory { values: count };
        values.try_reserve_exact(count as usize).map_err(memory)?;
        let mut item = [0; N];
        for _ in 0..count {
            self.reader.read_exact(&mut item).map_err(DataError::reading)?;
            values.push(convert(item));
        }
        Ok(values)
    }

    /// The whole file as a stream.
    pub(super) fn stream(&mut self) -> &mut BufReader<File> {
        &mut self.reader
    }
}
