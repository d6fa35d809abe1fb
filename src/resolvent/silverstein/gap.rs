//! Whether there is a gap of the support between two neighbouring atoms, decided with proof.

use super::base::Base;
use super::phi::Phi;
use super::population::Population;
use super::tree::Tree;
use crate::numeric::double_double::DoubleDouble;

/// Evaluations in one search: Newton's method needs about six, halving at most fifty.
const EVALUATIONS: usize = 100;
/// Populations up to this size are summed at once, larger ones first by clusters.
const SMALL: usize = 256;

/// The verdict on the interval between two neighbouring atoms.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verdict {
    /// φ > 1 throughout: no gap.
    Bulk,
    /// φ < 1 somewhere between two critical points.
    Gap {
        /// Where Newton's method for the left critical point starts.
        left: DoubleDouble,
        /// The same for the right one.
        right: DoubleDouble,
        /// Bound of the width of the gap, in x.
        width: f64,
    },
    /// min φ = 1 within the error of double-double: any gap there is no wider (in x) than
    /// `width`, at x(s) next to `position`.
    Undecided {
        /// x at the minimum of φ.
        position: f64,
        /// Bound of the width of the gap.
        width: f64,
    },
}

/// The part of (τ_k, τ_{k+1}) not yet excluded: the points with s − τ_k ≥ `left` and
/// τ_{k+1} − s ≥ `right`. Everything outside has φ > 1.
#[derive(Debug, Clone, Copy)]
struct Window {
    lower: f64,
    upper: f64,
    left: f64,
    right: f64,
}

/// What a search in double precision found, with its last trial point as a distance from the
/// lower atom.
enum Search {
    Bulk,
    Below(f64),
    Unclear(f64),
}

/// Whether the two poles alone keep φ above 1 on (τ_k, τ_{k+1}) (U4): one comparison.
pub(super) fn discarded(population: &Population, k: usize) -> bool {
    let (t, a) = (&population.atoms, &population.shares);
    let distance = t[k + 1] - t[k];
    let (p, q) = (a[k].sqrt() * (t[k] / distance), a[k + 1].sqrt() * (t[k + 1] / distance));
    p * p + q * q + 6.0 * p * q > 1.0 + 64.0 * f64::EPSILON
}

/// The verdict on (τ_k, τ_{k+1}) (U5).
pub(super) fn decide(population: &Population, tree: &Tree, k: usize) -> Verdict {
    let mut window = Window::new(population, k);
    let mut trial = window.guess();
    if population.atoms.len() > SMALL {
        let (atoms, shares) = tree.around(k);
        // a lower bound of φ: what it excludes is excluded
        let phi = |s| Phi::over(&atoms, &shares, s);
        match search(&mut window, trial, phi) {
            Search::Bulk => return Verdict::Bulk,
            Search::Below(at) => {
                trial = at;
                window.tighten(phi);
            }
            Search::Unclear(at) => trial = at,
        }
    }
    let phi = |s| Phi::at(population, s);
    match search(&mut window, trial, phi) {
        Search::Bulk => Verdict::Bulk,
        Search::Below(_) => Verdict::Gap {
            left: window.point(window.left),
            right: window.point_below(window.right),
            // x' = 1 − φ ≤ 1
            width: window.widest(),
        },
        Search::Unclear(at) => closely(population, window.point(at), window),
    }
}

impl Window {
    fn new(population: &Population, k: usize) -> Self {
        let (t, a) = (&population.atoms, &population.shares);
        // φ ≥ a τ²/d² alone exceeds 1 nearer than √a τ
        let slack = 1.0 - 8.0 * f64::EPSILON;
        Self {
            lower: t[k],
            upper: t[k + 1],
            left: a[k].sqrt() * t[k] * slack,
            right: a[k + 1].sqrt() * t[k + 1] * slack,
        }
    }

    fn distance(&self) -> f64 {
        self.upper - self.lower
    }

    /// Whether nothing is left.
    fn empty(&self) -> bool {
        self.left + self.right > self.distance() * (1.0 + 8.0 * f64::EPSILON)
    }

    fn width(&self) -> f64 {
        (self.distance() - self.left) - self.right
    }

    /// An upper bound of the width.
    fn widest(&self) -> f64 {
        self.width().max(0.0) + 32.0 * f64::EPSILON * self.distance()
    }

    /// The point at a distance from the lower atom, exact in the representation of the nearer
    /// atom.
    fn point(&self, from_lower: f64) -> DoubleDouble {
        if from_lower <= 0.5 * self.distance() {
            DoubleDouble::sum(self.lower, from_lower)
        } else {
            DoubleDouble::sum(self.upper, from_lower - self.distance())
        }
    }

    /// The point at a distance from the upper atom.
    fn point_below(&self, from_upper: f64) -> DoubleDouble {
        DoubleDouble::sum(self.upper, -from_upper)
    }

    /// Where the two poles alone have their minimum.
    fn guess(&self) -> f64 {
        let (p, q) = (self.left.cbrt().powi(2), self.right.cbrt().powi(2));
        self.distance() * (p / (p + q))
    }

    /// Brings both ends next to the critical points of a lower bound `phi` of φ, where it is
    /// proved that they lie on the far side.
    fn tighten(&mut self, phi: impl Fn(DoubleDouble) -> Phi) {
        const SHORT: f64 = 1.0 - 1e-6;
        let left = Phi::approach(&phi, self.point(self.left), true).plus(-self.lower).hi * SHORT;
        let here = phi(self.point(left));
        if left > self.left && here.lower() > 1.0 && here.first < 0.0 && here.flattest() > 0.0 {
            self.left = left;
        }
        let start = self.point_below(self.right);
        let right = -Phi::approach(&phi, start, false).plus(-self.upper).hi * SHORT;
        let here = phi(self.point_below(right));
        if right > self.right && here.lower() > 1.0 && here.first > 0.0 && here.flattest() > 0.0 {
            self.right = right;
        }
    }

    /// Excludes the points nearer than `step` to the one at `from_lower`, and all beyond it on
    /// a side on which φ increases.
    fn exclude(&mut self, from_lower: f64, step: f64, phi: &Phi) {
        // distances to the nearer atom are exact, all others rounded a few times
        const SLACK: f64 = 8.0 * f64::EPSILON;
        let (left, right) = (from_lower, self.distance() - from_lower);
        let proved = phi.flattest() > 0.0;
        if (proved && phi.first < 0.0) || left * (1.0 + SLACK) - step <= self.left {
            self.left = self.left.max((left + step) * (1.0 - SLACK));
        }
        if (proved && phi.first > 0.0) || right * (1.0 + SLACK) - step <= self.right {
            self.right = self.right.max((right + step) * (1.0 - SLACK));
        }
    }
}

/// Cuts the window by tangents of the concave G = φ^{−½} (U5) until it is empty or a point
/// with φ < 1 is found; `phi` may be a lower bound of φ with the same properties.
fn search(window: &mut Window, trial: f64, phi: impl Fn(DoubleDouble) -> Phi) -> Search {
    let mut at = trial;
    for _ in 0..EVALUATIONS {
        if window.empty() {
            return Search::Bulk;
        }
        let (low, high) = (window.left, window.distance() - window.right);
        if !(low < at && at < high) {
            at = low + 0.5 * (high - low);
        }
        let here = phi(window.point(at));
        if here.upper() < 1.0 {
            return Search::Below(at);
        }
        let before = window.width();
        if here.lower() > 1.0 {
            let step = Phi::newton(here.lower() - 1.0, here.steepest()).abs();
            window.exclude(at, step * (1.0 - 16.0 * f64::EPSILON), &here);
        }
        let next = at - here.first / here.second;
        let stuck = window.width() >= before;
        if stuck && (next - at).abs() <= 1e-9 * window.distance() {
            break;
        }
        at = next;
    }
    if window.empty() { Search::Bulk } else { Search::Unclear(at) }
}

/// The decision in double-double, at the minimum s of φ as double precision finds it.
fn closely(population: &Population, s: DoubleDouble, window: Window) -> Verdict {
    let (mut s, mut moved) = (s, 0.0);
    let mut phi = Phi::at(population, s);
    for _ in 0..4 {
        let step = -phi.first / phi.second;
        let next = s.plus(step);
        let there = Phi::at(population, next);
        let better = there.first.abs() < phi.first.abs();
        if !better {
            break;
        }
        (s, phi, moved) = (next, there, moved + step.abs());
    }
    let base = Base::at(population, s);
    let nearest = super::edge::distance_to_poles(population, s);
    let width = window.widest() + moved;
    // φ'' ≥ μ within the window (U5)
    let spread = 1.0 + width / nearest;
    let least = phi.second * (1.0 - 2.0 * phi.relative) / spread.powi(4) * 0.999;
    let dip = phi.steepest() * phi.steepest() / (2.0 * least) * 1.001;
    // bounds of 1 − min φ
    let (depth, bound) = (base.slope - base.slope_error, base.slope + base.slope_error + dip);
    if bound < 0.0 {
        return Verdict::Bulk;
    }
    // φ ≥ 1 − bound + ½μ(s − s_min)²: the gap's width is ∫(1 − φ)
    let width = bound * width.min(2.0 * (2.0 * bound / least).sqrt()) * 1.001;
    if depth > 0.0 {
        let half = (2.0 * base.slope / phi.second).sqrt();
        return Verdict::Gap { left: s.plus(-half), right: s.plus(half), width };
    }
    Verdict::Undecided { position: base.x.hi, width }
}
