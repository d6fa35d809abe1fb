//! Outward-rounded interval arithmetic.
//!
//! Every operation rounds to nearest and then moves each end one floating-point number
//! outwards, so that `[lo, hi]` always contains the exact result for every choice of operands
//! in the operand intervals (IEEE-754 + − × ÷ √ only; no rounding mode is touched). An
//! undefined operation (∞ − ∞, division by an interval around 0, …) gives [`Interval::ENTIRE`],
//! never NaN. Overflow keeps the finite end at the largest finite number.
//!
//! Elementary functions are admitted through [`Interval::widened`] with the accuracy assumed
//! on page `0-notation.md`.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::evidence::Certified;

/// A closed interval `[lo, hi]` with `lo ≤ hi`; the ends may be infinite.
///
/// ```
/// use rootrate::interval::Interval;
/// let third = Interval::point(1.0) / Interval::point(3.0);
/// assert!(third.lo() < third.hi() && third.width() < 1e-15);
/// assert!((third * Interval::point(3.0)).contains(1.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    lo: f64,
    hi: f64,
}

impl Interval {
    /// (−∞, ∞): nothing is known.
    pub const ENTIRE: Self = Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
    /// [0, 0].
    pub const ZERO: Self = Self { lo: 0.0, hi: 0.0 };
    /// [1, 1].
    pub const ONE: Self = Self { lo: 1.0, hi: 1.0 };

    /// The interval with the given ends, in either order; NaN gives [`ENTIRE`](Self::ENTIRE).
    pub fn new(a: f64, b: f64) -> Self {
        if a.is_nan() || b.is_nan() {
            return Self::ENTIRE;
        }
        Self { lo: a.min(b), hi: a.max(b) }
    }

    /// `[x, x]`, for a number that is exact.
    pub fn point(x: f64) -> Self {
        Self::new(x, x)
    }

    /// Every y with |y − x| ≤ `radius` (rounded outwards): the interval of a proved value.
    pub fn ball(x: f64, radius: f64) -> Self {
        Self::outward(x - radius, x + radius)
    }

    /// The exact value whose computation gave `x` with at most `roundings` relative errors
    /// (1+δ)^{±1}, |δ| ≤ 2⁻⁵³, and an absolute error of at most `absolute` (underflow).
    pub fn rounded(x: f64, roundings: u32, absolute: f64) -> Self {
        if x == 0.0 && absolute == 0.0 {
            return Self::ZERO;
        }
        // (1+u)^k − 1 ≤ 1.01·k·u for k·u ≤ 0.01, and 2⁻⁵² = 2u leaves room for this rounding.
        let relative = f64::from(roundings) * 1.02 * (0.5 * f64::EPSILON);
        Self::ball(x, x.abs() * relative + absolute)
    }

    /// The hull with the relative error `relative` and absolute error `absolute` added: admits
    /// a function value that is accurate to that bound.
    pub fn widened(self, relative: f64, absolute: f64) -> Self {
        Self::outward(
            self.lo - (self.lo.abs() * relative).next_up() - absolute,
            self.hi + (self.hi.abs() * relative).next_up() + absolute,
        )
        .hull(self)
    }

    /// The lower end.
    pub fn lo(self) -> f64 {
        self.lo
    }

    /// The upper end.
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// hi − lo, rounded up.
    pub fn width(self) -> f64 {
        if self.lo == self.hi { 0.0 } else { (self.hi - self.lo).next_up() }
    }

    /// Largest |x| in the interval.
    pub fn magnitude(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// Whether x lies in the interval.
    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// Whether both ends are finite.
    pub fn is_finite(self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }

    /// The smallest interval that contains both.
    pub fn hull(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The part in [0, ∞), for a quantity known to be non-negative.
    pub fn non_negative(self) -> Self {
        Self { lo: self.lo.max(0.0), hi: self.hi.max(0.0) }
    }

    /// x² without the loss of x·x around 0.
    pub fn square(self) -> Self {
        let square = self * self;
        if self.lo == 0.0 && self.hi == 0.0 { square } else { square.non_negative() }
    }

    /// √x of the non-negative part.
    pub fn sqrt(self) -> Self {
        let part = self.non_negative();
        let lo = if part.lo == 0.0 { 0.0 } else { part.lo.sqrt().next_down() };
        let hi = if part.hi == 0.0 { 0.0 } else { part.hi.sqrt().next_up() };
        Self { lo, hi }
    }

    /// `value` with the smallest radius that covers the interval; `None` when that is not
    /// finite.
    pub fn certify(self, value: f64) -> Option<Certified> {
        let side = |distance: f64| if distance == 0.0 { 0.0 } else { distance.next_up() };
        let radius = side(self.hi - value).max(side(value - self.lo));
        (value.is_finite() && radius.is_finite()).then(|| Certified::new(value, radius.max(0.0)))
    }

    /// The midpoint with its radius; `None` when the interval is unbounded.
    pub fn to_certified(self) -> Option<Certified> {
        self.certify(self.lo + 0.5 * (self.hi - self.lo))
    }

    /// Moves both ends outwards by one number.
    fn outward(lo: f64, hi: f64) -> Self {
        if lo.is_nan() || hi.is_nan() {
            return Self::ENTIRE;
        }
        Self { lo: lo.next_down(), hi: hi.next_up() }
    }
}

impl From<Certified> for Interval {
    fn from(c: Certified) -> Self {
        if c.radius == 0.0 { Self::point(c.value) } else { Self::ball(c.value, c.radius) }
    }
}

impl Neg for Interval {
    type Output = Self;
    fn neg(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }
}

impl Add for Interval {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        // x + 0 is exact: keeps known zeros from smearing
        if o == Self::ZERO {
            return self;
        }
        if self == Self::ZERO {
            return o;
        }
        Self::outward(self.lo + o.lo, self.hi + o.hi)
    }
}

impl Sub for Interval {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + -o
    }
}

impl Mul for Interval {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        if self == Self::ZERO && o.is_finite() || o == Self::ZERO && self.is_finite() {
            return Self::ZERO;
        }
        let products = [self.lo * o.lo, self.lo * o.hi, self.hi * o.lo, self.hi * o.hi];
        if products.iter().any(|x| x.is_nan()) {
            return Self::ENTIRE;
        }
        let lo = products.iter().copied().fold(f64::INFINITY, f64::min);
        let hi = products.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let product = Self::outward(lo, hi);
        // a product of non-negative factors is not negative, underflow included
        if self.lo >= 0.0 && o.lo >= 0.0 { product.non_negative() } else { product }
    }
}

impl Div for Interval {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        if o.lo <= 0.0 && o.hi >= 0.0 {
            return Self::ENTIRE;
        }
        if self == Self::ZERO {
            return Self::ZERO;
        }
        let quotients = [self.lo / o.lo, self.lo / o.hi, self.hi / o.lo, self.hi / o.hi];
        if quotients.iter().any(|x| x.is_nan()) {
            return Self::ENTIRE;
        }
        let lo = quotients.iter().copied().fold(f64::INFINITY, f64::min);
        let hi = quotients.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let quotient = Self::outward(lo, hi);
        if self.lo >= 0.0 && o.lo > 0.0 { quotient.non_negative() } else { quotient }
    }
}
