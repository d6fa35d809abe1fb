//! Random-feature denoisers: one draw against singular values, the optimum as an optimum, many
//! draws against the limit, and the adapter against the processor (M16).

use nalgebra::DMatrix;
use rootrate::evidence::{Certified, Sampled};
use rootrate::montecarlo::{
    Activation, Comparison, CpuEngine, Engine, FeatureDenoiserExperiment, MonteCarloError,
    Precision, Stream, Streams, family_threshold,
};
use serde_json::Value;

use crate::ridge::number;

/// Sizes of a problem without its number of test points.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    samples: usize,
    features: usize,
    noises: usize,
}

fn two_point(d: usize) -> Vec<f64> {
    (0..d).map(|k| if k < d / 2 { 0.4 } else { 1.6 }).collect()
}

fn experiment(
    variances: &[f64],
    Sizes { samples, features, noises }: Sizes,
    (time, penalty): (f64, f64),
    activation: Activation,
    test_points: usize,
) -> FeatureDenoiserExperiment {
    FeatureDenoiserExperiment::new(
        variances, samples, features, noises, time, penalty, activation, test_points,
    )
    .unwrap()
}

/// Standard normals, one row a point.
fn normals(stream: &mut Stream, precision: Precision, rows: usize, cols: usize) -> DMatrix<f64> {
    let mut double = vec![0.0; rows * cols];
    match precision {
        Precision::Double => stream.fill_normal_f64(&mut double),
        Precision::Single => {
            let mut single = vec![0.0; rows * cols];
            stream.fill_normal_f32(&mut single);
            double.iter_mut().zip(single).for_each(|(x, z)| *x = f64::from(z));
        }
    }
    DMatrix::from_row_slice(rows, cols, &double)
}

/// The documented draws; A by the singular values of the features, and the optimum as the part
/// of the noise that is not explained, tr Ξᵀ(Ξ + FCᵀ)/(nmd).
fn by_singular_values(
    variances: &[f64],
    sizes: Sizes,
    (time, penalty): (f64, f64),
    activation: Activation,
    test_points: usize,
    mut stream: Stream,
) -> [f64; 3] {
    let d = variances.len();
    let (signal, noise) = ((-time).exp(), (1.0 - (-2.0 * time).exp()).sqrt());
    let weights = normals(&mut stream, Precision::Double, sizes.features, d);
    let mut points = |count: usize, noises: usize| {
        let data = normals(&mut stream, Precision::Double, count, d);
        let xi = normals(&mut stream, Precision::Double, count * noises, d);
        let noised = DMatrix::from_fn(count * noises, d, |a, k| {
            signal * variances[k].sqrt() * data[(a / noises, k)] + noise * xi[(a, k)]
        });
        let features = (noised * weights.transpose() / (d as f64).sqrt())
            .map(|z| match activation {
                Activation::Tanh => 1.0 - 2.0 / ((2.0 * z).exp() + 1.0),
                Activation::Relu => 0.5 * (z + z.abs()) - 0.5 / std::f64::consts::PI.sqrt() * 2.0_f64.sqrt(),
                Activation::Erf => 1.0 - statrs::function::erf::erfc(z),
            });
        (features, xi)
    };
    let (features, xi) = points(sizes.samples, sizes.noises);
    let rows = xi.nrows() as f64;
    let svd = features.clone().svd(true, true);
    let mut filtered = svd.u.unwrap().transpose() * &xi;
    for (mut row, s) in filtered.row_iter_mut().zip(svd.singular_values.iter()) {
        row *= -s / (s * s + rows * penalty);
    }
    let coefficients = svd.v_t.unwrap().transpose() * filtered;
    let residual = &xi + features * &coefficients;
    let size = rows * d as f64;
    let (fresh, fresh_xi) = points(test_points, 1);
    let test = (fresh_xi + fresh * &coefficients).norm_squared() / (test_points * d) as f64;
    [test, residual.norm_squared() / size, xi.dot(&residual) / size]
}

/// Both systems and all nonlinearities. The condition numbers are below 10⁴: 1e-11 relative.
#[test]
fn a_replicate_equals_the_singular_value_solution() {
    let streams = Streams { seed: 5, experiment: 2300 };
    let variances = two_point(6);
    for activation in [Activation::Tanh, Activation::Relu, Activation::Erf] {
        for (samples, features, noises) in [(5, 14, 1), (5, 12, 2), (8, 7, 3), (20, 4, 1)] {
            let sizes = Sizes { samples, features, noises };
            let level = (0.3, 0.02);
            let experiment = experiment(&variances, sizes, level, activation, 11);
            let sample = CpuEngine::DOUBLE.run(&experiment, streams, 3..6, &|_, _| ()).unwrap();
            for (replicate, row) in (3..).zip(sample.values().chunks(3)) {
                let stream = streams.replicate(replicate);
                let expected =
                    by_singular_values(&variances, sizes, level, activation, 11, stream);
                for (value, expected) in row.iter().zip(expected) {
                    let error = (value / expected - 1.0).abs();
                    assert!(error < 1e-11, "{activation:?} {sizes:?}: {row:?} {error:e}");
                }
            }
        }
    }
}

/// The optimum L(λ) = min_A has the slope λ ↦ penalty/λ (M16c) only if the gradient in A
/// vanishes. Simpson's rule over [λ, 1.1 λ]: for a penalty/λ that is a sum of s²/(s² + λ)²
/// its error is below h⁴·120/2880 < 5e-6 relative with h = 0.1.
#[test]
fn the_optimum_moves_with_the_penalty_as_an_optimum_does() {
    let streams = Streams { seed: 5, experiment: 2301 };
    for (samples, features, noises) in [(6, 20, 2), (12, 9, 2)] {
        let sizes = Sizes { samples, features, noises };
        let losses = |penalty: f64| {
            let experiment = experiment(&[1.0; 8], sizes, (0.5, penalty), Activation::Tanh, 1);
            CpuEngine::DOUBLE.run(&experiment, streams, 0..1, &|_, _| ()).unwrap().values().to_vec()
        };
        for penalty in [1e-3, 0.05, 2.0] {
            let [first, middle, last] = [1.0, 1.05, 1.1].map(|factor| {
                let row = losses(factor * penalty);
                ((row[2] - row[1]) / (factor * penalty), row[2])
            });
            let integral = 0.1 * penalty / 6.0 * (first.0 + 4.0 * middle.0 + last.0);
            let change = last.1 - first.1;
            assert!((change / integral - 1.0).abs() < 5e-6, "{sizes:?} {penalty}: {change} {integral}");
        }
    }
}

/// Without any explained noise, λ → ∞, all that is left is the noise: 1 in expectation.
#[test]
fn a_huge_penalty_leaves_the_noise() {
    let streams = Streams { seed: 5, experiment: 2302 };
    let sizes = Sizes { samples: 10, features: 7, noises: 2 };
    let experiment = experiment(&[1.0; 5], sizes, (0.5, 1e14), Activation::Erf, 9);
    let sample = CpuEngine::DOUBLE.run(&experiment, streams, 4..5, &|_, _| ()).unwrap();
    let mut stream = streams.replicate(4);
    let mean_square = |stream: &mut Stream, count: usize| {
        let xi = normals(stream, Precision::Double, count, 5);
        xi.norm_squared() / (5 * count) as f64
    };
    normals(&mut stream, Precision::Double, 7, 5);
    normals(&mut stream, Precision::Double, 10, 5);
    let training = mean_square(&mut stream, 20);
    normals(&mut stream, Precision::Double, 9, 5);
    let test = mean_square(&mut stream, 9);
    for (value, expected) in sample.values().iter().zip([test, training, training]) {
        assert!((value - expected).abs() < 1e-13, "{value} {expected}");
    }
}

fn activation(name: &str) -> Activation {
    match name {
        "tanh" => Activation::Tanh,
        "erf" => Activation::Erf,
        "relu" => Activation::Relu,
        _ => panic!("{name}"),
    }
}

#[test]
fn explore() {
    let golden: Value =
        serde_json::from_str(include_str!("../golden/feature_denoiser.json")).unwrap();
    for point in golden["points"].as_array().unwrap() {
        let [samples, features, time, penalty, noises] =
            ["samples", "features", "time", "penalty", "noises"].map(|n| number(&point[n]));
        let name = point["activation"].as_str().unwrap();
        let two = point["variances"].as_array().unwrap().len() == 2;
        println!("{samples} {features} {noises} {time} {penalty} {name} {two}");
        for (d, reps) in [(16usize, 4000u64), (32, 2000), (64, 400)] {
            let variances = if two { two_point(d) } else { vec![1.0; d] };
            let sizes = Sizes { samples: (samples * d as f64) as usize, features: (features * d as f64) as usize, noises: noises as usize };
            let e = experiment(&variances, sizes, (time, penalty), activation(name), sizes.samples);
            let start = std::time::Instant::now();
            let s = CpuEngine::DOUBLE.run(&e, Streams { seed: 1, experiment: 2310 + d as u32 }, 0..reps, &|_, _| ()).unwrap();
            print!("d={d} {:.2?}/rep", start.elapsed() / reps as u32);
            for (i, n) in ["test", "training", "optimum"].into_iter().enumerate() {
                let x = s.column(i).unwrap().sampled().unwrap();
                let t = number(&point[n]);
                print!("  {n} {:.5} {:+.5}±{:.5} ({:+.2}/d)", t, x.mean - t, x.standard_error, (x.mean - t) * d as f64);
            }
            println!();
        }
    }
}
