//! Data matrices: reading them, the digits that ship with the crate, and atomic writing.

mod digits;
mod error;
mod idx;
mod interrupt;
mod matrix;
mod npy;
mod read;
mod text;
mod write;

pub use digits::{digit_labels, digits};
pub use error::DataError;
pub use interrupt::{DeferredInterrupt, finish_writes_on_interrupt};
pub use matrix::DataMatrix;
pub use read::{read_eigenvalues, read_matrix};
pub use write::{write_atomic, write_atomic_with};
