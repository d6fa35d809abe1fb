//! The support: components, edges, masses.

use std::ops::Range;

use rayon::prelude::*;

use super::base::Base;
use super::edge::Edge;
use super::gap::{Verdict, decide, discarded};
use super::phi::Phi;
use super::population::Population;
use super::tree::Tree;
use crate::evidence::Certified;
use crate::numeric::double_double::DoubleDouble;

/// Intervals × atoms from which the work is spread over threads.
const PARALLEL: usize = 1 << 16;

/// A component [lower, upper] of the support of the continuous part.
#[derive(Debug, Clone)]
pub struct Component {
    /// The lower edge.
    pub lower: Edge,
    /// The upper edge.
    pub upper: Edge,
    /// The mass, by exact separation (U9).
    pub mass: Certified,
    /// The positive atoms that the component comes from, as indices in ascending order.
    pub atoms: Range<usize>,
}

/// A place where two bulks touch, or leave a gap that rounding cannot tell from none: they are
/// one component here.
#[derive(Debug, Clone, Copy)]
pub struct Contact {
    /// Where.
    pub position: f64,
    /// Proved bound of the width of a gap there.
    pub width: f64,
    /// Positive atoms below it.
    pub atoms_below: usize,
}

/// The support of the law without its atom at 0.
///
/// ```
/// use rootrate::resolvent::SilversteinLaw;
/// use rootrate::spectrum::Spectrum;
/// let law = SilversteinLaw::new(&Spectrum::from_atoms(&[1.0, 10.0], &[0.5, 0.5])?, 0.3)?;
/// let [low, high] = &law.support().components[..] else { panic!("two components") };
/// assert!(low.upper.position.contains(1.6785129979303213));
/// assert!(high.mass.contains(0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Support {
    /// Components in ascending order; every gap between them is proved, and so is the absence
    /// of any other gap that [`contacts`](Self::contacts) does not name.
    pub components: Vec<Component>,
    /// Where a gap could neither be proved nor excluded (none for almost every population).
    pub contacts: Vec<Contact>,
    /// Mass of the atom at 0: max(H({0}), 1 − 1/c).
    pub atom_at_zero: Certified,
}

/// The edges of one gap, by the number of atoms below it.
enum Found {
    Gap(usize, Box<(Edge, Edge)>),
    Contact(Contact),
}

impl Support {
    /// All edges with proof (U5), (U6): between two neighbouring atoms φ is convex, so that its
    /// minimum decides.
    pub(crate) fn find(p: &Population) -> Self {
        let count = p.atoms.len();
        let open: Vec<usize> = (1..count).filter(|&k| !discarded(p, k - 1)).collect();
        let tree = Tree::new(p);
        let found: Vec<Found> = if open.len() * count < PARALLEL {
            open.iter().filter_map(|&k| gap(p, &tree, k)).collect()
        } else {
            open.par_iter().filter_map(|&k| gap(p, &tree, k)).collect()
        };
        let mut components = Vec::new();
        let mut contacts = Vec::new();
        let (mut lower, mut first) = (bottom(p), 0);
        for found in found {
            match found {
                Found::Gap(k, edges) => {
                    let (upper, next) = *edges;
                    components.push(component(p, lower, upper, first..k));
                    (lower, first) = (next, k);
                }
                Found::Contact(contact) => contacts.push(contact),
            }
        }
        components.push(component(p, lower, top(p), first..count));
        Self { components, contacts, atom_at_zero: atom_at_zero(p) }
    }
}

/// The gap between the atoms k − 1 and k, unless there is none.
fn gap(p: &Population, tree: &Tree, k: usize) -> Option<Found> {
    let (left, right, width) = match decide(p, tree, k - 1) {
        Verdict::Bulk => return None,
        Verdict::Undecided { position, width } => {
            return Some(Found::Contact(Contact { position, width, atoms_below: k }));
        }
        Verdict::Gap { left, right, width } => (left, right, width),
    };
    let phi = |s| Phi::at(p, s);
    let upper = Edge::refine(p, Phi::approach(phi, left, true), true, None);
    let next = Edge::refine(p, Phi::approach(phi, right, false), false, None);
    let proved = upper.position.radius.is_finite() && next.position.radius.is_finite();
    Some(if proved {
        Found::Gap(k, Box::new((upper, next)))
    } else {
        // a gap, but its edges are not told apart
        Found::Contact(Contact { position: Base::at(p, left).x.hi, width, atoms_below: k })
    })
}

/// The lowest edge: s* in (0, τ₁), 0 or negative as c(1 − H{0}) is below, at or above 1.
fn bottom(p: &Population) -> Edge {
    let (slope, error) = p.slope_at_zero();
    if slope.hi.abs() <= error {
        return Edge::hard(p);
    }
    // φ ≥ 1 at both
    let near = DoubleDouble::sum(p.atoms[0], -p.shares[0].sqrt() * p.atoms[0]);
    let start =
        if slope.hi < 0.0 && near.hi > 0.0 || near.hi == 0.0 { DoubleDouble::ZERO } else { near };
    // φ ≤ c τₙ²/(s−τₙ)² below all atoms (U6)
    let lowest = -p.atoms[p.atoms.len() - 1] * p.ratio.sqrt() * 1.001;
    let interval = Some((lowest, p.atoms[0]));
    Edge::refine(p, Phi::approach(|s| Phi::at(p, s), start, false), false, interval)
}

/// The highest edge: s* above all atoms.
fn top(p: &Population) -> Edge {
    let last = p.atoms.len() - 1;
    let start = DoubleDouble::sum(p.atoms[last], p.shares[last].sqrt() * p.atoms[last]);
    // φ ≤ c τₙ²/(s−τₙ)² above all atoms (U6)
    let interval = Some((p.atoms[last], p.atoms[last] * (1.0 + p.ratio.sqrt()) * 1.001));
    Edge::refine(p, Phi::approach(|s| Phi::at(p, s), start, true), true, interval)
}

/// A component with its mass (U9): Σh of its atoms, for the lowest one when c(1 − H{0}) > 1
/// what the others leave of 1/c.
fn component(p: &Population, lower: Edge, upper: Edge, atoms: Range<usize>) -> Component {
    let (slope, _) = p.slope_at_zero();
    let share = if atoms.start == 0 && slope.hi < 0.0 {
        p.share_of(atoms.end..p.atoms.len()).negated().plus(1.0)
    } else {
        p.share_of(atoms.clone())
    };
    let mass = share.over(DoubleDouble { hi: p.ratio, lo: 0.0 });
    let rounding = (40.0 + 4.0 * p.atoms.len() as f64) * p.ratio.max(1.0) / p.ratio * 1.3e-32;
    Component { lower, upper, mass: Certified::new(mass.hi, mass.lo.abs() + rounding), atoms }
}

/// max(H({0}), 1 − 1/c).
fn atom_at_zero(p: &Population) -> Certified {
    let (slope, error) = p.slope_at_zero();
    let given = p.atom_at_zero();
    if slope.hi >= -error {
        return given;
    }
    let excess = p.ratio - 1.0;
    let value = excess / p.ratio;
    let exact = value.mul_add(p.ratio, -excess) == 0.0 && excess + 1.0 == p.ratio;
    Certified::new(value, if exact { 0.0 } else { 2.0 * f64::EPSILON * value })
}
