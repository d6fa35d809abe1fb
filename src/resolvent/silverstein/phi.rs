//! φ and its derivatives in double precision, with relative error bounds (U2).

use super::population::Population;
use crate::numeric::double_double::DoubleDouble;
use crate::numeric::widest;

const LANES: usize = 8;

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
        let sums = widest(|| lanes(atoms, shares, s));
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
}

#[inline(always)]
fn lanes(atoms: &[f64], shares: &[f64], s: DoubleDouble) -> [[f64; LANES]; 4] {
    let mut sums = [[0.0; LANES]; 4];
    let split = atoms.len() - atoms.len() % LANES;
    for (t, a) in atoms[..split].chunks_exact(LANES).zip(shares[..split].chunks_exact(LANES)) {
        for l in 0..LANES {
            add(&mut sums, l, t[l], a[l], s);
        }
    }
    for (l, (&t, &a)) in atoms[split..].iter().zip(&shares[split..]).enumerate() {
        add(&mut sums, l, t, a, s);
    }
    sums
}

#[inline(always)]
fn add(sums: &mut [[f64; LANES]; 4], l: usize, t: f64, a: f64, s: DoubleDouble) {
    let p = 1.0 / ((s.hi - t) + s.lo);
    let q = t * p;
    let g = a * q * q;
    sums[0][l] += g;
    sums[1][l] += g * p.abs();
    sums[2][l] += g * p;
    sums[3][l] += g * p * p;
}
