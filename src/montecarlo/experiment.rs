//! What one replicate of a simulation is, for every engine.

use std::fmt::Debug;

use super::program::Program;
use super::{MonteCarloError, Stream};

/// The precision of variates and arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Double-precision variates and arithmetic.
    Double,
    /// Single-precision variates, the same bits on every engine; single-precision arithmetic
    /// with an error estimate, and double-precision arithmetic on the same variates where the
    /// estimate is too large (M10).
    Single,
}

/// Working memory that an engine hands from one replicate to the next. A value must not depend
/// on what it finds there.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    /// Double-precision numbers.
    pub double: Vec<f64>,
    /// Single-precision numbers.
    pub single: Vec<f32>,
}

/// The variates of one replicate, in the precision of its engine.
#[derive(Debug, Clone)]
pub struct Draws {
    stream: Stream,
    precision: Precision,
    buffer: Vec<f32>,
}

impl Draws {
    /// The variates of the replicate that `stream` belongs to.
    pub fn new(stream: Stream, precision: Precision) -> Self {
        Self { stream, precision, buffer: Vec::new() }
    }

    /// The replicate.
    pub fn replicate(&self) -> u32 {
        self.stream.replicate()
    }

    /// Independent standard normals, from the next whole block on: two a block in double
    /// precision, four a block in single (widened exactly).
    pub fn normals(&mut self, out: &mut [f64]) {
        match self.precision {
            Precision::Double => self.stream.fill_normal_f64(out),
            Precision::Single => {
                self.buffer.resize(out.len(), 0.0);
                self.stream.fill_normal_f32(&mut self.buffer);
                out.iter_mut().zip(&self.buffer).for_each(|(x, z)| *x = f64::from(*z));
            }
        }
    }

    /// Independent standard normals, four a block, from the next whole block on: those that
    /// [`normals`](Self::normals) widens in single precision.
    pub fn single_normals(&mut self, out: &mut [f32]) {
        self.stream.fill_normal_f32(out);
    }

    /// The next word of the stream, whatever the precision: for choices, by comparison with
    /// ⌊probability·2³²⌋, that must not depend on rounding.
    pub fn word(&mut self) -> u32 {
        self.stream.next_u32()
    }
}

/// A simulation, one replicate at a time: the same function of the replicate's random words on
/// every engine, up to the rounding of the arithmetic.
pub trait Experiment: Debug + Sync {
    /// How many values a replicate yields.
    fn outputs(&self) -> usize;

    /// The values of one replicate, in double-precision arithmetic whatever the variates.
    ///
    /// # Errors
    /// The replicate cannot be computed, or not accurately.
    fn evaluate(
        &self,
        scratch: &mut Scratch,
        draws: Draws,
        out: &mut [f64],
    ) -> Result<(), MonteCarloError>;

    /// The values of one replicate from single-precision variates in single-precision
    /// arithmetic, with an estimate of their relative error ("doubt"); where it exceeds
    /// [`limit`](Self::limit), the engine calls [`evaluate`](Self::evaluate) instead.
    ///
    /// Unless single precision is faster on a processor there is nothing to implement: double
    /// precision on the same variates has no doubt.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    fn evaluate_single(
        &self,
        scratch: &mut Scratch,
        stream: Stream,
        out: &mut [f64],
    ) -> Result<f64, MonteCarloError> {
        self.evaluate(scratch, Draws::new(stream, Precision::Single), out)?;
        Ok(0.0)
    }

    /// Largest doubt of a replicate that is kept as single precision computes it.
    fn limit(&self) -> f64;

    /// What a graphics processor runs.
    fn program(&self) -> Program;
}
