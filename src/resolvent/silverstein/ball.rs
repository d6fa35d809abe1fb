//! Complex numbers with a proved radius: how the error of a root reaches what is made of it.

use std::ops::{Add, Div, Mul, Neg};

use num_complex::Complex64;

use super::certificate::U;
use super::checked::{Checked, Reason};
use crate::numeric::complex::{finite, reciprocal};

/// Covers the rounding of the radii themselves.
const ROOM: f64 = 1.0 + 32.0 * U;

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
        let (size, value) = (self.value.norm() * (1.0 - 10.0 * U), reciprocal(self.value));
        let least = size - self.radius;
        if least <= 0.0 || least.is_nan() {
            return Self::new(value, f64::INFINITY);
        }
        // reciprocal: two divisions by a modulus of 4 ulp a component
        let radius = self.radius / size / least + value.norm() * 24.0 * U + f64::MIN_POSITIVE;
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
