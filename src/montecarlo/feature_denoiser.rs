//! A denoiser that is linear in random features, at one noise level with several noise draws a
//! datum: test loss, training loss and regularised optimum of one draw (M16).

use super::error::check;
use super::feature_denoiser_program::{Problem, program};
use super::program::Program;
use super::{Activation, Draws, Experiment, MonteCarloError, Scratch};
use crate::numeric::linalg::{LinalgError, cholesky_solve, gram, gram_outer, matmul_f64};

/// Largest number of entries of one replicate's matrices (2 GiB).
const MAX_ENTRIES: usize = 1 << 28;
/// Smallest part of its diagonal entry that a squared Cholesky pivot may keep: below, the
/// normal equations have lost about 9 of their 16 digits.
const MIN_RETAINED: f64 = 1e-9;
/// Largest doubt of a replicate that is kept as single precision computes it: the errors are a
/// third of their doubts at most, hence below 10⁻³, and one replicate varies by more (M16g).
const LIMIT: f64 = 2e-3;
/// Test loss, training loss, regularised optimum.
pub(super) const OUTPUTS: usize = 3;

/// Data x_i ~ N(0, Σ), i = 1…n, with Σ diagonal and tr Σ = d; at one time t, with
/// Δ = 1 − e^{−2t}, m noised versions of each, x_t = e^{−t}x + √Δ ξ; p features
/// f = φ(W x_t/√d), W standard normal; and the score s_A(x_t) = A f/√p whose A ∈ R^{d×p}
/// minimises
///
/// Σ‖√Δ s_A + ξ‖²/(n m d) + Δ λ‖A‖²/(p d),   λ > 0.
///
/// A replicate yields three numbers, all per dimension and of the order 1:
///
/// 0. the test loss ‖√Δ s_A + ξ‖²/d, its mean over fresh pairs (x, ξ): unbiased;
/// 1. the training loss Σ‖√Δ s_A + ξ‖²/(n m d) at the minimiser, without the penalty;
/// 2. the optimum: training loss plus penalty.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureDenoiserExperiment {
    /// √ of the variances, times e^{−t}.
    scales: Vec<f64>,
    /// √Δ.
    noise_scale: f64,
    samples: usize,
    features: usize,
    noises: usize,
    penalty: f64,
    activation: Activation,
    test_points: usize,
}

impl FeatureDenoiserExperiment {
    /// `variances`: the diagonal of Σ, of mean 1; n = `samples`, p = `features`,
    /// m = `noises` noise draws a datum, `time` t, λ = `penalty`, φ = `activation`; the test
    /// loss is a mean over `test_points` fresh points (as many as `samples` add little to its
    /// variance).
    ///
    /// # Errors
    /// No variance, variances that are not finite and ≥ 0 or not of mean 1 within 1e-9; n, p, m
    /// or the number of test points = 0; t or λ not finite and > 0; matrices of more than 2²⁸
    /// entries.
    ///
    /// ```
    /// use rootrate::montecarlo::{
    ///     Activation, CpuEngine, Engine, FeatureDenoiserExperiment, Streams,
    /// };
    /// // d = 20, ψ_n = 2, ψ_p = 1
    /// let denoiser = FeatureDenoiserExperiment::new(
    ///     &[1.0; 20], 40, 20, 1, 0.5, 0.01, Activation::Tanh, 40,
    /// )?;
    /// let streams = Streams { seed: 7, experiment: 0 };
    /// let losses = CpuEngine::DOUBLE.run(&denoiser, streams, 0..20, &|_, _| ())?;
    /// let [test, training, optimum] = [0, 1, 2].map(|i| losses.column(i).unwrap().sampled());
    /// assert!(test?.mean > optimum?.mean);
    /// assert!(losses.column(2)?.values().iter().zip(losses.column(1)?.values()).all(|(o, t)| o > t));
    /// assert!(training?.mean < 1.0, "the score 0 has the training loss 1");
    /// # Ok::<(), rootrate::montecarlo::MonteCarloError>(())
    /// ```
    #[allow(clippy::too_many_arguments, reason = "the letters of one definition")]
    pub fn new(
        variances: &[f64],
        samples: usize,
        features: usize,
        noises: usize,
        time: f64,
        penalty: f64,
        activation: Activation,
        test_points: usize,
    ) -> Result<Self, MonteCarloError> {
        let d = variances.len();
        for (name, count) in [
            ("dimension", d),
            ("samples", samples),
            ("features", features),
            ("noises", noises),
            ("test points", test_points),
        ] {
            check(name, count as f64, |k| k >= 1.0, "at least 1")?;
        }
        check("time", time, |t| t > 0.0, "a finite number > 0")?;
        check("penalty", penalty, |l| l > 0.0, "a finite number > 0")?;
        if let Some(index) = variances.iter().position(|v| !(v.is_finite() && *v >= 0.0)) {
            let (value, valid) = (variances[index], "finite numbers ≥ 0");
            return Err(MonteCarloError::Element { name: "variances", index, value, valid });
        }
        let mean = variances.iter().map(|v| v / d as f64).sum();
        check("mean of the variances", mean, |m| (m - 1.0).abs() < 1e-9, "1, within 1e-9")?;
        let rows = samples.saturating_mul(noises);
        for (rows, cols) in [(rows, d), (rows, features), (features, d), (test_points, d)] {
            if rows.checked_mul(cols).is_none_or(|entries| entries > MAX_ENTRIES) {
                let limit = MAX_ENTRIES;
                return Err(MonteCarloError::TooLarge { samples: rows, features: cols, limit });
            }
        }
        if test_points.checked_mul(features).is_none_or(|entries| entries > MAX_ENTRIES) {
            let limit = MAX_ENTRIES;
            return Err(MonteCarloError::TooLarge { samples: test_points, features, limit });
        }
        let signal_scale = (-time).exp();
        Ok(Self {
            scales: variances.iter().map(|v| signal_scale * v.sqrt()).collect(),
            noise_scale: (-(-2.0 * time).exp_m1()).sqrt(),
            samples,
            features,
            noises,
            penalty,
            activation,
            test_points,
        })
    }

    /// Test loss, training loss and optimum of the replicate that `draws` belong to.
    ///
    /// From the stream's start: p·d normals of W, n·d of the data, n·m·d of their noises (those
    /// of a datum together), then the data and the noises of the test points. With
    /// C = √Δ A/√p: C = −ΞᵀF(FᵀF + nmλ)⁻¹ = −Ξᵀ(FFᵀ + nmλ)⁻¹F, the smaller system (M16b).
    /// Cost ≈ n m p (3d + min(p, n m)).
    ///
    /// # Errors
    /// The system cannot be solved, or not accurately.
    fn losses(
        &self,
        scratch: &mut Vec<f64>,
        mut draws: Draws,
    ) -> Result<[f64; OUTPUTS], MonteCarloError> {
        let replicate = draws.replicate();
        let failed = |source: LinalgError| MonteCarloError::Linalg { replicate, source };
        let (d, p, rows) = (self.scales.len(), self.features, self.samples * self.noises);
        let most = rows.max(self.test_points);
        scratch.resize(p * d + 2 * most * d + most * p, 0.0);
        let (weights, rest) = scratch.split_at_mut(p * d);
        let (noise, rest) = rest.split_at_mut(most * d);
        let (inputs, features) = rest.split_at_mut(most * d);
        draws.normals(weights);
        let root = 1.0 / (d as f64).sqrt();
        weights.iter_mut().for_each(|w| *w *= root);

        // Noise and features of `points` data with `noises` noise draws each.
        let mut draw = |points: usize, noises: usize, noise: &mut [f64], features: &mut [f64]| {
            let mut data = vec![0.0; points * d];
            draws.normals(&mut data);
            draws.normals(noise);
            let inputs = &mut inputs[..points * noises * d];
            let noised = inputs.chunks_mut(noises * d).zip(noise.chunks(noises * d));
            for ((inputs, noise), datum) in noised.zip(data.chunks(d)) {
                for (input, noise) in inputs.chunks_mut(d).zip(noise.chunks(d)) {
                    for (((y, z), x), scale) in
                        input.iter_mut().zip(noise).zip(datum).zip(&self.scales)
                    {
                        *y = scale * x + self.noise_scale * z;
                    }
                }
            }
            matmul_f64(inputs, weights, features, (points * noises, p, d)).map_err(failed)?;
            self.activation.apply_all(features);
            Ok(())
        };

        let (rows_noise, rows_features) = (&mut noise[..rows * d], &mut features[..rows * p]);
        draw(self.samples, self.noises, rows_noise, rows_features)?;
        let coefficients = self.minimiser(replicate, rows_features, rows_noise)?;
        let loss = |noise: &[f64], features: &[f64], count: usize| {
            let mut scores = vec![0.0; count * d];
            matmul_f64(features, &coefficients, &mut scores, (count, d, p)).map_err(failed)?;
            // −√Δ s
            let sum: f64 = scores.iter().zip(noise).map(|(s, z)| (z - s) * (z - s)).sum();
            Ok(sum / (count * d) as f64)
        };
        let training = loss(rows_noise, rows_features, rows)?;
        let square: f64 = coefficients.iter().map(|c| c * c).sum();
        let optimum = training + self.penalty * square / d as f64;

        let count = self.test_points;
        let (test_noise, test_features) = (&mut noise[..count * d], &mut features[..count * p]);
        draw(count, 1, test_noise, test_features)?;
        Ok([loss(test_noise, test_features, count)?, training, optimum])
    }

    /// −C, row-major d×p.
    fn minimiser(
        &self,
        replicate: u32,
        features: &[f64],
        noise: &[f64],
    ) -> Result<Vec<f64>, MonteCarloError> {
        let failed = |source: LinalgError| MonteCarloError::Linalg { replicate, source };
        let (d, p) = (self.scales.len(), self.features);
        let rows = noise.len() / d;
        let solve = |kernel: Result<Vec<f64>, LinalgError>, size: usize, rhs: &mut [f64]| {
            let mut kernel = kernel.map_err(failed)?;
            (0..size).for_each(|i| kernel[i * size + i] += rows as f64 * self.penalty);
            let diagonal: Vec<f64> = (0..size).map(|i| kernel[i * size + i]).collect();
            cholesky_solve(&mut kernel, size, rhs, d).map_err(failed)?;
            for (pivot, entry) in diagonal.into_iter().enumerate() {
                let retained = kernel[pivot * size + pivot].powi(2) / entry;
                if retained.is_nan() || retained < MIN_RETAINED {
                    return Err(MonteCarloError::IllConditioned { replicate, pivot, retained });
                }
            }
            Ok(())
        };
        let by_feature = transposed(features, p);
        if rows < p {
            let mut dual = noise.to_vec();
            solve(gram_outer(features, rows, p), rows, &mut dual)?;
            let mut coefficients = vec![0.0; d * p];
            let dual = transposed(&dual, d);
            matmul_f64(&dual, &by_feature, &mut coefficients, (d, p, rows)).map_err(failed)?;
            Ok(coefficients)
        } else {
            let mut moments = vec![0.0; p * d];
            let noise = transposed(noise, d);
            matmul_f64(&by_feature, &noise, &mut moments, (p, d, rows)).map_err(failed)?;
            solve(gram(features, rows, p), p, &mut moments)?;
            Ok(transposed(&moments, d))
        }
    }
}

impl Experiment for FeatureDenoiserExperiment {
    fn outputs(&self) -> usize {
        OUTPUTS
    }

    fn evaluate(
        &self,
        scratch: &mut Scratch,
        draws: Draws,
        out: &mut [f64],
    ) -> Result<(), MonteCarloError> {
        out.copy_from_slice(&self.losses(&mut scratch.double, draws)?);
        Ok(())
    }

    fn limit(&self) -> f64 {
        LIMIT
    }

    /// The smaller system by products of tiles and a blocked Cholesky factor; systems of more
    /// than 2¹³ unknowns are left to the processor.
    fn program(&self) -> Program {
        let problem = Problem {
            scales: &self.scales,
            noise_scale: self.noise_scale,
            samples: self.samples,
            features: self.features,
            noises: self.noises,
            penalty: self.penalty,
            activation: self.activation.code(),
            test_points: self.test_points,
        };
        program(&problem).unwrap_or_else(|| Program::host(OUTPUTS))
    }
}

/// Aᵀ for row-major A with `cols` columns.
fn transposed(a: &[f64], cols: usize) -> Vec<f64> {
    let rows = a.len() / cols;
    let mut out = vec![0.0; a.len()];
    for (i, row) in a.chunks(cols).enumerate() {
        for (j, &value) in row.iter().enumerate() {
            out[j * rows + i] = value;
        }
    }
    out
}
