//! The support of the general law against high-precision references and identities.

use std::sync::LazyLock;

use proptest::prelude::*;
use rootrate::evidence::Certified;
use rootrate::resolvent::silverstein::{Edge, Support};
use rootrate::resolvent::{MarchenkoPastur, ResolventError, SilversteinLaw};
use rootrate::spectrum::Spectrum;
use serde_json::Value;

const ULP: f64 = f64::EPSILON;

static GOLDEN: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../golden/support.json")).expect("valid JSON")
});

fn number(value: &Value) -> f64 {
    value.as_str().expect("a string").parse().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("an array").iter().map(number).collect()
}

/// |value − reference|; the reference is the sum of two doubles.
fn distance(c: Certified, reference: &Value) -> f64 {
    ((c.value - number(&reference["hi"])) - number(&reference["lo"])).abs()
}

/// The reference lies in the certified interval, which is as narrow as promised.
fn check(c: Certified, reference: &Value, promised: f64, what: &str) {
    let off = distance(c, reference);
    // the comparison itself rounds in the last place of the small distance
    assert!(off <= c.radius * (1.0 + 4.0 * ULP), "{what}: {c:?} is off by {off:e}");
    assert!(c.radius <= promised, "{what}: {c:?} exceeds the promised {promised:e}");
}

fn support(atoms: &[f64], weights: &[f64], ratio: f64) -> Support {
    let population = Spectrum::from_atoms(atoms, weights).expect("a population");
    SilversteinLaw::new(&population, ratio).expect("a law").support().clone()
}

#[test]
fn edges_masses_and_coefficients_agree_with_forty_digits() {
    for case in GOLDEN["cases"].as_array().expect("cases") {
        let name = case["name"].as_str().expect("a name");
        let (atoms, weights) = (numbers(&case["atoms"]), numbers(&case["weights"]));
        let ratio = number(&case["ratio"]);
        let found = support(&atoms, &weights, ratio);
        let reference = &case["components"];
        assert!(found.contacts.is_empty(), "{name}: {:?}", found.contacts);
        assert_eq!(found.components.len() as u64, reference["count"], "{name}");
        check(found.atom_at_zero, &case["atom_at_zero"], 4.0 * ULP, name);
        let scale = found.components.last().expect("one").upper.position.value;
        let kept = reference["kept"].as_array().expect("components");
        for (index, wanted) in reference["index"].as_array().expect("indices").iter().zip(kept) {
            let component = &found.components[index.as_u64().expect("an index") as usize];
            assert_eq!(component.atoms.start as u64, wanted["atoms"][0], "{name}");
            assert_eq!(component.atoms.end as u64, wanted["atoms"][1], "{name}");
            // half an ulp of the rounding to a double, and what rounding of 1/c leaves
            check(component.mass, &wanted["mass"], ULP, &format!("{name}: mass"));
            for (edge, side) in [(&component.lower, "lower"), (&component.upper, "upper")] {
                let (what, wanted) = (format!("{name}: {side} {index}"), &wanted[side]);
                let position = edge.position;
                let promised = (2.0 * ULP * position.value.abs()).max(1e-30 * scale);
                check(position, &wanted["position"], promised, &what);
                check_coefficient(edge, &wanted["coefficient"], &what);
            }
        }
    }
}

fn check_coefficient(edge: &Edge, reference: &Value, what: &str) {
    // x''(s) cancels in thin gaps: 1e-6 in the thinnest of the table
    let promised = 1e-5 * edge.coefficient.value;
    check(edge.coefficient, reference, promised, &format!("{what}: coefficient"));
}

#[test]
fn one_atom_is_the_closed_form_to_the_last_bits() {
    let ratios = [1e-10, 1e-3, 0.3, 1.0 - 1e-9, 1.0 - 0.5 * ULP, 1.0, 1.0 + ULP, 2.0, 1e3, 1e10];
    for ratio in ratios {
        for scale in [1e-60, 0.7, 1.0, 1e60] {
            let found = support(&[scale], &[1.0], ratio);
            let [component] = &found.components[..] else { panic!("one component") };
            let (a, b) = MarchenkoPastur::new(ratio, scale).expect("a law").support();
            for (edge, wanted, side) in [(&component.lower, a, "a"), (&component.upper, b, "b")] {
                let Certified { value, radius } = edge.position;
                let what =
                    format!("{side} at c = {ratio:e}, scale {scale:e}: {value:e} {wanted:e}");
                // the closed form is within half an ulp
                assert!((value - wanted).abs() <= radius + 0.51 * ULP * wanted, "{what}");
                // next to c = 1 the lower edge is (1 − √c)²: 1e-32 of 1 − √c is left
                assert!(radius <= 4.0 * ULP * wanted.max(1e-16 * b), "{what}: {radius:e}");
            }
            assert_eq!(component.lower.hard, ratio == 1.0);
            assert!(component.mass.contains(1.0 / ratio.max(1.0)), "{component:?}");
            assert!(found.atom_at_zero.contains((1.0 - 1.0 / ratio).max(0.0)));
        }
    }
}

/// 2 and 1 with shares 1/32 and 1/8: φ(3/2) = ½ + ½ = 1 is the minimum, exactly.
#[test]
fn an_exact_contact_is_reported_with_a_bound_of_the_gap() {
    let found = support(&[1.0, 2.0], &[0.8, 0.2], 5.0 / 32.0);
    assert_eq!(found.components.len(), 1);
    let [contact] = found.contacts[..] else { panic!("one contact: {:?}", found.contacts) };
    assert_eq!(contact.atoms_below, 1);
    assert!(contact.width < 1e-40, "{contact:?}");
    // x(3/2) = 3/2 (1 + 1/8·1/(1/2) + 1/32·2/(−1/2)) = 27/16
    assert!((contact.position - 27.0 / 16.0).abs() < 1e-15, "{contact:?}");
    // a relative 2⁻⁵² on the ratio opens or closes it
    assert_eq!(support(&[1.0, 2.0], &[0.8, 0.2], 5.0 / 32.0 * (1.0 - ULP)).components.len(), 2);
    let closed = support(&[1.0, 2.0], &[0.8, 0.2], 5.0 / 32.0 * (1.0 + ULP));
    assert!(closed.components.len() == 1 && closed.contacts.is_empty());
}

#[test]
fn weights_too_small_are_refused() {
    let population = Spectrum::from_atoms(&[1.0, 2.0], &[1.0, 1e-101]).expect("a population");
    let error = SilversteinLaw::new(&population, 0.5).expect_err("too small");
    assert!(matches!(error, ResolventError::Parameter { name: "population weight", .. }));
}

/// What holds for every support; returns the number of components.
fn check_structure(found: &Support, atoms: usize) -> Result<(), TestCaseError> {
    let mut total = found.atom_at_zero.value;
    let (mut first, mut last) = (0, f64::NEG_INFINITY);
    for component in &found.components {
        prop_assert_eq!(component.atoms.start, first);
        prop_assert!(!component.atoms.is_empty());
        first = component.atoms.end;
        prop_assert!(component.mass.value > 0.0);
        total += component.mass.value;
        for edge in [&component.lower, &component.upper] {
            let (e, a) = (edge.position, edge.coefficient);
            prop_assert!(e.value >= last && e.value >= 0.0, "{:?}", found);
            prop_assert!(e.radius.is_finite() && a.value > 0.0 && a.value.is_finite());
            prop_assert!(a.radius <= 1e-3 * a.value, "{:?}", found);
            last = e.value;
        }
    }
    prop_assert_eq!(first, atoms);
    prop_assert!((total - 1.0).abs() < 1e-13, "total {}", total);
    Ok(())
}

/// Whether min φ < 1 between two neighbouring atoms, by thirds in plain double precision;
/// `None` where φ is too near to 1 to tell.
fn has_gap(phi: impl Fn(f64) -> f64, mut a: f64, mut b: f64) -> Option<bool> {
    for _ in 0..60 {
        let (p, q) = (a + (b - a) / 3.0, b - (b - a) / 3.0);
        if phi(p) < phi(q) { b = q } else { a = p }
    }
    let least = phi(0.5 * (a + b));
    ((least - 1.0).abs() > 1e-9).then_some(least < 1.0)
}

/// More atoms than are summed at once: bunches, and the eigenvalues 1/k. The gaps are those of
/// a search without clusters.
#[test]
fn clusters_discard_only_what_full_sums_discard() {
    let bunches: Vec<f64> =
        (0..400).map(|k| 1.0 + f64::from(k / 50) + 0.002 * f64::from(k % 50)).collect();
    let power: Vec<f64> = (1..=400).map(|k| 1.0 / f64::from(k)).collect();
    for (atoms, ratio) in [(&bunches, 0.01), (&bunches, 1e-7), (&power, 0.1), (&power, 2.0)] {
        let population = Spectrum::from_eigenvalues(atoms).expect("a population");
        let law = SilversteinLaw::new(&population, ratio).expect("a law");
        let starts: Vec<usize> =
            law.support().components.iter().map(|c| c.atoms.start).skip(1).collect();
        let (t, h) = (population.atoms(), population.weights());
        let phi = |s: f64| -> f64 {
            t.iter().zip(h).map(|(t, h)| ratio * h * (t / (s - t)).powi(2)).sum()
        };
        for k in 1..t.len() {
            if let Some(gap) = has_gap(phi, t[k - 1], t[k]) {
                assert_eq!(starts.contains(&k), gap, "{k}, c = {ratio}");
            }
        }
        let most = if ratio < 1e-6 { 400 } else { 40 };
        assert!((2..=most).contains(&(starts.len() + 1)) || ratio == 2.0, "{}", starts.len());
    }
}

fn populations() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, f64)> {
    let pair = (-1.0..1.0_f64, 0.01..1.0_f64);
    (prop::collection::vec(pair, 1..30), 0.0..0.5_f64, prop::bool::ANY, -4.0..2.0_f64).prop_map(
        |(pairs, zero, with_zero, ratio)| {
            let total: f64 = pairs.iter().map(|p| p.1).sum();
            let zero = if with_zero { zero } else { 0.0 };
            let mut atoms = vec![0.0];
            let mut weights = vec![zero];
            for (t, h) in pairs {
                atoms.push(10.0_f64.powf(t));
                weights.push(h / total * (1.0 - zero));
            }
            (atoms, weights, 10.0_f64.powf(ratio))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The gaps are those that a search of each interval by thirds finds; their edges those of
    /// bisection, in plain double precision.
    #[test]
    fn gaps_are_those_of_a_plain_search((atoms, weights, ratio) in populations()) {
        let population = Spectrum::from_atoms(&atoms, &weights).expect("a population");
        let found = SilversteinLaw::new(&population, ratio).expect("a law").support().clone();
        let skip = usize::from(population.atoms()[0] == 0.0);
        let (t, h) = (&population.atoms()[skip..], &population.weights()[skip..]);
        check_structure(&found, t.len())?;
        prop_assert!(found.contacts.is_empty());
        let phi = |s: f64| t.iter().zip(h).map(|(t, h)| ratio * h * (t / (s - t)).powi(2)).sum::<f64>();
        let x = |s: f64| s * (1.0 + t.iter().zip(h).map(|(t, h)| ratio * h * t / (s - t)).sum::<f64>());
        let root = |mut low: f64, mut high: f64| {
            for _ in 0..100 {
                let m = 0.5 * (low + high);
                if phi(m) < 1.0 { low = m } else { high = m }
            }
            low
        };
        for k in 1..t.len() {
            let at = found.components.iter().position(|c| c.atoms.start == k);
            if let Some(gap) = has_gap(phi, t[k - 1], t[k]) {
                prop_assert_eq!(at.is_some(), gap);
            }
            // between its critical points
            let middle = (0..200)
                .map(|i| t[k - 1] + (t[k] - t[k - 1]) * (f64::from(i) + 0.5) / 200.0)
                .min_by(|&p, &q| phi(p).total_cmp(&phi(q)))
                .filter(|&m| phi(m) < 0.99);
            if let (Some(i), Some(m)) = (at, middle) {
                let (lower, upper) = (&found.components[i - 1].upper, &found.components[i].lower);
                let (below, above) = (x(root(m, t[k - 1])), x(root(m, t[k])));
                prop_assert!((lower.position.value - below).abs() < 1e-11 * below);
                prop_assert!((upper.position.value - above).abs() < 1e-11 * above);
            }
        }
    }

    /// Extremes neither panic nor give anything that is not a finite number.
    #[test]
    fn extremes_are_finite(
        pairs in prop::collection::vec((-60.0..60.0_f64, -90.0..0.0_f64), 1..12),
        ratio in -10.0..10.0_f64,
        zero in 0.0..0.9_f64,
    ) {
        let total: f64 = pairs.iter().map(|p| 10.0_f64.powf(p.1)).sum();
        let mut atoms = vec![0.0];
        let mut weights = vec![zero];
        for (t, h) in pairs {
            atoms.push(10.0_f64.powf(t));
            weights.push((10.0_f64.powf(h) / total).max(1e-95) * (1.0 - zero));
        }
        let sum: f64 = weights.iter().sum();
        let weights: Vec<f64> = weights.iter().map(|h| h / sum).collect();
        let found = support(&atoms, &weights, 10.0_f64.powf(ratio));
        let count: usize = atoms.len() - 1;
        let distinct = found.components.last().expect("one").atoms.end;
        prop_assert!(distinct <= count);
        check_structure(&found, distinct)?;
    }
}
