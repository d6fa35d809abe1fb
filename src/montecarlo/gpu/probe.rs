//! Small programs that tell whether an adapter computes what it should.

use serde::Serialize;

use super::Device;
use crate::montecarlo::program::{Binding, Groups, Program, Shader, Stage};
use crate::montecarlo::{MonteCarloError, Streams};

const STREAMS: &[&str] = &[include_str!("../shaders/streams.wgsl")];
const CANARY: &[&str] = &[include_str!("../shaders/canary.wgsl")];
/// Iterations an invocation that every kernel here stays below.
pub const ITERATIONS: u32 = 50_000;
/// Blocks of a stream at once.
const BLOCKS: u64 = 1 << 20;
/// Blocks that [`examine`] compares.
const EXAMINED: u32 = 1 << 10;
/// Largest relative difference of normals between engines (M9).
const NORMALS_DIFFER: f64 = 1.0 / 524_288.0;

/// What an adapter computes beside what it should.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Examination {
    /// Whether its random words are those of the processor.
    pub words_equal: bool,
    /// Whether its single-precision normals are, to the last bit.
    pub normals_equal: bool,
    /// Largest difference of its normals from those of the processor, relative.
    pub normals_difference: f64,
    /// Iterations that it carries out of a loop of [`ITERATIONS`].
    pub iterations: u32,
}

impl Examination {
    /// Why the adapter must not be used, if so.
    pub fn fault(&self) -> Option<String> {
        let difference = self.normals_difference;
        if !self.words_equal {
            Some("computes wrong random words".to_owned())
        } else if difference.is_nan() || difference > NORMALS_DIFFER {
            Some(format!("computes normals that differ by {difference:.1e} relative"))
        } else if self.iterations != ITERATIONS {
            Some(format!("ends a loop of {ITERATIONS} iterations after {}", self.iterations))
        } else {
            None
        }
    }
}

/// Compares words and normals of a stream with the processor's, and counts iterations.
///
/// # Errors
/// A device that fails.
pub fn examine(device: &Device) -> Result<Examination, MonteCarloError> {
    let streams = Streams { seed: 0x0123_4567_89AB_CDEF, experiment: u32::MAX };
    let replicate = 7;
    let words = stream_words(device, streams, replicate, (0, EXAMINED))?;
    let normals = stream_normals(device, streams, replicate, (0, EXAMINED))?;
    let iterations = count_iterations(device, ITERATIONS)?;
    let stream = streams.replicate(replicate);
    let mut expected = vec![0.0_f32; normals.len()];
    stream.clone().fill_normal_f32(&mut expected);
    let pairs = || normals.iter().zip(&expected);
    Ok(Examination {
        words_equal: (0..).zip(&words).all(|(i, word)| *word == stream.at(i)),
        normals_equal: pairs().all(|(a, b)| a.to_bits() == b.to_bits()),
        normals_difference: pairs()
            .map(|(&a, &b)| f64::from(a - b).abs() / f64::from(b).abs().max(f64::MIN_POSITIVE))
            .fold(0.0, |worst, d| if d.is_nan() || d > worst { d } else { worst }),
        iterations,
    })
}

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
