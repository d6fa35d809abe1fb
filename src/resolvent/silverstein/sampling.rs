//! Draws from the law by inversion of a table (D9).

use num_complex::Complex64;

use super::SilversteinLaw;
use super::statistic::Half;
use crate::numeric::chebyshev::PiecewiseChebyshev;
use crate::resolvent::ResolventError;

/// Accuracy of the square root of the density of T relative to its maximum in a panel.
const TOLERANCE: f64 = 1e-11;
/// Points at which the table is checked against the certified distribution function.
const PROBES: u32 = 199;

/// A table of the law from which a uniform number gives a draw.
#[derive(Debug, Clone)]
pub struct Sampler {
    /// Mass of the atom at 0.
    atom: f64,
    /// Density of t: t in [2i, 2i+1] is T from the lower edge of component i, t in [2i+1, 2i+2]
    /// is 2i + 2 − T from its upper edge.
    table: PiecewiseChebyshev,
    halves: Vec<Half>,
    error: f64,
}

impl SilversteinLaw {
    /// A sampler of F. Cost: some thousand roots of x(u) = x a component; it pays from about a
    /// hundred draws on.
    ///
    /// ```
    /// use rootrate::montecarlo::Stream;
    /// use rootrate::resolvent::SilversteinLaw;
    /// use rootrate::spectrum::Spectrum;
    /// let law = SilversteinLaw::new(&Spectrum::from_atoms(&[1.0, 3.0], &[0.5, 0.5])?, 0.5)?;
    /// let sampler = law.sampler()?;
    /// let mut stream = Stream::new(7, 0, 0);
    /// let x = sampler.sample(stream.uniform());
    /// assert!(x > 0.0 && sampler.error() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// None for a law that could be built.
    pub fn sampler(&self) -> Result<Sampler, ResolventError> {
        let halves: Vec<Half> = self.support.components.iter().flat_map(Half::of).collect();
        let breaks: Vec<f64> = (0..=halves.len()).map(|i| i as f64).collect();
        let table = PiecewiseChebyshev::fit(&breaks, TOLERANCE, |t| {
            let (half, t) = position(&halves, t);
            let z = Complex64::new(half.x(t), 0.0);
            let at = self.locate(&[z])[0];
            let (density, speed) = (self.density_at(&at), half.speed(t));
            let value = density.value() * speed;
            Ok::<_, ResolventError>((value, value.min(density.radius() * speed)))
        })?;
        let atom = self.support.atom_at_zero.value;
        let mut sampler = Sampler { atom, table, halves, error: 0.0 };
        let probabilities: Vec<f64> = (1..=PROBES)
            .map(|i| atom + (1.0 - atom) * (f64::from(i) / f64::from(PROBES + 1)))
            .collect();
        let draws: Vec<f64> = probabilities.iter().map(|&q| sampler.sample(q)).collect();
        let mut error = sampler.table.error() + (sampler.table.total() - (1.0 - atom)).abs();
        for (q, f) in probabilities.iter().zip(self.cdf_many(&draws)?) {
            error = error.max((f.value() - q).abs());
        }
        sampler.error = error;
        Ok(sampler)
    }
}

impl Sampler {
    /// The draw that belongs to the uniform number `uniform` of (0, 1): the quantile, up to
    /// [`error`](Self::error) in probability. Outside [0, 1] the nearer end counts, for NaN the
    /// upper one.
    pub fn sample(&self, uniform: f64) -> f64 {
        let rest = uniform.min(1.0) - self.atom;
        if self.atom > 0.0 && rest <= 0.0 {
            return 0.0;
        }
        let share = rest.max(0.0) / (1.0 - self.atom);
        let (half, t) =
            position(&self.halves, self.table.inverse_integral(share * self.table.total()));
        half.x(t)
    }

    /// Estimate of the largest |F(sample(q)) − q|: that of the fit, the deviation of its total,
    /// and the largest deviation from the certified distribution function at 199 points.
    pub fn error(&self) -> f64 {
        self.error
    }
}

/// The half component and T that belong to t.
fn position(halves: &[Half], t: f64) -> (Half, f64) {
    let index = (t.max(0.0) as usize).min(halves.len() - 1);
    let within = t - index as f64;
    (halves[index], if index.is_multiple_of(2) { within } else { 1.0 - within })
}
