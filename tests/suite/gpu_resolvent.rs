//! Traces of resolvents (M18): kernels against double precision, double precision against a
//! complex solver, and both against exact identities and the limiting law.

use nalgebra::DMatrix;
use num_complex::Complex64;
use rootrate::evidence::Certified;
use rootrate::montecarlo::{
    Comparison, CpuEngine, Engine, Experiment, MonteCarloError, ResolventTraceExperiment, Sample,
    Samples, Streams,
};
use rootrate::resolvent::SilversteinLaw;
use rootrate::spectrum::Spectrum;

use super::gpu::{assert_valid_shaders, engine};

/// 2⁻²⁴.
const ROUNDOFF: f64 = f32::EPSILON as f64 / 2.0;

fn streams(experiment: u32) -> Streams {
    Streams { seed: 11, experiment: 2400 + experiment }
}

fn run(
    engine: &dyn Engine,
    experiment: &ResolventTraceExperiment,
    number: u32,
    replicates: std::ops::Range<u64>,
) -> Samples {
    engine.run(experiment, streams(number), replicates, &|_, _| ()).expect("values")
}

/// The traces of every replicate.
fn traces(samples: &Samples) -> Vec<Vec<Complex64>> {
    let pairs = |row: &[f64]| row.chunks(2).map(|v| Complex64::new(v[0], v[1])).collect();
    samples.values().chunks(samples.outputs()).map(pairs).collect()
}

fn power_law(p: usize) -> Vec<f64> {
    (1..=p).map(|k| (k as f64).powf(-0.8)).collect()
}

fn points() -> Vec<Complex64> {
    [(0.4, 0.1), (-0.2, 0.0), (1.5, 0.4), (-0.3, 0.05), (0.0, 2.0)]
        .map(|(re, im)| Complex64::new(re, im))
        .to_vec()
}

#[test]
fn resolvent_kernels_are_valid() {
    for (n, p) in [(1, 1), (9, 4), (4, 9), (300, 512), (40, 20_000)] {
        let experiment = ResolventTraceExperiment::new(&vec![1.0; p], n, &points()).expect("valid");
        assert!(experiment.program().stages.len() > 3, "{n} {p}");
        assert_valid_shaders(&experiment.program());
    }
    // what no kernel fits is left to the processor
    let large = ResolventTraceExperiment::new(&[1.0; 513], 600, &points()).expect("valid");
    assert_eq!(large.program().stages.len(), 1);
}

/// |Δm| ≤ C 2⁻²⁴ (‖Ŝ‖ + |z|)/dist(z, [0, ∞))·|m| with C = 4 + √(max(n, p)/64), as the doubt
/// estimates it, in all shapes of the reduction: one entry, several lanes a column, several
/// columns an invocation and several dispatches (the last).
#[test]
fn traces_of_the_adapter_are_those_of_the_processor() {
    let Some(engine) = engine() else { return };
    for (n, p, replicates) in [(1, 1, 3), (2, 3, 3), (40, 20, 8), (19, 45, 8), (268, 260, 1)] {
        let unit = 3e4;
        let eigenvalues: Vec<f64> = power_law(p).iter().map(|v| v * unit).collect();
        let points: Vec<Complex64> = points().iter().map(|z| z * unit).collect();
        let experiment = ResolventTraceExperiment::new(&eigenvalues, n, &points).expect("valid");
        let gpu = run(engine, &experiment, 0, 0..replicates);
        assert_eq!(gpu.redone(), 0, "{n} {p}");
        let cpu = run(&CpuEngine::SINGLE, &experiment, 0, 0..replicates);
        // ‖Ŝ‖ ≤ tr Ŝ in the first cases, (1 + √c)² otherwise, three standard deviations over
        let norm =
            unit * if n < 5 { 12.0 } else { 1.3 * (1.0 + (p as f64 / n as f64).sqrt()).powi(2) };
        let growth = 4.0 + (n.max(p) as f64 / 64.0).sqrt();
        for (a, b) in traces(&gpu).iter().zip(traces(&cpu)) {
            for ((a, b), z) in a.iter().zip(b).zip(&points) {
                let distance = if z.re < 0.0 { z.norm() } else { z.im };
                let bound = growth * ROUNDOFF * (norm + z.norm()) / distance * b.norm();
                assert!((a - b).norm() <= bound, "{n} {p} {z}: {a} {b}");
            }
        }
    }
}

#[test]
fn traces_do_not_depend_on_the_batch() {
    let Some(engine) = engine() else { return };
    let experiment = ResolventTraceExperiment::new(&power_law(7), 12, &points()).expect("valid");
    let whole = run(engine, &experiment, 1, 5..12);
    let mut parts = run(engine, &experiment, 1, 5..6);
    parts.append(&run(engine, &experiment, 1, 6..12)).expect("contiguous");
    assert_eq!(parts, whole);
}

/// At 10⁻⁵ above the real axis the doubt is about 4·2⁻²⁴·5·10⁵ > 10⁻⁴.
#[test]
fn traces_near_the_spectrum_are_computed_in_double_precision() {
    let Some(engine) = engine() else { return };
    let near = [Complex64::new(0.5, 1e-5), Complex64::new(0.5, 1.0)];
    let experiment = ResolventTraceExperiment::new(&[1.0; 10], 20, &near).expect("valid");
    let gpu = run(engine, &experiment, 2, 0..5);
    assert_eq!(gpu.redone(), 5);
    let cpu = run(&CpuEngine::SINGLE, &experiment, 2, 0..5);
    assert_eq!(gpu.values(), cpu.values());
}

/// (1/p) tr (Ŝ − z)⁻¹ by inverting the complex p×p matrix. Its condition number is below 100.
#[test]
fn a_trace_equals_that_of_the_inverse_matrix() {
    let z = [Complex64::new(0.4, 0.1), Complex64::new(-0.2, 0.0)];
    for (n, p) in [(30, 12), (12, 30), (1, 4), (5, 5)] {
        let eigenvalues = power_law(p);
        let experiment = ResolventTraceExperiment::new(&eigenvalues, n, &z).expect("valid");
        let samples = run(&CpuEngine::DOUBLE, &experiment, 3, 4..6);
        for (replicate, values) in (4..).zip(traces(&samples)) {
            let mut draws = vec![0.0; n * p];
            streams(3).replicate(replicate).fill_normal_f64(&mut draws);
            let x = DMatrix::from_fn(n, p, |i, j| {
                Complex64::from(draws[i * p + j] * eigenvalues[j].sqrt())
            });
            let covariance = x.transpose() * x / Complex64::from(n as f64);
            for (value, z) in values.iter().zip(z) {
                let shifted = &covariance - DMatrix::identity(p, p) * z;
                let trace = shifted.try_inverse().expect("regular").trace() / p as f64;
                assert!((value - trace).norm() < 1e-12 * trace.norm(), "{n} {p} {value} {trace}");
            }
        }
    }
}

/// The loop equation (M18d) at finite n, Σ = I: for t = tr G and t' = tr G²,
/// E[p + z t − t + (p + z t) t/n + (t + z t')/n] = 0 exactly. t' by four differences of step h,
/// which err by (h/|z|)⁴ relative, 10⁻⁴ of a term of order 1/n. False-alarm rate 10⁻⁴ each.
#[test]
fn traces_satisfy_the_loop_equation() {
    let (n, p) = (14, 6);
    let (z, h) = (Complex64::new(-0.3, 0.6), 0.06);
    let i = Complex64::i();
    let points = [z, z + h, z - h, z + h * i, z - h * i];
    let experiment = ResolventTraceExperiment::new(&vec![1.0; p], n, &points).expect("valid");
    let score = |samples: &Samples, correction: f64| {
        let (n, p) = (n as f64, p as f64);
        let terms: Vec<f64> = traces(samples)
            .iter()
            .map(|m| {
                let t = p * m[0];
                let slope = p * ((m[1] - m[2]) - i * (m[3] - m[4])) / (4.0 * h);
                let defect = p + z * t - t + (p + z * t) * t / n + correction * (t + z * slope) / n;
                defect.re + defect.im
            })
            .collect();
        let mean = Sample::new(0, terms).expect("finite").sampled().expect("enough");
        mean.mean / mean.standard_error
    };
    let samples = run(&CpuEngine::DOUBLE, &experiment, 4, 0..20_000);
    assert!(score(&samples, 1.0).abs() < 3.9, "{}", score(&samples, 1.0));
    // power: without its last term, the 1/n correction of real matrices, it fails
    assert!(score(&samples, 0.0).abs() > 8.0, "{}", score(&samples, 0.0));
    if let Some(engine) = engine() {
        let samples = run(engine, &experiment, 4, 0..300);
        assert!(score(&samples, 1.0).abs() < 3.9, "{}", score(&samples, 1.0));
    }
}

/// Means at n = 120 against the limit: the difference is of order 1/n, 1/n relative allowed;
/// 200 replicates have a standard error of a tenth of that. False-alarm rate 10⁻⁴ a comparison.
#[test]
fn mean_traces_agree_with_the_limiting_law() {
    for (n, p) in [(120, 60), (60, 120)] {
        let eigenvalues = power_law(p);
        let experiment = ResolventTraceExperiment::new(&eigenvalues, n, &points()).expect("valid");
        let samples = run(&CpuEngine::DOUBLE, &experiment, 5, 0..200);
        let population = Spectrum::from_eigenvalues(&eigenvalues).expect("valid");
        let law = SilversteinLaw::new(&population, p as f64 / n as f64).expect("valid");
        for (k, z) in points().into_iter().enumerate() {
            let limit = match z.im {
                0.0 => law.stieltjes_real(z.re).expect("outside").value().into(),
                _ => law.stieltjes(z).expect("outside").value(),
            };
            for (column, theory) in [(2 * k, limit.re), (2 * k + 1, limit.im)] {
                let mean = samples.column(column).expect("a column").sampled().expect("enough");
                if mean.standard_error == 0.0 {
                    assert_eq!(mean.mean, theory);
                    continue;
                }
                let theory = Certified::new(theory, 0.0).into();
                let allowance = limit.norm() / n as f64;
                let comparison = Comparison::new(theory, mean, allowance).expect("valid");
                assert!(comparison.agrees(1e-4), "{n} {p} {z} {comparison:?}");
            }
        }
    }
}

#[test]
fn bad_resolvent_experiments_are_refused_with_a_reason() {
    use MonteCarloError as E;
    let make = |eigenvalues: &[f64], n, re, im| {
        ResolventTraceExperiment::new(eigenvalues, n, &[Complex64::new(re, im)])
    };
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        let error = make(&[1.0, bad], 9, 0.0, 1.0).unwrap_err();
        assert!(matches!(error, E::Element { name: "eigenvalues", index: 1, .. }), "{error}");
    }
    for (re, im) in [(0.0, -1.0), (0.0, 0.0), (1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        assert!(matches!(make(&[1.0], 9, re, im), Err(E::Element { .. })), "{re} {im}");
    }
    assert!(matches!(make(&[], 9, 0.0, 1.0), Err(E::Parameter { .. })));
    assert!(matches!(make(&[0.0; 3], 9, 0.0, 1.0), Err(E::Parameter { .. })));
    assert!(matches!(make(&[1.0], 0, 0.0, 1.0), Err(E::Parameter { .. })));
    assert!(matches!(make(&[1.0; 2], usize::MAX, 0.0, 1.0), Err(E::TooLarge { .. })));
    let none = ResolventTraceExperiment::new(&[1.0], 9, &[]);
    assert!(matches!(none, Err(E::Parameter { .. })));
    // numbers beyond double precision are errors that name the replicate
    let huge = make(&[1e308], 9, 0.0, 1.0).expect("valid");
    let error = CpuEngine::DOUBLE.run(&huge, streams(9), 3..40, &|_, _| ()).unwrap_err();
    assert!(matches!(error, E::Linalg { .. } | E::NotFinite), "{error}");
}
