//! The log-determinant, or mutual information of a Gaussian channel.

use super::MarchenkoPastur;
use crate::resolvent::ResolventError;

impl MarchenkoPastur {
    /// ∫ln(1+γx) dF, the limit of (1/p) ln det(I + γŜ), in nats per dimension, for γ ≥ 0
    /// (MP11):  ln(1 + γs²(1−y)) + [−ln(1−y) − y]/c,  y = c·df1(1/γ)/p.
    ///
    /// Both terms are positive, so that the relative error is ≤ 8 ulp for every γ: ≈ γs² as
    /// γ → 0, ≈ min(1, 1/c) ln γ as γ → ∞. The mutual information per dimension between
    /// x0 ~ N(0, Ŝ) and x0 + σε is ½·log_determinant(1/σ²).
    ///
    /// ```
    /// use rootrate::resolvent::MarchenkoPastur;
    /// let law = MarchenkoPastur::new(0.5, 1.0)?;
    /// assert!((law.log_determinant(1e-9)? / 1e-9 - 1.0).abs() < 1e-8);
    /// # Ok::<(), rootrate::resolvent::ResolventError>(())
    /// ```
    ///
    /// Source: Tulino & Verdú, *Random Matrix Theory and Wireless Communications*, Found.
    /// Trends Commun. Inf. Theory 1(1), 2004, Example 2.14; rewritten in w.
    ///
    /// # Errors
    /// Unless γ is a finite number ≥ 0.
    pub fn log_determinant(&self, snr: f64) -> Result<f64, ResolventError> {
        if !(snr.is_finite() && snr >= 0.0) {
            return Err(ResolventError::Domain {
                function: "log_determinant",
                value: snr,
                valid: "a finite number ≥ 0",
            });
        }
        // the next order is smaller by a factor γ∫x²dF/(2s²) < γb
        if snr * self.upper.hi < f64::EPSILON / 4.0 {
            return Ok(snr * self.scale);
        }
        let ridge = 1.0 / snr;
        let (lower, upper) = self.distances(-ridge);
        let (a, b) = ((-lower).sqrt(), upper.sqrt());
        let fraction = a / (a + b);
        let degrees = 4.0 * self.scale / (a + b) / (a + b);
        let y = self.ratio * degrees;
        if self.ratio <= 1.0 {
            let complement = self.gap + 2.0 * self.root * fraction;
            let gain = snr * self.scale;
            let first = if gain.is_finite() {
                (gain * complement).ln_1p()
            } else {
                snr.ln() + (self.scale * complement).ln()
            };
            Ok(first + excess(y, complement.ln()) / self.ratio)
        } else {
            // γs²(1−y) = q/(√c−q) with q = −1/w = y/√c
            let gain = y / self.root / (2.0 * fraction - self.gap);
            let complement = gain * (ridge / self.scale);
            let ln = if complement > f64::MIN_POSITIVE {
                complement.ln()
            } else {
                gain.ln() - snr.ln() - self.scale.ln()
            };
            Ok(gain.ln_1p() + excess(y, ln) / self.ratio)
        }
    }
}

/// −ln(1−y) − y for 0 ≤ y ≤ 1; `ln_complement` = ln(1−y), from a 1−y with its own relative
/// accuracy, serves for large y.
fn excess(y: f64, ln_complement: f64) -> f64 {
    if y > 0.5 {
        return -ln_complement - y;
    }
    // −ln(1−y) = 2 artanh t with t = y/(2−y), and y = 2t/(1+t): only positive terms remain
    let t = y / (2.0 - y);
    let square = t * t;
    let mut series = 0.0;
    for k in (1..=16).rev() {
        series = (series + 1.0 / f64::from(2 * k + 1)) * square;
    }
    2.0 * t * (series + t / (1.0 + t))
}
