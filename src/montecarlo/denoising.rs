//! Denoising of Dirac and Gaussian mixtures at many noise levels: the squared error of the
//! posterior mean and the information density (M8), (M15).

use super::error::check;
use super::program::{Binding, Groups, Program, Shader, Stage};
use super::{Draws, Experiment, MonteCarloError, Scratch};

const SOURCE: &[&str] =
    &[include_str!("shaders/denoising.wgsl"), include_str!("shaders/levels.wgsl")];
/// Doubt up to which single precision is kept: far below the standard error of any sample.
pub(super) const LIMIT: f64 = 1.0 / 4096.0;
/// Iterations of one loop of a kernel.
pub(super) const TRIPS: usize = 20_000;
/// Workgroups in one direction.
pub(super) const GROUPS: usize = 65_535;
/// Words that one replicate may take.
pub(super) const WORDS: usize = 1 << 25;
/// Magnitudes whose squares and their ratios single precision holds.
pub(super) const SINGLE: std::ops::RangeInclusive<f64> = 1e-15..=1e15;

/// A component of the mixture: x0 = m + √v ∘ ξ with ξ ~ N(0, I_d).
#[derive(Debug, Clone, PartialEq)]
struct Part {
    weight: f64,
    mean: Vec<f64>,
    variances: Vec<f64>,
}

/// x0 from a Gaussian mixture (a Dirac mixture where all variances vanish), x_σ = x0 + σ ε at
/// several levels σ, each with the same x0 and ε.
///
/// Of level l, output 2l is the squared error ‖x0 − E[x0|x_σ]‖² of the optimal denoiser (E10),
/// whose mean is mmse(σ), and output 2l + 1 the information density ln p(x_σ|x0) − ln p(x_σ),
/// whose mean is I(x0; x_σ) in nats; H(x0|x_σ) = H(x0) − I for Diracs. A replicate is the mean
/// over `draws` independent draws. Nothing is averaged analytically (M8).
///
/// Words of a replicate: draw i takes word i, which chooses the component (the first whose
/// cumulative weight c has word < ⌊c·2³²⌋). From the next block on follow normals, number
/// j·draws + i for coordinate j of draw i: first ξ, unless all variances vanish, then ε.
///
/// Cost: about 20 · levels · draws · components · d operations.
///
/// ```
/// use rootrate::montecarlo::{CpuEngine, DenoisingExperiment, Engine, Streams};
/// // one standard Gaussian: mmse = σ²/(1+σ²), I = ½ ln(1 + 1/σ²)
/// let one = DenoisingExperiment::new(&[(1.0, &[0.0], &[1.0])], &[0.5, 1.0], 10)?;
/// let streams = Streams { seed: 1, experiment: 0 };
/// let samples = CpuEngine::DOUBLE.run(&one, streams, 0..1000, &|_, _| ())?;
/// for (output, expected) in [(0, 0.2), (1, 0.5 * 5_f64.ln()), (2, 0.5), (3, 0.5 * 2_f64.ln())] {
///     let found = samples.column(output)?.sampled()?;
///     assert!((found.mean - expected).abs() < 5.0 * found.standard_error);
/// }
/// # Ok::<(), rootrate::montecarlo::MonteCarloError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DenoisingExperiment {
    parts: Vec<Part>,
    dimension: usize,
    levels: Vec<f64>,
    draws: usize,
    /// ⌊c_k·2³²⌋ of the cumulative weights.
    thresholds: Vec<u32>,
    /// ln w_k − ½ Σ ln(1 + v_k/σ²), level after level.
    logs: Vec<f64>,
    /// Whether some variance is positive.
    spread: bool,
}

impl DenoisingExperiment {
    /// Components (weight, mean, variance of each coordinate), noise levels σ, and the number
    /// of draws a replicate.
    ///
    /// # Errors
    /// No component, no level, lists of different lengths, weights that are negative or do not
    /// sum to 1 within 1e-9, means that are not finite, variances or a σ outside their domain,
    /// draws outside 1…2²⁰.
    pub fn new(
        components: &[(f64, &[f64], &[f64])],
        levels: &[f64],
        draws: usize,
    ) -> Result<Self, MonteCarloError> {
        check_levels(levels)?;
        let few = |n: f64| (1.0..=1_048_576.0).contains(&n);
        check("draws", draws as f64, few, "a number of draws in 1…2²⁰")?;
        let dimension = components.first().map_or(0, |c| c.1.len());
        check("dimension", dimension as f64, |d| d >= 1.0, "at least one component with a mean")?;
        let total: f64 = components.iter().map(|c| c.0).sum();
        check("sum of the weights", total, |t| (t - 1.0).abs() < 1e-9, "1, within 1e-9")?;
        let mut parts = Vec::with_capacity(components.len());
        for (index, &(weight, mean, variances)) in components.iter().enumerate() {
            for (name, found) in [("mean", mean.len()), ("variances", variances.len())] {
                if found != dimension {
                    return Err(MonteCarloError::Length { name, found, expected: dimension });
                }
            }
            let bad = |name, value, valid| MonteCarloError::Element { name, index, value, valid };
            if weight.is_nan() || weight < 0.0 {
                return Err(bad("weights", weight, "a number ≥ 0"));
            }
            if let Some(&m) = mean.iter().find(|m| m.is_nan() || m.abs() >= 1e150) {
                return Err(bad("means", m, "a number within ±1e150"));
            }
            if let Some(&v) = variances.iter().find(|v| !(0.0..1e300).contains(*v)) {
                return Err(bad("variances", v, "a number in [0, 1e300)"));
            }
            if weight > 0.0 {
                let (mean, variances) = (mean.to_vec(), variances.to_vec());
                parts.push(Part { weight: weight / total, mean, variances });
            }
        }
        let mut cumulative = 0.0;
        let thresholds = parts.iter().map(|part| {
            cumulative += part.weight;
            (cumulative * 4_294_967_296.0) as u32
        });
        let thresholds = thresholds.collect();
        let log = |sigma: f64, part: &Part| {
            let noise = sigma * sigma;
            let spread = part.variances.iter().map(|&v| match v / noise {
                ratio if ratio.is_finite() => ratio.ln_1p(),
                _ => v.ln() - noise.ln(),
            });
            part.weight.ln() - 0.5 * spread.sum::<f64>()
        };
        let logs = levels.iter().flat_map(|&s| parts.iter().map(move |p| log(s, p))).collect();
        let spread = parts.iter().any(|p| p.variances.iter().any(|&v| v > 0.0));
        let levels = levels.to_vec();
        Ok(Self { parts, dimension, levels, draws, thresholds, logs, spread })
    }

    /// Rows of normals: ε, and ξ before it where it matters.
    fn rows(&self) -> usize {
        if self.spread { 2 * self.dimension } else { self.dimension }
    }

    /// The component that a word chooses.
    fn choose(&self, word: u32) -> usize {
        let last = self.parts.len() - 1;
        self.thresholds[..last].iter().position(|&t| word < t).unwrap_or(last)
    }

    /// Adds squared error and information density of one draw at one level, with
    /// y_k = x0 − m_k in row k of `offsets` (M15).
    fn add(
        &self,
        level: usize,
        (offsets, noise): (&[f64], &[f64]),
        logits: &mut [f64],
        out: &mut [f64],
    ) {
        let sigma = self.levels[level];
        let square = sigma * sigma;
        let logs = &self.logs[level * self.parts.len()..];
        let d = self.dimension;
        for (((logit, part), log), y) in
            logits.iter_mut().zip(&self.parts).zip(logs).zip(offsets.chunks(d))
        {
            let quadratic: f64 = y
                .iter()
                .zip(noise)
                .zip(&part.variances)
                .map(|((y, e), v)| (y * (y + 2.0 * sigma * e) - v * e * e) / (v + square))
                .sum();
            *logit = log - 0.5 * quadratic;
        }
        let largest = logits.iter().fold(f64::NEG_INFINITY, |a, &l| a.max(l));
        logits.iter_mut().for_each(|l| *l = (*l - largest).exp());
        let total: f64 = logits.iter().sum();
        let mut squared_error = 0.0;
        for j in 0..d {
            let error = self.parts.iter().zip(&*logits).enumerate().map(|(k, (part, weight))| {
                let v = part.variances[j];
                let share = v / (v + square);
                let rest = square / (v + square);
                weight * (rest * offsets[k * d + j] - share * sigma * noise[j])
            });
            squared_error += (error.sum::<f64>() / total).powi(2);
        }
        out[0] += squared_error;
        out[1] -= largest + total.ln();
    }

    /// Constants of the program: thresholds, centred means, variances and deviations, all as
    /// words; and a row a level: σ, then the logarithms.
    fn constants(&self) -> (Vec<f32>, Vec<f32>, f64) {
        let d = self.dimension;
        let centre: Vec<f64> = (0..d)
            .map(|j| self.parts.iter().map(|p| p.mean[j] / self.parts.len() as f64).sum())
            .collect();
        let mut words: Vec<f32> = self.thresholds.iter().map(|&t| f32::from_bits(t)).collect();
        let centred =
            |p: &Part| -> Vec<f64> { p.mean.iter().zip(&centre).map(|(m, c)| m - c).collect() };
        let means: Vec<f64> = self.parts.iter().flat_map(centred).collect();
        let variances: Vec<f64> = self.parts.iter().flat_map(|p| p.variances.clone()).collect();
        words.extend(means.iter().map(|&m| m as f32));
        words.extend(variances.iter().map(|&v| v as f32));
        words.extend(variances.iter().map(|v| v.sqrt() as f32));
        let rows = self.levels.iter().zip(self.logs.chunks(self.parts.len()));
        let levels = rows
            .flat_map(|(&sigma, logs)| std::iter::once(sigma).chain(logs.iter().copied()))
            .map(|x| x as f32)
            .collect();
        (words, levels, means.iter().fold(0.0, |a, m| m.abs().max(a)))
    }

    /// Whether single precision holds the magnitudes and the kernels the sizes.
    fn fits(&self, largest_mean: f64) -> bool {
        let (d, k, n, l) = (self.dimension, self.parts.len(), self.draws, self.levels.len());
        let held = |x: &f64| *x == 0.0 || SINGLE.contains(x);
        let most = n.saturating_mul(d.max(k));
        self.levels.iter().all(|s| SINGLE.contains(s))
            && largest_mean <= *SINGLE.end()
            && self.parts.iter().all(|p| p.variances.iter().all(|v| held(&v.sqrt())))
            && d.max(k).max(l) <= TRIPS
            && most.div_ceil(64) <= TRIPS
            && most.saturating_mul(5 * l).saturating_add(self.rows() * n) <= WORDS
    }
}

impl Experiment for DenoisingExperiment {
    fn outputs(&self) -> usize {
        2 * self.levels.len()
    }

    fn evaluate(
        &self,
        scratch: &mut Scratch,
        mut draws: Draws,
        out: &mut [f64],
    ) -> Result<(), MonteCarloError> {
        let (d, n, k) = (self.dimension, self.draws, self.parts.len());
        let chosen: Vec<usize> = (0..n).map(|_| self.choose(draws.word())).collect();
        scratch.double.resize(self.rows() * n + k * (d + 1) + d, 0.0);
        let (normals, rest) = scratch.double.split_at_mut(self.rows() * n);
        let (offsets, rest) = rest.split_at_mut(k * d);
        let (logits, rest) = rest.split_at_mut(k);
        let noise = &mut rest[..d];
        draws.normals(normals);
        let first = self.rows() - d;
        out.fill(0.0);
        for (i, chosen) in chosen.into_iter().map(|c| &self.parts[c]).enumerate() {
            for j in 0..d {
                noise[j] = normals[(first + j) * n + i];
                let deviation = chosen.variances[j].sqrt();
                let spread = if self.spread { deviation * normals[j * n + i] } else { 0.0 };
                for (part, y) in self.parts.iter().zip(offsets[j..].iter_mut().step_by(d)) {
                    *y = (chosen.mean[j] - part.mean[j]) + spread;
                }
            }
            for (level, out) in out.chunks_mut(2).enumerate() {
                self.add(level, (offsets, noise), logits, out);
            }
        }
        out.iter_mut().for_each(|x| *x /= n as f64);
        Ok(())
    }

    fn limit(&self) -> f64 {
        LIMIT
    }

    fn program(&self) -> Program {
        let (words, rows, largest) = self.constants();
        if !self.fits(largest) {
            return Program::host(self.outputs());
        }
        let (d, k, n, l) = (self.dimension, self.parts.len(), self.draws, self.levels.len());
        let blocks = (self.rows() * n).div_ceil(4);
        let arrays = vec![n + 4 * blocks, 3 * l * n * k, l * n * (2 * d + 3) + l];
        let mut parameters: Vec<u32> = [n, d, k, l, usize::from(self.spread), blocks]
            .iter()
            .chain(&arrays)
            .map(|&x| x as u32)
            .collect();
        parameters.extend([largest as f32, sum_error(d), sum_error(k)].map(f32::to_bits));
        let bindings = vec![
            Binding::Constant(0),
            Binding::Constant(1),
            Binding::Array(0),
            Binding::Array(1),
            Binding::Array(2),
            Binding::Output,
        ];
        let stage = |entry, groups| Stage {
            shader: Shader { parts: SOURCE, entry },
            bindings: bindings.clone(),
            groups,
            parameters: parameters.clone(),
        };
        let over =
            |count: usize, levels: usize| Groups::Each([count.div_ceil(64) as u32, levels as u32]);
        Program {
            constants: vec![words.into(), rows.into()],
            stages: vec![
                stage("draw", over(blocks.max(n), 1)),
                stage("logits", over(n * k, l)),
                stage("weights", over(n, l)),
                stage("denoise", over(n * d, l)),
                stage("average", Groups::Each([1, l as u32])),
                stage("doubt", Groups::Across(64)),
            ],
            arrays,
            outputs: self.outputs(),
            operations: 40.0 * (l * n * d * k) as f64 + 60.0 * (blocks + l * n * k) as f64,
        }
    }
}

/// Noise levels that the sums of squares here hold.
pub(super) fn check_levels(levels: &[f64]) -> Result<(), MonteCarloError> {
    check("number of levels", levels.len() as f64, |n| n >= 1.0, "at least one noise level")?;
    match levels.iter().position(|s| !(1e-150..=1e150).contains(s)) {
        None => Ok(()),
        Some(index) => Err(MonteCarloError::Element {
            name: "levels",
            index,
            value: levels[index],
            valid: "a number in [1e-150, 1e150]",
        }),
    }
}

/// Estimated error, in units of 2⁻²⁴ of Σ|xᵢ|, of a sum of n numbers in blocks of 64 (M15c).
pub(super) fn sum_error(n: usize) -> f32 {
    let n = n as f32;
    4.0 / 3.0 * (n.min(64.0).sqrt() + (n / 64.0).sqrt())
}
