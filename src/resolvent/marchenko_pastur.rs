//! The Marchenko–Pastur law in closed form (theory page 1).

mod density;
mod distribution;
mod log_determinant;
mod moments;
mod stieltjes;
mod tail;

use super::ResolventError;
use crate::numeric::double_double::DoubleDouble;

/// Smallest and largest ratio and scale: far beyond use, and no intermediate result overflows.
const DOMAIN: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// The limiting spectral law F of the sample covariance Ŝ = XᵀX/n, where X is n×p with
/// independent entries of mean 0 and variance s², as n, p → ∞ with c = p/n fixed (MP1).
///
/// F has the density √((x−a)(b−x))/(2πcs²x) on [a, b] = s²(1 ∓ √c)² (MP5) and, for c > 1, an
/// atom of mass 1 − 1/c at 0. Every function is in closed form, written so that no digits
/// cancel: near the edges, for c → 1 (hard edge at 0), c → 0 and c → ∞, results keep their
/// relative accuracy *for the given floating-point arguments*, because each edge e is stored to
/// 100 bits: errors stated below hold up to 2⁻¹⁰⁰e/|z−e|, which matters only within 1 ulp of e. The accuracy each function promises is asserted against high-precision references.
///
/// ```
/// use rootrate::resolvent::MarchenkoPastur;
/// let law = MarchenkoPastur::new(0.25, 1.0)?;
/// assert_eq!(law.support(), (0.25, 2.25));
/// assert!((law.density(1.0)? - 0.616_404_444_061_5).abs() < 1e-13);
/// // (1/p) tr(Ŝ + 1)⁻¹ in the limit
/// let ridge = law.stieltjes_real(-1.0)?;
/// assert!((ridge - 0.531_128_874_149_274_8).abs() < 1e-15);
/// // the fixed-point equation (MP1) of the companion transform
/// let v = law.companion((-1.0).into())?.re;
/// assert!((-1.0 / v + 0.25 / (1.0 + v) + 1.0).abs() < 1e-15);
/// # Ok::<(), rootrate::resolvent::ResolventError>(())
/// ```
///
/// Source: Marchenko & Pastur, *Math. USSR-Sbornik* 1(4), 457–483 (1967).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MarchenkoPastur {
    /// c.
    ratio: f64,
    /// s².
    scale: f64,
    /// r = √c.
    root: f64,
    /// h = 1 + r.
    sum: f64,
    /// g = 1 − r, computed as (1−c)/(1+r).
    gap: f64,
    /// a = s²g².
    lower: DoubleDouble,
    /// b = s²h².
    upper: DoubleDouble,
}

impl MarchenkoPastur {
    /// The law for the aspect ratio c = p/n and the variance s² of the entries.
    ///
    /// # Errors
    /// Unless both are in [1e-100, 1e100].
    pub fn new(ratio: f64, scale: f64) -> Result<Self, ResolventError> {
        for (name, value) in [("ratio", ratio), ("scale", scale)] {
            if !DOMAIN.contains(&value) {
                let valid = "a number in [1e-100, 1e100]";
                return Err(ResolventError::Parameter { name, value, valid });
            }
        }
        let root = DoubleDouble::sqrt(ratio);
        let sum = root.plus(1.0);
        let gap = DoubleDouble::sum(1.0, -ratio).over(sum);
        Ok(Self {
            ratio,
            scale,
            root: root.hi,
            sum: sum.hi,
            gap: gap.hi,
            lower: gap.times(gap).scaled(scale),
            upper: sum.times(sum).scaled(scale),
        })
    }

    /// The aspect ratio c = p/n.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// The variance s² of the entries of X.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The interval [a, b] = s²(1 ∓ √c)² of the continuous part (MP4), correctly rounded up to
    /// 2⁻¹⁰⁰ relative.
    pub fn support(&self) -> (f64, f64) {
        (self.lower.hi, self.upper.hi)
    }

    /// The mass max(0, 1 − 1/c) of the atom at 0 (MP5).
    pub fn atom_at_zero(&self) -> f64 {
        if self.ratio > 1.0 { (self.ratio - 1.0) / self.ratio } else { 0.0 }
    }

    /// The mass min(1, 1/c) of the continuous part.
    fn bulk_mass(&self) -> f64 {
        1.0 / self.ratio.max(1.0)
    }

    /// x − a and b − x, each with relative error ≤ 2u for the stored edges.
    fn distances(&self, x: f64) -> (f64, f64) {
        (self.lower.below(x), self.upper.negated().below(-x))
    }

    /// Proved bounds of the errors of the stored edges (MP14).
    fn edge_errors(&self) -> (f64, f64) {
        const RELATIVE: f64 = 1.0 / (1_u128 << 100) as f64;
        (self.lower.hi * RELATIVE, self.upper.hi * RELATIVE)
    }
}

/// Rejects NaN.
fn number(name: &'static str, x: f64) -> Result<f64, ResolventError> {
    if x.is_nan() { Err(ResolventError::NotANumber { name }) } else { Ok(x) }
}
