//! Double-double numbers: an unevaluated sum `hi + lo` with |lo| ≤ ½ ulp(hi), about 106 bits.
//!
//! Used for the few constants (spectral edges) whose difference from a double must keep its
//! relative accuracy. Error bounds in units of u² = 2⁻¹⁰⁶: Joldes, Muller & Popescu, *Tight and
//! rigorous error bounds for basic building blocks of double-word arithmetic*, ACM TOMS 44(2),
//! 2017; the square root of a double is bounded on theory page 1, (MP14).

/// `hi + lo`, unevaluated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DoubleDouble {
    /// The double nearest to the number.
    pub(crate) hi: f64,
    /// The remainder.
    pub(crate) lo: f64,
}

impl DoubleDouble {
    /// 0.
    pub(crate) const ZERO: Self = Self { hi: 0.0, lo: 0.0 };

    /// a + b, exactly (TwoSum).
    #[inline(always)]
    pub(crate) fn sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        let b_part = hi - a;
        Self { hi, lo: (a - (hi - b_part)) + (b - b_part) }
    }

    /// a + b exactly, for |a| ≥ |b| (Fast2Sum).
    #[inline(always)]
    fn fast_sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        Self { hi, lo: b - (hi - a) }
    }

    /// √x, relative error ≤ 2u².
    pub(crate) fn sqrt(x: f64) -> Self {
        let hi = x.sqrt();
        Self::fast_sum(hi, (-hi).mul_add(hi, x) / (2.0 * hi))
    }

    /// self + x, relative error ≤ 2u² (DWPlusFP).
    #[inline(always)]
    pub(crate) fn plus(self, x: f64) -> Self {
        let s = Self::sum(self.hi, x);
        Self::fast_sum(s.hi, self.lo + s.lo)
    }

    /// self + y, relative error ≤ 3u² + 13u³ (AccurateDWPlusDW).
    #[inline(always)]
    pub(crate) fn add(self, y: Self) -> Self {
        let s = Self::sum(self.hi, y.hi);
        let t = Self::sum(self.lo, y.lo);
        let v = Self::fast_sum(s.hi, s.lo + t.hi);
        Self::fast_sum(v.hi, t.lo + v.lo)
    }

    /// self · x, relative error ≤ 2u² (DWTimesFP3).
    #[inline(always)]
    pub(crate) fn scaled(self, x: f64) -> Self {
        let p = self.hi * x;
        let e = self.hi.mul_add(x, -p);
        Self::fast_sum(p, self.lo.mul_add(x, e))
    }

    /// self · y, relative error ≤ 5u² (DWTimesDW2).
    #[inline(always)]
    pub(crate) fn times(self, y: Self) -> Self {
        let p = self.hi * y.hi;
        let e = self.hi.mul_add(y.hi, -p);
        Self::fast_sum(p, e + self.lo.mul_add(y.hi, self.hi * y.lo))
    }

    /// self / y, relative error ≤ 15u² + 56u³ (DWDivDW2).
    #[inline(always)]
    pub(crate) fn over(self, y: Self) -> Self {
        let quotient = self.hi / y.hi;
        let product = y.scaled(quotient);
        let remainder = (self.hi - product.hi) + (self.lo - product.lo);
        Self::fast_sum(quotient, remainder / y.hi)
    }

    /// x − self, rounded: relative error ≤ 2u as long as `self` is exact.
    pub(crate) fn below(self, x: f64) -> f64 {
        (x - self.hi) - self.lo
    }

    /// The same with both signs changed.
    pub(crate) fn negated(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}
