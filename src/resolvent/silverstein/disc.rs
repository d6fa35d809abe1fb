//! Discs in the complex plane: arithmetic that carries a proved error.

use std::ops::{Add, Mul};

use num_complex::Complex64;

/// Bounds the relative rounding of one complex sum (u), product (√5 u) or reciprocal (4u).
const ROUNDING: f64 = 2.0 * f64::EPSILON;
/// Bounds what one operation loses to gradual underflow.
const UNDERFLOW: f64 = 1e-322;

/// Every number within `radius` of `centre`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Disc {
    pub(crate) centre: Complex64,
    pub(crate) radius: f64,
}

impl Disc {
    /// 0.
    pub(crate) const ZERO: Self = Self { centre: Complex64::new(0.0, 0.0), radius: 0.0 };

    /// A centre with a proved radius.
    pub(crate) fn new(centre: Complex64, radius: f64) -> Self {
        Self { centre, radius }
    }

    /// A real number known to the relative accuracy of 2·`roundings`·2⁻⁵³.
    pub(crate) fn real(x: f64, roundings: u32) -> Self {
        Self::new(x.into(), f64::from(roundings) * f64::EPSILON * x.abs())
    }

    /// The result of one rounded operation whose operands contribute `radius`.
    fn rounded(centre: Complex64, radius: f64) -> Self {
        let total = radius + ROUNDING * centre.l1_norm() + UNDERFLOW;
        Self::new(centre, total * (1.0 + 8.0 * f64::EPSILON))
    }

    /// 1/z; an infinite radius where the disc contains 0, or |z|² leaves the range in which it is
    /// accurate.
    pub(crate) fn reciprocal(self) -> Self {
        let square = self.centre.norm_sqr();
        let size = square.sqrt() * (1.0 - ROUNDING);
        let distance = (size - self.radius) * (1.0 - ROUNDING);
        if distance > 0.0 && (1e-290..=1e300).contains(&square) {
            Self::rounded(self.centre.inv(), self.radius / size / distance)
        } else {
            Self::new(Complex64::new(0.0, 0.0), f64::INFINITY)
        }
    }
}

impl Add for Disc {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::rounded(self.centre + o.centre, self.radius + o.radius)
    }
}

impl Mul for Disc {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        // the 1-norm bounds the modulus
        let (a, b) = (self.centre.l1_norm(), o.centre.l1_norm());
        let radius = a * o.radius + b * self.radius + self.radius * o.radius;
        Self::rounded(self.centre * o.centre, radius)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (z + w)·z⁻¹ − w·z⁻¹ = 1 and z·conj z = |z|² for discs whose centres are off by the radius.
    #[test]
    fn operations_enclose() {
        let contains = |d: Disc, z: Complex64| (d.centre - z).norm() <= d.radius;
        for k in 0..200 {
            let angle = f64::from(k);
            let (z, w) = (Complex64::from_polar(3.0, angle), Complex64::new(-0.4, 0.1 * angle));
            let off =
                |z: Complex64, r: f64| Disc::new(z + Complex64::from_polar(r, 2.0 * angle), r);
            for radius in [0.0, 1e-9, 0.2] {
                // the planted offset is itself rounded
                let (a, b) = (off(z, radius), off(w, radius));
                let (a, b) =
                    (Disc::new(a.centre, radius + 1e-15), Disc::new(b.centre, radius + 1e-14));
                assert!(contains(a + b, z + w) && contains(a * b, z * w));
                assert!(contains(a.reciprocal(), z.inv()));
            }
        }
        assert_eq!(Disc::new(Complex64::new(1e-3, 0.0), 1e-2).reciprocal().radius, f64::INFINITY);
    }
}
