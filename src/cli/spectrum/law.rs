//! The law of a sample spectrum: in closed form for one population eigenvalue, else the general
//! one.

use rootrate::evidence::Certified;
use rootrate::resolvent::silverstein::{Checked, Outlier};
use rootrate::resolvent::{MarchenkoPastur, SilversteinLaw};
use rootrate::spectrum::Spectrum;

use super::super::CliError;
use super::super::progress::spinner;
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
    General(Box<SilversteinLaw>),
}

/// A component of the support.
#[derive(Debug)]
pub(super) struct Component {
    pub(super) lower: Certified,
    pub(super) upper: Certified,
    pub(super) mass: Certified,
}

impl<'a> Law<'a> {
    pub(super) fn new(population: &'a Spectrum, ratio: f64) -> Result<Self, CliError> {
        let form = match population.atoms() {
            &[scale] => Form::Closed(MarchenkoPastur::new(ratio, scale)?),
            _ => Form::General(Box::new(SilversteinLaw::new(population, ratio)?)),
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
        let progress = spinner("density and distribution function");
        let (densities, cdfs) = match &self.form {
            Form::General(law) => (law.densities(abscissae)?, law.cdf_many(abscissae)?),
            Form::Closed(law) => {
                let each = |&x: &f64| -> Result<(Checked<f64>, Checked<f64>), CliError> {
                    let density = law.density_certified(x)?;
                    if density.value.is_infinite() {
                        return Err(CliError::new(format!(
                            "--at {x}: the density diverges there (hard edge at ratio 1); choose x > 0"
                        )));
                    }
                    Ok((density.into(), law.cdf_certified(x)?.into()))
                };
                let both = abscissae.iter().map(each).collect::<Result<Vec<_>, _>>()?;
                both.into_iter().unzip()
            }
        };
        progress.finish_and_clear();
        let points = abscissae.iter().zip(densities).zip(cdfs);
        Ok(points.map(|((&x, density), cdf)| Point { x, density, cdf }).collect())
    }

    /// What becomes of each spike.
    pub(super) fn outliers(&self, spikes: &[f64]) -> Result<Vec<Outlier>, CliError> {
        if spikes.is_empty() {
            return Ok(Vec::new());
        }
        let own;
        let law = match &self.form {
            Form::General(law) => law.as_ref(),
            Form::Closed(_) => {
                own = SilversteinLaw::new(self.population, self.ratio)?;
                &own
            }
        };
        spikes
            .iter()
            .map(|&spike| {
                law.outlier(spike).map_err(|e| CliError::new(format!("--spikes {spike}: {e}")))
            })
            .collect()
    }
}
