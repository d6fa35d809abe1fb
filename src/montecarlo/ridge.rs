//! Ridge regression on random features: the exact excess risk of one draw.

use super::error::{check, check_problem};
use super::least_squares::{Arithmetic, Units, add_product, dual, pieces, primal, scale_columns};
use super::program::Program;
use super::regression::{Choice, Fit, Regression, fits};
use super::{Draws, Experiment, MonteCarloError, Precision, Scratch, Stream};

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
    /// Positive eigenvalues of Σ.
    eigenvalues: Vec<f64>,
    units: Units,
    samples: usize,
    ridge: f64,
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
        let units = Units::new(&eigenvalues, &signal, noise_variance);
        Ok(Self { eigenvalues, units, samples, ridge, noise })
    }

    /// (ŵ − w*)ᵀΣ(ŵ − w*) of the replicate that `draws` belong to, and the doubt about it.
    ///
    /// From the stream's start: n·p normals z (row by row), n normals of the noise, then, unless
    /// homoscedastic, n words of the scales. Solves the smaller of the two systems by Cholesky:
    /// p×p for u = Σ^{1/2}ŵ, (ZᵀZ + nρΣ⁻¹)u = ZᵀY, or n×n, ŵ = Φᵀ(ΦΦᵀ + nρ)⁻¹Y.
    /// Cost ≈ n p·min(n, p) + min(n, p)³/3.
    ///
    /// # Errors
    /// The system cannot be solved, or not accurately.
    fn excess_risk<T: Arithmetic>(
        &self,
        memory: &mut Vec<T>,
        mut draws: Draws,
    ) -> Result<(f64, f64), MonteCarloError> {
        let replicate = draws.replicate();
        let (n, p) = (self.samples, self.eigenvalues.len());
        let lengths = [n * p, n, p, p, n.min(p).pow(2)];
        let [rows, targets, weights, coefficients, kernel] = pieces(memory, lengths);
        T::normals(&mut draws, rows);
        T::normals(&mut draws, targets);
        self.scale(rows, targets, &mut draws);
        weights.iter_mut().zip(&self.units.loads).for_each(|(w, &load)| *w = T::rounded(load));
        add_product(rows, weights, targets);
        let penalty = n as f64 * self.ridge;
        let worst = if n < p {
            let scales = weights;
            scales
                .iter_mut()
                .zip(&self.units.scales)
                .for_each(|(s, &scale)| *s = T::rounded(scale));
            scale_columns(rows, scales);
            let penalty = T::rounded(penalty / self.units.variance);
            let worst = dual(rows, targets, penalty, kernel, coefficients);
            coefficients.iter_mut().zip(scales).for_each(|(u, scale)| *u *= *scale);
            worst
        } else {
            // beyond the largest number u is 0 to the last bit
            let penalty = |k: usize| T::rounded((penalty / self.eigenvalues[k]).min(f64::MAX));
            primal(rows, targets, penalty, kernel, coefficients)
        };
        let worst = worst.map_err(|source| MonteCarloError::Linalg { replicate, source })?;
        if worst.retained < MIN_RETAINED {
            let (pivot, retained) = (worst.pivot, worst.retained);
            return Err(MonteCarloError::IllConditioned { replicate, pivot, retained });
        }
        Ok(self.units.risk(coefficients, worst))
    }

    /// Scales features and noise from standard normal to what the kind of noise says.
    fn scale<T: Arithmetic>(&self, rows: &mut [T], noise: &mut [T], draws: &mut Draws) {
        let tau = self.units.noise;
        for (row, noise) in rows.chunks_mut(self.eigenvalues.len()).zip(noise) {
            let (feature_scale, noise_scale) = match self.noise {
                NoiseKind::Homoscedastic => (1.0, 1.0),
                NoiseKind::Heteroscedastic(s) => (1.0, s.draw(draws)),
                NoiseKind::Elliptical(s) => (s.draw(draws), 1.0),
                NoiseKind::FeatureDependent(s) => {
                    let s = s.draw(draws);
                    (s, s)
                }
            };
            if feature_scale != 1.0 {
                let root = T::rounded(f64::sqrt(feature_scale));
                row.iter_mut().for_each(|z| *z *= root);
            }
            *noise *= T::rounded(tau * f64::sqrt(noise_scale));
        }
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

    /// The smaller system by products of tiles and a blocked Cholesky factor (M11a). Features of
    /// relative variance below 10⁻¹⁵ and systems of more than 2¹³ unknowns are left to the
    /// processor.
    fn program(&self) -> Program {
        let (n, p) = (self.samples, self.eigenvalues.len());
        // the draw: n·p normals, n normals, n words, each from a whole block on
        let noise = (n * p).div_ceil(4);
        let words = noise + n.div_ceil(4);
        let choice = |s: TwoPoint, scale: f64| {
            let [low, high] = [s.low, s.high].map(|s| scale * s.sqrt());
            Choice { threshold: s.threshold(), words, low, high }
        };
        let tau = self.units.noise;
        let (one, constant) = (Choice::constant(1.0), Choice::constant(tau));
        let (rows, deviation) = match self.noise {
            NoiseKind::Homoscedastic => (one, constant),
            NoiseKind::Heteroscedastic(s) => (one, choice(s, tau)),
            NoiseKind::Elliptical(s) => (choice(s, 1.0), constant),
            NoiseKind::FeatureDependent(s) => (choice(s, 1.0), choice(s, tau)),
        };
        if !fits(&self.units, (n, p), rows.low) {
            return Program::host(1);
        }
        let (mut program, features) = Regression::new(&self.units, n, rows);
        let (factor, shift) = (1.0 / n as f64, self.ridge / self.units.variance);
        let fit = Fit { noise, deviation, factor, shift };
        let estimate = program.solve(features, features, fit);
        program.finish(&self.units, estimate)
    }
}
