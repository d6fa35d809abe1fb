//! Piecewise Chebyshev series for non-negative functions, with exact integrals.
//!
//! A density is stored panel by panel as the *square* of an interpolant of its square root:
//! it is non-negative by construction, its integral is a polynomial that is monotone up to
//! rounding, and it keeps its relative accuracy where it decays over hundreds of orders of
//! magnitude. Panels are bisected until the interpolant is resolved to a tolerance relative to
//! the panel's own maximum.
//!
//! Source of the fit: interpolation in first-kind Chebyshev points, Trefethen, *Approximation
//! Theory and Approximation Practice* (SIAM, 2013), chapters 3, 8 and 18.

use std::f64::consts::PI;

/// Interpolation nodes a panel.
const NODES: usize = 24;
/// Panels wider than this are cut before the first fit, so that features of unit width in the
/// variable cannot fall between the nodes.
const WIDEST_PANEL: f64 = 2.0;
/// Panels narrower than this may span decades: the function goes to zero there.
const NARROW_PANEL: f64 = 1e-6;
/// Bisections of one initial panel.
const MAX_DEPTH: u32 = 44;
/// Panels in all; beyond it panels are accepted as they are, with their error estimate.
const MAX_PANELS: usize = 6_000;
/// Offsets of the points at which a fit is probed between its nodes.
const PROBES: [f64; 4] = [-0.9912, -0.3141, 0.2247, 0.9863];

/// A non-negative piecewise polynomial on `[breaks[0], breaks[last]]`.
#[derive(Debug, Clone)]
pub struct PiecewiseChebyshev {
    breaks: Vec<f64>,
    panels: Vec<Panel>,
    /// Integral up to each break.
    cumulative: Vec<f64>,
}

#[derive(Debug, Clone)]
struct Panel {
    /// Chebyshev coefficients of the function.
    value: Vec<f64>,
    /// Chebyshev coefficients of the integral from the panel's left end, in the variable x.
    integral: Vec<f64>,
    /// Estimate of the pointwise error.
    error: f64,
}

/// A fit of √f on one panel, before it is accepted.
struct Candidate {
    root: Vec<f64>,
    largest: f64,
    smallest: f64,
    residual: f64,
    /// Error of √f that the caller reported for its own values.
    noise: f64,
    /// Largest error of f that the caller reported.
    value_error: f64,
}

impl PiecewiseChebyshev {
    /// Fits f ≥ 0 on the panels given by increasing `breaks`, bisecting each until √f is
    /// resolved to `tolerance` times its maximum in the panel.
    ///
    /// `f(x)` returns the value and the absolute error it carries; a panel is not refined
    /// below that noise, nor when bisection no longer helps. Cost: 28 evaluations a panel;
    /// a decay of √f by two orders of magnitude takes one panel.
    ///
    /// # Errors
    /// Whatever `f` returns.
    pub fn fit<E>(
        breaks: &[f64],
        tolerance: f64,
        mut f: impl FnMut(f64) -> Result<(f64, f64), E>,
    ) -> Result<Self, E> {
        let mut stack = Vec::new();
        for pair in breaks.windows(2).rev() {
            let pieces = ((pair[1] - pair[0]) / WIDEST_PANEL).ceil().clamp(1.0, 2e3) as usize;
            let at = |i: usize| match i {
                0 => pair[0],
                i if i == pieces => pair[1],
                i => pair[0] + (pair[1] - pair[0]) * i as f64 / pieces as f64,
            };
            stack.extend((0..pieces).rev().map(|i| (at(i), at(i + 1), 0, f64::INFINITY)));
        }
        let mut out = Self::empty(breaks[0]);
        while let Some((a, b, depth, parent)) = stack.pop() {
            let fit = Candidate::new(a, b, &mut f)?;
            let relative = fit.residual / fit.largest.max(f64::MIN_POSITIVE);
            // x is known to an ulp, which is this much of the panel.
            let ulps = 4.0 * f64::EPSILON * a.abs().max(b.abs()) / (b - a);
            // A panel that spans decades would lose relative accuracy at its low end.
            let even = fit.smallest >= 0.01 * fit.largest || b - a < NARROW_PANEL;
            let resolved = fit.residual <= 2.0 * fit.noise
                || (even && fit.residual <= (tolerance + ulps) * fit.largest);
            // Bisection of a resolved analytic function gains a factor 2^24, not 4.
            let stalled = parent < 1e-9 && relative > 0.25 * parent;
            let middle = 0.5 * a + 0.5 * b;
            let exhausted = depth >= MAX_DEPTH
                || out.panels.len() + stack.len() >= MAX_PANELS
                || middle <= a
                || middle >= b;
            if resolved || stalled || exhausted {
                out.push(b, fit.square(b - a));
            } else {
                stack.push((middle, b, depth + 1, relative));
                stack.push((a, middle, depth + 1, relative));
            }
        }
        Ok(out)
    }

    /// The piecewise linear function through `(nodes[i], values[i])`, nodes increasing,
    /// values ≥ 0.
    pub fn linear(nodes: &[f64], values: &[f64]) -> Self {
        let mut out = Self::empty(nodes[0]);
        for (x, y) in nodes.windows(2).zip(values.windows(2)) {
            let value = vec![0.5 * (y[0] + y[1]), 0.5 * (y[1] - y[0])];
            out.push(x[1], Panel::new(value, x[1] - x[0], 0.0));
        }
        out
    }

    fn empty(start: f64) -> Self {
        Self { breaks: vec![start], panels: Vec::new(), cumulative: vec![0.0] }
    }

    fn push(&mut self, end: f64, panel: Panel) {
        let mass = sum_at_one(&panel.integral).max(0.0);
        self.cumulative.push(self.cumulative[self.cumulative.len() - 1] + mass);
        self.breaks.push(end);
        self.panels.push(panel);
    }

    /// The panels' ends, increasing.
    pub fn breaks(&self) -> &[f64] {
        &self.breaks
    }

    /// The integral over everything.
    pub fn total(&self) -> f64 {
        self.cumulative[self.cumulative.len() - 1]
    }

    /// Estimate of ∫|f − fit| dx.
    pub fn error(&self) -> f64 {
        self.panels.iter().zip(self.breaks.windows(2)).map(|(p, x)| p.error * (x[1] - x[0])).sum()
    }

    /// The ends of the smallest union of neighbouring panels that carries all of the integral.
    pub fn support(&self) -> (f64, f64) {
        let first = self.cumulative.partition_point(|&c| c <= 0.0).max(1) - 1;
        let last = self.cumulative.partition_point(|&c| c < self.total());
        (self.breaks[first], self.breaks[last])
    }

    fn panel(&self, x: f64) -> usize {
        self.breaks.partition_point(|&b| b <= x).clamp(1, self.panels.len()) - 1
    }

    fn local(&self, panel: usize, x: f64) -> f64 {
        let (a, b) = (self.breaks[panel], self.breaks[panel + 1]);
        (((x - a) - (b - x)) / (b - a)).clamp(-1.0, 1.0)
    }

    /// The value at x with the estimate of its error; 0 outside.
    pub fn value(&self, x: f64) -> (f64, f64) {
        if !(self.breaks[0] <= x && x <= self.breaks[self.breaks.len() - 1]) {
            return (0.0, 0.0);
        }
        let i = self.panel(x);
        (clenshaw(&self.panels[i].value, self.local(i, x)).max(0.0), self.panels[i].error)
    }

    /// The integral from the left end to x, within [0, total].
    pub fn integral(&self, x: f64) -> f64 {
        if x.is_nan() || x <= self.breaks[0] {
            return 0.0;
        }
        if x >= self.breaks[self.breaks.len() - 1] {
            return self.total();
        }
        let i = self.panel(x);
        let inside = clenshaw(&self.panels[i].integral, self.local(i, x));
        (self.cumulative[i] + inside).clamp(self.cumulative[i], self.cumulative[i + 1])
    }

    /// The x at which the integral reaches `target`, to machine precision: the left end of the
    /// support for `target ≤ 0`, its right end for `target ≥ total`.
    pub fn inverse_integral(&self, target: f64) -> f64 {
        let (left, right) = self.support();
        if target <= 0.0 {
            return left;
        }
        if target >= self.total() {
            return right;
        }
        let i = self.cumulative.partition_point(|&c| c <= target).clamp(1, self.panels.len()) - 1;
        let (a, b) = (self.breaks[i], self.breaks[i + 1]);
        let half = 0.5 * (b - a);
        let rest = target - self.cumulative[i];
        let mass = self.cumulative[i + 1] - self.cumulative[i];
        let panel = &self.panels[i];
        let t = solve_increasing(rest, (-1.0, 1.0), 2.0 * rest / mass - 1.0, |t| {
            (clenshaw(&panel.integral, t), half * clenshaw(&panel.value, t))
        });
        if t < 0.0 { a + half * (1.0 + t) } else { b - half * (1.0 - t) }
    }

    /// ∫(x − centre)^power f dx for power 1 or 2, exact for the stored polynomials.
    pub fn central_moment(&self, centre: f64, power: u32) -> f64 {
        let mut sum = 0.0;
        for (panel, x) in self.panels.iter().zip(self.breaks.windows(2)) {
            let half = 0.5 * (x[1] - x[0]);
            let shift = 0.5 * (x[0] + x[1]) - centre;
            let [m0, m1, m2] = polynomial_moments(&panel.value);
            sum += half
                * match power {
                    1 => shift * m0 + half * m1,
                    _ => shift * shift * m0 + 2.0 * shift * half * m1 + half * half * m2,
                };
        }
        sum
    }
}

impl Candidate {
    fn new<E>(a: f64, b: f64, f: &mut impl FnMut(f64) -> Result<(f64, f64), E>) -> Result<Self, E> {
        let at = |t: f64| {
            if t < 0.0 { a + 0.5 * (b - a) * (1.0 + t) } else { b - 0.5 * (b - a) * (1.0 - t) }
        };
        let (mut largest, mut noise, mut value_error) = (0.0_f64, 0.0_f64, 0.0_f64);
        let mut smallest = f64::INFINITY;
        let mut root = |t: f64| -> Result<f64, E> {
            let (value, error) = f(at(t))?;
            let r = value.max(0.0).sqrt();
            largest = largest.max(r);
            smallest = smallest.min(r);
            value_error = value_error.max(error);
            if error > 0.0 {
                noise = noise.max(0.5 * error / r.max(error.sqrt()));
            }
            Ok(r)
        };
        let mut samples = [0.0; NODES];
        for (k, s) in samples.iter_mut().enumerate() {
            *s = root((PI * (k as f64 + 0.5) / NODES as f64).cos())?;
        }
        let coefficients = interpolate(&samples);
        let mut residual = coefficients[NODES - 1].abs() + coefficients[NODES - 2].abs();
        for t in PROBES {
            residual = residual.max((root(t)? - clenshaw(&coefficients, t)).abs());
        }
        Ok(Self { root: coefficients, largest, smallest, residual, noise, value_error })
    }

    /// The panel of f = (√f)², coefficients below rounding trimmed.
    fn square(self, width: f64) -> Panel {
        let keep =
            1 + self.root.iter().rposition(|c| c.abs() > 1e-17 * self.largest).unwrap_or_default();
        let root = &self.root[..keep];
        let mut value = vec![0.0; 2 * keep - 1];
        // T_j T_k = ½ (T_{j+k} + T_{|j−k|})
        for (j, &a) in root.iter().enumerate() {
            for (k, &b) in root.iter().enumerate() {
                value[j + k] += 0.5 * a * b;
                value[j.abs_diff(k)] += 0.5 * a * b;
            }
        }
        let error = 2.0 * self.largest * self.residual + self.value_error;
        Panel::new(value, width, error)
    }
}

impl Panel {
    fn new(value: Vec<f64>, width: f64, error: f64) -> Self {
        let integral = integrate(&value, 0.5 * width);
        Self { value, integral, error }
    }
}

/// Coefficients of the interpolant through samples at cos(π(k+½)/n).
fn interpolate(samples: &[f64; NODES]) -> Vec<f64> {
    let n = NODES as f64;
    (0..NODES)
        .map(|j| {
            let sum: f64 = samples
                .iter()
                .enumerate()
                .map(|(k, s)| s * (PI * ((2 * k + 1) * j % (4 * NODES)) as f64 / (2.0 * n)).cos())
                .sum();
            sum * if j == 0 { 1.0 } else { 2.0 } / n
        })
        .collect()
}

/// Coefficients of half·∫_{−1}^t, by ∫T_k = ½ [T_{k+1}/(k+1) − T_{k−1}/(k−1)].
fn integrate(c: &[f64], half: f64) -> Vec<f64> {
    let at = |k: usize| c.get(k).copied().unwrap_or(0.0);
    let mut out = vec![0.0; c.len() + 1];
    for (k, o) in out.iter_mut().enumerate().skip(1) {
        let lower = if k == 1 { 2.0 * at(0) } else { at(k - 1) };
        *o = half * (lower - at(k + 1)) / (2 * k) as f64;
    }
    out[0] = -(1..out.len()).map(|k| if k % 2 == 0 { out[k] } else { -out[k] }).sum::<f64>();
    out
}

/// ∫p, ∫tp, ∫t²p over [−1, 1].
fn polynomial_moments(c: &[f64]) -> [f64; 3] {
    let unit = |k: usize| {
        if k.is_multiple_of(2) { 2.0 / (1.0 - (k as f64) * (k as f64)) } else { 0.0 }
    };
    let mut m = [0.0; 3];
    for (k, &a) in c.iter().enumerate() {
        m[0] += a * unit(k);
        m[1] += 0.5 * a * (unit(k + 1) + unit(k.abs_diff(1)));
        m[2] += 0.25 * a * (unit(k + 2) + 2.0 * unit(k) + unit(k.abs_diff(2)));
    }
    m
}

fn clenshaw(c: &[f64], t: f64) -> f64 {
    let (mut b1, mut b2) = (0.0, 0.0);
    for &a in c[1..].iter().rev() {
        (b1, b2) = (2.0 * t * b1 - b2 + a, b1);
    }
    c[0] + t * b1 - b2
}

fn sum_at_one(c: &[f64]) -> f64 {
    c.iter().sum()
}

/// The root of F(x) = target for increasing F on a bracket: Newton steps, replaced by
/// bisection where they leave the bracket or do not shrink; ends when a step is below half an
/// ulp of the bracket's larger end, or F within an ulp of its target. `f` returns F and F′.
pub fn solve_increasing(
    target: f64,
    (mut low, mut high): (f64, f64),
    start: f64,
    f: impl Fn(f64) -> (f64, f64),
) -> f64 {
    let mut x = start.clamp(low, high);
    let resolution = 0.5 * f64::EPSILON * low.abs().max(high.abs());
    let mut last_step = high - low;
    for _ in 0..200 {
        let (value, slope) = f(x);
        let residual = value - target;
        if residual == 0.0 {
            return x;
        }
        if residual < 0.0 {
            low = x
        } else {
            high = x
        }
        let newton = x - residual / slope;
        let step = (newton - x).abs();
        if step <= resolution || residual.abs() <= f64::EPSILON * target.abs() {
            return newton.clamp(low, high);
        }
        let next = if newton > low && newton < high && step < 0.7 * last_step {
            newton
        } else {
            0.5 * low + 0.5 * high
        };
        last_step = (next - x).abs();
        if last_step <= resolution || next <= low || next >= high {
            return next;
        }
        x = next;
    }
    x
}
