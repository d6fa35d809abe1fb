//! Spiked populations: outliers, their eigenvectors, thresholds (O1)–(O6).

use num_complex::Complex64;
use serde::Serialize;

use super::base::Base;
use super::{Component, Edge, SilversteinLaw};
use crate::evidence::Certified;
use crate::interval::Interval;
use crate::numeric::double_double::DoubleDouble;
use crate::resolvent::ResolventError;

/// Spikes and positions that are accepted, like the atoms of a population.
const SPIKES: std::ops::RangeInclusive<f64> = 1e-60..=1e60;
/// Doublings of a candidate's radius until its proof is given up.
const DOUBLINGS: i32 = 45;

/// A population eigenvalue of vanishing weight (a spike) with what becomes of it in the sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Outlier {
    /// The spike τ₀.
    pub population: Certified,
    /// The limit of the sample eigenvalue of the same rank. Where only its component is known
    /// ([`Placement::Bulk`]), the interval value ± radius is that component.
    pub sample: Certified,
    /// The limit of the squared inner product of that eigenvalue's sample eigenvector with the
    /// population eigenvector.
    pub overlap: Certified,
    /// Where the sample eigenvalue is.
    pub placement: Placement,
}

/// Where the sample eigenvalue of a spike is in the limit; components are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Placement {
    /// Outside the support, at x(τ₀).
    Detached,
    /// At the lower edge of a component.
    LowerEdge {
        /// Which one.
        component: usize,
    },
    /// At the upper edge of a component.
    UpperEdge {
        /// Which one.
        component: usize,
    },
    /// In a component (or, for the lowest one, possibly at the atom at 0).
    Bulk {
        /// Which one.
        component: usize,
    },
    /// At 0, among the zero eigenvalues of a singular Ŝ.
    Null,
    /// So near to a threshold that the sign of x′(τ₀) is not proved: detached, or at an edge.
    Undecided,
}

/// The spikes in (lower, upper) are detached (O2).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SpikeRange {
    /// Lower threshold (0 itself belongs to the range that begins there if H has no atom at 0).
    pub lower: Certified,
    /// Upper threshold; none above the largest component.
    pub upper: Option<Certified>,
}

impl SilversteinLaw {
    /// The outlier of a population spike τ₀ = `spike` (O1)–(O3):
    ///
    /// x(τ₀) = τ₀(1 + cΣ hτ/(τ₀−τ)), detached if and only if x′(τ₀) = 1 − cΣ hτ²/(τ₀−τ)² > 0;
    /// squared overlap τ₀x′(τ₀)/x(τ₀) of sample and population eigenvector, 0 if not detached.
    ///
    /// Spikes above, between and below the bulks. The sign of x′ is proved, in double-double
    /// arithmetic; values are proved to a few ulp. Cost: O(atoms).
    ///
    /// Sources: Baik, Ben Arous & Péché, *Ann. Probab.* 33 (2005) 1643; Baik & Silverstein 2006;
    /// Bai & Yao, *J. Multivariate Anal.* 106 (2012) 167; Benaych-Georges & Nadakuditi 2011.
    ///
    /// ```
    /// use rootrate::resolvent::SilversteinLaw;
    /// use rootrate::spectrum::Spectrum;
    /// let law = SilversteinLaw::new(&Spectrum::identity(), 0.25)?;
    /// // the threshold of Baik, Ben Arous and Péché is 1 + √c
    /// assert!(law.spike_ranges().last().unwrap().lower.contains(1.5));
    /// let outlier = law.outlier(3.0)?;
    /// assert!(outlier.sample.contains(3.375)); // τ₀(1 + c/(τ₀−1))
    /// assert!((outlier.overlap.value - 5.0 / 6.0).abs() < 1e-15);
    /// // and back: the spike behind an outlier seen at 3.375
    /// assert!((law.spike_from_outlier(3.375)?.population.value - 3.0).abs() < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Unless the spike is 0 or in [1e-60, 1e60].
    pub fn outlier(&self, spike: f64) -> Result<Outlier, ResolventError> {
        if spike.is_nan() {
            return Err(ResolventError::NotANumber { name: "spike" });
        }
        if spike != 0.0 && !SPIKES.contains(&spike) {
            let valid = "0 or a number in [1e-60, 1e60]";
            return Err(ResolventError::Parameter { name: "spike", value: spike, valid });
        }
        let population = Certified::new(spike, 0.0);
        let base = self.at(spike);
        let (sample, overlap, placement) = if spike == 0.0 {
            self.zero_spike(&base)
        } else {
            let slope = slope(&base);
            let below = self.population.atoms.partition_point(|&t| t < spike);
            if self.population.atoms.get(below) == Some(&spike) || slope.hi() < 0.0 {
                let (sample, placement) = self.sticking(spike, below);
                (sample, Interval::ZERO, placement)
            } else {
                let position = position(&base);
                let overlap = unit(Interval::point(spike) * slope / position);
                if slope.lo() > 0.0 {
                    (position, overlap, Placement::Detached)
                } else {
                    let (edge, _) = self.sticking(spike, below);
                    (position.hull(edge), overlap.hull(Interval::ZERO), Placement::Undecided)
                }
            }
        };
        let out_of_range = ResolventError::Overflow { what: "outlier", order: 1 };
        let (Some(sample), Some(overlap)) = (sample.to_certified(), overlap.to_certified()) else {
            return Err(out_of_range);
        };
        Ok(Outlier { population, sample, overlap, placement })
    }

    /// The spike behind a sample eigenvalue seen at `position` outside the support (O4):
    /// τ₀ = u(position) = −1/v(position), with its overlap.
    ///
    /// This is how sample eigenvalues are corrected (Donoho, Gavish & Johnstone, *Ann. Statist.*
    /// 46 (2018) 1742): in a bulk of variance 1, τ₀ is the shrinker for the operator norm and
    /// 1 + (τ₀−1)·overlap the one for the Frobenius norm. The root is enclosed between two points with proved signs and positive
    /// x′, so it is the right one and the position is outside the support. Cost: one root and
    /// O(atoms).
    ///
    /// # Errors
    /// A position that is not in [1e-60, 1e60], is in the support or within rounding of it, or
    /// below the bulk when c(1 − H{0}) ≥ 1, where no spike gives an outlier.
    pub fn spike_from_outlier(&self, position: f64) -> Result<Outlier, ResolventError> {
        if position.is_nan() {
            return Err(ResolventError::NotANumber { name: "position" });
        }
        let valid = "in [1e-60, 1e60], outside the support by more than rounding, and \
                     not below the bulk when c(1 - H{0}) >= 1";
        let function = "spike_from_outlier";
        let error = ResolventError::Domain { function, value: position, valid };
        if !SPIKES.contains(&position) {
            return Err(error);
        }
        let u = self.locate(&[Complex64::new(position, 0.0)])[0].u().re;
        let Some((radius, ends)) = self.enclose(position, u) else {
            return Err(error);
        };
        // x′ is concave between two atoms, so on [u−r, u+r] it lies between the lower of the ends
        // and f + |f − f±| for f in the middle
        let [lower, upper] = ends.map(|e| slope(&e));
        let middle = slope(&self.at(u));
        let rise = (middle - lower).magnitude().max((middle - upper).magnitude());
        let highest = (middle + Interval::point(rise)).hi();
        let slopes = Interval::new(lower.lo().min(upper.lo()), highest);
        let overlap = unit(Interval::ball(u, radius) * slopes / Interval::point(position));
        let overlap = overlap.to_certified().ok_or(error)?;
        Ok(Outlier {
            population: Certified::new(u, radius),
            sample: Certified::new(position, 0.0),
            overlap,
            placement: Placement::Detached,
        })
    }

    /// The ranges of spikes that are detached, ascending (O2): above the upper critical point of
    /// a component and below the lower one of the next. The last one begins at the threshold of
    /// Baik, Ben Arous and Péché, 1 + √c for the identity. Cost: O(edges · atoms).
    pub fn spike_ranges(&self) -> Vec<SpikeRange> {
        let components = &self.support.components;
        let mut ranges = Vec::with_capacity(components.len() + 1);
        let mut below = Some(Certified::new(0.0, 0.0)).filter(|_| {
            components.first().is_none_or(|c| !c.lower.hard && c.lower.base.s.hi > 0.0)
        });
        for component in components {
            if let Some(lower) = below {
                let upper = Some(self.threshold(&component.lower, component, -1.0));
                ranges.push(SpikeRange { lower, upper });
            }
            below = Some(self.threshold(&component.upper, component, 1.0));
        }
        ranges.extend(below.map(|lower| SpikeRange { lower, upper: None }));
        ranges
    }

    /// The critical point of an edge; the gap is on the side `outwards` = ±1 of it.
    ///
    /// φ is convex between two atoms: with φ > 1 on the inner and φ < 1 on the outer side of an
    /// interval without atoms, exactly one crossing lies in it.
    fn threshold(&self, edge: &Edge, component: &Component, outwards: f64) -> Certified {
        let s = edge.base.s.hi;
        for k in 0..DOUBLINGS {
            let r = s.abs() * f64::EPSILON * 2.0_f64.powi(k);
            let (inner, outer) = (s - outwards * r, s + outwards * r);
            if self.separated(inner, outer) {
                break;
            }
            let [inside, outside] = [inner, outer].map(|u| slope(&self.at(u)));
            if inside.hi() < 0.0 && outside.lo() > 0.0 {
                // the ends are themselves rounded
                return Certified::new(s, r * (1.0 + f64::EPSILON) + s.abs() * f64::EPSILON);
            }
        }
        // no more than that it lies between the component's outermost atom and the next one
        let atoms = &self.population.atoms;
        let (first, last) = (component.atoms.start, component.atoms.end);
        let (near, far) = if outwards > 0.0 {
            // φ ≤ c τ_max²/(s − τ_max)² above the last one
            let top = atoms[last - 1] * (2.0 + self.population.ratio.sqrt());
            (atoms[last - 1], atoms.get(last).copied().unwrap_or(top))
        } else {
            (atoms[first], first.checked_sub(1).map_or(0.0, |i| atoms[i]))
        };
        Certified::new(s, (near - s).abs().max((far - s).abs()))
    }

    /// A radius r with x(u−r) < position < x(u+r) and x′ > 0 on [u−r, u+r], and both ends.
    fn enclose(&self, position: f64, u: f64) -> Option<(f64, [Base; 2])> {
        for k in 0..DOUBLINGS {
            let r = u.abs() * f64::EPSILON * 2.0_f64.powi(k);
            let (a, b) = (u - r, u + r);
            if !(a > 0.0 && b.is_finite()) || self.separated(a, b) {
                return None;
            }
            let ends = [a, b].map(|u| self.at(u));
            if ends.iter().any(|e| slope(e).lo() <= 0.0) {
                return None;
            }
            let [lower, upper] = [&ends[0], &ends[1]].map(|e| (e.offset(position), e.x_error));
            // an offset is rounded by at most 2u relative
            if lower.0 > 2.0 * lower.1 && upper.0 < -2.0 * upper.1 {
                return Some((r * (1.0 + f64::EPSILON) + u * f64::EPSILON, ends));
            }
        }
        None
    }

    /// Whether an atom lies between a and b, inclusively.
    fn separated(&self, a: f64, b: f64) -> bool {
        let (a, b) = (a.min(b), a.max(b));
        let atoms = &self.population.atoms;
        atoms.get(atoms.partition_point(|&t| t < a)).is_some_and(|&t| t <= b)
    }

    fn at(&self, u: f64) -> Base {
        Base::at(&self.population, DoubleDouble { hi: u, lo: 0.0 })
    }

    /// A direction without variance: its sample eigenvalue is exactly 0, and alone there if Ŝ has
    /// no other zero.
    fn zero_spike(&self, base: &Base) -> (Interval, Interval, Placement) {
        let slope = slope(base);
        if self.population.zero > 0.0 || slope.hi() < 0.0 {
            (Interval::ZERO, Interval::ZERO, Placement::Null)
        } else if slope.lo() > 0.0 {
            (Interval::ZERO, Interval::ONE, Placement::Detached)
        } else {
            (Interval::ZERO, Interval::new(0.0, 1.0), Placement::Undecided)
        }
    }

    /// Where the sample eigenvalue is that has the rank of a spike that is not detached;
    /// `below` counts the atoms below it (O5).
    fn sticking(&self, spike: f64, below: usize) -> (Interval, Placement) {
        let components = &self.support.components;
        let on_atom = self.population.atoms.get(below) == Some(&spike);
        let lower_edge =
            |i: usize| (components[i].lower.position.into(), Placement::LowerEdge { component: i });
        let upper_edge =
            |i: usize| (components[i].upper.position.into(), Placement::UpperEdge { component: i });
        // the first component that begins above the spike
        let next = components.partition_point(|c| c.atoms.start < below + usize::from(on_atom));
        let open = !on_atom && next < components.len() && components[next].atoms.start == below;
        if open && next == 0 {
            let edge = &components[0].lower;
            if edge.hard || edge.base.s.hi > 0.0 {
                return lower_edge(0);
            }
            return (Interval::ZERO, Placement::Null);
        }
        if open {
            let (left, right) = (&components[next - 1].upper.base, &components[next].lower.base);
            // x′ < 0 is proved, so the spike is on one side of both
            let middle = 0.5 * left.s.hi + 0.5 * right.s.hi;
            return if spike < middle { upper_edge(next - 1) } else { lower_edge(next) };
        }
        if below == self.population.atoms.len() {
            return upper_edge(components.len() - 1);
        }
        let component = next.saturating_sub(1);
        let Component { lower, upper, .. } = &components[component];
        let hull = Interval::from(lower.position).hull(upper.position.into());
        // the ranks of the spike, as shares of all eigenvalues, against those of the zeros
        let share = |count: usize| {
            self.population.zero
                + self.population.shares[..count].iter().sum::<f64>() / self.population.ratio
        };
        let zeros = self.support.atom_at_zero.value;
        let rounding = f64::EPSILON * (8 + self.population.atoms.len()) as f64;
        if share(below + usize::from(on_atom)) + rounding < zeros {
            (Interval::ZERO, Placement::Null)
        } else if zeros > self.population.zero && share(below) - rounding < zeros {
            (hull.hull(Interval::ZERO), Placement::Bulk { component })
        } else {
            (hull, Placement::Bulk { component })
        }
    }
}

/// x′(s).
fn slope(base: &Base) -> Interval {
    Interval::ball(base.slope, base.slope_error)
}

/// x(s).
fn position(base: &Base) -> Interval {
    Interval::ball(base.x.hi, base.x_error + base.x.lo.abs())
}

/// The part in [0, 1], of a quantity known to lie there (O3).
fn unit(x: Interval) -> Interval {
    Interval::new(x.lo().clamp(0.0, 1.0), x.hi().clamp(0.0, 1.0))
}
