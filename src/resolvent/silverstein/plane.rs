//! The curve u(x + iη), x real, by its monotone coordinate Re u: slow and safe (V5).

use std::ops::Range;

use num_complex::Complex64;

use super::base::Base;
use crate::numeric::root::find_root;
use crate::numeric::widest;

/// Partial sums that run side by side.
const LANES: usize = 8;
/// Steps granted to the inner iteration.
const STEPS: usize = 200;

/// Positive measure Σ cʰ δ as arrays: atoms τⱼ with chⱼτⱼ².
#[derive(Debug, Clone)]
pub(crate) struct Measure {
    pub(crate) atoms: Vec<f64>,
    pub(crate) second: Vec<f64>,
}

/// Σ over the atoms of what `f(d, chτ²)` adds to three sums, d = s − τ.
#[inline(always)]
fn sums(m: &Measure, base: &Base, f: impl Fn(f64, f64) -> [f64; 3]) -> [f64; 3] {
    widest(
        #[inline(always)]
        || {
            let mut partial = [[0.0; LANES]; 3];
            let (atoms, rest) = m.atoms.as_chunks::<LANES>();
            let (second, second_rest) = m.second.as_chunks::<LANES>();
            for (t, a) in atoms.iter().zip(second) {
                for l in 0..LANES {
                    let [x, y, z] = f((base.s.hi - t[l]) + base.s.lo, a[l]);
                    partial[0][l] += x;
                    partial[1][l] += y;
                    partial[2][l] += z;
                }
            }
            for (t, a) in rest.iter().zip(second_rest) {
                let terms = f((base.s.hi - t) + base.s.lo, *a);
                for (p, term) in partial.iter_mut().zip(terms) {
                    p[0] += term;
                }
            }
            partial.map(|p| p.iter().sum())
        },
    )
}

impl Measure {
    /// Appends the pairs of groups of at most `most` neighbours. A group is no wider than a
    /// quarter of √Σa, which keeps every u of the bulk three widths away from it: the group's
    /// own share of P(u) = 1 needs (distance + width)² ≥ Σa.
    pub(crate) fn push_groups(&mut self, other: &Self, range: Range<usize>, most: usize) {
        let mut from = range.start;
        while from < range.end {
            let (mut to, mut sum) = (from + 1, other.second[from]);
            while to < range.end && to - from < most {
                let width = other.atoms[to] - other.atoms[from];
                if 16.0 * width * width > sum + other.second[to] {
                    break;
                }
                sum += other.second[to];
                to += 1;
            }
            self.push_pair(other, from..to);
            from = to;
        }
    }

    /// Appends the two-point Gauss rule of `group`: mass and first three moments agree, so that
    /// sums of 1/(τ−u) differ by the fourth power of the width over the distance of u.
    fn push_pair(&mut self, other: &Self, group: Range<usize>) {
        let (atoms, second) = (&other.atoms[group.clone()], &other.second[group]);
        if atoms.len() <= 2 {
            self.atoms.extend(atoms);
            self.second.extend(second);
            return;
        }
        let moment = |centre: f64, power: i32| -> f64 {
            atoms.iter().zip(second).map(|(t, a)| a * (t - centre).powi(power)).sum()
        };
        let mass = moment(0.0, 0);
        let mean = atoms[0] + moment(atoms[0], 1) / mass;
        let deviation = (moment(mean, 2) / mass).sqrt();
        let half_skewness = 0.5 * moment(mean, 3) / (mass * deviation.powi(3));
        let root = half_skewness.hypot(1.0);
        for sign in [-1.0, 1.0] {
            let node = mean + deviation * (half_skewness + sign * root);
            self.atoms.push(node);
            self.second.push(0.5 * mass * (1.0 - sign * half_skewness / root));
        }
    }

    /// The height y ≥ 0 of the curve over Re u = s + v: y(1 − Σ a/((d+v)²+y²)) = η.
    pub(crate) fn height(&self, base: &Base, v: f64, eta: f64) -> f64 {
        let p = |y2: f64| {
            let [p, q, _] = sums(self, base, |d, a| {
                let r = 1.0 / ((d + v) * (d + v) + y2);
                [a * r, a * r * r, 0.0]
            });
            (p, q)
        };
        if eta == 0.0 {
            // Newton's iteration on the concave 1/P(S) − 1 climbs monotonically to the root
            let mut s = self
                .atoms
                .iter()
                .zip(&self.second)
                .map(|(t, a)| {
                    let e = (base.s.hi - t) + base.s.lo + v;
                    a - e * e
                })
                .fold(0.0_f64, f64::max);
            for _ in 0..STEPS {
                let (p, q) = p(s);
                let step = p * (p - 1.0) / q;
                if step.is_nan() || step <= 1e-15 * s {
                    break;
                }
                s += step;
            }
            return s.sqrt();
        }
        // y − ηy.. : G(y) = y(1 − P(y²)) − η increases where it is positive
        let total: f64 = self.second.iter().sum();
        let (mut lo, mut hi) = (eta, eta + total.sqrt());
        let mut y = hi;
        for _ in 0..STEPS {
            let (p, q) = p(y * y);
            let g = y * (1.0 - p) - eta;
            if g > 0.0 {
                hi = y
            } else {
                lo = y
            }
            let newton = y - g / (1.0 - p + 2.0 * y * y * q);
            let next = if newton > lo && newton < hi { newton } else { lo.sqrt() * hi.sqrt() };
            if (next - y).abs() <= 1e-15 * y || next <= lo || next >= hi {
                return next;
            }
            y = next;
        }
        y
    }

    /// Re x(s+w) − x(s).
    pub(crate) fn offset(&self, base: &Base, w: Complex64) -> f64 {
        let w_im2 = w.im * w.im;
        let [re, im, _] = sums(self, base, |d, a| {
            let e = d + w.re;
            let q = a / (d * d * (e * e + w_im2));
            [q * e, q, 0.0]
        });
        let sum = Complex64::new(re, -w.im * im);
        (w * base.slope + w * w * sum).re
    }

    /// The root for z = x(s) + offset with Re w in [lo, hi], by bracketing.
    pub(crate) fn bracketed(&self, base: &Base, offset: Complex64, lo: f64, hi: f64) -> Complex64 {
        let point = |v: f64| Complex64::new(v, self.height(base, v, offset.im));
        let f = |v: f64| self.offset(base, point(v)) - offset.re;
        let v = match find_root(f, lo, hi) {
            Ok(bracket) => bracket.midpoint(),
            // beyond the end that rounding put on the wrong side
            Err(_) => {
                if f(lo) >= 0.0 {
                    lo
                } else {
                    hi
                }
            }
        };
        point(v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::double_double::DoubleDouble;

    /// About s = 0: the slope is 1 − Σ a/τ².
    fn origin(m: &Measure) -> Base {
        let nought = DoubleDouble { hi: 0.0, lo: 0.0 };
        let phi: f64 = m.atoms.iter().zip(&m.second).map(|(t, a)| a / (t * t)).sum();
        Base { s: nought, x: nought, x_error: 0.0, slope: 1.0 - phi, slope_error: 1e-15 }
    }

    /// a/|u−τ|² = 1 is the circle of radius √a about τ; a Newton step errs by a few u.
    #[test]
    fn heights_of_one_atom_are_a_circle() {
        let m = Measure { atoms: vec![2.0], second: vec![1.25] };
        let base = origin(&m);
        for k in 0..=20 {
            let v = 2.0 + 1.25_f64.sqrt() * 0.999 * (f64::from(k) / 10.0 - 1.0);
            let exact = ((1.25_f64.sqrt() - (v - 2.0)) * (1.25_f64.sqrt() + (v - 2.0))).sqrt();
            let y = m.height(&base, v, 0.0);
            assert!((y - exact).abs() <= 1e-12 * exact, "{v}: {y} {exact}");
        }
        assert_eq!(m.height(&base, 4.0, 0.0), 0.0);
        assert_eq!(m.height(&base, -1.0, 0.0), 0.0);
    }

    /// Over every ξ the point lies on the curve Im x(u) = η, and Re x increases by at most
    /// twice as much as ξ (V2).
    #[test]
    fn the_curve_is_a_monotone_graph() {
        let m = Measure { atoms: vec![0.1, 1.0, 1.1, 30.0], second: vec![2e-3, 0.2, 0.3, 90.0] };
        let base = origin(&m);
        for eta in [0.0, 1e-9, 0.03, 10.0] {
            let mut last: Option<(f64, f64)> = None;
            for k in -300..700 {
                let v = 0.07 * f64::from(k) + 0.001;
                let y = m.height(&base, v, eta);
                let t: f64 = m
                    .atoms
                    .iter()
                    .zip(&m.second)
                    .map(|(t, a)| a / ((v - t) * (v - t) + y * y))
                    .sum();
                if eta > 0.0 || y > 0.0 {
                    assert!((y * (1.0 - t) - eta).abs() <= 1e-9 * (eta + y), "{v} {eta}: {y}");
                }
                let x = m.offset(&base, Complex64::new(v, y));
                if let Some((v0, x0)) = last {
                    assert!(x > x0 && x - x0 <= 2.0 * (v - v0) * (1.0 + 1e-9), "{v} {eta}");
                }
                last = Some((v, x));
            }
        }
    }
}
