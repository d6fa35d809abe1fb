//! Regressions by compute shaders against double precision on the same variates (M11).

use naga::valid::{Capabilities, ValidationFlags, Validator};
use rootrate::montecarlo::program::Program;
use rootrate::montecarlo::{
    CpuEngine, Engine, Experiment, NoiseKind, RandomFeaturesExperiment, RidgeExperiment, Samples,
    Streams, TwoPoint,
};

fn scale() -> TwoPoint {
    TwoPoint::new(0.25, 0.6).expect("a valid scale")
}

/// Eigenvalues k^{−a}; coefficients of equal size and alternating sign, w*ᵀw* = 1.
fn power_law(p: usize, exponent: f64) -> (Vec<f64>, Vec<f64>) {
    let eigenvalues = (1..=p).map(|k| (k as f64).powf(-exponent)).collect();
    let root = (p as f64).sqrt();
    let signal = (0..p).map(|k| if k % 2 == 0 { 1.0 / root } else { -1.0 / root }).collect();
    (eigenvalues, signal)
}

fn ridge(
    (n, p): (usize, usize),
    (exponent, ridge, tau2): (f64, f64, f64),
    noise: NoiseKind,
) -> RidgeExperiment {
    let (eigenvalues, signal) = power_law(p, exponent);
    RidgeExperiment::new(&eigenvalues, &signal, n, ridge, tau2, noise).expect("a valid problem")
}

fn run(engine: &dyn Engine, experiment: &dyn Experiment, number: u32, count: u64) -> Samples {
    let streams = Streams { seed: 11, experiment: number };
    engine.run(experiment, streams, 0..count, &|_, _| ()).expect("values")
}

#[test]
fn explore() {
    let Some(engine) = super::gpu::engine() else { return };
    use NoiseKind::{Elliptical, FeatureDependent, Heteroscedastic, Homoscedastic};
    let s = scale();
    let mut number = 2000;
    for (size, problem, noise) in [
        ((8, 8), (0.0, 0.5, 0.3), Homoscedastic),
        ((9, 70), (0.8, 0.0, 0.3), Elliptical(s)),
        ((30, 13), (0.8, 0.01, 0.3), Heteroscedastic(s)),
        ((130, 100), (0.0, 0.0, 0.3), FeatureDependent(s)),
        ((100, 130), (1.0, 0.1, 0.3), FeatureDependent(s)),
        ((300, 130), (1.0, 0.0, 0.0), Homoscedastic),
        ((300, 130), (2.0, 1e-3, 0.0), Elliptical(s)),
        ((64, 64), (0.0, 1e-2, 1.0), Homoscedastic),
    ] {
        let experiment = ridge(size, problem, noise);
        let t = std::time::Instant::now();
        let gpu = run(engine, &experiment, number, 4);
        let e = t.elapsed();
        let cpu = run(&CpuEngine::SINGLE, &experiment, number, 4);
        let errors: Vec<f64> =
            gpu.values().iter().zip(cpu.values()).map(|(a, b)| a / b - 1.0).collect();
        println!("{size:?} {problem:?} {noise:?} redone {} {:?} {e:?}", gpu.redone(), errors);
        number += 1;
    }
    for (n, p, d, penalty) in [(20, 12, 8, 0.1), (12, 70, 30, 0.1), (100, 64, 130, 1e-2)] {
        let (eigenvalues, signal) = power_law(d, 0.8);
        let experiment =
            RandomFeaturesExperiment::new(&eigenvalues, &signal, n, p, penalty, 0.3).unwrap();
        let t = std::time::Instant::now();
        let gpu = run(engine, &experiment, number, 4);
        let e = t.elapsed();
        let cpu = run(&CpuEngine::SINGLE, &experiment, number, 4);
        let errors: Vec<f64> =
            gpu.values().iter().zip(cpu.values()).map(|(a, b)| a / b - 1.0).collect();
        println!("{n} {p} {d} redone {} {:?} {e:?}", gpu.redone(), errors);
        number += 1;
    }
}

fn validate(program: &Program) {
    for stage in &program.stages {
        let source = stage.shader.source();
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
        Validator::new(ValidationFlags::all(), Capabilities::empty())
            .validate(&module)
            .unwrap_or_else(|e| panic!("{}: {e:?}", stage.shader.entry));
    }
}

#[test]
fn every_shader_is_valid() {
    validate(&ridge((9, 40), (0.0, 0.1, 0.3), NoiseKind::Elliptical(scale())).program());
    validate(&ridge((40, 33), (0.0, 0.1, 0.3), NoiseKind::Homoscedastic).program());
}
