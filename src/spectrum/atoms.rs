//! The population spectrum as sorted, distinct atoms with weights.

use super::SpectrumError;

/// Relative size, against the largest atom, of a negative value that counts as rounding.
const CLIP: f64 = 1e-10;
/// Allowed deviation of the sum of the weights from one.
const WEIGHT_SUM: f64 = 1e-9;
/// Largest dimension p that a law may be given: its eigenvalues are listed one by one.
pub(super) const MAX_DIMENSION: usize = 10_000_000;

/// A discrete probability measure H = Σ wⱼ δ_{τⱼ} on [0, ∞): the spectral distribution of a
/// population covariance.
///
/// Atoms are sorted in ascending order and distinct; weights are positive and sum to one.
///
/// ```
/// use rootrate::spectrum::Spectrum;
/// let h = Spectrum::from_atoms(&[10.0, 1.0], &[0.5, 0.5])?;
/// assert_eq!(h.atoms(), &[1.0, 10.0]);
/// assert_eq!(h.mean(), 5.5);
/// # Ok::<(), rootrate::spectrum::SpectrumError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    atoms: Vec<f64>,
    weights: Vec<f64>,
    dimension: Option<usize>,
    clipped: usize,
}

impl Spectrum {
    /// Atoms with their weights, in any order; equal atoms are merged, zero weights dropped,
    /// tiny negative atoms clipped to 0 (see [`clipped`](Self::clipped)).
    ///
    /// # Errors
    /// Empty input, different numbers of atoms and weights, non-finite or negative atoms or
    /// weights, weights that do not sum to 1 within 1e-9 (a sum that differs from 1 by more than rounding
    /// is divided out), all atoms zero.
    pub fn from_atoms(atoms: &[f64], weights: &[f64]) -> Result<Self, SpectrumError> {
        if atoms.len() != weights.len() {
            return Err(SpectrumError::Lengths { atoms: atoms.len(), weights: weights.len() });
        }
        if atoms.is_empty() {
            return Err(SpectrumError::Empty);
        }
        for (index, &value) in weights.iter().enumerate() {
            if !value.is_finite() || value < 0.0 {
                return Err(SpectrumError::BadWeight { index, value });
            }
        }
        let sum: f64 = weights.iter().sum();
        if (sum - 1.0).abs() > WEIGHT_SUM {
            return Err(SpectrumError::WeightSum { sum });
        }
        // a sum that is one up to its own rounding leaves the weights as given
        let total =
            if (sum - 1.0).abs() <= weights.len() as f64 * f64::EPSILON { 1.0 } else { sum };
        let (values, clipped) = clip(atoms)?;
        Self::assemble(values.into_iter().zip(weights.iter().copied()).collect(), total, clipped)
    }

    /// The spectrum of the identity: one atom at 1.
    pub fn identity() -> Self {
        Self { atoms: vec![1.0], weights: vec![1.0], dimension: None, clipped: 0 }
    }

    /// Equal weights on the eigenvalues of a p×p covariance, in any order; sets the dimension p.
    ///
    /// # Errors
    /// Empty input, non-finite or negative eigenvalues, all of them zero.
    pub fn from_eigenvalues(eigenvalues: &[f64]) -> Result<Self, SpectrumError> {
        if eigenvalues.is_empty() {
            return Err(SpectrumError::Empty);
        }
        let p = eigenvalues.len();
        let (values, clipped) = clip(eigenvalues)?;
        let counted = values.into_iter().map(|t| (t, 1.0)).collect();
        let mut spectrum = Self::assemble(counted, p as f64, clipped)?;
        spectrum.dimension = Some(p);
        Ok(spectrum)
    }

    /// Sorts, merges equal atoms, drops zero weights, divides the weights by `total`.
    fn assemble(
        mut pairs: Vec<(f64, f64)>,
        total: f64,
        clipped: usize,
    ) -> Result<Self, SpectrumError> {
        pairs.retain(|&(_, w)| w > 0.0);
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        pairs.dedup_by(|next, kept| {
            let equal = next.0 == kept.0;
            if equal {
                kept.1 += next.1;
            }
            equal
        });
        if pairs.iter().all(|&(t, _)| t == 0.0) {
            return Err(SpectrumError::AllZero);
        }
        let (atoms, weights) = pairs.into_iter().map(|(t, w)| (t, w / total)).unzip();
        Ok(Self { atoms, weights, dimension: None, clipped })
    }

    /// The same law with an explicit dimension p, in which every atom stands for weight × p
    /// directions.
    ///
    /// # Errors
    /// [`FractionalMultiplicity`](SpectrumError::FractionalMultiplicity) when a weight × p is
    /// not whole (within 1e-6), [`Parameter`](SpectrumError::Parameter) when p > 10⁷.
    pub fn with_dimension(mut self, p: usize) -> Result<Self, SpectrumError> {
        check_dimension(p)?;
        for (&atom, &weight) in self.atoms.iter().zip(&self.weights) {
            let directions = weight * p as f64;
            if (directions - directions.round()).abs() > 1e-6 || directions.round() < 1.0 {
                return Err(SpectrumError::FractionalMultiplicity {
                    atom,
                    weight,
                    directions,
                    dimension: p,
                });
            }
        }
        self.dimension = Some(p);
        Ok(self)
    }

    /// Distinct atoms τⱼ, ascending.
    pub fn atoms(&self) -> &[f64] {
        &self.atoms
    }

    /// Weights wⱼ > 0 with sum one, in the order of [`atoms`](Self::atoms).
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The dimension p, where the spectrum came with one.
    pub fn dimension(&self) -> Option<usize> {
        self.dimension
    }

    /// How many given eigenvalues were set to 0 as rounding of an eigensolver: tiny negative
    /// ones, and for [`from_data`](Self::from_data) all that rounding cannot tell from 0.
    pub fn clipped(&self) -> usize {
        self.clipped
    }

    /// Number of directions of each atom, for a spectrum with a dimension.
    pub fn multiplicities(&self) -> Option<Vec<usize>> {
        let p = self.dimension? as f64;
        Some(self.weights.iter().map(|w| (w * p).round() as usize).collect())
    }

    /// The p eigenvalues, largest first, each as often as its multiplicity (the order in which
    /// signals are assigned to directions), for a spectrum with a dimension.
    pub fn eigenvalues_descending(&self) -> Option<Vec<f64>> {
        let expanded = self.atoms.iter().zip(self.multiplicities()?).rev();
        Some(expanded.flat_map(|(&t, times)| std::iter::repeat_n(t, times)).collect())
    }

    /// The largest atom.
    pub fn max(&self) -> f64 {
        self.atoms.last().copied().unwrap_or(0.0)
    }

    /// The smallest atom that is not 0.
    pub fn min_positive(&self) -> f64 {
        self.atoms.iter().copied().find(|&t| t > 0.0).unwrap_or(0.0)
    }

    /// H({0}): the share of directions without variance, 1 − rank/p.
    pub fn weight_at_zero(&self) -> f64 {
        if self.atoms[0] == 0.0 { self.weights[0] } else { 0.0 }
    }

    /// ∫ f dH.
    pub fn integrate(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.atoms.iter().zip(&self.weights).map(|(&t, &w)| w * f(t)).sum()
    }

    /// ∫ τ dH.
    pub fn mean(&self) -> f64 {
        self.integrate(|t| t)
    }

    /// ∫ τᵏ dH (infinite when it exceeds the range of doubles).
    pub fn moment(&self, k: u32) -> f64 {
        self.integrate(|t| t.powf(f64::from(k)))
    }

    /// Marks `zeroed` further eigenvalues as set to 0 by the caller.
    pub(super) fn with_clipped(mut self, zeroed: usize) -> Self {
        self.clipped += zeroed;
        self
    }
}

/// A dimension that a law may be given: 1 ≤ p ≤ 10⁷.
pub(super) fn check_dimension(p: usize) -> Result<(), SpectrumError> {
    if (1..=MAX_DIMENSION).contains(&p) {
        Ok(())
    } else {
        Err(SpectrumError::Parameter {
            name: "dimension",
            value: p as f64,
            valid: "a whole number from 1 to 10000000",
        })
    }
}

/// Checks finiteness and sign; returns the values with rounding-size negatives set to 0.
fn clip(values: &[f64]) -> Result<(Vec<f64>, usize), SpectrumError> {
    if let Some((index, &value)) = values.iter().enumerate().find(|(_, v)| !v.is_finite()) {
        return Err(SpectrumError::NotFinite { index, value });
    }
    let tolerance = CLIP * values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    let mut clipped = 0;
    let mut kept = Vec::with_capacity(values.len());
    for (index, &value) in values.iter().enumerate() {
        if value < -tolerance {
            return Err(SpectrumError::Negative { index, value, tolerance });
        }
        clipped += usize::from(value < 0.0);
        // `+ 0.0` turns −0 into 0.
        kept.push(value.max(0.0) + 0.0);
    }
    Ok((kept, clipped))
}
