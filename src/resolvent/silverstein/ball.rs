//! Complex numbers with a proved radius: how the error of a root reaches what is made of it.

use std::ops::{Add, Div, Mul, Neg};

use num_complex::Complex64;

use super::certificate::U;
use super::checked::{Checked, Reason};
use crate::numeric::complex::{finite, reciprocal};

/// Covers the rounding of the radii themselves.
const ROOM: f64 = 1.0 + 32.0 * U;

/// |z|² that neither over- nor underflow has touched.
const SQUARES: std::ops::RangeInclusive<f64> = 1e-290..=1e300;

/// A disc that contains the exact value (K7); the radius may be infinite.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ball {
    pub(super) value: Complex64,
    pub(super) radius: f64,
}

impl Ball {
    pub(super) fn new(value: Complex64, radius: f64) -> Self {
        Self { value, radius }
    }

    /// An exact real number.
    pub(super) fn real(x: f64) -> Self {
        Self::new(Complex64::new(x, 0.0), 0.0)
    }

    /// A real number with `roundings` relative errors of u.
    pub(super) fn rounded(x: f64, roundings: f64) -> Self {
        Self::new(Complex64::new(x, 0.0), x.abs() * roundings * U * ROOM)
    }

    /// 1/self: the quotient of the discs (K7).
    pub(super) fn inverse(self) -> Self {
        let square = self.value.norm_sqr();
        // conj z/|z|² where |z|² is accurate to 2u: 3u a component; else two divisions by a
        // modulus of 4 ulp
        let (size, value, roundings) = if SQUARES.contains(&square) {
            (square.sqrt() * (1.0 - 4.0 * U), self.value.inv(), 4.0)
        } else {
            (self.value.norm() * (1.0 - 10.0 * U), reciprocal(self.value), 24.0)
        };
        let least = size - self.radius;
        if least <= 0.0 || least.is_nan() {
            return Self::new(value, f64::INFINITY);
        }
        let radius = self.radius / size / least + roundings * U / size + f64::MIN_POSITIVE;
        Self::new(value, radius * ROOM)
    }

    /// The value with its radius, or the reason where it is not finite.
    pub(super) fn checked(self) -> Checked<Complex64> {
        let value = finite(self.value);
        if value.re.is_finite() && self.radius.is_finite() {
            Checked::Certified { value, radius: self.radius }
        } else {
            Checked::Uncertified { value, reason: Reason::Range }
        }
    }
}

impl Neg for Ball {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.value, self.radius)
    }
}

impl Add for Ball {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        let value = self.value + o.value;
        Self::new(value, (self.radius + o.radius + value.norm() * 1.01 * U) * ROOM)
    }
}

impl Mul for Ball {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let (a, b) = (self.value.norm(), o.value.norm());
        let radius = a * o.radius + b * self.radius + self.radius * o.radius;
        // a product of complex numbers rounds by √5 u, and underflows by less than MIN_POSITIVE
        let rounding = 2.3 * U * (a * b) + f64::MIN_POSITIVE;
        Self::new(self.value * o.value, (radius + rounding) * ROOM)
    }
}

impl Div for Ball {
    type Output = Self;
    #[allow(clippy::suspicious_arithmetic_impl, reason = "a quotient is the product with 1/o")]
    fn div(self, o: Self) -> Self {
        self * o.inverse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (z + w)·z⁻¹ − w·z⁻¹ = 1 and z·conj z = |z|² for balls whose values are off by the radius.
    #[test]
    fn operations_enclose() {
        let contains = |d: Ball, z: Complex64| (d.value - z).norm() <= d.radius;
        for k in 0..200 {
            let angle = f64::from(k);
            let (z, w) = (Complex64::from_polar(3.0, angle), Complex64::new(-0.4, 0.1 * angle));
            let off =
                |z: Complex64, r: f64| Ball::new(z + Complex64::from_polar(r, 2.0 * angle), r);
            for radius in [0.0, 1e-9, 0.2] {
                // the planted offset is itself rounded
                let (a, b) = (off(z, radius), off(w, radius));
                let (a, b) =
                    (Ball::new(a.value, radius + 1e-15), Ball::new(b.value, radius + 1e-14));
                assert!(contains(a + b, z + w) && contains(a * b, z * w));
                assert!(contains(a.inverse(), z.inv()));
            }
        }
        assert_eq!(Ball::new(Complex64::new(1e-3, 0.0), 1e-2).inverse().radius, f64::INFINITY);
    }
}
