//! All integration tests in one binary (one link); each file mirrors the module it tests.

mod plot;
