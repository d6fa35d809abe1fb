//! Between-component variance and label information on a line, by the trapezoidal rule.

use super::reduced::Reduced;
use crate::entropy::EntropyError;
use crate::entropy::label::posterior;
use crate::evidence::{Estimated, Evidence};

/// The first step, in the variable t of [`Map`].
const FIRST_STEP: f64 = 0.25;
/// Halvings of the step at most.
const HALVINGS: usize = 12;
/// Relative change on halving at which the rule has converged: it converges exponentially, so
/// the error left is far smaller.
const CONVERGED: f64 = 1e-9;
/// Relative change that is too large to return at all.
const USELESS: f64 = 1e-3;
/// Standard deviations at which the integral is cut: e^{−40²/2} underflows.
const CUT: f64 = 40.0;

/// The remainders of (Q1) and (Q2) for a mixture on a line.
///
/// ∫ p(x) f(x) dx with f the posterior variance of μₖ(x), or KL(r(x) ‖ w). The trapezoidal rule
/// in t, x = x(t) the inverse of [`Map`]: the map resolves every component at its own width, so
/// narrow and wide components cost the same, and the rule converges exponentially. The estimate
/// is the last change on halving, plus rounding, plus the relative error of ∫ p = 1.
pub(super) fn between(mixture: &Reduced, sigma: f64) -> Result<(Evidence, Evidence), EntropyError> {
    let widths: Vec<f64> = mixture.variances.iter().map(|v| sigma.hypot(v.sqrt())).collect();
    let map = Map::new(&mixture.means, &widths);
    let (low, high) = (map.low, map.high);
    let mut logs = vec![0.0; widths.len()];
    let mut march = |start: f64, step: f64| {
        let mut sums = [0.0; 3];
        let mut t = start;
        let mut x = map.invert(t, map.first);
        let mut index = 0.0;
        while t < high {
            let (density, values) = integrand(mixture, &widths, sigma, x, &mut logs);
            let weight = density / map.slope(x);
            for (s, v) in sums.iter_mut().zip([1.0, values[0], values[1]]) {
                *s += weight * v;
            }
            index += 1.0;
            t = start + index * step;
            x = map.invert(t, x + step / map.slope(x));
        }
        sums.map(|s| s * step)
    };
    let mut step = FIRST_STEP;
    let mut sums = march(low, step);
    let mut calm = false;
    for halving in 1..=HALVINGS {
        let middle = march(low + 0.5 * step, step);
        let halved: [f64; 3] = std::array::from_fn(|i| 0.5 * (sums[i] + middle[i]));
        let change: [f64; 3] = std::array::from_fn(|i| (halved[i] - sums[i]).abs());
        (step, sums) = (0.5 * step, halved);
        let within = |tolerance: f64| (0..3).all(|i| change[i] <= tolerance * sums[i]);
        // two calm halvings in a row: one could be an accident of the grid
        let converged = within(CONVERGED) && calm;
        calm = within(CONVERGED);
        if converged || (halving == HALVINGS && within(USELESS)) {
            let rounding = 16.0 * f64::EPSILON * (8.0 + (high - low) + widths.len() as f64);
            let relative = rounding + (sums[0] - 1.0).abs();
            let evidence = |i: usize| -> Evidence {
                // an exponent of size |ln sum| carries that many roundings into its exponential
                let exponent = 8.0 * f64::EPSILON * sums[i].max(f64::MIN_POSITIVE).ln().abs();
                let estimate = change[i] + (relative + exponent) * sums[i];
                Estimated { value: sums[i], estimate }.into()
            };
            return Ok((evidence(1), evidence(2)));
        }
    }
    Err(EntropyError::NoConvergence {
        method: "quadrature of a mixture",
        sigma: sigma * mixture.scale,
        reason: format!("no convergence at {HALVINGS} halvings of the step"),
    })
}

/// The density p(x), and at x the posterior variance of μₖ and KL(r ‖ w).
fn integrand(
    mixture: &Reduced,
    widths: &[f64],
    sigma: f64,
    x: f64,
    logs: &mut [f64],
) -> (f64, [f64; 2]) {
    let (m, v) = (&mixture.means, &mixture.variances);
    // relative to the likeliest component, differences near it keep all their digits
    let rough = |k: usize| -0.5 * ((x - m[k]) / widths[k]).powi(2) - widths[k].ln();
    let reference = (0..m.len()).max_by(|&i, &j| rough(i).total_cmp(&rough(j))).unwrap_or(0);
    let (m0, v0, s0) = (m[reference], v[reference], widths[reference]);
    let y = x - m0;
    for (k, log) in logs.iter_mut().enumerate() {
        *log = log_ratio(y, m[k] - m0, (v[k], widths[k]), (v0, s0));
    }
    let label = posterior(&mixture.weights, logs);
    let density = (label.log_sum - 0.5 * (y / s0) * (y / s0)).exp()
        / (s0 * (2.0 * std::f64::consts::PI).sqrt());
    let offset = |k: usize| mean_offset(sigma, y, m[k] - m0, (v[k], widths[k]), (v0, s0));
    let mean: f64 = logs.iter().enumerate().map(|(k, r)| r * offset(k)).sum();
    let variance = logs.iter().enumerate().map(|(k, r)| r * (offset(k) - mean).powi(2)).sum();
    (density, [variance, label.divergence])
}

/// ln N(y; Δ, s²) − ln N(y; 0, s0²) with s² = v + σ²: small when the components are alike.
pub(super) fn log_ratio(y: f64, delta: f64, (v, s): (f64, f64), (v0, s0): (f64, f64)) -> f64 {
    let excess = (v - v0) / s0 / s0;
    // 1 + excess = (s/s0)²
    let log_width = if excess.abs() < 0.5 { 0.5 * excess.ln_1p() } else { (s / s0).ln() };
    let a = y / s;
    -log_width + 0.5 * a * a * excess + delta / s * (a - 0.5 * delta / s)
}

/// μₖ(x) − μ₀(x) at x = m₀ + y, with Δ = mₖ − m₀: (σ²/s²)·(Δ + y (v−v0)/s0²).
pub(super) fn mean_offset(
    sigma: f64,
    y: f64,
    delta: f64,
    (v, s): (f64, f64),
    (v0, s0): (f64, f64),
) -> f64 {
    let shrink = sigma / s;
    shrink * shrink * (delta + y * ((v - v0) / s0 / s0))
}

/// t(x) = Σ asinh((x − mₐ)/sₐ) over anchors: components none of which lies within the width of
/// a narrower one. Its nodes are dense on the scale s near mₐ and geometric in between.
#[derive(Debug)]
struct Map {
    anchors: Vec<(f64, f64)>,
    /// Mean of the narrowest component: where Newton's method starts.
    first: f64,
    /// t at the cuts below the lowest and above the highest component.
    low: f64,
    high: f64,
}

impl Map {
    fn new(means: &[f64], widths: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..means.len()).collect();
        order.sort_by(|&i, &j| widths[i].total_cmp(&widths[j]).then(means[i].total_cmp(&means[j])));
        let mut anchors: Vec<(f64, f64)> = Vec::new();
        for k in order {
            let (m, s) = (means[k], widths[k]);
            if anchors.iter().all(|&(a, w)| (m - a).hypot(w) > 1.5 * s) {
                anchors.push((m, s));
            }
        }
        let first = anchors[0].0;
        let mut map = Self { anchors, first, low: 0.0, high: 0.0 };
        let cut = |sign: f64| means.iter().zip(widths).map(move |(m, s)| m + sign * CUT * s);
        map.low = map.value(cut(-1.0).fold(f64::INFINITY, f64::min));
        map.high = map.value(cut(1.0).fold(f64::NEG_INFINITY, f64::max));
        map
    }

    fn value(&self, x: f64) -> f64 {
        self.anchors.iter().map(|&(m, s)| ((x - m) / s).asinh()).sum()
    }

    fn slope(&self, x: f64) -> f64 {
        self.anchors.iter().map(|&(m, s)| 1.0 / (x - m).hypot(s)).sum()
    }

    /// x with t(x) = t from a starting point: Newton steps within a bracket, to rounding.
    fn invert(&self, t: f64, start: f64) -> f64 {
        let rounding = 4.0 * f64::EPSILON * (self.high - self.low);
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut x = start;
        for _ in 0..200 {
            let excess = self.value(x) - t;
            if excess.abs() <= rounding {
                break;
            }
            if excess > 0.0 {
                high = x
            } else {
                low = x
            }
            let newton = x - excess / self.slope(x);
            // no further within the doubles (and a bracket may still be infinite)
            if newton == x {
                break;
            }
            x = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        }
        x
    }
}
