//! Complex kernels that keep the relative accuracy of each component.

use num_complex::Complex64;

/// Below this modulus the square root works on a scaled argument, away from subnormals.
const SMALL: f64 = 1e-290;

/// The square root in the first quadrant of re + i·im with im ≥ 0; `im` = ±0 means the limit
/// from above. Both components are accurate to a few ulps (no subtraction occurs).
pub(crate) fn sqrt_upper(re: f64, im: f64) -> Complex64 {
    if im == 0.0 {
        return if re >= 0.0 {
            Complex64::new(re.sqrt(), 0.0)
        } else {
            Complex64::new(0.0, (-re).sqrt())
        };
    }
    if re.abs().max(im) < SMALL {
        const UP: f64 = (1_u128 << 100) as f64;
        return sqrt_upper(re * UP * UP, im * UP * UP) / UP;
    }
    let large = (0.5 * re.abs() + 0.5 * re.hypot(im)).sqrt();
    let small = 0.5 * im / large;
    if re >= 0.0 { Complex64::new(large, small) } else { Complex64::new(small, large) }
}

/// 1/z without overflow of |z|²; complex infinity is written (+∞, 0).
pub(crate) fn reciprocal(z: Complex64) -> Complex64 {
    let modulus = z.re.hypot(z.im);
    if modulus.is_infinite() {
        return Complex64::new(0.0, 0.0);
    }
    finite(Complex64::new(z.re / modulus / modulus, -z.im / modulus / modulus))
}

/// Writes any overflow or pole as complex infinity (+∞, 0), never NaN.
pub(crate) fn finite(z: Complex64) -> Complex64 {
    if z.re.is_finite() && z.im.is_finite() { z } else { Complex64::new(f64::INFINITY, 0.0) }
}
