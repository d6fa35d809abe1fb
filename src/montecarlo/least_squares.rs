//! Penalised least squares of one replicate, in either precision (M6).

use super::Draws;
use super::ridge::doubt;
use crate::numeric::linalg::{
    LinalgError, Real, factor, gram_lower, gram_outer_lower, power_of_two_near, solve_factored,
};
use crate::numeric::widest;

/// Partial sums of a dot product: one wide vector of either precision.
const LANES: usize = 16;
/// Samples whose contributions to a moment are added up before they join the total: rounding
/// then grows like 64 + n/64 instead of n.
const BLOCK: usize = 64;
/// Smallest diagonal entry of normal equations in single precision: products that underflow are
/// far below its rounding.
const SMALLEST: f64 = 7.9e-31;

/// What a replicate computes in.
pub(super) trait Arithmetic: Real {
    /// The next normals: its own, or single ones widened.
    fn normals(draws: &mut Draws, out: &mut [Self]);
}

impl Arithmetic for f64 {
    fn normals(draws: &mut Draws, out: &mut [Self]) {
        draws.normals(out);
    }
}

impl Arithmetic for f32 {
    fn normals(draws: &mut Draws, out: &mut [Self]) {
        draws.single_normals(out);
    }
}

/// Consecutive pieces of `memory`, which grows as needed.
pub(super) fn pieces<T: Real, const N: usize>(
    memory: &mut Vec<T>,
    lengths: [usize; N],
) -> [&mut [T]; N] {
    let total = lengths.iter().sum();
    if memory.len() < total {
        memory.resize(total, T::ZERO);
    }
    let mut rest = memory.as_mut_slice();
    lengths.map(|length| rest.split_off_mut(..length).unwrap_or_default())
}

/// Adds wᵀφᵢ to yᵢ for the rows φᵢ of Φ.
pub(super) fn add_product<T: Real>(rows: &[T], weights: &[T], y: &mut [T]) {
    widest(
        #[inline(always)]
        || {
            for (row, y) in rows.chunks_exact(weights.len()).zip(y) {
                *y += dot(row, weights);
            }
        },
    );
}

/// Multiplies every column by its scale.
pub(super) fn scale_columns<T: Real>(rows: &mut [T], scales: &[T]) {
    widest(
        #[inline(always)]
        || {
            for row in rows.chunks_exact_mut(scales.len()) {
                row.iter_mut().zip(scales).for_each(|(x, &scale)| *x *= scale);
            }
        },
    );
}

/// Φᵀv for row-major Φ with as many columns as `out`.
pub(super) fn transposed_product<T: Real>(rows: &[T], v: &[T], out: &mut [T]) {
    let p = out.len();
    let mut partial = vec![T::ZERO; p];
    out.fill(T::ZERO);
    widest(
        #[inline(always)]
        || {
            for (rows, v) in rows.chunks(BLOCK * p).zip(v.chunks(BLOCK)) {
                partial.fill(T::ZERO);
                for (row, &v) in rows.chunks_exact(p).zip(v) {
                    partial.iter_mut().zip(row).for_each(|(sum, &x)| *sum += x * v);
                }
                out.iter_mut().zip(&partial).for_each(|(sum, &x)| *sum += x);
            }
        },
    );
}

#[inline(always)]
fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let mut lanes = [T::ZERO; LANES];
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a.iter().zip(b) {
        for l in 0..LANES {
            lanes[l] += a[l] * b[l];
        }
    }
    for (lane, (&a, &b)) in lanes.iter_mut().zip(a_rest.iter().zip(b_rest)) {
        *lane += a * b;
    }
    for width in [8, 4, 2, 1] {
        for l in 0..width {
            lanes[l] += lanes[l + width];
        }
    }
    lanes[0]
}

/// A linear target wᵀx + τε with x ~ N(0, Σ), Σ diagonal, in units in which single precision
/// neither overflows nor underflows: features over the root of `variance`, targets over
/// `amplitude`, both near their largest value and powers of two.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Units {
    /// √(eigenvalue/variance).
    pub(super) scales: Vec<f64>,
    /// w_k √eigenvalue_k / amplitude: the target's coefficients for standard normal features.
    pub(super) loads: Vec<f64>,
    /// τ/amplitude.
    pub(super) noise: f64,
    /// Unit of Σ.
    pub(super) variance: f64,
    /// Unit of the targets.
    pub(super) amplitude: f64,
}

impl Units {
    pub(super) fn new(eigenvalues: &[f64], signal: &[f64], noise_variance: f64) -> Self {
        let unit = |largest: f64| if largest > 0.0 { power_of_two_near(largest) } else { 1.0 };
        let variance = unit(eigenvalues.iter().copied().fold(0.0, f64::max));
        let noise = noise_variance.sqrt();
        let loads: Vec<f64> = signal.iter().zip(eigenvalues).map(|(w, v)| w * v.sqrt()).collect();
        let amplitude = unit(loads.iter().fold(noise, |most, load| most.max(load.abs())));
        Self {
            scales: eigenvalues.iter().map(|v| (v / variance).sqrt()).collect(),
            loads: loads.iter().map(|load| load / amplitude).collect(),
            noise: noise / amplitude,
            variance,
            amplitude,
        }
    }

    /// The excess risk Σ(u − load)² of coefficients u for standard normal features, and the
    /// doubt about it if it was computed in single precision.
    pub(super) fn risk<T: Real>(&self, coefficients: &[T], worst: Worst) -> (f64, f64) {
        let (mut risk, mut fitted) = (0.0, 0.0);
        for (&u, load) in coefficients.iter().zip(&self.loads) {
            let u: f64 = u.into();
            risk += (u - load) * (u - load);
            fitted += u * u;
        }
        let doubt = doubt(worst.retained as f32, fitted as f32, risk as f32);
        (risk * self.amplitude * self.amplitude, doubt.into())
    }
}

/// The worst pivot of a Cholesky factorisation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Worst {
    /// Its index.
    pub(super) pivot: usize,
    /// The part of its diagonal entry that the squared pivot keeps; 0 if the entry is too small
    /// for the precision.
    pub(super) retained: f64,
}

/// a = argmin ‖y − Φa‖² + Σⱼ penaltyⱼ aⱼ² for row-major Φ with `coefficients.len()` columns, by
/// (ΦᵀΦ + diag(penalty)) a = Φᵀy. `kernel` is working memory of p² numbers.
pub(super) fn primal<T: Real>(
    rows: &[T],
    y: &[T],
    penalty: impl Fn(usize) -> T,
    kernel: &mut [T],
    coefficients: &mut [T],
) -> Result<Worst, LinalgError> {
    transposed_product(rows, y, coefficients);
    gram_lower(rows, (y.len(), coefficients.len()), kernel);
    solve(kernel, penalty, coefficients)
}

/// The same for one penalty λ and fewer rows than columns: a = Φᵀα with (ΦΦᵀ + λ) α = y.
/// `kernel` is working memory of n² numbers; `y` becomes α.
pub(super) fn dual<T: Real>(
    rows: &[T],
    y: &mut [T],
    penalty: T,
    kernel: &mut [T],
    coefficients: &mut [T],
) -> Result<Worst, LinalgError> {
    gram_outer_lower(rows, (y.len(), coefficients.len()), kernel);
    let worst = solve(kernel, |_| penalty, y)?;
    transposed_product(rows, y, coefficients);
    Ok(worst)
}

fn solve<T: Real>(
    kernel: &mut [T],
    penalty: impl Fn(usize) -> T,
    rhs: &mut [T],
) -> Result<Worst, LinalgError> {
    let size = rhs.len();
    let diagonal: Vec<f64> = (0..size)
        .map(|i| {
            kernel[i * size + i] += penalty(i);
            kernel[i * size + i].into()
        })
        .collect();
    factor(kernel, size)?;
    solve_factored(kernel, size, rhs, 1)?;
    let retained = diagonal.iter().enumerate().map(|(pivot, &entry)| {
        let root: f64 = kernel[pivot * size + pivot].into();
        let enough = entry >= SMALLEST || T::ROUNDING == f64::ROUNDING;
        Worst { pivot, retained: if enough { root * root / entry } else { 0.0 } }
    });
    let none = Worst { pivot: 0, retained: 1.0 };
    Ok(retained.fold(none, |a, b| if b.retained < a.retained { b } else { a }))
}
