//! Claims of page 6e, continuous populations.

use num_complex::Complex64;

use super::{Claim, ClaimError, Context, Finding};
use crate::resolvent::ContinuousPopulation;
use crate::spectrum::ContinuousLaw;

pub(super) fn claims() -> Vec<Claim> {
    vec![Claim {
        id: "continuous-iterated",
        statement: "a sample covariance of a sample covariance: u = −1/v solves c₀s²((1−c)u−z)² + cu(u+(c₀−1)s²)((1−c)u−z) + c²u³ = 0",
        theory: "6e-continuous-populations.md (C2)",
        how: "companion transform from the Gauss rule of the Marchenko–Pastur population against the cubic equation that the closed form of its transform gives, one Newton step; tolerance: the proved radius and 1e-13 for the rounding of the cubic",
        comparisons: 0,
        detects: 1e-10,
        check: iterated,
    }]
}

/// The Newton step is the error of u to first order; the terms of the cubic cancel by a factor
/// below 100 at these points, which leaves 1e-14.
fn iterated(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let mut findings = Vec::new();
    for (c0, s2) in [(0.3, 1.0), (1.0, 2.0), (2.5, 0.8)] {
        for c in [0.4, 2.0] {
            let law = ContinuousPopulation::new(ContinuousLaw::marchenko_pastur(c0, s2)?, c)?;
            for z in [Complex64::new(-0.5, 0.0), Complex64::new(1.0, 0.0), Complex64::new(2.0, 0.3)]
            {
                let v = law.companion(z, 1e-12)?;
                let u = -context.formula(1.0) / v.value();
                let a = (1.0 - c) * u - z;
                let b = u + (c0 - 1.0) * s2;
                let cubic = c0 * s2 * a * a + c * u * b * a + c * c * u * u * u;
                let slope = 2.0 * (1.0 - c) * c0 * s2 * a
                    + c * (b * a + u * a + (1.0 - c) * u * b)
                    + 3.0 * c * c * u * u;
                let tolerance = v.radius() / v.value().norm() + 1e-13;
                let value = (cubic / slope / u).norm();
                // an unproved value has an infinite radius, and must not pass
                let tolerance = if v.is_certified() { tolerance } else { 0.0 };
                findings.push(Finding { value, expected: 0.0, tolerance });
            }
        }
    }
    Ok(Finding::worst(findings))
}
