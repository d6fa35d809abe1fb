//! The root u(z) of x(u) = z: starts, Halley's iteration, and the way out when that fails.

use std::sync::OnceLock;

use num_complex::Complex64;
use rayon::prelude::*;

use super::base::Base;
use super::kernel::{Kernel, Outcome, Problem};
use super::plane::Measure;
use super::population::Population;
use super::support::Support;
use super::table::{Arc, Course, Knot};
use super::{PARALLEL, SilversteinLaw};

/// Rays are tabulated up to this multiple of the size of the law.
const FAR: f64 = 1e8;
/// Beyond this multiple u = z − c∫τdH holds to the last bit.
const INFINITY: f64 = 1e20;
/// Atoms kept, about, in the coarse measure.
const COARSE: usize = 2048;
/// Atoms from which points are first brought to the root of the coarse measure.
const MANY: usize = 4 * COARSE;

/// Points that are solved at a time: their numbers stay in the cache.
const POINTS: usize = 128;

/// A computed, not yet proved root u = s + w of x(u) = z in the closed upper half plane;
/// `base` indexes the bases of the law.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) base: usize,
    pub(crate) w: Complex64,
}

/// What the solver knows of a law; the arcs are tabulated when they are first needed.
#[derive(Debug, Clone)]
pub(crate) struct Solver {
    kernel: Kernel,
    /// The kernel of the coarse measure, where the atoms are very many.
    first: Option<Kernel>,
    full: Measure,
    /// Groups of neighbours replaced by two atoms with the same moments up to the third.
    coarse: Measure,
    /// In ascending order of x.
    knots: Vec<Knot>,
    /// Whether the interval above knot i is in the support.
    inside: Vec<bool>,
    /// Below and above each knot.
    arcs: Vec<[OnceLock<Arc>; 2]>,
    /// c∫τdH.
    mean: f64,
    /// (c∫τ²dH)^½.
    radius: f64,
    /// Larger than every |z| and |u| of the support.
    size: f64,
}

impl Solver {
    pub(crate) fn new(p: &Population, support: &Support, bases: &[Base]) -> Self {
        let full =
            Measure { atoms: p.atoms.clone(), second: p.pairs().map(|(t, a)| a * t * t).collect() };
        let kernel = Kernel::new(&full);
        let mut coarse = Measure { atoms: Vec::new(), second: Vec::new() };
        let n = p.atoms.len();
        let (mut knots, mut inside): (Vec<Knot>, Vec<bool>) = (Vec::new(), Vec::new());
        let zero = bases.iter().position(|b| b.s.hi == 0.0).unwrap_or(0);
        if bases[zero].slope > 0.0 && !support.components[0].lower.hard {
            knots.push(Knot { index: zero, base: bases[zero], edge: false });
            inside.push(false);
        }
        let mut index = 0;
        for component in &support.components {
            for (edge, within) in [(&component.lower, true), (&component.upper, false)] {
                if edge.hard {
                    knots.push(Knot { index: zero, base: bases[zero], edge: true });
                } else {
                    while index + 1 < bases.len() && bases[index].s != edge.base.s {
                        index += 1;
                    }
                    knots.push(Knot { index, base: edge.base, edge: true });
                }
                inside.push(within);
            }
            let range = component.atoms.clone();
            let kept = 64.max(COARSE * range.len() / n);
            coarse.push_groups(&full, range.clone(), (2 * range.len()).div_ceil(kept));
        }
        let arcs = knots.iter().map(|_| [OnceLock::new(), OnceLock::new()]).collect();
        let mean = p.pairs().map(|(t, a)| a * t).sum();
        let radius = full.second.iter().sum::<f64>().sqrt();
        let size = (1.0 + p.ratio.sqrt()).powi(2) * p.atoms[n - 1];
        let worthwhile = n > MANY && 4 * coarse.atoms.len() < n;
        let first = worthwhile.then(|| Kernel::new(&coarse));
        Self { kernel, first, full, coarse, knots, inside, arcs, mean, radius, size }
    }

    /// The arc above (`side` = 1) or below (0) a knot.
    fn arc(&self, knot: usize, side: usize) -> &Arc {
        let cell = &self.arcs[knot][side];
        if let Some(arc) = cell.get() {
            return arc;
        }
        // built outside the lock: the pool may hand this thread another caller of this arc
        let (to, inside) = if side == 1 {
            (self.knots.get(knot + 1), self.inside[knot])
        } else {
            match knot.checked_sub(1) {
                Some(below) => (self.knots.get(below), self.inside[below]),
                None => (None, false),
            }
        };
        let course = Course {
            from: self.knots[knot],
            to: to.copied(),
            direction: if side == 1 { 1.0 } else { -1.0 },
            inside,
            far: FAR * self.size,
        };
        let arc = match &self.first {
            Some(first) => course.tabulate(first, &self.coarse, &self.coarse),
            None => course.tabulate(&self.kernel, &self.coarse, &self.full),
        };
        cell.get_or_init(|| arc)
    }

    /// Tabulates the arcs that the points need, side by side.
    fn tabulate(&self, z: &[Complex64]) {
        let mut needed: Vec<(usize, usize)> = z.iter().map(|z| self.place(z.re)).collect();
        needed.sort_unstable();
        needed.dedup();
        needed.into_par_iter().for_each(|(knot, side)| {
            self.arc(knot, side);
        });
    }

    /// The knot whose arc reaches x, and the side.
    fn place(&self, x: f64) -> (usize, usize) {
        let knot = self.knot(x);
        (knot, usize::from(self.knots[knot].base.offset(x) >= 0.0))
    }

    /// The knot nearest to Re z.
    fn knot(&self, x: f64) -> usize {
        let above = self.knots.partition_point(|k| k.base.x.hi < x).min(self.knots.len() - 1);
        let below = above.saturating_sub(1);
        let distance = |i: usize| self.knots[i].base.offset(x).abs();
        if distance(below) <= distance(above) { below } else { above }
    }

    /// The problem for z, or its solution where it is explicit.
    fn pose(&self, z: Complex64) -> (usize, Result<Problem, Complex64>) {
        let (knot, side) = self.place(z.re);
        let Knot { base, index, .. } = self.knots[knot];
        let offset = Complex64::new(base.offset(z.re), z.im);
        let far = || Complex64::new((z.re - self.mean) - base.s.hi, z.im);
        let modulus = z.re.abs().max(z.im);
        if offset.re == 0.0 && offset.im == 0.0 {
            return (index, Err(Complex64::new(0.0, 0.0)));
        }
        if modulus > INFINITY * self.size {
            return (index, Err(far()));
        }
        let mut problem = Problem { base, offset, start: far(), lift: 0.0 };
        let start = self.arc(knot, side).start(offset);
        if let Some(start) = start {
            problem.start = start;
        } else if modulus < 8.0 * self.size {
            self.raise(&mut problem);
        }
        (index, Ok(problem))
    }

    /// Starts high above the axis, where u ≈ z − c∫τdH.
    fn raise(&self, problem: &mut Problem) {
        let offset = problem.offset;
        problem.lift = 8.0 * self.size;
        let x = offset.re + problem.base.x.hi;
        problem.start =
            Complex64::new((x - self.mean) - problem.base.s.hi, offset.im + problem.lift);
    }

    /// The root by bracketing along Im z = const, improved by Halley's iteration.
    fn bracket(&self, problem: &Problem) -> Outcome {
        let base = &problem.base;
        let x = problem.offset.re + base.x.hi;
        let middle = (x - self.mean) - base.s.hi;
        let reach = self.radius * (1.0 + 1e-10) + 1e-10 * (x.abs() + self.size);
        let start = self.full.bracketed(base, problem.offset, middle - reach, middle + reach);
        let polished = self.kernel.solve(&[Problem { start, lift: 0.0, ..*problem }])[0];
        if polished.accepted { polished } else { Outcome { w: start, ..polished } }
    }
}

impl SilversteinLaw {
    /// The roots for z with Im z ≥ 0, z ≠ 0; real z is the limit from above. Each depends on
    /// its z and the law only.
    pub(crate) fn solve(&self, z: &[Complex64]) -> Vec<Candidate> {
        if z.len() * self.population.atoms.len() < PARALLEL {
            return z.chunks(POINTS).flat_map(|z| self.solve_here(z)).collect();
        }
        self.solver.tabulate(z);
        z.par_chunks(POINTS).flat_map_iter(|z| self.solve_here(z)).collect()
    }

    fn solve_here(&self, z: &[Complex64]) -> Vec<Candidate> {
        let solver = &self.solver;
        let posed: Vec<_> = z.iter().map(|&z| solver.pose(z)).collect();
        let mut problems: Vec<Problem> = posed.iter().filter_map(|p| p.1.ok()).collect();
        if let Some(first) = &solver.first {
            let near = first.solve(&problems);
            for (problem, found) in problems.iter_mut().zip(near) {
                if found.accepted {
                    (problem.start, problem.lift) = (found.w, 0.0);
                }
            }
        }
        let mut found = solver.kernel.solve(&problems);
        let stuck = |found: &[Outcome]| -> Vec<usize> {
            (0..found.len()).filter(|&i| !found[i].accepted).collect()
        };
        let again: Vec<usize> = stuck(&found)
            .into_iter()
            .filter(|&i| problems[i].lift == 0.0 && problems[i].offset.im > 0.0)
            .collect();
        let raised: Vec<Problem> = again
            .iter()
            .map(|&i| {
                let mut problem = problems[i];
                solver.raise(&mut problem);
                problem
            })
            .collect();
        for (&i, outcome) in again.iter().zip(solver.kernel.solve(&raised)) {
            found[i] = outcome;
        }
        for i in stuck(&found) {
            found[i] = solver.bracket(&problems[i]);
        }
        let mut found = found.into_iter();
        posed
            .into_iter()
            .map(|(base, solved)| {
                let w = match solved {
                    Ok(_) => found.next().map_or(Complex64::new(0.0, 0.0), |o| o.w),
                    Err(w) => w,
                };
                Candidate { base, w }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::Spectrum;

    fn laws() -> Vec<SilversteinLaw> {
        let decades: Vec<f64> = (-4..=4).map(|k| 100f64.powi(k)).collect();
        let cases: [(&[f64], f64); 6] = [
            (&[1.0, 10.0], 0.3),
            (&[1.0], 1.0),
            (&[1.0, 3.0, 3.5, 20.0], 100.0),
            (&[1.0, 3.0, 3.5, 20.0], 1e-3),
            (&[1.0, 3.176540655470742], 0.3),
            (&decades, 0.5),
        ];
        let law = |(atoms, ratio): (&[f64], f64)| {
            let spectrum = Spectrum::from_eigenvalues(atoms).expect("a spectrum");
            SilversteinLaw::new(&spectrum, ratio).expect("a law")
        };
        cases.into_iter().map(law).collect()
    }

    /// Inside every component, in the gaps, and above both.
    fn points(law: &SilversteinLaw) -> Vec<Complex64> {
        let mut z = Vec::new();
        let mut below = -law.solver.size;
        for c in &law.support.components {
            let (a, b) = (c.lower.position.value, c.upper.position.value);
            for t in [1e-6, 0.1, 0.5, 0.8, 0.9999] {
                for eta in [0.0, 1e-8 * (b - a), 0.1 * (b - a), 100.0 * b] {
                    z.push(Complex64::new(a + t * (b - a), eta));
                    z.push(Complex64::new(below + t * (a - below), eta));
                }
            }
            below = b;
        }
        z.push(Complex64::new(3.0 * below, 0.0));
        z
    }

    /// The way out, which the iteration hardly ever needs, comes to the same roots: two methods
    /// that share the residual of the last step only.
    #[test]
    fn bracketing_finds_the_roots_of_the_iteration() {
        for law in laws() {
            let z = points(&law);
            for (&z, candidate) in z.iter().zip(law.solve(&z)) {
                let (index, posed) = law.solver.pose(z);
                let Ok(problem) = posed else { continue };
                let found = law.solver.bracket(&problem);
                assert!(found.accepted, "{z}: {found:?}");
                assert_eq!(index, candidate.base);
                let error = (found.w - candidate.w).norm();
                // both stop at the rounding of the same equation, 1e-16 times its condition
                assert!(error <= 1e-11 * candidate.w.norm(), "{z}: {found:?} {candidate:?}");
            }
        }
    }

    /// The table's cells are halved until the cubic is right to 1e-5 in the middle (V6); next to
    /// their ends it is no worse.
    #[test]
    fn starts_are_good_to_four_digits() {
        for law in laws() {
            for c in &law.support.components {
                let (a, b) = (c.lower.position.value, c.upper.position.value);
                for k in 1..200 {
                    let x = a + (b - a) * f64::from(k) / 200.0;
                    let z = Complex64::new(x, 0.0);
                    let (_, Ok(problem)) = law.solver.pose(z) else { continue };
                    let w = law.solve(&[z])[0].w;
                    let error = (problem.start - w).norm() / w.norm();
                    assert!(error <= 1e-4, "{x}: {} {w}", problem.start);
                }
            }
        }
    }
}
