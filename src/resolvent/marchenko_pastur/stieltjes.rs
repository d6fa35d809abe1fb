//! The Stieltjes transform, its companion and their derivatives, at every complex z.

use num_complex::Complex64;

use super::{MarchenkoPastur, number};
use crate::numeric::complex::{finite, reciprocal, sqrt_upper};
use crate::resolvent::ResolventError;

/// Beyond this multiple of the upper edge, −1/z is the transform to the last digit.
const FAR: f64 = (1_u64 << 60) as f64;

/// A = √(z−a), B = √(z−b) in the first quadrant, and what the transforms need of them (MP3).
struct Roots {
    a: Complex64,
    b: Complex64,
    sum: Complex64,
    inverse: Complex64,
}

impl Roots {
    /// S = A(A+B)/2 = s²√c(w+1), where z = s²(1 + c + √c(w + 1/w)), |w| ≥ 1.
    fn shift(&self) -> Complex64 {
        0.5 * (self.a * self.sum)
    }

    /// α = A/(A+B) = (1 + 1/w)/2.
    fn fraction(&self) -> Complex64 {
        self.a * self.inverse
    }

    /// J = (A+B)²/(4AB) = 1/(1 − w⁻²) (MP6).
    fn speed(&self) -> Complex64 {
        0.25 * reciprocal(self.fraction() * (self.b * self.inverse))
    }
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
    /// outside the support. These are errors for the z given, next to an edge e too (up to
    /// 2⁻¹⁰⁰e/|z−e|); m itself is ill-conditioned in z there.
    ///
    /// # Errors
    /// For NaN.
    pub fn stieltjes(&self, z: Complex64) -> Result<Complex64, ResolventError> {
        self.in_upper_half_plane(z, |law, z, roots| law.stieltjes_above(z, &roots), |far| far)
    }

    /// The companion transform v(z) = c m(z) − (1−c)/z, the limit of (1/n) tr(XXᵀ/n − z)⁻¹
    /// and the solution of (MP1); conventions and accuracy of [`stieltjes`](Self::stieltjes).
    /// Its pole is z = 0 for c ≤ 1.
    ///
    /// # Errors
    /// For NaN.
    pub fn companion(&self, z: Complex64) -> Result<Complex64, ResolventError> {
        self.in_upper_half_plane(z, |law, z, roots| law.companion_above(z, &roots), |far| far)
    }

    /// m'(z) = ∫dF(x)/(x−z)² = m(z)²J(z) (MP6), with the conventions of
    /// [`stieltjes`](Self::stieltjes); infinite at the edges. |error| ≤ 20 ulp of |m'|.
    ///
    /// # Errors
    /// For NaN.
    pub fn stieltjes_derivative(&self, z: Complex64) -> Result<Complex64, ResolventError> {
        self.derivative(z, Self::stieltjes_above)
    }

    /// v'(z) = v(z)²J(z) (MP6), as [`stieltjes_derivative`](Self::stieltjes_derivative).
    ///
    /// # Errors
    /// For NaN.
    pub fn companion_derivative(&self, z: Complex64) -> Result<Complex64, ResolventError> {
        self.derivative(z, Self::companion_above)
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
    /// assert!((law.degrees_of_freedom(0.0)? - 1.0).abs() < 1e-15);
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

    /// Reflects into the closed upper half plane, prepares the roots and reflects back; far
    /// away both transforms are −1/z.
    fn in_upper_half_plane(
        &self,
        z: Complex64,
        near: impl Fn(&Self, Complex64, Roots) -> Complex64,
        far: impl Fn(Complex64) -> Complex64,
    ) -> Result<Complex64, ResolventError> {
        let (re, im) = (number("Re z", z.re)?, number("Im z", z.im)?);
        let above = Complex64::new(re, im.abs());
        let value = if re.abs().max(above.im) > FAR * self.upper.hi {
            finite(far(-reciprocal(above)))
        } else {
            near(self, above, self.roots(above))
        };
        Ok(if im < 0.0 { value.conj() } else { value })
    }

    /// The derivative of `transform`, its square times J.
    fn derivative(
        &self,
        z: Complex64,
        transform: impl Fn(&Self, Complex64, &Roots) -> Complex64,
    ) -> Result<Complex64, ResolventError> {
        self.in_upper_half_plane(
            z,
            |law, z, roots| {
                let value = transform(law, z, &roots);
                finite(value * (value * roots.speed()))
            },
            |value| value * value,
        )
    }

    fn stieltjes_above(&self, z: Complex64, roots: &Roots) -> Complex64 {
        if self.ratio <= 1.0 {
            // m = −1/(S − s²√c(1−√c))
            reciprocal(self.scale * self.root * self.gap - roots.shift())
        } else {
            // m = −(1 + 1/(√c w))/z
            over_z((2.0 * roots.fraction() - self.gap) / self.root, z, roots)
        }
    }

    fn companion_above(&self, z: Complex64, roots: &Roots) -> Complex64 {
        if self.ratio <= 1.0 {
            // v = −(1 + √c/w)/z
            over_z(self.gap + 2.0 * self.root * roots.fraction(), z, roots)
        } else {
            // v = −1/(S + s²(1−√c))
            reciprocal(-roots.shift() - self.scale * self.gap)
        }
    }

    fn roots(&self, z: Complex64) -> Roots {
        let (from_lower, from_upper) = self.distances(z.re);
        let a = sqrt_upper(from_lower, z.im);
        let b = sqrt_upper(-from_upper, z.im);
        let sum = a + b;
        Roots { a, b, sum, inverse: reciprocal(sum) }
    }
}

/// −numerator/z, its imaginary part as |·|²Im S, which cannot cancel.
fn over_z(numerator: Complex64, z: Complex64, roots: &Roots) -> Complex64 {
    let value = -numerator * reciprocal(z);
    let modulus = value.re.hypot(value.im);
    finite(Complex64::new(value.re, modulus * roots.shift().im * modulus))
}
