//! Random-feature denoisers: one draw against singular values, the optimum as an optimum, many
//! draws against the limit, and the adapter against the processor (M16).

use naga::valid::{Capabilities, ValidationFlags, Validator};
use nalgebra::DMatrix;
use rootrate::evidence::{Certified, Sampled};
use rootrate::montecarlo::program::{Binding, Groups, Program, Shader, Stage};
use rootrate::montecarlo::{
    Activation, Comparison, CpuEngine, Draws, Engine, Experiment, FeatureDenoiserExperiment,
    MonteCarloError, Scratch, Stream, Streams, family_threshold,
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
        variances,
        samples,
        features,
        noises,
        time,
        penalty,
        activation,
        test_points,
    )
    .unwrap()
}

/// Standard normals, one row a point.
fn normals(stream: &mut Stream, rows: usize, cols: usize) -> DMatrix<f64> {
    let mut values = vec![0.0; rows * cols];
    stream.fill_normal_f64(&mut values);
    DMatrix::from_row_slice(rows, cols, &values)
}

/// (2/√π) z e^{−z²} Σ_k (2z²)^k/(2k+1)!!, all terms positive.
fn erf_by_series(z: f64) -> f64 {
    let (mut term, mut sum, mut k) = (z, z, 1.0);
    while (term / sum).abs() > 1e-17 {
        term *= 2.0 * z * z / (2.0 * k + 1.0);
        sum += term;
        k += 1.0;
    }
    2.0 / std::f64::consts::PI.sqrt() * (-z * z).exp() * sum
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
    let weights = normals(&mut stream, sizes.features, d);
    let mut points = |count: usize, noises: usize| {
        let data = normals(&mut stream, count, d);
        let xi = normals(&mut stream, count * noises, d);
        let noised = DMatrix::from_fn(count * noises, d, |a, k| {
            signal * variances[k].sqrt() * data[(a / noises, k)] + noise * xi[(a, k)]
        });
        let features =
            (noised * weights.transpose() / (d as f64).sqrt()).map(|z| match activation {
                Activation::Tanh => 1.0 - 2.0 / ((2.0 * z).exp() + 1.0),
                Activation::Relu => {
                    0.5 * (z + z.abs()) - 0.5 / std::f64::consts::PI.sqrt() * 2.0_f64.sqrt()
                }
                Activation::Erf => erf_by_series(z),
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
                let expected = by_singular_values(&variances, sizes, level, activation, 11, stream);
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
            assert!(
                (change / integral - 1.0).abs() < 5e-6,
                "{sizes:?} {penalty}: {change} {integral}"
            );
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
        let xi = normals(stream, count, 5);
        xi.norm_squared() / (5 * count) as f64
    };
    normals(&mut stream, 7, 5);
    normals(&mut stream, 10, 5);
    let training = mean_square(&mut stream, 20);
    normals(&mut stream, 9, 5);
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

/// Ten limits in 20 digits, Σ = I and two variances, all nonlinearities. Losses are T + b/d + c/d²:
/// 2X(32) − X(16) is off by −c/512. Fits of 4000 replicates at d = 16, 32, 64 have |c| ≤ 1.9 for
/// the test loss, 0.6 for the other two; allowed are 2 and 1. Family rate 1e-3 of 30 comparisons.
#[test]
fn losses_tend_to_their_limits() {
    let golden: Value =
        serde_json::from_str(include_str!("../golden/feature_denoiser.json")).unwrap();
    let points = golden["points"].as_array().unwrap();
    assert_eq!(points.len(), 10);
    let threshold = family_threshold(1e-3, 30).unwrap();
    for (point, number_of) in points.iter().zip((2310..).step_by(2)) {
        let [samples, features, time, penalty, noises] =
            ["samples", "features", "time", "penalty", "noises"].map(|name| number(&point[name]));
        let run = |d: usize, replicates: u64| {
            let variances = match point["variances"].as_array().unwrap().len() {
                1 => vec![1.0; d],
                _ => two_point(d),
            };
            let [samples, features] = [samples, features].map(|psi| (psi * d as f64) as usize);
            let sizes = Sizes { samples, features, noises: noises as usize };
            let activation = activation(point["activation"].as_str().unwrap());
            let experiment = experiment(&variances, sizes, (time, penalty), activation, samples);
            let streams = Streams { seed: 1, experiment: number_of + u32::from(d == 32) };
            CpuEngine::DOUBLE.run(&experiment, streams, 0..replicates, &|_, _| ()).unwrap()
        };
        let (small, large) = (run(16, 150), run(32, 100));
        for (output, (name, curvature)) in
            [("test", 2.0), ("training", 1.0), ("optimum", 1.0)].into_iter().enumerate()
        {
            let [small, large] =
                [&small, &large].map(|s| s.column(output).unwrap().sampled().unwrap());
            let extrapolated = Sampled {
                mean: 2.0 * large.mean - small.mean,
                standard_error: (2.0 * large.standard_error).hypot(small.standard_error),
                replicates: 100,
            };
            let limit = number(&point[name]);
            let exact = Certified::new(limit, 1e-15).into();
            let comparison = Comparison::new(exact, extrapolated, curvature / 512.0).unwrap();
            assert!(comparison.agrees(threshold), "{point} {name}: {comparison:?}");
            // power: an error of a tenth of the limit, or of 0.05, is more than six of these
            assert!(extrapolated.standard_error < 0.015 * limit.max(0.5), "{point} {name}");
        }
    }
}

#[test]
fn bad_problems_are_refused_with_a_reason() {
    use MonteCarloError as E;
    let make = |variances: &[f64], [n, p, m, tests]: [usize; 4], time, penalty| {
        let activation = Activation::Tanh;
        FeatureDenoiserExperiment::new(variances, n, p, m, time, penalty, activation, tests)
    };
    let fine = [4, 3, 2, 5];
    assert!(make(&[0.5, 1.5], fine, 0.1, 0.1).is_ok());
    for (sizes, name) in [
        ([0, 3, 2, 5], "samples"),
        ([4, 0, 2, 5], "features"),
        ([4, 3, 0, 5], "noises"),
        ([4, 3, 2, 0], "test points"),
    ] {
        let error = make(&[1.0], sizes, 0.1, 0.1).unwrap_err();
        assert!(matches!(error, E::Parameter { name: found, .. } if found == name), "{error}");
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(make(&[1.0], fine, bad, 0.1), Err(E::Parameter { name: "time", .. })));
        let error = make(&[1.0], fine, 0.1, bad);
        assert!(matches!(error, Err(E::Parameter { name: "penalty", .. })));
    }
    assert!(matches!(make(&[], fine, 0.1, 0.1), Err(E::Parameter { name: "dimension", .. })));
    for bad in [-0.5, f64::NAN, f64::INFINITY] {
        let error = make(&[1.0, bad], fine, 0.1, 0.1).unwrap_err();
        assert!(matches!(error, E::Element { index: 1, .. }), "{error}");
    }
    let error = make(&[1.0, 1.1], fine, 0.1, 0.1).unwrap_err();
    assert!(error.to_string().contains("mean of the variances"), "{error}");
    for huge in [
        [usize::MAX, 3, 2, 5],
        [4, usize::MAX, 2, 5],
        [4, 3, usize::MAX, 5],
        [4, 3, 2, usize::MAX],
        [1 << 14, 1 << 14, 2, 5],
    ] {
        assert!(matches!(make(&[1.0], huge, 0.1, 0.1), Err(E::TooLarge { .. })), "{huge:?}");
    }
    // In one dimension forty features of nearly linear inputs are nearly dependent.
    let singular = make(&[1.0], [60, 40, 1, 1], 1e-3, 1e-16).unwrap();
    let streams = Streams { seed: 1, experiment: 2303 };
    let error = CpuEngine::DOUBLE.run(&singular, streams, 7..8, &|_, _| ()).unwrap_err();
    assert!(
        matches!(error, E::IllConditioned { replicate: 7, .. } | E::Linalg { replicate: 7, .. }),
        "{error}"
    );
}

/// Values of 22 digits, and tanh everywhere by the platform's.
#[test]
fn nonlinearities_agree_with_multiprecision() {
    for (z, erf, tanh) in [
        (1e-9, 1.128_379_167_095_512_6e-9, 1e-9),
        (0.03125, 0.035_250_373_867_322_826, 0.031_239_831_446_031_257),
        (0.5, 0.520_499_877_813_046_5, 0.462_117_157_260_009_76),
        (1.0, 0.842_700_792_949_714_9, 0.761_594_155_955_764_9),
        (1.5, 0.966_105_146_475_310_7, 0.905_148_253_644_866_4),
        (2.75, 0.999_899_378_077_880_4, 0.991_859_724_568_207_7),
        (4.0, 0.999_999_984_582_742_1, 0.999_329_299_739_067),
        (5.5, 0.999_999_999_999_992_6, 0.999_966_597_156_303_8),
    ] {
        for (activation, exact) in [(Activation::Erf, erf), (Activation::Tanh, tanh)] {
            for sign in [1.0, -1.0] {
                let value = activation.apply(sign * z);
                let error = (sign * value / exact - 1.0).abs();
                assert!(error < 1e-15, "{activation:?}({z}) = {value}, {error:e}");
            }
        }
    }
    for i in 0..4000 {
        let z = -20.0 + 0.01 * f64::from(i);
        let (value, expected) = (Activation::Tanh.apply(z), z.tanh());
        assert!((value - expected).abs() <= 1.5e-15 * expected.abs(), "{z}");
    }
    assert!(Activation::Tanh.apply(f64::NAN).is_nan());
    // E φ(z) = 0: max(z, 0) has the mean 1/√(2π)
    assert!((Activation::Relu.apply(-3.0) + (0.5 / std::f64::consts::PI).sqrt()).abs() < 1e-16);
    assert!((Activation::Relu.apply(3.0) - Activation::Relu.apply(-3.0) - 3.0).abs() < 1e-15);
}

/// Every 4099th number of either sign below 12, and some beyond: within 2⁻²¹ of double precision.
#[test]
fn single_precision_nonlinearities_keep_their_bound() {
    let beyond = [50.0_f32, 1e30, f32::INFINITY].map(f32::to_bits);
    for bits in (1..12.0_f32.to_bits()).step_by(4099).chain(beyond) {
        for sign in [0, 1 << 31] {
            let z = f32::from_bits(bits | sign);
            for activation in [Activation::Tanh, Activation::Erf] {
                let [single, double] =
                    [f64::from(activation.apply_single(z)), activation.apply(z.into())];
                // below 2⁻¹²⁶ rounding is absolute
                let error = ((single - double).abs() - f64::from(f32::MIN_POSITIVE)).max(0.0);
                assert!(error <= double.abs() * 2.0_f64.powi(-21), "{activation:?} {z} {single}");
            }
            let (single, double) =
                (Activation::Relu.apply_single(z), Activation::Relu.apply(z.into()));
            assert!(
                (f64::from(single) - double).abs() <= 1e-7 * (1.0 + double.abs())
                    || z.is_infinite()
            );
        }
    }
}

#[test]
fn every_shader_is_valid() {
    for (samples, features) in [(9, 40), (40, 9)] {
        let sizes = Sizes { samples, features, noises: 2 };
        let experiment = experiment(&[1.0; 5], sizes, (0.3, 0.1), Activation::Erf, 4);
        for stage in &experiment.program().stages {
            let source = stage.shader.source();
            let module = naga::front::wgsl::parse_str(&source)
                .unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
            Validator::new(ValidationFlags::all(), Capabilities::empty())
                .validate(&module)
                .unwrap_or_else(|e| panic!("{}: {e:?}", stage.shader.entry));
        }
    }
}

/// φ(3z) of 4096 normals z a replicate, in single precision.
#[derive(Debug)]
struct Nonlinearity(Activation);

const NONLINEARITY: &[&str] = &[
    include_str!("../../src/montecarlo/shaders/activation.wgsl"),
    "@group(0) @binding(1) var<storage, read_write> output: array<f32>;
    @compute @workgroup_size(64)
    fn apply(@builtin(global_invocation_id) id: vec3<u32>) {
        let z = normals(id.x, id.z);
        for (var t = 0u; t < 4u; t++) {
            output[4097u * id.z + 4u * id.x + t] = activate(parameter(0), 3.0f * z[t]);
        }
        if (id.x == 0u) {
            output[4097u * id.z + 4096u] = 0.0f;
        }
    }",
];

impl Experiment for Nonlinearity {
    fn outputs(&self) -> usize {
        4096
    }

    fn evaluate(
        &self,
        _: &mut Scratch,
        mut draws: Draws,
        out: &mut [f64],
    ) -> Result<(), MonteCarloError> {
        draws.normals(out);
        out.iter_mut().for_each(|z| *z = self.0.apply_single(3.0 * *z as f32).into());
        Ok(())
    }

    fn limit(&self) -> f64 {
        0.0
    }

    fn program(&self) -> Program {
        let stage = Stage {
            shader: Shader { parts: NONLINEARITY, entry: "apply" },
            bindings: vec![Binding::Output],
            groups: Groups::Each([16, 1]),
            parameters: vec![match self.0 {
                Activation::Tanh => 0,
                Activation::Relu => 1,
                Activation::Erf => 2,
            }],
        };
        let (constants, arrays) = (Vec::new(), Vec::new());
        Program { constants, arrays, stages: vec![stage], outputs: 4096, operations: 1e6 }
    }
}

#[test]
fn the_adapter_computes_the_nonlinearities_of_the_processor() {
    let Some(engine) = super::gpu::engine() else { return };
    for activation in [Activation::Tanh, Activation::Relu, Activation::Erf] {
        let experiment = Nonlinearity(activation);
        let streams = Streams { seed: 1, experiment: 2304 };
        let gpu = engine.run(&experiment, streams, 0..3, &|_, _| ()).unwrap();
        let cpu = CpuEngine::SINGLE.run(&experiment, streams, 0..3, &|_, _| ()).unwrap();
        assert_eq!(gpu.values(), cpu.values(), "{activation:?}");
    }
}

/// An experiment with another limit for its doubt.
#[derive(Debug)]
struct Limited(FeatureDenoiserExperiment, f64);

impl Experiment for Limited {
    fn outputs(&self) -> usize {
        self.0.outputs()
    }

    fn evaluate(
        &self,
        scratch: &mut Scratch,
        draws: Draws,
        out: &mut [f64],
    ) -> Result<(), MonteCarloError> {
        self.0.evaluate(scratch, draws, out)
    }

    fn limit(&self) -> f64 {
        self.1
    }

    fn program(&self) -> Program {
        self.0.program()
    }
}

/// Both systems, orders within and beyond a block of 32 and a tile of 64, sums of more than one
/// chunk: no doubt exceeds the bound given (nothing is redone), and no error does.
#[test]
fn the_adapter_agrees_with_the_processor_within_the_doubt() {
    let Some(engine) = super::gpu::engine() else { return };
    use Activation::{Erf, Relu, Tanh};
    for (number, (d, [samples, features, noises, tests], activation, penalty, bound)) in (2331..)
        .zip([
            (3, [5, 14, 1, 7], Relu, 1.0, 3e-5),
            (7, [5, 40, 2, 3], Erf, 0.1, 2e-4),
            (8, [30, 20, 2, 11], Tanh, 1.0, 3e-5),
            (20, [60, 50, 1, 60], Relu, 0.01, 1e-3),
            (20, [40, 60, 2, 1000], Erf, 0.01, 1e-3),
            (20, [40, 150, 2, 40], Tanh, 0.01, 1e-3),
        ])
    {
        let sizes = Sizes { samples, features, noises };
        let variances = if d % 2 == 0 { two_point(d) } else { vec![1.0; d] };
        let experiment = experiment(&variances, sizes, (0.3, penalty), activation, tests);
        let experiment = Limited(experiment, bound);
        let streams = Streams { seed: 1, experiment: number };
        let gpu = engine.run(&experiment, streams, 0..3, &|_, _| ()).unwrap();
        let cpu = CpuEngine::SINGLE.run(&experiment, streams, 0..3, &|_, _| ()).unwrap();
        assert_eq!(gpu.redone(), 0, "{sizes:?}");
        for (a, b) in gpu.values().iter().zip(cpu.values()) {
            assert!((a / b - 1.0).abs() < bound, "{sizes:?}: {a} {b}");
        }
    }
}

/// A replicate has the same bits whatever runs beside it. With hardly any penalty on more
/// features than rows, single precision is refused and the processor's bits come back.
#[test]
fn replicates_depend_on_their_streams_alone() {
    let Some(engine) = super::gpu::engine() else { return };
    let streams = Streams { seed: 1, experiment: 2340 };
    let sizes = Sizes { samples: 6, features: 35, noises: 2 };
    let kept = experiment(&[1.0; 4], sizes, (0.3, 0.05), Activation::Tanh, 8);
    let whole = engine.run(&kept, streams, 0..5, &|_, _| ()).unwrap();
    assert_eq!(whole.redone(), 0);
    for (range, rows) in [(0..1, 0..3), (1..3, 3..9), (3..5, 9..15)] {
        let part = engine.run(&kept, streams, range, &|_, _| ()).unwrap();
        assert_eq!(part.values(), &whole.values()[rows]);
    }
    let refused = experiment(&[1.0; 4], sizes, (0.3, 1e-7), Activation::Tanh, 8);
    let gpu = engine.run(&refused, streams, 0..5, &|_, _| ()).unwrap();
    let cpu = CpuEngine::SINGLE.run(&refused, streams, 0..5, &|_, _| ()).unwrap();
    assert_eq!(gpu.redone(), 5);
    assert_eq!(gpu.values(), cpu.values());
}
