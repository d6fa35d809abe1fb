//! `rootrate`: random-matrix numerics for the *root* of the entropy *rate*.
//!
//! One path leads through the crate: data → population spectrum → random-matrix learning
//! curve → mmse and entropy rate → √-entropy schedule → Monte Carlo check → figures.
//!
//! | module | what it computes | theory page |
//! |---|---|---|
//! | [`evidence`] | values that carry a proved bound, an estimate or a standard error | `0-notation.md` |
//! | [`interval`] | outward-rounded interval arithmetic, the source of proved bounds | `0-notation.md` |
//! | [`spectrum`] | population spectra: atoms, laws, eigenvalues of data | `0-notation.md` |
//! | [`resolvent`] | the Marchenko–Pastur law in closed form; the law of any population, proved | `1-marchenko-pastur.md`, `6-silverstein.md` to `6e` |
//! | [`learning`] | ridge and random-feature learning curves, estimates from a sample | `2-ridge.md`, `7-random-features.md`, `8-from-a-sample.md` |
//! | [`entropy`] | data models → mmse, information, entropy rate in every clock | `3-entropy-rate.md`, `3a-posterior-sampling.md` |
//! | [`schedule`] | densities over noise levels, efficiency, allocation | `4-schedule.md` |
//! | [`montecarlo`] | counter-based random numbers, replicated experiments, engines, statistics | `5-monte-carlo.md`, `5a-engines.md` |
//! | [`claims`] | results of `theory/` as checks that can fail | all |
//! | [`data`] | reading, writing, and the digits that ship with the crate | – |
//! | [`numeric`] | quadrature, root finding, interpolation, dense linear algebra | – |
//! | [`plot`] | the drawing of the figures | – |
//!
//! All logarithms are natural; information is in nats; σ is in units of the data.

pub mod claims;
pub mod data;
pub mod entropy;
pub mod evidence;
pub mod interval;
pub mod learning;
pub mod montecarlo;
pub mod numeric;
pub mod plot;
pub mod resolvent;
pub mod schedule;
pub mod spectrum;
