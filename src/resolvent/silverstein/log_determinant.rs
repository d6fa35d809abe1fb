//! The log-determinant, or mutual information of a Gaussian channel.

use num_complex::Complex64;

use super::{Checked, SilversteinLaw, U};
use crate::evidence::Certified;
use crate::numeric::CompensatedSum;
use crate::resolvent::ResolventError;

impl SilversteinLaw {
    /// V(γ) = ∫ln(1+γx) dF, the limit of (1/p) ln det(1 + γŜ), in nats per dimension, for γ ≥ 0
    /// (D5): with ρ = 1/γ, the effective ridge μ = −u(−ρ) and y = cΣ hⱼτⱼ/(τⱼ+μ) = 1 − ρ/μ,
    ///
    /// V = Σ hⱼ ln(1 + τⱼ/μ) + [−ln(1−y) − y]/c.
    ///
    /// Both terms are positive: the relative accuracy, proved, is that of μ and a few ulp for
    /// every γ. The mutual information per dimension between x0 ~ N(0, Ŝ) and x0 + σε is
    /// ½·log_determinant(1/σ²). Cost: one root and one logarithm an atom.
    ///
    /// ```
    /// use rootrate::resolvent::{MarchenkoPastur, SilversteinLaw};
    /// use rootrate::spectrum::Spectrum;
    /// let general = SilversteinLaw::new(&Spectrum::identity(), 0.5)?.log_determinant(3.0)?;
    /// let closed = MarchenkoPastur::new(0.5, 1.0)?.log_determinant(3.0)?;
    /// assert!((general.value() / closed - 1.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Source: in an implicit form Tulino & Verdú, *Random Matrix Theory and Wireless
    /// Communications*, Found. Trends Commun. Inf. Theory 1(1), 2004, Theorem 2.39.
    ///
    /// # Errors
    /// Unless γ is a finite number ≥ 0.
    pub fn log_determinant(&self, snr: f64) -> Result<Checked<f64>, ResolventError> {
        if !(snr.is_finite() && snr >= 0.0) {
            return Err(ResolventError::Domain {
                function: "log_determinant",
                value: snr,
                valid: "a finite number ≥ 0",
            });
        }
        let p = &self.population;
        let components = &self.support.components;
        let upper = components[components.len() - 1].upper.position.value;
        let gain = snr * upper;
        if gain < 0.125 * U {
            // γ∫x dF − γ²∫x²dF/2 < V < γ∫x dF, and ∫x²dF ≤ b∫x dF
            let terms = p.pairs().map(|(t, share)| share * t);
            let value = snr * (terms.collect::<CompensatedSum>().value() / p.ratio);
            let radius = value * (10.0 * U + gain) + f64::MIN_POSITIVE;
            return Ok(Certified::new(value, radius).into());
        }
        let ridge = 1.0 / snr;
        let at = self.locate(&[Complex64::new(-ridge, 0.0)])[0];
        let mu = -at.u().re;
        let mut logarithms = CompensatedSum::default();
        let mut degrees = CompensatedSum::default();
        for (t, share) in p.pairs() {
            logarithms.add(share * log_one_plus_quotient(t, mu));
            degrees.add(share * (t / (t + mu)));
        }
        let y = degrees.value();
        let value = (logarithms.value() + excess(y, ridge / mu)) / p.ratio;
        let radius = match at.radius {
            Ok(radius) => radius,
            Err(reason) => return Ok(Checked::Uncertified { value, reason }),
        };
        // (D5): V moves by less than 6r/μ relative for r ≤ μ/8
        let relative = radius / mu + 4.0 * U;
        let near = relative <= 0.125 && value.is_finite();
        if !near {
            return Ok(Checked::Uncertified { value, reason: super::Reason::Range });
        }
        let radius = value * (6.0 * relative + 64.0 * U) + f64::MIN_POSITIVE;
        Ok(Checked::Certified { value, radius })
    }
}

/// ln(1 + t/μ) for positive numbers.
fn log_one_plus_quotient(t: f64, mu: f64) -> f64 {
    let quotient = t / mu;
    if quotient.is_finite() { quotient.ln_1p() } else { t.ln() - mu.ln() }
}

/// −ln(1−y) − y for 0 ≤ y ≤ 1; `complement` = 1 − y, with its own relative accuracy, serves for
/// large y.
fn excess(y: f64, complement: f64) -> f64 {
    if y > 0.5 {
        return -complement.ln() - y;
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
