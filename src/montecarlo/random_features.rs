//! Ridge regression on random features: the exact excess risk of one draw.

use super::error::{check, check_problem};
use super::program::Program;
use super::regression::{Choice, Fit, Problem, Regression};
use super::ridge::LIMIT;
use super::{Draws, Experiment, MonteCarloError, Scratch};
use crate::numeric::linalg::{LinalgError, cholesky_solve, gram, gram_outer, matmul_f64};

/// Largest number of entries of one replicate's matrices (2 GiB).
const MAX_ENTRIES: usize = 1 << 28;

/// n samples y = w*ᵀx + noise, x ~ N(0, Σ) with Σ diagonal; p features z = F x/√p, F standard
/// normal; and a = argmin Σᵢ(yᵢ − aᵀzᵢ)² + λ|a|² with λ > 0.
#[derive(Debug, Clone, PartialEq)]
pub struct RandomFeaturesExperiment {
    eigenvalues: Vec<f64>,
    scales: Vec<f64>,
    signal: Vec<f64>,
    samples: usize,
    features: usize,
    penalty: f64,
    noise_variance: f64,
}

impl RandomFeaturesExperiment {
    /// `eigenvalues` of Σ, the target's coefficients w*_k, n = `samples`, p = `features`,
    /// λ = `penalty` on the summed loss, τ² = `noise_variance`.
    ///
    /// # Errors
    /// Lists of different lengths or empty, numbers outside their domain, n or p = 0, matrices
    /// of more than 2²⁸ entries.
    ///
    /// ```
    /// use rootrate::montecarlo::{CpuEngine, Engine, RandomFeaturesExperiment, Streams};
    /// // 4 samples cannot beat the mean of a target that is mostly noise
    /// let experiment = RandomFeaturesExperiment::new(&[1.0; 8], &[0.1; 8], 4, 6, 0.01, 1.0)?;
    /// let streams = Streams { seed: 7, experiment: 0 };
    /// let risk = CpuEngine::DOUBLE.run(&experiment, streams, 0..500, &|_, _| ())?.column(0)?.sampled()?;
    /// assert!(risk.mean > 0.08);
    /// # Ok::<(), rootrate::montecarlo::MonteCarloError>(())
    /// ```
    pub fn new(
        eigenvalues: &[f64],
        signal: &[f64],
        samples: usize,
        features: usize,
        penalty: f64,
        noise_variance: f64,
    ) -> Result<Self, MonteCarloError> {
        let dimension = eigenvalues.len();
        check_problem(eigenvalues, signal)?;
        check("dimension", dimension as f64, |d| d >= 1.0, "at least one eigenvalue")?;
        check("samples", samples as f64, |n| n >= 1.0, "at least one sample")?;
        check("features", features as f64, |p| p >= 1.0, "at least one feature")?;
        check("penalty", penalty, |l| l > 0.0, "a finite number > 0")?;
        check("noise variance", noise_variance, |t| t >= 0.0, "a finite number ≥ 0")?;
        for (rows, cols) in [(samples, dimension), (features, dimension), (samples, features)] {
            if rows.checked_mul(cols).is_none_or(|entries| entries > MAX_ENTRIES) {
                let limit = MAX_ENTRIES;
                return Err(MonteCarloError::TooLarge { samples: rows, features: cols, limit });
            }
        }
        Ok(Self {
            eigenvalues: eigenvalues.to_vec(),
            scales: eigenvalues.iter().map(|v| v.sqrt()).collect(),
            signal: signal.to_vec(),
            samples,
            features,
            penalty,
            noise_variance,
        })
    }

    /// (ŵ − w*)ᵀΣ(ŵ − w*) with ŵ = Fᵀa/√p, of the replicate that `draws` belong to.
    ///
    /// From the stream's start: n·d normals of the data, p·d of F, n of the noise. `scratch` is
    /// working memory. Cost ≈ n p (d + min(n, p)).
    ///
    /// # Errors
    /// The system cannot be solved.
    fn excess_risk(
        &self,
        scratch: &mut Vec<f64>,
        mut draws: Draws,
    ) -> Result<f64, MonteCarloError> {
        let replicate = draws.replicate();
        let failed = |source: LinalgError| MonteCarloError::Linalg { replicate, source };
        let (n, p, d) = (self.samples, self.features, self.eigenvalues.len());
        scratch.resize((n + p) * d + n * (p + 1), 0.0);
        let (data, rest) = scratch.split_at_mut(n * d);
        let (projection, rest) = rest.split_at_mut(p * d);
        let (features, targets) = rest.split_at_mut(n * p);
        draws.normals(data);
        draws.normals(projection);
        draws.normals(targets);
        for (row, y) in data.chunks_mut(d).zip(targets.iter_mut()) {
            *y *= self.noise_variance.sqrt();
            for ((x, scale), w) in row.iter_mut().zip(&self.scales).zip(&self.signal) {
                *x *= scale;
                *y += *x * w;
            }
        }
        let root = 1.0 / (p as f64).sqrt();
        projection.iter_mut().for_each(|f| *f *= root);
        matmul_f64(data, projection, features, (n, p, d)).map_err(failed)?;

        let solve = |kernel: Result<Vec<f64>, LinalgError>, rhs: &mut [f64]| {
            let (mut kernel, size) = (kernel?, rhs.len());
            (0..size).for_each(|i| kernel[i * size + i] += self.penalty);
            cholesky_solve(&mut kernel, size, rhs, 1)
        };
        let coefficients = if n < p {
            let mut dual = targets.to_vec();
            solve(gram_outer(features, n, p), &mut dual).map_err(failed)?;
            transposed_product(features, &dual, p)
        } else {
            let mut moment = transposed_product(features, targets, p);
            solve(gram(features, n, p), &mut moment).map_err(failed)?;
            moment
        };
        let estimate = transposed_product(projection, &coefficients, d);
        let errors = estimate.iter().zip(&self.signal).zip(&self.eigenvalues);
        Ok(errors.map(|((w, truth), eigenvalue)| eigenvalue * (w - truth) * (w - truth)).sum())
    }
}

impl Experiment for RandomFeaturesExperiment {
    fn outputs(&self) -> usize {
        1
    }

    fn evaluate(
        &self,
        scratch: &mut Scratch,
        draws: Draws,
        out: &mut [f64],
    ) -> Result<(), MonteCarloError> {
        out[0] = self.excess_risk(&mut scratch.double, draws)?;
        Ok(())
    }

    fn limit(&self) -> f64 {
        LIMIT
    }

    /// As for [`RidgeExperiment`](super::RidgeExperiment), with a product of matrices before.
    fn program(&self) -> Program {
        let (n, p, d) = (self.samples, self.features, self.eigenvalues.len());
        let problem = Problem {
            eigenvalues: &self.eigenvalues,
            scales: &self.scales,
            signal: &self.signal,
            samples: n,
        };
        if !problem.fits(p, 1.0) {
            return Program::host(1);
        }
        // the draw: n·d normals, p·d normals, n normals, each from a whole block on
        let (second, third) = ((n * d).div_ceil(4), (p * d).div_ceil(4));
        let (mut program, data) = Regression::new(problem, Choice::constant(1.0));
        let projection = program.normals((p, d), second, (p as f64).sqrt().recip());
        let features = program.product(data, projection);
        let fit = Fit {
            noise: second + third,
            deviation: Choice::constant(self.noise_variance.sqrt()),
            factor: 1.0,
            shift: self.penalty,
        };
        let coefficients = program.solve(data, features, fit);
        let estimate = program.transposed(projection, coefficients);
        program.finish(estimate)
    }
}

/// Aᵀv for row-major A with `cols` columns.
fn transposed_product(a: &[f64], v: &[f64], cols: usize) -> Vec<f64> {
    let mut out = vec![0.0; cols];
    for (row, v) in a.chunks(cols).zip(v) {
        out.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * v);
    }
    out
}
