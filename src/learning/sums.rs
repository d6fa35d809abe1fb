//! Deterministic sums over atoms, fast enough to vectorise and with a rounding bound small
//! enough to prove something.

use crate::numeric::{CompensatedSum, widest};

/// Terms that are added as a binary tree before the result goes into a compensated total.
const BLOCK: usize = 32;

/// Relative roundings that [`sum_terms`] adds to those of the terms, for terms ≥ 0: the depth
/// of the tree and the compensated total.
pub(super) const SUM_ROUNDINGS: u32 = BLOCK.ilog2() + COMPENSATED_ROUNDINGS;
/// Relative roundings of [`CompensatedSum`] for up to 2²⁶ terms ≥ 0.
pub(super) const COMPENSATED_ROUNDINGS: u32 = 2;

/// Σⱼ term(τⱼ, mⱼ, sⱼ), componentwise, in an order that depends on the length only; `term`
/// must be linear in (m, s).
#[inline(always)]
pub(super) fn sum_terms<const K: usize>(
    atoms: &[f64],
    masses: &[f64],
    weights: &[f64],
    term: impl Fn(f64, f64, f64) -> [f64; K],
) -> [f64; K] {
    widest(
        #[inline(always)]
        || sum_blocks(atoms, masses, weights, term),
    )
}

#[inline(always)]
fn sum_blocks<const K: usize>(
    atoms: &[f64],
    masses: &[f64],
    weights: &[f64],
    term: impl Fn(f64, f64, f64) -> [f64; K],
) -> [f64; K] {
    let mut totals = [CompensatedSum::default(); K];
    let (full_atoms, last_atoms) = atoms.as_chunks::<BLOCK>();
    let (full_masses, last_masses) = masses.as_chunks::<BLOCK>();
    let (full_weights, last_weights) = weights.as_chunks::<BLOCK>();
    let mut add = |sums: [f64; K]| {
        for (total, sum) in totals.iter_mut().zip(sums) {
            total.add(sum);
        }
    };
    for ((t, m), s) in full_atoms.iter().zip(full_masses).zip(full_weights) {
        add(sum_block(*t, *m, *s, &term));
    }
    if !last_atoms.is_empty() {
        let (t, m) = (filled(last_atoms, 1.0), filled(last_masses, 0.0));
        add(sum_block(t, m, filled(last_weights, 0.0), &term));
    }
    totals.map(CompensatedSum::value)
}

/// The sum of a block as a binary tree. Taken by value: on local copies the loop vectorises
/// without checks for overlapping memory.
#[inline(always)]
fn sum_block<const K: usize>(
    t: [f64; BLOCK],
    m: [f64; BLOCK],
    s: [f64; BLOCK],
    term: &impl Fn(f64, f64, f64) -> [f64; K],
) -> [f64; K] {
    const QUARTER: usize = BLOCK / 4;
    let mut sums = [[0.0; QUARTER]; K];
    for i in 0..QUARTER {
        let at = |j: usize| term(t[j], m[j], s[j]);
        let (a, b) = (at(i), at(i + QUARTER));
        let (c, d) = (at(i + 2 * QUARTER), at(i + 3 * QUARTER));
        for (k, sum) in sums.iter_mut().enumerate() {
            sum[i] = (a[k] + b[k]) + (c[k] + d[k]);
        }
    }
    sums.map(|[a, b, c, d, e, f, g, h]| ((a + b) + (c + d)) + ((e + f) + (g + h)))
}

/// A block that begins with `x` and ends in `fill`.
#[inline(always)]
fn filled(x: &[f64], fill: f64) -> [f64; BLOCK] {
    let mut block = [fill; BLOCK];
    block[..x.len()].copy_from_slice(x);
    block
}
