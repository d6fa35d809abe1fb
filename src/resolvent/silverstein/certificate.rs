//! The certificate: a proof that a root of x(u) = z lies near a candidate, on the right branch.
//!
//! It uses the population, an expansion of x(u) about a base point, and z: no solver and no edge
//! finder. Theory page 6b.

use num_complex::Complex64;

use super::base::Base;
use super::checked::Reason;
use super::population::Population;
use super::sums::{Sums, Table, Weights};

/// Unit roundoff u.
pub(super) const U: f64 = 0.5 * f64::EPSILON;
/// Covers the rounding of the bounds themselves, and of the sums that only enter bounds (K4).
pub(super) const ROOM: f64 = 1.01;
/// Underflow of one operation, with room: 2⁻¹⁰⁶⁰.
pub(super) const UNDERFLOW: f64 = f64::MIN_POSITIVE / (1_u64 << 38) as f64;
/// Largest |w| for which no term overflows.
const FARTHEST: f64 = 1e100;
/// Largest |w|/min|u−τ|: beyond it the rounding of the distances to the poles is not small.
const STEEPEST: f64 = 1e13;

/// A bound with the underflow of `operations` ≥ 1 added. Where that is far below what [`ROOM`]
/// leaves it is left out: a product with a subnormal number takes as long as a hundred others.
fn with_underflow(bound: f64, operations: f64) -> f64 {
    if operations * f64::MIN_POSITIVE <= 1e-10 * bound {
        bound
    } else {
        bound + operations * UNDERFLOW
    }
}

/// The root u = s + w̃ of x(u) = z in the closed upper half plane, or its limit from above.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Proof {
    /// |w̃ − w| ≤ radius.
    pub(crate) radius: f64,
    /// x'(s + w).
    pub(crate) slope: Complex64,
    /// |x'(s + w̃) − slope| ≤ slope_radius.
    pub(crate) slope_radius: f64,
    /// The root is real: z is real and outside the support.
    pub(crate) real: bool,
}

/// The roots u = s + w̃ of x(u) = z in the closed upper half plane, Im z ≥ 0, near candidates w
/// about one base: one pass over the atoms for a vector of points; each result depends on its
/// own point only.
pub(crate) fn certify(
    population: &Population,
    base: &Base,
    z: &[Complex64],
    w: &[Complex64],
) -> Vec<Result<Proof, Reason>> {
    let table = Table::new(population, base, Weights::Curvature);
    let sums = table.sums(w);
    let points = z.iter().zip(w).zip(&sums);
    points.map(|((&z, &w), sums)| Residual::new(base, &table, z, w, sums)?.judge(z, w)).collect()
}

/// F = x(s+w) − z and F' = x'(s+w) with proved errors, and what bounds x''.
#[derive(Debug)]
struct Residual {
    /// F.
    value: Complex64,
    /// |F|, with its error.
    size: f64,
    /// Error of F.
    error: f64,
    /// F'.
    slope: Complex64,
    /// Error of F'.
    slope_error: f64,
    /// ≤ min|u − τ|.
    nearest: f64,
    /// ≥ cΣhτ²/|u−τ|².
    third: f64,
    /// Whether the error of the base dominates.
    blurred: bool,
}

impl Residual {
    fn new(
        base: &Base,
        table: &Table,
        z: Complex64,
        w: Complex64,
        sums: &Sums,
    ) -> Result<Self, Reason> {
        if !(z.re.is_finite() && z.im.is_finite() && w.re.is_finite() && w.im.is_finite()) {
            return Err(Reason::Range);
        }
        if w.im < 0.0 || z.im < 0.0 {
            return Err(Reason::Branch);
        }
        let length = w.norm();
        let nearest = 0.99 * sums.nearest.sqrt();
        if length > FARTHEST || length > STEEPEST * nearest {
            return Err(if nearest == 0.0 { Reason::NoRoot } else { Reason::Range });
        }
        // (K4)
        let scale = 1.0 + length + table.reach + 1.0 / nearest;
        let count = table.len() as f64 * (1.0 + table.steepest) * scale;
        let first_size = sums.real_size + w.im * sums.squares;
        let second_size = first_size + length * sums.squares;
        let offset = Complex64::new(base.offset(z.re), z.im);
        let linear = w * base.slope;
        let value = linear + w * (w * sums.first) - offset;
        let data = base.x_error + length * base.slope_error;
        let rounding = 4.0 * (offset.norm() + linear.norm())
            + length * length * (58.0 * first_size + 3.0 * second_size);
        let error = ROOM * with_underflow(data + U * rounding, 1.0 + length * length * count);
        // (K5)
        let slope = base.slope + w * (sums.first + sums.second);
        let turn = 96.0 + 5.0 * (length / nearest);
        let rounding = 2.0 * base.slope.abs() + length * (56.0 * first_size + turn * second_size);
        let square = scale * scale;
        let slope_error =
            ROOM * with_underflow(base.slope_error + U * rounding, 1.0 + length * count * square);
        let third = ROOM * with_underflow(sums.third, count * square * scale);
        let size = value.norm() * (1.0 + 8.0 * U) + error;
        if !(size.is_finite() && slope_error.is_finite() && third.is_finite()) {
            return Err(Reason::Range);
        }
        let blurred = 4.0 * data >= size;
        Ok(Self { value, size, error, slope, slope_error, nearest, third, blurred })
    }

    /// Bound of |x''| within `reach` of u (K2).
    fn curvature(&self, reach: f64) -> f64 {
        let inside = 1.0 - reach / self.nearest;
        if inside <= 0.0 {
            return f64::INFINITY;
        }
        ROOM * 2.0 * self.third / (self.nearest * inside * inside * inside)
    }

    /// (K1) and (K3), then (K6).
    fn judge(&self, z: Complex64, w: Complex64) -> Result<Proof, Reason> {
        let steep = self.slope.norm() * (1.0 - 8.0 * U) - self.slope_error;
        if z.im == 0.0 && w.im == 0.0 && self.slope.re < -self.slope_error {
            return Err(Reason::Branch);
        }
        let step = self.size / steep * (1.0 + 4.0 * U);
        let product = step * self.curvature(2.0 * step) / steep * (1.0 + 8.0 * U);
        if steep > 0.0 && product <= 0.4 {
            let radius = step * (1.0 + product) * (1.0 + 4.0 * U);
            let reach = (radius + 2.0 * w.im) * (1.0 + 4.0 * U);
            let rise = self.slope.re - self.slope_error - self.curvature(reach) * reach * ROOM;
            let above = radius < w.im;
            if above || rise > 0.0 {
                return Ok(self.proof(radius, !above && z.im == 0.0));
            }
        }
        let height = (z.im + self.value.im) * (1.0 - 4.0 * U) - self.error;
        if w.im > 0.0 && height > 0.0 {
            return Ok(self.proof(2.0 * ROOM * self.size * (w.im / height), false));
        }
        Err(if self.blurred { Reason::Edge } else { Reason::NoRoot })
    }

    fn proof(&self, radius: f64, real: bool) -> Proof {
        let slope_radius = self.slope_error + ROOM * self.curvature(radius) * radius;
        Proof { radius, slope: self.slope, slope_radius, real }
    }
}
