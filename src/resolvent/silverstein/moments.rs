//! Moments and free cumulants.

use super::{SilversteinLaw, U};
use crate::evidence::Certified;
use crate::numeric::CompensatedSum;
use crate::resolvent::ResolventError;

/// Largest order of a moment or cumulant.
const MAX_ORDER: u32 = 256;

impl SilversteinLaw {
    /// ∫xᵏdF, atom included (it counts for k = 0 only), from the free cumulants c∫τʲdH of the
    /// companion law by Lagrange's formula (D6): for k ≥ 1
    /// mₖ is the coefficient of zᵏ in (1 + Σⱼ c∫τʲdH zʲ)^{k+1}/(c(k+1)).
    ///
    /// All terms are positive: proved relative error about 8k ulp. Cost O(k² log k), k ≤ 256.
    ///
    /// ```
    /// use rootrate::resolvent::SilversteinLaw;
    /// use rootrate::spectrum::Spectrum;
    /// let law = SilversteinLaw::new(&Spectrum::from_atoms(&[1.0, 3.0], &[0.5, 0.5])?, 0.5)?;
    /// // ∫τ²dH + c(∫τ dH)²
    /// assert!(law.moment(2)?.contains(5.0 + 0.5 * 4.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the moment overflows, or for k > 256.
    pub fn moment(&self, k: u32) -> Result<Certified, ResolventError> {
        check_order("moment", k)?;
        if k == 0 {
            return Ok(Certified::new(1.0, 0.0));
        }
        // in the unit 2^e ≥ b no moment or cumulant of the companion law exceeds 1
        let components = &self.support.components;
        let scale = power_of_two_above(components[components.len() - 1].upper.position.value);
        let mut series = vec![1.0];
        series.extend((1..=k).map(|j| self.cumulant(j, scale)));
        let moment = power(&series, k + 1)[k as usize] / f64::from(k + 1) / self.ratio();
        // underflow of a product costs at most 2⁻¹⁰⁷⁴ times coefficients below 2^{2k}
        unscale((moment, 1e-160), (scale, k), ("moment", k), 16.0 * f64::from(k) + 16.0)
    }

    /// The free cumulant c∫τᵏdH, k ≥ 1, of the companion law, the limiting spectrum of XXᵀ/n: a
    /// compound free Poisson law (D6). (F itself is one only if H has a single atom.)
    ///
    /// Proved relative error ≤ 2k + 8 ulp.
    ///
    /// # Errors
    /// For k = 0 or k > 256, and if the cumulant overflows.
    pub fn companion_free_cumulant(&self, k: u32) -> Result<Certified, ResolventError> {
        if k == 0 {
            return Err(ResolventError::Domain {
                function: "companion_free_cumulant",
                value: 0.0,
                valid: "an order k ≥ 1",
            });
        }
        check_order("companion_free_cumulant", k)?;
        let p = &self.population;
        let scale = power_of_two_above(p.atoms[p.atoms.len() - 1]);
        let value = self.cumulant(k, scale);
        unscale((value, 0.0), (scale, k), ("free cumulant", k), 4.0 * f64::from(k) + 16.0)
    }

    /// ∫x⁻¹dF = m(0) = ∫τ⁻¹dH/(1−c) for c < 1 and H({0}) = 0, the limit of (1/p) tr Ŝ⁻¹ (D7);
    /// +∞ otherwise, where Ŝ is singular in the limit. Relative error ≤ 8 ulp.
    pub fn inverse_moment(&self) -> Certified {
        let p = &self.population;
        if p.zero > 0.0 || p.ratio >= 1.0 {
            return Certified::new(f64::INFINITY, 0.0);
        }
        let terms = p.pairs().map(|(t, share)| share / t);
        let value = terms.collect::<CompensatedSum>().value() / p.ratio / (1.0 - p.ratio);
        Certified::new(value, 16.0 * U * value)
    }

    /// c Σ hⱼ (τⱼ/scale)ᵏ for a power of two: relative error ≤ (k + 8)u.
    fn cumulant(&self, k: u32, scale: f64) -> f64 {
        // by repeated squaring: at most k − 1 roundings
        let term = |(t, share): (f64, f64)| share * (t / scale).powi(k as i32);
        self.population.pairs().map(term).collect::<CompensatedSum>().value()
    }
}

fn check_order(function: &'static str, k: u32) -> Result<(), ResolventError> {
    if k > MAX_ORDER {
        let valid = "an order of at most 256";
        return Err(ResolventError::Domain { function, value: f64::from(k), valid });
    }
    Ok(())
}

/// value·scaleⁿ for a power of two, with a relative rounding of `roundings`·u and an absolute
/// error that is scaled too.
fn unscale(
    (value, absolute): (f64, f64),
    (scale, n): (f64, u32),
    (what, order): (&'static str, u32),
    roundings: f64,
) -> Result<Certified, ResolventError> {
    // exact until the result leaves the range: it grows or shrinks throughout
    let grow = |x: f64| (0..n).fold(x, |x, _| x * scale);
    let (radius, value) = (grow(value * roundings * U * 1.01 + absolute), grow(value));
    if !value.is_finite() {
        return Err(ResolventError::Overflow { what, order });
    }
    Ok(Certified::new(value, radius + f64::MIN_POSITIVE))
}

/// 2^e ≥ x, for x of moderate size.
fn power_of_two_above(x: f64) -> f64 {
    let exponent = x.log2().ceil();
    let power = exponent.exp2();
    if power >= x { power } else { 2.0 * power }
}

/// The power n ≥ 1 of a series with positive terms, truncated to its length; each product has a
/// relative error ≤ 4u.
fn power(series: &[f64], n: u32) -> Vec<f64> {
    let product = |a: &[f64], b: &[f64]| -> Vec<f64> {
        (0..a.len())
            .map(|i| {
                let terms = a[..=i].iter().zip(b[..=i].iter().rev()).map(|(x, y)| x * y);
                terms.collect::<CompensatedSum>().value()
            })
            .collect()
    };
    let mut result = series.to_vec();
    for bit in (0..n.ilog2()).rev() {
        result = product(&result, &result);
        if n >> bit & 1 == 1 {
            result = product(&result, series);
        }
    }
    result
}
