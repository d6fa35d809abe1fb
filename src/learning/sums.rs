//! Deterministic sums over atoms, fast enough to vectorise and with a rounding bound small
//! enough to prove something.

use std::array;

/// Independent accumulators.
const LANES: usize = 4;
/// Terms that are added plainly before the block's sum goes into a compensated total.
const BLOCK: usize = 64;

/// Relative roundings that [`sum_terms`] adds to those of the terms, for terms ≥ 0: one an
/// addition within a lane, two to join the lanes, two for the compensated total.
pub(super) const SUM_ROUNDINGS: u32 = (BLOCK / LANES) as u32 + 2 + COMPENSATED_ROUNDINGS;
/// Relative roundings of [`Compensated`] for terms ≥ 0.
pub(super) const COMPENSATED_ROUNDINGS: u32 = 2;

/// A compensated running sum (TwoSum with the errors accumulated: Ogita, Rump & Oishi 2005,
/// `Sum2`). For N terms ≥ 0 the relative error is at most u + γ², γ = Nu/(1−Nu), u = 2⁻⁵³: less
/// than 2u for N ≤ 2²⁶.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Compensated {
    sum: f64,
    error: f64,
}

impl Compensated {
    pub(super) fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        let part = sum - self.sum;
        self.error += (self.sum - (sum - part)) + (x - part);
        self.sum = sum;
    }

    pub(super) fn total(self) -> f64 {
        self.sum + self.error
    }
}

/// Σⱼ term(xⱼ, yⱼ, zⱼ), componentwise, in an order that depends on the length only.
#[inline(always)]
pub(super) fn sum_terms<const K: usize>(
    x: &[f64],
    y: &[f64],
    z: &[f64],
    term: impl Fn(f64, f64, f64) -> [f64; K],
) -> [f64; K] {
    let mut totals = [Compensated::default(); K];
    for ((x, y), z) in x.chunks(BLOCK).zip(y.chunks(BLOCK)).zip(z.chunks(BLOCK)) {
        let mut lanes = [[0.0; LANES]; K];
        let (xs, x_tail) = x.as_chunks::<LANES>();
        let (ys, y_tail) = y.as_chunks::<LANES>();
        let (zs, z_tail) = z.as_chunks::<LANES>();
        for ((x, y), z) in xs.iter().zip(ys).zip(zs) {
            for lane in 0..LANES {
                let terms = term(x[lane], y[lane], z[lane]);
                for k in 0..K {
                    lanes[k][lane] += terms[k];
                }
            }
        }
        for (lane, ((&x, &y), &z)) in x_tail.iter().zip(y_tail).zip(z_tail).enumerate() {
            let terms = term(x, y, z);
            for k in 0..K {
                lanes[k][lane] += terms[k];
            }
        }
        for (total, [a, b, c, d]) in totals.iter_mut().zip(lanes) {
            total.add((a + b) + (c + d));
        }
    }
    array::from_fn(|k| totals[k].total())
}
