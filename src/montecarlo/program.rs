//! A batch of replicates as a graphics processor runs it: compute shaders, the arrays that they
//! share, and how many groups of invocations each starts. Nothing here touches a device.

use std::sync::Arc;

/// Most words of [`Stage::parameters`].
pub const MAX_PARAMETERS: usize = 56;

const HOST: &[&str] = &[include_str!("shaders/host.wgsl")];
/// Definitions that every shader sees: the call's uniforms, Philox, uniforms and normals.
const PRELUDE: &str = include_str!("shaders/prelude.wgsl");

/// One entry point of one shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shader {
    /// Parts of WGSL source, after the prelude.
    pub parts: &'static [&'static str],
    /// Its `@compute` function.
    pub entry: &'static str,
}

impl Shader {
    /// The whole WGSL source.
    pub fn source(&self) -> String {
        let mut source = PRELUDE.to_owned();
        self.parts.iter().for_each(|part| source += part);
        source
    }
}

/// What is bound at `@binding(1)`, `@binding(2)`, … of group 0; 0 holds the call's uniforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Binding {
    /// A list of [`Program::constants`]: `var<storage, read>`.
    Constant(usize),
    /// A list of [`Program::arrays`], only read: `var<storage, read>`.
    Read(usize),
    /// A list of [`Program::arrays`]: `var<storage, read_write>`.
    Array(usize),
    /// The results, `outputs + 1` words a replicate, the last one the doubt:
    /// `var<storage, read_write>`.
    Output,
}

/// How many workgroups a stage starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    /// x × y for each replicate; `workgroup_id.z` is the replicate within the batch.
    Each([u32; 2]),
    /// One invocation a replicate in workgroups of this many (`@workgroup_size`);
    /// `global_invocation_id.x` is the replicate within the batch, possibly beyond its end.
    Across(u32),
}

/// One dispatch.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// What runs.
    pub shader: Shader,
    /// On which arrays.
    pub bindings: Vec<Binding>,
    /// How often.
    pub groups: Groups,
    /// `parameter(i)` of the shader; floating-point numbers by their bits.
    pub parameters: Vec<u32>,
}

/// Everything that a batch of replicates needs, for one replicate.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Lists that all replicates read, uploaded once.
    pub constants: Vec<Arc<[f32]>>,
    /// Lists that every replicate has of its own: their lengths in 32-bit words.
    pub arrays: Vec<usize>,
    /// In order; each sees what those before it wrote.
    pub stages: Vec<Stage>,
    /// Values a replicate.
    pub outputs: usize,
    /// Approximate floating-point operations a replicate: batches are cut so that none keeps
    /// the device busy for long.
    pub operations: f64,
}

impl Program {
    /// The program that leaves every replicate of `outputs` values to the processor: for
    /// problems that no kernel fits.
    pub fn host(outputs: usize) -> Self {
        let leave = Stage {
            shader: Shader { parts: HOST, entry: "leave" },
            bindings: vec![Binding::Output],
            groups: Groups::Across(64),
            parameters: vec![outputs as u32],
        };
        let (constants, arrays) = (Vec::new(), Vec::new());
        Self { constants, arrays, stages: vec![leave], outputs, operations: 1.0 }
    }
}
