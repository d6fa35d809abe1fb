//! Compute shaders on an adapter. A machine without any adapter skips these tests and says so;
//! with `ROOTRATE_REQUIRE_ADAPTER` set, a missing adapter is a failure.

use std::sync::OnceLock;

use rootrate::montecarlo::gpu::{
    GpuEngine, ITERATIONS, adapters, count_iterations, stream_normals, stream_words,
};
use rootrate::montecarlo::program::Program;
use rootrate::montecarlo::{CpuEngine, Engine, NormalMoments, Stream, Streams};

/// The engine of these tests: a software adapter where there is one (its arithmetic is that of
/// the processor), else the first one.
pub(crate) fn engine() -> Option<&'static GpuEngine> {
    static ENGINE: OnceLock<Option<GpuEngine>> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| {
        let adapter = adapters().pop()?;
        Some(GpuEngine::open(adapter).expect("an adapter that was listed opens"))
    });
    if engine.is_none() {
        assert!(
            std::env::var_os("ROOTRATE_REQUIRE_ADAPTER").is_none(),
            "ROOTRATE_REQUIRE_ADAPTER is set and there is no Vulkan, Metal or DirectX 12 adapter"
        );
        eprintln!("skipped: there is no Vulkan, Metal or DirectX 12 adapter");
    }
    engine.as_ref()
}

#[test]
fn the_adapter_draws_the_words_of_the_processor() {
    let Some(engine) = engine() else { return };
    for (seed, experiment, replicate, block) in [
        (1, 0, 0, 0),
        (u64::MAX - 5, 7, u32::MAX, 3),
        (0x0123_4567_89AB_CDEF, u32::MAX, 12, 1 << 31),
    ] {
        let streams = Streams { seed, experiment };
        let words =
            stream_words(engine.device(), streams, replicate, (block, 1 << 14)).expect("words");
        let stream = Stream::new(seed, experiment, replicate);
        for (i, word) in words.iter().enumerate() {
            assert_eq!(*word, stream.at(4 * u64::from(block) + i as u64), "{seed} word {i}");
        }
    }
}

#[test]
fn the_adapter_draws_the_normals_of_the_processor() {
    let Some(engine) = engine() else { return };
    let streams = Streams { seed: 3, experiment: 5 };
    let normals = stream_normals(engine.device(), streams, 9, (0, 1 << 18)).expect("normals");
    let mut expected = vec![0.0_f32; normals.len()];
    streams.replicate(9).fill_normal_f32(&mut expected);
    let different = normals.iter().zip(&expected).filter(|(a, b)| a.to_bits() != b.to_bits());
    assert_eq!(different.count(), 0);
}

#[test]
fn loops_run_to_their_end() {
    let Some(engine) = engine() else { return };
    assert_eq!(count_iterations(engine.device(), ITERATIONS).expect("a count"), ITERATIONS);
}

#[test]
fn an_experiment_has_the_same_values_on_the_adapter() {
    let Some(engine) = engine() else { return };
    let experiment = NormalMoments::new(4096).expect("valid");
    let streams = Streams { seed: 3, experiment: 5 };
    let gpu = engine.run(&experiment, streams, 0..3000, &|_, _| ()).expect("values");
    let cpu = CpuEngine::SINGLE.run(&experiment, streams, 0..3000, &|_, _| ()).expect("values");
    for (a, b) in gpu.values().iter().zip(cpu.values()) {
        // six roundings a power and seven of a sum, relative to E|z|⁶ < 16
        assert!((a - b).abs() <= 13.0 * 6e-8 * 16.0, "{a} {b}");
    }
}

/// Every shader of `program` parses and is valid in the portable subset of the language; needs
/// no adapter.
pub(crate) fn assert_valid_shaders(program: &Program) {
    for stage in &program.stages {
        let source = stage.shader.source();
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|e| panic!("{}: {}", stage.shader.entry, e.emit_to_string(&source)));
        let flags = naga::valid::ValidationFlags::all();
        let checked = naga::valid::Validator::new(flags, naga::valid::Capabilities::empty())
            .validate(&module);
        assert!(checked.is_ok(), "{}: {:?}", stage.shader.entry, checked.err());
        assert!(module.entry_points.iter().any(|entry| entry.name == stage.shader.entry));
    }
}
