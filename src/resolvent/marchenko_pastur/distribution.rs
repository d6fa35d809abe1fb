//! Distribution function, survival function and quantiles.

use std::f64::consts::PI;

use super::tail::Edge;
use super::{MarchenkoPastur, number};
use crate::evidence::Certified;
use crate::numeric::root::find_root;
use crate::resolvent::ResolventError;

const U: f64 = 0.5 * f64::EPSILON;
/// Room above T = 1 for the rounding of the share of half the support; there the share has
/// grown by far more than its rounding (MP17).
const T_MAX: f64 = 1.0 + 1e-6;

/// Where x lies, and the share of the continuous part between x and the nearer edge.
enum Place {
    Below,
    Above,
    From(Edge, Certified),
}

impl MarchenkoPastur {
    /// The distribution function F(x), the atom at 0 included (MP8).
    ///
    /// Relative error ≤ 16 ulp in the lower tail too, down to x next to the edge
    /// ([`cdf_certified`](Self::cdf_certified) has the bound for every x).
    ///
    /// # Errors
    /// For NaN.
    pub fn cdf(&self, x: f64) -> Result<f64, ResolventError> {
        Ok(self.cdf_certified(x)?.value)
    }

    /// 1 − F(x), with relative error ≤ 16 ulp in the upper tail too.
    ///
    /// # Errors
    /// For NaN.
    pub fn survival(&self, x: f64) -> Result<f64, ResolventError> {
        Ok(self.survival_certified(x)?.value)
    }

    /// F(x) with a proved bound of its absolute error (MP16); the radius is relative to F(x)
    /// in the lower tail of c ≤ 1.
    ///
    /// ```
    /// use rootrate::resolvent::MarchenkoPastur;
    /// let law = MarchenkoPastur::new(1.0, 1.0)?;
    /// // F(x) = (φ + sin φ)/π with x = 4 sin²(φ/2)
    /// let f = law.cdf_certified(2.0)?;
    /// assert!(f.contains(0.5 + 1.0 / std::f64::consts::PI) && f.radius < 2e-14);
    /// # Ok::<(), rootrate::resolvent::ResolventError>(())
    /// ```
    ///
    /// # Errors
    /// For NaN.
    pub fn cdf_certified(&self, x: f64) -> Result<Certified, ResolventError> {
        if number("x", x)? < 0.0 {
            return Ok(Certified::new(0.0, 0.0));
        }
        let (atom, bulk) = (self.atom_at_zero(), self.bulk_mass());
        Ok(match self.place(x) {
            Place::Below => Certified::new(atom, 2.0 * U * atom),
            Place::Above => Certified::new(1.0, 0.0),
            Place::From(Edge::Lower, mass) => affine(atom, bulk, mass),
            Place::From(Edge::Upper, mass) => affine(1.0, -bulk, mass),
        })
    }

    /// 1 − F(x) with a proved bound of its absolute error (MP16).
    ///
    /// # Errors
    /// For NaN.
    pub fn survival_certified(&self, x: f64) -> Result<Certified, ResolventError> {
        if number("x", x)? < 0.0 {
            return Ok(Certified::new(1.0, 0.0));
        }
        let bulk = self.bulk_mass();
        Ok(match self.place(x) {
            Place::Below => Certified::new(bulk, 2.0 * U * bulk),
            Place::Above => Certified::new(0.0, 0.0),
            Place::From(Edge::Lower, mass) => affine(bulk, -bulk, mass),
            Place::From(Edge::Upper, mass) => affine(0.0, bulk, mass),
        })
    }

    /// The quantile inf{x ≥ 0 : F(x) ≥ u}: 0 within the atom, a for u = 0 and c ≤ 1, b for
    /// u = 1, with a proved bound: the returned interval is one at whose ends the certified
    /// distribution function lies on both sides of u.
    ///
    /// Radius ≲ 1e-14 relative, typical error 1 ulp. Cost: about 12 evaluations of the
    /// distribution function. If u is within rounding of the atom's mass, the radius honestly
    /// covers both 0 and the start of the continuous part.
    ///
    /// ```
    /// use rootrate::resolvent::MarchenkoPastur;
    /// let law = MarchenkoPastur::new(2.0, 1.0)?;
    /// assert_eq!(law.quantile(0.3)?.value, 0.0);
    /// let median_of_bulk = law.quantile(0.75)?;
    /// assert!((law.cdf(median_of_bulk.value)? - 0.75).abs() < 1e-15);
    /// # Ok::<(), rootrate::resolvent::ResolventError>(())
    /// ```
    ///
    /// # Errors
    /// Unless 0 ≤ u ≤ 1.
    pub fn quantile(&self, u: f64) -> Result<Certified, ResolventError> {
        if !(0.0..=1.0).contains(&u) {
            return Err(ResolventError::Domain {
                function: "quantile",
                value: u,
                valid: "a probability in [0, 1]",
            });
        }
        let from_lower = self.share_below(u);
        if from_lower.value + from_lower.radius < 0.0 || (u == 0.0 && self.ratio > 1.0) {
            return Ok(Certified::new(0.0, 0.0));
        }
        if from_lower.value - from_lower.radius <= 0.0 && self.ratio > 1.0 {
            // at the atom's own mass: 0, or a point of the first 1e-20 or so of the bulk
            let [.., end] =
                self.invert(Edge::Lower, Certified::new(from_lower.radius, from_lower.radius));
            let x = self.point(Edge::Lower, end);
            return Ok(Certified::new(0.0, x * (1.0 + 16.0 * U)));
        }
        let upper_share = (1.0 - u) * self.ratio.max(1.0);
        let (edge, share) = if from_lower.value <= self.tail(Edge::Lower, 1.0).value {
            (Edge::Lower, from_lower)
        } else {
            (Edge::Upper, Certified::new(upper_share, 2.0 * U * upper_share))
        };
        let [p, value, q] = self.invert(edge, share).map(|t| self.point(edge, t));
        let reach = (p - value).abs().max((q - value).abs());
        Ok(Certified::new(value, (reach + 24.0 * U * value) * (1.0 + 4.0 * U)))
    }

    /// The point at parameter T from `edge`: a + (b−a)T²/(1+T²) or b − (b−a)T²/(1+T²),
    /// relative error ≤ 10u for T ≤ 1.01.
    fn point(&self, edge: Edge, t: f64) -> f64 {
        let distance = 4.0 * self.root * self.scale * (t * t / (1.0 + t * t));
        match edge {
            Edge::Lower => self.lower.hi + distance,
            Edge::Upper => self.upper.hi - distance,
        }
    }

    /// uc − (c−1) for c > 1 and u for c ≤ 1: the share of the continuous part below the
    /// u-quantile. Computed to twice the working precision, since it cancels near the atom.
    fn share_below(&self, u: f64) -> Certified {
        if self.ratio <= 1.0 {
            return Certified::new(u, 0.0);
        }
        let product = u * self.ratio;
        let product_low = u.mul_add(self.ratio, -product);
        let excess = self.ratio - 1.0;
        let excess_low = (self.ratio - excess) - 1.0;
        let share = (product - excess) + (product_low - excess_low);
        Certified::new(share, 2.0 * U * share.abs() + 4.0 * U * U * self.ratio)
    }

    /// Three ascending T-values around the point where the share from `edge` is `share`: the
    /// certified share is smaller at the first and larger at the last.
    fn invert(&self, edge: Edge, share: Certified) -> [f64; 3] {
        let (low, high) = (share.value - share.radius, share.value + share.radius);
        if high <= 0.0 {
            return [0.0; 3];
        }
        // size/24 ≤ T ≤ size (MP17)
        let (near, far) = self.weights(edge);
        let theta = 1.5 * PI * share.value / self.ratio.max(1.0);
        let size = (near * theta).cbrt().max(far * theta);
        let start = (size / 25.0).min(0.5);
        let end = (1.01 * size).min(T_MAX);
        let solution = find_root(|t| self.tail(edge, t).value - share.value, start, end);
        let (mut start, middle, mut end) = match solution {
            Ok(bracket) => (bracket.lo, bracket.midpoint(), bracket.hi),
            // only where G(1) is the share but for rounding
            Err(_) => (1.0, 1.0, 1.0),
        };
        let mut step = 4.0 * U;
        while start > 0.0 {
            let below = self.tail(edge, start);
            if below.value + below.radius < low {
                break;
            }
            start = if step < 0.5 { start * (1.0 - step) } else { 0.0 };
            step *= 2.0;
        }
        step = 4.0 * U;
        while end < T_MAX {
            let above = self.tail(edge, end);
            if above.value - above.radius > high {
                break;
            }
            end *= 1.0 + step;
            step *= 2.0;
        }
        [start, middle, end]
    }

    /// Locates x and measures the share to the nearer edge, with the error that the rounding
    /// of T and of the edges brings in (MP16).
    fn place(&self, x: f64) -> Place {
        let (from_lower, from_upper) = self.distances(x);
        let (lower_error, upper_error) = self.edge_errors();
        if from_lower < -lower_error {
            return Place::Below;
        }
        if from_upper < -upper_error {
            return Place::Above;
        }
        let (edge, near, far, near_error, far_error) = if from_lower <= from_upper {
            (Edge::Lower, from_lower, from_upper, lower_error, upper_error)
        } else {
            (Edge::Upper, from_upper, from_lower, upper_error, lower_error)
        };
        if near <= 4.0 * near_error {
            let most = self.tail(edge, (8.0 * near_error / far).sqrt());
            let mass = self.tail(edge, near.max(0.0).sqrt() / far.sqrt());
            return Place::From(edge, Certified::new(mass.value, 2.0 * most.value));
        }
        let mass = self.tail(edge, near.sqrt() / far.sqrt());
        let relative = 4.0 * (5.0 * U + near_error / near + far_error / far);
        Place::From(edge, Certified::new(mass.value, mass.radius + mass.value * relative))
    }
}

/// constant + factor·mass with its radius; both coefficients carry up to 2u of rounding.
fn affine(constant: f64, factor: f64, mass: Certified) -> Certified {
    let product = factor * mass.value;
    let rounding = 3.0 * U * (constant.abs() + 2.0 * product.abs());
    Certified::new(
        (constant + product).clamp(0.0, 1.0),
        (factor.abs() * mass.radius + rounding) * (1.0 + 8.0 * U),
    )
}
