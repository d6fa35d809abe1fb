//! Clusters of atoms, for lower bounds of φ in few terms (U4).

use super::population::Population;

/// Neighbours taken one by one; farther away a cluster spans at most 1/8 of its distance.
const FRACTION: usize = 8;

/// Dyadic blocks of atoms: level ℓ holds the blocks of 2^ℓ atoms, each as its
/// share-weighted mean and its total share.
#[derive(Debug)]
pub(super) struct Tree {
    levels: Vec<Vec<(f64, f64)>>,
}

impl Tree {
    pub(super) fn new(population: &Population) -> Self {
        let mut levels = vec![population.pairs().collect::<Vec<_>>()];
        while let Some(last) = levels.last().filter(|l| l.len() > 1) {
            let next = last.chunks_exact(2).map(|c| merged(c[0], c[1])).collect();
            levels.push(next);
        }
        Self { levels }
    }

    /// Atoms and shares of a population whose φ is at most that of the given one on
    /// (τ_k, τ_{k+1}): each cluster is moved to its mean, and that away from the interval by
    /// more than its rounding error.
    pub(super) fn around(&self, k: usize) -> (Vec<f64>, Vec<f64>) {
        const AWAY: f64 = 128.0 * f64::EPSILON;
        let count = self.levels[0].len();
        let (mut atoms, mut shares) = (Vec::new(), Vec::new());
        let mut put = |level: usize, block: usize, away: f64| {
            let (mean, share) = self.levels[level][block];
            atoms.push(if level == 0 { mean } else { mean * away });
            shares.push(share);
        };
        let mut end = k + 1;
        while end > 0 {
            let level = self.level(end, k + 1 - end);
            end -= 1 << level;
            put(level, end >> level, 1.0 - AWAY);
        }
        let mut start = k + 1;
        while start < count {
            let mut level = self.level(start, start - k - 1);
            while start + (1 << level) > count {
                level -= 1;
            }
            put(level, start >> level, 1.0 + AWAY);
            start += 1 << level;
        }
        (atoms, shares)
    }

    /// The largest level whose blocks start or end at `index` and are short against `distance`.
    fn level(&self, index: usize, distance: usize) -> usize {
        let fits = (distance / FRACTION).max(1).ilog2();
        (index.trailing_zeros().min(fits) as usize).min(self.levels.len() - 1)
    }
}

/// Two clusters (mean, share) as one.
fn merged((t, a): (f64, f64), (s, b): (f64, f64)) -> (f64, f64) {
    ((a * t + b * s) / (a + b), a + b)
}
