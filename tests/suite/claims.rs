//! The registry of claims: each passes, each fails when its formula is perturbed, and each
//! points at a result that `theory/` states.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use rootrate::claims::{Context, FAMILY_FALSE_ALARM, Finding, all};
use rootrate::montecarlo::CpuEngine;
use statrs::function::erf::erfc;

/// Every claim passes at one fixed seed, and its check notices the error that it promises to
/// notice. False alarms: `FAMILY_FALSE_ALARM` = 1e-3 over all of them together.
#[test]
fn every_claim_passes_and_notices_its_perturbation() {
    let context = Context::new(true, 1, &CpuEngine::DOUBLE);
    let mut failures = Vec::new();
    for claim in all() {
        let honest = claim.verify(&context);
        if !honest.passed {
            failures.push(format!("{honest:?}"));
        }
        assert!(claim.detects > 0.0, "{}", claim.id);
        let perturbed = claim.verify(&context.perturbed(claim.detects));
        // an error is no detection
        if perturbed.passed || perturbed.value.is_none() {
            failures.push(format!("off by {}, but: {perturbed:?}", claim.detects));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// A check that draws random numbers must count its comparisons, or the false-alarm rate of the
/// family is understated: what counts none must not depend on the seed.
#[test]
fn claims_without_comparisons_are_deterministic() {
    for claim in all().into_iter().filter(|c| c.comparisons == 0) {
        let [first, second] = [1, 2]
            .map(|seed| (claim.check)(&Context::new(true, seed, &CpuEngine::DOUBLE)).unwrap());
        assert_eq!(first, second, "{}", claim.id);
    }
}

#[test]
fn the_threshold_keeps_the_family_rate() {
    let comparisons: usize = all().iter().map(|c| c.comparisons).sum();
    let z = Context::new(true, 1, &CpuEngine::DOUBLE).z_threshold;
    let family = comparisons as f64 * erfc(z / std::f64::consts::SQRT_2);
    assert!((family / FAMILY_FALSE_ALARM - 1.0).abs() < 1e-6, "{family}");
}

#[test]
fn every_claim_quotes_an_equation_of_its_page() {
    let theory = Path::new(env!("CARGO_MANIFEST_DIR")).join("theory");
    let mut ids = HashSet::new();
    for claim in all() {
        assert!(ids.insert(claim.id), "{} twice", claim.id);
        assert!(!claim.statement.is_empty() && !claim.how.is_empty(), "{}", claim.id);
        let (page, label) = claim.theory.split_once(' ').unwrap();
        let text = fs::read_to_string(theory.join(page)).unwrap();
        assert!(label.starts_with('(') && label.ends_with(')'), "{}: {label}", claim.id);
        assert!(text.contains(label), "{} quotes {label}, which {page} does not have", claim.id);
        assert!(text.contains(claim.id), "{page} does not name the claim {}", claim.id);
    }
    assert!(!ids.is_empty());
}

#[test]
fn a_finding_without_a_number_fails_and_is_the_worst() {
    let finding = |value| Finding { value, expected: 1.0, tolerance: 0.5 };
    assert!(finding(1.5).passed() && !finding(1.6).passed());
    assert!(!finding(f64::NAN).passed());
    assert_eq!(Finding::worst([1.1, 0.2, 1.3].map(finding)), finding(0.2));
    assert!(Finding::worst([f64::INFINITY, f64::NAN].map(finding)).value.is_nan());
}
