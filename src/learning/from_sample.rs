//! Effective ridge and degrees of freedom from the eigenvalues of a sample (G1)–(G3).

use serde::Serialize;

use super::LearningError;
use super::fixed_point::{LINEAR, QUADRATIC};
use super::ridge::finite;
use super::sums::sum_terms;
use crate::evidence::Certified;
use crate::interval::Interval;

/// Positive eigenvalues and penalties must lie within 1/RANGE and RANGE: their ratios then do
/// not underflow.
const RANGE: f64 = 1e140;

/// The eigenvalues of one sample covariance, from which the effective ridge (R1) of the unknown
/// population is estimated.
///
/// With the n eigenvalues λ_i of XXᵀ/n (those of XᵀX/n, and zeros), q_i = ρ/(λ_i+ρ):
/// κ̂ = nρ/Σq (G1), df̂1 = n − Σq (G2), df̂2 = n − (Σq)²/Σq² (G3). For Gaussian data they
/// tend to κ, df1 and df2 of the population, with relative errors of O(1/n).
///
/// The values are [`Certified`] for these sums at the eigenvalues as given; what is not proved
/// is their distance to the population's.
///
/// ```
/// use rootrate::learning::SampleSpectrum;
/// // three samples of two features
/// let sample = SampleSpectrum::new(&[2.0, 0.5], 3)?;
/// let point = sample.point(0.5)?;
/// // v̂ = (1/2.5 + 1/1 + 1/0.5)/3
/// assert!((point.kappa.value - 3.0 / 3.4).abs() < 1e-15);
/// assert!((point.df1.value - (0.8 + 0.5)).abs() < 1e-15);
/// # Ok::<(), rootrate::learning::LearningError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SampleSpectrum {
    /// Positive, ascending.
    eigenvalues: Vec<f64>,
    samples: f64,
}

/// Estimates from a sample at one penalty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SamplePoint {
    /// Penalty ρ on the mean loss.
    pub ridge: f64,
    /// κ̂ (G1).
    pub kappa: Certified,
    /// df̂1 (G2), the degrees of freedom tr Ŝ(Ŝ+ρ)⁻¹ of the sample.
    pub df1: Certified,
    /// df̂2 (G3).
    pub df2: Certified,
}

impl SampleSpectrum {
    /// Eigenvalues of XᵀX/n or XXᵀ/n, in any order and with or without the zeros, of n =
    /// `samples` rows.
    ///
    /// # Errors
    /// No samples, more positive eigenvalues than samples, none at all, negative or non-finite
    /// ones, positive ones outside [1e-140, 1e140].
    pub fn new(eigenvalues: &[f64], samples: usize) -> Result<Self, LearningError> {
        for &value in eigenvalues {
            if value != 0.0 && !(1.0 / RANGE..=RANGE).contains(&value) {
                return Err(LearningError::Parameter {
                    name: "eigenvalue",
                    value,
                    valid: "0 or a number between 1e-140 and 1e140",
                });
            }
        }
        let mut positive: Vec<f64> = eigenvalues.iter().copied().filter(|&l| l > 0.0).collect();
        positive.sort_by(f64::total_cmp);
        if positive.is_empty() || positive.len() > samples {
            return Err(LearningError::Shape {
                what: "positive eigenvalues",
                found: positive.len().to_string(),
                expected: format!("between 1 and the number of samples, {samples}"),
            });
        }
        Ok(Self { eigenvalues: positive, samples: samples as f64 })
    }

    /// The positive eigenvalues, ascending.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// κ̂, df̂1 and df̂2 at ρ = `ridge` ≥ 0.
    ///
    /// # Errors
    /// A ridge outside {0} ∪ [1e-140, 1e140].
    pub fn point(&self, ridge: f64) -> Result<SamplePoint, LearningError> {
        if ridge != 0.0 && !(1.0 / RANGE..=RANGE).contains(&ridge) {
            return Err(LearningError::Parameter {
                name: "ridge",
                value: ridge,
                valid: "0 or a number between 1e-140 and 1e140",
            });
        }
        let rank = self.eigenvalues.len() as f64;
        let (n, zeros) = (Interval::point(self.samples), self.samples - rank);
        if ridge == 0.0 && zeros > 0.0 {
            let (zero, rank) = (Certified::new(0.0, 0.0), Certified::new(rank, 0.0));
            return Ok(SamplePoint { ridge, kappa: zero, df1: rank, df2: rank });
        }
        // q in units of its largest value where ρ = 0; that scale cancels in κ̂ and df̂2
        let scale = if ridge > 0.0 { ridge } else { self.eigenvalues[0] };
        let ones = vec![1.0; self.eigenvalues.len()];
        let sums = sum_terms(&self.eigenvalues, &ones, &ones, |l, m, _| {
            let r = 1.0 / (l + ridge);
            let (t, q) = (l * r, scale * r);
            [m * t, m * t * t, m * q, m * q * q]
        });
        let underflow = 16.0 * rank * f64::from_bits(1);
        let enclose = |x: f64, roundings| Interval::rounded(x, roundings, underflow);
        let rest = Interval::point(zeros);
        let (t, t2) = (enclose(sums[0], LINEAR), enclose(sums[1], QUADRATIC));
        let (q, q2) = (enclose(sums[2], LINEAR) + rest, enclose(sums[3], QUADRATIC) + rest);
        // n times the variance of q, which is that of t where the scale is ρ
        let mut spread = q2 - q * q / n;
        if ridge > 0.0 {
            let same = t2 - t * t / n;
            if same.width() < spread.width() {
                spread = same;
            }
        }
        let df2 = (n * (spread.non_negative() / q2)).non_negative();
        Ok(SamplePoint {
            ridge,
            kappa: finite(n * (Interval::point(scale) / q), "the effective ridge")?,
            df1: if ridge > 0.0 { finite(t, "df1")? } else { Certified::new(rank, 0.0) },
            df2: finite(df2, "df2")?,
        })
    }
}
