//! The Stieltjes transform, its companion and their derivatives, at every complex z.

use num_complex::Complex64;

use super::{MarchenkoPastur, number};
use crate::numeric::complex::{finite, reciprocal, sqrt_upper};
use crate::resolvent::ResolventError;

/// Beyond this multiple of the upper edge, −1/z is the transform to the last digit.
const FAR: f64 = (1_u64 << 60) as f64;

/// A = √(z−a), B = √(z−b) in the first quadrant, and what the transforms need of them (MP3).
struct Roots {
    /// S = A(A+B)/2 = s²√c(w+1), where z = s²(1 + c + √c(w + 1/w)), |w| ≥ 1.
    shift: Complex64,
    /// α = A/(A+B) = (1 + 1/w)/2.
    fraction: Complex64,
    /// J = (A+B)²/(4AB) = w/(w − 1/w), so that m' = m²J and v' = v²J.
    speed: Complex64,
}

impl MarchenkoPastur {
    /// The Stieltjes transform m(z) = ∫dF(x)/(x−z), the limit of (1/p) tr(Ŝ − z)⁻¹ (MP3).
    ///
    /// Off the real axis m(z̄) is the conjugate of m(z). On the real axis (Im z = ±0) the value
    /// is the limit from above: real outside [a, b], and inside Im m = πf(x) and Re m is the
    /// principal value. Where m is infinite (z = 0 for c ≥ 1) or overflows, complex infinity
    /// is written (+∞, 0).
    ///
    /// |error| ≤ 8 ulp relative to |m|; Im m has that relative accuracy by itself, so that
    /// Im m/π is the smoothed density even where it is tiny, and so has the value at real z
    /// outside the support. Within a few ulp of an edge and of the axis the bound still holds
    /// for the z given; m itself is ill-conditioned there.
    ///
    /// # Errors
    /// For NaN.
    pub fn stieltjes(&self, z: Complex64) -> Result<Complex64, ResolventError> {
        self.in_upper_half_plane(z, Self::stieltjes_above)
    }

    /// The companion transform v(z) = c m(z) − (1−c)/z, the limit of (1/n) tr(XXᵀ/n − z)⁻¹
    /// and the solution of (MP1); conventions and accuracy of [`stieltjes`](Self::stieltjes).
    /// Its pole is z = 0 for c ≤ 1.
    ///
    /// # Errors
    /// For NaN.
    pub fn companion(&self, z: Complex64) -> Result<Complex64, ResolventError> {
        self.in_upper_half_plane(z, Self::companion_above)
    }

    /// m'(z) = ∫dF(x)/(x−z)² = m(z)²J(z) (MP6), with the conventions of
    /// [`stieltjes`](Self::stieltjes); infinite at the edges. |error| ≤ 20 ulp of |m'|.
    ///
    /// # Errors
    /// For NaN.
    pub fn stieltjes_derivative(&self, z: Complex64) -> Result<Complex64, ResolventError> {
        self.in_upper_half_plane(z, |law, z| law.derivative(z, law.stieltjes_above(z)))
    }

    /// v'(z) = v(z)²J(z) (MP6), as [`stieltjes_derivative`](Self::stieltjes_derivative).
    ///
    /// # Errors
    /// For NaN.
    pub fn companion_derivative(&self, z: Complex64) -> Result<Complex64, ResolventError> {
        self.in_upper_half_plane(z, |law, z| law.derivative(z, law.companion_above(z)))
    }

    /// m(x) at a real x outside the support, e.g. (1/p) tr(Ŝ + σ²)⁻¹ = m(−σ²); inside, the
    /// principal value. At a pole (x = 0, c ≥ 1) +∞, the limit from the left. Relative error
    /// ≤ 8 ulp outside the support.
    ///
    /// # Errors
    /// For NaN.
    pub fn stieltjes_real(&self, x: f64) -> Result<f64, ResolventError> {
        Ok(self.stieltjes(Complex64::new(x, 0.0))?.re)
    }

    /// df1(κ)/p = ∫x/(x+κ) dF = 1 − κ m(−κ) = 4s²/(√(a+κ) + √(b+κ))² (MP7): the normalised
    /// degrees of freedom of Ŝ at the ridge κ ≥ 0, without the cancellation of 1 − κm for
    /// large κ. Relative error ≤ 8 ulp.
    ///
    /// ```
    /// use rootrate::resolvent::MarchenkoPastur;
    /// let law = MarchenkoPastur::new(0.5, 2.0)?;
    /// assert_eq!(law.degrees_of_freedom(0.0)?, 1.0);
    /// assert!((law.degrees_of_freedom(1e12)? / 2e-12 - 1.0).abs() < 1e-11);
    /// # Ok::<(), rootrate::resolvent::ResolventError>(())
    /// ```
    ///
    /// # Errors
    /// For NaN and κ < 0.
    pub fn degrees_of_freedom(&self, ridge: f64) -> Result<f64, ResolventError> {
        if number("ridge", ridge)? < 0.0 {
            return Err(ResolventError::Domain {
                function: "degrees_of_freedom",
                value: ridge,
                valid: "a ridge ≥ 0",
            });
        }
        let (lower, upper) = self.distances(-ridge);
        let roots = (-lower).sqrt() + upper.sqrt();
        Ok(4.0 * self.scale / roots / roots)
    }

    /// Extends `f` from the closed upper half plane by reflection.
    fn in_upper_half_plane(
        &self,
        z: Complex64,
        f: impl Fn(&Self, Complex64) -> Complex64,
    ) -> Result<Complex64, ResolventError> {
        let (re, im) = (number("Re z", z.re)?, number("Im z", z.im)?);
        let value = f(self, Complex64::new(re, im.abs()));
        Ok(if im < 0.0 { value.conj() } else { value })
    }

    fn is_far(&self, z: Complex64) -> bool {
        z.re.abs().max(z.im) > FAR * self.upper.hi
    }

    fn stieltjes_above(&self, z: Complex64) -> Complex64 {
        if self.is_far(z) {
            return -reciprocal(z);
        }
        let roots = self.roots(z);
        if self.ratio <= 1.0 {
            // m = −1/(S − s²√c(1−√c))
            reciprocal(self.scale * self.root * self.gap - roots.shift)
        } else {
            // m = −(1 + 1/(√c w))/z
            self.over_z((2.0 * roots.fraction - self.gap) / self.root, z, &roots)
        }
    }

    fn companion_above(&self, z: Complex64) -> Complex64 {
        if self.is_far(z) {
            return -reciprocal(z);
        }
        let roots = self.roots(z);
        if self.ratio <= 1.0 {
            // v = −(1 + √c/w)/z
            self.over_z(self.gap + 2.0 * self.root * roots.fraction, z, &roots)
        } else {
            // v = −1/(S + s²(1−√c))
            reciprocal(-roots.shift - self.scale * self.gap)
        }
    }

    /// −numerator/z, its imaginary part as |·|²Im S, which cannot cancel.
    fn over_z(&self, numerator: Complex64, z: Complex64, roots: &Roots) -> Complex64 {
        let value = -numerator * reciprocal(z);
        let modulus = value.re.hypot(value.im);
        finite(Complex64::new(value.re, modulus * roots.shift.im * modulus))
    }

    fn derivative(&self, z: Complex64, transform: Complex64) -> Complex64 {
        if self.is_far(z) {
            return finite(transform * transform);
        }
        finite(transform * (transform * self.roots(z).speed))
    }

    fn roots(&self, z: Complex64) -> Roots {
        let (from_lower, from_upper) = self.distances(z.re);
        let a = sqrt_upper(from_lower, z.im);
        let b = sqrt_upper(-from_upper, z.im);
        let sum = a + b;
        let inverse = reciprocal(sum);
        let ratio = b * inverse;
        let fraction = a * inverse;
        Roots { shift: 0.5 * (a * sum), fraction, speed: 0.25 * reciprocal(fraction * ratio) }
    }
}
