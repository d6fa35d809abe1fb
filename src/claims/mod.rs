//! Every result of `theory/` as a check that can fail.
