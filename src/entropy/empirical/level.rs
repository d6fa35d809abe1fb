//! One query at one noise level: sums of exponentials over all points.

use super::tile::Row;
use crate::entropy::label::excess_entropy;
use crate::numeric::exp::exp;
use crate::numeric::widest;

/// Points that are treated together: independent sums, so that loops become vector code.
const LANES: usize = 16;
/// Blocks of points whose log-weights all lie this far below the largest are skipped: together
/// they have less than N·e⁻¹⁰⁰ of the posterior mass.
const SKIP: f64 = -100.0;
/// Weights below e⁻⁷⁰⁰ count as zero.
const UNDERFLOW: f64 = -700.0;
/// Posterior probability of the true point above which a query has seen no rare event.
const CONCENTRATED: f64 = 0.99;
/// Spread of the log-weights below which ln N − entropy would cancel.
const NARROW: f64 = 0.05;

/// The integrands of one query at one level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draw {
    /// ½ Σ pᵢDᵢ (Q5).
    pub(super) variance: f64,
    /// Entropy of the posterior.
    pub(super) entropy: f64,
    /// Divergence of the posterior from the empirical law.
    pub(super) information: f64,
    /// Bound (Q6) of the variance given x0, where this draw saw no rare event; 0 elsewhere.
    pub(super) variance_bound: f64,
    /// Bound (Q6) of the entropy, likewise.
    pub(super) entropy_bound: f64,
}

/// How many times each point occurs in the data.
#[derive(Debug)]
pub(super) struct Multiplicity {
    count: usize,
    /// mᵢ, or nothing when all are 1.
    times: Vec<f64>,
}

impl Multiplicity {
    /// From the index of the first point that equals each.
    pub(super) fn new(first: &[usize]) -> Self {
        let mut times = vec![0.0; first.len()];
        first.iter().for_each(|&f| times[f] += 1.0);
        let times: Vec<f64> = first.iter().map(|&f| times[f]).collect();
        let distinct = times.iter().all(|&m| m == 1.0);
        Self { count: first.len(), times: if distinct { Vec::new() } else { times } }
    }

    fn of(&self, i: usize) -> f64 {
        self.times.get(i).copied().unwrap_or(1.0)
    }

    /// H(x0) = ln N − (1/N) Σᵢ ln mᵢ.
    pub(super) fn entropy(&self) -> f64 {
        let n = self.count as f64;
        (n.ln() - self.times.iter().map(|m| m.ln()).sum::<f64>() / n).max(0.0)
    }

    /// −ln P(x0 = xᵢ) − H(x0).
    pub(super) fn excess(&self, i: usize) -> f64 {
        if self.times.is_empty() {
            return 0.0;
        }
        (self.count as f64 / self.of(i)).ln() - self.entropy()
    }
}

/// The integrands of one query at every level (σ in units of the data's scale).
pub(super) fn draws(row: Row<'_>, levels: &[f64], multiplicity: &Multiplicity) -> Vec<Draw> {
    let mut highest = vec![0.0; row.distances.len() / LANES];
    widest(
        #[inline(always)]
        || levels.iter().map(|&sigma| draw(row, sigma, multiplicity, &mut highest)).collect(),
    )
}

#[inline(always)]
fn draw(row: Row<'_>, sigma: f64, multiplicity: &Multiplicity, highest: &mut [f64]) -> Draw {
    let weights = Weights { row, quadratic: 0.5 / (sigma * sigma), linear: 1.0 / sigma };
    let (smallest, largest) = weights.range(highest);
    let sums = weights.sums(largest, highest);
    // −ln of the posterior probability of the likeliest point
    let log_sum = sums.total.ln();
    let of_index = log_sum - sums.logs / sums.total;
    let repeated = if multiplicity.times.is_empty() {
        0.0
    } else {
        let log = |i: usize| exp(weights.log(i) - largest) * multiplicity.of(i).ln();
        (0..row.distances.len()).map(log).sum::<f64>() / sums.total
    };
    let information = if largest - smallest < NARROW {
        weights.narrow_information()
    } else {
        ((multiplicity.count as f64).ln() - of_index).max(0.0)
    };
    let own = exp(-largest) / sums.total * multiplicity.of(row.point);
    let (variance_bound, entropy_bound) =
        if own > CONCENTRATED { rare_events(row.distances, sigma) } else { (0.0, 0.0) };
    Draw {
        variance: 0.5 * sums.distances / sums.total,
        entropy: (of_index - repeated).max(0.0),
        information,
        variance_bound,
        entropy_bound,
    }
}

/// Bounds (Q6) of E[½ Σ pᵢDᵢ | x0], on average over x0, and of E[−ln p(x0 | x_σ) | x0]:
/// ¼ Σ Dᵢ e^{−Dᵢ/8σ²} and Σ_{Dᵢ>0} e^{−Dᵢ/8σ²}.
#[inline(always)]
fn rare_events(distances: &[f64], sigma: f64) -> (f64, f64) {
    let rate = -0.125 / (sigma * sigma);
    let mut variance = [0.0; LANES];
    let mut entropy = [0.0; LANES];
    for block in distances.chunks(LANES) {
        if block.iter().fold(f64::NEG_INFINITY, |a, &d| a.max(if d > 0.0 { rate * d } else { a }))
            < SKIP
        {
            continue;
        }
        for ((&d, v), h) in block.iter().zip(&mut variance).zip(&mut entropy) {
            let e = if d > 0.0 { exp(rate * d) } else { 0.0 };
            *v += 0.25 * d * e;
            *h += e;
        }
    }
    (variance.iter().sum(), entropy.iter().sum())
}

/// Sums over all points of e^{aᵢ}, with aᵢ the log-weight less the largest one.
#[derive(Debug)]
struct Sums {
    /// Σ e^{aᵢ}.
    total: f64,
    /// Σ e^{aᵢ} aᵢ.
    logs: f64,
    /// Σ e^{aᵢ} Dᵢ.
    distances: f64,
}

/// The log-weights −Dᵢ/2σ² + Gᵢ/σ of (Q4).
struct Weights<'a> {
    row: Row<'a>,
    quadratic: f64,
    linear: f64,
}

impl Weights<'_> {
    #[inline(always)]
    fn pair(&self, distance: f64, projection: f64) -> f64 {
        projection * self.linear - distance * self.quadratic
    }

    #[inline(always)]
    fn log(&self, i: usize) -> f64 {
        self.pair(self.row.distances[i], self.row.projections[i])
    }

    /// Smallest and largest log-weight; `highest` receives the largest of each block.
    #[inline(always)]
    fn range(&self, highest: &mut [f64]) -> (f64, f64) {
        let (mut low, mut high) = ([0.0_f64; LANES], 0.0_f64);
        let (blocks, rest) = self.blocks();
        for ((d, g), top) in blocks.zip(&mut *highest) {
            let logs: [f64; LANES] = std::array::from_fn(|l| self.pair(d[l], g[l]));
            for l in 0..LANES {
                low[l] = if logs[l] < low[l] { logs[l] } else { low[l] };
            }
            *top = logs.iter().fold(f64::NEG_INFINITY, |a, &l| if l > a { l } else { a });
            high = high.max(*top);
        }
        for (&d, &g) in rest.0.iter().zip(rest.1) {
            let log = self.pair(d, g);
            (low[0], high) = (low[0].min(log), high.max(log));
        }
        (low.iter().fold(0.0, |a, &l| a.min(l)), high)
    }

    #[inline(always)]
    fn sums(&self, largest: f64, highest: &[f64]) -> Sums {
        let mut lanes = [[0.0; LANES]; 3];
        let add = |lanes: &mut [[f64; LANES]; 3], l: usize, d: f64, g: f64| {
            let a = self.pair(d, g) - largest;
            let e = if a > UNDERFLOW { exp(a) } else { 0.0 };
            lanes[0][l] += e;
            lanes[1][l] += e * a.max(UNDERFLOW);
            lanes[2][l] += e * d;
        };
        let (blocks, rest) = self.blocks();
        for ((d, g), top) in blocks.zip(highest) {
            if top - largest < SKIP {
                continue;
            }
            for l in 0..LANES {
                add(&mut lanes, l, d[l], g[l]);
            }
        }
        for (l, (&d, &g)) in rest.0.iter().zip(rest.1).enumerate() {
            add(&mut lanes, l, d, g);
        }
        let [total, logs, distances] = lanes.map(|lane| lane.iter().sum());
        Sums { total, logs, distances }
    }

    /// Whole blocks of D and G, and what is left of both.
    #[allow(clippy::type_complexity, reason = "an iterator over pairs and a pair")]
    #[inline(always)]
    fn blocks(&self) -> (impl Iterator<Item = (&[f64; LANES], &[f64; LANES])>, (&[f64], &[f64])) {
        let (d, d_rest) = self.row.distances.as_chunks::<LANES>();
        let (g, g_rest) = self.row.projections.as_chunks::<LANES>();
        (d.iter().zip(g), (d_rest, g_rest))
    }

    /// KL of the posterior from the uniform law when they are close: Σ φ(1 + δᵢ)/N, free of
    /// cancellation, with δᵢ = N pᵢ − 1.
    fn narrow_information(&self) -> f64 {
        let n = self.row.distances.len();
        let mean = |f: &dyn Fn(usize) -> f64| (0..n).map(f).sum::<f64>() / n as f64;
        let middle = mean(&|i| self.log(i));
        let shift = mean(&|i| (self.log(i) - middle).exp_m1());
        mean(&|i| excess_entropy(((self.log(i) - middle).exp_m1() - shift) / (1.0 + shift)))
    }
}
