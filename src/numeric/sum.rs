//! Compensated summation.

/// A compensated running sum: TwoSum with the errors accumulated (Ogita, Rump & Oishi 2005,
/// `Sum2`), without branches.
///
/// For n terms the result differs from the exact sum S by at most u|S| + γ²Σ|xᵢ| with
/// γ = nu/(1−nu), u = 2⁻⁵³: at most 4u·Σ|xᵢ| for n ≤ 9·10⁷, and relatively less than 2u for
/// n ≤ 2²⁶ terms ≥ 0.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CompensatedSum {
    sum: f64,
    error: f64,
}

impl CompensatedSum {
    #[inline(always)]
    pub(crate) fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        let part = sum - self.sum;
        self.error += (self.sum - (sum - part)) + (x - part);
        self.sum = sum;
    }

    /// Adds both parts of another sum.
    pub(crate) fn merge(&mut self, other: Self) {
        self.add(other.sum);
        self.add(other.error);
    }

    #[inline(always)]
    pub(crate) fn value(self) -> f64 {
        self.sum + self.error
    }
}

impl FromIterator<f64> for CompensatedSum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::default();
        for x in terms {
            sum.add(x);
        }
        sum
    }
}
