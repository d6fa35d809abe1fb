//! Quantiles, bracketed by certified values of the distribution function (D4).

use num_complex::Complex64;

use super::{Checked, SilversteinLaw};
use crate::evidence::Certified;
use crate::resolvent::ResolventError;

/// Newton steps: far beyond need, each at least halves the bracket.
const ITERATIONS: usize = 200;

impl SilversteinLaw {
    /// The quantile inf{x ≥ 0 : F(x) ≥ q}: 0 within the atom, the lower edge of the first
    /// component for q = 0 without atom, the upper edge of the component below for a q in the
    /// flat part of a gap. The proved interval is one at whose ends the certified distribution
    /// function lies on both sides of q.
    ///
    /// Where q is within rounding of the mass below a gap, or of the atom's, the radius honestly
    /// covers both ends of the gap. Cost: about 10 evaluations of the distribution function.
    ///
    /// ```
    /// use rootrate::resolvent::SilversteinLaw;
    /// use rootrate::spectrum::Spectrum;
    /// let law = SilversteinLaw::new(&Spectrum::from_atoms(&[1.0, 3.0], &[0.5, 0.5])?, 0.5)?;
    /// let median = law.quantile(0.5)?.value();
    /// assert!((law.cdf(median)?.value() - 0.5).abs() < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Unless 0 ≤ q ≤ 1.
    pub fn quantile(&self, q: f64) -> Result<Checked<f64>, ResolventError> {
        if !(0.0..=1.0).contains(&q) {
            return Err(ResolventError::Domain {
                function: "quantile",
                value: q,
                valid: "a probability in [0, 1]",
            });
        }
        let components = &self.support.components;
        let atom = self.support.atom_at_zero;
        if atom.value > 0.0 && q <= atom.value - atom.radius {
            return Ok(Certified::new(0.0, 0.0).into());
        }
        let (first, last) = (&components[0], &components[components.len() - 1]);
        if q == 0.0 && atom.value + atom.radius == 0.0 {
            return Ok(first.lower.position.into());
        }
        if q == 1.0 {
            return Ok(last.upper.position.into());
        }
        let (mut k, mut end) = (0, components.len() - 1);
        while k < end {
            let middle = k + (end - k) / 2;
            if self.mass_below(middle + 1).value < q { k = middle + 1 } else { end = middle }
        }
        self.bracket(q, self.invert(k, q))
    }

    /// Newton's method for ln T against ln|x − e|, T the mass between x and the edge e on whose
    /// side of the middle of component k the quantile lies: nearly a straight line of slope 3/2
    /// at an edge, whatever the scale.
    fn invert(&self, k: usize, q: f64) -> f64 {
        let component = &self.support.components[k];
        let (start, end) = (component.lower.position.value, component.upper.position.value);
        let from_lower = q - self.mass_below(k).value;
        let from_upper = self.mass_below(k + 1).value - q;
        if from_lower <= 0.0 {
            return start;
        }
        if from_upper <= 0.0 {
            return end;
        }
        let half = 0.5 * (end - start);
        let (share, slope) = self.share_with_slope(k, true, start + half);
        let lower = share >= from_lower;
        let target = if lower { from_lower } else { from_upper };
        let x = |t: f64| if lower { start + t.exp() } else { end - t.exp() };
        let (mut low, mut high) = (f64::NEG_INFINITY, half.ln());
        let mut t = high;
        let share = if lower { share } else { component.mass.value - share };
        let mut current = (share, slope);
        for _ in 0..ITERATIONS {
            let (share, slope) = current;
            let excess = (share / target).ln();
            if excess > 0.0 {
                high = t
            } else {
                low = t
            }
            let step = excess * share / (slope * t.exp());
            // the next error is of the order of the square of this step
            if step.abs() <= 1e-8 {
                return x(t - step);
            }
            let mut next = t - step;
            if !(next > low && next < high) {
                next = if low.is_finite() { 0.5 * (low + high) } else { high - 2.0 };
            }
            t = next;
            current = self.share_with_slope(k, lower, x(t));
        }
        x(t)
    }

    /// The mass of component k between x and its lower or upper edge, and the density.
    fn share_with_slope(&self, k: usize, lower: bool, x: f64) -> (f64, f64) {
        let at = self.locate(&[Complex64::new(x, 0.0)])[0];
        let (is_lower, mass) = self.share(k, x, &at);
        let mass = mass.value();
        let share =
            if is_lower == lower { mass } else { self.support.components[k].mass.value - mass };
        (share, self.density_at(&at).value())
    }

    /// The ends move apart from x until the certified F is < q at one and ≥ q at the other: at
    /// the latest below 0 and above the support.
    fn bracket(&self, q: f64, x: f64) -> Result<Checked<f64>, ResolventError> {
        let at = self.locate(&[Complex64::new(x, 0.0)])[0];
        let here = self.cdf(x)?;
        // infinite or not a number outside the bulk, or without proof: only a start
        let reach = 2.0 * ((here.value() - q).abs() + here.radius()) / self.density_at(&at).value();
        let start = if reach < 0.5 * x { reach } else { 0.0 };
        let step = start + 2.0 * f64::EPSILON * x + f64::MIN_POSITIVE;
        let (mut below, mut above) = (step, step);
        loop {
            let ends = self.cdf_many(&[x - below, x + above])?;
            let is_below = ends[0].value() + ends[0].radius() < q;
            let is_above = ends[1].value() - ends[1].radius() >= q;
            if is_below && is_above {
                let radius = below.max(above) * (1.0 + f64::EPSILON) + f64::EPSILON * x;
                return Ok(Certified::new(x, radius).into());
            }
            if !is_below {
                below *= 4.0;
            }
            if !is_above {
                above *= 4.0;
            }
        }
    }
}
