//! The fixed point L(κ) + Σ mⱼ τⱼ/(τⱼ+κ) = n with the penalty's [`Load`] L = nρ/κ (R1) or that
//! of random features (F4): its solution and, independently, the proof of it (R7).
//!
//! With t = τ/(τ+κ), q = κ/(τ+κ) = 1 − t and R = Σ_{τ≥κ} m, the equation is written without
//! cancellation as A = B,
//!
//! A = L + Σ_{τ<κ} m t + (R−n)₊,   B = Σ_{τ≥κ} m q + (n−R)₊.
//!
//! A falls and B rises with κ, and the condition number of the root in ln κ is at most 2.

use super::load::Load;
use super::start::Table;
use super::sums::{SUM_ROUNDINGS, sum_terms};
use crate::interval::Interval;

/// Largest relative radius of κ that the certificate accepts.
const MAX_RELATIVE: f64 = 1e-12;
/// Newton steps over all atoms after which the solver gives up (2 or 3 are usual).
const MAX_STEPS: usize = 8;
/// Largest step in ln κ whose third power is below rounding.
const CLOSE: f64 = 4e-6;
/// Relative roundings of a sum whose terms have one, two or three of the factors t and q, each
/// of which carries three.
pub(super) const LINEAR: u32 = 4 + SUM_ROUNDINGS;
pub(super) const QUADRATIC: u32 = 8 + SUM_ROUNDINGS;
const CUBIC: u32 = 12 + SUM_ROUNDINGS;

/// Positive atoms in ascending order with their masses, whose partial sums are exact.
#[derive(Debug, Clone)]
struct Measure {
    atoms: Vec<f64>,
    masses: Vec<f64>,
    /// above[j] = Σ_{i≥j} masses[i].
    above: Vec<f64>,
}

/// A and B of the module's equation, and their slopes −dA/dln κ, dB/dln κ.
#[derive(Debug, Clone, Copy)]
struct Balance {
    falling: f64,
    rising: f64,
    falling_slope: f64,
    rising_slope: f64,
}

impl Measure {
    fn new(atoms: Vec<f64>, masses: Vec<f64>) -> Self {
        let mut above = vec![0.0; atoms.len() + 1];
        for j in (0..atoms.len()).rev() {
            above[j] = above[j + 1] + masses[j];
        }
        Self { atoms, masses, above }
    }

    /// The atoms within quarters of an octave replaced by the one or two (Gauss's rule) that
    /// have the same mass, mean, variance and third moment: df1 to a relative 1e-6.
    fn coarse(&self) -> Self {
        let bin = |x: f64| x.to_bits() >> 50;
        let (mut atoms, mut masses): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let pairs: Vec<(f64, f64)> =
            self.atoms.iter().copied().zip(self.masses.iter().copied()).collect();
        for group in pairs.chunk_by(|a, b| bin(a.0) == bin(b.0)) {
            let (first, last) = (group[0].0, group[group.len() - 1].0);
            let mass: f64 = group.iter().map(|&(_, m)| m).sum();
            // moments of τ/first − 1, below 1/4
            let moment = |centre: f64, power: i32| -> f64 {
                let terms = group.iter().map(|&(t, m)| m * (t / first - 1.0 - centre).powi(power));
                terms.sum::<f64>() / mass
            };
            if mass == 0.0 {
                continue;
            }
            let mean = moment(0.0, 1);
            let variance = moment(mean, 2);
            if group.len() == 1 || variance < 1e-20 {
                atoms.push((first * (1.0 + mean)).clamp(first, last));
                masses.push(mass);
                continue;
            }
            let skew = moment(mean, 3) / variance;
            let root = (skew * skew + 4.0 * variance).sqrt();
            let (below, above) = (0.5 * (skew - root), 0.5 * (skew + root));
            for (at, share) in [(below, above / root), (above, -below / root)] {
                atoms.push((first * (1.0 + mean + at)).clamp(first, last));
                masses.push(mass * share);
            }
        }
        Self::new(atoms, masses)
    }

    /// df1 and df1 − df2.
    fn degrees_of_freedom(&self, kappa: f64) -> (f64, f64) {
        let [df1, gap] = sum_terms(&self.atoms, &self.masses, &self.masses, |t, m, _| {
            let r = 1.0 / (t + kappa);
            let a = m * (t * r);
            [a, a * (kappa * r)]
        });
        (df1, gap)
    }

    fn split(&self, kappa: f64) -> usize {
        self.atoms.partition_point(|&t| t < kappa)
    }

    fn balance(&self, load: &Load, kappa: f64) -> Balance {
        let j = self.split(kappa);
        let (low, high) = self.atoms.split_at(j);
        let (low_mass, high_mass) = self.masses.split_at(j);
        let [falling, falling_slope] = sum_terms(low, low_mass, low_mass, |t, m, _| {
            let r = 1.0 / (t + kappa);
            let a = m * (t * r);
            [a, a * (kappa * r)]
        });
        let [rising, rising_slope] = sum_terms(high, high_mass, high_mass, |t, m, _| {
            let r = 1.0 / (t + kappa);
            let b = m * (kappa * r);
            [b, b * (t * r)]
        });
        let penalty = load.at(kappa);
        let gap = self.above[j] - load.count();
        Balance {
            falling: penalty.value + falling + gap.max(0.0),
            rising: rising + (-gap).max(0.0),
            falling_slope: penalty.slope + falling_slope,
            rising_slope,
        }
    }

    /// Safeguarded Newton on ln A − ln B in ln κ, from `start` inside `bracket`, until a step
    /// is below `tolerance`: the solution and the number of steps.
    fn newton(
        &self,
        load: &Load,
        (mut low, mut high): (f64, f64),
        start: f64,
        tolerance: f64,
        max_steps: usize,
    ) -> (f64, usize) {
        let mut kappa = start.clamp(low, high);
        let mut last = f64::INFINITY;
        for steps in 1..=max_steps {
            let b = self.balance(load, kappa);
            if b.falling > b.rising {
                low = kappa
            } else {
                high = kappa
            }
            let slope = b.falling_slope / b.falling + b.rising_slope / b.rising;
            let step = (b.falling / b.rising).ln() / slope;
            let next = kappa * step.exp();
            if step.abs() <= tolerance {
                return (next, steps);
            }
            // a step that leaves the bracket, does not shrink or is not finite: bisect ln κ
            let good = step.abs() <= 0.6 * last && low < next && next < high;
            kappa = if good { next } else { low.sqrt() * high.sqrt() };
            last = if good { step.abs() } else { f64::INFINITY };
        }
        (kappa, max_steps)
    }
}

/// The fixed point for one measure, any n and ρ, with a second set of weights s (the signal)
/// whose sums are wanted at the root.
#[derive(Debug, Clone)]
pub(super) struct FixedPoint {
    full: Measure,
    coarse: Measure,
    table: Table,
    trace: f64,
    weights: Vec<f64>,
    weight_roundings: u32,
    /// Bounds of what gradual underflow adds to a sum over m and over s: a few 2⁻¹⁰⁷⁴ an atom,
    /// times what they are multiplied with.
    underflow: [f64; 2],
}

/// The sums over atoms at one κ, up to rounding; named as in [`Sums`].
#[derive(Debug, Clone, Copy)]
struct Pass {
    /// Number of atoms below κ.
    split: usize,
    excess: f64,
    low: f64,
    high: f64,
    df1: f64,
    gap: f64,
    df2: f64,
    variance_slope: f64,
    signal: f64,
}

/// Enclosures of the sums over atoms at an exact κ.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sums {
    /// R − n.
    excess: Interval,
    /// Σ_{τ<κ} m t.
    low: Interval,
    /// Σ_{τ≥κ} m q.
    high: Interval,
    /// df1 = Σ m t.
    pub(super) df1: Interval,
    /// df2 = Σ m t².
    pub(super) df2: Interval,
    /// df1 − df2 = Σ m t q.
    pub(super) gap: Interval,
    /// Σ m t² q.
    pub(super) variance_slope: Interval,
    /// Σ s q².
    pub(super) signal: Interval,
}

impl Sums {
    /// nρ/κ = n − df1 where κ is the root of (R1) for the penalty ρ, as B − A without
    /// cancellation against n.
    pub(super) fn penalty(&self) -> Interval {
        (self.high - self.low - self.excess).non_negative()
    }
}

/// What the certificate proves about the root κ of (R1), and the sums at it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Root {
    /// Largest relative distance of the root from the number that was certified.
    delta: f64,
    pub(super) kappa: Interval,
    pub(super) df1: Interval,
    pub(super) df2: Interval,
    /// L.
    pub(super) load: Interval,
    /// df1 − df2 = Σ m t q.
    pub(super) gap: Interval,
    /// −dL/d ln κ + Σ m t q, a sum of positive terms: n − df2 for (R1).
    pub(super) slack: Interval,
    /// Σ s q².
    pub(super) signal: Interval,
}

impl FixedPoint {
    /// `atoms` > 0, ascending; `masses` ≥ 0 on a common binary grid, so that their sums are
    /// exact (see [`on_grid`]); `weights` ≥ 0 known up to `weight_roundings` roundings.
    pub(super) fn new(
        atoms: Vec<f64>,
        masses: Vec<f64>,
        weights: Vec<f64>,
        weight_roundings: u32,
    ) -> Self {
        let full = Measure::new(atoms, masses);
        let coarse = full.coarse();
        let [trace] = sum_terms(&full.atoms, &full.masses, &weights, |t, m, _| [t * m]);
        let count = full.atoms.len() as f64;
        let largest = weights.iter().chain(&full.atoms).fold(1.0_f64, |a, &x| a.max(x));
        let signal = if weights.iter().all(|&s| s == 0.0) { 0.0 } else { 2.0 * count * largest };
        let underflow =
            [full.above[0] + count, signal].map(|scale| scale * 16.0 * f64::from_bits(1));
        let range = (full.atoms[0], full.atoms[full.atoms.len() - 1]);
        let table = Table::new(range, |kappa| coarse.degrees_of_freedom(kappa));
        Self { full, coarse, table, trace, weights, weight_roundings, underflow }
    }

    /// Σ m, exact.
    pub(super) fn rank(&self) -> f64 {
        self.full.above[0]
    }

    pub(super) fn atoms(&self) -> &[f64] {
        &self.full.atoms
    }

    pub(super) fn masses(&self) -> &[f64] {
        &self.full.masses
    }

    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// A numerical solution κ > 0 with the number of Newton steps over all atoms. Needs ρ > 0
    /// or n < rank. No promise: [`certify`](Self::certify) makes it.
    pub(super) fn solve(&self, load: &Load) -> (f64, usize) {
        let (n, ridge, rank) = (load.count(), load.penalty(), self.rank());
        // κ (1 − df1/n)(1 − df1/M) = ρ, M = ∞ for (R1), so κ ≥ ρ; df1 ≤ tr Σ/κ, so κ > 2 tr Σ/n
        // means κ ≤ 4ρ; df1 ≤ rank; n ≥ df1 ≥ rank·τ_min/(τ_min+κ)
        let mut high = 4.0 * ridge + 2.0 * (self.trace / n);
        if n > rank {
            high = high.min(ridge * (n / (n - rank)).powi(2));
        }
        let low = ridge.max(self.full.atoms[0] * ((rank - n) / n));
        let bracket = (low * (1.0 - 1e-9), high * (1.0 + 1e-9));
        let start = match self.table.root(load) {
            Some(start) => start.clamp(bracket.0, bracket.1),
            None => self.coarse.newton(load, bracket, high, 1e-6, 100).0,
        };
        match self.halley(load, start) {
            Some(kappa) => (kappa, 1),
            None => {
                let (kappa, steps) = self.full.newton(load, bracket, start, 2e-8, MAX_STEPS - 1);
                (kappa, steps + 1)
            }
        }
    }

    /// One step of third order from a start so close that it leaves nothing to do.
    fn halley(&self, load: &Load, start: f64) -> Option<f64> {
        let Pass { low, high, gap, variance_slope, excess, .. } = self.pass(load.count(), start);
        let penalty = load.at(start);
        let residual = (penalty.value + low + excess.max(0.0)) - (high + (-excess).max(0.0));
        let slope = penalty.slope + gap;
        // d(m t q)/d ln κ = m t q (t − q) = 2 m t² q − m t q
        let bend = penalty.bend + (2.0 * variance_slope - gap);
        let newton = residual / slope;
        let step = newton - 0.5 * (bend / slope) * newton * newton;
        (newton.abs() <= CLOSE).then_some(start * (1.0 + step * (1.0 + 0.5 * step)))
    }

    /// All sums at κ, in one pass.
    fn pass(&self, n: f64, kappa: f64) -> Pass {
        let Measure { atoms, masses, above } = &self.full;
        let [low, high, df1, gap, df2, variance_slope, signal] =
            sum_terms(atoms, masses, &self.weights, |t, m, s| {
                let below = if t < kappa { m } else { 0.0 };
                let r = 1.0 / (t + kappa);
                let (t, q) = (t * r, kappa * r);
                let mt = m * t;
                let gap = mt * q;
                [below * t, (m - below) * q, mt, gap, mt * t, gap * t, s * q * q]
            });
        let split = self.full.split(kappa);
        let excess = above[split] - n;
        Pass { split, excess, low, high, df1, gap, df2, variance_slope, signal }
    }

    /// All sums at an exact κ > 0, enclosed: one pass with an a-priori rounding bound.
    pub(super) fn sums(&self, n: f64, kappa: f64) -> Sums {
        let pass = self.pass(n, kappa);
        let count = self.full.atoms.len();
        let enclose = |x: f64, roundings: u32| {
            Interval::rounded(x, roundings, self.underflow[0]).non_negative()
        };
        // s q q: where q underflows the other q makes up for s ≤ 1e280, so a few 2⁻¹⁰⁷⁴ an atom
        let tiny = self.underflow[1].min(16.0 * count as f64 * f64::from_bits(1));
        let signal_roundings = QUADRATIC + self.weight_roundings;
        let one_sided = |x: f64, none: bool| if none { Interval::ZERO } else { enclose(x, LINEAR) };
        Sums {
            excess: Interval::point(self.full.above[pass.split]) - Interval::point(n),
            low: one_sided(pass.low, pass.split == 0),
            high: one_sided(pass.high, pass.split == count),
            df1: enclose(pass.df1, LINEAR),
            gap: enclose(pass.gap, QUADRATIC),
            df2: enclose(pass.df2, QUADRATIC),
            variance_slope: enclose(pass.variance_slope, CUBIC),
            signal: Interval::rounded(pass.signal, signal_roundings, tiny).non_negative(),
        }
    }

    /// Σ s t q² at an exact κ, enclosed.
    pub(super) fn signal_slope(&self, kappa: f64) -> Interval {
        let [sum] = sum_terms(&self.full.atoms, &self.weights, &self.weights, |t, _, s| {
            let r = 1.0 / (t + kappa);
            let q = kappa * r;
            [s * q * q * (t * r)]
        });
        self.weighted(sum, CUBIC)
    }

    /// A sum over the weights, whose terms have so many roundings beside theirs.
    fn weighted(&self, sum: f64, roundings: u32) -> Interval {
        let roundings = roundings + self.weight_roundings;
        Interval::rounded(sum, roundings, self.underflow[1]).non_negative()
    }

    /// Proves that the root of the equation lies within a relative distance δ ≤ 1e-12 of
    /// `kappa`, and encloses the sums at the root (R7); `None` when `kappa` is not that close.
    ///
    /// Shares nothing with [`solve`](Self::solve) but the equation.
    pub(super) fn certify(&self, load: &Load, kappa: f64) -> Option<Root> {
        if !(kappa.is_finite() && kappa > 0.0) {
            return None;
        }
        let sums = self.sums(load.count(), kappa);
        let at = Interval::point(kappa);
        let (penalty, penalty_slope) = load.enclose(at);
        let falling = penalty + sums.low + sums.excess.non_negative();
        let rising = sums.high + (-sums.excess).non_negative();
        let slack = penalty_slope + sums.gap;
        // |A − B| ≤ δ e^{−δ} S at κ̃ puts the root within κ̃ e^{±δ}; 1.01 ≥ e^δ
        let residual = (falling - rising).magnitude();
        let delta = 1.01 * (residual / slack.lo()).next_up();
        if delta.is_nan() || delta > MAX_RELATIVE {
            return None;
        }
        Some(Root {
            delta,
            kappa: moved(at, 1.0, delta),
            df1: moved(sums.df1, 1.0, delta),
            df2: moved(sums.df2, 2.0, delta),
            load: moved(penalty, 1.0, delta),
            gap: moved(sums.gap, 1.0, delta),
            slack: moved(slack, 1.0, delta),
            signal: moved(sums.signal, 2.0, delta),
        })
    }

    /// Σ s t q at a root found at `kappa`, enclosed.
    pub(super) fn cross_signal(&self, kappa: f64, root: &Root) -> Interval {
        let Measure { atoms, masses, .. } = &self.full;
        let [sum] = sum_terms(atoms, masses, &self.weights, |t, _, s| {
            let r = 1.0 / (t + kappa);
            [s * (t * r) * (kappa * r)]
        });
        moved(self.weighted(sum, QUADRATIC), 1.0, root.delta)
    }
}

/// The values within a factor e^{±δ} of κ̃ of a sum with logarithmic derivative in [−g, g].
fn moved(x: Interval, g: f64, delta: f64) -> Interval {
    let d = 1.01 * g * delta;
    x * Interval::new(1.0 - d, 1.0 + d)
}

/// `mass` rounded to a multiple of 2⁻⁵²·2^⌈log₂ total⌉, the grid on which sums up to `total`
/// are exact.
pub(super) fn on_grid(mass: f64, total: f64) -> f64 {
    let unit = (total.log2().ceil() - 52.0).exp2();
    (mass / unit).round() * unit
}
