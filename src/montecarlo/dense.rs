//! Dense linear algebra on a graphics processor: stages of a [`Program`](super::program::Program)
//! for a batch of matrices, one of each for every replicate (M11a).

use super::program::{Binding, Groups, Shader, Stage};

/// Terms that a product adds one after the other, before it adds their sums.
pub(super) const BLOCK_OF_SUM: usize = 64;
/// Columns of one block of the factorisation.
const BLOCK: usize = 32;
/// Rows and columns of the tile of a product that a workgroup computes.
const TILE: usize = 64;
/// Longest inner dimension of one dispatch.
const INNER: usize = 1 << 14;
/// Blocks of the back substitution in one dispatch.
const BLOCKS: usize = 32;
/// Largest order of a system: beyond, an invocation would loop for too long.
pub(super) const MAX_ORDER: usize = 1 << 13;
/// Most terms of a sum that one invocation adds up, as in [`transposed_product`].
pub(super) const MAX_LENGTH: usize = 1 << 15;

const PRODUCT: Shader = Shader {
    parts: &[include_str!("shaders/tile.wgsl"), include_str!("shaders/product.wgsl")],
    entry: "product",
};
const UPDATE: Shader = Shader {
    parts: &[include_str!("shaders/tile.wgsl"), include_str!("shaders/update.wgsl")],
    entry: "update",
};
const FACTOR: Shader = Shader { parts: &[include_str!("shaders/factor.wgsl")], entry: "factor" };
const PANEL: Shader = Shader { parts: &[include_str!("shaders/panel.wgsl")], entry: "panel" };
const SUBSTITUTE: Shader =
    Shader { parts: &[include_str!("shaders/substitute.wgsl")], entry: "substitute" };
const TRANSPOSED: Shader =
    Shader { parts: &[include_str!("shaders/transposed.wgsl")], entry: "transposed" };

/// A matrix inside the array that every replicate has of its own: entry (i, k) is word
/// `offset + strides[0]·i + strides[1]·k`.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    /// Number of the array.
    pub(super) array: usize,
    /// Its words a replicate.
    pub(super) length: usize,
    /// The first entry.
    pub(super) offset: usize,
    /// From a row, and from a column, to the next.
    pub(super) strides: [usize; 2],
}

/// A row-major matrix that fills its array.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix {
    /// Number of the array.
    pub(super) array: usize,
    /// Its rows.
    pub(super) rows: usize,
    /// Its columns.
    pub(super) columns: usize,
}

impl Matrix {
    /// Words of the array.
    pub(super) fn length(&self) -> usize {
        self.rows * self.columns
    }

    /// All of it.
    pub(super) fn view(&self) -> View {
        let strides = [self.columns, 1];
        View { array: self.array, length: self.length(), offset: 0, strides }
    }
}

impl View {
    /// The same matrix with rows and columns exchanged.
    pub(super) fn transposed(self) -> Self {
        Self { strides: [self.strides[1], self.strides[0]], ..self }
    }

    fn words(&self) -> [u32; 4] {
        [self.length, self.offset, self.strides[0], self.strides[1]].map(|v| v as u32)
    }
}

/// C = α·A·Bᵀ + s·1 of a matrix A of `rows` rows, the last ones of which may come from `extra`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product {
    /// A, or its first rows.
    pub(super) left: View,
    /// From which row on those of another matrix are used instead.
    pub(super) extra: Option<(usize, View)>,
    /// B.
    pub(super) right: View,
    /// C, in another array than A and B.
    pub(super) result: View,
    /// Of A and C.
    pub(super) rows: usize,
    /// Of C; rows of B.
    pub(super) columns: usize,
    /// Columns of A and B.
    pub(super) inner: usize,
    /// α.
    pub(super) factor: f32,
    /// s, added to the entries (i, i).
    pub(super) shift: f32,
    /// Leave out what lies above the diagonal (tile by tile).
    pub(super) lower: bool,
}

impl Product {
    /// Dispatches of tiles of 64×64, each over at most 2¹⁴ of the inner dimension.
    pub(super) fn stages(&self) -> Vec<Stage> {
        let (split, extra) = self.extra.unwrap_or((self.rows, self.left));
        let views = [self.left, extra, self.right, self.result];
        (0..self.inner)
            .step_by(INNER)
            .map(|first| {
                let last = self.inner.min(first + INNER);
                let shift = if first == 0 { self.shift } else { 0.0 };
                let mut parameters =
                    [self.rows, split, self.columns, first, last].map(|v| v as u32).to_vec();
                parameters.extend([u32::from(self.lower), u32::from(first > 0)]);
                parameters.extend([self.factor.to_bits(), shift.to_bits()]);
                parameters.extend(views.iter().flat_map(View::words));
                Stage {
                    shader: PRODUCT,
                    bindings: vec![
                        Binding::Read(self.left.array),
                        Binding::Read(extra.array),
                        Binding::Read(self.right.array),
                        Binding::Array(self.result.array),
                    ],
                    groups: tiles(self.rows, self.columns),
                    parameters,
                }
            })
            .collect()
    }
}

/// The positive definite systems A·X = B with A of order m and k right-hand sides, in one array of
/// (m + k)·m words: A row-major (its lower triangle), then Bᵀ, row by row.
#[derive(Debug, Clone, Copy)]
pub(super) struct System {
    /// Number of the array.
    pub(super) array: usize,
    /// m, at most [`MAX_ORDER`].
    pub(super) order: usize,
    /// k ≥ 1.
    pub(super) right_hand_sides: usize,
}

impl System {
    /// A and, from row m on, Bᵀ.
    pub(super) fn whole(&self) -> Matrix {
        let Self { array, order, right_hand_sides } = *self;
        Matrix { array, rows: order + right_hand_sides, columns: order }
    }

    /// Bᵀ; Xᵀ after the system is solved.
    pub(super) fn right(&self) -> View {
        View { offset: self.order * self.order, ..self.whole().view() }
    }

    /// Solves in place: L of A = L·Lᵀ over A, Xᵀ over Bᵀ. The array `retained` (one word) takes
    /// min_j L_jj²/A_jj, 0 where a pivot fails (M11a).
    ///
    /// Block columns of 32 from the left: the diagonal block, the rows below it, what they take
    /// off the rest. The right-hand sides are rows of the same matrix, which eliminates them
    /// forwards; then back substitution. Cost ≈ m³/3 + 2k·m².
    pub(super) fn solve(&self, retained: usize) -> Vec<Stage> {
        let (m, k) = (self.order, self.right_hand_sides);
        let stage = |shader, groups, parameters: &[usize]| Stage {
            shader,
            bindings: vec![Binding::Array(self.array)],
            groups,
            parameters: [m, k].iter().chain(parameters).map(|&v| v as u32).collect(),
        };
        let mut stages = Vec::new();
        for first in (0..m).step_by(BLOCK) {
            let last = m.min(first + BLOCK);
            let mut factor = stage(FACTOR, Groups::Each([1, 1]), &[first]);
            factor.bindings.push(Binding::Array(retained));
            stages.push(factor);
            let below = (m - last + k).div_ceil(TILE) as u32;
            stages.push(stage(PANEL, Groups::Each([below, 1]), &[first]));
            if last < m {
                stages.push(stage(UPDATE, tiles(m - last + k, m - last), &[first, last]));
            }
        }
        let blocks = m.div_ceil(BLOCK);
        let fours = Groups::Each([k.div_ceil(4) as u32, 1]);
        let starts = (0..blocks).step_by(BLOCKS);
        stages.extend(starts.map(|done| {
            let first = blocks - done;
            stage(SUBSTITUTE, fours, &[first, first.saturating_sub(BLOCKS)])
        }));
        stages
    }
}

/// Mᵀx in the array `result`, as many words as M has columns; x is row 0 of its view. For one
/// vector; for many, [`Product`].
pub(super) fn transposed_product(matrix: Matrix, x: View, result: usize) -> Stage {
    let Matrix { array, rows, columns } = matrix;
    Stage {
        shader: TRANSPOSED,
        bindings: vec![Binding::Read(array), Binding::Read(x.array), Binding::Array(result)],
        groups: Groups::Each([columns.div_ceil(TILE) as u32, 1]),
        parameters: [rows, columns, x.length, x.offset].map(|v| v as u32).to_vec(),
    }
}

/// A·Aᵀ in the array `result` for a matrix A of so many rows and columns.
pub(super) fn self_product(a: View, (rows, columns): (usize, usize), result: usize) -> Vec<Stage> {
    let product = Product {
        left: a,
        extra: None,
        right: a,
        result: Matrix { array: result, rows, columns: rows }.view(),
        rows,
        columns: rows,
        inner: columns,
        factor: 1.0,
        shift: 0.0,
        lower: false,
    };
    product.stages()
}

fn tiles(rows: usize, columns: usize) -> Groups {
    Groups::Each([columns, rows].map(|size| size.div_ceil(TILE) as u32))
}
