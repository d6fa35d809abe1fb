//! Ridge regression on random features: the exact excess risk of one draw.

use super::error::{check, check_problem};
use super::program::Program;
use super::regression::{Choice, Fit, Problem, Regression};
use super::{Draws, Experiment, MonteCarloError, Scratch};
use crate::numeric::linalg::{LinalgError, cholesky_solve, gram, gram_outer};

/// Largest number of entries of one replicate's design matrix (2 GiB).
const MAX_ENTRIES: usize = 1 << 28;
/// Smallest part of its diagonal entry that a squared Cholesky pivot may keep: below, the
/// normal equations have lost about 9 of their 16 digits.
const MIN_RETAINED: f64 = 1e-9;

/// Largest doubt of a single-precision risk that is kept: 10⁻³ (M11d).
pub(super) const LIMIT: f64 = 1e-3;

/// Estimated relative error of the excess risk R = |ŵ − w*|²_Σ of a system that was built and
/// solved in single precision (M11c):
/// 2t + t², t = 16u·(1 + r^{−3/2}·√(|ŵ|²_Σ/R)), u = 2⁻²⁴.
///
/// `retained` = r is the smallest part that a squared Cholesky pivot keeps of its diagonal
/// entry, min_j L_jj²/A_jj, `fitted` = ŵᵀΣŵ, `risk` = R. Infinite or NaN where r, R or ŵᵀΣŵ is
/// not a number or r ≤ 0: no limit admits that.
pub(super) fn doubt(retained: f32, fitted: f32, risk: f32) -> f32 {
    let amplification = (fitted / risk).sqrt() / (retained * retained.sqrt());
    let t = 8.0 * f32::EPSILON * (1.0 + amplification);
    2.0 * t + t * t
}

/// A positive random variable of mean 1 with two values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoPoint {
    low: f64,
    high: f64,
    weight: f64,
}

impl TwoPoint {
    /// `low` with probability `weight`, (1 − weight·low)/(1 − weight) otherwise.
    ///
    /// # Errors
    /// Unless 0 < low ≤ 1 and 0 < weight < 1.
    pub fn new(low: f64, weight: f64) -> Result<Self, MonteCarloError> {
        check("low", low, |s| 0.0 < s && s <= 1.0, "a number in (0, 1]")?;
        check("weight", weight, |w| 0.0 < w && w < 1.0, "a number in (0, 1)")?;
        Ok(Self { low, high: (1.0 - weight * low) / (1.0 - weight), weight })
    }

    /// E s².
    pub fn second_moment(&self) -> f64 {
        self.weight * self.low * self.low + (1.0 - self.weight) * self.high * self.high
    }

    /// ⌊weight·2³²⌋: a word below it chooses `low`.
    fn threshold(&self) -> u32 {
        (self.weight * 4_294_967_296.0) as u32
    }

    fn draw(&self, draws: &mut Draws) -> f64 {
        if draws.word() < self.threshold() { self.low } else { self.high }
    }
}

/// How the features and the noise depend on each other; s is a [`TwoPoint`] a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoiseKind {
    /// φ = Σ^{1/2} z, noise variance τ².
    Homoscedastic,
    /// φ = Σ^{1/2} z, noise variance τ² s: heteroscedastic, independent of the features.
    Heteroscedastic(TwoPoint),
    /// φ = √s Σ^{1/2} z, noise variance τ²: elliptical features, independent noise.
    Elliptical(TwoPoint),
    /// φ = √s Σ^{1/2} z, noise variance τ² s: the noise depends on the features, and
    /// feature–noise decoupling fails.
    FeatureDependent(TwoPoint),
}

/// n samples y = w*ᵀφ + noise, with E φφᵀ = Σ diagonal, and the ridge estimator
/// ŵ = (ΦᵀΦ/n + ρ)⁻¹ΦᵀY/n; the limit ρ ↓ 0 (least squares, or the interpolator of minimum norm
/// if n < p) for ρ = 0.
#[derive(Debug, Clone, PartialEq)]
pub struct RidgeExperiment {
    /// Positive eigenvalues of Σ, and √ of them.
    eigenvalues: Vec<f64>,
    scales: Vec<f64>,
    /// w*, in the eigenbasis.
    signal: Vec<f64>,
    samples: usize,
    ridge: f64,
    noise_variance: f64,
    noise: NoiseKind,
}

impl RidgeExperiment {
    /// `eigenvalues` of Σ (feature²), the target's coefficients w*_k in the eigenbasis,
    /// n = `samples`, ρ = `ridge` on the mean loss (feature²), τ² = `noise_variance`.
    ///
    /// Directions of eigenvalue 0 are dropped: their features vanish and carry no risk.
    ///
    /// # Errors
    /// Lists of different lengths, no positive eigenvalue, numbers outside their domain, n = 0,
    /// n·p > 2²⁸; ρ = 0 with |n − p| < 4, where the risk has infinite variance (M6).
    ///
    /// ```
    /// use rootrate::montecarlo::{CpuEngine, Engine, NoiseKind, RidgeExperiment, Streams};
    /// // Ordinary least squares, 10 features, 31 samples: E risk = τ² p/(n − p − 1) = ½.
    /// let experiment = RidgeExperiment::new(
    ///     &[1.0; 10], &[0.3; 10], 31, 0.0, 1.0, NoiseKind::Homoscedastic,
    /// )?;
    /// let streams = Streams { seed: 7, experiment: 0 };
    /// let risk = CpuEngine::DOUBLE.run(&experiment, streams, 0..2000, &|_, _| ())?.column(0)?.sampled()?;
    /// assert!((risk.mean - 0.5).abs() < 5.0 * risk.standard_error);
    /// # Ok::<(), rootrate::montecarlo::MonteCarloError>(())
    /// ```
    pub fn new(
        eigenvalues: &[f64],
        signal: &[f64],
        samples: usize,
        ridge: f64,
        noise_variance: f64,
        noise: NoiseKind,
    ) -> Result<Self, MonteCarloError> {
        check_problem(eigenvalues, signal)?;
        check("samples", samples as f64, |n| n >= 1.0, "at least one sample")?;
        check("ridge", ridge, |r| r >= 0.0, "a finite number ≥ 0")?;
        check("noise variance", noise_variance, |t| t >= 0.0, "a finite number ≥ 0")?;
        let (eigenvalues, signal): (Vec<f64>, Vec<f64>) = eigenvalues
            .iter()
            .copied()
            .zip(signal.iter().copied())
            .filter(|&(eigenvalue, _)| eigenvalue > 0.0)
            .unzip();
        let features = eigenvalues.len();
        check("positive eigenvalues", features as f64, |p| p >= 1.0, "at least one")?;
        if samples.checked_mul(features).is_none_or(|entries| entries > MAX_ENTRIES) {
            return Err(MonteCarloError::TooLarge { samples, features, limit: MAX_ENTRIES });
        }
        if ridge == 0.0 && samples.abs_diff(features) < 4 {
            return Err(MonteCarloError::InfiniteVariance { samples, features });
        }
        let scales = eigenvalues.iter().map(|v| v.sqrt()).collect();
        Ok(Self { eigenvalues, scales, signal, samples, ridge, noise_variance, noise })
    }

    /// (ŵ − w*)ᵀΣ(ŵ − w*) of the replicate that `draws` belong to.
    ///
    /// From the stream's start: n·p normals z (row by row), n normals of the noise, then, unless
    /// homoscedastic, n words of the scales. Solves the smaller of the two systems, p×p
    /// (ΦᵀΦ/n + ρ)ŵ = ΦᵀY/n or n×n ŵ = Φᵀ(ΦΦᵀ/n + ρ)⁻¹Y/n, by Cholesky. `features` is scratch.
    /// Cost ≈ n p·min(n, p) + min(n, p)³/3.
    ///
    /// # Errors
    /// The system cannot be solved, or not accurately.
    fn excess_risk(&self, features: &mut Vec<f64>, draws: Draws) -> Result<f64, MonteCarloError> {
        let replicate = draws.replicate();
        let (n, p) = (self.samples, self.eigenvalues.len());
        features.resize(n * p, 0.0);
        let targets = self.draw(features, draws);
        let inverse = 1.0 / n as f64;
        let solve = |kernel: Result<Vec<f64>, LinalgError>, rhs: &mut [f64]| {
            let mut kernel =
                kernel.map_err(|source| MonteCarloError::Linalg { replicate, source })?;
            kernel.iter_mut().for_each(|v| *v *= inverse);
            let size = rhs.len();
            (0..size).for_each(|i| kernel[i * size + i] += self.ridge);
            let diagonal: Vec<f64> = (0..size).map(|i| kernel[i * size + i]).collect();
            cholesky_solve(&mut kernel, size, rhs, 1)
                .map_err(|source| MonteCarloError::Linalg { replicate, source })?;
            for (pivot, entry) in diagonal.into_iter().enumerate() {
                let retained = kernel[pivot * size + pivot].powi(2) / entry;
                if retained.is_nan() || retained < MIN_RETAINED {
                    return Err(MonteCarloError::IllConditioned { replicate, pivot, retained });
                }
            }
            Ok(())
        };
        let estimate = if n < p {
            let mut dual: Vec<f64> = targets.iter().map(|y| y * inverse).collect();
            solve(gram_outer(features, n, p), &mut dual)?;
            transposed_product(features, &dual, p)
        } else {
            let mut moment = transposed_product(features, &targets, p);
            moment.iter_mut().for_each(|v| *v *= inverse);
            solve(gram(features, n, p), &mut moment)?;
            moment
        };
        let risk = estimate
            .iter()
            .zip(&self.signal)
            .zip(&self.eigenvalues)
            .map(|((w, truth), eigenvalue)| eigenvalue * (w - truth) * (w - truth))
            .sum();
        Ok(risk)
    }

    /// Fills the design matrix Φ, row-major n×p, and returns the targets Y.
    fn draw(&self, features: &mut [f64], mut draws: Draws) -> Vec<f64> {
        let mut targets = vec![0.0; self.samples];
        draws.normals(features);
        draws.normals(&mut targets);
        for (row, y) in features.chunks_mut(self.scales.len()).zip(&mut targets) {
            let (feature_scale, noise_scale) = match self.noise {
                NoiseKind::Homoscedastic => (1.0, 1.0),
                NoiseKind::Heteroscedastic(s) => (1.0, s.draw(&mut draws)),
                NoiseKind::Elliptical(s) => (s.draw(&mut draws), 1.0),
                NoiseKind::FeatureDependent(s) => {
                    let s = s.draw(&mut draws);
                    (s, s)
                }
            };
            let root = f64::sqrt(feature_scale);
            let mut mean = 0.0;
            for ((z, scale), w) in row.iter_mut().zip(&self.scales).zip(&self.signal) {
                *z *= root * scale;
                mean += *z * w;
            }
            *y = mean + (self.noise_variance * noise_scale).sqrt() * *y;
        }
        targets
    }
}

impl Experiment for RidgeExperiment {
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

    /// The smaller system by products of tiles and a blocked Cholesky factor (M11a); variances of
    /// features below 10⁻¹⁵ and systems of more than 2¹³ unknowns are left to the processor.
    fn program(&self) -> Program {
        let (n, p) = (self.samples, self.eigenvalues.len());
        let problem = Problem {
            eigenvalues: &self.eigenvalues,
            scales: &self.scales,
            signal: &self.signal,
            samples: n,
        };
        // the draw: n·p normals, n normals, n words, each from a whole block on
        let noise = (n * p).div_ceil(4);
        let words = noise + n.div_ceil(4);
        let root = |s: Option<TwoPoint>, variance: f64| match s {
            None => Choice::constant(variance.sqrt()),
            Some(s) => {
                let [low, high] = [s.low, s.high].map(|s| (variance * s).sqrt());
                Choice { threshold: s.threshold(), words, low, high }
            }
        };
        let (feature_scale, noise_scale) = match self.noise {
            NoiseKind::Homoscedastic => (None, None),
            NoiseKind::Heteroscedastic(s) => (None, Some(s)),
            NoiseKind::Elliptical(s) => (Some(s), None),
            NoiseKind::FeatureDependent(s) => (Some(s), Some(s)),
        };
        if !problem.fits(p, feature_scale.map_or(1.0, |s| s.low)) {
            return Program::host(1);
        }
        let (mut program, features) = Regression::new(problem, root(feature_scale, 1.0));
        let fit = Fit {
            noise,
            deviation: root(noise_scale, self.noise_variance),
            factor: 1.0 / n as f64,
            shift: self.ridge,
        };
        let estimate = program.solve(features, features, fit);
        program.finish(estimate)
    }
}

/// Φᵀv for row-major Φ with p columns.
fn transposed_product(features: &[f64], v: &[f64], p: usize) -> Vec<f64> {
    let mut out = vec![0.0; p];
    for (row, v) in features.chunks(p).zip(v) {
        out.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * v);
    }
    out
}
