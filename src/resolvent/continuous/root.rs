//! The proved root of x(u) = z for the continuous population (theory page 6e, (C7)).

use num_complex::Complex64;

use super::enclosure::Enclosure;
use super::{COARSEST, ContinuousPopulation, LEVELS, Level};
use crate::resolvent::ResolventError;
use crate::resolvent::silverstein::Reason;

/// Newton steps that move a candidate to the root of the rule's own equation.
const POLISH: usize = 3;

/// The root u in the closed upper half plane, within `radius` of the computed one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Root {
    pub(super) u: Complex64,
    pub(super) radius: f64,
    /// The values of the rule at the computed u.
    pub(super) at: Enclosure,
    /// Whether a finer rule would not make the radius much smaller.
    settled: bool,
}

/// What was found for one z.
pub(super) type Search = Result<Root, (Complex64, Reason)>;

impl ContinuousPopulation {
    /// The root for z in the closed upper half plane, z ≠ 0, by doubling the rule until `done`.
    pub(super) fn root(
        &self,
        z: Complex64,
        done: impl Fn(&Root) -> bool,
    ) -> Result<Search, ResolventError> {
        let mut best: Search = Err((z, Reason::Resolution));
        let mut index = 0;
        while index < LEVELS {
            let level = self.level(index);
            let candidate = match &best {
                Ok(root) => root.u,
                Err(_) => self.discrete(level)?.locate(&[z])[0].u(),
            };
            match (self.prove(level, candidate, z), &best) {
                (Ok(root), Ok(previous)) if root.radius >= previous.radius => {}
                (Err(_), Ok(_)) => {}
                (found, _) => best = found,
            }
            index = match &best {
                Ok(root) if root.settled || done(root) => break,
                Ok(_) => index + 1,
                Err((u, _)) => self.next_level(index, *u),
            };
        }
        Ok(best)
    }

    /// The next level at which the rule could tell a root near u from the real axis, or the
    /// last one: a guess that saves building the laws of those between.
    fn next_level(&self, index: usize, u: Complex64) -> usize {
        let resolves = |&i: &usize| {
            let (error, _) = self.law.quadrature_errors(COARSEST << i, u);
            u.im == 0.0 || self.share * u.norm() * error < u.im
        };
        (index + 1..LEVELS).find(resolves).unwrap_or((LEVELS - 1).max(index + 1))
    }

    /// The certificate at the candidate, or for real z at the real point next to it.
    fn prove(&self, level: &Level, candidate: Complex64, z: Complex64) -> Search {
        let found = self.certify(level, self.polish(level, candidate, z), z);
        if found.is_ok() || z.im > 0.0 {
            return found;
        }
        let real = self.polish(level, Complex64::new(candidate.re, 0.0), z);
        self.certify(level, real, z).or(found)
    }

    fn polish(&self, level: &Level, mut u: Complex64, z: Complex64) -> Complex64 {
        for _ in 0..POLISH {
            let at = self.enclose(level, u, z);
            let next = u - at.residual / at.slope;
            if !next.is_finite() || next.im < 0.0 {
                break;
            }
            u = next;
        }
        u
    }

    /// Newton–Kantorovich for the continuous equation (C7).
    fn certify(&self, level: &Level, u: Complex64, z: Complex64) -> Search {
        let at = self.enclose(level, u, z);
        let coarse = at.truncation > 0.1 * at.residual_error || at.truncation.is_infinite();
        let fail = |reason| Err((u, if coarse { Reason::Resolution } else { reason }));
        let delta = 1.01 * at.residual.norm() + at.residual_error;
        let slope = 0.99 * at.slope.norm() - at.slope_error;
        let step = 1.01 * delta / slope;
        let mut radius = 2.0 * step;
        if slope.is_nan() || slope <= 0.0 || radius.is_nan() || 4.0 * radius > at.distance {
            return fail(Reason::NoRoot);
        }
        // c∫τ²/|u−τ|² dH
        let squares = if u.im > 0.0 {
            1.01 * (1.0 + (delta - z.im) / u.im)
        } else {
            1.01 * (1.0 - at.slope.re + at.slope_error)
        };
        let change = 2.02 * squares.max(0.0) / (at.distance * (1.0 - radius / at.distance).powi(3));
        let image = step + 0.51 * change / slope * radius * radius;
        if image.is_nan() || image > radius {
            return fail(Reason::NoRoot);
        }
        let on_branch = if u.im > 0.0 {
            radius < u.im
        } else {
            u.im == 0.0 && z.im == 0.0 && at.slope.re - at.slope_error > change * radius
        };
        if !on_branch {
            return fail(Reason::Branch);
        }
        // the disc is mapped into the smaller one, where the root then is
        radius = image;
        Ok(Root { u, radius, at, settled: !coarse })
    }
}
