//! The law of a sample spectrum: in closed form for one population eigenvalue, else the general
//! one.

use rayon::prelude::*;
use rootrate::evidence::Certified;
use rootrate::resolvent::silverstein::Checked;
use rootrate::resolvent::{MarchenkoPastur, SilversteinLaw};
use rootrate::spectrum::Spectrum;

use super::super::CliError;
use super::Point;

/// The law with what names it.
#[derive(Debug)]
pub(super) struct Law<'a> {
    population: &'a Spectrum,
    ratio: f64,
    form: Form,
}

#[derive(Debug)]
enum Form {
    Closed(MarchenkoPastur),
    General(SilversteinLaw),
}

/// A component of the support.
#[derive(Debug)]
pub(super) struct Component {
    pub(super) lower: Certified,
    pub(super) upper: Certified,
    pub(super) mass: Certified,
}

/// What becomes of a spike.
#[derive(Debug)]
pub(super) struct Outlier {
    pub(super) population: f64,
    /// Sample eigenvalue and squared overlap, of a spike that leaves the bulk.
    pub(super) seen: Option<(f64, f64)>,
}

impl<'a> Law<'a> {
    pub(super) fn new(population: &'a Spectrum, ratio: f64) -> Result<Self, CliError> {
        let form = match population.atoms() {
            &[scale] => Form::Closed(MarchenkoPastur::new(ratio, scale)?),
            _ => Form::General(SilversteinLaw::new(population, ratio)?),
        };
        Ok(Self { population, ratio, form })
    }

    pub(super) fn atom_at_zero(&self) -> f64 {
        match &self.form {
            Form::Closed(law) => law.atom_at_zero(),
            Form::General(law) => law.support().atom_at_zero.value,
        }
    }

    /// In ascending order.
    pub(super) fn components(&self) -> Vec<Component> {
        match &self.form {
            Form::Closed(law) => {
                // edges are correctly rounded, the mass has two roundings
                let rounded = |x: f64| Certified::new(x, x * f64::EPSILON);
                let (lower, upper) = law.support();
                let mass = rounded(1.0 - law.atom_at_zero());
                vec![Component { lower: rounded(lower), upper: rounded(upper), mass }]
            }
            Form::General(law) => {
                let components = law.support().components.iter();
                components
                    .map(|c| Component {
                        lower: c.lower.position,
                        upper: c.upper.position,
                        mass: c.mass,
                    })
                    .collect()
            }
        }
    }

    /// Density and CDF at finite points.
    pub(super) fn points(&self, abscissae: &[f64]) -> Result<Vec<Point>, CliError> {
        let at = |&x: &f64| {
            let (density, cdf) = match &self.form {
                Form::Closed(law) => {
                    (law.density_certified(x)?.into(), law.cdf_certified(x)?.into())
                }
                Form::General(law) => (law.density(x)?, cdf(law, x)?),
            };
            if density.value().is_infinite() {
                return Err(CliError::new(format!(
                    "--at {x}: the density diverges there (hard edge); choose x > 0"
                )));
            }
            Ok(Point { x, density, cdf })
        };
        abscissae.par_iter().map(at).collect()
    }

    /// What becomes of each spike.
    pub(super) fn outliers(&self, spikes: &[f64]) -> Result<Vec<Outlier>, CliError> {
        if spikes.is_empty() {
            return Ok(Vec::new());
        }
        let own;
        let law = match &self.form {
            Form::General(law) => law,
            Form::Closed(_) => {
                own = SilversteinLaw::new(self.population, self.ratio)?;
                &own
            }
        };
        spikes
            .iter()
            .map(|&population| {
                let seen = outlier(law, self.population, population)
                    .map_err(|e| CliError::new(format!("--spikes {population}: {e}")))?;
                Ok(Outlier { population, seen })
            })
            .collect()
    }
}

// SHIM
fn cdf(law: &SilversteinLaw, x: f64) -> Result<Checked<f64>, CliError> {
    let support = law.support();
    let mut value = if x >= 0.0 { support.atom_at_zero.value } else { 0.0 };
    for c in &support.components {
        let (a, b) = (c.lower.position.value, c.upper.position.value);
        if x >= b {
            value += c.mass.value;
        } else if x > a {
            let n = 100;
            for i in 0..n {
                let t = (i as f64 + 0.5) / n as f64 * std::f64::consts::FRAC_PI_2;
                let y = a + (x - a) * t.sin().powi(2);
                let w = (x - a) * (2.0 * t).sin() * std::f64::consts::FRAC_PI_2 / n as f64;
                value += w * law.density(y)?.value();
            }
        }
    }
    Ok(Checked::Certified { value, radius: 1e-4 })
}

// SHIM
fn outlier(
    law: &SilversteinLaw,
    population: &Spectrum,
    t: f64,
) -> Result<Option<(f64, f64)>, CliError> {
    if !(t > 0.0 && t.is_finite()) {
        return Err(CliError::new("a spike is a finite number > 0"));
    }
    let c = law.ratio();
    let slope = 1.0 - c * population.integrate(|a| (a / (t - a)).powi(2));
    let x = t * (1.0 + c * population.integrate(|a| a / (t - a)));
    Ok((slope > 0.0).then_some((x, t * slope / x)))
}
