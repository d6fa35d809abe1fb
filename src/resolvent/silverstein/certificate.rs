//! The certificate: a proof that a root of x(u) = z lies near a candidate, on the right branch.

use num_complex::Complex64;

use super::base::Base;
use super::checked::Reason;
use super::population::Population;

// INTERIM: proves nothing; to be replaced.
/// A proved radius r: |w̃ − w| ≤ r for the root u = s + w of x(u) = z in the closed upper half
/// plane.
pub(crate) fn certify(
    _population: &Population,
    _base: &Base,
    _z: Complex64,
    w: Complex64,
) -> Result<f64, Reason> {
    Ok(1e-13 * w.norm())
}
