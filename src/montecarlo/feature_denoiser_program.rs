//! Random-feature denoisers on a graphics processor: variates, features, the smaller of the two
//! normal systems with a right-hand side a dimension, and the losses with their doubt (M16).

use super::dense::{MAX_ORDER, Product, System, View};
use super::feature_denoiser::OUTPUTS;
use super::program::{Binding, Groups, Program, Shader, Stage};

/// Entries that one workgroup of `squares` adds.
const CHUNK: usize = 1 << 14;
/// Most rows or columns of a matrix: 64 a workgroup, 2¹⁵ workgroups a dimension.
const MAX_ROWS: usize = 1 << 21;

// Numbers of the arrays.
const WEIGHTS: usize = 0;
const DATA: usize = 1;
const NOISE: usize = 2;
/// Noised data; then the predictions −√Δ s.
const INPUTS: usize = 3;
const FEATURES: usize = 4;
const SYSTEM: usize = 5;
const RETAINED: usize = 6;
const SUMS: usize = 7;
const COEFFICIENTS: usize = 8;

const fn shader(entry: &'static str) -> Shader {
    const PARTS: &[&str] =
        &[include_str!("shaders/activation.wgsl"), include_str!("shaders/feature_denoiser.wgsl")];
    Shader { parts: PARTS, entry }
}

/// What a replicate is a draw of; the letters of (M16).
#[derive(Debug, Clone, Copy)]
pub(super) struct Problem<'a> {
    /// e^{−t} √ of the variances.
    pub(super) scales: &'a [f64],
    /// √Δ.
    pub(super) noise_scale: f64,
    /// n.
    pub(super) samples: usize,
    /// p.
    pub(super) features: usize,
    /// m.
    pub(super) noises: usize,
    /// λ.
    pub(super) penalty: f64,
    /// φ, as activation.wgsl numbers it.
    pub(super) activation: u32,
    /// Fresh points of the test loss.
    pub(super) test_points: usize,
}

/// The program of `problem`; none where an invocation would loop for too long.
pub(super) fn program(problem: &Problem<'_>) -> Option<Program> {
    let (d, p) = (problem.scales.len(), problem.features);
    let rows = problem.samples * problem.noises;
    let most = rows.max(problem.test_points);
    if rows.min(p) > MAX_ORDER || most.max(p).max(d) > MAX_ROWS {
        return None;
    }
    Some(Builder::new(problem, (rows, most)).build())
}

#[derive(Debug)]
struct Builder<'a> {
    problem: &'a Problem<'a>,
    d: usize,
    rows: usize,
    arrays: Vec<usize>,
    stages: Vec<Stage>,
    /// Next block of the stream.
    block: usize,
}

impl<'a> Builder<'a> {
    fn new(problem: &'a Problem<'a>, (rows, most): (usize, usize)) -> Self {
        let (d, p) = (problem.scales.len(), problem.features);
        let order = rows.min(p);
        let data = problem.samples.max(problem.test_points) * d;
        let sums: usize = [problem.test_points * d, rows * d, d * p]
            .iter()
            .map(|count| count.div_ceil(CHUNK))
            .sum();
        let system = (order + d) * order;
        let mut arrays = vec![p * d, data, most * d, most * d, most * p, system, 1, sums];
        if rows < p {
            arrays.push(d * p);
        }
        Self { problem, d, rows, arrays, stages: Vec::new(), block: 0 }
    }

    fn build(mut self) -> Program {
        let Problem { scales, features: p, test_points, penalty, .. } = *self.problem;
        let (d, rows, order) = (self.d, self.rows, self.rows.min(self.problem.features));
        self.draw(WEIGHTS, p * d);
        self.features(self.problem.samples, self.problem.noises);
        let coefficients = self.solve();
        // Sums of squares: test residuals, training residuals, coefficients.
        let [tested, trained, fitted] =
            [test_points * d, rows * d, d * p].map(|c| c.div_ceil(CHUNK));
        self.residuals(rows, coefficients, tested);
        // less nothing: 0 times as many finite numbers
        self.squares(coefficients, (WEIGHTS, 0.0), d * p, tested + trained);
        self.features(test_points, 1);
        self.residuals(test_points, coefficients, 0);
        let factors = [1.0 / (test_points * d) as f64, 1.0 / (rows * d) as f64, penalty / d as f64];
        let mut parameters = vec![tested, trained, fitted, self.arrays[SUMS]];
        parameters.extend(factors.map(|f| (f as f32).to_bits() as usize));
        self.stage(
            "losses",
            &[Binding::Read(SUMS), Binding::Read(RETAINED), Binding::Output],
            Groups::Each([1, 1]),
            &parameters,
        );
        let scales = scales.iter().map(|&s| s as f32).collect();
        let products = 4 * (rows + test_points) * p * d + rows.max(p) * order * (order + 2 * d);
        Program {
            constants: vec![scales],
            arrays: self.arrays,
            stages: self.stages,
            outputs: OUTPUTS,
            operations: products as f64 + 100.0 * ((rows + test_points) * (d + p)) as f64,
        }
    }

    fn stage(
        &mut self,
        entry: &'static str,
        bindings: &[Binding],
        groups: Groups,
        parameters: &[usize],
    ) {
        let parameters = parameters.iter().map(|&v| v as u32).collect();
        self.stages.push(Stage {
            shader: shader(entry),
            bindings: bindings.to_vec(),
            groups,
            parameters,
        });
    }

    /// The row-major matrix of `columns` columns at the start of `array`.
    fn view(&self, array: usize, columns: usize) -> View {
        View { array, length: self.arrays[array], offset: 0, strides: [columns, 1] }
    }

    /// The next `count` normals of the stream.
    fn draw(&mut self, array: usize, count: usize) {
        let parameters = [count, self.block, self.arrays[array]];
        self.stage("draw", &[Binding::Array(array)], spread(count.div_ceil(4)), &parameters);
        self.block += count.div_ceil(4);
    }

    /// Noise and features of `points` fresh data with `noises` noise draws each.
    fn features(&mut self, points: usize, noises: usize) {
        let (d, p, rows) = (self.d, self.problem.features, points * noises);
        self.draw(DATA, points * d);
        let root = (self.problem.noise_scale as f32).to_bits() as usize;
        let lengths = (self.arrays[DATA], self.arrays[NOISE]);
        self.stage(
            "noised",
            &[
                Binding::Constant(0),
                Binding::Read(DATA),
                Binding::Array(NOISE),
                Binding::Array(INPUTS),
            ],
            spread((rows * d).div_ceil(4)),
            &[rows, d, self.block, noises, lengths.0, lengths.1, root],
        );
        self.block += (rows * d).div_ceil(4);
        let projection = Product {
            factor: (1.0 / (d as f64).sqrt()) as f32,
            ..plain(
                self.view(INPUTS, d),
                self.view(WEIGHTS, d),
                self.view(FEATURES, p),
                (rows, p, d),
            )
        };
        self.stages.extend(projection.stages());
        let parameters = [rows * p, self.arrays[FEATURES], self.problem.activation as usize];
        self.stage("nonlinearity", &[Binding::Array(FEATURES)], spread(rows * p), &parameters);
    }

    /// −C, d×p: of (FᵀF/nm + λ)·(−Cᵀ) = FᵀΞ/nm, or Ξᵀ(FFᵀ/nm + λ)⁻¹F/nm.
    fn solve(&mut self) -> View {
        let (d, p, rows) = (self.d, self.problem.features, self.rows);
        let (noise, features) = (self.view(NOISE, d), self.view(FEATURES, p));
        let (dual, order) = (rows < p, rows.min(p));
        let system = System { array: SYSTEM, order, right_hand_sides: d };
        let factor = (1.0 / rows as f64) as f32;
        let left = if dual { features } else { features.transposed() };
        let size = (order, order, rows.max(p));
        let mut gram = Product {
            factor,
            shift: self.problem.penalty as f32,
            lower: true,
            ..plain(left, left, system.whole().view(), size)
        };
        if dual {
            let right = system.right();
            self.stage(
                "transpose_rows",
                &[Binding::Read(NOISE), Binding::Array(SYSTEM)],
                spread(rows * d),
                &[rows, d, noise.length, right.length, right.offset],
            );
        } else {
            gram.rows += d;
            gram.extra = Some((order, noise.transposed()));
        }
        self.stages.extend(gram.stages());
        self.stages.extend(system.solve(RETAINED));
        if !dual {
            return system.right();
        }
        let result = self.view(COEFFICIENTS, p);
        let back = Product {
            factor,
            ..plain(system.right(), features.transposed(), result, (d, p, rows))
        };
        self.stages.extend(back.stages());
        result
    }

    /// Sums of squares of Ξ + FCᵀ, from number `first` of the sums on; `coefficients` is −C.
    fn residuals(&mut self, rows: usize, coefficients: View, first: usize) {
        let (d, p) = (self.d, self.problem.features);
        let predictions =
            plain(self.view(FEATURES, p), coefficients, self.view(INPUTS, d), (rows, d, p));
        self.stages.extend(predictions.stages());
        self.squares(self.view(NOISE, d), (INPUTS, 1.0), rows * d, first);
    }

    /// Sums of squares of a − s·b over the first `count` entries.
    fn squares(&mut self, a: View, (b, s): (usize, f32), count: usize, first: usize) {
        let lengths = (self.arrays[b], self.arrays[SUMS]);
        let chunks = count.div_ceil(CHUNK);
        self.stage(
            "squares",
            &[Binding::Read(a.array), Binding::Read(b), Binding::Array(SUMS)],
            spread(chunks * 256),
            &[count, a.length, a.offset, lengths.0, s.to_bits() as usize, lengths.1, first],
        );
    }
}

/// A·Bᵀ, of A rows×inner and B columns×inner.
fn plain(
    left: View,
    right: View,
    result: View,
    (rows, columns, inner): (usize, usize, usize),
) -> Product {
    let (factor, shift, extra, lower) = (1.0, 0.0, None, false);
    Product { left, extra, right, result, rows, columns, inner, factor, shift, lower }
}

/// At least so many invocations a replicate, in workgroups of 256.
fn spread(invocations: usize) -> Groups {
    let groups = invocations.div_ceil(256);
    let x = groups.min(1 << 15);
    Groups::Each([x as u32, groups.div_ceil(x) as u32])
}
