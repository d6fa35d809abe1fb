//! Denoising experiments: against textbook formulas, the certified theory, and the adapter
//! (M8), (M15), (M19).

use rootrate::data::{DataMatrix, digits};
use rootrate::entropy::{Component, DataModel, DiracMixture, GaussianMixture};
use rootrate::montecarlo::program::{Binding, Groups, Program, Shader, Stage};
use rootrate::montecarlo::{
    Comparison, CpuEngine, DenoisingExperiment, Draws, EmpiricalExperiment, Engine, Experiment,
    MonteCarloError, Samples, Scratch, Stream, Streams, exp_f32, family_threshold,
};

use super::gpu::engine;

/// 2⁻²⁴.
const UNIT: f64 = 5.9604645e-8;

fn run(
    engine: &dyn Engine,
    experiment: &dyn Experiment,
    number: u32,
    range: std::ops::Range<u64>,
) -> Samples {
    let streams = Streams { seed: 11, experiment: number };
    engine.run(experiment, streams, range, &|_, _| ()).expect("values")
}

fn pair(levels: &[f64], draws: usize) -> DenoisingExperiment {
    DenoisingExperiment::new(&[(0.5, &[-1.0], &[0.0]), (0.5, &[1.0], &[0.0])], levels, draws)
        .expect("valid")
}

const PLANE: [(f64, [f64; 2]); 5] = [
    (0.3, [0.0, 0.0]),
    (0.25, [1.5, 0.2]),
    (0.2, [-0.7, 1.1]),
    (0.15, [0.4, -1.6]),
    (0.1, [-1.9, -0.8]),
];

fn plane(levels: &[f64], draws: usize) -> DenoisingExperiment {
    let parts: Vec<(f64, &[f64], &[f64])> =
        PLANE.iter().map(|(w, m)| (*w, &m[..], &[0.0, 0.0][..])).collect();
    DenoisingExperiment::new(&parts, levels, draws).expect("valid")
}

/// Weight, mean, variances.
const SPACE: [(f64, [f64; 3], [f64; 3]); 3] = [
    (0.5, [0.0, 1.0, -1.0], [0.3, 0.0, 1.2]),
    (0.3, [2.0, -1.0, 0.5], [0.1, 0.4, 0.2]),
    (0.2, [-1.0, 0.2, 0.3], [2.0, 0.6, 0.0]),
];

fn space(levels: &[f64], draws: usize) -> DenoisingExperiment {
    let parts: Vec<(f64, &[f64], &[f64])> =
        SPACE.iter().map(|(w, m, v)| (*w, &m[..], &v[..])).collect();
    DenoisingExperiment::new(&parts, levels, draws).expect("valid")
}

/// `count` points of d independent coordinates 0, 1, 2, 3 with a few doubles, off the origin.
fn points(count: usize, d: usize) -> DataMatrix {
    let mut stream = Stream::new(4, 2299, 0);
    let mut rows: Vec<Vec<f64>> = (0..count)
        .map(|_| (0..d).map(|_| f64::from(stream.next_u32() >> 30) - 7.0).collect())
        .collect();
    rows[3] = rows[1].clone();
    rows[count - 1] = rows[1].clone();
    DataMatrix::from_rows(&rows).expect("valid")
}

/// Every binary32 number in [−90, 90] whose bits are a multiple of 509, and the ends.
#[test]
fn the_single_precision_exponential_is_accurate_over_its_range() {
    let mut worst = 0.0_f64;
    let largest = 90.0_f32.to_bits();
    let mut negative = Vec::new();
    for bits in (0..largest).step_by(509).chain([87.0_f32.to_bits(), 88.0_f32.to_bits()]) {
        for x in [f32::from_bits(bits), -f32::from_bits(bits)] {
            let found = f64::from(exp_f32(x));
            if x < -87.0 {
                negative.push(found);
            } else {
                let exact = f64::from(x.min(88.0)).exp();
                worst = worst.max((found / exact - 1.0).abs());
            }
        }
    }
    assert!(worst < 2.0_f64.powi(-22), "{worst:e}");
    assert!(negative.len() > 100 && negative.iter().all(|&e| e == 0.0));
    assert_eq!(exp_f32(f32::NEG_INFINITY), 0.0);
    assert_eq!(exp_f32(0.0), 1.0);
}

/// exp_f32 of 1024 arguments in (−90, 90), one an output.
#[derive(Debug)]
struct Exponentials;

const ARGUMENTS: usize = 1024;

impl Exponentials {
    /// The signed upper 24 bits in units of 180·2⁻²⁴: one rounding, no constants to regroup.
    fn argument(word: u32) -> f32 {
        (word as i32 >> 8) as f32 * (180.0 / 16_777_216.0)
    }
}

impl Experiment for Exponentials {
    fn outputs(&self) -> usize {
        ARGUMENTS
    }

    fn evaluate(
        &self,
        _: &mut Scratch,
        mut draws: Draws,
        out: &mut [f64],
    ) -> Result<(), MonteCarloError> {
        out.iter_mut().for_each(|x| *x = exp_f32(Self::argument(draws.word())).into());
        Ok(())
    }

    fn limit(&self) -> f64 {
        0.0
    }

    fn program(&self) -> Program {
        const SOURCE: &[&str] = &["
            @group(0) @binding(1) var<storage, read_write> output: array<f32>;
            @compute @workgroup_size(64)
            fn exponentials(@builtin(global_invocation_id) id: vec3<u32>) {
                let words = philox(vec2<u32>(id.x, 0u), id.z);
                for (var w = 0u; w < 4u; w++) {
                    let x = f32(bitcast<i32>(words[w]) >> 8u) * 1.0728836059570312e-5f;
                    output[1025u * id.z + 4u * id.x + w] = exp_f32(x);
                }
                if (id.x == 0u) {
                    output[1025u * id.z + 1024u] = 0.0f;
                }
            }
        "];
        Program {
            constants: Vec::new(),
            arrays: Vec::new(),
            stages: vec![Stage {
                shader: Shader { parts: SOURCE, entry: "exponentials" },
                bindings: vec![Binding::Output],
                groups: Groups::Each([4, 1]),
                parameters: Vec::new(),
            }],
            outputs: ARGUMENTS,
            operations: 1e5,
        }
    }
}

#[test]
fn the_exponential_has_the_same_bits_on_the_adapter() {
    let Some(engine) = engine() else { return };
    let [gpu, cpu] = [engine as &dyn Engine, &CpuEngine::SINGLE]
        .map(|engine| run(engine, &Exponentials, 2200, 0..256));
    assert_eq!(gpu.redone(), 0);
    assert!(cpu.values().contains(&0.0));
    let different = gpu.values().iter().zip(cpu.values()).filter(|(a, b)| a != b).count();
    assert_eq!(different, 0);
}

#[test]
fn the_shaders_are_valid() {
    let data = EmpiricalExperiment::new(&points(10, 3), &[1.0]).expect("valid");
    let experiments: [&dyn Experiment; 2] = [&space(&[1.0], 3), &data];
    for stage in experiments.iter().flat_map(|e| e.program().stages) {
        let source = stage.shader.source();
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
        let capabilities = naga::valid::Capabilities::empty();
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities)
            .validate(&module)
            .unwrap_or_else(|e| panic!("{}: {e:?}", stage.shader.entry));
        assert!(module.entry_points.iter().any(|e| e.name == stage.shader.entry));
    }
}

/// Squared error and information density from the densities themselves, the words read one by
/// one. Both sides round in double precision; the density form loses ln p ~ 100 ulps at σ = 0.2.
#[test]
fn a_replicate_of_a_mixture_is_the_textbook_formula() {
    const DRAWS: usize = 5;
    let levels = [0.2, 1.0, 4.0];
    let found = run(&CpuEngine::DOUBLE, &space(&levels, DRAWS), 2201, 0..200);
    for (replicate, row) in (0..).zip(found.values().chunks(6)) {
        let mut stream = Stream::new(11, 2201, replicate);
        let chosen = [(); DRAWS].map(|()| {
            let u = f64::from(stream.next_u32()) / 4_294_967_296.0;
            if u < 0.5 { 0 } else { 1 + usize::from(u >= 0.8) }
        });
        let mut z = [0.0; 6 * DRAWS];
        stream.fill_normal_f64(&mut z);
        for (l, sigma) in levels.into_iter().enumerate() {
            let (mut error, mut density) = (0.0, 0.0);
            for i in 0..DRAWS {
                let (_, mean, variance) = SPACE[chosen[i]];
                let x0: [f64; 3] =
                    std::array::from_fn(|j| mean[j] + variance[j].sqrt() * z[j * DRAWS + i]);
                let x: [f64; 3] = std::array::from_fn(|j| x0[j] + sigma * z[(3 + j) * DRAWS + i]);
                let log = |m: &[f64; 3], v: &[f64; 3]| -> f64 {
                    (0..3)
                        .map(|j| {
                            let s = v[j] + sigma * sigma;
                            -0.5 * (x[j] - m[j]).powi(2) / s
                                - 0.5 * (2.0 * std::f64::consts::PI * s).ln()
                        })
                        .sum()
                };
                let joint = SPACE.map(|(w, m, v)| w * log(&m, &v).exp());
                let total: f64 = joint.iter().sum();
                for j in 0..3 {
                    let mean: f64 = SPACE
                        .iter()
                        .zip(joint)
                        .map(|((_, m, v), p)| {
                            let gain = v[j] / (v[j] + sigma * sigma);
                            p / total * (m[j] + gain * (x[j] - m[j]))
                        })
                        .sum();
                    error += (x0[j] - mean).powi(2) / DRAWS as f64;
                }
                density += (log(&x0, &[0.0; 3]) - total.ln()) / DRAWS as f64;
            }
            assert!((row[2 * l] - error).abs() < 1e-12, "{} {error}", row[2 * l]);
            assert!((row[2 * l + 1] - density).abs() < 1e-12, "{} {density}", row[2 * l + 1]);
        }
    }
}

/// ½ Σ p_j D_j and −ln P(x0|x_σ) from the distances to x_σ.
#[test]
fn a_replicate_of_a_data_set_is_the_textbook_formula() {
    let (count, d) = (60, 19);
    let data = points(count, d);
    let levels = [0.8, 2.0, 10.0];
    let experiment = EmpiricalExperiment::new(&data, &levels).expect("valid");
    let found = run(&CpuEngine::DOUBLE, &experiment, 2202, 0..200);
    let mut doubles = 0;
    for (replicate, row) in (0..).zip(found.values().chunks(6)) {
        let mut stream = Stream::new(11, 2202, replicate);
        let own = data.row((f64::from(stream.next_u32()) / 4_294_967_296.0 * 60.0) as usize);
        let mut z = vec![0.0; d];
        stream.fill_normal_f64(&mut z);
        doubles += usize::from(own == data.row(1));
        for (l, sigma) in levels.into_iter().enumerate() {
            let square = |a: &[f64], b: &dyn Fn(usize) -> f64| -> f64 {
                a.iter().enumerate().map(|(c, a)| (a - b(c)).powi(2)).sum()
            };
            let weights: Vec<f64> = (0..count)
                .map(|j| square(data.row(j), &|c| own[c] + sigma * z[c]) / (sigma * sigma))
                .map(|q| (-0.5 * q).exp())
                .collect();
            let total: f64 = weights.iter().sum();
            let (mut variance, mut same) = (0.0, 0.0);
            for (j, p) in weights.iter().map(|w| w / total).enumerate() {
                variance += 0.5 * p * square(data.row(j), &|c| own[c]);
                same += if data.row(j) == own { p } else { 0.0 };
            }
            assert!((row[2 * l] - variance).abs() < 1e-12 * (1.0 + variance));
            assert!((row[2 * l + 1] + same.ln()).abs() < 1e-12);
        }
    }
    assert!(doubles > 2, "no draw of the repeated row");
}

/// The adapter against double precision on the same variates. What a kept replicate promises is
/// a doubt of 2⁻¹²: squared errors and the outputs of data sets within that, relative (values
/// below 1e-30 count as zero); information densities of mixtures within `information`, the bound
/// 2⁻²⁴(30 + 20 S) of (M15c) for sizes S up to 100, absolute. Half of all are within 64 roundings.
fn agrees(
    experiment: &dyn Experiment,
    (number, replicates, most_redone): (u32, u64, u64),
    information: f64,
) {
    let Some(engine) = engine() else { return };
    let gpu = run(engine, experiment, number, 0..replicates);
    let cpu = run(&CpuEngine::SINGLE, experiment, number, 0..replicates);
    assert!(gpu.redone() <= most_redone, "{} of {replicates} redone", gpu.redone());
    let mut errors = Vec::new();
    for (output, (a, b)) in gpu.values().iter().zip(cpu.values()).enumerate() {
        let floor = if output % 2 == 1 { information * 4096.0 } else { 0.0 };
        errors.push((a - b).abs() / (b.abs() + 1e-30));
        let tolerance = b.abs().max(floor) / 4096.0 + 1e-30;
        assert!((a - b).abs() <= tolerance, "{number}, output {output}: {a} {b}");
    }
    errors.sort_by(f64::total_cmp);
    let middle = errors[errors.len() / 2];
    assert!(middle <= 64.0 * UNIT, "{middle:e}");
}

const INFORMATION: f64 = 2030.0 * UNIT;

#[test]
fn mixtures_have_the_same_values_on_the_adapter() {
    agrees(&pair(&[0.1, 0.3, 1.0, 3.0, 30.0], 1), (2203, 3000, 300), INFORMATION);
    agrees(&pair(&[0.5, 2.0], 100), (2204, 100, 0), INFORMATION);
    agrees(&plane(&[0.1, 0.5, 1.0, 5.0], 7), (2205, 500, 20), INFORMATION);
    agrees(&space(&[0.1, 0.5, 1.0, 5.0], 7), (2206, 500, 20), INFORMATION);
}

#[test]
fn data_sets_have_the_same_values_on_the_adapter() {
    let experiment = EmpiricalExperiment::new(&points(300, 20), &[0.3, 1.0, 2.0, 4.0, 30.0]);
    agrees(&experiment.expect("valid"), (2207, 300, 3), 0.0);
}

#[test]
fn the_digits_have_the_same_values_on_the_adapter() {
    if engine().is_none() {
        return;
    }
    let experiment = EmpiricalExperiment::new(&digits(), &[0.5, 1.0, 2.0, 8.0]).expect("valid");
    agrees(&experiment, (2208, 6, 0), 0.0);
}

/// Atoms a million widths of the noise from their mean: single precision does not hold the
/// distance between neighbours, and every replicate that depends on it is left to double
/// precision.
#[test]
fn replicates_beyond_single_precision_are_redone() {
    let parts: [(f64, &[f64], &[f64]); 3] =
        [(0.4, &[1e6], &[0.0]), (0.4, &[1e6 + 1.0], &[0.0]), (0.2, &[-3e6], &[0.0])];
    let mixture = DenoisingExperiment::new(&parts, &[0.7], 4).expect("valid");
    let rows: Vec<Vec<f64>> = parts.iter().map(|p| p.1.to_vec()).collect();
    let rows = DataMatrix::from_rows(&rows).expect("valid");
    let data = EmpiricalExperiment::new(&rows, &[0.7]).expect("valid");
    agrees(&mixture, (2209, 200, 200), INFORMATION);
    agrees(&data, (2210, 200, 200), 0.0);
    let Some(engine) = engine() else { return };
    assert!(run(engine, &mixture, 2209, 0..200).redone() > 150);
    assert!(run(engine, &data, 2210, 0..200).redone() > 100);
}

#[test]
fn values_do_not_depend_on_the_batch() {
    let Some(engine) = engine() else { return };
    let data = EmpiricalExperiment::new(&points(90, 7), &[0.7, 2.0]).expect("valid");
    let experiments: [&dyn Experiment; 2] = [&space(&[0.3, 1.0], 70), &data];
    for experiment in experiments {
        let whole = run(engine, experiment, 2211, 0..40);
        let mut parts = run(engine, experiment, 2211, 0..1);
        parts.append(&run(engine, experiment, 2211, 1..13)).expect("contiguous");
        parts.append(&run(engine, experiment, 2211, 13..40)).expect("contiguous");
        assert_eq!(whole, parts);
    }
}

/// Means within their standard errors of certified values; false alarms at most 1e-4 together.
/// Power: every standard error is below 1 % of the value.
#[test]
fn means_are_the_certified_theory() {
    let threshold = family_threshold(1e-4, 16).expect("valid");
    let levels = [0.7, 1.5];
    let check = |samples: &Samples, law: &dyn DataModel, entropy: Option<f64>| {
        for (l, sigma) in levels.into_iter().enumerate() {
            let information = law.information(sigma).expect("a value");
            let second = match entropy {
                Some(h) => rootrate::evidence::Certified::new(
                    h - information.value(),
                    information.error() + 1e-14,
                )
                .into(),
                None => information,
            };
            for (output, theory) in
                [(2 * l, law.mmse(sigma).expect("a value")), (2 * l + 1, second)]
            {
                let found = samples.column(output).and_then(|c| c.sampled()).expect("a mean");
                assert!(found.standard_error < 0.01 * found.mean.abs(), "{found:?}");
                let comparison = Comparison::new(theory, found, 0.0).expect("finite");
                assert!(comparison.agrees(threshold), "σ = {sigma}: {comparison:?}");
            }
        }
    };
    let cpu = &CpuEngine::DOUBLE;
    let law = DiracMixture::on_line(&[-1.0, 1.0], &[0.5, 0.5]).expect("valid");
    check(&run(cpu, &pair(&levels, 50), 2212, 0..4000), &law, None);
    let (weights, atoms): (Vec<f64>, Vec<Vec<f64>>) =
        PLANE.iter().map(|(w, m)| (*w, m.to_vec())).unzip();
    let law = DiracMixture::new(&atoms, &weights).expect("valid");
    check(&run(cpu, &plane(&levels, 50), 2213, 0..4000), &law, None);
    let parts: [(f64, &[f64], &[f64]); 2] = [(0.3, &[-1.5], &[0.09]), (0.7, &[1.0], &[0.5])];
    let mixture = DenoisingExperiment::new(&parts, &levels, 50).expect("valid");
    let law = GaussianMixture::new(
        parts.iter().map(|p| Component::isotropic(p.0, p.1.to_vec(), p.2[0])).collect(),
    )
    .expect("valid");
    check(&run(cpu, &mixture, 2214, 0..4000), &law, None);
    // nine rows in the plane, of which two are equal
    let mut rows: Vec<Vec<f64>> = atoms.iter().chain(&atoms[1..4]).cloned().collect();
    rows.iter_mut().skip(5).for_each(|x| x[0] += 2.5);
    rows.push(rows[1].clone());
    let mut weights = vec![1.0 / 9.0; 8];
    weights[1] = 2.0 / 9.0;
    let law = DiracMixture::new(&rows[..8], &weights).expect("valid");
    let entropy = weights.iter().map(|w: &f64| -w * w.ln()).sum();
    let data = DataMatrix::from_rows(&rows).expect("valid");
    let experiment = EmpiricalExperiment::new(&data, &levels).expect("valid");
    check(&run(cpu, &experiment, 2215, 0..60_000), &law, Some(entropy));
}

#[test]
fn bad_denoising_experiments_are_refused_with_a_reason() {
    use MonteCarloError as E;
    let make = |parts: &[(f64, &[f64], &[f64])], levels: &[f64], draws| {
        DenoisingExperiment::new(parts, levels, draws).map(|_| ())
    };
    let good: &[(f64, &[f64], &[f64])] = &[(1.0, &[0.0], &[1.0])];
    assert!(matches!(make(&[], &[1.0], 1), Err(E::Parameter { .. })));
    assert!(matches!(make(good, &[], 1), Err(E::Parameter { .. })));
    assert!(matches!(make(good, &[1.0], 0), Err(E::Parameter { .. })));
    assert!(matches!(make(good, &[1.0], usize::MAX), Err(E::Parameter { .. })));
    for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(make(good, &[1.0, sigma], 1), Err(E::Element { index: 1, .. })));
        let data = EmpiricalExperiment::new(&points(5, 2), &[sigma]);
        assert!(matches!(data, Err(E::Element { index: 0, .. })));
    }
    assert!(matches!(make(&[(1.0, &[0.0], &[1.0; 2])], &[1.0], 1), Err(E::Length { .. })));
    assert!(matches!(make(&[(0.9, &[0.0], &[1.0])], &[1.0], 1), Err(E::Parameter { .. })));
    assert!(matches!(make(&[(1.0, &[f64::NAN], &[1.0])], &[1.0], 1), Err(E::Element { .. })));
    assert!(matches!(make(&[(1.0, &[0.0], &[-1.0])], &[1.0], 1), Err(E::Element { .. })));
    assert!(EmpiricalExperiment::new(&points(5, 2), &[]).is_err());
    let far = DataMatrix::from_rows(&[vec![0.0], vec![1e200]]).expect("finite");
    assert!(matches!(EmpiricalExperiment::new(&far, &[1.0]), Err(E::Element { index: 1, .. })));
}
