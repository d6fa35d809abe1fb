//! One edge of the support: the critical point s of x(u), proved (U6), (U7).

use std::f64::consts::PI;

use super::base::Base;
use super::phi::Phi;
use super::population::Population;
use crate::evidence::Certified;
use crate::numeric::double_double::DoubleDouble;

/// Newton steps in double-double: quadratic from a double; more only in the thinnest gaps.
const STEPS: usize = 12;
/// Relative slack that covers the roundings of the bounds below, few dozen of 2⁻⁵³ each.
const SLACK: f64 = 1.0 + 64.0 * f64::EPSILON;

/// An edge e of a component of the support.
#[derive(Debug, Clone)]
pub struct Edge {
    /// Position e.
    pub position: Certified,
    /// A in f(x) ~ A √|x−e|, per unit^{3/2}; at a hard edge at 0 f(x) ~ A/√x.
    pub coefficient: Certified,
    /// Whether this is a hard edge at x = 0: c(1 − H{0}) = 1, up to the rounding of the weights.
    pub hard: bool,
    /// The expansion about (a double-double next to) the critical point s of x(u).
    pub(crate) base: Base,
}

impl Edge {
    /// The edge whose critical point s* Newton's method reaches from `start`; φ decreases
    /// through 1 at s* for `falling`, else it increases. Where the enclosure of s* fails, what
    /// is known is that s* lies in `interval`, on which φ is monotone: its width if s lies there
    /// too; otherwise, or without an interval, the radii are infinite.
    pub(super) fn refine(
        population: &Population,
        start: DoubleDouble,
        falling: bool,
        interval: Option<(f64, f64)>,
    ) -> Self {
        let mut base = Base::at(population, start);
        let mut phi = Phi::at(population, start);
        for _ in 0..STEPS {
            if base.slope.abs() <= 2.0 * base.slope_error || phi.flattest() <= 0.0 {
                break;
            }
            let step = Phi::newton(-base.slope, phi.first);
            let next = base.s.plus(step);
            let next_base = Base::at(population, next);
            let better = next_base.slope.abs() < base.slope.abs();
            if !better {
                break;
            }
            base = next_base;
            phi = Phi::at(population, next);
        }
        let monotone = if falling { phi.first < 0.0 } else { phi.first > 0.0 };
        let defect = (base.slope.abs() + base.slope_error) * SLACK;
        let radius = match enclosure(population, base.s, &phi, defect) {
            Some(radius) if monotone => radius,
            _ => interval
                .filter(|&(low, high)| low < base.s.hi && base.s.hi < high)
                .map_or(f64::INFINITY, |(low, high)| (high - low) * SLACK),
        };
        // x' runs monotonically from its value at s to 0 at s*
        let x_radius = (base.x_error + radius * defect + base.x.lo.abs()) * SLACK;
        Self {
            position: Certified::new(base.x.hi, x_radius),
            coefficient: coefficient(population, base.s, &phi, radius),
            hard: false,
            base,
        }
    }

    /// The hard edge at 0: |1 − c(1−H{0})| is 0 or below the error of its evaluation.
    pub(super) fn hard(population: &Population) -> Self {
        let base = Base::zero(population);
        let defect = base.slope.abs() + base.slope_error;
        let top = population.atoms[population.atoms.len() - 1];
        let sum: f64 = population.pairs().map(|(t, a)| a / t).sum();
        let value = sum.sqrt() / (PI * population.ratio);
        let relative = (16.0 + population.atoms.len() as f64) * f64::EPSILON + 4.0 * defect;
        Self {
            position: Certified::new(0.0, 2.0 * defect * defect * top * SLACK),
            coefficient: Certified::new(value, value * relative),
            hard: true,
            base,
        }
    }
}

/// A radius r with |s − s*| ≤ r, from |φ(s) − 1| ≤ `defect` and the derivatives at s (U6).
fn enclosure(population: &Population, s: DoubleDouble, phi: &Phi, defect: f64) -> Option<f64> {
    let radius = 2.0 * defect / phi.flattest() * SLACK;
    let nearest = distance_to_poles(population, s);
    // |φ''| within the radius, (1 − 1/64)⁻⁴ < 1.07
    let curvature = 1.07 * phi.second * (1.0 + 2.0 * phi.relative);
    let proved = phi.flattest() > 0.0
        && radius * 64.0 <= nearest
        && radius * curvature * SLACK <= phi.flattest();
    proved.then_some(radius)
}

/// minⱼ |s − τⱼ|, within a factor 1 ± 4u.
pub(super) fn distance_to_poles(population: &Population, s: DoubleDouble) -> f64 {
    let above = population.atoms.partition_point(|&t| t < s.hi);
    let near = above.saturating_sub(1)..(above + 2).min(population.atoms.len());
    population.atoms[near].iter().map(|t| ((s.hi - t) + s.lo).abs()).fold(f64::INFINITY, f64::min)
}

/// A = √(2/|x''(s)|)/(πc s²) with x'' = −φ' (U7).
fn coefficient(population: &Population, s: DoubleDouble, phi: &Phi, radius: f64) -> Certified {
    let value = (2.0 / phi.first.abs()).sqrt() / (PI * population.ratio * s.hi * s.hi);
    let curvature = 1.07 * phi.second * (1.0 + 2.0 * phi.relative);
    let slope_error = 2.0 * phi.relative * phi.first_size + radius * curvature;
    let (by_slope, by_s) = (slope_error / phi.first.abs(), radius / s.hi.abs());
    let relative = if by_slope < 0.5 && by_s < 0.1 {
        by_slope + 2.5 * by_s + 16.0 * f64::EPSILON
    } else {
        f64::INFINITY
    };
    Certified::new(value, value * relative)
}
