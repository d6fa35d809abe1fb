//! Moment curves of frozen-feature models (M17): kernels against double precision, double
//! precision against matrices formed one by one, and means against quadrature.

use nalgebra::{DMatrix, DVector};
use rootrate::montecarlo::{
    CpuEngine, Engine, Experiment, FrozenFeature, MomentCurveExperiment, MomentMatrices,
    MonteCarloError, Samples, Streams, family_threshold,
};
use rootrate::numeric::linalg::symmetric_eigenvalues;
use rootrate::numeric::quadrature::{Tolerance, integrate};
use statrs::distribution::{ContinuousCDF, Normal};

use super::gpu::{assert_valid_shaders, engine};

fn streams(experiment: u32) -> Streams {
    Streams { seed: 12, experiment: 2450 + experiment }
}

fn run(
    engine: &dyn Engine,
    experiment: &MomentCurveExperiment,
    number: u32,
    replicates: std::ops::Range<u64>,
) -> Samples {
    engine.run(experiment, streams(number), replicates, &|_, _| ()).expect("values")
}

/// `count` features of R^d, deterministic and without symmetry.
fn features(count: usize, d: usize) -> Vec<FrozenFeature> {
    let wave = |k: usize, j: usize, s: f64| (s * (k * d + j + 1) as f64).sin();
    (0..count)
        .map(|k| FrozenFeature {
            direction: (0..d).map(|j| wave(k, j, 1.3)).collect(),
            weights: (0..d).map(|j| 2.0 * wave(k, j, 0.7) / (d as f64).sqrt()).collect(),
            bias: 0.5 * wave(k, 0, 2.1),
            centre: [-0.5, 0.2, 0.8][k % 3],
            width: 0.6 + 0.1 * (k % 2) as f64,
        })
        .collect()
}

fn parameters(count: usize) -> Vec<f64> {
    (0..count).map(|k| 0.8 * (k as f64 + 0.5).cos()).collect()
}

/// Three atoms of R^d, of probabilities ½, ¼, ¼.
fn atoms(d: usize) -> (Vec<f64>, Vec<f64>) {
    let list = (0..3 * d).map(|i| (1.7 * (i as f64) + 0.3).cos()).collect();
    (list, vec![0.5, 0.25, 0.25])
}

fn make(count: usize, d: usize, draws: usize) -> MomentCurveExperiment {
    let (atoms, weights) = atoms(d);
    let (features, parameters) = (features(count, d), parameters(count));
    MomentCurveExperiment::new(&features, &parameters, &atoms, &weights, 0.7, draws).expect("valid")
}

fn pair(features: &[FrozenFeature], parameters: &[f64], sigma: f64) -> MomentCurveExperiment {
    MomentCurveExperiment::new(features, parameters, &[-1.0, 1.0], &[0.5; 2], sigma, 256)
        .expect("valid")
}

#[test]
fn moment_kernels_are_valid() {
    for (count, d, draws) in [(1, 1, 1), (5, 3, 100), (128, 64, 4096)] {
        let program = make(count, d, draws).program();
        assert_eq!(program.stages.len(), 4);
        assert_valid_shaders(&program);
    }
    assert_eq!(make(129, 1, 8).program().stages.len(), 1);
    assert_eq!(make(3, 65, 8).program().stages.len(), 1);
}

/// Every entry within a fiftieth of the limit of what is kept, 10⁻⁴ of √(diagonal · diagonal):
/// the estimate (M17c) adds root mean squares of all sources as if they had one sign.
#[test]
fn moments_of_the_adapter_are_those_of_the_processor() {
    let Some(engine) = engine() else { return };
    for (count, d, draws) in [(1, 1, 40), (6, 1, 200), (17, 5, 100), (20, 64, 50)] {
        let experiment = make(count, d, draws);
        let gpu = run(engine, &experiment, 0, 0..6);
        let cpu = run(&CpuEngine::SINGLE, &experiment, 0, 0..6);
        assert_eq!(gpu.redone(), 0, "{count} {d} {draws}");
        for (a, b) in gpu.values().chunks(gpu.outputs()).zip(cpu.values().chunks(gpu.outputs())) {
            for (a, b) in a.chunks(a.len() / 2).zip(b.chunks(b.len() / 2)) {
                let place =
                    |k: usize, l: usize| b.len() - (count - k) * (count - k + 1) / 2 + l - k;
                for k in 0..count {
                    for l in k..count {
                        let scale = (b[place(k, k)] * b[place(l, l)]).sqrt();
                        let error = (a[place(k, l)] - b[place(k, l)]).abs() / scale;
                        assert!(error <= 2e-6, "{count} {d} ({k}, {l}): {error:e}");
                    }
                }
            }
        }
    }
}

#[test]
fn moments_do_not_depend_on_the_batch() {
    let Some(engine) = engine() else { return };
    let experiment = make(4, 3, 37);
    let whole = run(engine, &experiment, 1, 2..9);
    let mut parts = run(engine, &experiment, 1, 2..3);
    parts.append(&run(engine, &experiment, 1, 3..9)).expect("contiguous");
    assert_eq!(parts, whole);
}

/// A residual that single precision cannot tell from 0.
#[test]
fn small_residuals_are_computed_in_double_precision() {
    let Some(engine) = engine() else { return };
    // D cancels x0 to 10⁻⁵ of it: tanh is 1, v θ bump = 0.99999
    let feature = FrozenFeature {
        direction: vec![0.99999],
        weights: vec![0.0],
        bias: 30.0,
        centre: 0.0,
        width: 1.0,
    };
    let experiment =
        MomentCurveExperiment::new(&[feature], &[1.0], &[1.0], &[1.0], 1.0, 64).expect("valid");
    let gpu = run(engine, &experiment, 2, 0..3);
    assert_eq!(gpu.redone(), 3);
    // a residual that is 0 to the bit has no error
    let features = features(2, 1);
    let perfect =
        MomentCurveExperiment::new(&features, &[0.0; 2], &[0.0], &[1.0], 1.0, 64).expect("valid");
    let zero = run(engine, &perfect, 2, 0..3);
    assert_eq!(zero.redone(), 0);
    assert!(zero.values().chunks(6).all(|row| row[3..] == [0.0; 3]));
    let exact = 4.0 * (0.99999_f64 * 1e-5).powi(2);
    for row in gpu.values().chunks(2) {
        assert!((row[1] / exact - 1.0).abs() < 1e-9, "{row:?}");
    }
}

/// J, r, 2JᵀJ and 4Jᵀr rᵀJ of every draw as matrices, from the documented words.
#[test]
fn a_replicate_equals_the_mean_of_its_matrices() {
    let (count, d, draws, sigma) = (5, 3, 20, 0.7);
    let (list, theta) = (features(count, d), parameters(count));
    let (atoms, _) = atoms(d);
    let samples = run(&CpuEngine::DOUBLE, &make(count, d, draws), 3, 8..10);
    for (replicate, values) in (8..).zip(samples.values().chunks(samples.outputs())) {
        let mut stream = streams(3).replicate(replicate);
        let mut sums = [DMatrix::zeros(count, count), DMatrix::zeros(count, count)];
        for _ in 0..draws {
            let atom = match stream.next_u32() {
                w if w < 1 << 31 => 0,
                w if w < 3 << 30 => 1,
                _ => 2,
            };
            let mut noise = vec![0.0; d];
            stream.fill_normal_f64(&mut noise);
            let clean = DVector::from_column_slice(&atoms[atom * d..(atom + 1) * d]);
            let noisy = &clean + DVector::from_vec(noise) * sigma;
            let jacobian = DMatrix::from_fn(d, count, |j, k| {
                let f = &list[k];
                let argument = DVector::from_column_slice(&f.weights).dot(&noisy) + f.bias;
                let bump = (-(sigma.ln() - f.centre).powi(2) / (2.0 * f.width * f.width)).exp();
                f.direction[j] * argument.tanh() * bump
            });
            let residual = clean - &jacobian * DVector::from_column_slice(&theta);
            let gradient = jacobian.transpose() * residual;
            sums[0] += jacobian.transpose() * jacobian * 2.0;
            sums[1] += &gradient * gradient.transpose() * 4.0;
        }
        let expected = sums.iter().flat_map(|sum| {
            (0..count).flat_map(move |k| (k..count).map(move |l| sum[(k, l)] / draws as f64))
        });
        for (value, expected) in values.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-13, "{value} {expected}");
        }
    }
}

/// The pair ±1 in one dimension: H_kl = 2 E J_k J_l and S_kl = 4 E J_k J_l r² by quadrature over
/// the noise. Family rate 10⁻³ over all entries, in double precision and on the adapter.
#[test]
fn moments_of_the_pair_are_their_integrals() {
    let (list, theta) = (features(3, 1), parameters(3));
    let threshold = |tests| {
        -Normal::standard().inverse_cdf(family_threshold(1e-3, tests).expect("valid") / 2.0)
    };
    for sigma in [0.3, 1.0, 3.0] {
        let value = |f: &FrozenFeature, x: f64| {
            let bump = (-(f64::ln(sigma) - f.centre).powi(2) / (2.0 * f.width * f.width)).exp();
            f.direction[0] * (f.weights[0] * x + f.bias).tanh() * bump
        };
        let expectation = |k: usize, l: usize, squared: bool| {
            let integrand = |e: f64| {
                let of_atom = |clean: f64| {
                    let x = clean + sigma * e;
                    let r =
                        clean - list.iter().zip(&theta).map(|(f, t)| t * value(f, x)).sum::<f64>();
                    let product = value(&list[k], x) * value(&list[l], x);
                    if squared { 4.0 * product * r * r } else { 2.0 * product }
                };
                (-0.5 * e * e).exp() * (of_atom(-1.0) + of_atom(1.0)) / 2.0
            };
            let tolerance = Tolerance { relative: 1e-11, absolute: 1e-13 };
            let integral = integrate(integrand, -12.0, 12.0, tolerance).expect("converges");
            integral.value / (2.0 * std::f64::consts::PI).sqrt()
        };
        let experiment = pair(&list, &theta, sigma);
        let mut engines: Vec<(&dyn Engine, u64)> = vec![(&CpuEngine::DOUBLE, 300)];
        if let Some(engine) = engine() {
            engines.push((engine, 25));
        }
        for (engine, replicates) in engines {
            let samples = run(engine, &experiment, 4, 0..replicates);
            let moments = MomentMatrices::new(&samples).expect("two matrices");
            let matrices = [
                (&moments.hessian, &moments.hessian_error, false),
                (&moments.gradient_covariance, &moments.gradient_covariance_error, true),
            ];
            for (means, errors, squared) in matrices {
                for k in 0..3 {
                    for l in 0..3 {
                        let expected = expectation(k.min(l), k.max(l), squared);
                        let z = (means[3 * k + l] - expected) / errors[3 * k + l];
                        assert!(z.abs() < threshold(72), "σ = {sigma} ({k}, {l}): {z}");
                        // power: at least 25 · 256 draws
                        let scale = (means[4 * k] * means[4 * l]).sqrt();
                        assert!(errors[3 * k + l] < 0.05 * scale);
                    }
                }
            }
        }
    }
}

/// v → 2v with θ → θ/2 leaves the model, and multiplies H and S by 4, to the bit; a permutation
/// of the features permutes them; both are positive semidefinite.
#[test]
fn moments_transform_with_the_parametrisation() {
    let (list, theta) = (features(4, 1), parameters(4));
    let moments = |list: &[FrozenFeature], theta: &[f64]| {
        MomentMatrices::new(&run(&CpuEngine::DOUBLE, &pair(list, theta, 0.8), 5, 0..10))
            .expect("two matrices")
    };
    let base = moments(&list, &theta);
    let mut doubled = list.clone();
    doubled.iter_mut().for_each(|f| f.direction[0] *= 2.0);
    let scaled = moments(&doubled, &theta.iter().map(|t| t / 2.0).collect::<Vec<_>>());
    let times = |m: &[f64]| m.iter().map(|v| 4.0 * v).collect::<Vec<_>>();
    assert_eq!(scaled.hessian, times(&base.hessian));
    assert_eq!(scaled.gradient_covariance, times(&base.gradient_covariance));
    assert_eq!(scaled.gradient_covariance_error, times(&base.gradient_covariance_error));

    let reversed = |list: &[f64]| list.iter().rev().copied().collect::<Vec<_>>();
    let mut backwards = list.clone();
    backwards.reverse();
    let other = moments(&backwards, &reversed(&theta));
    for (a, b) in
        [(&other.hessian, &base.hessian), (&other.gradient_covariance, &base.gradient_covariance)]
    {
        for (a, b) in a.iter().zip(reversed(b)) {
            assert!((a - b).abs() < 1e-13, "{a} {b}");
        }
        let lowest = symmetric_eigenvalues(b, 4).expect("finite")[0];
        assert!(lowest > -1e-14, "{lowest}");
    }
}

#[test]
fn bad_moment_curves_are_refused_with_a_reason() {
    use MonteCarloError as E;
    let good = features(2, 1);
    let make = |features: &[FrozenFeature], theta: &[f64], atoms: &[f64], weights: &[f64]| {
        MomentCurveExperiment::new(features, theta, atoms, weights, 1.0, 8)
    };
    let ok = [1.0, -1.0];
    let half = [0.5, 0.5];
    assert!(make(&good, &ok, &ok, &half).is_ok());
    assert!(matches!(make(&[], &[], &ok, &half), Err(E::Parameter { .. })));
    assert!(matches!(make(&good, &[1.0], &ok, &half), Err(E::Length { .. })));
    assert!(matches!(make(&good, &ok, &[1.0], &half), Err(E::Length { .. })));
    assert!(matches!(make(&good, &ok, &[], &[]), Err(E::Parameter { .. })));
    assert!(matches!(make(&good, &[1.0, f64::NAN], &ok, &half), Err(E::Element { .. })));
    assert!(matches!(make(&good, &ok, &[1.0, f64::INFINITY], &half), Err(E::Element { .. })));
    assert!(matches!(make(&good, &ok, &ok, &[1.5, -0.5]), Err(E::Element { .. })));
    assert!(matches!(make(&good, &ok, &ok, &[0.5, 0.6]), Err(E::Parameter { .. })));
    for change in [
        |f: &mut FrozenFeature| f.direction = vec![],
        |f: &mut FrozenFeature| f.weights = vec![1.0, 2.0],
        |f: &mut FrozenFeature| f.weights[0] = f64::NAN,
        |f: &mut FrozenFeature| f.bias = f64::INFINITY,
        |f: &mut FrozenFeature| f.centre = f64::NAN,
        |f: &mut FrozenFeature| f.width = 0.0,
    ] {
        for place in 0..2 {
            let mut bad = good.clone();
            change(&mut bad[place]);
            assert!(make(&bad, &ok, &ok, &half).is_err());
        }
    }
    for (sigma, draws) in [(0.0, 8), (f64::NAN, 8), (-1.0, 8), (1.0, 0), (1.0, usize::MAX)] {
        let error = MomentCurveExperiment::new(&good, &ok, &ok, &half, sigma, draws).unwrap_err();
        assert!(matches!(error, E::Parameter { .. }), "{error}");
    }
    let other = Samples::new(0, 3, vec![0.0; 9], 0).expect("finite");
    assert!(matches!(MomentMatrices::new(&other), Err(E::Parameter { .. })));
}
