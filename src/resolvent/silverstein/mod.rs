//! The generalised Marchenko–Pastur (Silverstein) law: any population spectrum (theory page 6).

mod base;
mod certificate;
mod checked;
mod disc;
mod edge;
mod gap;
mod kernel;
mod outlier;
mod phi;
mod plane;
mod population;
mod solver;
mod support;
mod table;
mod transforms;
mod tree;
mod two_point;

use num_complex::Complex64;

pub use checked::{Checked, Reason};
pub use edge::Edge;
pub use outlier::{Outlier, Placement, SpikeRange};
pub use support::{Component, Contact, Support};

use super::ResolventError;
use crate::spectrum::Spectrum;
use base::Base;
use population::Population;
pub(crate) use solver::Candidate;
use solver::Solver;

/// The limiting spectral law F of the sample covariance Ŝ = XᵀX/n, n, p → ∞ with p/n → c, for
/// any population spectrum H.
#[derive(Debug, Clone)]
pub struct SilversteinLaw {
    pub(crate) population: Population,
    pub(crate) support: Support,
    /// Where x(u) is expanded: about 0 and about every edge's critical point, in ascending order
    /// of x.
    pub(crate) bases: Vec<Base>,
    solver: Solver,
}

/// A root u = s + w of x(u) = z with its proved radius.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Located {
    pub(crate) base: Base,
    /// w, in the closed upper half plane.
    pub(crate) w: Complex64,
    /// |error of w| where it is proved.
    pub(crate) radius: Result<f64, Reason>,
}

impl Located {
    /// u = s + w.
    pub(crate) fn u(&self) -> Complex64 {
        Complex64::new((self.w.re + self.base.s.hi) + self.base.s.lo, self.w.im)
    }
}

impl SilversteinLaw {
    /// The law of the population spectrum H = `population` at the aspect ratio c = p/n.
    ///
    /// # Errors
    /// Unless c is in [1e-10, 1e10] and the positive atoms in [1e-60, 1e60].
    pub fn new(population: &Spectrum, ratio: f64) -> Result<Self, ResolventError> {
        let population = Population::new(population, ratio)?;
        let support = Support::find(&population);
        let mut bases = vec![Base::zero(&population)];
        for component in &support.components {
            for edge in [&component.lower, &component.upper] {
                if !edge.hard {
                    bases.push(edge.base);
                }
            }
        }
        let solver = Solver::new(&population, &support, &bases);
        Ok(Self { population, support, bases, solver })
    }

    /// The support of the continuous part, and the atom at 0.
    pub fn support(&self) -> &Support {
        &self.support
    }

    /// The aspect ratio c = p/n.
    pub fn ratio(&self) -> f64 {
        self.population.ratio
    }

    /// The base whose x(s) is nearest to z.
    pub(crate) fn nearest_base(&self, z: Complex64) -> usize {
        let above = self.bases.partition_point(|b| b.x.hi < z.re).min(self.bases.len() - 1);
        let below = above.saturating_sub(1);
        let distance = |i: usize| self.bases[i].offset(z.re).abs();
        if distance(below) <= distance(above) { below } else { above }
    }

    /// The proved root for z in the closed upper half plane.
    pub(crate) fn locate(&self, z: &[Complex64]) -> Vec<Located> {
        let candidates = self.solve(z);
        z.iter().zip(candidates).map(|(&z, c)| self.prove(z, c)).collect()
    }

    fn prove(&self, z: Complex64, candidate: Candidate) -> Located {
        let base = self.bases[candidate.base];
        let radius = certificate::certify(&self.population, &base, z, candidate.w);
        Located { base, w: candidate.w, radius }
    }
}
