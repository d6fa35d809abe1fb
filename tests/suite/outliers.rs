//! Outliers, thresholds and spikes recovered from outliers (O1)–(O6).
//!
//! Golden values carry 30 digits (poles and residues of the resolvent, roots of polynomials);
//! the only slack beyond the proved radius is the rounding of the golden string to f64.

use proptest::prelude::*;
use rootrate::evidence::Certified;
use rootrate::resolvent::silverstein::{Outlier, Placement};
use rootrate::resolvent::{ResolventError, SilversteinLaw};
use rootrate::spectrum::Spectrum;
use serde_json::Value;

pub(crate) fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/spikes.json")).unwrap()
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_str().map_or_else(|| value.as_f64().unwrap(), |s| s.parse().unwrap())
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

pub(crate) fn law(atoms: &[f64], weights: &[f64], ratio: f64) -> SilversteinLaw {
    SilversteinLaw::new(&Spectrum::from_atoms(atoms, weights).unwrap(), ratio).unwrap()
}

pub(crate) fn golden_law(golden: &Value, name: &Value) -> SilversteinLaw {
    let case = &golden["laws"][name.as_str().unwrap()];
    law(&numbers(&case["atoms"]), &numbers(&case["weights"]), number(&case["ratio"]))
}

fn covers(c: Certified, exact: f64) -> bool {
    (c.value - exact).abs() <= c.radius + 0.5 * f64::EPSILON * exact.abs()
}

#[test]
fn outliers_match_references() {
    let golden = golden();
    for case in golden["outliers"].as_array().unwrap() {
        let law = golden_law(&golden, &case["law"]);
        let (sample, overlap) = (number(&case["sample"]), number(&case["overlap"]));
        let forward = law.outlier(number(&case["spike"])).unwrap();
        assert_eq!(forward.placement, Placement::Detached, "{case}");
        for (value, exact) in [(forward.sample, sample), (forward.overlap, overlap)] {
            assert!(covers(value, exact), "{case}: {forward:?}");
            assert!(value.radius <= 8.0 * f64::EPSILON * exact, "{case}: {forward:?}");
        }
        // backwards from the rounded position: the spike changes by its rounding over x′
        let back = law.spike_from_outlier(sample).unwrap();
        let spike = number(&case["spike"]);
        let slack = f64::EPSILON * sample / (overlap * sample / spike);
        let off = |c: Certified, exact: f64| (c.value - exact).abs() - c.radius;
        assert!(off(back.population, spike) <= slack, "{case}: {back:?}");
        assert!(back.population.radius <= 1e-14 * spike, "{case}: {back:?}");
        assert!(off(back.overlap, overlap) <= 1e-13 * overlap, "{case}: {back:?}");
        assert!(back.overlap.radius <= 1e-13, "{case}: {back:?}");
    }
}

#[test]
fn thresholds_match_references() {
    let golden = golden();
    for case in golden["thresholds"].as_array().unwrap() {
        let law = golden_law(&golden, &case["law"]);
        let ranges = law.spike_ranges();
        let mut found: Vec<Certified> =
            ranges.iter().flat_map(|r| [Some(r.lower), r.upper]).flatten().collect();
        // the range below the bulk begins at 0
        if found[0].value == 0.0 {
            assert_eq!(found.remove(0).radius, 0.0);
        }
        let critical = numbers(&case["critical"]);
        assert_eq!(found.len(), critical.len(), "{case}: {ranges:?}");
        for (value, exact) in found.into_iter().zip(critical) {
            assert!(covers(value, exact), "{case}: {value:?}");
            assert!(value.radius <= 64.0 * f64::EPSILON * exact, "{case}: {value:?}");
        }
        assert_eq!(ranges.last().unwrap().upper, None);
    }
}

/// Σ = 1: thresholds 1 ± √c, x = τ₀(1 + c/(τ₀−1)), overlap (1 − c/(τ₀−1)²)/(1 + c/(τ₀−1)).
#[test]
fn spikes_of_the_identity_in_closed_form() {
    for c in [0.01, 0.25, 1.0, 4.0] {
        let law = law(&[1.0], &[1.0], c);
        for spike in [0.05, 0.3, 0.7, 1.3, 1.9, 2.5, 3.5, 100.0] {
            let d: f64 = spike - 1.0;
            let (slope, stretch) = (1.0 - c / (d * d), 1.0 + c / d);
            let outlier = law.outlier(spike).unwrap();
            if slope > 0.0 {
                assert_eq!(outlier.placement, Placement::Detached);
                let rounding = 1e-15 * (1.0 + c / d.abs());
                assert!((outlier.sample.value - spike * stretch).abs() <= 4.0 * rounding * spike);
                let overlap = slope / stretch;
                let condition = (1.0 + c / (d * d)) / slope + (1.0 + c / d.abs()) / stretch;
                assert!((outlier.overlap.value - overlap).abs() <= 1e-15 * condition * overlap);
            } else {
                let edge = (1.0 + c.sqrt().copysign(d)).powi(2);
                let expected = match (spike < 1.0, c > 1.0) {
                    (true, true) => Placement::Null,
                    (true, false) => Placement::LowerEdge { component: 0 },
                    _ => Placement::UpperEdge { component: 0 },
                };
                assert_eq!(outlier.placement, expected, "{c} {spike}");
                let edge = if expected == Placement::Null { 0.0 } else { edge };
                assert!((outlier.sample.value - edge).abs() <= 1e-14 * edge, "{outlier:?}");
                assert_eq!(outlier.overlap, Certified::new(0.0, 0.0));
            }
        }
    }
}

/// c = ¼ has its threshold at exactly 1.5, where no sign can be proved; its neighbours differ.
#[test]
fn the_threshold_is_told_to_one_unit_in_the_last_place() {
    let law = law(&[1.0], &[1.0], 0.25);
    let at = law.outlier(1.5).unwrap();
    assert_eq!(at.placement, Placement::Undecided);
    assert!(at.sample.contains(2.25) && at.sample.radius < 1e-14, "{at:?}");
    assert!(at.overlap.contains(0.0) && at.overlap.radius < 1e-14, "{at:?}");
    assert_eq!(law.outlier(1.5_f64.next_up()).unwrap().placement, Placement::Detached);
    let below = law.outlier(1.5_f64.next_down()).unwrap().placement;
    assert_eq!(below, Placement::UpperEdge { component: 0 });
    // overlap 2(τ₀−1.5)·2·…: x′ = 4(τ₀ − 1.5) to first order, τ₀/x = 2/3
    let near = law.outlier(1.5 + 1e-12).unwrap().overlap;
    let step = (1.5 + 1e-12) - 1.5;
    assert!((near.value / (8.0 / 3.0 * step) - 1.0).abs() < 1e-11, "{near:?}");
    assert!(near.radius < 1e-14 * near.value);
}

#[test]
fn spikes_that_are_not_detached_stay_where_their_rank_is() {
    let placed = |law: &SilversteinLaw, spike: f64| {
        let outlier = law.outlier(spike).unwrap();
        assert_eq!(outlier.overlap, Certified::new(0.0, 0.0), "{spike}");
        (outlier.placement, outlier.sample)
    };
    let two = law(&[1.0, 100.0], &[0.5, 0.5], 0.25);
    let edges: Vec<f64> = two
        .support()
        .components
        .iter()
        .flat_map(|c| [c.lower.position.value, c.upper.position.value])
        .collect();
    for (spike, placement, position) in [
        (0.7, Placement::LowerEdge { component: 0 }, edges[0]),
        (1.2, Placement::UpperEdge { component: 0 }, edges[1]),
        (80.0, Placement::LowerEdge { component: 1 }, edges[2]),
        (130.0, Placement::UpperEdge { component: 1 }, edges[3]),
    ] {
        assert_eq!(placed(&two, spike).0, placement);
        assert!((placed(&two, spike).1.value - position).abs() <= 1e-14 * position);
    }
    let (placement, hull) = placed(&two, 100.0);
    assert_eq!(placement, Placement::Bulk { component: 1 });
    assert!(hull.contains(edges[2]) && hull.contains(edges[3]));

    // one bulk from two atoms: a spike between them is in it
    let merged = law(&[1.0, 2.0], &[0.5, 0.5], 0.5);
    assert_eq!(merged.support().components.len(), 1);
    assert_eq!(placed(&merged, 1.5).0, Placement::Bulk { component: 0 });

    // c = 4: three quarters of the ranks are zeros
    let singular = law(&[1.0, 2.0, 3.0], &[0.25, 0.25, 0.5], 4.0);
    assert_eq!(singular.support().components.len(), 1);
    assert_eq!(placed(&singular, 0.5), (Placement::Null, Certified::new(0.0, 0.0)));
    assert_eq!(placed(&singular, 1.0).0, Placement::Null);
    assert_eq!(placed(&singular, 2.5), (Placement::Null, Certified::new(0.0, 0.0)));
    // at the atom 3 the ranks are those of zeros or of the bulk
    let (placement, hull) = placed(&singular, 3.0);
    assert_eq!(placement, Placement::Bulk { component: 0 });
    assert!(hull.contains(0.0));

    // directions without variance
    let zero = |law: &SilversteinLaw| law.outlier(0.0).unwrap();
    let alone = zero(&two);
    assert_eq!((alone.placement, alone.sample.value), (Placement::Detached, 0.0));
    assert!(alone.overlap.contains(1.0));
    assert_eq!(zero(&singular).placement, Placement::Null);
    assert_eq!(zero(&law(&[0.0, 1.0], &[0.5, 0.5], 0.5)).placement, Placement::Null);
    assert_eq!(zero(&law(&[1.0], &[1.0], 1.0)).placement, Placement::Undecided);
}

#[test]
fn bad_input_is_refused() {
    let law = law(&[1.0, 100.0], &[0.5, 0.5], 0.25);
    for spike in [-1.0, f64::INFINITY, 1e70, 1e-70] {
        assert!(matches!(law.outlier(spike), Err(ResolventError::Parameter { .. })), "{spike}");
    }
    assert!(matches!(law.outlier(f64::NAN), Err(ResolventError::NotANumber { .. })));
    let edge = law.support().components[1].upper.position.value;
    for position in [-1.0, 0.0, f64::INFINITY, 1.0, 100.0, edge] {
        let error = law.spike_from_outlier(position);
        assert!(matches!(error, Err(ResolventError::Domain { .. })), "{position}: {error:?}");
    }
    assert!(matches!(law.spike_from_outlier(f64::NAN), Err(ResolventError::NotANumber { .. })));
    // no spike explains an eigenvalue between 0 and the bulk when c > 1
    let singular = self::law(&[1.0], &[1.0], 9.0);
    assert!(singular.support().components[0].lower.position.value > 3.0);
    assert!(singular.spike_from_outlier(1.0).is_err());
}

#[test]
fn outliers_serialise_with_their_radii() {
    let json = serde_json::to_value(law(&[1.0], &[1.0], 0.25).outlier(3.0).unwrap()).unwrap();
    assert_eq!(json["population"]["value"], 3.0);
    assert_eq!(json["sample"]["value"], 3.375);
    assert!(json["overlap"]["radius"].as_f64().unwrap() < 1e-15);
    assert_eq!(json["placement"]["kind"], "detached");
}

/// An outlier without its evidence, for a comparison of laws that differ by a scale.
fn values(o: &Outlier) -> [f64; 3] {
    [o.population.value, o.sample.value, o.overlap.value]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Ranges, placement and the inverse say the same; 0 < overlap < 1 and x > 0 when detached;
    /// a power of two as unit changes no bit.
    #[test]
    fn outliers_are_consistent(
        exponents in prop::collection::vec(-3.0..3.0_f64, 1..6),
        log_c in -3.0..2.0_f64, log_spike in -6.0..6.0_f64,
    ) {
        let atoms: Vec<f64> = exponents.iter().map(|e| e.exp()).collect();
        let spectrum = Spectrum::from_eigenvalues(&atoms).unwrap();
        let law = SilversteinLaw::new(&spectrum, log_c.exp()).unwrap();
        let spike = log_spike.exp();
        let outlier = law.outlier(spike).unwrap();
        let detached = law.spike_ranges().iter().any(|r| {
            r.lower.value < spike && r.upper.is_none_or(|u| spike < u.value)
        });
        prop_assert_eq!(detached, outlier.placement == Placement::Detached);
        if detached {
            let [_, x, overlap] = values(&outlier);
            prop_assert!(x > 0.0 && overlap > 0.0 && overlap < 1.0);
            let inside = law.support().components.iter().any(|c| {
                c.lower.position.value <= x && x <= c.upper.position.value
            });
            prop_assert!(!inside, "{:?}", outlier);
            // the proof of the inverse needs a distance from the edge of many roundings
            if overlap > 1e-4 {
                let back = law.spike_from_outlier(x).unwrap();
                let slack = 4.0 * (outlier.sample.radius + f64::EPSILON * x) * spike / (overlap * x);
                let off = (back.population.value - spike).abs();
                prop_assert!(off <= back.population.radius + slack, "{:?} {:?}", outlier, back);
            }
        } else {
            prop_assert_eq!(outlier.overlap.value, 0.0);
        }
        let doubled: Vec<f64> = atoms.iter().map(|t| 4.0 * t).collect();
        let scaled = SilversteinLaw::new(&Spectrum::from_eigenvalues(&doubled).unwrap(), log_c.exp());
        let [t, x, overlap] = values(&scaled.unwrap().outlier(4.0 * spike).unwrap());
        if detached {
            prop_assert_eq!([t / 4.0, x / 4.0, overlap], values(&outlier));
        }
    }
}
