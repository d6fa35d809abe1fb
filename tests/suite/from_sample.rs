//! From one sample back to the effective ridge and the risk: against the definitions, refitting,
//! and the truth of simulated data.

use proptest::prelude::*;
use rootrate::data::DataMatrix;
use rootrate::learning::{CrossValidation, Ridge, SampleSpectrum, Signal};
use rootrate::montecarlo::Streams;
use rootrate::numeric::linalg::{cholesky_solve, gram};
use rootrate::spectrum::Spectrum;

/// n×p standard normals times the column scales, then n normals of the noise.
fn normals(n: usize, scales: &[f64], seed: u64) -> (DataMatrix, Vec<f64>) {
    let mut stream = Streams { seed, experiment: 7700 }.replicate(0);
    let mut x = vec![0.0; n * scales.len()];
    let mut noise = vec![0.0; n];
    stream.fill_normal_f64(&mut x);
    stream.fill_normal_f64(&mut noise);
    for row in x.chunks_mut(scales.len()) {
        row.iter_mut().zip(scales).for_each(|(x, s)| *x *= s);
    }
    (DataMatrix::new(n, scales.len(), x).unwrap(), noise)
}

fn target(x: &DataMatrix, noise: &[f64]) -> Vec<f64> {
    (0..x.rows()).map(|i| x.row(i).iter().sum::<f64>() + noise[i] + 3.0).collect()
}

/// Prediction for `at` of the ridge with intercept on some rows, summed-loss penalty `penalty`,
/// by the normal equations.
fn predict(x: &DataMatrix, y: &[f64], rows: &[usize], penalty: f64, at: &[f64]) -> f64 {
    let (n, p) = (rows.len() as f64, x.cols());
    let mean: Vec<f64> =
        (0..p).map(|j| rows.iter().map(|&i| x.row(i)[j]).sum::<f64>() / n).collect();
    let level = rows.iter().map(|&i| y[i]).sum::<f64>() / n;
    let centred: Vec<f64> =
        rows.iter().flat_map(|&i| x.row(i).iter().zip(&mean).map(|(x, m)| x - m)).collect();
    let mut a = gram(&centred, rows.len(), p).unwrap();
    (0..p).for_each(|j| a[j * p + j] += penalty);
    let mut w = vec![0.0; p];
    for (row, &i) in centred.chunks(p).zip(rows) {
        w.iter_mut().zip(row).for_each(|(w, x)| *w += x * (y[i] - level));
    }
    cholesky_solve(&mut a, p, &mut w, 1).unwrap();
    level + at.iter().zip(&mean).zip(&w).map(|((x, m), w)| (x - m) * w).sum::<f64>()
}

/// Both sides of n = p: the training error, and the leave-one-out error by n refits (G5).
#[test]
fn leave_one_out_is_refitting() {
    for (n, p) in [(30, 8), (12, 20)] {
        let (x, noise) = normals(n, &vec![1.0; p], 1);
        let y = target(&x, &noise);
        let fit = CrossValidation::new(&x, &y).unwrap();
        for ridge in [1e-3, 0.3, 10.0] {
            let point = fit.point(ridge).unwrap();
            let penalty = ridge * (n - 1) as f64;
            let all: Vec<usize> = (0..n).collect();
            let (mut train, mut left_out) = (0.0, 0.0);
            for i in 0..n {
                let others: Vec<usize> = all.iter().copied().filter(|&k| k != i).collect();
                train += (y[i] - predict(&x, &y, &all, penalty, x.row(i))).powi(2) / n as f64;
                left_out += (y[i] - predict(&x, &y, &others, penalty, x.row(i))).powi(2) / n as f64;
            }
            // the normal equations lose their condition number, below 1e5
            assert!((point.train / train - 1.0).abs() < 1e-9, "{n} {p} {ridge}");
            assert!((point.leave_one_out.value / left_out - 1.0).abs() < 1e-9, "{n} {p} {ridge}");
            // (G4): GCV = train/(1 − (1 + df1)/n)²
            let share = 1.0 - (1.0 + point.sample.df1.value) / n as f64;
            assert!((point.gcv.value / (train / share.powi(2)) - 1.0).abs() < 1e-9);
        }
        // the limit ρ → 0 is continuous, interpolation included
        let (zero, near) = (fit.point(0.0).unwrap(), fit.point(1e-9).unwrap());
        assert!((zero.gcv.value / near.gcv.value - 1.0).abs() < 1e-6);
        assert!((zero.leave_one_out.value / near.leave_one_out.value - 1.0).abs() < 1e-6);
        assert_eq!(zero.train < 1e-20, n < p);
    }
}

/// κ̂ = κ, df̂ = df where the population is known, at one large sample: relative error O(1/n).
#[test]
fn gaussian_samples_reveal_their_population() {
    let p = 200;
    let eigenvalues: Vec<f64> = (1..=p).map(|k| 1.0 / k as f64).collect();
    let scales: Vec<f64> = eigenvalues.iter().map(|l| l.sqrt()).collect();
    let spectrum = Spectrum::from_eigenvalues(&eigenvalues).unwrap();
    let learner = Ridge::new(&spectrum, p, &Signal::Flat { power: p as f64 }, 1.0).unwrap();
    for n in [101, 401] {
        let (x, noise) = normals(n, &scales, 2);
        let fit = CrossValidation::new(&x, &target(&x, &noise)).unwrap();
        for ridge in [1e-3, 0.01, 0.1] {
            let truth = learner.curve_point((n - 1) as f64, ridge).unwrap();
            let point = fit.point(ridge).unwrap();
            // a linear statistic of the spectrum has a spread of order 1/n: four of √2/n
            let close = |a: f64, b: f64| (a / b - 1.0).abs() < 6.0 / n as f64;
            assert!(close(point.sample.kappa.value, truth.kappa.value), "{n} {ridge}");
            assert!(close(point.sample.df1.value, truth.df1.value), "{n} {ridge}");
            // its derivative varies more
            assert!((point.sample.df2.value / truth.df2.value - 1.0).abs() < 12.0 / n as f64);
            // risk and noise together, to five standard errors
            let error = truth.risk.value + 1.0;
            assert!((point.gcv.value - error).abs() < 5.0 * point.gcv.estimate, "{n} {ridge}");
            assert!(
                (point.gcv.value / error - 1.0).abs() < 0.5,
                "{n}: an estimate that says something"
            );
        }
    }
}

#[test]
fn closed_forms_of_the_sums() {
    // equal eigenvalues: κ̂ = λ + ρ, df1 = nλ/(λ+ρ), and no spread, df2 = 0
    let equal = SampleSpectrum::new(&[2.0; 8], 8).unwrap();
    let point = equal.point(1.0).unwrap();
    assert!(point.kappa.contains(3.0) && point.df2.contains(0.0));
    assert!((point.df1.value - 16.0 / 3.0).abs() <= point.df1.radius + 1e-15);
    // half zeros: κ̂ = 2/(1/3 + 1), Σq = 4(1/3 + 1), Σq² = 4(1/9 + 1)
    let half = SampleSpectrum::new(&[2.0, 2.0, 2.0, 2.0, 0.0, 0.0], 8).unwrap();
    let point = half.point(1.0).unwrap();
    assert!((point.kappa.value - 1.5).abs() <= point.kappa.radius);
    assert!((point.df2.value - (8.0 - (16.0_f64 / 3.0).powi(2) / (40.0 / 9.0))).abs() < 1e-14);
    assert!(point.df2.relative_radius() < 1e-13);
    // no penalty
    assert_eq!(half.point(0.0).unwrap().df1.value, 4.0);
    assert_eq!(half.point(0.0).unwrap().kappa.value, 0.0);
    let full = SampleSpectrum::new(&[1.0, 0.5, 0.25], 3).unwrap().point(0.0).unwrap();
    assert!((full.kappa.value - 3.0 / 7.0).abs() <= full.kappa.radius);
    assert!((full.df2.value - (3.0 - 49.0 / 21.0)).abs() < 1e-15);
    for bad in [&[][..], &[0.0], &[1.0; 4], &[-1.0], &[f64::NAN], &[1e-200]] {
        assert!(SampleSpectrum::new(bad, 3).is_err(), "{bad:?}");
    }
    for bad in [-1.0, f64::NAN, f64::INFINITY, 1e-200] {
        assert!(half.point(bad).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// df2 ≤ df1 ≤ n, κ̂ ≥ ρ, and 1 − df̂2/n = 1/(dκ̂/dρ) by a symmetric difference.
    #[test]
    fn inequalities_and_the_derivative(
        exponents in prop::collection::vec(-3.0..3.0_f64, 2..30), extra in 0usize..20,
        log_ridge in -3.0..3.0_f64,
    ) {
        let eigenvalues: Vec<f64> = exponents.iter().map(|e| 10f64.powf(*e)).collect();
        let n = eigenvalues.len() + extra;
        let sample = SampleSpectrum::new(&eigenvalues, n).unwrap();
        let ridge = 10f64.powf(log_ridge);
        let point = sample.point(ridge).unwrap();
        prop_assert!(point.kappa.value >= ridge * (1.0 - 1e-15));
        prop_assert!(point.df2.value <= point.df1.value * (1.0 + 1e-12) + 1e-12);
        prop_assert!(point.df1.value <= n as f64 && point.df1.relative_radius() < 1e-13);
        let step = 1e-4 * ridge;
        let up = sample.point(ridge + step).unwrap().kappa.value;
        let down = sample.point(ridge - step).unwrap().kappa.value;
        let slope = (up - down) / (2.0 * step);
        // second order in the relative step, and rounding of κ̂ over the step
        let tolerance = 1e-6 + 1e-11 * point.kappa.value / ridge;
        prop_assert!((1.0 / slope - (1.0 - point.df2.value / n as f64)).abs() < tolerance);
    }
}

#[test]
fn bad_data_are_named() {
    let x = DataMatrix::new(4, 1, vec![0.0, 1.0, 2.0, 4.0]).unwrap();
    let message = |y: &[f64]| CrossValidation::new(&x, y).unwrap_err().to_string();
    assert!(message(&[1.0; 3]).contains("responses"));
    assert!(message(&[1.0, f64::NAN, 0.0, 0.0]).contains("response"));
    let constant = DataMatrix::new(4, 1, vec![0.1; 4]).unwrap();
    assert!(CrossValidation::new(&constant, &[1.0; 4]).unwrap_err().to_string().contains("vary"));
    let two = DataMatrix::new(2, 1, vec![0.0, 1.0]).unwrap();
    assert!(CrossValidation::new(&two, &[1.0; 2]).unwrap_err().to_string().contains("at least 3"));
    // the only row in which a feature varies has leverage 1: nothing predicts it
    let lone = DataMatrix::new(4, 1, vec![0.0, 0.0, 0.0, 1.0]).unwrap();
    let fit = CrossValidation::new(&lone, &[1.0, 2.0, 3.0, 4.0]).unwrap();
    assert!(fit.point(0.1).is_ok());
}
