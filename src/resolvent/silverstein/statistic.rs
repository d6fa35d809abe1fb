//! Linear spectral statistics ∫g dF by adaptive quadrature over the density (D8).

use num_complex::Complex64;

use super::{Component, SilversteinLaw};
use crate::evidence::Estimated;
use crate::numeric::CompensatedSum;
use crate::resolvent::ResolventError;

/// Relative error estimate at which refinement ends.
const TOLERANCE: f64 = 1e-13;
/// Error estimate of the total mass at which refinement for its sake ends.
const MASS_TOLERANCE: f64 = 1e-9;
/// Most checks: one that changes the sum is repeated.
const CHECKS: u32 = 4;
/// Cuts of a panel by which its sum is checked.
const CHECK: [f64; 5] = [0.0, 0.02, 0.5, 0.98, 1.0];
/// Rounding of one panel relative to its modulus.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Most panels for each half of a component, beside those for every atom.
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

/// A panel to come: the index of its half and its ends in T.
type Span = (usize, f64, f64);

struct Panel {
    half: usize,
    a: f64,
    b: f64,
    integral: f64,
    modulus: f64,
    /// Estimate of the rule, which smaller panels reduce.
    error: f64,
    /// The same for the mass, the integral of 1: where f varies g is looked at, too.
    mass_error: f64,
    /// Rounding, and the radii of the roots.
    floor: f64,
}

impl SilversteinLaw {
    /// ∫g dF, the limit of (1/p) Σ g(λ) over the eigenvalues of Ŝ, the atom at 0 included.
    ///
    /// Adaptive Gauss–Kronrod panels in a variable that removes the square roots at the edges;
    /// g may have kinks and jumps, and the support any dynamic range. The estimate is that of
    /// the rule (with rounding) and says so when refinement did not converge. Panels resolve the
    /// density at every scale; a feature of g that is narrower than their nodes can be missed. Cost: 300–1000
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
        let halves: Vec<Half> = self.support.components.iter().flat_map(Half::of).collect();
        let atom = self.support.atom_at_zero;
        let at_zero = if atom.value > 0.0 { finite(0.0, g(0.0))? } else { 0.0 };
        let cuts = |half| CUTS.windows(2).map(move |w| (half, w[0], w[1]));
        let mut fresh: Vec<Span> = (0..halves.len()).flat_map(cuts).collect();
        // the density may have a ripple at every atom
        let most = MAX_PANELS * halves.len() + 8 * self.population.atoms.len();
        let mut panels: Vec<Panel> = Vec::new();
        let (mut before, mut checks) = (f64::INFINITY, 0);
        loop {
            panels.extend(self.panels(&halves, &fresh, &g)?);
            fresh.clear();
            let total = |part: fn(&Panel) -> f64| panels.iter().map(part).sum::<f64>();
            let (modulus, floor) = (total(|p| p.modulus), total(|p| p.floor));
            let (error, mass_error) = (total(|p| p.error), total(|p| p.mass_error));
            let sum: CompensatedSum = panels.iter().map(|p| p.integral).collect();
            let value = sum.value() + atom.value * at_zero;
            let allowed = TOLERANCE * (modulus + atom.value * at_zero.abs());
            let done = error <= allowed && mass_error <= MASS_TOLERANCE;
            // two orders of a panel can agree by accident, above all on a jump near its end:
            // agreement is checked by splitting all
            let check = done && checks < CHECKS && (value - before).abs() > 100.0 * allowed;
            let cuts: &[f64] = if check { &CHECK } else { &[0.0, 0.5, 1.0] };
            let mut room = most.saturating_sub(panels.len());
            if check {
                before = value;
                checks += 1;
                room = panels.len();
            }
            let bar = |sum: f64, allowed: f64, part: fn(&Panel) -> f64| {
                let largest = panels.iter().map(part).fold(0.0, f64::max);
                if sum > allowed {
                    (allowed / panels.len() as f64).max(1e-3 * largest)
                } else {
                    f64::INFINITY
                }
            };
            let mass_bar = bar(mass_error, MASS_TOLERANCE, |p| p.mass_error);
            let bar = bar(error, allowed, |p| p.error);
            if check || !done {
                panels.retain(|p| {
                    let splits = check
                        || (p.error >= bar && p.error > 0.01 * p.floor)
                        || p.mass_error >= mass_bar;
                    let split = splits && p.b - p.a > 1e-13 * p.b && room > 0;
                    if split {
                        room -= 1;
                        let at = |t: f64| p.a + (p.b - p.a) * t;
                        fresh.extend(cuts.windows(2).map(|w| (p.half, at(w[0]), at(w[1]))));
                    }
                    !split
                });
            }
            if fresh.is_empty() {
                let change = if checks > 0 { (value - before).abs() } else { 0.0 };
                let rounding = floor + atom.radius * at_zero.abs() + f64::EPSILON * value.abs();
                return Ok(Estimated { value, estimate: error + change + rounding });
            }
        }
    }

    /// Gauss–Kronrod sums of new panels, their roots found together.
    fn panels(
        &self,
        halves: &[Half],
        fresh: &[Span],
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
            let density = self.density_at(at);
            let mass = density.value() * half.speed(t);
            let value = finite(z.re, g(z.re))? * mass;
            // an unproved root counts as error
            let doubt = (density.radius() / density.value()).min(1.0);
            values.push([value, mass, value.abs() * doubt]);
        }
        let panel = |(&(half, a, b), values): (&Span, &[[f64; 3]])| {
            let sum = |part: fn(&[f64; 3]) -> f64, coarse: bool| {
                let weight = |n: &(f64, f64, f64)| if coarse { n.2 } else { n.1 };
                let terms = NODES.iter().zip(values).map(|(n, v)| weight(n) * part(v));
                (b - a) * terms.sum::<f64>()
            };
            let (integral, modulus) = (sum(|v| v[0], false), sum(|v| v[0].abs(), false));
            let mass = sum(|v| v[1], false);
            let error = scaled((integral - sum(|v| v[0], true)).abs(), modulus);
            let mass_error = scaled((mass - sum(|v| v[1], true)).abs(), mass);
            let rounding = (ROUNDING + halves[half].resolution()) * modulus;
            let floor = rounding + sum(|v| v[2], false);
            Panel { half, a, b, integral, modulus, error, mass_error, floor }
        };
        Ok(fresh.iter().zip(values.chunks(NODES.len())).map(panel).collect())
    }
}

/// The error of the fine rule from its difference to the coarse one, as in QUADPACK with the
/// modulus of the integrand.
fn scaled(difference: f64, modulus: f64) -> f64 {
    if modulus > 0.0 { modulus * (200.0 * difference / modulus).powf(1.5).min(1.0) } else { 0.0 }
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
