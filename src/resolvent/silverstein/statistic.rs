//! Linear spectral statistics ∫g dF by adaptive quadrature over the density (D8).

use num_complex::Complex64;

use super::{Component, SilversteinLaw};
use crate::evidence::Estimated;
use crate::numeric::CompensatedSum;
use crate::resolvent::ResolventError;

/// Relative error estimate at which refinement ends.
const TOLERANCE: f64 = 1e-13;
/// Rounding of one panel relative to its modulus.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Most panels in all, for each half of a component.
const MAX_PANELS: usize = 400;
/// First cuts of the variable T of half a component, unequal so that no symmetry is hit.
const CUTS: [f64; 3] = [0.0, 0.37, 1.0];

/// One half of a component, from an edge to its middle: x = e ± L T²/(1+T²), 0 ≤ T ≤ 1, which
/// makes the density of T analytic at an edge, a hard one too.
#[derive(Debug, Clone, Copy)]
pub(super) struct Half {
    edge: f64,
    /// L, negative from the upper edge.
    length: f64,
}

impl Half {
    pub(super) fn of(component: &Component) -> [Self; 2] {
        let (start, end) = (component.lower.position.value, component.upper.position.value);
        let length = end - start;
        [Self { edge: start, length }, Self { edge: end, length: -length }]
    }

    pub(super) fn x(&self, t: f64) -> f64 {
        self.edge + self.length * (t * t / (1.0 + t * t))
    }

    /// |dx/dT|.
    pub(super) fn speed(&self, t: f64) -> f64 {
        let bend = 1.0 + t * t;
        2.0 * self.length.abs() * t / (bend * bend)
    }

    /// Rounding of x relative to the length.
    fn resolution(&self) -> f64 {
        f64::EPSILON * (self.edge / self.length).abs()
    }
}

struct Panel {
    half: usize,
    a: f64,
    b: f64,
    integral: f64,
    modulus: f64,
    error: f64,
}

impl SilversteinLaw {
    /// ∫g dF, the limit of (1/p) Σ g(λ) over the eigenvalues of Ŝ, the atom at 0 included.
    ///
    /// Adaptive Gauss–Kronrod panels in a variable that removes the square roots at the edges;
    /// g may have kinks and jumps, and the support any dynamic range. The estimate is that of
    /// the rule (with rounding) and says so when refinement did not converge; a feature of g
    /// narrower than the first 30 nodes of each half of a component can be missed. Cost: 60–200
    /// roots of x(u) = x a component for a smooth g.
    ///
    /// ```
    /// use rootrate::resolvent::SilversteinLaw;
    /// use rootrate::spectrum::Spectrum;
    /// let law = SilversteinLaw::new(&Spectrum::from_atoms(&[1.0, 3.0], &[0.5, 0.5])?, 0.5)?;
    /// let mean = law.integrate(|x| x)?;
    /// assert!((mean.value - 2.0).abs() < 1e-12 && mean.estimate < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If g is not finite at a node, or at 0 where F has an atom there.
    pub fn integrate(&self, g: impl Fn(f64) -> f64) -> Result<Estimated, ResolventError> {
        self.integrate_over(0..self.support.components.len(), g)
    }

    /// ∫g f dx over some of the components and, where the first is among them, the atom at 0.
    fn integrate_over(
        &self,
        range: std::ops::Range<usize>,
        g: impl Fn(f64) -> f64,
    ) -> Result<Estimated, ResolventError> {
        let halves: Vec<Half> = self.support.components[range].iter().flat_map(Half::of).collect();
        let atom = self.support.atom_at_zero;
        let at_zero = if atom.value > 0.0 { finite(0.0, g(0.0))? } else { 0.0 };
        let cuts = |half| CUTS.windows(2).map(move |w| (half, w[0], w[1]));
        let mut fresh: Vec<(usize, f64, f64)> = (0..halves.len()).flat_map(cuts).collect();
        let mut panels: Vec<Panel> = Vec::new();
        loop {
            panels.extend(self.panels(&halves, &fresh, &g)?);
            let modulus: f64 = panels.iter().map(|p| p.modulus).sum();
            let error: f64 = panels.iter().map(|p| p.error).sum();
            let allowed = TOLERANCE * (modulus + atom.value * at_zero.abs());
            let room = (MAX_PANELS * halves.len()).saturating_sub(panels.len());
            fresh.clear();
            if error > allowed {
                let share = allowed / panels.len() as f64;
                let worst = panels.iter().map(|p| p.error).fold(0.0, f64::max);
                let bar = share.max(1e-3 * worst);
                panels.retain(|p| {
                    let middle = 0.5 * (p.a + p.b);
                    let split = p.error >= bar
                        && p.error > 2.0 * ROUNDING * p.modulus
                        && p.b - p.a > 1e-13 * p.b
                        && fresh.len() < room;
                    if split {
                        fresh.extend([(p.half, p.a, middle), (p.half, middle, p.b)]);
                    }
                    !split
                });
            }
            if fresh.is_empty() {
                let sum: CompensatedSum = panels.iter().map(|p| p.integral).collect();
                let value = sum.value() + atom.value * at_zero;
                let estimate = error + atom.radius * at_zero.abs() + f64::EPSILON * value.abs();
                return Ok(Estimated { value, estimate });
            }
        }
    }

    /// Gauss–Kronrod sums of new panels, their roots found together.
    fn panels(
        &self,
        halves: &[Half],
        fresh: &[(usize, f64, f64)],
        g: &impl Fn(f64) -> f64,
    ) -> Result<Vec<Panel>, ResolventError> {
        let nodes: Vec<(&Half, f64)> = fresh
            .iter()
            .flat_map(|&(half, a, b)| {
                NODES.iter().map(move |&(t, _, _)| (&halves[half], a + (b - a) * t))
            })
            .collect();
        let z: Vec<Complex64> =
            nodes.iter().map(|(half, t)| Complex64::new(half.x(*t), 0.0)).collect();
        let located = self.locate(&z);
        let mut values = Vec::with_capacity(nodes.len());
        for ((&(half, t), z), at) in nodes.iter().zip(&z).zip(&located) {
            let mass = self.bare_density(at) * half.speed(t);
            let value = finite(z.re, g(z.re))? * mass;
            // an unproved root counts as error; (D3) bounds f by the radius of u
            let doubt = at.radius.map_or(1.0, |r| (2.0 * r / at.w.im.max(r)).min(1.0));
            values.push((value, value.abs() * doubt));
        }
        let panel = |(&(half, a, b), values): (&(usize, f64, f64), &[(f64, f64)])| {
            let width = b - a;
            let sum = |term: fn(&(f64, f64, f64), &(f64, f64)) -> f64| {
                width * NODES.iter().zip(values).map(|(n, v)| term(n, v)).sum::<f64>()
            };
            let integral = sum(|n, v| n.1 * v.0);
            let modulus = sum(|n, v| n.1 * v.0.abs());
            let doubt = sum(|n, v| n.1 * v.1);
            let coarse = sum(|n, v| n.2 * v.0);
            // the scaling of QUADPACK, on the modulus of the integrand
            let difference = (integral - coarse).abs();
            let scaled = modulus * (200.0 * difference / modulus).powf(1.5).min(1.0);
            let rounding = (ROUNDING + halves[half].resolution()) * modulus;
            let error = if modulus > 0.0 { scaled } else { 0.0 } + rounding + doubt;
            Panel { half, a, b, integral, modulus, error }
        };
        Ok(fresh.iter().zip(values.chunks(NODES.len())).map(panel).collect())
    }
}

fn finite(x: f64, value: f64) -> Result<f64, ResolventError> {
    if value.is_finite() {
        return Ok(value);
    }
    let valid = "a point where it is finite";
    Err(ResolventError::Domain { function: "the integrand", value: x, valid })
}

/// Nodes on [0, 1] with the weights of the 15-point Kronrod rule and of the 7-point Gauss rule in it
/// (Piessens et al., *QUADPACK*, 1983).
const NODES: [(f64, f64, f64); 15] = [
    (0.004272314439593694, 0.011467661005264612, 0.0),
    (0.025446043828620757, 0.03154604631498928, 0.06474248308443485),
    (0.06756778832011545, 0.052395005161125094, 0.0),
    (0.12923440720030277, 0.07032662985776296, 0.13985269574463832),
    (0.20695638226615443, 0.08450236331963396, 0.0),
    (0.2970774243113014, 0.09517528903239271, 0.19091502525255946),
    (0.39610752249605075, 0.10221647003764944, 0.0),
    (0.5, 0.10474107054236391, 0.2089795918367347),
    (0.6038924775039493, 0.10221647003764944, 0.0),
    (0.7029225756886985, 0.09517528903239271, 0.19091502525255946),
    (0.7930436177338456, 0.08450236331963396, 0.0),
    (0.8707655927996972, 0.07032662985776296, 0.13985269574463832),
    (0.9324322116798845, 0.052395005161125094, 0.0),
    (0.9745539561713792, 0.03154604631498928, 0.06474248308443485),
    (0.9957276855604063, 0.011467661005264612, 0.0),
];
