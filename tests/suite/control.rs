//! Control variates (M13): variance, coverage and freedom from bias on synthetic data.

use rootrate::montecarlo::{Moments, MonteCarloError, Sample, Stream, control_variate};

fn sample(values: Vec<f64>) -> Sample {
    Sample::new(0, values).unwrap()
}

/// `count` normals of replicate `replicate` of test stream 2510.
fn normals(replicate: u32, count: usize) -> Vec<f64> {
    let mut z = vec![0.0; count];
    Stream::new(1, 2510, replicate).fill_normal_f64(&mut z);
    z
}

/// y = 2 + ρ₁x₁ + ρ₂x₂ + τe with independent standard normals, controls known up to a shift:
/// Var y over the residual variance is 1/τ². With R = 40,000 the ratio of the two estimated
/// variances has a relative standard deviation below √(4/R) = 1 %; 5 % are five of them.
#[test]
fn the_variance_falls_by_the_unexplained_part() {
    const R: usize = 40_000;
    let z = normals(0, 3 * R);
    for (rho1, rho2) in [(0.6, 0.0), (0.6, 0.7), (0.0, 0.0)] {
        let tau = f64::sqrt(1.0 - rho1 * rho1 - rho2 * rho2);
        let (x1, rest) = z.split_at(R);
        let (x2, e) = rest.split_at(R);
        let y = (0..R).map(|i| 2.0 + rho1 * x1[i] + rho2 * x2[i] + tau * e[i]).collect();
        let first = sample(x1.iter().map(|x| 5.0 + 3.0 * x).collect());
        let second = sample(x2.iter().map(|x| -1.0 + 0.1 * x).collect());
        let controlled = control_variate(&sample(y), &[(&first, 5.0), (&second, -1.0)]).unwrap();
        let expected = 1.0 / (tau * tau);
        assert!(
            (controlled.variance_reduction / expected - 1.0).abs() < 0.05,
            "{} {expected}",
            controlled.variance_reduction
        );
        let mean = controlled.sampled;
        assert!((mean.mean - 2.0).abs() < 5.0 * mean.standard_error);
        assert!((mean.standard_error / (tau / (R as f64).sqrt()) - 1.0).abs() < 0.025);
        for beta in &controlled.coefficients {
            // standard deviation of a slope: τ/√(R/2) over the control's scale
            assert!((beta[0] - rho1 / 3.0).abs() < 5.0 * tau / 141.0 / 3.0, "{beta:?}");
            assert!((beta[1] - rho2 / 0.1).abs() < 5.0 * tau / 141.0 / 0.1, "{beta:?}");
        }
    }
}

/// The adjusted mean of y = x² with the control x, 32 replicates, 8,000 times. With one β for
/// all replicates the mean is off by −E[x²(x² − 1)]/R = −2/32; split in two it is not. The mean
/// of the trials has the standard deviation √(2·1.3/(32·8000)) = 0.0032, five of which the test
/// allows, and the defect of the unsplit estimator is about twenty of them.
#[test]
fn the_split_mean_is_unbiased_for_few_replicates() {
    const R: usize = 32;
    const TRIALS: usize = 8_000;
    let (mut split, mut joint) = (Moments::default(), Moments::default());
    let z = normals(1, R * TRIALS);
    for x in z.chunks(R) {
        let y: Vec<f64> = x.iter().map(|x| x * x).collect();
        let (mx, my) = (Moments::of(x).mean(), Moments::of(&y).mean());
        let sxy: f64 = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
        let sxx: f64 = x.iter().map(|x| (x - mx) * (x - mx)).sum();
        joint.push(my - sxy / sxx * mx);
        let control = sample(x.to_vec());
        split.push(control_variate(&sample(y), &[(&control, 0.0)]).unwrap().sampled.mean);
    }
    assert!((split.mean() - 1.0).abs() < 0.016, "{}", split.mean());
    assert!(joint.mean() < 1.0 - 0.04, "{}", joint.mean());
}

/// Intervals of two standard errors around the adjusted mean of y = sin x + cos x + e/2, 200
/// replicates: they cover 95.11 % of 40,000 runs of the same recipe by other software and random
/// numbers (its own error is 0.11 %; the normal law says 95.45 %). Of 4,000 trials the coverage
/// has a standard deviation of 0.34 %; five of each are allowed.
#[test]
fn its_intervals_cover() {
    const R: usize = 200;
    const TRIALS: usize = 4_000;
    let z = normals(2, 2 * R * TRIALS);
    let covered = z
        .chunks(2 * R)
        .filter(|z| {
            let (x, e) = z.split_at(R);
            let y = sample(x.iter().zip(e).map(|(x, e)| x.sin() + x.cos() + 0.5 * e).collect());
            let control = sample(x.to_vec());
            let mean = control_variate(&y, &[(&control, 0.0)]).unwrap().sampled;
            (mean.mean - (-0.5_f64).exp()).abs() <= 2.0 * mean.standard_error
        })
        .count();
    let rate = covered as f64 / TRIALS as f64;
    assert!((rate - 0.9511).abs() < 0.017 + 0.0055, "{rate}");
}

#[test]
fn without_controls_it_is_the_plain_mean() {
    let y = sample(normals(3, 1000));
    let (plain, controlled) = (y.sampled().unwrap(), control_variate(&y, &[]).unwrap());
    assert!((plain.mean - controlled.sampled.mean).abs() < 1e-15);
    // within the halves instead of within the whole: a relative change of order 1/R
    assert!((controlled.variance_reduction - 1.0).abs() < 0.01);
    // a target that the control determines
    let double = sample(y.values().iter().map(|y| 3.0 + 2.0 * y).collect());
    let exact = control_variate(&double, &[(&y, 0.0)]).unwrap();
    assert!((exact.sampled.mean - 3.0).abs() < 1e-14 && exact.variance_reduction > 1e20);
}

#[test]
fn bad_controls_are_refused() {
    use MonteCarloError as E;
    let y = sample(normals(4, 100));
    let x = sample(normals(5, 100));
    let twice = sample(x.values().iter().map(|x| 2.0 * x).collect());
    let still = sample(vec![1.0; 100]);
    let refused = |controls: &[(&Sample, f64)]| control_variate(&y, controls).unwrap_err();
    assert_eq!(refused(&[(&still, 1.0)]), E::Collinear { index: 0 });
    assert_eq!(refused(&[(&x, 0.0), (&twice, 0.0)]), E::Collinear { index: 1 });
    assert!(matches!(refused(&[(&x, f64::NAN)]), E::Element { index: 0, .. }));
    let short = sample(normals(6, 99));
    assert!(matches!(refused(&[(&short, 0.0)]), E::Length { found: 99, expected: 100, .. }));
    let later = Sample::new(1, normals(7, 100)).unwrap();
    assert!(matches!(refused(&[(&later, 0.0)]), E::NotContiguous { .. }));
    let few = sample(normals(8, 31));
    let error = control_variate(&few, &[(&few, 0.0)]).unwrap_err();
    assert_eq!(error, E::TooFewReplicates { found: 31, needed: 32 });
}
