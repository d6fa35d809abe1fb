//! The law of the sample covariance for a continuous population (theory page 6e).

mod edges;
mod enclosure;
mod root;
mod transforms;

use std::sync::OnceLock;

use super::{ResolventError, SilversteinLaw};
use crate::spectrum::{ContinuousLaw, MAX_NODES, Quadrature};
pub use edges::ContinuousEdges;

/// Nodes of the coarsest rule; each next one has twice as many.
const COARSEST: usize = 16;
/// Number of rules, up to [`MAX_NODES`] nodes.
const LEVELS: usize = (MAX_NODES / COARSEST).ilog2() as usize + 1;
/// Aspect ratios c, as for the discrete law.
const RATIOS: std::ops::RangeInclusive<f64> = 1e-10..=1e10;

/// The limiting spectral law F of the sample covariance Ŝ = XᵀX/n, n, p → ∞ with p/n → c, for
/// a continuous population law H.
///
/// Every value is proved for the continuous H itself: the n-point Gauss rule of H gives a
/// candidate for the root u of x(u) = z (C2), and the rule's error for x(u) and x'(u), bounded
/// from the distance of u (C5), enters the certificate (C7). The number of nodes doubles
/// from 16 until the proved radius meets the tolerance, until the rule's error is below
/// rounding, or to 4096. Needed are about ln(1/tolerance)/(2 ln ϱ) nodes, where ln ϱ inside the
/// interval [a, b] of H is about Im u/√((Re u−a)(b−Re u)) (divided by τ for the power law), and
/// Im u is of the order of c τ² h(τ). For c ≥ 0.5 and a density h of the order of 1/(b−a) 16–512
/// nodes do; off the support and off the axis 16–64. Where c τ² h is a thousandth of the width
/// or less (c below 10⁻³, thin tails, next to x = 0 when a = 0) the value is reported as
/// [`Resolution`](super::silverstein::Reason::Resolution).
///
/// ```
/// use rootrate::resolvent::ContinuousPopulation;
/// use rootrate::spectrum::ContinuousLaw;
/// let law = ContinuousPopulation::new(ContinuousLaw::uniform(1.0, 3.0)?, 0.5)?;
/// let f = law.density(2.0, 1e-10)?;
/// assert!(f.is_certified() && f.radius() <= 1e-10 * f.value());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ContinuousPopulation {
    law: ContinuousLaw,
    /// c.
    ratio: f64,
    /// H((0, ∞)).
    mass: f64,
    /// c·H((0, ∞)), exactly 1 at the hard edge.
    share: f64,
    levels: [OnceLock<Level>; LEVELS],
}

/// A rule for the continuous part and the law of the discrete population that it makes.
#[derive(Debug)]
struct Level {
    nodes: usize,
    rule: Quadrature,
    discrete: OnceLock<Result<SilversteinLaw, ResolventError>>,
}

impl ContinuousPopulation {
    /// The law of the population `law` at the aspect ratio c = p/n.
    ///
    /// # Errors
    /// Unless c is in [10⁻¹⁰, 10¹⁰].
    pub fn new(law: ContinuousLaw, ratio: f64) -> Result<Self, ResolventError> {
        if !RATIOS.contains(&ratio) {
            let valid = "a number in [1e-10, 1e10]";
            return Err(ResolventError::Parameter { name: "ratio", value: ratio, valid });
        }
        let mass = law.positive_mass();
        let share = ratio / law.population_ratio();
        Ok(Self { law, ratio, mass, share, levels: [const { OnceLock::new() }; LEVELS] })
    }

    /// The population law H.
    pub fn population(&self) -> &ContinuousLaw {
        &self.law
    }

    /// The aspect ratio c = p/n.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// The mass max(H({0}), 1 − 1/c) of the atom at 0, to 2 ulp.
    pub fn atom_at_zero(&self) -> f64 {
        let excess = if self.ratio > 1.0 { (self.ratio - 1.0) / self.ratio } else { 0.0 };
        excess.max(self.law.atom_at_zero())
    }

    fn level(&self, index: usize) -> &Level {
        self.levels[index].get_or_init(|| {
            let nodes = COARSEST << index;
            Level { nodes, rule: self.law.quadrature(nodes), discrete: OnceLock::new() }
        })
    }

    /// The law of the discrete population of a level.
    fn discrete<'a>(&self, level: &'a Level) -> Result<&'a SilversteinLaw, ResolventError> {
        let build = || {
            // the continuous part alone: the atom at 0 does not enter x(u) but through c·H((0, ∞))
            let rule =
                crate::spectrum::Spectrum::from_atoms(&level.rule.atoms, &level.rule.weights);
            match rule {
                Ok(rule) => SilversteinLaw::new(&rule, self.share),
                Err(_) => Err(ResolventError::Parameter {
                    name: "population ratio",
                    value: self.ratio,
                    valid: "a law whose rule is a population spectrum",
                }),
            }
        };
        level.discrete.get_or_init(build).as_ref().map_err(Clone::clone)
    }
}

/// A tolerance relative to the value.
fn check_tolerance(tolerance: f64) -> Result<f64, ResolventError> {
    if tolerance > 0.0 && tolerance <= 1.0 {
        return Ok(tolerance);
    }
    let valid = "a number in (0, 1]";
    Err(ResolventError::Parameter { name: "tolerance", value: tolerance, valid })
}
