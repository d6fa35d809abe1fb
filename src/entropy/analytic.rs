//! Small elementary pieces shared by the closed-form models, with their rounding bounds.

/// ln(1 + q²) for q ≥ 0, in the whole range of σ and variances.
///
/// With a relative error of at most 3u in q the result is within 20u (u = 2⁻⁵³) relative,
/// plus the smallest normal number where q² underflows: ln(1+y) has condition ≤ 1 in y, and
/// above q = 10⁸ the neglected ln(1 + q⁻²) ≤ 10⁻¹⁶ is below 10⁻¹⁷ of the value.
pub(super) fn ln_1p_square(q: f64) -> f64 {
    if q > 1e8 { 2.0 * q.ln() } else { (q * q).ln_1p() }
}
