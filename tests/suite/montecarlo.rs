//! Replicated experiments: the draw against another solver, determinism, and theory (M5, M6).

use std::sync::atomic::{AtomicU64, Ordering};

use nalgebra::{DMatrix, DVector};
use rootrate::evidence::{Certified, Sampled};
use rootrate::montecarlo::{
    Comparison, CpuEngine, Draws, Engine, Experiment, MonteCarloError, NoiseKind, Precision,
    RandomFeaturesExperiment, RidgeExperiment, Sample, Scratch, Stream, Streams, TwoPoint,
    family_threshold, finite_size_check,
};

const STREAMS: Streams = Streams { seed: 2024, experiment: 5 };

fn simulate(experiment: &RidgeExperiment, replicates: u64) -> Sampled {
    CpuEngine::DOUBLE
        .run(experiment, STREAMS, 0..replicates, &|_, _| ())
        .unwrap()
        .column(0)
        .unwrap()
        .sampled()
        .unwrap()
}

fn two_point() -> TwoPoint {
    TwoPoint::new(0.25, 0.6).unwrap()
}

/// Σ_k = k^{−0.8} and w_k² ∝ k^{−0.5}, signal variance w*ᵀΣw* = 1.
fn power_law(p: usize) -> (Vec<f64>, Vec<f64>) {
    let total: f64 = (1..=p).map(|k| (k as f64).powf(-1.3)).sum();
    let eigenvalues = (1..=p).map(|k| (k as f64).powf(-0.8)).collect();
    let signal = (1..=p).map(|k| ((k as f64).powf(-0.5) / total).sqrt()).collect();
    (eigenvalues, signal)
}

/// The risk from the documented draws by a singular value decomposition: pseudo-inverse for
/// ρ = 0, filter s/(s² + nρ) otherwise.
fn by_singular_values(
    (eigenvalues, signal): (&[f64], &[f64]),
    (n, ridge, tau2): (usize, f64, f64),
    kind: NoiseKind,
    replicate: u32,
) -> f64 {
    let p = eigenvalues.len();
    let mut stream = Stream::new(STREAMS.seed, STREAMS.experiment, replicate);
    let (mut z, mut noise) = (vec![0.0; n * p], vec![0.0; n]);
    stream.fill_normal_f64(&mut z);
    stream.fill_normal_f64(&mut noise);
    let (low, weight) = (0.25, 0.6);
    let scales: Vec<f64> = (0..n)
        .map(|_| match kind {
            NoiseKind::Homoscedastic => 1.0,
            _ if f64::from(stream.next_u32()) < (weight * 2.0_f64.powi(32)).floor() => low,
            _ => (1.0 - weight * low) / (1.0 - weight),
        })
        .collect();
    let elliptical = matches!(kind, NoiseKind::Elliptical(_) | NoiseKind::FeatureDependent(_));
    let noisy = matches!(kind, NoiseKind::Heteroscedastic(_) | NoiseKind::FeatureDependent(_));
    let features = DMatrix::from_fn(n, p, |i, k| {
        let scale = if elliptical { scales[i] } else { 1.0 };
        z[i * p + k] * (scale * eigenvalues[k]).sqrt()
    });
    let w = DVector::from_column_slice(signal);
    let mut targets = &features * &w;
    for i in 0..n {
        targets[i] += (tau2 * if noisy { scales[i] } else { 1.0 }).sqrt() * noise[i];
    }
    let svd = features.svd(true, true);
    let mut filtered = svd.u.unwrap().transpose() * targets;
    for (c, s) in filtered.iter_mut().zip(svd.singular_values.iter()) {
        *c *= s / (s * s + n as f64 * ridge);
    }
    let estimate = svd.v_t.unwrap().transpose() * filtered;
    (0..p).map(|k| eigenvalues[k] * (estimate[k] - w[k]).powi(2)).sum()
}

/// Both shapes, with and without a ridge, all kinds of noise. The condition number of these
/// normal equations is below 10⁶, hence 1e-9 relative.
#[test]
fn a_replicate_equals_the_singular_value_solution() {
    let (eigenvalues, signal) = power_law(12);
    for kind in [
        NoiseKind::Homoscedastic,
        NoiseKind::Heteroscedastic(two_point()),
        NoiseKind::Elliptical(two_point()),
        NoiseKind::FeatureDependent(two_point()),
    ] {
        for (n, ridge) in [(7, 0.0), (7, 0.05), (12, 0.05), (30, 0.0), (30, 0.2)] {
            let experiment =
                RidgeExperiment::new(&eigenvalues, &signal, n, ridge, 0.3, kind).unwrap();
            let sample = CpuEngine::DOUBLE
                .run(&experiment, STREAMS, 10..20, &|_, _| ())
                .unwrap()
                .column(0)
                .unwrap();
            assert_eq!(sample.first(), 10);
            for (replicate, &risk) in (10..).zip(sample.values()) {
                let expected =
                    by_singular_values((&eigenvalues, &signal), (n, ridge, 0.3), kind, replicate);
                assert!((risk / expected - 1.0).abs() < 1e-9, "{kind:?} {n} {ridge}: {risk}");
            }
        }
    }
}

/// 1, 2 and 3 threads, and shards of one range, give the same bits; progress counts to the end.
#[test]
fn results_do_not_depend_on_threads_or_shards() {
    let (eigenvalues, signal) = power_law(150);
    let experiment =
        RidgeExperiment::new(&eigenvalues, &signal, 160, 0.1, 0.3, NoiseKind::Homoscedastic)
            .unwrap();
    let run = |range: std::ops::Range<u64>| {
        let total = range.end - range.start;
        let most = AtomicU64::new(0);
        let sample = CpuEngine::DOUBLE
            .run(&experiment, STREAMS, range, &|done, of| {
                assert_eq!(of, total);
                most.fetch_max(done, Ordering::Relaxed);
            })
            .unwrap()
            .column(0)
            .unwrap();
        assert_eq!(most.into_inner(), total);
        sample
    };
    let bits = |sample: &Sample| sample.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let whole = run(0..40);
    for threads in 1..=3 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(bits(&pool.install(|| run(0..40))), bits(&whole), "{threads} threads");
    }
    let mut shards = run(0..13);
    shards.append(&run(13..31)).unwrap();
    shards.append(&run(31..40)).unwrap();
    assert_eq!(bits(&shards), bits(&whole));
    assert_eq!(shards.sampled(), whole.sampled());
    let error = shards.append(&run(39..41)).unwrap_err();
    assert_eq!(error, MonteCarloError::NotContiguous { expected: 40, found: 39 });
}

/// Least squares on Gaussian features: E risk = τ² p/(n − p − 1) exactly, for any Σ and any
/// noise independent of the features (M6). Family rate 1e-4, no allowance.
#[test]
fn least_squares_has_its_exact_mean_when_noise_is_independent() {
    let (eigenvalues, signal) = power_law(8);
    let exact = Certified::new(0.3 * 8.0 / (40.0 - 9.0), 1e-15).into();
    let threshold = family_threshold(1e-4, 2).unwrap();
    let mean = |kind| {
        let experiment = RidgeExperiment::new(&eigenvalues, &signal, 40, 0.0, 0.3, kind).unwrap();
        Comparison::new(exact, simulate(&experiment, 20_000), 0.0).unwrap()
    };
    assert!(mean(NoiseKind::Homoscedastic).agrees(threshold));
    assert!(mean(NoiseKind::Heteroscedastic(two_point())).agrees(threshold));
    // Noise that depends on the features breaks decoupling, and the test sees it.
    let coupled = mean(NoiseKind::FeatureDependent(two_point()));
    assert!(coupled.z > 20.0, "{}", coupled.z);
}

/// Fixed p, n → ∞: the sandwich formula gives τ² p/n · E s² for noise that follows the feature
/// scale, against τ² p/n decoupled. The correction is O(p/n) relative, 2 % here at n = 1000;
/// 4000 replicates have a standard error of 1.6 %, and the effect is E s² = 1.84.
#[test]
fn the_decoupling_defect_of_elliptical_features_is_the_second_moment_of_the_scale() {
    let kind = NoiseKind::FeatureDependent(two_point());
    let experiment = RidgeExperiment::new(&[1.0, 2.0], &[0.0; 2], 1000, 0.0, 1.0, kind).unwrap();
    let limit = 2.0 / 1000.0 * two_point().second_moment();
    let theory = Certified::new(limit, 0.0).into();
    let comparison = Comparison::new(theory, simulate(&experiment, 4000), 0.02 * limit).unwrap();
    assert!(comparison.agrees(1e-4), "{comparison:?}");
    assert!((two_point().second_moment() - 1.84375).abs() < 1e-12);
}

/// The deterministic equivalent κ = ρ + κ df1/n, risk = (κ² Σ w²λ/(λ+κ)² + τ² df2/n)/(1 − df2/n),
/// with κ by bisection.
fn equivalent(eigenvalues: &[f64], signal: &[f64], n: usize, ridge: f64, tau2: f64) -> f64 {
    let n = n as f64;
    let sum = |f: &dyn Fn(f64, f64) -> f64| {
        eigenvalues.iter().zip(signal).map(|(&l, &w)| f(l, w)).sum::<f64>()
    };
    let (mut low, mut high) = (0.0, ridge + eigenvalues.iter().sum::<f64>());
    for _ in 0..200 {
        let kappa = 0.5 * (low + high);
        if kappa - ridge - kappa / n * sum(&|l, _| l / (l + kappa)) < 0.0 {
            low = kappa;
        } else {
            high = kappa;
        }
    }
    let kappa = 0.5 * (low + high);
    let df2 = sum(&|l, _| (l / (l + kappa)).powi(2));
    let bias = kappa * kappa * sum(&|l, w| w * w * l / (l + kappa).powi(2));
    (bias + tau2 * df2 / n) / (1.0 - df2 / n)
}

/// The power-law learner of p = 200: values of the theory to the digits published with it, and
/// simulations within an allowance of 2/n relative for the finite size. Family rate 1e-3.
#[test]
fn power_law_ridge_agrees_with_its_deterministic_equivalent() {
    let (eigenvalues, signal) = power_law(200);
    let threshold = family_threshold(1e-3, 2).unwrap();
    for (n, ridge, digits, replicates) in [(100, 1e-3, 0.4376, 300), (400, 0.1, 0.18318, 100)] {
        let theory = equivalent(&eigenvalues, &signal, n, ridge, 0.3);
        assert!((theory - digits).abs() < 5e-5, "{theory}");
        let kind = NoiseKind::Homoscedastic;
        let experiment = RidgeExperiment::new(&eigenvalues, &signal, n, ridge, 0.3, kind).unwrap();
        let simulation = simulate(&experiment, replicates);
        let allowance = 2.0 / n as f64 * theory;
        let comparison =
            Comparison::new(Certified::new(theory, 0.0).into(), simulation, allowance).unwrap();
        assert!(comparison.agrees(threshold), "{comparison:?}");
        assert!(simulation.standard_error < 0.03 * theory);
    }
}

/// Isotropic ridge at p = n/2, n = 32, 64, 128: the difference decays like 1/n to zero (family
/// rate 1e-3). The same check rejects the equivalent without its factor 1/(1 − df2/n).
#[test]
fn the_equivalent_errs_by_order_one_over_n() {
    let sizes = [32, 64, 128];
    let (mut simulations, mut theory, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for (n, replicates) in sizes.into_iter().zip([20_000, 8000, 3000]) {
        let p = n / 2;
        let (eigenvalues, signal) = (vec![1.0; p], vec![(1.0 / p as f64).sqrt(); p]);
        let kind = NoiseKind::Homoscedastic;
        let experiment = RidgeExperiment::new(&eigenvalues, &signal, n, 0.1, 0.3, kind).unwrap();
        simulations.push(simulate(&experiment, replicates));
        let value = equivalent(&eigenvalues, &signal, n, 0.1, 0.3);
        theory.push(value);
        wrong.push(0.97 * value);
    }
    let outcome = finite_size_check(&sizes, &simulations, &theory).unwrap();
    assert!(outcome.passes(1e-3).unwrap(), "{outcome:?}");
    // Power: an error of 3 % of the value is found with probability 0.99.
    assert!(outcome.detectable(1e-3, 0.99).unwrap() < 0.03 * theory[2], "{outcome:?}");
    assert!(!finite_size_check(&sizes, &simulations, &wrong).unwrap().passes(1e-3).unwrap());
}

#[test]
fn bad_experiments_are_refused_with_a_reason() {
    use MonteCarloError as E;
    let make = |eigenvalues: &[f64], signal: &[f64], n, ridge, tau2| {
        RidgeExperiment::new(eigenvalues, signal, n, ridge, tau2, NoiseKind::Homoscedastic)
    };
    assert!(matches!(make(&[1.0], &[1.0, 2.0], 9, 0.1, 1.0), Err(E::Length { .. })));
    assert!(matches!(make(&[1.0, -1.0], &[1.0; 2], 9, 0.1, 1.0), Err(E::Element { .. })));
    assert!(matches!(make(&[f64::NAN], &[1.0], 9, 0.1, 1.0), Err(E::Element { .. })));
    assert!(matches!(make(&[1.0], &[f64::INFINITY], 9, 0.1, 1.0), Err(E::Element { .. })));
    for (n, ridge, tau2) in [(0, 0.1, 1.0), (9, -0.1, 1.0), (9, f64::NAN, 1.0), (9, 0.1, -1.0)] {
        assert!(matches!(make(&[1.0], &[1.0], n, ridge, tau2), Err(E::Parameter { .. })));
    }
    assert!(matches!(make(&[], &[], 9, 0.1, 1.0), Err(E::Parameter { .. })));
    assert!(matches!(make(&[0.0], &[1.0], 9, 0.1, 1.0), Err(E::Parameter { .. })));
    assert!(matches!(make(&[1.0; 2], &[1.0; 2], usize::MAX, 0.1, 1.0), Err(E::TooLarge { .. })));
    assert!(matches!(make(&[1.0; 9], &[1.0; 9], 12, 0.0, 1.0), Err(E::InfiniteVariance { .. })));
    // A direction without features counts neither towards p nor towards the risk.
    let mut eigenvalues = vec![1.0; 10];
    eigenvalues[9] = 0.0;
    let padded = make(&eigenvalues, &[0.2; 10], 13, 0.0, 1.0).unwrap();
    assert_eq!(padded, make(&[1.0; 9], &[0.2; 9], 13, 0.0, 1.0).unwrap());

    let run = |experiment: &RidgeExperiment, range| {
        CpuEngine::DOUBLE.run(experiment, STREAMS, range, &|_, _| ()).unwrap_err()
    };
    for range in [5..5, 0..u64::MAX, (1 << 32)..(1 << 32) + 1] {
        assert!(matches!(run(&padded, range), E::ReplicateRange { .. }));
    }
    // Overflow and loss of digits are errors that name the replicate, never a number.
    let huge = make(&[1e308, 1.0], &[1e200, 1.0], 9, 0.1, 1.0).unwrap();
    assert!(matches!(run(&huge, 3..5), E::Linalg { replicate: 3, .. }));
    // Nine samples in ten have features scaled by 1e-7: too few are left to determine 10 weights.
    let scale = NoiseKind::Elliptical(TwoPoint::new(1e-14, 0.9).unwrap());
    let near_singular =
        RidgeExperiment::new(&[1.0; 10], &[1.0; 10], 14, 1e-18, 1.0, scale).unwrap();
    let error = run(&near_singular, 3..9);
    assert!(matches!(error, E::IllConditioned { .. }), "{error}");

    assert!(matches!(TwoPoint::new(0.0, 0.5), Err(E::Parameter { .. })));
    assert!(matches!(TwoPoint::new(0.5, 1.0), Err(E::Parameter { .. })));
    assert!(matches!(TwoPoint::new(f64::NAN, 0.5), Err(E::Parameter { .. })));
}

/// Single-precision arithmetic against double precision on the same variates, replicates that
/// are kept. With a penalty no relative error exceeds its doubt, both shapes, all kinds of noise,
/// random features. The doubt is an estimate: next to interpolation, where a pivot is a poor
/// measure of the smallest eigenvalue, one replicate in 500 exceeds it (44 of 18,908 with n = 36,
/// by at most 5.4 times); more than 4 of 100 would be a rate of 1.6e-7. A risk that is rounding
/// alone is never kept. Other units, powers of two apart down to where single precision would
/// underflow, give the same risks and doubts.
#[test]
fn single_precision_replicates_err_by_less_than_their_doubt() {
    let (eigenvalues, signal) = power_law(40);
    let ridge = |n, ridge, tau2, kind| -> Box<dyn Experiment> {
        Box::new(RidgeExperiment::new(&eigenvalues, &signal, n, ridge, tau2, kind).unwrap())
    };
    let features = |n, p| -> Box<dyn Experiment> {
        let made = RandomFeaturesExperiment::new(&eigenvalues, &signal, n, p, 0.5, 0.3);
        Box::new(made.unwrap())
    };
    let evaluate = |experiment: &dyn Experiment, replicate| {
        let (mut scratch, mut single, mut double) = (Scratch::default(), [0.0], [0.0]);
        let stream = || Stream::new(7, 2100, replicate);
        let doubt = experiment.evaluate_single(&mut scratch, stream(), &mut single).unwrap();
        let draws = Draws::new(stream(), Precision::Single);
        experiment.evaluate(&mut scratch, draws, &mut double).unwrap();
        (doubt, single[0], double[0])
    };
    // How many of 100 are kept, and how many of those err by more than their doubt.
    let count = |experiment: &dyn Experiment| {
        let (mut kept, mut beyond) = (0, 0);
        for (doubt, single, double) in (0..100).map(|r| evaluate(experiment, r)) {
            if doubt <= experiment.limit() {
                let error = (single / double - 1.0).abs();
                assert!(error <= 10.0 * doubt, "{experiment:?}: {error:e} over {doubt:e}");
                kept += 1;
                beyond += usize::from(error > doubt);
            }
        }
        (kept, beyond)
    };
    let all = |experiment: Box<dyn Experiment>| {
        let (kept, beyond) = count(&*experiment);
        assert!(kept > 90 && beyond == 0, "{experiment:?}: {kept} kept, {beyond} beyond");
    };
    let scale = two_point();
    for kind in [
        NoiseKind::Homoscedastic,
        NoiseKind::Heteroscedastic(scale),
        NoiseKind::Elliptical(scale),
        NoiseKind::FeatureDependent(scale),
    ] {
        all(ridge(90, 0.05, 0.3, kind));
        all(ridge(20, 0.05, 0.3, kind));
    }
    all(features(60, 30));
    all(features(30, 60));
    for n in [44, 36] {
        let (kept, beyond) = count(&*ridge(n, 0.0, 0.3, NoiseKind::Homoscedastic));
        assert!(kept > 80 && beyond <= 4, "n = {n}: {kept} kept, {beyond} beyond");
    }
    assert_eq!(count(&*ridge(90, 0.0, 0.0, NoiseKind::Homoscedastic)).0, 0);

    let kind = NoiseKind::Homoscedastic;
    for (n, power) in [(90, -60), (90, 200), (20, -60), (20, 200)] {
        // Σ and ρ by 4^power, w by 2^−power: the same targets and risks.
        let (unit, root) = (4.0_f64.powi(power), 2.0_f64.powi(power));
        let small: Vec<f64> = eigenvalues.iter().map(|v| v * unit).collect();
        let large: Vec<f64> = signal.iter().map(|w| w / root).collect();
        let scaled = RidgeExperiment::new(&small, &large, n, 0.05 * unit, 0.3, kind).unwrap();
        let (a, b) = (evaluate(&scaled, 5), evaluate(&*ridge(n, 0.05, 0.3, kind), 5));
        assert_eq!(a, b, "{n} {power}");
    }
}

/// Threads change nothing in single precision either, and what is recomputed is counted.
#[test]
fn single_precision_results_do_not_depend_on_threads() {
    let (eigenvalues, signal) = power_law(30);
    let kind = NoiseKind::Homoscedastic;
    let experiment = RidgeExperiment::new(&eigenvalues, &signal, 34, 0.0, 0.3, kind).unwrap();
    let streams = Streams { seed: 7, experiment: 2101 };
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| CpuEngine::SINGLE.run(&experiment, streams, 0..300, &|_, _| ())).unwrap()
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
    assert!(one.redone() > 0 && one.redone() < 150, "{}", one.redone());
}
