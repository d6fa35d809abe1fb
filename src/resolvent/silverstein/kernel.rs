//! Halley's iteration for x(s+w) = z, several points at once, one atom after the other.

use num_complex::Complex64;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::PARALLEL;
use super::base::Base;
use super::plane::Measure;

/// Atoms summed in plain double precision before the compensated totals take over: the
/// rounding of a sum does not grow with the number of atoms.
const BLOCK: usize = 64;
/// Iterations granted to a point at its final z.
const ITERATIONS: usize = 16;
/// All iterations, those on the way down from a lifted z included.
const ALL_ITERATIONS: usize = 400;
/// A predicted relative error at which a point is done, 2⁻⁵⁵.
const DONE: f64 = 0.5 / (1_u64 << 54) as f64;
/// The same on the way down.
const FOLLOWED: f64 = 0.03;
/// Points of one thread at a time.
const CHUNK: usize = 32;
/// Factor between the imaginary parts on the way down: u(z) is analytic in the disc of radius
/// Im z, so that the next start lies within the reach of its expansion.
const DESCENT: f64 = 0.25;

/// The atoms with chⱼτⱼ², scaled by a power of two so that no product over- or underflows.
#[derive(Debug, Clone)]
pub(crate) struct Kernel {
    atoms: Vec<f64>,
    second: Vec<f64>,
    scale: f64,
}

/// Points in progress, as arrays by component.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    s_hi: Vec<f64>,
    s_lo: Vec<f64>,
    slope: Vec<f64>,
    re: Vec<f64>,
    im: Vec<f64>,
    w_re: Vec<f64>,
    w_im: Vec<f64>,
    lift: Vec<f64>,
    done: Vec<f64>,
    d_re: Vec<f64>,
    d_im: Vec<f64>,
}

/// A problem for the kernel: x(s+w) = x(s) + offset, from the start w.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Problem {
    pub(crate) base: Base,
    /// z − x(s).
    pub(crate) offset: Complex64,
    pub(crate) start: Complex64,
    /// An imaginary part added to the offset at first, then taken down to 0.
    pub(crate) lift: f64,
}

/// What the iteration arrived at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    pub(crate) w: Complex64,
    /// x'(u) at the last but one iterate.
    pub(crate) derivative: Complex64,
    /// Converged to the root that is the solution (V3).
    pub(crate) accepted: bool,
}

impl Kernel {
    /// The kernel of the positive measure Σ a δ_τ, a = chτ².
    pub(crate) fn new(measure: &Measure) -> Self {
        let (lo, hi) = (measure.atoms[0], measure.atoms[measure.atoms.len() - 1]);
        let middle = lo.sqrt() * hi.sqrt();
        let scale = if (1e-30..=1e30).contains(&lo) && (1e-30..=1e30).contains(&hi) {
            1.0
        } else {
            2.0_f64.powi(-(middle.log2().round() as i32))
        };
        let atoms = measure.atoms.iter().map(|t| t * scale).collect();
        let second = measure.second.iter().map(|a| a * scale * scale).collect();
        Self { atoms, second, scale }
    }

    /// Iterates every problem to the end, on several threads where that pays. The outcome of
    /// one does not depend on the others.
    pub(crate) fn solve(&self, problems: &[Problem]) -> Vec<Outcome> {
        if problems.len() * self.atoms.len() < PARALLEL {
            return self.solve_here(problems);
        }
        problems.par_chunks(CHUNK).flat_map_iter(|chunk| self.solve_here(chunk)).collect()
    }

    fn solve_here(&self, problems: &[Problem]) -> Vec<Outcome> {
        if problems.is_empty() {
            return Vec::new();
        }
        let s = self.scale;
        let mut lanes = Lanes::default();
        let column = |f: fn(&Problem) -> f64, by: f64| -> Vec<f64> {
            problems.iter().map(|p| f(p) * by).collect()
        };
        lanes.s_hi = column(|p| p.base.s.hi, s);
        lanes.s_lo = column(|p| p.base.s.lo, s);
        lanes.slope = column(|p| p.base.slope, 1.0);
        lanes.re = column(|p| p.offset.re, s);
        lanes.im = column(|p| p.offset.im, s);
        lanes.w_re = column(|p| p.start.re, s);
        lanes.w_im = column(|p| p.start.im, s);
        lanes.lift = column(|p| p.lift, s);
        lanes.done = vec![0.0; problems.len()];
        lanes.d_re = vec![0.0; problems.len()];
        lanes.d_im = vec![0.0; problems.len()];
        pulp::Arch::new().dispatch(Iterate { kernel: self, lanes: &mut lanes });
        (0..problems.len())
            .map(|i| {
                let w = Complex64::new(lanes.w_re[i], lanes.w_im[i]) / s;
                let derivative = Complex64::new(lanes.d_re[i], lanes.d_im[i]);
                // (V3): one root has Im u > 0, or where all are real, x' > 0
                let branch = w.im > 0.0
                    || (w.im == 0.0 && problems[i].offset.im == 0.0 && derivative.re > 0.0);
                Outcome { w, derivative, accepted: lanes.done[i] == 1.0 && branch && w.is_finite() }
            })
            .collect()
    }
}

impl Lanes {
    /// Repeats the last point up to a multiple of `lanes`.
    fn pad(&mut self, lanes: usize) {
        let n = self.re.len().next_multiple_of(lanes);
        for v in [
            &mut self.s_hi,
            &mut self.s_lo,
            &mut self.slope,
            &mut self.re,
            &mut self.im,
            &mut self.w_re,
            &mut self.w_im,
            &mut self.lift,
            &mut self.done,
            &mut self.d_re,
            &mut self.d_im,
        ] {
            let last = v[v.len() - 1];
            v.resize(n, last);
        }
    }
}

struct Iterate<'a> {
    kernel: &'a Kernel,
    lanes: &'a mut Lanes,
}

impl WithSimd for Iterate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.lanes.pad(S::F64_LANES);
        for from in (0..self.lanes.re.len()).step_by(S::F64_LANES) {
            iterate(simd, self.kernel, self.lanes, from..from + S::F64_LANES);
        }
    }
}

/// Vectors with the arithmetic of complex numbers.
#[derive(Clone, Copy)]
struct Vector<S: Simd> {
    re: S::f64s,
    im: S::f64s,
}

impl<S: Simd> Vector<S> {
    #[inline(always)]
    fn plus(self, simd: S, o: Self) -> Self {
        Self { re: simd.add_f64s(self.re, o.re), im: simd.add_f64s(self.im, o.im) }
    }

    #[inline(always)]
    fn minus(self, simd: S, o: Self) -> Self {
        Self { re: simd.sub_f64s(self.re, o.re), im: simd.sub_f64s(self.im, o.im) }
    }

    #[inline(always)]
    fn times(self, simd: S, o: Self) -> Self {
        Self {
            re: simd.sub_f64s(simd.mul_f64s(self.re, o.re), simd.mul_f64s(self.im, o.im)),
            im: simd.add_f64s(simd.mul_f64s(self.re, o.im), simd.mul_f64s(self.im, o.re)),
        }
    }

    #[inline(always)]
    fn scaled(self, simd: S, k: S::f64s) -> Self {
        Self { re: simd.mul_f64s(self.re, k), im: simd.mul_f64s(self.im, k) }
    }

    #[inline(always)]
    fn norm_sqr(self, simd: S) -> S::f64s {
        simd.add_f64s(simd.mul_f64s(self.re, self.re), simd.mul_f64s(self.im, self.im))
    }

    #[inline(always)]
    fn over(self, simd: S, o: Self) -> Self {
        let inverse = simd.div_f64s(simd.splat_f64s(1.0), o.norm_sqr(simd));
        let conjugate = Self { re: o.re, im: simd.neg_f64s(o.im) };
        self.times(simd, conjugate).scaled(simd, inverse)
    }

    #[inline(always)]
    fn select(simd: S, mask: S::m64s, yes: Self, no: Self) -> Self {
        Self {
            re: simd.select_f64s(mask, yes.re, no.re),
            im: simd.select_f64s(mask, yes.im, no.im),
        }
    }
}

/// A total with the errors of its additions.
#[derive(Clone, Copy)]
struct Total<S: Simd> {
    sum: S::f64s,
    error: S::f64s,
}

impl<S: Simd> Total<S> {
    #[inline(always)]
    fn add(&mut self, simd: S, x: S::f64s) {
        let sum = simd.add_f64s(self.sum, x);
        let part = simd.sub_f64s(sum, self.sum);
        let lost = simd
            .add_f64s(simd.sub_f64s(self.sum, simd.sub_f64s(sum, part)), simd.sub_f64s(x, part));
        self.error = simd.add_f64s(self.error, lost);
        self.sum = sum;
    }

    #[inline(always)]
    fn value(self, simd: S) -> S::f64s {
        simd.add_f64s(self.sum, self.error)
    }
}

/// A = Σ g/(d+w), B = Σ g/(d+w)², C = Σ g/(d+w)³ and the least |d+w|².
#[derive(Clone, Copy)]
struct Sums<S: Simd> {
    a: Vector<S>,
    b: Vector<S>,
    c: Vector<S>,
    nearest: S::f64s,
}

#[inline(always)]
fn sums<S: Simd>(simd: S, kernel: &Kernel, s_hi: S::f64s, s_lo: S::f64s, w: Vector<S>) -> Sums<S> {
    let zero = simd.splat_f64s(0.0);
    let one = simd.splat_f64s(1.0);
    let three = simd.splat_f64s(3.0);
    let w_im2 = simd.mul_f64s(w.im, w.im);
    let w_im2_3 = simd.mul_f64s(three, w_im2);
    let mut totals = [Total::<S> { sum: zero, error: zero }; 6];
    let mut nearest = simd.splat_f64s(f64::INFINITY);
    for (atoms, second) in kernel.atoms.chunks(BLOCK).zip(kernel.second.chunks(BLOCK)) {
        let mut block = [zero; 6];
        for (&t, &a) in atoms.iter().zip(second) {
            let d = simd.add_f64s(simd.sub_f64s(s_hi, simd.splat_f64s(t)), s_lo);
            let e = simd.add_f64s(d, w.re);
            let e2 = simd.mul_f64s(e, e);
            let n = simd.add_f64s(e2, w_im2);
            nearest = simd.min_f64s(nearest, n);
            let d2 = simd.mul_f64s(d, d);
            let inverse = simd.div_f64s(one, simd.mul_f64s(d2, n));
            // q = g/|e|², p = 1/|e|²
            let q = simd.mul_f64s(simd.splat_f64s(a), inverse);
            let p = simd.mul_f64s(d2, inverse);
            let r = simd.mul_f64s(q, p);
            let t = simd.mul_f64s(r, p);
            let t_e = simd.mul_f64s(t, e);
            block[0] = simd.add_f64s(block[0], simd.mul_f64s(q, e));
            block[1] = simd.add_f64s(block[1], q);
            block[2] = simd.add_f64s(block[2], simd.mul_f64s(r, simd.sub_f64s(e2, w_im2)));
            block[3] = simd.add_f64s(block[3], simd.mul_f64s(r, e));
            block[4] = simd.add_f64s(block[4], simd.mul_f64s(t_e, simd.sub_f64s(e2, w_im2_3)));
            let c_im = simd.sub_f64s(simd.mul_f64s(three, e2), w_im2);
            block[5] = simd.add_f64s(block[5], simd.mul_f64s(t, c_im));
        }
        for (total, x) in totals.iter_mut().zip(block) {
            total.add(simd, x);
        }
    }
    let value = |i: usize| totals[i].value(simd);
    // every imaginary part is −Im w times a sum: it keeps its relative accuracy as Im w → 0
    let down = simd.neg_f64s(w.im);
    let twice = simd.add_f64s(down, down);
    Sums {
        a: Vector { re: value(0), im: simd.mul_f64s(down, value(1)) },
        b: Vector { re: value(2), im: simd.mul_f64s(twice, value(3)) },
        c: Vector { re: value(4), im: simd.mul_f64s(down, value(5)) },
        nearest,
    }
}

#[inline(always)]
fn iterate<S: Simd>(simd: S, kernel: &Kernel, lanes: &mut Lanes, range: std::ops::Range<usize>) {
    let load = |v: &[f64]| simd.partial_load_f64s(&v[range.clone()]);
    let (s_hi, s_lo, slope) = (load(&lanes.s_hi), load(&lanes.s_lo), load(&lanes.slope));
    let zero = simd.splat_f64s(0.0);
    let one = simd.splat_f64s(1.0);
    let (re, im) = (load(&lanes.re), load(&lanes.im));
    let mut w = Vector::<S> { re: load(&lanes.w_re), im: load(&lanes.w_im) };
    let mut lift = load(&lanes.lift);
    let (mut done, mut count) = (zero, zero);
    let mut derivative = Vector { re: zero, im: zero };
    let limit = simd.splat_f64s(ITERATIONS as f64);
    for _ in 0..ALL_ITERATIONS {
        let sums = sums(simd, kernel, s_hi, s_lo, w);
        let offset = Vector { re, im: simd.add_f64s(im, lift) };
        // x − z = w·slope + w²A − offset, x' = slope + 2wA − w²B, x''/2 = A − 2wB + w²C
        let (wa, wb, wc) = (w.times(simd, sums.a), w.times(simd, sums.b), w.times(simd, sums.c));
        let value = w.scaled(simd, slope).plus(simd, w.times(simd, wa)).minus(simd, offset);
        let mut d1 = wa.plus(simd, wa).minus(simd, w.times(simd, wb));
        d1.re = simd.add_f64s(d1.re, slope);
        let d2 = sums.a.minus(simd, wb.plus(simd, wb)).plus(simd, w.times(simd, wc));
        let newton = value.over(simd, d1);
        let t = newton.times(simd, d2).over(simd, d1);
        let damping = Vector { re: simd.sub_f64s(one, t.re), im: simd.neg_f64s(t.im) };
        let step = newton.over(simd, damping);
        // Halley's error: (t² + N²·x'''/(6x'))·N with |x'''/6| ≤ 1/min|e|² (V5)
        let n2 = newton.norm_sqr(simd);
        let curvature =
            simd.div_f64s(n2, simd.mul_f64s(sums.nearest, simd.sqrt_f64s(d1.norm_sqr(simd))));
        let factor = simd.add_f64s(t.norm_sqr(simd), curvature);
        let next = w.minus(simd, step);
        // relative to |w| and, off the axis, to Im w
        let size = simd.sqrt_f64s(next.norm_sqr(simd));
        let whole = simd.div_f64s(simd.sqrt_f64s(n2), size);
        let upper = simd.abs_f64s(next.im);
        let part = simd.select_f64s(
            simd.greater_than_f64s(upper, zero),
            simd.div_f64s(simd.abs_f64s(newton.im), upper),
            zero,
        );
        let error = simd.mul_f64s(factor, simd.max_f64s(whole, part));
        let lifted = simd.greater_than_f64s(lift, zero);
        let followed = simd.less_than_f64s(error, simd.splat_f64s(FOLLOWED));
        let arrived = simd.less_than_f64s(error, simd.splat_f64s(DONE));
        let open = simd.equal_f64s(done, zero);
        w = Vector::select(simd, open, next, w);
        derivative = Vector::select(simd, open, d1, derivative);
        count = simd.select_f64s(lifted, zero, simd.add_f64s(count, one));
        let spent = simd.select_f64s(simd.less_than_f64s(count, limit), zero, simd.splat_f64s(2.0));
        let verdict = simd.select_f64s(arrived, one, spent);
        let verdict = simd.select_f64s(lifted, zero, verdict);
        done = simd.select_f64s(open, verdict, done);
        let lower = simd.mul_f64s(lift, simd.splat_f64s(DESCENT));
        let near = simd.less_than_f64s(simd.add_f64s(lower, lower), im);
        let lower = simd.select_f64s(near, zero, lower);
        lift = simd.select_f64s(followed, lower, lift);
        if simd.reduce_min_f64s(done) > 0.0 {
            break;
        }
    }
    simd.partial_store_f64s(&mut lanes.w_re[range.clone()], w.re);
    simd.partial_store_f64s(&mut lanes.w_im[range.clone()], w.im);
    simd.partial_store_f64s(&mut lanes.done[range.clone()], done);
    simd.partial_store_f64s(&mut lanes.d_re[range.clone()], derivative.re);
    simd.partial_store_f64s(&mut lanes.d_im[range], derivative.im);
}
