//! Compensated summation.

/// Neumaier's variant of Kahan's sum.
///
/// For n terms the result differs from the exact sum by at most
/// (2u + n²u²)·Σ|xᵢ|, u = 2⁻⁵³ (Higham, *Accuracy and Stability of Numerical Algorithms*,
/// 2nd ed., section 4.3), so by at most 4u·Σ|xᵢ| for n ≤ 10⁸.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CompensatedSum {
    sum: f64,
    carry: f64,
}

impl CompensatedSum {
    pub(crate) fn add(&mut self, x: f64) {
        let t = self.sum + x;
        self.carry +=
            if self.sum.abs() >= x.abs() { (self.sum - t) + x } else { (x - t) + self.sum };
        self.sum = t;
    }

    pub(crate) fn value(self) -> f64 {
        self.sum + self.carry
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
