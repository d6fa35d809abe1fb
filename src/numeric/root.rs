//! Bracketed roots of a real function, with the sign change verified.
//!
//! The crate `roots` supplies Brent's method for speed. Its own answer is not trusted (its
//! tolerances are absolute and its sign tests can underflow): every evaluation narrows a
//! bracket that is kept here, and the last step, in the integers that order the doubles, ends
//! after a bounded number of evaluations whatever the function does.

use std::cell::{Cell, RefCell};

use roots::{Convergency, find_root_brent};
use thiserror::Error;

/// Largest width of the returned bracket, in units in the last place.
const WIDTH: i64 = 4;
/// Iterations granted to Brent's method before bisection takes over.
const ITERATIONS: usize = 60;

/// An interval at whose ends the function has opposite signs, at most four units in the last
/// place wide; both ends coincide where the function was exactly 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

impl Bracket {
    /// A point of the bracket next to its middle.
    pub fn midpoint(&self) -> f64 {
        (self.lo + 0.5 * (self.hi - self.lo)).clamp(self.lo, self.hi)
    }
}

/// Why no bracket could be returned.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RootError {
    /// The interval is empty, or an end is not finite.
    #[error("[{lo}, {hi}] is not an interval: two finite ends in ascending order are needed")]
    Interval {
        /// Lower end given.
        lo: f64,
        /// Upper end given.
        hi: f64,
    },
    /// The function has the same sign at both ends.
    #[error("no sign change: f({lo}) = {f_lo} and f({hi}) = {f_hi} have the same sign")]
    NoSignChange {
        /// Lower end.
        lo: f64,
        /// Upper end.
        hi: f64,
        /// Value at the lower end.
        f_lo: f64,
        /// Value at the upper end.
        f_hi: f64,
    },
    /// The function is not a number somewhere.
    #[error("the function is not a number at x = {x}")]
    NotANumber {
        /// Where.
        x: f64,
    },
}

/// Brackets a sign change of `f` in [lo, hi] to at most four units in the last place.
///
/// The guarantee: `f` was evaluated at both returned ends and has opposite signs there (or is
/// exactly 0 at `lo == hi`). For a continuous `f` a root lies between them. Signs are those of
/// the function as computed; infinite values count with their sign. Needs about 10 evaluations
/// for smooth functions, and never more than 260.
///
/// ```
/// use rootrate::numeric::root::find_root;
/// let root = find_root(|x| x * x - 2.0, 0.0, 2.0)?;
/// assert!(root.lo <= 2.0_f64.sqrt() && 2.0_f64.sqrt() <= root.hi);
/// # Ok::<(), rootrate::numeric::root::RootError>(())
/// ```
///
/// # Errors
/// [`RootError`]: a bad interval, no sign change, or NaN from the function.
pub fn find_root(f: impl Fn(f64) -> f64, lo: f64, hi: f64) -> Result<Bracket, RootError> {
    if !(lo.is_finite() && hi.is_finite() && lo <= hi) {
        return Err(RootError::Interval { lo, hi });
    }
    let search = RefCell::new(Search::new(&f, lo, hi)?);
    let stop = Stop(Cell::new(search.borrow().done()));
    if !stop.0.get() {
        let (lo, hi, scale) = {
            let s = search.borrow();
            (s.lo.0, s.hi.0, s.scale())
        };
        let evaluate = |x: f64| {
            let mut s = search.borrow_mut();
            let value = s.visit(x);
            if s.done() || s.stalled() {
                stop.0.set(true);
            }
            // a zero ends Brent's loop; the bracket kept in `search` is what counts
            value.map_or(0.0, |v| v.clamp(-f64::MAX, f64::MAX) / scale)
        };
        // its verdict is ignored: the bracket is finished and checked below in any case
        let _ = find_root_brent(lo, hi, evaluate, &mut &stop);
    }
    search.into_inner().finish()
}

/// Stops Brent's method when the bracket kept by [`Search`] cannot gain from it any more.
struct Stop(Cell<bool>);

impl Convergency<f64> for &Stop {
    fn is_root_found(&mut self, y: f64) -> bool {
        y == 0.0
    }

    fn is_converged(&mut self, x1: f64, x2: f64) -> bool {
        (ordinal(x1) as i128 - ordinal(x2) as i128).unsigned_abs() <= WIDTH as u128
    }

    fn is_iteration_limit_reached(&mut self, iteration: usize) -> bool {
        self.0.get() || iteration >= ITERATIONS
    }
}

/// The tightest bracket seen so far; `lo` and `hi` are pairs (x, f(x)).
struct Search<F> {
    f: F,
    lo: (f64, f64),
    hi: (f64, f64),
    visited: Vec<(f64, f64)>,
    failure: Option<RootError>,
}

impl<F: Fn(f64) -> f64> Search<F> {
    fn new(f: F, lo: f64, hi: f64) -> Result<Self, RootError> {
        let [f_lo, f_hi] = [f(lo), f(hi)];
        for (x, y) in [(lo, f_lo), (hi, f_hi)] {
            if y.is_nan() {
                return Err(RootError::NotANumber { x });
            }
        }
        let (lo, hi) = match (f_lo == 0.0, f_hi == 0.0) {
            (true, _) => ((lo, f_lo), (lo, f_lo)),
            (_, true) => ((hi, f_hi), (hi, f_hi)),
            _ if (f_lo > 0.0) == (f_hi > 0.0) => {
                return Err(RootError::NoSignChange { lo, hi, f_lo, f_hi });
            }
            _ => ((lo, f_lo), (hi, f_hi)),
        };
        Ok(Self { f, lo, hi, visited: vec![lo, hi], failure: None })
    }

    fn scale(&self) -> f64 {
        self.lo.1.abs().max(self.hi.1.abs()).min(f64::MAX)
    }

    fn done(&self) -> bool {
        self.failure.is_some()
            || ordinal(self.hi.0) as i128 - ordinal(self.lo.0) as i128 <= WIDTH as i128
    }

    /// Whether the last two evaluations nearly coincide: the root is found on one side, and
    /// the far end of the bracket is what remains to be brought in.
    fn stalled(&self) -> bool {
        let [.., a, b] = self.visited[..] else { return false };
        self.visited.len() > 2
            && (ordinal(a.0) as i128 - ordinal(b.0) as i128).abs() <= WIDTH as i128
    }

    /// f(x) for x in the bracket or visited before, narrowing the bracket; `None` for any
    /// other x and where f is NaN.
    fn visit(&mut self, x: f64) -> Option<f64> {
        if let Some(&(_, y)) = self.visited.iter().rev().find(|v| v.0 == x) {
            return Some(y);
        }
        if !(self.lo.0 < x && x < self.hi.0) {
            return None;
        }
        let y = (self.f)(x);
        if y.is_nan() {
            self.failure.get_or_insert(RootError::NotANumber { x });
            return None;
        }
        self.visited.push((x, y));
        if y == 0.0 {
            (self.lo, self.hi) = ((x, y), (x, y));
        } else if (y > 0.0) == (self.lo.1 > 0.0) {
            self.lo = (x, y);
        } else {
            self.hi = (x, y);
        }
        Some(y)
    }

    /// Brings in the far end by steps of doubling length from the better one, then bisects in
    /// the integers that order the doubles: at most 64 + 64 evaluations.
    fn finish(mut self) -> Result<Bracket, RootError> {
        let mut step = WIDTH - 1;
        while !self.done() {
            let (lo, hi) = (ordinal(self.lo.0) as i128, ordinal(self.hi.0) as i128);
            let target = if step as i128 * 2 >= hi - lo {
                lo + (hi - lo) / 2
            } else if self.lo.1.abs() <= self.hi.1.abs() {
                lo + step as i128
            } else {
                hi - step as i128
            };
            step = step.saturating_mul(2);
            self.visit(from_ordinal(target as i64));
        }
        match self.failure {
            Some(error) => Err(error),
            None => Ok(Bracket { lo: self.lo.0, hi: self.hi.0 }),
        }
    }
}

/// An integer that orders the finite doubles, neighbours differing by one (−0 and +0 coincide).
fn ordinal(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    if bits >= 0 { bits } else { i64::MIN - bits }
}

/// The inverse of [`ordinal`].
fn from_ordinal(n: i64) -> f64 {
    if n >= 0 { f64::from_bits(n as u64) } else { -f64::from_bits(n.unsigned_abs()) }
}
