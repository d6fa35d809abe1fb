//! The two matrices of a moment curve at one level, from the samples of its replicates.

use super::{MonteCarloError, Samples};

/// H = 2 E(JᵀJ) and S = 4 E(Jᵀr rᵀJ) of one noise level, each entry with its standard error;
/// symmetric p×p matrices, row-major (M17).
#[derive(Debug, Clone, PartialEq)]
pub struct MomentMatrices {
    /// p.
    pub parameters: usize,
    /// H, the Hessian of the risk.
    pub hessian: Vec<f64>,
    /// Standard errors of H.
    pub hessian_error: Vec<f64>,
    /// S, the covariance of the gradient of one draw (its second moment; M17).
    pub gradient_covariance: Vec<f64>,
    /// Standard errors of S.
    pub gradient_covariance_error: Vec<f64>,
}

impl MomentMatrices {
    /// Means over the replicates of a [`MomentCurveExperiment`](super::MomentCurveExperiment).
    ///
    /// Both means are positive semidefinite up to rounding, as sums of squares are.
    ///
    /// # Errors
    /// A number of outputs that is not p(p + 1), fewer than two replicates.
    pub fn new(samples: &Samples) -> Result<Self, MonteCarloError> {
        let outputs = samples.outputs();
        let parameters = outputs.isqrt();
        if parameters * (parameters + 1) != outputs {
            return Err(MonteCarloError::Parameter {
                name: "outputs",
                value: outputs as f64,
                valid: "p(p + 1), the samples of a moment curve",
            });
        }
        let p = parameters;
        let matrix = |first: usize| -> Result<(Vec<f64>, Vec<f64>), MonteCarloError> {
            let (mut means, mut errors) = (vec![0.0; p * p], vec![0.0; p * p]);
            let pairs = (0..p).flat_map(|k| (k..p).map(move |l| (k, l)));
            for (output, (k, l)) in (first..).zip(pairs) {
                let entry = samples.column(output)?.sampled()?;
                for at in [k * p + l, l * p + k] {
                    means[at] = entry.mean;
                    errors[at] = entry.standard_error;
                }
            }
            Ok((means, errors))
        };
        let (hessian, hessian_error) = matrix(0)?;
        let (gradient_covariance, gradient_covariance_error) = matrix(outputs / 2)?;
        Ok(Self {
            parameters,
            hessian,
            hessian_error,
            gradient_covariance,
            gradient_covariance_error,
        })
    }
}
