//! Data matrices: reading them, the digits that ship with the crate, and atomic writing.
