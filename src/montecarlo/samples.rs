//! The values of consecutive replicates, several a replicate: what an engine returns.

use super::{MonteCarloError, Sample};

/// `outputs` values a replicate, in the order of the replicates.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    first: u64,
    outputs: usize,
    values: Vec<f64>,
    redone: u64,
}

impl Samples {
    /// The values of replicates `first, first + 1, …`, replicate after replicate, of which
    /// `redone` had to be recomputed in double precision.
    ///
    /// # Errors
    /// A value that is NaN or infinite, a number of values that is no multiple of `outputs`.
    pub fn new(
        first: u64,
        outputs: usize,
        values: Vec<f64>,
        redone: u64,
    ) -> Result<Self, MonteCarloError> {
        if values.iter().any(|v| !v.is_finite()) {
            return Err(MonteCarloError::NotFinite);
        }
        if outputs == 0 || !values.len().is_multiple_of(outputs) {
            let expected = values.len().next_multiple_of(outputs.max(1));
            return Err(MonteCarloError::Length { name: "values", found: values.len(), expected });
        }
        Ok(Self { first, outputs, values, redone })
    }

    /// The first replicate.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Values a replicate.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// How many replicates.
    pub fn replicates(&self) -> u64 {
        (self.values.len() / self.outputs) as u64
    }

    /// All values, replicate after replicate.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How many replicates single precision could not compute accurately, and double precision
    /// did.
    pub fn redone(&self) -> u64 {
        self.redone
    }

    /// Value `output` of every replicate.
    ///
    /// # Errors
    /// `output` is not below [`outputs`](Self::outputs).
    pub fn column(&self, output: usize) -> Result<Sample, MonteCarloError> {
        if output >= self.outputs {
            return Err(MonteCarloError::Parameter {
                name: "output",
                value: output as f64,
                valid: "an index below the number of outputs",
            });
        }
        Sample::new(self.first, self.values.chunks(self.outputs).map(|row| row[output]).collect())
    }

    /// Appends the replicates that follow.
    ///
    /// # Errors
    /// [`MonteCarloError::NotContiguous`] if `next` does not begin where this one ends, another
    /// number of outputs.
    pub fn append(&mut self, next: &Self) -> Result<(), MonteCarloError> {
        let expected = self.first.saturating_add(self.replicates());
        if next.first != expected {
            return Err(MonteCarloError::NotContiguous { expected, found: next.first });
        }
        if next.outputs != self.outputs {
            return Err(MonteCarloError::Length {
                name: "outputs",
                found: next.outputs,
                expected: self.outputs,
            });
        }
        self.values.extend_from_slice(&next.values);
        self.redone += next.redone;
        Ok(())
    }
}
