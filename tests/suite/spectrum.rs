//! Population spectra: constructors, laws against closed forms and goldens, data covariances
//! with planted eigenvalues.

use proptest::prelude::*;
use rootrate::data::{DataMatrix, digits};
use rootrate::numeric::linalg::symmetric_eigenvalues;
use rootrate::spectrum::{Spectrum, SpectrumError};
use std::f64::consts::PI;

fn golden() -> serde_json::Value {
    serde_json::from_str(include_str!("../golden/spectrum.json")).unwrap()
}

#[test]
fn atoms_are_sorted_merged_and_normalised() {
    let h =
        Spectrum::from_atoms(&[3.0, 1.0, 3.0, 7.0, 0.0], &[0.25, 0.25, 0.25, 0.0, 0.25]).unwrap();
    assert_eq!(h.atoms(), &[0.0, 1.0, 3.0]);
    assert_eq!(h.weights(), &[0.25, 0.25, 0.5]);
    assert_eq!((h.max(), h.min_positive(), h.weight_at_zero()), (3.0, 1.0, 0.25));
    assert_eq!((h.mean(), h.moment(0), h.moment(2)), (1.75, 1.0, 4.75));
    assert_eq!(h.eigenvalues_descending(), None);
    let h = h.with_dimension(8).unwrap();
    assert_eq!(h.multiplicities(), Some(vec![2, 2, 4]));
    let expanded = [3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 0.0, 0.0];
    assert_eq!(h.eigenvalues_descending().unwrap(), expanded);
    assert_eq!(Spectrum::from_eigenvalues(&expanded), Ok(h));
    assert_eq!(Spectrum::identity().weight_at_zero(), 0.0);
}

#[test]
fn ten_million_equal_weights_stay_exact() {
    // Adding 1/p ten million times would drift by 1e-10; counts do not.
    let h = Spectrum::power_law(0.0, 10_000_000).unwrap();
    assert_eq!((h.atoms(), h.weights(), h.dimension()), (&[1.0][..], &[1.0][..], Some(10_000_000)));
}

#[test]
fn bad_atoms_are_named() {
    let from = Spectrum::from_atoms;
    assert_eq!(from(&[1.0, 2.0], &[1.0]), Err(SpectrumError::Lengths { atoms: 2, weights: 1 }));
    assert_eq!(from(&[], &[]), Err(SpectrumError::Empty));
    assert_eq!(Spectrum::from_eigenvalues(&[]), Err(SpectrumError::Empty));
    assert_eq!(
        from(&[1.0, 2.0], &[1.5, -0.5]),
        Err(SpectrumError::BadWeight { index: 1, value: -0.5 })
    );
    assert!(matches!(
        from(&[1.0, 2.0], &[f64::NAN, 0.5]),
        Err(SpectrumError::BadWeight { index: 0, .. })
    ));
    assert!(matches!(
        from(&[1.0], &[f64::INFINITY]),
        Err(SpectrumError::BadWeight { index: 0, .. })
    ));
    assert_eq!(from(&[1.0, 2.0], &[0.5, 0.4]), Err(SpectrumError::WeightSum { sum: 0.9 }));
    assert!(matches!(
        from(&[1.0, f64::INFINITY], &[0.5, 0.5]),
        Err(SpectrumError::NotFinite { index: 1, .. })
    ));
    assert!(matches!(
        from(&[1.0, -1e-6], &[0.5, 0.5]),
        Err(SpectrumError::Negative { index: 1, .. })
    ));
    assert_eq!(from(&[0.0, 1.0], &[1.0, 0.0]), Err(SpectrumError::AllZero));
    let clipped = Spectrum::from_eigenvalues(&[1.0, -1e-12, -0.0]).unwrap();
    assert_eq!((clipped.clipped(), clipped.atoms()), (1, &[0.0, 1.0][..]));
    assert!(clipped.atoms()[0].is_sign_positive());
}

#[test]
fn dimensions_must_give_whole_multiplicities() {
    let h = || Spectrum::from_atoms(&[1.0, 2.0], &[0.25, 0.75]).unwrap();
    assert!(h().with_dimension(4).is_ok());
    for p in [0, 1, 2, 6] {
        let found = h().with_dimension(p);
        assert!(
            matches!(
                found,
                Err(SpectrumError::FractionalMultiplicity { .. } | SpectrumError::Parameter { .. })
            ),
            "{p}: {found:?}"
        );
    }
    assert!(matches!(
        Spectrum::identity().with_dimension(usize::MAX),
        Err(SpectrumError::Parameter { name: "dimension", .. })
    ));
}

#[test]
fn power_law_moments_are_zeta_values() {
    let p = 100_000;
    let h = Spectrum::power_law(2.0, p).unwrap();
    // Σ_{k≤p} k⁻² = π²/6 − 1/p + 1/(2p²) − 1/(6p³) + O(p⁻⁵), Σ k⁻⁴ = π⁴/90 − 1/(3p³) + O(p⁻⁴).
    let n = p as f64;
    let first = PI * PI / 6.0 - 1.0 / n + 0.5 / (n * n) - 1.0 / (6.0 * n * n * n);
    let second = PI.powi(4) / 90.0 - 1.0 / (3.0 * n * n * n);
    // Summing p positive terms errs by at most p ε, in practice √p ε.
    let tolerance = 10.0 * n.sqrt() * f64::EPSILON;
    assert!((h.mean() * n / first - 1.0).abs() < tolerance);
    assert!((h.moment(2) * n / second - 1.0).abs() < tolerance);
    assert_eq!((h.max(), h.min_positive()), (1.0, 1e-10));
    assert_eq!(h.eigenvalues_descending().unwrap()[1], 0.25);
}

#[test]
fn laws_reject_bad_parameters() {
    for exponent in [-0.1, f64::NAN, f64::INFINITY, 400.0] {
        assert!(
            matches!(
                Spectrum::power_law(exponent, 10),
                Err(SpectrumError::Parameter { name: "exponent", .. })
            ),
            "{exponent}"
        );
    }
    for r in [1.0, -1.0, 1.5, f64::NAN, f64::NEG_INFINITY] {
        assert!(
            matches!(
                Spectrum::ar1(r, 10),
                Err(SpectrumError::Parameter { name: "ar1 correlation", .. })
            ),
            "{r}"
        );
    }
    for p in [0, 10_000_001, usize::MAX] {
        let bad = |h| matches!(h, Err(SpectrumError::Parameter { name: "dimension", .. }));
        assert!(bad(Spectrum::power_law(1.0, p)) && bad(Spectrum::ar1(0.5, p)), "{p}");
    }
}

#[test]
fn ar1_equals_the_dense_matrix_in_sixty_digits() {
    for case in golden()["ar1"].as_array().unwrap() {
        let (r, p) = (case["r"].as_f64().unwrap(), case["p"].as_u64().unwrap() as usize);
        let exact: Vec<f64> = case["eigenvalues"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_str().unwrap().parse().unwrap())
            .collect();
        let mut found = Spectrum::ar1(r, p).unwrap().eigenvalues_descending().unwrap();
        found.reverse();
        for (f, e) in found.iter().zip(&exact) {
            // About ten roundings, each amplified by at most 2 (θ ↦ λ).
            assert!((f / e - 1.0).abs() < 2e-15, "r={r}, p={p}: {f} instead of {e}");
        }
    }
}

#[test]
fn ar1_satisfies_trace_norm_inverse_and_determinant() {
    let p = 20_000;
    let n = p as f64;
    for r in [0.1, -0.5, 0.9, -0.999, 1.0 - 1e-9] {
        let h = Spectrum::ar1(r, p).unwrap();
        // ‖R‖²_F = p + 2 Σ_m (p−m) r^{2m}; R⁻¹ has the diagonal (1, 1+r², …, 1+r², 1)/(1−r²);
        // det R = (1−r²)^{p−1}.
        let norm: f64 =
            n + 2.0 * (1..p).map(|m| (p - m) as f64 * r.abs().powi(2 * m as i32)).sum::<f64>();
        let rest = (1.0 - r) * (1.0 + r);
        let inverse = (n + (n - 2.0) * r * r) / rest;
        let log_det = (n - 1.0) * rest.ln();
        // Summation over p terms: √p ε of the sum of magnitudes, with room of a factor 20.
        let tolerance = 20.0 * n.sqrt() * f64::EPSILON;
        assert!((h.mean() - 1.0).abs() < tolerance, "trace, r={r}");
        assert!((h.moment(2) * n / norm - 1.0).abs() < tolerance, "norm, r={r}");
        assert!((h.integrate(|t| 1.0 / t) * n / inverse - 1.0).abs() < tolerance, "inverse, r={r}");
        let magnitude = h.integrate(|t| t.ln().abs()) * n;
        let difference = (h.integrate(f64::ln) * n - log_det).abs();
        assert!(difference < tolerance * magnitude, "determinant, r={r}");
    }
}

#[test]
fn ar1_agrees_with_the_dense_eigensolver() {
    let p = 150_usize;
    for r in [0.4_f64, -0.95] {
        let dense: Vec<f64> = (0..p * p).map(|i| r.powi((i / p).abs_diff(i % p) as i32)).collect();
        let exact = symmetric_eigenvalues(&dense, p).unwrap();
        let h = Spectrum::ar1(r, p).unwrap();
        for (f, e) in h.atoms().iter().zip(&exact) {
            assert!((f - e).abs() < 1e-13 * h.max(), "r={r}: {f} vs {e}");
        }
    }
    assert_eq!(Spectrum::ar1(0.0, 5).unwrap(), Spectrum::identity().with_dimension(5).unwrap());
    assert_eq!(Spectrum::ar1(-0.0, 1).unwrap().atoms(), &[1.0]);
}

/// n rows of p features whose centred covariance has exactly the given nonzero eigenvalues:
/// sampled cosines (orthogonal, mean zero), reflected into general position, shifted.
fn planted(n: usize, p: usize, variances: &[f64], offset: f64) -> DataMatrix {
    assert!(variances.len() <= p && 2 * variances.len() < n);
    let normal: Vec<f64> = (0..p).map(|j| ((3 * j + 1) as f64).sin()).collect();
    let square: f64 = normal.iter().map(|v| v * v).sum();
    let rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row = vec![0.0; p];
            for (k, variance) in variances.iter().enumerate() {
                let angle = 2.0 * PI * ((k + 1) * i % n) as f64 / n as f64;
                row[k] = (2.0 * variance).sqrt() * angle.cos();
            }
            let along: f64 = row.iter().zip(&normal).map(|(x, v)| x * v).sum();
            row.iter().zip(&normal).map(|(x, v)| offset + x - 2.0 * along / square * v).collect()
        })
        .collect();
    DataMatrix::from_rows(&rows).unwrap()
}

#[test]
fn covariance_recovers_planted_eigenvalues_tall_and_wide() {
    let variances: Vec<f64> = (0..12).map(|k| [9.0, 4.0, 4.0, 0.25][k % 4]).collect();
    let mut exact = variances.clone();
    exact.sort_by(f64::total_cmp);
    for (n, p) in [(60, 12), (60, 30), (60, 60), (40, 150), (25, 400)] {
        for offset in [0.0, 1e3] {
            let h = Spectrum::from_data(&planted(n, p, &variances, offset)).unwrap();
            assert_eq!(h.dimension(), Some(p));
            let mut found = h.eigenvalues_descending().unwrap();
            found.reverse();
            let (null, positive) = found.split_at(p - 12);
            assert!(null.iter().all(|&v| v == 0.0), "rank 12 at n={n}, p={p}");
            // Rounding of the data (offset ε against a standard deviation of 3) and of the
            // eigensolver.
            let tolerance = 9.0 * f64::EPSILON * (10.0 * n.max(p) as f64 + offset);
            for (f, e) in positive.iter().zip(&exact) {
                assert!((f - e).abs() < tolerance, "n={n}, p={p}: {f} instead of {e}");
            }
        }
    }
}

#[test]
fn wide_and_tall_routes_agree() {
    // Listing every row twice leaves the covariance as it is but makes 30×45 data tall.
    let value = |i: usize| ((i * i % 101) as f64).sqrt().sin();
    let wide: Vec<Vec<f64>> =
        (0..30).map(|i| (0..45).map(|j| value(i * 45 + j)).collect()).collect();
    let tall = [wide.clone(), wide.clone()].concat();
    let wide = Spectrum::from_data(&DataMatrix::from_rows(&wide).unwrap()).unwrap();
    let tall = Spectrum::from_data(&DataMatrix::from_rows(&tall).unwrap()).unwrap();
    let tolerance = 60.0 * f64::EPSILON * wide.max();
    let pairs = wide
        .eigenvalues_descending()
        .unwrap()
        .into_iter()
        .zip(tall.eigenvalues_descending().unwrap());
    for (a, b) in pairs {
        assert!((a - b).abs() < tolerance, "{a} vs {b}");
    }
    // Rank n − 1 = 29 of 45.
    assert_eq!(wide.with_dimension(45).unwrap().multiplicities().unwrap()[0], 16);
}

#[test]
fn covariance_scales_with_the_square_of_the_data() {
    let base = planted(30, 8, &[1.0, 2.0, 3.0], 0.0);
    let reference = Spectrum::from_data(&base).unwrap();
    for power in [-500, -40, 40, 500] {
        let factor = 2f64.powi(power);
        let values = base.values().iter().map(|v| v * factor).collect();
        let scaled = Spectrum::from_data(&DataMatrix::new(30, 8, values).unwrap()).unwrap();
        let back: Vec<f64> = scaled.atoms().iter().map(|t| t / factor / factor).collect();
        assert_eq!(back, reference.atoms(), "2^{power}");
    }
    for factor in [1e-300, 1e300] {
        let values = base.values().iter().map(|v| v * factor).collect();
        let result = Spectrum::from_data(&DataMatrix::new(30, 8, values).unwrap());
        assert!(matches!(result, Err(SpectrumError::Scale { .. })), "{factor}: {result:?}");
    }
}

#[test]
fn covariance_of_degenerate_data() {
    let from = |rows: &[Vec<f64>]| Spectrum::from_data(&DataMatrix::from_rows(rows).unwrap());
    assert_eq!(from(&[vec![1.0, 2.0]]), Err(SpectrumError::TooFewRows { rows: 1 }));
    // 0.1 summed and divided is not 0.1: equality must not be judged after centring by a mean.
    assert_eq!(from(&vec![vec![0.1, -0.3]; 7]), Err(SpectrumError::Constant { rows: 7 }));
    let constant_column: Vec<Vec<f64>> = (0..7).map(|i| vec![0.1, f64::from(i % 2)]).collect();
    let h = from(&constant_column).unwrap();
    assert_eq!(h.atoms()[0], 0.0);
    assert!((h.max() - 12.0 / 49.0).abs() < 1e-15 && h.weight_at_zero() == 0.5);
    let huge = DataMatrix::new(20_001, 20_001, vec![0.0; 1]).unwrap_err();
    assert!(huge.to_string().contains("20001×20001"));
}

#[test]
fn covariance_of_the_digits_equals_exact_integer_sums() {
    let facts = &golden()["digits"];
    let h = Spectrum::from_data(&digits()).unwrap();
    let found = h.eigenvalues_descending().unwrap();
    let leading = facts["leading_eigenvalues"].as_array().unwrap();
    for (f, e) in found.iter().zip(leading) {
        let e = e.as_f64().unwrap();
        // Both eigensolvers err by less than 784 ε λ_max ≈ 1e-12.
        assert!((f - e).abs() < 2e-12, "{f} instead of {e}");
    }
    let trace = facts["trace"].as_f64().unwrap();
    assert!((h.mean() * 784.0 - trace).abs() < 1e-12 * trace);
    let constant = facts["constant_pixels"].as_u64().unwrap() as usize;
    assert!(h.multiplicities().unwrap()[0] >= constant, "constant pixels carry no variance");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn ar1_interlaces_and_depends_on_the_magnitude_only(r in -0.999_f64..0.999, p in 1_usize..60) {
        let h = Spectrum::ar1(r, p).unwrap();
        prop_assert_eq!(&h, &Spectrum::ar1(-r, p).unwrap());
        // Cauchy: the eigenvalues of the leading (p×p) block separate those of size p + 1.
        let inner = h.eigenvalues_descending().unwrap();
        let outer = Spectrum::ar1(r, p + 1).unwrap().eigenvalues_descending().unwrap();
        let slack = 1e-14;
        for k in 0..p {
            prop_assert!(outer[k] >= inner[k] * (1.0 - slack));
            prop_assert!(inner[k] >= outer[k + 1] * (1.0 - slack));
        }
    }

    #[test]
    fn constructors_never_panic(
        atoms in proptest::collection::vec(proptest::num::f64::ANY, 0..6),
        weights in proptest::collection::vec(proptest::num::f64::ANY, 0..6),
        p in 0_usize..50,
    ) {
        let _ = Spectrum::from_atoms(&atoms, &weights);
        if let Ok(h) = Spectrum::from_eigenvalues(&atoms) {
            prop_assert!(h.min_positive() > 0.0 && h.max() >= h.min_positive());
            let _ = h.with_dimension(p);
        }
    }
}
