//! The support for a continuous population: one interval (theory page 6e, (C9)).

use num_complex::Complex64;

use super::{ContinuousPopulation, LEVELS, Level, check_tolerance};
use crate::numeric::root::find_root;
use crate::resolvent::ResolventError;
use crate::resolvent::silverstein::{Checked, Reason};

/// The interval of the continuous part of F.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContinuousEdges {
    /// The lower edge; exactly 0 where the population reaches to 0 or c(1 − H({0})) = 1.
    pub lower: Checked<f64>,
    /// The upper edge.
    pub upper: Checked<f64>,
}

impl ContinuousPopulation {
    /// The edges of the support, which is one interval besides the atom at 0 (C9).
    ///
    /// The radii are at most `tolerance` times the edges unless rounding or the finest rule does
    /// not allow it.
    ///
    /// # Errors
    /// Unless 0 < `tolerance` ≤ 1.
    ///
    /// ```
    /// use rootrate::resolvent::ContinuousPopulation;
    /// use rootrate::spectrum::ContinuousLaw;
    /// let law = ContinuousPopulation::new(ContinuousLaw::uniform(1.0, 3.0)?, 0.5)?;
    /// let edges = law.edges(1e-10)?;
    /// assert!(edges.lower.radius() < 1e-10 && edges.upper.radius() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edges(&self, tolerance: f64) -> Result<ContinuousEdges, ResolventError> {
        check_tolerance(tolerance)?;
        let (a, b) = self.law.support();
        let c = self.share;
        let at_zero = c == 1.0 || (a == 0.0 && c < 1.0);
        let lower = if at_zero {
            Checked::Certified { value: 0.0, radius: 0.0 }
        } else if c < 1.0 {
            self.edge((0.0, a), tolerance)
        } else {
            self.edge((b * (1.0 - c.sqrt()) * (1.0 + 1e-12) - 1e-12 * b, 0.0), tolerance)
        };
        let upper = self.edge((b, b * (1.0 + c.sqrt()) * (1.0 + 1e-12)), tolerance);
        Ok(ContinuousEdges { lower, upper })
    }

    /// x at the critical point between the ends of `bracket`.
    fn edge(&self, bracket: (f64, f64), tolerance: f64) -> Checked<f64> {
        let mut best = Checked::Uncertified { value: bracket.0, reason: Reason::Resolution };
        for index in 0..LEVELS {
            let level = self.level(index);
            let slope = |s: f64| self.slope(level, s).0;
            let Ok(root) = find_root(slope, bracket.0, bracket.1) else { continue };
            let Some((value, radius, settled)) = self.edge_near(level, root.midpoint()) else {
                continue;
            };
            if radius < best.radius() {
                best = Checked::Certified { value, radius };
            }
            if settled || radius <= tolerance * value.abs() {
                break;
            }
        }
        best
    }

    /// x at the critical point of the continuous x(u) that a sign change proves near s, the
    /// bound of its error, and whether a finer rule would not help.
    fn edge_near(&self, level: &Level, s: f64) -> Option<(f64, f64, bool)> {
        let zero = Complex64::new(0.0, 0.0);
        let middle = self.enclose(level, Complex64::new(s, 0.0), zero);
        let mut width = 4.0 * f64::EPSILON * s.abs();
        while width < 0.5 * middle.distance {
            let ends = [s - width, s + width].map(|s| self.slope(level, s));
            let [low, high] = ends;
            let opposite =
                (low.0 > low.1 && high.0 < -high.1) || (low.0 < -low.1 && high.0 > high.1);
            if opposite {
                // x' is monotone on either side of [a, b]
                let steepest = (low.0.abs() + low.1).max(high.0.abs() + high.1);
                let radius = 1.01 * (middle.residual_error + width * steepest);
                let settled = middle.truncation <= 0.1 * middle.residual_error;
                return Some((middle.residual.re, radius, settled));
            }
            width *= 4.0;
        }
        None
    }

    /// x'(s) of the rule for real s, with its error bound.
    fn slope(&self, level: &Level, s: f64) -> (f64, f64) {
        let zero = Complex64::new(0.0, 0.0);
        let at = self.enclose(level, Complex64::new(s, 0.0), zero);
        (at.slope.re, at.slope_error)
    }
}
