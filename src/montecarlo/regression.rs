//! Replicated regressions on a graphics processor: variates, targets, the smaller of the two
//! normal systems, and the excess risk with its doubt (M11a).

use std::sync::Arc;

use super::dense::{MAX_LENGTH, MAX_ORDER, Matrix, Product, System, View, transposed_product};
use super::least_squares::Units;
use super::program::{Binding, Groups, Program, Shader, Stage};

/// Smallest standard deviation of a feature, relative to the largest one, that single precision
/// handles: products of two such features do not underflow.
const SMALLEST: f64 = 3e-8;

const CHOICE: &str = include_str!("shaders/choice.wgsl");
const DRAW: Shader = Shader { parts: &[CHOICE, include_str!("shaders/draw.wgsl")], entry: "draw" };
const TARGETS: Shader =
    Shader { parts: &[CHOICE, include_str!("shaders/targets.wgsl")], entry: "targets" };
const EXCESS: Shader = Shader { parts: &[include_str!("shaders/excess.wgsl")], entry: "excess" };

/// A factor of each row: `low` where the row's word, counted from the block `words` of the
/// stream, is below `threshold`, else `high`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    pub(super) threshold: u32,
    pub(super) words: usize,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Choice {
    /// The same factor for all rows.
    pub(super) fn constant(value: f64) -> Self {
        Self { threshold: 0, words: 0, low: value, high: value }
    }

    fn parameters(&self) -> [u32; 4] {
        let [low, high] = [self.low, self.high].map(|v| (v as f32).to_bits());
        [self.threshold, self.words as u32, low, high]
    }
}

/// Whether the kernels can run the loops of n samples and p unknowns, and single precision holds
/// the squares of all features, whose rows are scaled by at least `smallest`.
pub(super) fn fits(units: &Units, (n, p): (usize, usize), smallest: f64) -> bool {
    let held = |&scale: &f64| scale == 0.0 || scale * smallest >= SMALLEST;
    units.scales.iter().all(held)
        && n.min(p) <= MAX_ORDER
        && units.scales.len().max(p) <= MAX_LENGTH
}

/// What the solution of a regression takes besides the features.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fit {
    /// First block of the noise.
    pub(super) noise: usize,
    /// Standard deviations of the noise.
    pub(super) deviation: Choice,
    /// α of the system (α·ΦᵀΦ + s)·a = α·Φᵀy.
    pub(super) factor: f64,
    /// s.
    pub(super) shift: f64,
}

/// Numbers of the constants of every [`Regression`].
const SCALES: usize = 0;
const SIGNAL: usize = 1;
const LOADS: usize = 2;
/// The array of the smallest retained part.
const RETAINED: usize = 0;

/// A program under construction.
#[derive(Debug)]
pub(super) struct Regression {
    constants: Vec<Arc<[f32]>>,
    arrays: Vec<usize>,
    stages: Vec<Stage>,
    operations: f64,
}

impl Regression {
    /// Draws the data: normals from the start of the stream, columns scaled by √λ, rows by a
    /// choice.
    pub(super) fn new(units: &Units, samples: usize, rows: Choice) -> (Self, Matrix) {
        let Units { scales, loads, .. } = units;
        // of the scaled features; a feature of variance 0 carries no load
        let pairs = loads.iter().zip(scales);
        let signal: Vec<f64> =
            pairs.map(|(load, &scale)| if scale > 0.0 { load / scale } else { 0.0 }).collect();
        let constants = vec![single(scales), single(&signal), single(loads)];
        let (arrays, stages) = (vec![1], Vec::new());
        let mut program = Self { constants, arrays, stages, operations: 0.0 };
        let data = program.draw(samples, (SCALES, scales.len()), 0, rows);
        (program, data)
    }

    /// Draws a matrix of normals of variance `scale`² from block `first` on.
    pub(super) fn normals(
        &mut self,
        (rows, columns): (usize, usize),
        first: usize,
        scale: f64,
    ) -> Matrix {
        self.constants.push(single(&vec![scale; columns]));
        let scales = self.constants.len() - 1;
        self.draw(rows, (scales, columns), first, Choice::constant(1.0))
    }

    fn draw(
        &mut self,
        rows: usize,
        (scales, columns): (usize, usize),
        first: usize,
        choice: Choice,
    ) -> Matrix {
        let matrix = self.matrix(rows, columns);
        self.operations += 100.0 * matrix.length() as f64;
        self.stages.push(Stage {
            shader: DRAW,
            bindings: vec![Binding::Constant(scales), Binding::Array(matrix.array)],
            groups: spread(matrix.length().div_ceil(4 * 256)),
            parameters: [rows, columns, first]
                .map(|v| v as u32)
                .into_iter()
                .chain(choice.parameters())
                .collect(),
        });
        matrix
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> Matrix {
        self.arrays.push(rows * columns);
        Matrix { array: self.arrays.len() - 1, rows, columns }
    }

    /// A·Bᵀ.
    pub(super) fn product(&mut self, left: Matrix, right: Matrix) -> Matrix {
        let result = self.matrix(left.rows, right.rows);
        self.operations += 2.0 * (result.length() * left.columns) as f64;
        let product = Product {
            left: left.view(),
            extra: None,
            right: right.view(),
            result: result.view(),
            rows: left.rows,
            columns: right.rows,
            inner: left.columns,
            factor: 1.0,
            shift: 0.0,
            lower: false,
        };
        self.stages.extend(product.stages());
        result
    }

    /// Mᵀx.
    pub(super) fn transposed(&mut self, matrix: Matrix, x: View) -> View {
        let result = self.matrix(1, matrix.columns);
        self.stages.push(transposed_product(matrix, x, result.array));
        result.view()
    }

    /// The targets of `data`, and the solution of (α·ΦᵀΦ + s)·a = α·Φᵀy or, where the features Φ
    /// have fewer rows than columns, the same a = Φᵀ(α·ΦΦᵀ + s)⁻¹·α·y.
    pub(super) fn solve(&mut self, data: Matrix, features: Matrix, fit: Fit) -> View {
        let Matrix { rows: n, columns: p, .. } = features;
        let (dual, order) = (n < p, n.min(p));
        let system = System { array: self.arrays.len(), order, right_hand_sides: 1 };
        let whole = self.matrix(order + 1, order);
        let left = if dual { features.view() } else { features.view().transposed() };
        let mut gram = Product {
            left,
            extra: None,
            right: left,
            result: whole.view(),
            rows: order,
            columns: order,
            inner: n.max(p),
            factor: fit.factor as f32,
            shift: fit.shift as f32,
            lower: true,
        };
        if dual {
            self.targets(data, fit, system.right(), fit.factor);
        } else {
            let row = self.matrix(1, n).view();
            self.targets(data, fit, row, 1.0);
            gram.rows += 1;
            gram.extra = Some((order, row));
        }
        self.stages.extend(gram.stages());
        self.stages.extend(system.solve(RETAINED));
        let padded = order.next_multiple_of(64) as f64;
        self.operations += (n.max(p) as f64 + padded) * padded * padded;
        if dual { self.transposed(features, system.right()) } else { system.right() }
    }

    fn targets(&mut self, data: Matrix, fit: Fit, result: View, factor: f64) {
        let mut parameters = [data.rows, data.columns, fit.noise].map(|v| v as u32).to_vec();
        parameters.extend(fit.deviation.parameters());
        parameters.extend([result.length as u32, result.offset as u32]);
        parameters.push((factor as f32).to_bits());
        self.stages.push(Stage {
            shader: TARGETS,
            bindings: vec![
                Binding::Constant(SIGNAL),
                Binding::Read(data.array),
                Binding::Array(result.array),
            ],
            groups: spread(data.rows.div_ceil(64)),
            parameters,
        });
    }

    /// The program that yields the excess risk of the estimate ŵ.
    pub(super) fn finish(mut self, units: &Units, estimate: View) -> Program {
        let sizes = [units.scales.len(), estimate.length, estimate.offset];
        let mut parameters = sizes.map(|v| v as u32).to_vec();
        parameters.push(((units.amplitude * units.amplitude) as f32).to_bits());
        self.stages.push(Stage {
            shader: EXCESS,
            bindings: vec![
                Binding::Constant(SCALES),
                Binding::Constant(LOADS),
                Binding::Read(estimate.array),
                Binding::Read(RETAINED),
                Binding::Output,
            ],
            groups: Groups::Each([1, 1]),
            parameters,
        });
        let Self { constants, arrays, stages, operations } = self;
        Program { constants, arrays, stages, outputs: 1, operations }
    }
}

fn single(list: &[f64]) -> Arc<[f32]> {
    list.iter().map(|&v| v as f32).collect()
}

/// So many workgroups a replicate, in two dimensions.
fn spread(groups: usize) -> Groups {
    let x = groups.min(1 << 15);
    Groups::Each([x as u32, groups.div_ceil(x) as u32])
}
