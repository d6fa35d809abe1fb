//! Ridge regression on random features: the exact excess risk of one draw.

use super::error::{check, check_problem};
use super::least_squares::{
    Arithmetic, Units, add_product, dual, pieces, primal, scale_columns, transposed_product,
};
use super::program::Program;
use super::regression::{Choice, Fit, Regression, fits};
use super::ridge::LIMIT;
use super::{Draws, Experiment, MonteCarloError, Precision, Scratch, Stream};
use crate::numeric::linalg::product_transposed;

/// Largest number of entries of one replicate's matrices (2 GiB).
const MAX_ENTRIES: usize = 1 << 28;

/// n samples y = w*ᵀx + noise, x ~ N(0, Σ) with Σ diagonal; p features z = F x/√p, F standard
/// normal; and a = argmin Σᵢ(yᵢ − aᵀzᵢ)² + λ|a|² with λ > 0.
#[derive(Debug, Clone, PartialEq)]
pub struct RandomFeaturesExperiment {
    units: Units,
    samples: usize,
    features: usize,
    penalty: f64,
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
        let units = Units::new(eigenvalues, signal, noise_variance);
        Ok(Self { units, samples, features, penalty })
    }

    /// (ŵ − w*)ᵀΣ(ŵ − w*) with ŵ = Fᵀa/√p, of the replicate that `draws` belong to, and the
    /// doubt about it.
    ///
    /// From the stream's start: n·d normals of the data, p·d of F, n of the noise.
    /// Cost ≈ n p (d + min(n, p)).
    ///
    /// # Errors
    /// The system cannot be solved.
    fn excess_risk<T: Arithmetic>(
        &self,
        memory: &mut Vec<T>,
        mut draws: Draws,
    ) -> Result<(f64, f64), MonteCarloError> {
        let replicate = draws.replicate();
        let (n, p, d) = (self.samples, self.features, self.units.scales.len());
        let lengths = [n * d, p * d, n * p, n, d, p, d, n.min(p).pow(2)];
        let [data, projection, features, targets, weights, coefficients, estimate, kernel] =
            pieces(memory, lengths);
        T::normals(&mut draws, data);
        T::normals(&mut draws, projection);
        T::normals(&mut draws, targets);
        let noise = T::rounded(self.units.noise);
        targets.iter_mut().for_each(|y| *y *= noise);
        weights.iter_mut().zip(&self.units.loads).for_each(|(w, &load)| *w = T::rounded(load));
        add_product(data, weights, targets);
        let scales = weights;
        scales.iter_mut().zip(&self.units.scales).for_each(|(s, &scale)| *s = T::rounded(scale));
        scale_columns(data, scales);
        let root = T::rounded(1.0 / (p as f64).sqrt());
        projection.iter_mut().for_each(|f| *f *= root);
        product_transposed(data, projection, features, (n, p, d));

        let penalty = T::rounded(self.penalty / self.units.variance);
        let worst = if n < p {
            dual(features, targets, penalty, kernel, coefficients)
        } else {
            primal(features, targets, |_| penalty, kernel, coefficients)
        };
        let worst = worst.map_err(|source| MonteCarloError::Linalg { replicate, source })?;
        transposed_product(projection, coefficients, estimate);
        estimate.iter_mut().zip(scales).for_each(|(u, scale)| *u *= *scale);
        Ok(self.units.risk(estimate, worst))
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
        out[0] = self.excess_risk::<f64>(&mut scratch.double, draws)?.0;
        Ok(())
    }

    fn evaluate_single(
        &self,
        scratch: &mut Scratch,
        stream: Stream,
        out: &mut [f64],
    ) -> Result<f64, MonteCarloError> {
        let draws = Draws::new(stream, Precision::Single);
        // What single precision cannot solve, double precision decides.
        let solved = self.excess_risk::<f32>(&mut scratch.single, draws);
        let (risk, doubt) = solved.unwrap_or((f64::NAN, f64::INFINITY));
        out[0] = risk;
        Ok(doubt)
    }

    fn limit(&self) -> f64 {
        LIMIT
    }

    /// As for [`RidgeExperiment`](super::RidgeExperiment), with a product of matrices before.
    fn program(&self) -> Program {
        let (n, p, d) = (self.samples, self.features, self.units.scales.len());
        if !fits(&self.units, (n, p), 1.0) {
            return Program::host(1);
        }
        // the draw: n·d normals, p·d normals, n normals, each from a whole block on
        let second = (n * d).div_ceil(4);
        let noise = second + (p * d).div_ceil(4);
        let (mut program, data) = Regression::new(&self.units, n, Choice::constant(1.0));
        let projection = program.normals((p, d), second, (p as f64).sqrt().recip());
        let features = program.product(data, projection);
        let deviation = Choice::constant(self.units.noise);
        let shift = self.penalty / self.units.variance;
        let fit = Fit { noise, deviation, factor: 1.0, shift };
        let coefficients = program.solve(data, features, fit);
        let estimate = program.transposed(projection, coefficients);
        program.finish(&self.units, estimate)
    }
}
