//! Small programs that tell whether an adapter computes what it should.

use super::Device;
use crate::montecarlo::program::{Binding, Groups, Program, Shader, Stage};
use crate::montecarlo::{MonteCarloError, Streams};

const STREAMS: &[&str] = &[include_str!("../shaders/streams.wgsl")];
const CANARY: &[&str] = &[include_str!("../shaders/canary.wgsl")];
/// Iterations an invocation that every kernel here stays below.
pub const ITERATIONS: u32 = 50_000;
/// Blocks of a stream at once.
const BLOCKS: u64 = 1 << 20;

/// The first `4·blocks` words of a replicate's stream from block `first` on, by the adapter.
///
/// # Errors
/// More than 2²⁰ blocks, or a device that fails.
pub fn stream_words(
    device: &Device,
    streams: Streams,
    replicate: u32,
    (first, blocks): (u32, u32),
) -> Result<Vec<u32>, MonteCarloError> {
    stream(device, "words", streams, replicate, (first, blocks))
}

/// The single-precision normals of the same blocks, four each, by the adapter.
///
/// # Errors
/// As [`stream_words`].
pub fn stream_normals(
    device: &Device,
    streams: Streams,
    replicate: u32,
    (first, blocks): (u32, u32),
) -> Result<Vec<f32>, MonteCarloError> {
    let words = stream(device, "normal_words", streams, replicate, (first, blocks))?;
    Ok(words.into_iter().map(f32::from_bits).collect())
}

fn stream(
    device: &Device,
    entry: &'static str,
    streams: Streams,
    replicate: u32,
    (first, blocks): (u32, u32),
) -> Result<Vec<u32>, MonteCarloError> {
    if u64::from(blocks) > BLOCKS {
        let value = f64::from(blocks);
        return Err(MonteCarloError::Parameter { name: "blocks", value, valid: "at most 2²⁰" });
    }
    let stage = Stage {
        shader: Shader { parts: STREAMS, entry },
        bindings: vec![Binding::Output],
        groups: Groups::Each([blocks.div_ceil(64), 1]),
        parameters: vec![first, blocks],
    };
    let mut words = single(device, streams, replicate, stage, 4 * blocks as usize)?;
    words.truncate(4 * blocks as usize);
    Ok(words)
}

/// How many of `asked` iterations of a loop the adapter carries out.
///
/// # Errors
/// A device that fails.
pub fn count_iterations(device: &Device, asked: u32) -> Result<u32, MonteCarloError> {
    let streams = Streams { seed: 0, experiment: 0 };
    let stage = Stage {
        shader: Shader { parts: CANARY, entry: "count" },
        bindings: vec![Binding::Output],
        groups: Groups::Each([1, 1]),
        parameters: vec![asked],
    };
    Ok(single(device, streams, 0, stage, 1)?[0])
}

/// The output words of one stage for one replicate.
fn single(
    device: &Device,
    streams: Streams,
    replicate: u32,
    stage: Stage,
    outputs: usize,
) -> Result<Vec<u32>, MonteCarloError> {
    let program = Program {
        constants: Vec::new(),
        arrays: Vec::new(),
        stages: vec![stage],
        outputs,
        operations: 0.0,
    };
    let replicate = u64::from(replicate);
    device.load(&program, 1)?.execute(streams, replicate..replicate + 1)
}
