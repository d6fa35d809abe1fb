//! Denoising of a data set at many noise levels (M19).

use std::sync::Arc;

use super::denoising::{GROUPS, LIMIT, SINGLE, TRIPS, WORDS, check_levels, sum_error};
use super::program::{Binding, Groups, Program, Shader, Stage};
use super::{Draws, Experiment, MonteCarloError, Scratch};
use crate::data::DataMatrix;
use crate::entropy::first_equal;
use crate::numeric::exp::exp;
use crate::numeric::widest;

const SOURCE: &[&str] =
    &[include_str!("shaders/empirical.wgsl"), include_str!("shaders/levels.wgsl")];
/// Points that are treated together: independent sums, so that loops become vector code.
const LANES: usize = 16;
/// Logits this far below the largest count as zero.
const UNDERFLOW: f64 = -700.0;

/// x0 uniform on the N rows of a data set, x_σ = x0 + σ ε at several levels σ, each with the
/// same x0 and ε; the posterior is over all N points.
///
/// With D_j = ‖x0 − x_j‖², E_j = ε·(x0 − x_j) and p_j ∝ exp(−(D_j + 2σE_j)/2σ²), output 2l of
/// level l is ½ Σ_j p_j D_j, whose mean is mmse(σ) (M19), and output 2l + 1 is
/// −ln P(x0|x_σ) = −ln Σ_{x_j = x0} p_j, whose mean is H(x0|x_σ) in nats: the entropy of the
/// value, as in [`EmpiricalData`](crate::entropy::EmpiricalData), equal rows together.
///
/// Words of a replicate: word 0 chooses x0, row ⌊word·N/2³²⌋; ε follows from block 1 on.
///
/// Cost: 5·N·d operations and about 30·N a level. Memory: 8·N·d bytes.
///
/// ```
/// use rootrate::data::DataMatrix;
/// use rootrate::montecarlo::{CpuEngine, EmpiricalExperiment, Engine, Streams};
/// let data = DataMatrix::from_rows(&[vec![-1.0, 0.0], vec![1.0, 0.0]])?;
/// let pair = EmpiricalExperiment::new(&data, &[1.0])?;
/// let streams = Streams { seed: 1, experiment: 0 };
/// let samples = CpuEngine::DOUBLE.run(&pair, streams, 0..4000, &|_, _| ())?;
/// let mmse = samples.column(0)?.sampled()?;
/// assert!((mmse.mean - 0.4495995).abs() < 5.0 * mmse.standard_error);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct EmpiricalExperiment {
    data: DataMatrix,
    levels: Vec<f64>,
    /// Of every row the first one that equals it.
    first: Vec<usize>,
}

impl EmpiricalExperiment {
    /// The rows of `data`, and noise levels σ.
    ///
    /// # Errors
    /// No level, a σ outside [1e-150, 1e150], values beyond ±1e150.
    pub fn new(data: &DataMatrix, levels: &[f64]) -> Result<Self, MonteCarloError> {
        check_levels(levels)?;
        if let Some(index) = data.values().iter().position(|x| x.is_nan() || x.abs() > 1e150) {
            let (value, valid) = (data.values()[index], "a number within ±1e150");
            return Err(MonteCarloError::Element { name: "data", index, value, valid });
        }
        let first = first_equal(data.rows(), |i| data.row(i));
        Ok(Self { data: data.clone(), levels: levels.to_vec(), first })
    }

    /// H(x0) in nats, equal rows counted as one value.
    pub fn entropy(&self) -> f64 {
        let rows = self.first.len();
        let mut times = vec![0_usize; rows];
        self.first.iter().for_each(|&i| times[i] += 1);
        let share = |m: usize| m as f64 / rows as f64;
        times.into_iter().filter(|&m| m > 0).map(|m| -share(m) * share(m).ln()).sum()
    }

    /// (D_j, E_j) of every row j.
    fn compare(&self, own: usize, noise: &[f64], distances: &mut [f64], projections: &mut [f64]) {
        let x0 = self.data.row(own);
        let rows = self.data.values().chunks(noise.len());
        widest(
            #[inline(always)]
            || {
                for ((x, distance), projection) in rows.zip(distances).zip(projections) {
                    (*distance, *projection) = inner_products(x0, x, noise);
                }
            },
        );
    }

    /// ½ Σ p_j D_j and −ln P(x0|x_σ).
    fn level(
        &self,
        sigma: f64,
        own: usize,
        (distances, projections): (&[f64], &[f64]),
    ) -> [f64; 2] {
        let quadratic = 0.5 / (sigma * sigma);
        let logit = |d: f64, e: f64| -(d * quadratic + e / sigma);
        widest(
            #[inline(always)]
            || {
                let pairs = || distances.iter().zip(projections);
                let largest = pairs().fold(0.0_f64, |a, (&d, &e)| {
                    let l = logit(d, e);
                    if l > a { l } else { a }
                });
                let (mut others, mut weighted, mut equal) = ([0.0; LANES], [0.0; LANES], 0.0);
                for (j, (&d, &e)) in pairs().enumerate() {
                    let a = logit(d, e) - largest;
                    if self.first[j] == self.first[own] {
                        equal += 1.0;
                    } else if a > UNDERFLOW {
                        let weight = exp(a);
                        others[j % LANES] += weight;
                        weighted[j % LANES] += weight * d;
                    }
                }
                let others: f64 = others.iter().sum();
                let own = equal * (-largest).exp();
                let entropy = if own > others {
                    (others / own).ln_1p()
                } else {
                    (others + own).ln() + largest - f64::ln(equal)
                };
                [0.5 * weighted.iter().sum::<f64>() / (own + others), entropy]
            },
        )
    }

    /// The rows about their mean, transposed; their largest coordinate and norm.
    fn centred(&self) -> (Vec<f32>, f64, f64) {
        let (count, d) = (self.data.rows(), self.data.cols());
        let mut centre = vec![0.0; d];
        for row in self.data.values().chunks(d) {
            centre.iter_mut().zip(row).for_each(|(c, x)| *c += x / count as f64);
        }
        let mut transposed = vec![0.0; count * d];
        let (mut coordinate, mut norm) = (0.0_f64, 0.0_f64);
        for (j, row) in self.data.values().chunks(d).enumerate() {
            let mut square = 0.0;
            for (c, (x, mean)) in row.iter().zip(&centre).enumerate() {
                let value = x - mean;
                transposed[c * count + j] = value as f32;
                coordinate = coordinate.max(value.abs());
                square += value * value;
            }
            norm = norm.max(square.sqrt());
        }
        (transposed, coordinate, norm)
    }

    /// Whether single precision holds the magnitudes and the kernels the sizes.
    fn fits(&self, largest: f64) -> bool {
        let (count, d, l) = (self.data.rows(), self.data.cols(), self.levels.len());
        self.levels.iter().all(|s| SINGLE.contains(s))
            && largest <= *SINGLE.end()
            && d.max(l).max(count.div_ceil(64)) <= TRIPS
            && count.div_ceil(64) <= GROUPS
            && count.saturating_mul(d) <= WORDS
    }
}

impl Experiment for EmpiricalExperiment {
    fn outputs(&self) -> usize {
        2 * self.levels.len()
    }

    fn evaluate(
        &self,
        scratch: &mut Scratch,
        mut draws: Draws,
        out: &mut [f64],
    ) -> Result<(), MonteCarloError> {
        let (count, d) = (self.data.rows(), self.data.cols());
        let own = ((u64::from(draws.word()) * count as u64) >> 32) as usize;
        scratch.double.resize(d + 2 * count, 0.0);
        let (noise, rest) = scratch.double.split_at_mut(d);
        let (distances, projections) = rest[..2 * count].split_at_mut(count);
        draws.normals(noise);
        self.compare(own, noise, distances, projections);
        for (out, &sigma) in out.chunks_mut(2).zip(&self.levels) {
            out.copy_from_slice(&self.level(sigma, own, (distances, projections)));
        }
        Ok(())
    }

    fn limit(&self) -> f64 {
        LIMIT
    }

    fn program(&self) -> Program {
        let (data, coordinate, norm) = self.centred();
        if !self.fits(norm) {
            return Program::host(self.outputs());
        }
        let (count, d, l) = (self.data.rows(), self.data.cols(), self.levels.len());
        let mut times = vec![0.0; count];
        self.first.iter().for_each(|&f| times[f] += 1.0);
        let mut lists: Vec<f32> = self.first.iter().map(|&f| times[f]).collect();
        lists.extend(self.levels.iter().map(|&s| s as f32));
        let padded = d.next_multiple_of(4);
        let arrays = vec![padded, 2 * count, l];
        let mut parameters: Vec<u32> =
            [count, d, 0, l, padded, 2 * count].iter().map(|&x| x as u32).collect();
        parameters.extend(error_constants(count, d, (coordinate, norm)).map(f32::to_bits));
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
        let over = |count: usize| Groups::Each([count.div_ceil(64) as u32, 1]);
        Program {
            constants: vec![Arc::from(data), Arc::from(lists)],
            stages: vec![
                stage("draw", over(padded / 4)),
                stage("compare", over(count)),
                stage("posterior", Groups::Each([1, l as u32])),
                stage("doubt", Groups::Across(64)),
            ],
            arrays,
            outputs: self.outputs(),
            operations: 5.0 * (count * d) as f64 + 50.0 * (count * l) as f64,
        }
    }
}

/// ‖x0 − x‖² and ε·(x0 − x).
#[inline(always)]
fn inner_products(x0: &[f64], x: &[f64], noise: &[f64]) -> (f64, f64) {
    let (mut squares, mut products) = ([0.0; LANES], [0.0; LANES]);
    let (a, a_rest) = x0.as_chunks::<LANES>();
    let (b, b_rest) = x.as_chunks::<LANES>();
    let (e, e_rest) = noise.as_chunks::<LANES>();
    for ((a, b), e) in a.iter().zip(b).zip(e) {
        for l in 0..LANES {
            let t = a[l] - b[l];
            squares[l] += t * t;
            products[l] += t * e[l];
        }
    }
    for (l, ((a, b), e)) in a_rest.iter().zip(b_rest).zip(e_rest).enumerate() {
        let t = a - b;
        squares[l] += t * t;
        products[l] += t * e;
    }
    (squares.iter().sum(), products.iter().sum())
}

/// Constants of the estimate (M19b), in units of 2⁻²⁴: of D_j relative to D_j; of 2σE_j relative
/// to σ√D_j; what the rounded data add, relative to √D_j, to σ, and by itself; of a sum over the
/// points.
fn error_constants(count: usize, d: usize, (coordinate, norm): (f64, f64)) -> [f32; 6] {
    let projection = 8.0 * (12.0 + d as f32 / 384.0).sqrt();
    let (coordinate, norm) = (coordinate as f32, norm as f32);
    [
        6.0 + sum_error(d),
        projection,
        7.0 * coordinate,
        10.0 * norm,
        4.0 * norm * norm * 5.9604645e-8,
        sum_error(count.div_ceil(64)),
    ]
}
