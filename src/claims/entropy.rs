//! Claims of page 3, entropy rate: closed forms, clocks and bounds.

use std::f64::consts::PI;

use super::{Claim, ClaimError, Context, Finding};
use crate::entropy::{Clock, DataModel, DiracMixture, GaussianSpectrum, RandomEnergy, Wishart};
use crate::numeric::quadrature::{Tolerance, integrate};
use crate::resolvent::MarchenkoPastur;
use crate::spectrum::Spectrum;

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "entropy-clocks",
            statement: "Ḣ_u = ½ |dγ/du| mmse is the derivative of the information in every clock u",
            theory: "3-entropy-rate.md (E2)",
            how: "six-point differences of the information of Gaussian and Wishart data; tolerance: the seventh derivative and rounding",
            comparisons: 0,
            detects: 1e-8,
            check: clocks,
        },
        Claim {
            id: "entropy-stieltjes-bridge",
            statement: "the rate of Gaussian data is 1 − σ² m(−σ²) of its spectrum",
            theory: "3-entropy-rate.md (E3′)",
            how: "Gaussian data with 128 atoms that integrate the Marchenko–Pastur law, against the resolvent in closed form; tolerance: 40 ulp of 1",
            comparisons: 0,
            detects: 1e-10,
            check: stieltjes_bridge,
        },
        Claim {
            id: "entropy-wishart-rate",
            statement: "mmse = σ² e^{−η}/√c for Gaussian data with a Wishart covariance",
            theory: "3-entropy-rate.md (E4)",
            how: "quadrature of xσ²/(x+σ²) over the Marchenko–Pastur density",
            comparisons: 0,
            detects: 1e-9,
            check: wishart_rate,
        },
        Claim {
            id: "entropy-wishart-information",
            statement: "the information of Gaussian data with a Wishart covariance is elementary",
            theory: "3-entropy-rate.md (E4′)",
            how: "quadrature of ½ ln(1+x/σ²) over the Marchenko–Pastur density",
            comparisons: 0,
            detects: 1e-9,
            check: wishart_information,
        },
        Claim {
            id: "entropy-pair",
            statement: "two points at distance 2Δ have mmse Δ²(1 − E tanh(γΔ² + √γ Δ Z)) in any dimension",
            theory: "3-entropy-rate.md (E5)",
            how: "quadrature over the Gaussian Z against the certified trapezoid rule, for points in 1, 2 and 5 dimensions",
            comparisons: 0,
            detects: 1e-8,
            check: pair,
        },
        Claim {
            id: "entropy-pair-small-noise",
            statement: "the rate of the pair ±1 vanishes as e^{−1/(2σ²)} with the stated factor",
            theory: "3-entropy-rate.md (E7)",
            how: "certified mmse against two terms of an alternating series; tolerance: the third",
            comparisons: 0,
            detects: 1e-5,
            check: pair_small_noise,
        },
        Claim {
            id: "entropy-critical-level",
            statement: "σ_c = (e^{2α}−1)^{−½} is where the Gaussian information reaches α",
            theory: "3-entropy-rate.md (E8)",
            how: "bisection of the Gaussian information",
            comparisons: 0,
            detects: 1e-9,
            check: critical_level,
        },
        Claim {
            id: "entropy-linear-bound",
            statement: "mmse ≤ Σ sᵢ/(1+γsᵢ), and to first order in γ no less",
            theory: "3-entropy-rate.md (E1)",
            how: "excess of the certified mmse of discrete data over the linear estimator's, from σ = 0.1 to 1000, where the two meet; tolerance: rounding",
            comparisons: 0,
            detects: 1e-7,
            check: linear_bound,
        },
        Claim {
            id: "entropy-information-bounds",
            statement: "½γ mmse ≤ I ≤ ½γ Var, which meet at large σ",
            theory: "3-entropy-rate.md (E5″)",
            how: "certified information of discrete data at large noise; tolerance: half the distance of the bounds",
            comparisons: 0,
            detects: 1e-4,
            check: information_bounds,
        },
    ]
}

/// A central difference of order six with steps of h = 0.005 in ln σ errs by h⁶ f⁽⁷⁾/140 with
/// f⁽⁷⁾ up to 7! times the rate, 6e-13 of the rate, and by rounding of I, which is at most 4
/// times the rate here: 2·4ε/h < 4e-13, and of the level, which the step magnifies alike.
fn clocks(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let gaussian = GaussianSpectrum::from_variances(&[(1.0, 1), (0.2, 1)])?;
    let wishart = Wishart::new(0.5)?;
    let models: [&dyn DataModel; 2] = [&gaussian, &wishart];
    let mut findings = Vec::new();
    for model in models {
        for clock in Clock::ALL {
            for sigma in [0.3, 1.0, 2.5] {
                let h = 0.005 / clock.log_sigma_speed(sigma);
                let level = clock.level(sigma);
                let information = |k: f64| {
                    Ok::<_, ClaimError>(model.information(clock.sigma(level + k * h))?.value())
                };
                let mut difference = 0.0;
                for (k, weight) in [(1.0, 45.0), (2.0, -9.0), (3.0, 1.0)] {
                    difference += weight * (information(k)? - information(-k)?);
                }
                let rate = clock.rate(sigma, model.mmse(sigma)?.value());
                findings.push(Finding {
                    value: (difference / (60.0 * h)).abs(),
                    expected: context.formula(rate),
                    tolerance: 1e-11 * rate,
                });
            }
        }
    }
    Ok(Finding::worst(findings))
}

/// With x = (1+c) + 2√c cos θ, dF = (2/π) sin²θ/x dθ on the bulk. The n-point rule in θ is
/// exact up to ρ^{−2n}, ρ the ellipse through the pole at 0, where √c or 1/√c = ρ ≥ 1.4.
fn discretised(ratio: f64) -> Result<Spectrum, ClaimError> {
    const NODES: usize = 128;
    let (mut atoms, mut weights) = (Vec::new(), Vec::new());
    for k in 1..=NODES {
        let theta = k as f64 * PI / (NODES + 1) as f64;
        let x = 1.0 + ratio + 2.0 * ratio.sqrt() * theta.cos();
        atoms.push(x);
        weights.push(2.0 * theta.sin().powi(2) / x / (NODES + 1) as f64);
    }
    if ratio > 1.0 {
        atoms.push(0.0);
        weights.push(1.0 - 1.0 / ratio);
    }
    Ok(Spectrum::from_atoms(&atoms, &weights)?)
}

/// Accuracies: 20 ulp for m, two roundings of numbers below 1, 16 ulp of the rate, and as many
/// for the atoms and weights, whose relative errors average.
fn stieltjes_bridge(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let mut findings = Vec::new();
    for ratio in [0.1, 0.5, 2.0] {
        let gaussian = GaussianSpectrum::new(&discretised(ratio)?)?;
        let law = MarchenkoPastur::new(ratio, 1.0)?;
        for sigma in [0.1_f64, 0.5, 1.0, 3.0] {
            let square = sigma * sigma;
            findings.push(Finding {
                value: gaussian.mmse(sigma)?.value() / square,
                expected: context.formula(1.0 - square * law.stieltjes_real(-square)?),
                tolerance: 40.0 * f64::EPSILON,
            });
        }
    }
    Ok(Finding::worst(findings))
}

/// ∫ x g(x) dF over the Marchenko–Pastur law of mean 1: x dF = (b−a)² 2 sin²φ cos²φ/(2πc) dφ
/// for x = a + (b−a) sin²φ, smooth also where the law has a singularity or an atom at 0.
fn marchenko_pastur(ratio: f64, g: impl Fn(f64) -> f64) -> Result<(f64, f64), ClaimError> {
    let (a, b) = ((1.0 - ratio.sqrt()).powi(2), (1.0 + ratio.sqrt()).powi(2));
    let f = |phi: f64| {
        let (sin, cos) = phi.sin_cos();
        let x = a + (b - a) * sin * sin;
        ((b - a) * sin * cos).powi(2) / (PI * ratio) * g(x)
    };
    let integral = integrate(f, 0.0, 0.5 * PI, Tolerance::relative(1e-12))?;
    Ok((integral.value, integral.estimate))
}

fn wishart_against(
    context: &Context<'_>,
    closed: fn(&Wishart, f64) -> Result<f64, ClaimError>,
    g: fn(f64, f64) -> f64,
) -> Result<Finding, ClaimError> {
    let mut findings = Vec::new();
    for ratio in [0.1, 0.9, 1.0, 5.0] {
        let wishart = Wishart::new(ratio)?;
        for sigma in [0.1, 1.0, 10.0] {
            let (value, estimate) = marchenko_pastur(ratio, |x| g(x, sigma * sigma))?;
            let expected = context.formula(closed(&wishart, sigma)?);
            // 160ε is the certificate of the closed form, the edges carry a few ulp
            let tolerance = estimate + 200.0 * f64::EPSILON * value;
            findings.push(Finding { value, expected, tolerance });
        }
    }
    Ok(Finding::worst(findings))
}

fn wishart_rate(context: &Context<'_>) -> Result<Finding, ClaimError> {
    wishart_against(context, |w, s| Ok(w.mmse(s)?.value()), |x, v| v / (x + v))
}

fn wishart_information(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let g = |x: f64, v: f64| if x == 0.0 { 0.5 / v } else { 0.5 * (x / v).ln_1p() / x };
    wishart_against(context, |w, s| Ok(w.information(s)?.value()), g)
}

/// 1 − E tanh(γ + √γ Z); beyond |z| = 12 less than 1e-32 is left.
fn pair_mmse(sigma: f64) -> Result<(f64, f64), ClaimError> {
    let f = |z: f64| {
        let odds = 1.0 / sigma / sigma + z / sigma;
        // 1 − tanh x = 2/(e^{2x}+1) has no cancellation
        (-0.5 * z * z).exp() / (2.0 * PI).sqrt() * 2.0 / ((2.0 * odds).exp() + 1.0)
    };
    let integral = integrate(f, -12.0, 12.0, Tolerance::relative(1e-11))?;
    Ok((integral.value, integral.estimate))
}

fn pair(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let placed: [[Vec<f64>; 2]; 3] = [
        [vec![-1.0], vec![1.0]],
        [vec![0.0, 1.0], vec![3.0, 5.0]],
        [vec![1.0, 0.0, 2.0, 0.5, 7.0], vec![1.5, 0.5, 2.5, 1.0, 7.0]],
    ];
    let mut findings = Vec::new();
    for points in &placed {
        let pairs = points[0].iter().zip(&points[1]);
        let half = 0.5 * pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let law = DiracMixture::new(points, &[0.5, 0.5])?;
        for sigma in [0.25, 0.6, 1.0, 3.0] {
            let (value, estimate) = pair_mmse(sigma)?;
            let mmse = law.mmse(half * sigma)?;
            findings.push(Finding {
                value: half * half * value,
                expected: context.formula(mmse.value()),
                tolerance: half * half * (estimate + 1e-14 * value) + mmse.error(),
            });
        }
    }
    Ok(Finding::worst(findings))
}

/// e^{−t} lies between 1 − t and 1 − t + t²/2, and ∫ s⁴ sech s ds = 5π⁵/16: the remainder is
/// between 0 and (5π⁴/128) σ⁴.
fn pair_small_noise(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let pair = DiracMixture::on_line(&[-1.0, 1.0], &[0.5, 0.5])?;
    let mut findings = Vec::new();
    for sigma in [0.03_f64, 0.05] {
        let exponential = sigma * (0.5 * PI).sqrt() * (-0.5 / (sigma * sigma)).exp();
        let mmse = pair.mmse(sigma)?;
        findings.push(Finding {
            value: mmse.value() / exponential,
            expected: context.formula(1.0 - PI * PI * sigma * sigma / 8.0),
            // the exponent, 556 at most, costs as many ulp
            tolerance: 5.0 * PI.powi(4) / 128.0 * sigma.powi(4)
                + mmse.error() / exponential
                + 1e3 * f64::EPSILON,
        });
    }
    Ok(Finding::worst(findings))
}

/// Bisection in σ to rounding; dσ/dI = −σ(1+σ²), so an error of ε in I moves σ by a relative
/// (1+σ²) ε α, below 1e-14 for these α.
fn critical_level(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let mut findings = Vec::new();
    for alpha in [0.1, 0.7, 3.0] {
        let gaussian = GaussianSpectrum::from_variances(&[(1.0, 1)])?;
        let (mut low, mut high) = (1e-6_f64, 1e6_f64);
        for _ in 0..200 {
            let middle = (low * high).sqrt();
            if gaussian.information(middle)?.value() > alpha {
                low = middle;
            } else {
                high = middle;
            }
        }
        let critical = RandomEnergy::new(alpha)?.critical_sigma();
        findings.push(Finding {
            value: (low * high).sqrt(),
            expected: context.formula(critical),
            tolerance: 1e-13 * critical,
        });
    }
    Ok(Finding::worst(findings))
}

/// The bound exceeds the mmse by O(γ²): at σ = 1000 by less than 1e-8 of it, so that a bound
/// too small by more than that is noticed there.
fn linear_bound(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let pair = DiracMixture::on_line(&[-1.0, 1.0], &[0.5, 0.5])?;
    let atoms = DiracMixture::on_line(&[-1.0, 0.0, 2.0], &[0.5, 0.25, 0.25])?;
    let mut findings = Vec::new();
    // variance of the second: E x = 0, E x² = 1.5
    for (law, variance) in [(&pair, 1.0), (&atoms, 1.5)] {
        let linear = GaussianSpectrum::from_variances(&[(variance, 1)])?;
        for sigma in [0.1, 0.3, 1.0, 3.0, 10.0, 100.0, 1000.0] {
            let mmse = law.mmse(sigma)?;
            let bound = linear.mmse(sigma)?;
            findings.push(Finding {
                value: (context.formula(mmse.value()) - bound.value()).max(0.0),
                expected: 0.0,
                tolerance: mmse.error() + bound.error(),
            });
        }
    }
    Ok(Finding::worst(findings))
}

fn information_bounds(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let pair = DiracMixture::on_line(&[-1.0, 1.0], &[0.5, 0.5])?;
    let mut findings = Vec::new();
    for sigma in [0.5, 2.0, 10.0, 300.0] {
        let half_snr = 0.5 / sigma / sigma;
        let mmse = pair.mmse(sigma)?;
        let information = pair.information(sigma)?;
        findings.push(Finding {
            value: information.value(),
            expected: context.formula(half_snr * 0.5 * (mmse.value() + 1.0)),
            tolerance: half_snr * (0.5 * (1.0 - mmse.value()) + mmse.error()) + information.error(),
        });
    }
    Ok(Finding::worst(findings))
}
