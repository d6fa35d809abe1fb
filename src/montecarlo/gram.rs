//! The stage of a program that forms a Gram matrix.

use super::program::{Binding, Groups, Shader, Stage};

const GRAM: Shader = Shader { parts: &[include_str!("shaders/gram.wgsl")], entry: "gram" };
/// Longest sum of a stage: loop trips an invocation.
pub(super) const LONGEST: usize = 1 << 15;
/// Terms of a sum that are added one after the other; then their sums are.
pub(super) const BLOCK: usize = 64;

/// Which entries of the array `factor` are a(k, i).
#[derive(Debug, Clone, Copy)]
pub(super) struct Factor {
    /// The array.
    pub(super) array: usize,
    /// Its words a replicate.
    pub(super) words: usize,
    /// Step from i to i + 1.
    pub(super) across: usize,
    /// Step from k to k + 1.
    pub(super) along: usize,
}

/// Array `product`, size × size, of Σ_k a(k, i) a(k, j) over k < length.
pub(super) fn gram_stage(factor: Factor, product: usize, size: usize, length: usize) -> Stage {
    let tiles = size.div_ceil(16) as u32;
    let parameters = [size, length, factor.across, factor.along, factor.words, size * size];
    Stage {
        shader: GRAM,
        bindings: vec![Binding::Read(factor.array), Binding::Array(product)],
        groups: Groups::Each([tiles, tiles]),
        parameters: parameters.map(|v| v as u32).to_vec(),
    }
}
