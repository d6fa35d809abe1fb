//! Claims of page 6c, statistics of the general law.

use super::finite_size::{self, approaches, plan};
use super::samples::over_samples;
use super::{Claim, ClaimError, Context, Finding};
use crate::montecarlo::{Sample, Stream, Streams};
use crate::numeric::linalg::{gram, symmetric_eigenvalues};
use crate::numeric::quadrature::{Tolerance, integrate};
use crate::resolvent::SilversteinLaw;
use crate::resolvent::silverstein::Edge;
use crate::spectrum::Spectrum;

/// Populations (atoms, weights, c): separated and joined bulks, null directions, a hard edge,
/// an atom at 0 of F, and ten decades.
const LAWS: [(&[f64], &[f64], f64); 5] = [
    (&[1.0, 10.0], &[0.5, 0.5], 0.3),
    (&[0.0, 1.0, 5.0], &[0.4, 0.3, 0.3], 0.5),
    (&[1.0, 3.0], &[0.5, 0.5], 1.0),
    (&[1.0, 3.0, 7.0], &[0.25, 0.5, 0.25], 100.0),
    (&[1e-10, 1e-5, 1.0], &[0.25, 0.25, 0.5], 0.4),
];
/// Mean of the Tracy–Widom law of real symmetric matrices.
const TRACY_WIDOM: f64 = -1.206_533_574_582;

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "silverstein-mass",
            statement: "every component of the support carries the mass of the population atoms that it comes from",
            theory: "6c-statistics.md (D4)",
            how: "exact separation against quadrature of the density over each component",
            comparisons: 0,
            detects: 1e-9,
            check: mass,
        },
        Claim {
            id: "silverstein-distribution",
            statement: "the distribution function in closed form is the integral of the density",
            theory: "6c-statistics.md (D2)",
            how: "certified values at two points against adaptive quadrature of the density between them",
            comparisons: 0,
            detects: 1e-8,
            check: distribution,
        },
        Claim {
            id: "silverstein-moments",
            statement: "the moments of the law are Lagrange's polynomials in the companion's free cumulants c∫τᵏdH",
            theory: "6c-statistics.md (D6)",
            how: "polynomials against quadrature over the density, orders 1 to 8",
            comparisons: 0,
            detects: 1e-9,
            check: moments,
        },
        Claim {
            id: "silverstein-log-determinant",
            statement: "∫ln(1+γx) dF = Σ hⱼ ln(1 + τⱼ/μ) + (−ln(1−y) − y)/c",
            theory: "6c-statistics.md (D5)",
            how: "closed form against quadrature over the density",
            comparisons: 0,
            detects: 1e-9,
            check: log_determinant,
        },
        Claim {
            id: "silverstein-simulated-log-determinant",
            statement: "(1/p) ln det(1 + 2Ŝ) of simulated matrices with two population eigenvalues tends to the closed form like 1/n",
            theory: "6c-statistics.md (D5)",
            how: "eigenvalues of simulated sample covariances at n, 2n, 4n with p = n/2, extrapolated to n → ∞",
            comparisons: finite_size::COMPARISONS,
            detects: 0.005,
            check: simulated_log_determinant,
        },
        Claim {
            id: "silverstein-largest-eigenvalue",
            statement: "the largest eigenvalue has the mean b − 1.2065 (πAp)^{−2/3} of the Tracy–Widom law at the edge f ~ A√(b−x)",
            theory: "6c-statistics.md (D10)",
            how: "simulated sample covariances, p = n/2; allowance 2n^{−1/3} Tracy–Widom units for the finite size",
            comparisons: 1,
            detects: 0.05,
            check: largest_eigenvalue,
        },
        Claim {
            id: "silverstein-smallest-eigenvalue",
            statement: "the smallest eigenvalue has the mean a + 1.2065 (πAp)^{−2/3} of the Tracy–Widom law at the edge f ~ A√(x−a)",
            theory: "6c-statistics.md (D10)",
            how: "simulated sample covariances, p = n/2; allowance 2n^{−1/3} Tracy–Widom units for the finite size",
            comparisons: 1,
            detects: 0.25,
            check: smallest_eigenvalue,
        },
        Claim {
            id: "silverstein-kolmogorov-smirnov",
            statement: "an eigenvalue drawn at random from a simulated sample covariance follows the law",
            theory: "6c-statistics.md (D11)",
            how: "one eigenvalue of each of many independent matrices, Kolmogorov–Smirnov distance; the false-alarm rate by the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart",
            comparisons: 1,
            detects: 0.25,
            check: kolmogorov_smirnov,
        },
    ]
}

fn laws() -> Result<Vec<SilversteinLaw>, ClaimError> {
    LAWS.iter()
        .map(|&(atoms, weights, c)| {
            Ok(SilversteinLaw::new(&Spectrum::from_atoms(atoms, weights)?, c)?)
        })
        .collect()
}

/// Ends coincide with those of the quadrature's panels: the indicator costs no accuracy.
fn mass(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let mut findings = Vec::new();
    for law in laws()? {
        for component in &law.support().components {
            let ends = component.lower.position.value..=component.upper.position.value;
            let inside = |x: f64| if x > 0.0 && ends.contains(&x) { 1.0 } else { 0.0 };
            let value = law.integrate(inside)?;
            findings.push(Finding {
                value: value.value,
                expected: context.formula(component.mass.value),
                tolerance: value.estimate + component.mass.radius,
            });
        }
    }
    Ok(Finding::worst(findings))
}

/// Between two interior points of the last component.
fn distribution(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let mut findings = Vec::new();
    for law in laws()? {
        let atom = law.support().atom_at_zero.value;
        let component = law.support().components.last().expect("a law has a component");
        let (start, end) = (component.lower.position.value, component.upper.position.value);
        let [a, b] = [0.2, 0.8].map(|t| start + t * (end - start));
        // NaN cannot occur: x is finite; were it to, the quadrature refuses it
        let f = |x: f64| law.density(x).map_or(f64::NAN, |f| f.value());
        let part = integrate(f, a, b, Tolerance::relative(1e-11))?;
        let (below, above) = (law.cdf(a)?.certified()?, law.cdf(b)?.certified()?);
        let proved = above.value - below.value;
        findings.push(Finding {
            value: part.value,
            expected: context.formula(proved),
            tolerance: part.estimate + below.radius + above.radius + 1e-15 * (1.0 - atom),
        });
    }
    Ok(Finding::worst(findings))
}

fn moments(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let mut findings = Vec::new();
    for law in laws()? {
        for k in 1..=8 {
            let closed = law.moment(k)?;
            let value = law.integrate(|x| x.powi(k as i32))?;
            findings.push(Finding {
                value: value.value,
                expected: context.formula(closed.value),
                tolerance: value.estimate + closed.radius,
            });
        }
    }
    Ok(Finding::worst(findings))
}

fn log_determinant(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let mut findings = Vec::new();
    for law in laws()? {
        for gamma in [1e-3, 1.0, 1e3] {
            let closed = law.log_determinant(gamma)?.certified()?;
            let value = law.integrate(|x| (gamma * x).ln_1p())?;
            findings.push(Finding {
                value: value.value,
                expected: context.formula(closed.value),
                tolerance: value.estimate + closed.radius,
            });
        }
    }
    Ok(Finding::worst(findings))
}

/// Eigenvalues 1 and 3 in equal numbers.
const PAIR: [f64; 2] = [1.0, 3.0];

/// Power in quick mode: the limit has a standard error of about 0.05 %, a tenth of `detects`.
fn simulated_log_determinant(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let theory = pair_law()?.log_determinant(2.0)?.certified()?.value;
    let mut simulations = Vec::new();
    for ((n, replicates), experiment) in plan(context, 0.25).into_iter().zip(1700..) {
        let streams = Streams { seed: context.seed, experiment };
        let statistic = |eigenvalues: &[f64], _: &mut Stream| {
            eigenvalues.iter().map(|x| (2.0 * x).ln_1p()).sum::<f64>() / eigenvalues.len() as f64
        };
        simulations.push((n, simulate(streams, n, replicates, statistic)?.sampled()?));
    }
    approaches(context, &simulations, context.formula(theory))
}

/// One Tracy–Widom unit is about 2 % of b in quick mode: an error of 5 % of b is more than five
/// times the tolerance.
fn largest_eigenvalue(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let law = pair_law()?;
    let edge = &law.support().components.last().expect("a law has a component").upper;
    extreme_eigenvalue(context, edge, 1.0)
}

/// One unit is about 10 % of a.
fn smallest_eigenvalue(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let law = pair_law()?;
    extreme_eigenvalue(context, &law.support().components[0].lower, -1.0)
}

/// `side` = 1 for the largest eigenvalue at an upper edge, −1 for the smallest at a lower one.
fn extreme_eigenvalue(
    context: &Context<'_>,
    edge: &Edge,
    side: f64,
) -> Result<Finding, ClaimError> {
    let (n, replicates) = if context.quick { (200, 400) } else { (400, 2_000) };
    let e = context.formula(edge.position.value);
    let p = 0.5 * n as f64;
    let unit = (std::f64::consts::PI * edge.coefficient.value * p).powf(-2.0 / 3.0);
    let streams = Streams { seed: context.seed, experiment: 1710 };
    let extreme = |eigenvalues: &[f64], _: &mut Stream| {
        let most = eigenvalues.iter().map(|x| side * x).fold(f64::NEG_INFINITY, f64::max);
        (most - side * e) / unit
    };
    let mean = simulate(streams, n, replicates, extreme)?.sampled()?;
    let allowance = 2.0 * (n as f64).powf(-1.0 / 3.0);
    Ok(Finding {
        value: mean.mean,
        expected: TRACY_WIDOM,
        tolerance: context.z_threshold * mean.standard_error + allowance,
    })
}

/// (D11). The mean spectral distribution is within O(1/n) of the law: at most about 0.002 here,
/// against a critical distance of 0.045 in quick and 0.04 in full mode. Eigenvalues that are wrong
/// by 25 % move the distribution function by about 0.08.
fn kolmogorov_smirnov(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let (n, replicates) = if context.quick { (200, 3_000) } else { (400, 4_000) };
    let law = pair_law()?;
    let streams = Streams { seed: context.seed, experiment: 1720 };
    let any = |eigenvalues: &[f64], stream: &mut Stream| {
        let index = (stream.uniform() * eigenvalues.len() as f64) as usize;
        eigenvalues[index.min(eigenvalues.len() - 1)]
    };
    let sample = simulate(streams, n, replicates, any)?;
    let points: Vec<f64> = sample.values().iter().map(|&x| context.formula(x)).collect();
    let levels = law.cdf_many(&points)?;
    let mut levels: Vec<f64> = levels.iter().map(|level| level.value()).collect();
    levels.sort_unstable_by(f64::total_cmp);
    let count = levels.len() as f64;
    let distance = levels
        .iter()
        .zip(0_u32..)
        .map(|(u, i)| (u - f64::from(i) / count).max(f64::from(i + 1) / count - u))
        .fold(0.0, f64::max);
    let p_value = 2.0 * (-2.0 * count * distance * distance).exp();
    Ok(context.standardised(finite_size::standard_normal(p_value.min(1.0))))
}

fn pair_law() -> Result<SilversteinLaw, ClaimError> {
    Ok(SilversteinLaw::new(&Spectrum::from_atoms(&PAIR, &[0.5, 0.5])?, 0.5)?)
}

/// A statistic of the eigenvalues of Ŝ = XᵀX/n, X n×n/2 with normal rows whose
/// covariance has the eigenvalues of [`PAIR`] in turn.
fn simulate(
    streams: Streams,
    n: usize,
    replicates: u64,
    statistic: impl Fn(&[f64], &mut Stream) -> f64 + Sync + Send,
) -> Result<Sample, ClaimError> {
    let p = n / 2;
    let scales: Vec<f64> = (0..p).map(|j| (PAIR[j % 2] / n as f64).sqrt()).collect();
    over_samples(streams, &scales, (n, replicates), |x, stream| {
        Ok(statistic(&symmetric_eigenvalues(&gram(x, n, p)?, p)?, stream))
    })
}
