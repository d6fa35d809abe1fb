//! φ and its derivatives in double precision, with relative error bounds (U2).

use super::population::Population;
use crate::numeric::double_double::DoubleDouble;
use crate::numeric::widest;

const LANES: usize = 8;
/// Newton steps to an edge, monotone and at last quadratic: about ten are needed.
const STEPS: usize = 200;

/// Sums over gⱼ = aⱼ τⱼ²/dⱼ², dⱼ = s − τⱼ. Every sum of positive terms is within the factor
/// 1 ± `relative` of its exact value; `first` within `relative`·`first_size`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Phi {
    /// φ(s) = Σ gⱼ.
    pub(super) value: f64,
    /// φ'(s) = −2 Σ gⱼ/dⱼ.
    pub(super) first: f64,
    /// 2 Σ gⱼ/|dⱼ|.
    pub(super) first_size: f64,
    /// φ''(s) = 6 Σ gⱼ/dⱼ².
    pub(super) second: f64,
    /// Proved relative error.
    pub(super) relative: f64,
}

impl Phi {
    /// The sums over all atoms at s, which is not an atom.
    pub(super) fn at(population: &Population, s: DoubleDouble) -> Self {
        Self::over(&population.atoms, &population.shares, s)
    }

    /// The sums over `atoms` with `shares` of relative error ≤ 32u.
    pub(super) fn over(atoms: &[f64], shares: &[f64], s: DoubleDouble) -> Self {
        let sums = widest(
            #[inline(always)]
            || lanes(atoms, shares, s),
        );
        let [value, size, signed, second] = sums.map(|lane| lane.iter().sum::<f64>());
        // terms: share 32u, d 4u, 1/d, τ/d, two products: ≤ 60u at 1/d⁴; sums: n/8 + 8 additions
        let relative = (72.0 + atoms.len() as f64 / 8.0) * 1.02 * (0.5 * f64::EPSILON);
        Self { value, first: -2.0 * signed, first_size: 2.0 * size, second: 6.0 * second, relative }
    }

    /// A lower bound of φ(s).
    pub(super) fn lower(&self) -> f64 {
        self.value * (1.0 - 2.0 * self.relative)
    }

    /// An upper bound of φ(s).
    pub(super) fn upper(&self) -> f64 {
        self.value * (1.0 + 2.0 * self.relative)
    }

    /// An upper bound of |φ'(s)|.
    pub(super) fn steepest(&self) -> f64 {
        self.first.abs() + 2.0 * self.relative * self.first_size
    }

    /// A lower bound of |φ'(s)|; not positive where the sign of φ' is not proved.
    pub(super) fn flattest(&self) -> f64 {
        self.first.abs() - 2.0 * self.relative * self.first_size
    }

    /// Newton's step for the root of the concave G − 1, G = φ^{−½} (U3), from `excess` = φ − 1
    /// and `first` = φ': (1 − G)/G' = −2φ(√φ − 1)/φ'.
    pub(super) fn newton(excess: f64, first: f64) -> f64 {
        let value = 1.0 + excess;
        -2.0 * value * (excess / (value.sqrt() + 1.0)) / first
    }

    /// Newton's method in double precision for φ = 1 from a point with φ ≥ 1, which it never
    /// leaves (U3); φ falls through 1 at the root for `falling`, else it rises.
    pub(super) fn approach(
        phi: impl Fn(DoubleDouble) -> Self,
        start: DoubleDouble,
        falling: bool,
    ) -> DoubleDouble {
        let mut s = start;
        for _ in 0..STEPS {
            let here = phi(s);
            let step = Self::newton(here.value - 1.0, here.first);
            // nearer to 1 than rounding tells, double-double takes over
            if here.lower() <= 1.0 || (step > 0.0) != falling || !step.is_finite() {
                break;
            }
            let next = s.plus(step);
            if next == s || here.value - 1.0 <= 1e-9 {
                // the last step squares the error
                return next;
            }
            s = next;
        }
        s
    }
}

#[inline(always)]
fn lanes(atoms: &[f64], shares: &[f64], s: DoubleDouble) -> [[f64; LANES]; 4] {
    let mut sums = Lanes::default();
    let (full_atoms, last_atoms) = atoms.as_chunks::<LANES>();
    let (full_shares, last_shares) = shares.as_chunks::<LANES>();
    for (t, a) in full_atoms.iter().zip(full_shares) {
        sums.add(t, a, s);
    }
    if let [first, ..] = last_atoms {
        // padded with an atom of no share
        let (mut t, mut a) = ([*first; LANES], [0.0; LANES]);
        t[..last_atoms.len()].copy_from_slice(last_atoms);
        a[..last_shares.len()].copy_from_slice(last_shares);
        sums.add(&t, &a, s);
    }
    [sums.value, sums.size, sums.signed, sums.second]
}

/// Partial sums of gⱼ, gⱼ/|dⱼ|, gⱼ/dⱼ and gⱼ/dⱼ².
#[derive(Default)]
struct Lanes {
    value: [f64; LANES],
    size: [f64; LANES],
    signed: [f64; LANES],
    second: [f64; LANES],
}

impl Lanes {
    #[inline(always)]
    fn add(&mut self, t: &[f64; LANES], a: &[f64; LANES], s: DoubleDouble) {
        for l in 0..LANES {
            let p = 1.0 / ((s.hi - t[l]) + s.lo);
            let q = t[l] * p;
            let g = a[l] * q * q;
            let gp = g * p;
            self.value[l] += g;
            self.size[l] += gp.abs();
            self.signed[l] += gp;
            self.second[l] += gp * p;
        }
    }
}
