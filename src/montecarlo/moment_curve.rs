//! The Hessian and the gradient covariance of a frozen-feature denoiser at one noise level (M17).

use std::sync::Arc;

use super::dense::{BLOCK_OF_SUM, Matrix, self_product};
use super::error::check;
use super::frozen_features::LARGEST;
use super::program::{Binding, Groups, Program, Shader, Stage};
use super::{Draws, Experiment, FrozenFeature, MonteCarloError, Scratch};
use crate::numeric::linalg::gram;

const DRAW: Shader = Shader {
    parts: &[include_str!("shaders/activation.wgsl"), include_str!("shaders/moment_curve.wgsl")],
    entry: "draw",
};
const OUTPUTS: Shader =
    Shader { parts: &[include_str!("shaders/moment_outputs.wgsl")], entry: "moments" };

/// Most draws a replicate: more are more replicates.
const MAX_DRAWS: usize = 1 << 15;
/// Most parameters, and most numbers of draws × parameters and of atoms × dimension.
const MAX_PARAMETERS: usize = 512;
const MAX_ENTRIES: usize = 1 << 28;
/// Largest problem of the kernels.
const KERNEL_PARAMETERS: usize = 128;
const KERNEL_DIMENSION: usize = 64;
const KERNEL_ENTRIES: usize = 1 << 24;
/// Largest relative error of an entry in single precision: a fiftieth of the least fluctuation
/// of an entry, 1/√draws ≥ 5e-3 at the most draws, and not systematic.
const LIMIT: f64 = 1e-4;
/// 2⁻²⁴.
const ROUNDOFF: f64 = f32::EPSILON as f64 / 2.0;

/// x0 from a list of atoms, x_σ = x0 + σ ε, and the model D_θ(x, σ) = Σ_k θ_k J_k(x, σ) with
/// frozen features (J = (J_1 … J_p), d×p): the means over independent draws of
///
/// 2JᵀJ and 4Jᵀr rᵀJ, r = x0 − D_θ(x_σ, σ),
///
/// the curvature of the risk E‖x0 − D_θ‖² and the second moment of its sample gradient.
///
/// Outputs: the upper triangle of the first, row by row, (1,1), (1,2), … (1,p), (2,2), …, then
/// that of the second: p(p + 1) numbers, which
/// [`MomentMatrices`](super::MomentMatrices) averages over the replicates. In single precision
/// the error of an entry is relative to the geometric mean of its two diagonal entries, and
/// entries below 2⁻¹²⁶ may be 0. Cost ≈ draws·(3 p d + p²).
#[derive(Debug, Clone, PartialEq)]
pub struct MomentCurveExperiment {
    features: Vec<FrozenFeature>,
    /// θ.
    parameters: Vec<f64>,
    /// Row-major, one atom a row.
    atoms: Vec<f64>,
    /// Word w chooses the atom whose number is that of the thresholds ≤ w.
    thresholds: Vec<u32>,
    /// E x0_j² of every coordinate.
    squares: Vec<f64>,
    sigma: f64,
    draws: usize,
    /// The values of the bumps at σ.
    bumps: Vec<f64>,
}

impl MomentCurveExperiment {
    /// `features` and θ = `parameters`, one each; the data: `atoms`, row-major, of probabilities
    /// `weights` (1/N each for a data set), rounded to multiples of 2⁻³²; the noise level σ; and
    /// how many draws a replicate averages.
    ///
    /// # Errors
    /// Lists of lengths that do not fit each other, no feature or more than 512, numbers outside
    /// their domain, weights that do not sum to 1 within 1e-9, no draw or more than 2¹⁵, more
    /// than 2²⁸ coordinates.
    ///
    /// ```
    /// use rootrate::montecarlo::{
    ///     CpuEngine, Engine, FrozenFeature, MomentCurveExperiment, MomentMatrices, Streams,
    /// };
    /// // the pair ±1 and one feature, tanh x at ln σ = 0
    /// let feature = FrozenFeature {
    ///     direction: vec![1.0], weights: vec![1.0], bias: 0.0, centre: 0.0, width: 0.5,
    /// };
    /// let (pair, half) = ([-1.0, 1.0], [0.5; 2]);
    /// let experiment = MomentCurveExperiment::new(&[feature], &[1.0], &pair, &half, 1.0, 64)?;
    /// let streams = Streams { seed: 7, experiment: 0 };
    /// let samples = CpuEngine::DOUBLE.run(&experiment, streams, 0..400, &|_, _| ())?;
    /// let moments = MomentMatrices::new(&samples)?;
    /// // tanh x is the posterior mean at σ = 1: E tanh² = 1 − mmse, and mmse(1) = 0.4495…
    /// let [h, error] = [moments.hessian[0], moments.hessian_error[0]];
    /// assert!((h - 2.0 * (1.0 - 0.449_599_5)).abs() < 5.0 * error);
    /// # Ok::<(), rootrate::montecarlo::MonteCarloError>(())
    /// ```
    pub fn new(
        features: &[FrozenFeature],
        parameters: &[f64],
        atoms: &[f64],
        weights: &[f64],
        sigma: f64,
        draws: usize,
    ) -> Result<Self, MonteCarloError> {
        let count = features.len();
        let valid = |p: f64| (1.0..=MAX_PARAMETERS as f64).contains(&p);
        check("number of features", count as f64, valid, "a number from 1 to 512")?;
        let valid = |n: f64| (1.0..=MAX_DRAWS as f64).contains(&n);
        check("draws", draws as f64, valid, "a number from 1 to 32768: add replicates instead")?;
        check("sigma", sigma, |s| 0.0 < s && s < LARGEST, "a number in (0, 1e50)")?;
        let dimension = features[0].direction.len();
        check("dimension", dimension as f64, |d| d >= 1.0, "features of at least one coordinate")?;
        for (index, feature) in features.iter().enumerate() {
            feature.check(index, dimension)?;
        }
        let expected = weights.len().saturating_mul(dimension);
        for (name, found, expected) in
            [("parameters", parameters.len(), count), ("atoms", atoms.len(), expected)]
        {
            if found != expected {
                return Err(MonteCarloError::Length { name, found, expected });
            }
        }
        let largest = MAX_ENTRIES as f64;
        check("coordinates of the atoms", atoms.len() as f64, |n| n <= largest, "at most 2²⁸")?;
        for (name, list) in [("parameters", parameters), ("atoms", atoms)] {
            if let Some(index) = list.iter().position(|v| v.is_nan() || v.abs() >= LARGEST) {
                let valid = "a number within ±1e50";
                return Err(MonteCarloError::Element { name, index, value: list[index], valid });
            }
        }
        if let Some(index) = weights.iter().position(|w| w.is_nan() || *w < 0.0) {
            let (name, valid) = ("weights", "a number ≥ 0");
            return Err(MonteCarloError::Element { name, index, value: weights[index], valid });
        }
        let total: f64 = weights.iter().sum();
        check("sum of the weights", total, |t| (t - 1.0).abs() < 1e-9, "1, within 1e-9")?;

        let (mut sum, mut thresholds) = (0.0, Vec::with_capacity(weights.len()));
        let mut squares = vec![0.0; dimension];
        for (weight, atom) in weights.iter().zip(atoms.chunks(dimension)) {
            sum += weight / total;
            squares.iter_mut().zip(atom).for_each(|(s, x)| *s += weight / total * x * x);
            // the conversion saturates
            thresholds.push((sum * 4_294_967_296.0) as u32);
        }
        // The last atom takes the rest.
        thresholds.pop();
        Ok(Self {
            bumps: features.iter().map(|f| f.bump(sigma)).collect(),
            features: features.to_vec(),
            parameters: parameters.to_vec(),
            atoms: atoms.to_vec(),
            thresholds,
            squares,
            sigma,
            draws,
        })
    }

    fn dimension(&self) -> usize {
        self.features[0].direction.len()
    }

    /// The factors of H_kl and S_kl beside the sums over the draws of the products of tanh, and
    /// of tanh times v·r.
    fn factors(&self, k: usize, l: usize) -> [f64; 2] {
        let bumps = self.bumps[k] * self.bumps[l] / self.draws as f64;
        let (a, b) = (&self.features[k].direction, &self.features[l].direction);
        [2.0 * bumps * dot(a, b), 4.0 * bumps]
    }

    /// For each feature the root mean square errors of tanh(w·x + b) and of v·r in single
    /// precision, with independent roundings (M17c).
    fn errors(&self) -> Vec<[f64; 2]> {
        let (p, d) = (self.features.len() as f64, self.dimension() as f64);
        let terms = (d / 4.0).sqrt().ceil();
        let coordinate = self.squares.iter().copied().fold(0.0, f64::max) + self.sigma.powi(2);
        let norm = |v: &[f64]| dot(v, v).sqrt();
        let activation = |f: &FrozenFeature| {
            ROUNDOFF * ((terms + 7.0) * (norm(&f.weights) * coordinate.sqrt() + f.bias.abs()) + 8.0)
        };
        let (mut carried, mut magnitude) = (0.0, self.squares.iter().sum::<f64>());
        for ((feature, theta), bump) in self.features.iter().zip(&self.parameters).zip(&self.bumps)
        {
            let share = theta.abs() * bump * norm(&feature.direction);
            carried += (share * (activation(feature) + 4.0 * ROUNDOFF)).powi(2);
            magnitude += share * share;
        }
        let of_residual =
            carried.sqrt() + (p.sqrt() + terms + 8.0) * ROUNDOFF * f64::sqrt(magnitude);
        let error = |f: &FrozenFeature| [activation(f), norm(&f.direction) * of_residual];
        self.features.iter().map(error).collect()
    }

    /// Whether kernels exist for this size, and no number of theirs leaves single precision.
    fn fits(&self) -> bool {
        let (p, d) = (self.features.len(), self.dimension());
        let moderate = |list: &[f64]| list.iter().all(|v| v.abs() < 1e6);
        p <= KERNEL_PARAMETERS
            && d <= KERNEL_DIMENSION
            && self.draws * p <= KERNEL_ENTRIES
            && self.atoms.len() / d * d.next_multiple_of(4) <= KERNEL_ENTRIES
            && (1e-15..1e6).contains(&self.sigma)
            && moderate(&self.atoms)
            && moderate(&self.parameters)
            && self
                .features
                .iter()
                .all(|f| moderate(&f.direction) && moderate(&f.weights) && f.bias.abs() < 1e6)
    }

    /// Weights, direction, and (bias, θ·bump) of every feature, in fours.
    fn packed(&self) -> Arc<[f32]> {
        let mut list = Vec::new();
        for ((feature, theta), bump) in self.features.iter().zip(&self.parameters).zip(&self.bumps)
        {
            for part in [&feature.weights[..], &feature.direction, &[feature.bias, theta * bump]] {
                list.extend(fours(part));
            }
        }
        list.into()
    }
}

impl Experiment for MomentCurveExperiment {
    fn outputs(&self) -> usize {
        self.features.len() * (self.features.len() + 1)
    }

    /// A draw takes the next word, which chooses the atom, then d normals from the next whole
    /// block on.
    fn evaluate(
        &self,
        scratch: &mut Scratch,
        mut draws: Draws,
        out: &mut [f64],
    ) -> Result<(), MonteCarloError> {
        let replicate = draws.replicate();
        let (p, d) = (self.features.len(), self.dimension());
        scratch.double.resize(2 * self.draws * p + 2 * d, 0.0);
        let (point, rest) = scratch.double.split_at_mut(d);
        let (residual, rest) = rest.split_at_mut(d);
        let (activations, projections) = rest.split_at_mut(self.draws * p);
        for (active, projected) in activations.chunks_mut(p).zip(projections.chunks_mut(p)) {
            let word = draws.word();
            let atom = self.thresholds.partition_point(|t| *t <= word);
            residual.copy_from_slice(&self.atoms[atom * d..(atom + 1) * d]);
            draws.normals(point);
            point.iter_mut().zip(&*residual).for_each(|(x, clean)| *x = clean + self.sigma * *x);
            for (k, feature) in self.features.iter().enumerate() {
                active[k] = feature.activation(point);
                let share = self.parameters[k] * self.bumps[k] * active[k];
                residual.iter_mut().zip(&feature.direction).for_each(|(r, v)| *r -= share * v);
            }
            for ((projected, feature), active) in
                projected.iter_mut().zip(&self.features).zip(active)
            {
                *projected = *active * dot(&feature.direction, residual);
            }
        }
        let failed = |source| MonteCarloError::Linalg { replicate, source };
        let active = gram(activations, self.draws, p).map_err(failed)?;
        let projected = gram(projections, self.draws, p).map_err(failed)?;
        let (hessian, covariance) = out.split_at_mut(p * (p + 1) / 2);
        let pairs = (0..p).flat_map(|k| (k..p).map(move |l| (k, l)));
        for ((h, s), (k, l)) in hessian.iter_mut().zip(covariance).zip(pairs) {
            let [of_hessian, of_covariance] = self.factors(k, l);
            *h = of_hessian * active[k * p + l];
            *s = of_covariance * projected[k * p + l];
        }
        Ok(())
    }

    fn limit(&self) -> f64 {
        LIMIT
    }

    fn program(&self) -> Program {
        let outputs = self.outputs();
        if !self.fits() {
            return Program::host(outputs);
        }
        let (p, d, draws) = (self.features.len(), self.dimension(), self.draws);
        let single = |list: Vec<f64>| list.into_iter().map(|v| v as f32).collect::<Arc<[f32]>>();
        let atoms: Vec<f32> = self.atoms.chunks(d).flat_map(fours).collect();
        let halves = |t: &u32| [(t >> 16) as f32, (t & 0xFFFF) as f32];
        // one more than there are: a list must not be empty
        let thresholds = self.thresholds.iter().chain([&u32::MAX]).flat_map(halves).collect();
        let pairs = (0..p * p).flat_map(|entry| self.factors(entry / p, entry % p)).collect();
        let errors = self.errors().concat();
        let constants =
            vec![self.packed(), atoms.into(), thresholds, single(pairs), single(errors)];
        let (activations, projections, products) = ([0, 2], [1, 3], p * p);
        let arrays = vec![draws * p, draws * p, products, products];

        let quads = d.div_ceil(4) as u32;
        let atoms = self.thresholds.len() as u32 + 1;
        let sigma = (self.sigma as f32).to_bits();
        let draw = Stage {
            shader: DRAW,
            bindings: vec![
                Binding::Constant(0),
                Binding::Constant(1),
                Binding::Constant(2),
                Binding::Array(activations[0]),
                Binding::Array(projections[0]),
            ],
            groups: Groups::Each([draws.div_ceil(16) as u32, 1]),
            parameters: vec![p as u32, quads, draws as u32, atoms, sigma],
        };
        let product = |[array, product]: [usize; 2]| {
            let list = Matrix { array, rows: draws, columns: p };
            self_product(list.view().transposed(), (p, draws), product)
        };
        let summation = (BLOCK_OF_SUM + draws / BLOCK_OF_SUM + 6) as f64 * ROUNDOFF;
        let parameters = vec![p as u32, (draws as f32).to_bits(), (summation as f32).to_bits()];
        let output = Stage {
            shader: OUTPUTS,
            bindings: vec![
                Binding::Constant(3),
                Binding::Constant(4),
                Binding::Read(activations[1]),
                Binding::Read(projections[1]),
                Binding::Output,
            ],
            groups: Groups::Each([1, 1]),
            parameters,
        };
        let products = [activations, projections].into_iter().flat_map(product);
        let stages = [draw].into_iter().chain(products).chain([output]).collect();
        let operations = (draws * (p * (6 * d + 50 + 4 * p) + 100 * d)) as f64;
        Program { constants, arrays, stages, outputs, operations }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// In single precision, filled with zeros to a multiple of four.
fn fours(list: &[f64]) -> impl Iterator<Item = f32> {
    let padding = list.len().next_multiple_of(4) - list.len();
    list.iter().map(|v| *v as f32).chain(std::iter::repeat_n(0.0, padding))
}
