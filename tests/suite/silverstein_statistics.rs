//! Distribution function, quantiles, log-determinant, moments, linear statistics and sampling of
//! the general law (theory page 6c).

use rootrate::montecarlo::Stream;
use rootrate::resolvent::silverstein::Checked;
use rootrate::resolvent::{MarchenkoPastur, ResolventError, SilversteinLaw};
use rootrate::spectrum::Spectrum;
use serde_json::Value;

struct Case {
    name: String,
    law: SilversteinLaw,
    rows: Value,
}

fn number(value: &Value) -> f64 {
    value.as_str().unwrap().parse().unwrap()
}

fn pairs(value: &Value) -> Vec<(f64, f64)> {
    value.as_array().unwrap().iter().map(|r| (number(&r[0]), number(&r[1]))).collect()
}

fn cases() -> Vec<Case> {
    let golden: Value =
        serde_json::from_str(include_str!("../golden/silverstein_statistics.json")).unwrap();
    let numbers = |v: &Value| v.as_array().unwrap().iter().map(number).collect::<Vec<f64>>();
    let case = |rows: &Value| {
        let spectrum =
            Spectrum::from_atoms(&numbers(&rows["atoms"]), &numbers(&rows["weights"])).unwrap();
        let law = SilversteinLaw::new(&spectrum, number(&rows["ratio"])).unwrap();
        Case { name: rows["name"].as_str().unwrap().to_owned(), law, rows: rows.clone() }
    };
    golden["cases"].as_array().unwrap().iter().map(case).collect()
}

/// The reference lies in the proved interval, which is narrower than `relative`. (The
/// reference itself is rounded to a double.)
#[track_caller]
fn assert_holds(what: &str, checked: Checked<f64>, exact: f64, relative: f64) {
    let value = checked.certified().unwrap_or_else(|reason| panic!("{what}: {reason}"));
    let rounding = f64::EPSILON * exact.abs();
    assert!((value.value - exact).abs() <= value.radius + rounding, "{what}: {value:?}, {exact}");
    assert!(value.radius <= relative * exact.abs(), "{what}: {value:?}");
}

#[test]
fn distribution_matches_references() {
    for Case { name, law, rows } in cases() {
        for (x, f) in pairs(&rows["cdf"]) {
            let what = format!("{name} at {x}");
            // constants of exact separation add their own rounding to F and 1 − F
            assert_holds(&what, law.cdf(x).unwrap(), f, 2e-14 / f);
            let survival = law.survival(x).unwrap().certified().unwrap();
            let room = survival.radius + f64::EPSILON;
            assert!((survival.value - (1.0 - f)).abs() <= room, "{what}: {survival:?}");
            assert!(survival.radius < 2e-14, "{what}: {survival:?}");
        }
    }
}

/// Mass between x and an extreme edge, down to 1e-14: relative accuracy as far as that of the
/// distance x − e allows, which x as a double limits.
#[test]
fn tails_keep_their_relative_accuracy() {
    for Case { name, law, rows } in cases() {
        let atom = law.support().atom_at_zero.value;
        for row in rows["tails"].as_array().unwrap() {
            let (upper, x, mass) = (row[0].as_bool().unwrap(), number(&row[1]), number(&row[2]));
            let what = format!("{name}, tail {mass} at {x}");
            if upper {
                assert_holds(&what, law.survival(x).unwrap(), mass, 1e-11);
            } else if atom == 0.0 {
                assert_holds(&what, law.cdf(x).unwrap(), mass, 1e-11);
            }
        }
    }
}

#[test]
fn quantiles_match_references() {
    for Case { name, law, rows } in cases() {
        for (q, x) in pairs(&rows["quantiles"]) {
            let what = format!("{name}, quantile of {q}");
            assert_holds(&what, law.quantile(q).unwrap(), x, 1e-11);
        }
    }
}

#[test]
fn log_determinant_and_moments_match_references() {
    for Case { name, law, rows } in cases() {
        for (gamma, value) in pairs(&rows["log_determinant"]) {
            let what = format!("{name}, log-determinant at {gamma}");
            assert_holds(&what, law.log_determinant(gamma).unwrap(), value, 1e-12);
        }
        for (k, value) in (1..).zip(rows["moments"].as_array().unwrap()) {
            let moment = law.moment(k).unwrap();
            assert_holds(&format!("{name}, moment {k}"), moment.into(), number(value), 1e-13);
        }
    }
}

/// One atom: the closed form of page 1.
#[test]
fn one_atom_is_the_closed_form() {
    for (c, scale) in [(1e-3, 1.0), (0.3, 2.5), (1.0, 0.7), (2.0, 1.0), (1e3, 0.1)] {
        let spectrum = Spectrum::from_atoms(&[scale], &[1.0]).unwrap();
        let law = SilversteinLaw::new(&spectrum, c).unwrap();
        let closed = MarchenkoPastur::new(c, scale).unwrap();
        let (a, b) = closed.support();
        for share in [1e-9, 1e-3, 0.3, 0.5, 0.9, 1.0 - 1e-5] {
            let x = a + share * (b - a);
            let what = format!("c = {c}, x = {x}");
            let f = closed.cdf_certified(x).unwrap();
            let value = law.cdf(x).unwrap();
            let room = f.radius + value.radius();
            assert!((value.value() - f.value).abs() <= room, "{what}: {value:?} {f:?}");
            assert!(value.radius() <= 1e-11 * f.value, "{what}: {value:?}");
            let s = closed.survival_certified(x).unwrap();
            let value = law.survival(x).unwrap();
            let room = s.radius + value.radius();
            assert!((value.value() - s.value).abs() <= room, "{what}: {value:?} {s:?}");
        }
        for q in [0.0, 1e-6, 0.2, 0.9995, 1.0] {
            let (x, exact) = (law.quantile(q).unwrap(), closed.quantile(q).unwrap());
            let room = x.radius() + exact.radius + f64::EPSILON * exact.value;
            assert!((x.value() - exact.value).abs() <= room, "c = {c}, {q}: {x:?} {exact:?}");
        }
        for gamma in [1e-30, 1e-3, 1.0, 1e3, 1e30] {
            let exact = closed.log_determinant(gamma).unwrap();
            // page 1 promises 8 ulp
            let v = law.log_determinant(gamma).unwrap();
            let room = v.radius() + 8.0 * f64::EPSILON * exact;
            assert!((v.value() - exact).abs() <= room, "c = {c}, {gamma}: {v:?} {exact}");
            assert!(v.radius() < 1e-11 * exact);
        }
        for k in [1, 2, 5, 30] {
            let (m, exact) = (law.moment(k).unwrap(), closed.moment(k).unwrap());
            let room = m.radius + 4.0 * f64::from(k) * f64::EPSILON * exact;
            assert!((m.value - exact).abs() <= room, "c = {c}, k = {k}: {m:?} {exact}");
            // the companion of (c, s²) is the law of (1/c, cs²) (MP2)
            let kappa = law.companion_free_cumulant(k).unwrap();
            let dual = MarchenkoPastur::new(1.0 / c, c * scale).unwrap();
            let exact = dual.free_cumulant(k).unwrap();
            // k ulp promised; k more for the rounding of 1/c and cs²
            let room = kappa.radius + 4.0 * f64::from(k) * f64::EPSILON * exact;
            assert!((kappa.value - exact).abs() <= room, "c = {c}, k = {k}: {kappa:?} {exact}");
        }
        let (m, exact) = (law.inverse_moment().value, closed.inverse_moment());
        assert!(m == exact || (m / exact - 1.0).abs() < 1e-14, "c = {c}: {m} {exact}");
    }
}

#[test]
fn linear_statistics_agree_with_the_closed_forms() {
    for Case { name, law, .. } in cases() {
        let check = |what: String, g: &dyn Fn(f64) -> f64, exact: f64, tolerance: f64| {
            let value = law.integrate(g).unwrap();
            let error = (value.value - exact).abs();
            assert!(value.estimate <= tolerance * exact.abs(), "{name}, {what}: {value:?}");
            assert!(error <= value.estimate, "{name}, {what}: {value:?} {exact}");
        };
        check("mass".to_owned(), &|_| 1.0, 1.0, 1e-10);
        for k in 1..5 {
            let moment = law.moment(k).unwrap().value;
            check(format!("moment {k}"), &|x: f64| x.powi(k as i32), moment, 1e-10);
        }
        let v = law.log_determinant(3.0).unwrap().value();
        check("log-determinant".to_owned(), &|x: f64| (3.0 * x).ln_1p(), v, 1e-10);
        // a jump: the distribution function
        let q = law.support().atom_at_zero.value.mul_add(0.4, 0.6);
        let x0 = law.quantile(q).unwrap().value();
        let f = law.cdf(x0).unwrap().value();
        check("jump".to_owned(), &|x: f64| if x <= x0 { 1.0 } else { 0.0 }, f, 1e-9);
    }
}

/// γ dV/dγ = ∫γx/(1+γx) dF, by a central difference in ln γ with step 1e-3: error h²/6 times a
/// third derivative that is below V.
#[test]
fn log_determinant_differentiates_to_the_degrees_of_freedom() {
    for Case { name, law, .. } in cases() {
        for gamma in [1e-4, 0.5, 40.0] {
            let h = 1e-3_f64;
            let at = |t: f64| law.log_determinant(gamma * t.exp()).unwrap().value();
            let slope = (at(h) - at(-h)) / (2.0 * h);
            let degrees = law.integrate(|x| gamma * x / (1.0 + gamma * x)).unwrap();
            let room = h * h / 6.0 * at(0.0) + degrees.estimate + 1e-12 * at(0.0) / h;
            assert!((slope - degrees.value).abs() < room, "{name}, {gamma}: {slope} {degrees:?}");
        }
    }
}

#[test]
fn quantile_inverts_the_distribution_function() {
    for Case { name, law, .. } in cases() {
        for i in 1..40 {
            let q = f64::from(i) / 40.0 + 1e-3;
            let x = law.quantile(q).unwrap();
            let f = law.cdf(x.value()).unwrap();
            if x.value() == 0.0 {
                assert!(f.value() >= q, "{name}, {q}");
                continue;
            }
            // F changes by at most sup f times the error of x; f x ≤ 2 on these laws
            let room = 4.0 * x.radius() / x.value() + f.radius();
            assert!((f.value() - q).abs() <= room, "{name}, {q}: {x:?}, {f:?}");
            assert!(x.radius() <= 1e-11 * x.value(), "{name}, {q}: {x:?}");
        }
    }
}

/// Exact separation: constants in gaps, 0 below and 1 above, the atom at 0, right-continuity;
/// the quantile in the flat part is the upper edge of the component below.
#[test]
fn gaps_atoms_and_ends() {
    let spectrum = Spectrum::from_atoms(&[1.0, 10.0], &[0.25, 0.75]).unwrap();
    let law = SilversteinLaw::new(&spectrum, 0.1).unwrap();
    let components = &law.support().components;
    assert_eq!(components.len(), 2);
    let gap = 0.5 * (components[0].upper.position.value + components[1].lower.position.value);
    assert_holds("gap", law.cdf(gap).unwrap(), 0.25, 1e-13);
    assert_holds("gap", law.survival(gap).unwrap(), 0.75, 1e-13);
    for (x, f) in [(-1.0, 0.0), (0.0, 0.0), (1e300, 1.0), (f64::INFINITY, 1.0)] {
        assert_eq!(law.cdf(x).unwrap(), Checked::Certified { value: f, radius: 0.0 });
        assert_eq!(law.survival(x).unwrap().value(), 1.0 - f);
    }
    let end = components[0].upper.position.value;
    let near = law.quantile(0.25 - 1e-15).unwrap();
    assert!((near.value() - end).abs() < 1e-8, "{near:?}");
    let tie = law.quantile(0.25).unwrap();
    assert!((tie.value() - end).abs() <= tie.radius() && tie.is_certified());

    let many = SilversteinLaw::new(&spectrum, 4.0).unwrap();
    assert_holds("atom", many.cdf(0.0).unwrap(), 0.75, 1e-13);
    assert_eq!(many.quantile(0.7).unwrap(), Checked::Certified { value: 0.0, radius: 0.0 });
    assert_eq!(many.cdf(-1e-300).unwrap().value(), 0.0);
    let none = many.inverse_moment();
    assert_eq!((none.value, none.radius), (f64::INFINITY, 0.0));

    // within an ulp of an edge F is bounded, not lost
    for edge in components.iter().flat_map(|c| [&c.lower, &c.upper]) {
        let e = edge.position.value;
        for x in [e.next_down(), e, e.next_up()] {
            let f = law.cdf(x).unwrap();
            assert!(f.is_certified() && f.radius() < 1e-12, "{x}: {f:?}");
        }
    }
}

#[test]
fn moments_at_extremes() {
    let spectrum = Spectrum::from_atoms(&[0.0, 1e-20, 1e30], &[0.3, 0.6, 0.1]).unwrap();
    let law = SilversteinLaw::new(&spectrum, 0.5).unwrap();
    assert_eq!(law.moment(0).unwrap().value, 1.0);
    assert!(law.moment(1).unwrap().contains(0.1 * 1e30));
    assert_eq!(law.moment(40).unwrap_err(), ResolventError::Overflow { what: "moment", order: 40 });
    assert!(matches!(law.companion_free_cumulant(0), Err(ResolventError::Domain { .. })));
    assert!(matches!(law.moment(257), Err(ResolventError::Domain { .. })));
    assert_eq!(
        law.companion_free_cumulant(11).unwrap_err(),
        ResolventError::Overflow { what: "free cumulant", order: 11 }
    );
}

#[test]
fn bad_arguments_are_refused() {
    let law = SilversteinLaw::new(&Spectrum::identity(), 2.0).unwrap();
    assert!(matches!(law.cdf(f64::NAN), Err(ResolventError::NotANumber { .. })));
    assert!(matches!(law.survival_many(&[1.0, f64::NAN]), Err(ResolventError::NotANumber { .. })));
    assert!(law.cdf_many(&[]).unwrap().is_empty());
    for q in [-1e-300, 1.1, f64::NAN] {
        assert!(matches!(law.quantile(q), Err(ResolventError::Domain { .. })));
    }
    for gamma in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(law.log_determinant(gamma), Err(ResolventError::Domain { .. })));
    }
    for gamma in [0.0, f64::MIN_POSITIVE, 1e300, f64::MAX] {
        let v = law.log_determinant(gamma).unwrap();
        assert!(v.value().is_finite() && v.value() >= 0.0, "{gamma}: {v:?}");
    }
    // 1/x at the atom, ln of a negative number in the bulk
    for g in [|x: f64| 1.0 / x, |x: f64| (x - 1.0).ln()] {
        assert!(matches!(law.integrate(g), Err(ResolventError::Domain { .. })));
    }
}

/// D√N of N draws against F is below 2.5 with probability 1 − 7.5e-6 (2 exp(−2·2.5²)); seeds are
/// fixed. A wrong law, its atoms larger by 5 % (by half where 99 % of the draws are 0), is
/// rejected.
#[test]
fn draws_follow_the_law() {
    const DRAWS: usize = 100_000;
    let kolmogorov = |law: &SilversteinLaw, draws: &[f64]| {
        let f = law.cdf_many(draws).unwrap();
        let n = draws.len() as f64;
        let mut worst = 0.0_f64;
        for (i, (f, &x)) in f.iter().zip(draws).enumerate() {
            // the atom at 0 is compared at its end only
            let above = if i + 1 < draws.len() && draws[i + 1] == x { continue } else { i + 1 };
            worst = worst.max((f.value() - above as f64 / n).abs());
        }
        worst * n.sqrt()
    };
    for (index, name) in ["two", "zero", "hard", "many"].into_iter().enumerate() {
        let Case { law, rows, .. } = cases().into_iter().find(|c| c.name == name).unwrap();
        let sampler = law.sampler().unwrap();
        assert!(sampler.error() < 1e-9, "{name}: {}", sampler.error());
        let mut stream = Stream::new(11, 6001, index as u32);
        let mut draws: Vec<f64> = (0..DRAWS).map(|_| sampler.sample(stream.uniform())).collect();
        draws.sort_by(f64::total_cmp);
        let distance = kolmogorov(&law, &draws);
        assert!(distance < 2.5, "{name}: {distance}");
        let factor = if name == "many" { 1.5 } else { 1.05 };
        let wrong: Vec<f64> =
            rows["atoms"].as_array().unwrap().iter().map(|t| factor * number(t)).collect();
        let weights: Vec<f64> = rows["weights"].as_array().unwrap().iter().map(number).collect();
        let spectrum = Spectrum::from_atoms(&wrong, &weights).unwrap();
        let wrong = SilversteinLaw::new(&spectrum, law.ratio()).unwrap();
        assert!(kolmogorov(&wrong, &draws) > 2.5, "{name}");
    }
}

/// Inversion is accurate to the stated error in probability, tails included.
#[test]
fn sampler_inverts_the_distribution_function() {
    for Case { name, law, .. } in cases() {
        let sampler = law.sampler().unwrap();
        let mut stream = Stream::new(12, 6002, 0);
        let uniform: Vec<f64> =
            (0..200).map(|_| stream.uniform()).chain([1e-9, 1.0 - 1e-9]).collect();
        let draws: Vec<f64> = uniform.iter().map(|&q| sampler.sample(q)).collect();
        for ((q, x), f) in uniform.iter().zip(&draws).zip(law.cdf_many(&draws).unwrap()) {
            let right = if *x == 0.0 {
                f.value() >= *q
            } else {
                (f.value() - q).abs() <= 2.0 * sampler.error() + f.radius()
            };
            assert!(right, "{name}: {q} gives {x}, F = {f:?}, error {}", sampler.error());
        }
        assert!(sampler.sample(-1.0) >= 0.0 && sampler.sample(2.0).is_finite());
        assert!(sampler.sample(f64::NAN).is_finite());
    }
}

/// The density is the derivative of the certified distribution function.
#[test]
fn density_is_the_derivative() {
    for Case { name, law, .. } in cases() {
        for (q, x) in [0.62, 0.8, 0.93].map(|q| (q, law.quantile(q).unwrap().value())) {
            if x == 0.0 {
                continue;
            }
            // four-point difference: error ~ h⁴ x f⁗/30, rounding 1e-15/h
            let h = 2e-4 * x;
            let at = |k: f64| law.cdf(x + k * h).unwrap().value();
            let slope = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h);
            let f = law.density(x).unwrap().value();
            let room = 1e-8 * f + 1e-14 / h;
            assert!((slope - f).abs() < room, "{name} at {q}: {slope} {f}");
        }
    }
}

/// One bulk over 16 decades (75 atoms a decade): quadrature of the density, closed forms and
/// quantiles agree at every scale.
#[test]
fn sixteen_decades_in_one_bulk() {
    let atoms: Vec<f64> = (0..=1200).map(|k| 1e-15 * 10_f64.powf(f64::from(k) / 75.0)).collect();
    let law = SilversteinLaw::new(&Spectrum::from_eigenvalues(&atoms).unwrap(), 0.9).unwrap();
    assert_eq!(law.support().components.len(), 1);
    let mass = law.integrate(|_| 1.0).unwrap();
    assert!((mass.value - 1.0).abs() <= mass.estimate && mass.estimate < 1e-10, "{mass:?}");
    let mean = law.integrate(|x| x).unwrap();
    let moment = law.moment(1).unwrap();
    assert!((mean.value - moment.value).abs() <= mean.estimate + moment.radius);
    for exponent in [-14.0, -9.0, -4.0, 0.0] {
        let x = 10_f64.powf(exponent);
        let f = law.cdf(x).unwrap();
        let jump = law.integrate(|t| if t <= x { 1.0 } else { 0.0 }).unwrap();
        assert!(
            (jump.value - f.value()).abs() <= jump.estimate + f.radius(),
            "{x}: {jump:?} {f:?}"
        );
        assert!(jump.estimate < 1e-8 && f.radius() < 1e-13, "{x}: {jump:?} {f:?}");
        let back = law.quantile(f.value()).unwrap();
        assert!((back.value() - x).abs() <= 2.0 * back.radius(), "{x}: {back:?}");
        assert!(back.radius() < 1e-11 * x, "{x}: {back:?}");
    }
}
