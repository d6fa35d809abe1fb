//! Traces of the resolvent of a sample covariance, one matrix a replicate (M18).

use std::sync::Arc;

use num_complex::Complex64;

use super::dense::{BLOCK_OF_SUM, Matrix, self_product};
use super::error::check;
use super::program::{Binding, Groups, Program, Shader, Stage};
use super::{Draws, Experiment, MonteCarloError, Scratch};
use crate::numeric::linalg::{gram, gram_outer, power_of_two_near, symmetric_eigenvalues};

const DRAW: Shader = Shader {
    parts: &[include_str!("shaders/choice.wgsl"), include_str!("shaders/draw.wgsl")],
    entry: "draw",
};
const TRIDIAGONALISE: Shader =
    Shader { parts: &[include_str!("shaders/tridiagonal.wgsl")], entry: "tridiagonalise" };
const TRACE: Shader =
    Shader { parts: &[include_str!("shaders/resolvent_trace.wgsl")], entry: "trace" };

/// Largest number of entries of one replicate's matrix (2 GiB).
const MAX_ENTRIES: usize = 1 << 28;
/// Largest problem of the kernels: entries of the matrix, its smaller side, points.
const KERNEL_ENTRIES: usize = 1 << 24;
const KERNEL_SIZE: usize = 512;
const KERNEL_POINTS: usize = 1024;
/// Loop trips an invocation and a dispatch.
const TRIPS: usize = 40_000;
/// Largest relative error of a trace in single precision: below 1 % of the fluctuation of a
/// trace, ~1/n, for every n ≤ 100, and not systematic.
const LIMIT: f64 = 1e-4;
/// 2⁻²⁴.
const ROUNDOFF: f64 = f32::EPSILON as f64 / 2.0;

/// m(z) = (1/p) tr(Ŝ − z)⁻¹ at given points z, for Ŝ = XᵀX/n and X of n independent rows N(0, Σ):
/// the Stieltjes transform of the spectrum of one random matrix a replicate.
///
/// Outputs: Re m(z₁), Im m(z₁), Re m(z₂), …, in feature⁻². In double precision from the
/// eigenvalues of the smaller of XᵀX/n and XXᵀ/n; on a graphics processor by Householder's
/// tridiagonalisation and continued fractions (M18). Cost ≈ n p·s + 4s³/3 with s = min(n, p).
#[derive(Debug, Clone, PartialEq)]
pub struct ResolventTraceExperiment {
    /// Standard deviations of the columns of X/√n.
    scales: Vec<f64>,
    largest: f64,
    samples: usize,
    points: Vec<Complex64>,
}

impl ResolventTraceExperiment {
    /// `eigenvalues` of Σ (feature²), of which p is the number, zeros included; n = `samples`;
    /// the points z (feature²), each with Im z > 0, or real and negative.
    ///
    /// # Errors
    /// No positive eigenvalue, numbers outside their domain, n = 0, n·p > 2²⁸, no point.
    ///
    /// ```
    /// use num_complex::Complex64;
    /// use rootrate::montecarlo::{CpuEngine, Engine, ResolventTraceExperiment, Streams};
    /// use rootrate::resolvent::MarchenkoPastur;
    /// let z = Complex64::new(0.5, 0.5);
    /// let experiment = ResolventTraceExperiment::new(&[1.0; 30], 60, &[z])?;
    /// let streams = Streams { seed: 7, experiment: 0 };
    /// let samples = CpuEngine::DOUBLE.run(&experiment, streams, 0..200, &|_, _| ())?;
    /// let real = samples.column(0)?.sampled()?;
    /// let law = MarchenkoPastur::new(0.5, 1.0)?.stieltjes(z)?;
    /// // the limit n → ∞, off by O(1/n)
    /// assert!((real.mean - law.re).abs() < 5.0 * real.standard_error + 1.0 / 60.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        eigenvalues: &[f64],
        samples: usize,
        points: &[Complex64],
    ) -> Result<Self, MonteCarloError> {
        let bad =
            |name, index, value, valid| MonteCarloError::Element { name, index, value, valid };
        let largest = eigenvalues.iter().copied().fold(0.0, f64::max);
        if let Some(i) = eigenvalues.iter().position(|v| !v.is_finite() || *v < 0.0) {
            return Err(bad("eigenvalues", i, eigenvalues[i], "finite numbers ≥ 0"));
        }
        check("largest eigenvalue", largest, |l| l > 0.0, "at least one positive eigenvalue")?;
        check("samples", samples as f64, |n| n >= 1.0, "at least one sample")?;
        check("number of points", points.len() as f64, |k| k >= 1.0, "at least one point")?;
        for (index, z) in points.iter().enumerate() {
            if !z.im.is_finite() || z.im < 0.0 {
                return Err(bad("Im z of points", index, z.im, "a finite number ≥ 0"));
            }
            if !z.re.is_finite() || (z.im == 0.0 && z.re >= 0.0) {
                let valid = "a finite number, < 0 where Im z = 0";
                return Err(bad("Re z of points", index, z.re, valid));
            }
        }
        if let Some(index) = points.iter().position(|z| !(1e-100..=1e100).contains(&z.norm())) {
            let valid = "a point with |z| in [1e-100, 1e100]";
            return Err(bad("|z| of points", index, points[index].norm(), valid));
        }
        let features = eigenvalues.len();
        if samples.checked_mul(features).is_none_or(|entries| entries > MAX_ENTRIES) {
            return Err(MonteCarloError::TooLarge { samples, features, limit: MAX_ENTRIES });
        }
        let scales = eigenvalues.iter().map(|v| (v / samples as f64).sqrt()).collect();
        Ok(Self { scales, largest, samples, points: points.to_vec() })
    }

    /// min(n, p): all other eigenvalues of Ŝ are 0.
    fn size(&self) -> usize {
        self.samples.min(self.scales.len())
    }

    /// A power of two near the largest eigenvalue of Σ, the kernels' unit.
    fn unit(&self) -> f64 {
        power_of_two_near(self.largest)
    }

    /// Whether kernels exist for this size, and no number of theirs leaves single precision.
    fn fits(&self) -> bool {
        let (n, p) = (self.samples, self.scales.len());
        let unit = self.unit();
        n * p <= KERNEL_ENTRIES
            && self.size() <= KERNEL_SIZE
            && self.points.len() <= KERNEL_POINTS
            && (1e-15..1e15).contains(&unit)
            && self.points.iter().all(|z| (1e-12..1e12).contains(&(z.norm() / unit)))
    }

    /// Steps of the reduction, cut so that no dispatch exceeds [`TRIPS`].
    fn reduction(&self, width: usize) -> Vec<[u32; 2]> {
        let (size, lanes) = (self.size(), 256 / width);
        let mut cuts = vec![0];
        let mut trips = 0;
        for k in 0..size {
            let count = size - k;
            let step = count.div_ceil(width) * (count.div_ceil(lanes) * 33 / 32 + lanes + 4) + 80;
            if trips + step > TRIPS {
                cuts.push(k as u32);
                trips = 0;
            }
            trips += step;
        }
        cuts.push(size as u32);
        cuts.windows(2).map(|pair| [pair[0], pair[1]]).collect()
    }
}

impl Experiment for ResolventTraceExperiment {
    fn outputs(&self) -> usize {
        2 * self.points.len()
    }

    /// From the stream's start: n·p normals, row by row.
    fn evaluate(
        &self,
        scratch: &mut Scratch,
        mut draws: Draws,
        out: &mut [f64],
    ) -> Result<(), MonteCarloError> {
        let replicate = draws.replicate();
        let (n, p) = (self.samples, self.scales.len());
        scratch.double.resize(n * p, 0.0);
        let x = &mut scratch.double[..];
        draws.normals(x);
        x.chunks_mut(p).for_each(|row| row.iter_mut().zip(&self.scales).for_each(|(x, s)| *x *= s));
        let kernel = if n < p { gram_outer(x, n, p) } else { gram(x, n, p) };
        let nonzero = kernel
            .and_then(|kernel| symmetric_eigenvalues(&kernel, self.size()))
            .map_err(|source| MonteCarloError::Linalg { replicate, source })?;
        let zeros = (p - nonzero.len()) as f64;
        for (z, out) in self.points.iter().zip(out.as_chunks_mut().0) {
            let sum: Complex64 = nonzero.iter().map(|w| (w - z).inv()).sum();
            let trace = (sum - zeros / z) / p as f64;
            *out = [trace.re, trace.im];
        }
        Ok(())
    }

    fn limit(&self) -> f64 {
        LIMIT
    }

    fn program(&self) -> Program {
        if !self.fits() {
            return Program::host(self.outputs());
        }
        let (n, p, size, unit) = (self.samples, self.scales.len(), self.size(), self.unit());
        let zeros = (p - size) as f64 / p as f64;
        let points = self.points.iter().flat_map(|z| {
            let (scaled, rest) = (z / unit, -zeros / z);
            [scaled.re, scaled.im, rest.re, rest.im].map(|v| v as f32)
        });
        let scales = self.scales.iter().map(|s| (s / unit.sqrt()) as f32);
        let constants: Vec<Arc<[f32]>> = vec![scales.collect(), points.collect()];
        let arrays = vec![n * p, size * size, 4 * size, 128 * size];
        let (matrix, state, continued) = (1, 2, 3);
        let design = Matrix { array: 0, rows: n, columns: p };

        let draw = Stage {
            shader: DRAW,
            bindings: vec![Binding::Constant(0), Binding::Array(design.array)],
            groups: Groups::Each([(n * p).div_ceil(4 * 256) as u32, 1]),
            // from block 0 on, all rows with the factor 1
            parameters: vec![n as u32, p as u32, 0, 0, 0, 0, 1.0_f32.to_bits()],
        };
        let (rows, across) =
            if n < p { (design.view(), p) } else { (design.view().transposed(), n) };
        let mut stages = vec![draw];
        stages.extend(self_product(rows, (size, across), matrix));
        let width = size.next_power_of_two().min(256);
        stages.extend(self.reduction(width).into_iter().map(|[first, last]| Stage {
            shader: TRIDIAGONALISE,
            bindings: vec![Binding::Array(matrix), Binding::Array(state)],
            groups: Groups::Each([1, 1]),
            parameters: vec![size as u32, first, last, width as u32],
        }));
        // the doubt C·2⁻²⁴·max (‖T‖ + |z|)/dist(z, [0, ∞)), a little larger: maxima of both terms
        let distance = |z: &Complex64| if z.re < 0.0 { z.norm() } else { z.im };
        let largest = |f: &dyn Fn(&Complex64) -> f64| self.points.iter().map(f).fold(0.0, f64::max);
        let roundoff = growth(n.max(p)) * ROUNDOFF;
        let of_norm = roundoff * unit * largest(&|z| 1.0 / distance(z));
        let of_points = roundoff * largest(&|z| z.norm() / distance(z));
        let factors = [1.0 / (p as f64 * unit), of_norm, of_points].map(|v| (v as f32).to_bits());
        let mut parameters = vec![size as u32, self.points.len() as u32];
        parameters.extend(factors);
        stages.push(Stage {
            shader: TRACE,
            bindings: vec![
                Binding::Constant(1),
                Binding::Read(state),
                Binding::Array(continued),
                Binding::Output,
            ],
            groups: Groups::Each([1, 1]),
            parameters,
        });
        let cube = (size as f64).powi(3);
        let traces = 40.0 * size as f64 * self.points.len() as f64;
        let operations = (n * p * (size + 100)) as f64 + 3.0 * cube + traces;
        Program { constants, arrays, stages, outputs: self.outputs(), operations }
    }
}

/// C of the doubt, for sums of `length` terms: that of the reduction and the continued fractions,
/// and a random walk over the blocks of a sum (M18).
fn growth(length: usize) -> f64 {
    4.0 + (length as f64 / BLOCK_OF_SUM as f64).sqrt()
}
