//! NumPy's `.npy` format (versions 1 to 3), numeric types only.
//!
//! The header is a Python dictionary literal with three known keys, and is parsed here rather
//! than by `npyz`, which multiplies the shape without an overflow check before any of it can
//! be compared with the file's length.

use super::read::Source;
use super::{DataError, DataMatrix};

const FORMAT: &str = ".npy";
/// NumPy's own limit for headers that it reads without being told to trust them.
const MAX_HEADER: usize = 10_000;
const TYPES: &str = "valid are f4, f8, i1 to i8, u1 to u8 and bool";

/// Reads a matrix; the shapes accepted are those of [`read_matrix`](super::read_matrix).
pub(super) fn read(source: &mut Source) -> Result<DataMatrix, DataError> {
    let [magic @ .., major, _minor] = source.header::<8>(FORMAT)?;
    if magic != *b"\x93NUMPY" {
        return Err(malformed("it does not begin with the bytes \\x93NUMPY"));
    }
    let length = match major {
        1 => usize::from(u16::from_le_bytes(source.header(FORMAT)?)),
        2 | 3 => u32::from_le_bytes(source.header(FORMAT)?) as usize,
        _ => return Err(malformed(format!("version {major} is not known (1, 2 and 3 are)"))),
    };
    if length > MAX_HEADER {
        return Err(malformed(format!("a header of {length} bytes (at most {MAX_HEADER})")));
    }
    let mut bytes = vec![0; length];
    source.header_into(&mut bytes, FORMAT)?;
    let header = Header::parse(&String::from_utf8_lossy(&bytes))?;
    let values = header.values(source)?;
    header.arrange(values)
}

/// The three entries of the header.
struct Header {
    big_endian: bool,
    kind: String,
    fortran: bool,
    shape: Vec<u64>,
}

impl Header {
    fn parse(text: &str) -> Result<Self, DataError> {
        let description = after_key(text, "descr")?;
        let kind = quoted(description)
            .ok_or_else(|| malformed(format!("a structured type is not supported: {TYPES}")))?;
        let (big_endian, kind) = match kind.split_at_checked(1) {
            Some(("<" | "|", rest)) => (false, rest),
            Some((">", rest)) => (true, rest),
            _ => return Err(malformed(format!("unknown byte order in type {kind:?}"))),
        };
        let order = after_key(text, "fortran_order")?;
        let fortran = order.starts_with("True");
        if !fortran && !order.starts_with("False") {
            return Err(malformed("fortran_order is neither True nor False"));
        }
        let shape = after_key(text, "shape")?
            .strip_prefix('(')
            .and_then(|s| s.split_once(')'))
            .ok_or_else(|| malformed("the shape is not a tuple"))?
            .0;
        let shape = shape
            .split(',')
            .map(str::trim)
            .filter(|s| !s.is_empty())
            .map(|s| s.parse().map_err(|_| malformed(format!("{s:?} in the shape"))))
            .collect::<Result<_, _>>()?;
        Ok(Self { big_endian, kind: kind.to_owned(), fortran, shape })
    }

    fn values(&self, source: &mut Source) -> Result<Vec<f64>, DataError> {
        macro_rules! read_as {
            ($type:ty) => {
                if self.big_endian {
                    source.items(&self.shape, |b| <$type>::from_be_bytes(b) as f64)
                } else {
                    source.items(&self.shape, |b| <$type>::from_le_bytes(b) as f64)
                }
            };
        }
        match self.kind.as_str() {
            "f8" => read_as!(f64),
            "f4" => read_as!(f32),
            "i1" => read_as!(i8),
            "i2" => read_as!(i16),
            "i4" => read_as!(i32),
            "i8" => read_as!(i64),
            "u1" => read_as!(u8),
            "u2" => read_as!(u16),
            "u4" => read_as!(u32),
            "u8" => read_as!(u64),
            "b1" => source.items(&self.shape, |[b]| f64::from(u8::from(b != 0))),
            other => Err(malformed(format!("type {other:?} is not supported: {TYPES}"))),
        }
    }

    /// Values in file order → matrix. The caller has checked that they fill the shape.
    fn arrange(&self, values: Vec<f64>) -> Result<DataMatrix, DataError> {
        let (rows, cols) = match self.shape.as_slice() {
            [] => return Err(malformed("a single number, not an array")),
            _ if values.is_empty() => return Err(DataError::Empty),
            [n] => (*n as usize, 1),
            [n, ..] => (*n as usize, values.len() / *n as usize),
        };
        if !self.fortran || self.shape.len() == 1 {
            return DataMatrix::new(rows, cols, values);
        }
        if self.shape.len() > 2 {
            return Err(malformed(
                "an array of more than two dimensions must be in C order (numpy.ascontiguousarray)",
            ));
        }
        let row_major = (0..rows).flat_map(|i| values[i..].iter().step_by(rows).copied()).collect();
        DataMatrix::new(rows, cols, row_major)
    }
}

/// What follows `'key':`, without leading blanks.
fn after_key<'a>(text: &'a str, key: &str) -> Result<&'a str, DataError> {
    ['\'', '"']
        .iter()
        .find_map(|quote| text.split_once(&format!("{quote}{key}{quote}")))
        .and_then(|(_, rest)| rest.trim_start().strip_prefix(':'))
        .map(str::trim_start)
        .ok_or_else(|| malformed(format!("the header has no entry {key:?}")))
}

/// The text between the quotes that `text` begins with.
fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| ['\'', '"'].contains(c))?;
    text[1..].split_once(quote).map(|(inside, _)| inside)
}

fn malformed(problem: impl Into<String>) -> DataError {
    DataError::Malformed { format: FORMAT, problem: problem.into() }
}
