//! The support: components, edges, masses.

use std::ops::Range;

use super::base::Base;
use super::population::Population;
use crate::evidence::Certified;
use crate::numeric::double_double::DoubleDouble;

/// An edge e of a component of the support.
#[derive(Debug, Clone)]
pub struct Edge {
    /// Position e.
    pub position: Certified,
    /// A in f(x) ~ A √|x−e|, per unit^{3/2}; at a hard edge at 0 f(x) ~ A/√x.
    pub coefficient: Certified,
    /// Whether this is a hard edge at x = 0, c(1 − H{0}) = 1.
    pub hard: bool,
    /// The expansion about the critical point s of x(u).
    pub(crate) base: Base,
}

/// A component [lower, upper] of the support of the continuous part.
#[derive(Debug, Clone)]
pub struct Component {
    /// The lower edge.
    pub lower: Edge,
    /// The upper edge.
    pub upper: Edge,
    /// The mass, by exact separation (V6).
    pub mass: Certified,
    /// The positive atoms that the component comes from, as indices in ascending order.
    pub atoms: Range<usize>,
}

/// The support of the law without its atom at 0.
#[derive(Debug, Clone)]
pub struct Support {
    /// Components in ascending order.
    pub components: Vec<Component>,
    /// Mass of the atom at 0: max(H({0}), 1 − 1/c).
    pub atom_at_zero: Certified,
}

// INTERIM: double precision, no proof; to be replaced.
impl Support {
    pub(crate) fn find(p: &Population) -> Self {
        let n = p.atoms.len();
        let phi = |s: f64| p.pairs().map(|(t, a)| a * (t / (s - t)) * (t / (s - t))).sum::<f64>();
        let bisect = |mut lo: f64, mut hi: f64| {
            // φ(lo) < 1 ≤ φ(hi)
            for _ in 0..200 {
                let m = 0.5 * (lo + hi);
                if phi(m) < 1.0 { lo = m } else { hi = m }
            }
            lo
        };
        let reach = p.atoms[n - 1] * (2.0 + 2.0 * (p.ratio).sqrt());
        let k0 = 1.0 - p.positive.hi;
        let bottom = if k0 == 0.0 {
            0.0
        } else if k0 > 0.0 {
            bisect(0.0, p.atoms[0])
        } else {
            bisect(-reach, 0.0)
        };
        let mut criticals = vec![(bottom, 0)];
        for j in 0..n - 1 {
            let (mut a, mut b) = (p.atoms[j], p.atoms[j + 1]);
            for _ in 0..200 {
                let (m1, m2) = (a + (b - a) / 3.0, b - (b - a) / 3.0);
                if phi(m1) < phi(m2) { b = m2 } else { a = m1 }
            }
            let m = 0.5 * (a + b);
            if phi(m) < 1.0 {
                criticals.push((bisect(m, p.atoms[j]), j + 1));
                criticals.push((bisect(m, p.atoms[j + 1]), j + 1));
            }
        }
        criticals.push((bisect(p.atoms[n - 1] + reach, p.atoms[n - 1]), n));
        let edge = |s: f64| {
            let base = Base::at(p, DoubleDouble { hi: s, lo: 0.0 });
            let hard = s == 0.0;
            let nothing = Certified::new(0.0, f64::INFINITY);
            Edge {
                position: Certified::new(base.x.hi, 1e-15 * base.x.hi.abs()),
                coefficient: nothing,
                hard,
                base,
            }
        };
        let atom = p.zero.max(1.0 - 1.0 / p.ratio).max(0.0);
        let components = criticals
            .chunks(2)
            .map(|c| {
                let atoms = c[0].1..c[1].1;
                let mut mass = p.shares[atoms.clone()].iter().sum::<f64>() / p.ratio;
                if c[0].1 == 0 {
                    mass = mass - (atom - p.zero);
                }
                Component {
                    lower: edge(c[0].0),
                    upper: edge(c[1].0),
                    mass: Certified::new(mass, 1e-14),
                    atoms,
                }
            })
            .collect();
        Self { components, atom_at_zero: Certified::new(atom, 1e-15) }
    }
}
