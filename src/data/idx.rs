//! The IDX format of the MNIST distribution: unsigned bytes, two or more dimensions.

use super::read::Source;
use super::{DataError, DataMatrix};

const FORMAT: &str = "IDX";
/// Type code of unsigned bytes.
const UNSIGNED_BYTE: u8 = 0x08;

/// Reads images: the first dimension counts them, the others are flattened; values k/255.
pub(super) fn read(source: &mut Source) -> Result<DataMatrix, DataError> {
    let malformed = |problem: String| DataError::Malformed { format: FORMAT, problem };
    let [zero_a, zero_b, kind, dimensions] = source.header(FORMAT)?;
    if (zero_a, zero_b) != (0, 0) {
        return Err(malformed("it does not begin with two zero bytes (compressed?)".into()));
    }
    if kind != UNSIGNED_BYTE {
        return Err(malformed(format!(
            "type code {kind:#04x}, only unsigned bytes (0x08) are read"
        )));
    }
    if dimensions < 2 {
        return Err(malformed(format!("{dimensions} dimension(s): labels rather than images")));
    }
    let mut shape = Vec::with_capacity(usize::from(dimensions));
    for _ in 0..dimensions {
        shape.push(u64::from(u32::from_be_bytes(source.header(FORMAT)?)));
    }
    let values = source.items(&shape, |[k]| f64::from(k) / 255.0)?;
    if values.is_empty() {
        return Err(DataError::Empty);
    }
    let rows = shape[0] as usize;
    DataMatrix::new(rows, values.len() / rows, values)
}
