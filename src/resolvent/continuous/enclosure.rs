//! x(u), x'(u) and the resolvent of the population with proved errors (theory page 6e, (C6)).

use num_complex::Complex64;

use super::{ContinuousPopulation, Level};
use crate::numeric::CompensatedSum;

const U: f64 = 0.5 * f64::EPSILON;

/// The values of one rule at u, with bounds of their distance from those of the continuous H.
#[derive(Debug, Clone, Copy)]
pub(super) struct Enclosure {
    /// x(u) − z.
    pub(super) residual: Complex64,
    pub(super) residual_error: f64,
    /// The part of `residual_error` that a finer rule reduces.
    pub(super) truncation: f64,
    /// x'(u).
    pub(super) slope: Complex64,
    pub(super) slope_error: f64,
    /// ∫dH₊/(τ−u) over the continuous part, normalised to mass one.
    pub(super) resolvent: Complex64,
    pub(super) resolvent_error: f64,
    /// A lower bound of the distance of u from [a, b].
    pub(super) distance: f64,
}

impl ContinuousPopulation {
    /// One pass over the nodes.
    pub(super) fn enclose(&self, level: &Level, u: Complex64, z: Complex64) -> Enclosure {
        let rule = &level.rule;
        let (mut first, mut second, mut third) = <(Complex, Complex, Complex)>::default();
        // Σh|q|, Σh|q|², Σh|q|/|τ−u|, Σh/|τ−u| with q = τ/(u−τ)
        let (mut size, mut squares, mut moved, mut inverse) = (0.0, 0.0, 0.0, 0.0);
        for (&t, &h) in rule.atoms.iter().zip(&rule.weights) {
            let d = Complex64::new(u.re - t, u.im);
            let modulus = d.norm();
            let reciprocal = Complex64::new(d.re / modulus / modulus, -d.im / modulus / modulus);
            let q = t * reciprocal;
            first.add(h * q);
            second.add(h * q * q);
            third.add(-h * reciprocal);
            let magnitude = t / modulus;
            size += h * magnitude;
            squares += h * magnitude * magnitude;
            moved += h * magnitude / modulus;
            inverse += h / modulus;
        }
        let c = self.share;
        let (linear, quadratic) = self.law.quadrature_errors(level.nodes, u);
        let distance = self.distance(u);
        // relative change of 1/(τ−u) by the nodes' errors is below 1/20, or nothing is proved
        let (low, high) = self.law.support();
        let atom = if rule.atom_error * (high + low) * 20.0 < distance {
            1.06 * rule.atom_error
        } else {
            f64::INFINITY
        };
        let weight = rule.weight_error + 40.0 * U + rule.atoms.len() as f64 * U * U;
        let modulus = u.norm();
        let truncation = 1.01 * c * modulus * linear;
        let rounding = c * modulus * (weight * size + atom * modulus * moved)
            + 8.0 * U * (modulus + z.norm() + c * modulus * size);
        Enclosure {
            residual: (u - z) + c * u * first.value(),
            residual_error: 1.01 * (truncation + rounding),
            truncation,
            slope: 1.0 - c * second.value(),
            slope_error: 1.01
                * (c * (squares * (weight + 2.1 * atom * modulus / distance) + quadratic)
                    + 4.0 * U * (1.0 + c * squares)),
            resolvent: third.value(),
            resolvent_error: 1.01 * (weight * inverse + atom * moved + 2.0 * linear / modulus),
            distance,
        }
    }

    /// A lower bound of the distance of u from the interval [a, b].
    pub(super) fn distance(&self, u: Complex64) -> f64 {
        let (low, high) = self.law.support();
        let outside = (low - u.re).max(u.re - high).max(0.0);
        (outside.hypot(u.im) * (1.0 - 8.0 * U) - 16.0 * U * high).max(0.0)
    }
}

/// A compensated complex sum.
#[derive(Default)]
struct Complex {
    re: CompensatedSum,
    im: CompensatedSum,
}

impl Complex {
    fn add(&mut self, x: Complex64) {
        self.re.add(x.re);
        self.im.add(x.im);
    }

    fn value(&self) -> Complex64 {
        Complex64::new(self.re.value(), self.im.value())
    }
}
