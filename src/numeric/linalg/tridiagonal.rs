//! Eigenvalues of symmetric tridiagonal matrices by the root-free QL iteration.

/// Iterations an eigenvalue, on average, before the iteration is given up; two are usual.
const MOST: usize = 30;

/// Replaces the diagonal d of a symmetric tridiagonal matrix by its eigenvalues, in no order,
/// and destroys the off-diagonal e (one entry less); whether the iteration converged.
///
/// The variant of Pal, Walker and Kahan (Parlett, *The Symmetric Eigenvalue Problem*, 1980,
/// §8-15), which works on e² and needs two divisions a step, no square root and no rotation; as
/// LAPACK's `dsterf`. Entries must be of order 1 or less, with squares that do not underflow to
/// matter. Backward stable; cost ≈ n² steps.
pub(super) fn eigenvalues(d: &mut [f64], e: &mut [f64]) -> bool {
    let norm = d.iter().chain(e.iter()).fold(0.0_f64, |m, v| m.max(v.abs()));
    // An entry below a thousandth of a rounding of the norm is as good as zero.
    let negligible = (norm * f64::EPSILON / 1024.0).powi(2);
    let mut left = MOST * d.len();
    e.iter_mut().for_each(|v| *v *= *v);
    let small = |e: f64, d: f64, next: f64| {
        e <= f64::EPSILON * f64::EPSILON * (d * next).abs() || e <= negligible
    };
    let mut first = 0;
    while first < d.len() {
        let coupled = (first..e.len()).find(|&i| small(e[i], d[i], d[i + 1]));
        let last = coupled.unwrap_or(e.len());
        let (d, e) = (&mut d[first..=last], &mut e[first..last]);
        first = last + 1;
        // The iteration finds eigenvalues from the top: small ones should stand there.
        if d[0].abs() > d[d.len() - 1].abs() {
            d.reverse();
            e.reverse();
        }
        let mut top = 0;
        while top + 1 < d.len() {
            let end = (top..e.len()).find(|&i| small(e[i], d[i], d[i + 1])).unwrap_or(e.len());
            if end == top {
                top += 1;
            } else if end == top + 1 {
                (d[top], d[end]) = pair(d[top], e[top], d[end]);
                top += 2;
            } else if left == 0 {
                return false;
            } else {
                left -= 1;
                sweep(&mut d[top..=end], &mut e[top..end]);
            }
        }
    }
    true
}

/// One implicit QL step from the bottom to the top, with Wilkinson's shift.
fn sweep(d: &mut [f64], e: &mut [f64]) {
    let root = e[0].sqrt();
    let half = (d[1] - d[0]) / (2.0 * root);
    let shift = d[0] - root / (half + half.hypot(1.0).copysign(half));
    let last = e.len();
    let (mut c, mut s) = (1.0, 0.0);
    let mut gamma = d[last] - shift;
    let mut p = gamma * gamma;
    for i in (0..last).rev() {
        let square = e[i];
        let r = p + square;
        if i + 1 < last {
            e[i + 1] = s * r;
        }
        let (old_c, old_gamma) = (c, gamma);
        c = p / r;
        s = square / r;
        gamma = c * (d[i] - shift) - s * old_gamma;
        d[i + 1] = old_gamma + (d[i] - gamma);
        p = if c == 0.0 { old_c * square } else { gamma * gamma / c };
    }
    e[0] = s * p;
    d[0] = shift + gamma;
}

/// The eigenvalues of [a √square; √square b], the one of larger magnitude without cancellation.
fn pair(a: f64, square: f64, b: f64) -> (f64, f64) {
    let (sum, root) = (a + b, (a - b).hypot(2.0 * square.sqrt()));
    let large = 0.5 * (sum + root.copysign(sum));
    // a·b − square over the larger one, in the order that neither overflows nor underflows
    let (most, least) = if a.abs() > b.abs() { (a, b) } else { (b, a) };
    let small = if large == 0.0 { 0.0 } else { (most / large) * least - square / large };
    (large, small)
}
