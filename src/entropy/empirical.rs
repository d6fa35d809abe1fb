//! The empirical distribution of a data set: what an optimal denoiser that memorises the data
//! attains, over all of its points (theory page 3a, (Q4)–(Q6)).

mod level;
mod tile;

use std::collections::HashMap;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::control::{Controls, first_equal, rare_event_error};
use super::model::check_sigma;
use super::{DataModel, EntropyError, LowNoise, Unit};
use crate::data::DataMatrix;
use crate::evidence::{Evidence, Sampled};
use level::{Draw, Multiplicity};
use tile::{Query, Tile};

/// Largest magnitude of a centred value: squares must be finite.
const LARGEST: f64 = 1e140;
/// Noise levels, relative to the scale of the data, outside of which squares leave the doubles.
const LEVELS: std::ops::RangeInclusive<f64> = 1e-140..=1e140;
/// Distances and projections of all queries are kept when they take at most this many bytes.
const KEEP: usize = 1 << 28;

/// Number of Monte Carlo queries and the seed of their random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmpiricalOptions {
    /// Draws of (x0, ε), 2 to 2³¹; every one is compared with all N points.
    pub queries: usize,
    /// Seed.
    pub seed: u64,
}

impl Default for EmpiricalOptions {
    /// 1000 queries, seed 0.
    fn default() -> Self {
        Self { queries: 1000, seed: 0 }
    }
}

/// What [`EmpiricalData::profile`] finds at one noise level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmpiricalPoint {
    /// σ.
    pub sigma: f64,
    /// E‖x0 − E[x0|x_σ]‖², in data².
    pub mmse: Sampled,
    /// H(x0 | x_σ) in nats, between 0 and H(x0) = ln N (for distinct points).
    pub posterior_entropy: Sampled,
    /// I(x0; x_σ) = H(x0) − H(x0 | x_σ) in nats.
    pub information: Sampled,
}

/// The law of x0 uniform on the N rows of a data set, x_σ = x0 + σ ε.
///
/// The posterior is exact, over all N points: pᵢ ∝ exp(−‖x_σ − xᵢ‖²/2σ²). Only the mean over
/// (x0, ε) is Monte Carlo: x0 runs through the data in random order without replacement, ε
/// comes from a counter-based stream, and **every noise level uses the same draws**, so the
/// curves are smooth in σ and their errors are correlated between levels.
///
/// With x_σ = x0 + σ ε the log-weight relative to the query's own point is
///
/// ln pᵢ − ln p₀ = −Dᵢ/2σ² + Gᵢ/σ, Dᵢ = ‖xᵢ − x0‖², Gᵢ = ε·(xᵢ − x0), (Q4)
///
/// so D and G are two matrix products for all noise levels together, and a level costs one
/// exponential a pair. The mmse needs no posterior mean: x0 and a draw x′ from the posterior
/// are exchangeable given x_σ, hence
///
/// mmse = ½ E‖x0 − x′‖² = ½ E Σᵢ pᵢDᵢ, (Q5)
///
/// to which control variates of known mean are applied. D and G err by a few times
/// `d·2⁻⁵³·(‖xᵢ‖² + ‖x0‖²)` and pairs so near that this matters are recomputed from xᵢ − x0:
/// the relative error of Dᵢ is about 1e-11 (d ≤ 1000), of every weight that counts about 1e-9.
/// Where a mean is carried by a few rare draws (small σ), the standard error includes what
/// events that were not drawn may contribute, bounded by (Q6).
///
/// Numbers do not depend on the number of threads. Cost: 4·Q·N·d flops once, then about 40·Q·N
/// a level. Memory: 8·N·d bytes, and 16·Q·N kept if that is at most 256 MiB.
///
/// ```
/// use rootrate::data::DataMatrix;
/// use rootrate::entropy::{EmpiricalData, EmpiricalOptions};
/// let data = DataMatrix::from_rows(&[vec![-1.0, 0.0], vec![1.0, 0.0]])?;
/// let law = EmpiricalData::new(&data, EmpiricalOptions { queries: 4000, seed: 1 })?;
/// let mmse = law.profile(&[1.0], None)?[0].mmse;
/// // the pair ±1 in the first coordinate
/// assert!((mmse.mean - 0.4495995).abs() < 5.0 * mmse.standard_error);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EmpiricalData {
    points: Points,
    multiplicity: Multiplicity,
    queries: Vec<Query>,
    /// D and G of all queries, or nothing where they would take too much memory.
    tiles: Vec<Tile>,
    controls: Controls,
    options: EmpiricalOptions,
    known: Mutex<HashMap<u64, EmpiricalPoint>>,
}

/// Centred data in units of a power of two.
#[derive(Debug)]
struct Points {
    /// N.
    count: usize,
    /// d.
    dimension: usize,
    /// Row-major.
    values: Vec<f64>,
    /// ‖xᵢ‖².
    squares: Vec<f64>,
    /// Mean of the ‖xᵢ‖²: the trace of the covariance.
    variance: f64,
    scale: f64,
}

impl EmpiricalData {
    /// The empirical law of the rows of `data`.
    ///
    /// Computes D and G of all queries if they are to be kept: about 0.6 s for 1000 queries on
    /// 10,000 points of 784 coordinates on two cores.
    ///
    /// # Errors
    /// A number of queries outside 2 to 2³¹, values that differ by more than 1e140.
    pub fn new(data: &DataMatrix, options: EmpiricalOptions) -> Result<Self, EntropyError> {
        if !(2..=1 << 31).contains(&options.queries) {
            return Err(EntropyError::Parameter {
                name: "queries".into(),
                value: options.queries as f64,
                valid: "a mean with a standard error takes 2 to 2³¹ queries",
            });
        }
        let points = Points::new(data)?;
        let multiplicity = Multiplicity::new(&first_equal(data.rows(), |i| data.row(i)));
        let queries = tile::queries(points.count, options);
        let blocks = || queries.par_chunks(tile::rows(points.count));
        let kept = 16 * (options.queries as u128) * (points.count as u128) <= KEEP as u128;
        let tiles: Vec<Tile> =
            if kept { blocks().map(|b| Tile::new(&points, b)).collect() } else { Vec::new() };
        let columns = if kept {
            tiles.iter().flat_map(|t| t.controls.iter().copied()).collect::<Vec<_>>()
        } else {
            blocks().flat_map_iter(|b| Tile::new(&points, b).controls).collect()
        };
        let mut columns: Vec<Vec<f64>> =
            (0..3).map(|i| columns.iter().map(|c: &[f64; 3]| c[i]).collect()).collect();
        columns.push(queries.iter().map(|q| multiplicity.excess(q.point)).collect());
        let controls = Controls::new(columns);
        let known = Mutex::new(HashMap::new());
        Ok(Self { points, multiplicity, queries, tiles, controls, options, known })
    }

    /// Number of data points N, duplicates included.
    pub fn points(&self) -> usize {
        self.points.count
    }

    /// mmse, posterior entropy and information at many noise levels from the same draws.
    ///
    /// `progress`, when given, is called from the working threads with the number of queries
    /// done and their total.
    ///
    /// # Errors
    /// [`EntropyError::NoiseLevel`] unless every σ is finite and positive,
    /// [`EntropyError::NoConvergence`] where σ is beyond 1e±140 times the scale of the data.
    pub fn profile(
        &self,
        sigmas: &[f64],
        progress: Option<&(dyn Fn(usize, usize) + Sync)>,
    ) -> Result<Vec<EmpiricalPoint>, EntropyError> {
        let levels: Vec<f64> =
            sigmas.iter().map(|&s| self.relative_level(s)).collect::<Result<_, _>>()?;
        let done = AtomicUsize::new(0);
        let evaluate = |tiles: &[Tile]| -> Vec<Vec<Draw>> {
            let rows: Vec<(&Tile, usize)> =
                tiles.iter().flat_map(|t| (0..t.queries()).map(move |r| (t, r))).collect();
            rows.into_par_iter()
                .map(|(tile, row)| {
                    let draws = level::draws(tile.row(row), &levels, &self.multiplicity);
                    let count = done.fetch_add(1, Ordering::Relaxed) + 1;
                    if let Some(report) = progress {
                        report(count, self.queries.len());
                    }
                    draws
                })
                .collect()
        };
        let draws: Vec<Vec<Draw>> = if self.tiles.is_empty() {
            let blocks: Vec<&[Query]> =
                self.queries.chunks(tile::rows(self.points.count)).collect();
            // as many tiles in memory as there are threads
            let together = rayon::current_num_threads();
            let group = |blocks: &[&[Query]]| {
                let tiles: Vec<Tile> =
                    blocks.par_iter().map(|b| Tile::new(&self.points, b)).collect();
                evaluate(&tiles)
            };
            blocks.chunks(together).flat_map(group).collect()
        } else {
            evaluate(&self.tiles)
        };
        Ok(sigmas.iter().enumerate().map(|(l, &sigma)| self.point(sigma, l, &draws)).collect())
    }

    /// The means over all queries at level `l`, in the order of the queries.
    fn point(&self, sigma: f64, l: usize, draws: &[Vec<Draw>]) -> EmpiricalPoint {
        let column = |f: fn(&Draw) -> f64| -> Vec<f64> { draws.iter().map(|q| f(&q[l])).collect() };
        let bound = |f: fn(&Draw) -> f64| column(f).iter().sum::<f64>() / draws.len() as f64;
        let (variance, entropy) = (column(|d| d.variance), column(|d| d.entropy));
        let rare = rare_event_error(&variance, bound(|d| d.variance_bound), self.points.variance);
        let rare_entropy =
            rare_event_error(&entropy, bound(|d| d.entropy_bound), std::f64::consts::LN_2);
        let unit = self.points.scale * self.points.scale;
        let mmse = self.controls.estimate(&variance, rare);
        EmpiricalPoint {
            sigma,
            mmse: Sampled {
                mean: unit * mmse.mean,
                standard_error: unit * mmse.standard_error,
                ..mmse
            },
            posterior_entropy: self.controls.estimate(&entropy, rare_entropy),
            information: self.controls.estimate(&column(|d| d.information), rare_entropy),
        }
    }

    fn relative_level(&self, sigma: f64) -> Result<f64, EntropyError> {
        check_sigma(sigma)?;
        let relative = sigma / self.points.scale;
        if LEVELS.contains(&relative) {
            return Ok(relative);
        }
        Err(EntropyError::NoConvergence {
            method: "empirical law",
            sigma,
            reason: format!(
                "σ must lie within 1e-140 and 1e140 of the scale {:e} of the data",
                self.points.scale
            ),
        })
    }

    /// One level, remembered: mmse and information of a level are found together.
    fn at(&self, sigma: f64) -> Result<EmpiricalPoint, EntropyError> {
        let key = sigma.to_bits();
        if let Some(point) = self.known().get(&key) {
            return Ok(*point);
        }
        // not under the lock, which another task of this thread pool may want
        let point = self.profile(&[sigma], None)?[0];
        self.known().insert(key, point);
        Ok(point)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<u64, EmpiricalPoint>> {
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl fmt::Debug for EmpiricalData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmpiricalData")
            .field("points", &self.points.count)
            .field("dimension", &self.points.dimension)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl DataModel for EmpiricalData {
    fn name(&self) -> String {
        format!("empirical(N={}, d={})", self.points.count, self.points.dimension)
    }

    fn unit(&self) -> Unit {
        Unit::Total { dimension: self.points.dimension }
    }

    /// Discrete, of entropy ln N for distinct points, −Σ (m/N) ln(m/N) with multiplicities m.
    fn low_noise(&self) -> LowNoise {
        LowNoise::Discrete { entropy: self.multiplicity.entropy() }
    }

    fn mmse(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        Ok(self.at(sigma)?.mmse.into())
    }

    fn information(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        Ok(self.at(sigma)?.information.into())
    }
}

impl Points {
    fn new(data: &DataMatrix) -> Result<Self, EntropyError> {
        let (count, dimension) = (data.rows(), data.cols());
        // relative to the first row, so that an offset common to all costs no digits
        let origin = data.row(0);
        let mut centre = vec![0.0; dimension];
        for row in data.values().chunks(dimension) {
            for ((c, x), o) in centre.iter_mut().zip(row).zip(origin) {
                *c += (x - o) / count as f64;
            }
        }
        let mut values: Vec<f64> = data.values().to_vec();
        let mut largest = 0.0_f64;
        for row in values.chunks_mut(dimension) {
            for ((x, c), o) in row.iter_mut().zip(&centre).zip(origin) {
                *x = (*x - o) - c;
                largest = if x.is_nan() { f64::INFINITY } else { largest.max(x.abs()) };
            }
        }
        if largest > LARGEST {
            return Err(EntropyError::Parameter {
                name: "largest deviation of the data from its mean".into(),
                value: largest,
                valid: "deviations must be at most 1e140",
            });
        }
        // a power of two, so that dividing by it is exact
        let scale = if largest > 0.0 {
            2.0_f64.powi(largest.log2().ceil().max(-1000.0) as i32)
        } else {
            1.0
        };
        values.iter_mut().for_each(|x| *x /= scale);
        let squares: Vec<f64> =
            values.chunks(dimension).map(|x| x.iter().map(|v| v * v).sum()).collect();
        let variance = squares.iter().sum::<f64>() / count as f64;
        Ok(Self { count, dimension, values, squares, variance, scale })
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.dimension..][..self.dimension]
    }
}
