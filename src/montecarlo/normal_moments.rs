//! Means of powers of normals: the simplest experiment, and the check of the variates.

use super::error::check;
use super::program::{Binding, Groups, Program, Shader, Stage};
use super::{Draws, Experiment, MonteCarloError, Scratch};

const MOMENTS: Shader =
    Shader { parts: &[include_str!("shaders/normal_moments.wgsl")], entry: "moments" };
/// Powers 1 to 6.
const POWERS: usize = 6;
/// Most normals a replicate.
const MOST: usize = 1 << 20;

/// The means of the powers 1 to 6 of `count` standard normals; expectations 0, 1, 0, 3, 0, 15.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NormalMoments {
    count: usize,
}

impl NormalMoments {
    /// Means over `count` normals a replicate.
    ///
    /// # Errors
    /// Unless `count` is a multiple of 4 in 4…2²⁰.
    pub fn new(count: usize) -> Result<Self, MonteCarloError> {
        let valid = |c: f64| (4.0..=MOST as f64).contains(&c) && c % 4.0 == 0.0;
        check("count", count as f64, valid, "a multiple of 4 between 4 and 2²⁰")?;
        Ok(Self { count })
    }
}

impl Experiment for NormalMoments {
    fn outputs(&self) -> usize {
        POWERS
    }

    fn evaluate(
        &self,
        scratch: &mut Scratch,
        mut draws: Draws,
        out: &mut [f64],
    ) -> Result<(), MonteCarloError> {
        scratch.double.resize(self.count, 0.0);
        let z = &mut scratch.double[..self.count];
        draws.normals(z);
        for (k, mean) in (1..).zip(out) {
            *mean = z.iter().map(|z| z.powi(k)).sum::<f64>() / self.count as f64;
        }
        Ok(())
    }

    fn limit(&self) -> f64 {
        0.0
    }

    fn program(&self) -> Program {
        Program {
            constants: Vec::new(),
            arrays: Vec::new(),
            stages: vec![Stage {
                shader: MOMENTS,
                bindings: vec![Binding::Output],
                groups: Groups::Each([1, 1]),
                parameters: vec![(self.count / 4) as u32],
            }],
            outputs: POWERS,
            operations: 100.0 * self.count as f64,
        }
    }
}
