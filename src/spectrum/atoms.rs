//! The population spectrum as sorted, distinct atoms with weights.

use super::SpectrumError;

/// Relative size, against the largest atom, of a negative value that counts as rounding.
const CLIP: f64 = 1e-10;
/// Allowed deviation of the sum of the weights from one.
const WEIGHT_SUM: f64 = 1e-9;

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
    /// Empty input, non-finite or negative atoms or weights, weights that do not sum to 1
    /// within 1e-9 (they are then normalised exactly), all atoms zero.
    pub fn from_atoms(atoms: &[f64], weights: &[f64]) -> Result<Self, SpectrumError> {
        assert_eq!(atoms.len(), weights.len(), "one weight an atom");
        for (index, &value) in weights.iter().enumerate() {
            if !value.is_finite() || value < 0.0 {
                return Err(SpectrumError::BadWeight { index, value });
            }
        }
        let sum: f64 = weights.iter().sum();
        if atoms.is_empty() {
            return Err(SpectrumError::Empty);
        }
        if (sum - 1.0).abs() > WEIGHT_SUM {
            return Err(SpectrumError::WeightSum { sum });
        }
        let (values, clipped) = clip(atoms)?;
        let mut pairs: Vec<(f64, f64)> = values
            .into_iter()
            .zip(weights.iter().map(|w| w / sum))
            .filter(|&(_, w)| w > 0.0)
            .collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
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
        let (atoms, weights) = pairs.into_iter().unzip();
        Ok(Self { atoms, weights, dimension: None, clipped })
    }

    /// The spectrum of the identity: one atom at 1.
    pub fn identity() -> Self {
        Self { atoms: vec![1.0], weights: vec![1.0], dimension: None, clipped: 0 }
    }

    /// Equal weights on the eigenvalues of a p×p covariance; sets the dimension p.
    ///
    /// # Errors
    /// As [`from_atoms`](Self::from_atoms).
    pub fn from_eigenvalues(eigenvalues: &[f64]) -> Result<Self, SpectrumError> {
        let p = eigenvalues.len();
        let mut spectrum = Self::from_atoms(eigenvalues, &vec![1.0 / p as f64; p])?;
        spectrum.dimension = Some(p);
        Ok(spectrum)
    }

    /// The same law with an explicit dimension p, in which every atom stands for weight × p
    /// directions.
    ///
    /// # Errors
    /// [`FractionalMultiplicity`](SpectrumError::FractionalMultiplicity) when a weight × p is
    /// not whole (within 1e-6).
    pub fn with_dimension(mut self, p: usize) -> Result<Self, SpectrumError> {
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

    /// How many tiny negative atoms (rounding of an eigensolver) were clipped to 0.
    pub fn clipped(&self) -> usize {
        self.clipped
    }

    /// Number of directions of each atom, for a spectrum with a dimension.
    pub fn multiplicities(&self) -> Option<Vec<usize>> {
        let p = self.dimension? as f64;
        Some(self.weights.iter().map(|w| (w * p).round() as usize).collect())
    }

    /// ∫ f dH.
    pub fn integrate(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.atoms.iter().zip(&self.weights).map(|(&t, &w)| w * f(t)).sum()
    }

    /// ∫ τ dH.
    pub fn mean(&self) -> f64 {
        self.integrate(|t| t)
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
        kept.push(value.max(0.0));
    }
    Ok((kept, clipped))
}
