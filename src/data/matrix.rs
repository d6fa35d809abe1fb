//! A dense matrix of samples.

use super::DataError;

/// Samples in rows, features in columns; finite values, at least one of each.
///
/// ```
/// use rootrate::data::DataMatrix;
/// let data = DataMatrix::from_rows(&[vec![1.0, 2.0], vec![3.0, 4.0], vec![5.0, 6.0]])?;
/// assert_eq!((data.rows(), data.cols()), (3, 2));
/// assert_eq!(data.row(1), &[3.0, 4.0]);
/// # Ok::<(), rootrate::data::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DataMatrix {
    rows: usize,
    cols: usize,
    values: Vec<f64>,
}

impl DataMatrix {
    /// A rows×cols matrix from its values in row-major order.
    ///
    /// # Errors
    /// No rows or columns, a number of values that is not rows × cols, a value that is not
    /// finite.
    pub fn new(rows: usize, cols: usize, values: Vec<f64>) -> Result<Self, DataError> {
        if rows.checked_mul(cols) != Some(values.len()) {
            return Err(DataError::Shape { rows, cols, found: values.len() });
        }
        if values.is_empty() {
            return Err(DataError::Empty);
        }
        if let Some(i) = values.iter().position(|v| !v.is_finite()) {
            return Err(DataError::NotFinite {
                row: i / cols + 1,
                column: i % cols + 1,
                value: values[i],
            });
        }
        Ok(Self { rows, cols, values })
    }

    /// A matrix from its rows.
    ///
    /// # Errors
    /// As [`new`](Self::new); rows of different lengths.
    pub fn from_rows(rows: &[Vec<f64>]) -> Result<Self, DataError> {
        let expected = rows.first().map_or(0, Vec::len);
        if let Some(i) = rows.iter().position(|r| r.len() != expected) {
            let (place, found) = (format!("row {}", i + 1), rows[i].len());
            return Err(DataError::Ragged { place, expected, found });
        }
        Self::new(rows.len(), expected, rows.concat())
    }

    /// Number of rows (samples) n.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns (features) p.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All values, row-major.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Row `i` < [`rows`](Self::rows), from 0; like slice indexing, it panics beyond.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }
}
