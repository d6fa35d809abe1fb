//! Claims of page 5e, moment curves and traces of resolvents.

use std::f64::consts::PI;

use num_complex::Complex64;

use super::{Claim, ClaimError, Context, Finding};
use crate::montecarlo::{
    FrozenFeature, MomentCurveExperiment, MomentMatrices, ResolventTraceExperiment, Sample,
};
use crate::numeric::quadrature::{Tolerance, integrate};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "moments-pair",
            statement: "H = 2 E[JᵀJ] and S = 4 E[Jᵀr rᵀJ] of two tensor features on the pair ±1",
            theory: "5e-traces-and-moment-curves.md (M17a)",
            how: "means over draws of the noise against quadrature over it",
            comparisons: 6,
            detects: 0.02,
            check: pair,
        },
        Claim {
            id: "resolvent-loop-equation",
            statement: "E[p + z t] = E[t − (p + z t)t/n − (t + z t')/n] exactly, for t = tr(Ŝ − z)⁻¹ of a white sample covariance",
            theory: "5e-traces-and-moment-curves.md (M18d)",
            how: "mean of the difference over simulated Wishart matrices; t' by four differences, good to 1e-4",
            comparisons: 2,
            detects: 0.01,
            check: loop_equation,
        },
    ]
}

/// Power in quick mode: 500 · 512 draws; an entry has a relative standard error of 0.3 %, a
/// seventh of `detects`.
fn pair(context: &Context<'_>) -> Result<Finding, ClaimError> {
    const SIGMA: f64 = 0.8;
    let feature = |weight, bias, centre| FrozenFeature {
        direction: vec![1.0],
        weights: vec![weight],
        bias,
        centre,
        width: 0.7,
    };
    let features = [feature(1.5, 0.4, -0.5), feature(0.8, -0.7, 0.3)];
    let parameters = [0.5, 0.3];
    let (atoms, weights) = ([-1.0, 1.0], [0.5; 2]);
    let experiment =
        MomentCurveExperiment::new(&features, &parameters, &atoms, &weights, SIGMA, 512)?;
    let replicates = if context.quick { 500 } else { 5_000 };
    let moments = MomentMatrices::new(&context.simulate(&experiment, 2860, replicates)?)?;

    let value = |f: &FrozenFeature, x: f64| f.bump(SIGMA) * (f.weights[0] * x + f.bias).tanh();
    let product = |k: usize, l: usize, clean: f64, noise: f64| {
        let x = clean + SIGMA * noise;
        let [a, b] = [0, 1].map(|k| value(&features[k], x));
        let residual = clean - (parameters[0] * a + parameters[1] * b);
        let both = value(&features[k], x) * value(&features[l], x);
        [2.0 * both, 4.0 * both * residual * residual]
    };
    let mut findings = Vec::new();
    for (k, l) in [(0, 0), (0, 1), (1, 1)] {
        let at = 2 * k + l;
        let simulated = [
            (moments.hessian[at], moments.hessian_error[at]),
            (moments.gradient_covariance[at], moments.gradient_covariance_error[at]),
        ];
        for (which, (mean, error)) in simulated.into_iter().enumerate() {
            let integrand = |e: f64| {
                let sum = product(k, l, -1.0, e)[which] + product(k, l, 1.0, e)[which];
                0.5 * sum * (-0.5 * e * e).exp() / (2.0 * PI).sqrt()
            };
            let integral = integrate(integrand, -12.0, 12.0, Tolerance::relative(1e-10))?;
            let expected = context.formula(integral.value);
            findings.push(context.standardised((mean - expected) / error));
        }
    }
    Ok(Finding::worst(findings))
}

/// Power in quick mode: the difference has a standard error of 0.1 % of either side, a tenth of
/// `detects`.
fn loop_equation(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let (samples, features) = (24, 12);
    let (n, p) = (samples as f64, features as f64);
    let (z, h, i) = (Complex64::new(-0.3, 0.6), 0.06, Complex64::i());
    let points = [z, z + h, z - h, z + h * i, z - h * i];
    let experiment = ResolventTraceExperiment::new(&vec![1.0; features], samples, &points)?;
    let replicates = if context.quick { 5_000 } else { 50_000 };
    let values = context.simulate(&experiment, 2861, replicates)?;
    let differences = |part: fn(Complex64) -> f64| -> Result<Finding, ClaimError> {
        let terms = values.values().chunks(10).map(|row| {
            let trace = |k: usize| p * Complex64::new(row[2 * k], row[2 * k + 1]);
            let t = trace(0);
            let slope = ((trace(1) - trace(2)) - i * (trace(3) - trace(4))) / (4.0 * h);
            let product = p + z * t;
            let right = t - product * t / n - (t + z * slope) / n;
            part(product) - context.formula(part(right))
        });
        let mean = Sample::new(0, terms.collect())?.sampled()?;
        Ok(context.standardised(mean.mean / mean.standard_error))
    };
    Ok(Finding::worst([differences(|w| w.re)?, differences(|w| w.im)?]))
}
