//! The generalised Marchenko–Pastur (Silverstein) law: any population spectrum (theory page 6).

mod ball;
mod base;
mod certificate;
mod checked;
mod distribution;
mod edge;
mod gap;
mod kernel;
mod log_determinant;
mod moments;
mod outlier;
mod phi;
mod plane;
mod population;
mod quantile;
mod sampling;
mod solver;
mod statistic;
mod stieltjes;
mod sums;
mod support;
mod table;
mod transforms;
mod tree;
mod two_point;
mod verify;

use num_complex::Complex64;

pub use checked::{Checked, Reason};
pub use edge::Edge;
pub use outlier::{Outlier, Placement, SpikeRange};
pub use sampling::Sampler;
pub use support::{Component, Contact, Support};

use rayon::prelude::*;

use super::ResolventError;
use crate::spectrum::Spectrum;
use ball::Ball;
use base::Base;
use certificate::{Proof, U};
use population::Population;
pub(crate) use solver::Candidate;
use solver::Solver;

/// Points × atoms from which several threads pay.
const PARALLEL: usize = 200_000;
/// Points that one thread proves at a time.
const PROOFS: usize = 128;

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
    /// x'(u); its radius is ∞ where nothing is proved.
    slope: Ball,
}

impl Located {
    fn new(base: Base, w: Complex64, proof: Result<Proof, Reason>) -> Self {
        match proof {
            Ok(Proof { radius, slope, slope_radius, real }) => {
                // a real root is no farther from Re w than from w
                let w = if real { Complex64::new(w.re, 0.0) } else { w };
                let slope = if real { Complex64::new(slope.re, 0.0) } else { slope };
                Self { base, w, radius: Ok(radius), slope: Ball::new(slope, slope_radius) }
            }
            Err(reason) => {
                let slope = Ball::new(Complex64::new(0.0, 0.0), f64::INFINITY);
                Self { base, w, radius: Err(reason), slope }
            }
        }
    }

    /// u = s + w.
    pub(crate) fn u(&self) -> Complex64 {
        Complex64::new((self.w.re + self.base.s.hi) + self.base.s.lo, self.w.im)
    }

    /// u with the error of w and the rounding of s + w; the radius is ∞ where nothing is proved.
    fn ball(&self) -> Ball {
        let u = self.u();
        let s = self.base.s.hi;
        let rounding = if s == 0.0 { 0.0 } else { 3.0 * U * (u.re.abs() + U * s.abs()) };
        let radius = self.radius.unwrap_or(f64::INFINITY) + rounding;
        Ball::new(u, radius * (1.0 + 4.0 * U))
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

    /// The proved roots for z in the closed upper half plane.
    pub(crate) fn locate(&self, z: &[Complex64]) -> Vec<Located> {
        let candidates = self.candidates(z);
        let proofs = self.prove(z, &candidates);
        let located = candidates.iter().zip(proofs);
        located.map(|(c, proof)| Located::new(self.bases[c.base], c.w, proof)).collect()
    }

    /// The certificates of the candidates for z.
    fn prove(&self, z: &[Complex64], candidates: &[Candidate]) -> Vec<Result<Proof, Reason>> {
        let nothing = Err(Reason::NoRoot);
        let mut proofs = vec![nothing; z.len()];
        let mut order: Vec<usize> = (0..z.len()).collect();
        order.sort_unstable_by_key(|&i| candidates[i].base);
        // one table of the atoms serves many points of a base
        let tasks: Vec<&[usize]> = order
            .chunk_by(|&i, &j| candidates[i].base == candidates[j].base)
            .flat_map(|group| group.chunks(PROOFS))
            .collect();
        let run = |task: &&[usize]| {
            let base = &self.bases[candidates[task[0]].base];
            let (z, w): (Vec<_>, Vec<_>) = task.iter().map(|&i| (z[i], candidates[i].w)).unzip();
            certificate::certify(&self.population, base, &z, &w)
        };
        let found: Vec<_> = if z.len() * self.population.atoms.len() < PARALLEL {
            tasks.iter().map(run).collect()
        } else {
            tasks.par_iter().map(run).collect()
        };
        for (task, results) in tasks.iter().zip(found) {
            for (&i, proof) in task.iter().zip(results) {
                proofs[i] = proof;
            }
        }
        proofs
    }

    /// The candidates for z; u = 0 at z = 0 is one without a solver, where x'(0) > 0.
    fn candidates(&self, z: &[Complex64]) -> Vec<Candidate> {
        let origin = Complex64::new(0.0, 0.0);
        if self.bases[0].slope <= 0.0 || !z.contains(&origin) {
            return self.solve(z);
        }
        let others: Vec<_> = z.iter().copied().filter(|&z| z != origin).collect();
        let mut solved = self.solve(&others).into_iter();
        let at_origin = Candidate { base: 0, w: origin };
        let pick = |&z: &Complex64| if z == origin { None } else { solved.next() };
        z.iter().map(pick).map(|c| c.unwrap_or(at_origin)).collect()
    }
}
