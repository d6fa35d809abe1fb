//! The dense kernels against closed forms, planted answers and naive sums.

use rootrate::numeric::linalg::{
    LinalgError, cholesky_solve, gram, gram_outer, matmul_f64, symmetric_eigenvalues,
    symmetric_eigenvectors,
};

/// Deterministic pseudo-random numbers in (−1, 1): a 64-bit linear congruential generator.
fn noise(len: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..len)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        })
        .collect()
}

/// Q diag(values) Qᵀ with Q a product of `reflections` random Householder reflections.
fn planted(values: &[f64], reflections: usize, seed: u64) -> Vec<f64> {
    let n = values.len();
    let mut a = vec![0.0; n * n];
    for (i, v) in values.iter().enumerate() {
        a[i * n + i] = *v;
    }
    for r in 0..reflections {
        let v = noise(n, seed + r as u64);
        let norm: f64 = v.iter().map(|x| x * x).sum();
        let av: Vec<f64> =
            a.chunks(n).map(|row| row.iter().zip(&v).map(|(x, y)| x * y).sum()).collect();
        let vav: f64 = av.iter().zip(&v).map(|(x, y)| x * y).sum();
        // (I − 2vvᵀ/|v|²) A (I − 2vvᵀ/|v|²), symmetric by construction.
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] += -2.0 / norm * (v[i] * av[j] + av[i] * v[j])
                    + 4.0 * vav / (norm * norm) * v[i] * v[j];
            }
        }
    }
    a
}

fn assert_eigenvalues(a: &[f64], exact: &[f64], units: f64) {
    let n = exact.len();
    let found = symmetric_eigenvalues(a, n).unwrap();
    let norm = exact.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    // Backward stability: |δλ| ≤ ‖E‖₂ = O(√n ε ‖A‖₂); `units` covers the planting's rounding.
    let tolerance = units * (n as f64).sqrt() * f64::EPSILON * norm;
    for (i, (f, e)) in found.iter().zip(exact).enumerate() {
        assert!((f - e).abs() <= tolerance, "λ_{i} of {n}: {f} instead of {e} ± {tolerance:e}");
    }
}

#[test]
fn eigenvalues_of_the_path_graph() {
    // Tridiagonal Toeplitz (0 on, 1 off the diagonal): 2 cos(kπ/(n+1)).
    for n in [2, 3, 17, 128, 316] {
        let mut a = vec![0.0; n * n];
        for i in 1..n {
            a[i * n + i - 1] = 1.0;
            a[(i - 1) * n + i] = 1.0;
        }
        let exact: Vec<f64> = (1..=n)
            .rev()
            .map(|k| 2.0 * (k as f64 * std::f64::consts::PI / (n + 1) as f64).cos())
            .collect();
        assert_eigenvalues(&a, &exact, 4.0);
    }
}

#[test]
fn planted_eigenvalues_survive_repetition() {
    // Projections of rank n/2 at the sizes at which faer's SVD is known to fail, and spectra
    // with few distinct values, clusters and a wide range.
    for n in [31, 200, 316, 400] {
        let half: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i >= n / 2))).collect();
        assert_eigenvalues(&planted(&half, 4, 7), &half, 30.0);
        let three: Vec<f64> = (0..n).map(|i| [-1.0, 2.0, 10.0][3 * i / n]).collect();
        assert_eigenvalues(&planted(&three, 4, 11), &three, 30.0);
    }
    let clustered: Vec<f64> = (0..150).map(|i| 1.0 + 1e-14 * i as f64).collect();
    assert_eigenvalues(&planted(&clustered, 4, 13), &clustered, 30.0);
    let wide: Vec<f64> = (0..150).map(|i| 10f64.powf(-12.0 + 0.1 * i as f64)).collect();
    assert_eigenvalues(&planted(&wide, 4, 17), &wide, 30.0);
}

#[test]
fn eigenvalues_scale_exactly_over_the_whole_range() {
    let exact: Vec<f64> = (0..60).map(|i| (i % 7) as f64).collect();
    let a = planted(&exact, 3, 3);
    let base = symmetric_eigenvalues(&a, 60).unwrap();
    for power in [-1000, -530, 530, 1000] {
        let factor = 2f64.powi(power);
        let scaled: Vec<f64> = a.iter().map(|v| v * factor).collect();
        let found = symmetric_eigenvalues(&scaled, 60).unwrap();
        for (f, b) in found.iter().zip(&base) {
            // Scaling by a power of two commutes with every rounding, up to underflow.
            assert!((f / factor - b).abs() <= 1e-15 * 6.0, "2^{power}: {f} vs {b}");
        }
    }
    assert_eq!(symmetric_eigenvalues(&[0.0; 9], 3).unwrap(), [0.0; 3]);
    assert_eq!(symmetric_eigenvalues(&[], 0).unwrap(), Vec::<f64>::new());
    assert_eq!(symmetric_eigenvalues(&[f64::MAX; 4], 2), Err(LinalgError::Overflow));
}

#[test]
fn eigenvalues_reject_bad_matrices() {
    assert!(matches!(symmetric_eigenvalues(&[1.0; 5], 2), Err(LinalgError::Shape { .. })));
    assert!(matches!(symmetric_eigenvalues(&[], usize::MAX), Err(LinalgError::Shape { .. })));
    assert_eq!(
        symmetric_eigenvalues(&[1.0, 2.0, 2.5, 1.0], 2),
        Err(LinalgError::NotSymmetric { row: 1, col: 0, difference: 0.5 })
    );
    assert!(matches!(
        symmetric_eigenvalues(&[1.0, 0.0, f64::NAN, 1.0], 2),
        Err(LinalgError::NotFinite { row: 1, col: 0, .. })
    ));
}

#[test]
fn gram_matrices_equal_naive_sums() {
    for (n, p) in [(1, 1), (5, 3), (3, 300), (40, 129), (0, 4), (4, 0)] {
        let x = noise(n * p, 5);
        let (inner, outer) = (gram(&x, n, p).unwrap(), gram_outer(&x, n, p).unwrap());
        let tolerance = |terms: usize| 2.0 * terms as f64 * f64::EPSILON * terms as f64;
        for i in 0..p {
            for j in 0..p {
                let exact: f64 = (0..n).map(|s| x[s * p + i] * x[s * p + j]).sum();
                assert!((inner[i * p + j] - exact).abs() <= tolerance(n));
                assert_eq!(inner[i * p + j], inner[j * p + i]);
            }
        }
        for i in 0..n {
            for j in 0..n {
                let exact: f64 = (0..p).map(|s| x[i * p + s] * x[j * p + s]).sum();
                assert!((outer[i * n + j] - exact).abs() <= tolerance(p));
            }
        }
    }
    assert!(gram(&[1.0], 1, 2).is_err() && gram_outer(&[1.0], 2, 1).is_err());
}

#[test]
fn gram_bits_do_not_depend_on_the_number_of_threads() {
    let x = noise(90 * 300, 9);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| gram(&x, 90, 300).unwrap())
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn cholesky_recovers_a_planted_solution() {
    for (n, nrhs) in [(1, 1), (2, 3), (64, 1), (150, 7)] {
        let spectrum: Vec<f64> = (0..n).map(|i| 1.0 + i as f64 / n as f64).collect();
        let a = planted(&spectrum, 3, 21);
        let exact = noise(n * nrhs, 22);
        let mut rhs = vec![0.0; n * nrhs];
        for i in 0..n {
            for r in 0..nrhs {
                rhs[i * nrhs + r] = (0..n).map(|j| a[i * n + j] * exact[j * nrhs + r]).sum();
            }
        }
        cholesky_solve(&mut a.clone(), n, &mut rhs, nrhs).unwrap();
        for (f, e) in rhs.iter().zip(&exact) {
            // Condition number ≤ 2, so the error is a small multiple of n ε |x|.
            assert!((f - e).abs() <= 8.0 * n as f64 * f64::EPSILON, "{f} instead of {e}");
        }
    }
}

#[test]
fn cholesky_rejects_what_is_not_positive_definite() {
    let solve = |a: &[f64]| cholesky_solve(&mut a.to_vec(), 2, &mut [1.0, 1.0], 1);
    assert_eq!(solve(&[1.0, 2.0, 2.0, 1.0]), Err(LinalgError::NotPositiveDefinite { pivot: 1 }));
    assert_eq!(solve(&[0.0, 0.0, 0.0, 1.0]), Err(LinalgError::NotPositiveDefinite { pivot: 0 }));
    assert!(matches!(
        solve(&[1.0, f64::NAN, f64::NAN, 1.0]),
        Err(LinalgError::NotFinite { row: 0, col: 1, .. })
    ));
    assert_eq!(solve(&[1e-320, 0.0, 0.0, 1.0]), Err(LinalgError::Overflow));
    assert!(cholesky_solve(&mut [1.0], 1, &mut [1.0, 2.0], 1).is_err());
}

#[test]
fn products_equal_naive_sums() {
    for (m, n, k) in [(1, 1, 1), (3, 5, 7), (70, 33, 129), (4, 4, 0), (0, 3, 2)] {
        let (a, b) = (noise(m * k, 1), noise(n * k, 2));
        let mut c = vec![f64::NAN; m * n];
        matmul_f64(&a, &b, &mut c, (m, n, k)).unwrap();
        for i in 0..m {
            for j in 0..n {
                let exact: f64 = (0..k).map(|s| a[i * k + s] * b[j * k + s]).sum();
                let bound = (k * k) as f64;
                assert!((c[i * n + j] - exact).abs() <= 2.0 * bound * f64::EPSILON);
            }
        }
    }
    assert!(matmul_f64(&[1.0], &[1.0], &mut [0.0; 2], (1, 1, 1)).is_err());
}

/// The same products and solutions in single precision, against double precision on the same
/// numbers. A sum of k products errs by at most k roundings of Σ|x||y| ≤ k, in any order; the
/// solution of a system of condition κ ≤ 2 by a small multiple of n roundings of its size.
#[test]
fn single_precision_agrees_with_double_precision() {
    let unit = f64::from(f32::EPSILON) / 2.0;
    let narrow = |x: &[f64]| x.iter().map(|&v| v as f32).collect::<Vec<f32>>();
    let wide = |x: &[f32]| x.iter().map(|&v| f64::from(v)).collect::<Vec<f64>>();
    for (n, p) in [(1, 1), (7, 130), (300, 40), (0, 3), (3, 0)] {
        let single = narrow(&noise(n * p, 31));
        let double = wide(&single);
        let pairs = [
            (gram(&single, n, p).unwrap(), gram(&double, n, p).unwrap(), n),
            (gram_outer(&single, n, p).unwrap(), gram_outer(&double, n, p).unwrap(), p),
        ];
        for (found, exact, terms) in pairs {
            let tolerance = unit * (terms * terms) as f64;
            for (f, e) in found.iter().zip(&exact) {
                assert!((f64::from(*f) - e).abs() <= tolerance, "{n}×{p}: {f} instead of {e}");
            }
        }
    }
    for (n, nrhs) in [(1, 1), (2, 3), (64, 1), (150, 7)] {
        let spectrum: Vec<f64> = (0..n).map(|i| 1.0 + i as f64 / n as f64).collect();
        let matrix = planted(&spectrum, 3, 21);
        let rhs = narrow(&noise(n * nrhs, 22));
        let (mut exact, mut found) = (wide(&rhs), rhs);
        cholesky_solve(&mut matrix.clone(), n, &mut exact, nrhs).unwrap();
        cholesky_solve(&mut narrow(&matrix), n, &mut found, nrhs).unwrap();
        for (f, e) in found.iter().zip(&exact) {
            assert!((f64::from(*f) - e).abs() <= 8.0 * n as f64 * unit, "{f} instead of {e}");
        }
    }
    let mut bad = [1.0_f32, f32::NAN, f32::NAN, 1.0];
    let error = cholesky_solve(&mut bad, 2, &mut [1.0, 1.0], 1);
    assert!(matches!(error, Err(LinalgError::NotFinite { row: 0, col: 1, .. })));
    // the largest single-precision number is not the largest double
    assert_eq!(
        cholesky_solve(&mut [1e-30_f32, 0.0, 0.0, 1.0], 2, &mut [1e30, 1.0], 1),
        Err(LinalgError::Overflow)
    );
}

/// Eigenvalues with and without vectors come from two algorithms: root-free QL, and divide and
/// conquer. Both are backward stable, so they agree within a multiple of √n ε ‖A‖₂.
#[test]
fn eigenvalues_agree_with_and_without_vectors() {
    for n in [1, 2, 3, 5, 40, 128, 257] {
        let x = noise(n * (n / 2 + 1), 41);
        let matrices = [
            // indefinite, without zero on the diagonal; a projection's multiple, half of it zero
            planted(&noise(n, 42), 2, 43),
            gram_outer(&x, n, n / 2 + 1).unwrap(),
            // a zero diagonal, and blocks that are coupled by next to nothing
            (0..n * n)
                .map(|i| match (i / n).abs_diff(i % n) {
                    1 if (i / n + i % n) % 7 == 3 => 1e-17,
                    1 => 1.0,
                    _ => 0.0,
                })
                .collect(),
        ];
        for (kind, a) in matrices.iter().enumerate() {
            let values = symmetric_eigenvalues(a, n).unwrap();
            let (with, _) = symmetric_eigenvectors(a, n).unwrap();
            let norm = with.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            let tolerance = 16.0 * (n as f64).sqrt() * f64::EPSILON * norm;
            for (v, w) in values.iter().zip(&with) {
                assert!((v - w).abs() <= tolerance, "{kind}, n = {n}: {v} and {w}");
            }
        }
    }
}
