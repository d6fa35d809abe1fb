//! All integration tests in one binary (one link); each file mirrors the module it tests.

mod data;
mod empirical;
mod exp;
mod linalg;
mod mixture;
mod philox;
mod spectrum;
