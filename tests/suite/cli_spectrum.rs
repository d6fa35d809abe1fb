//! `rootrate spectrum`: fields, values, files, messages.

use serde_json::Value;

use crate::cli::{self, number};

fn with_command<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["spectrum"], args].concat()
}

fn json(args: &[&str]) -> Value {
    cli::json(&with_command(args))
}

fn refused(args: &[&str], words: &[&str]) {
    cli::refused(&with_command(args), words);
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

/// Densities of benches/against/golden.json, Newton in 50 digits: each within its bound.
#[test]
fn densities_are_within_their_bounds_of_golden_values() {
    let golden: Value =
        serde_json::from_str(include_str!("../../benches/against/golden.json")).unwrap();
    for case in list(&golden["density"]) {
        // those given by their atoms
        let Some(atoms) = case["atoms"].as_array() else { continue };
        let pairs = atoms.iter().zip(list(&case["weights"]));
        let pairs: Vec<_> = pairs.map(|(t, w)| format!("{}:{}", text(t), text(w))).collect();
        let x: Vec<&str> = list(&case["checks"]).iter().map(|c| text(&c[1])).collect();
        let (atoms, ratio, x) = (pairs.join(","), case["ratio"].to_string(), x.join(","));
        let out = json(&["--atoms", &atoms, "--ratio", &ratio, "--at", &x]);
        for (point, check) in list(&out["points"]).iter().zip(list(&case["checks"])) {
            let exact: f64 = text(&check[2]).parse().unwrap();
            let error = (number(&point["density"]) - exact).abs();
            // the reference is rounded to a double here
            let bound = number(&point["error_bound"]) + f64::EPSILON * exact;
            assert!(error <= bound, "{}: {point}, exact {exact}", case["name"]);
            assert!(bound < 1e-10 * exact, "{}: {point}", case["name"]);
            assert!(number(&point["cdf_error_bound"]) < 1e-12, "{}: {point}", case["name"]);
        }
        let edges = list(&case["edges"]);
        assert_eq!(list(&out["components"]).len(), edges.len(), "{}", case["name"]);
        for (component, edge) in list(&out["components"]).iter().zip(edges) {
            for (name, exact) in [("lower", &edge[0]), ("upper", &edge[1])] {
                let bound = number(&component[format!("{name}_error_bound")]);
                let exact: f64 = text(exact).parse().unwrap();
                let error = (number(&component[name]) - exact).abs();
                assert!(error <= bound + f64::EPSILON * exact, "{}", case["name"]);
            }
        }
    }
}

/// The points are spread over all components by mass, and the CDF at an edge is the mass so far.
#[test]
fn points_cover_every_component() {
    let base = ["--atoms", "0:0.4,1:0.3,5:0.3", "--ratio", "0.5"];
    for count in [2, 3, 7, 100] {
        let out = json(&[&base[..], &["--points", &count.to_string()]].concat());
        let points = list(&out["points"]);
        assert_eq!(points.len(), count);
        assert!(points.windows(2).all(|w| number(&w[0]["x"]) < number(&w[1]["x"])));
        for component in list(&out["components"]) {
            let (a, b) = (number(&component["lower"]), number(&component["upper"]));
            let inside = points.iter().filter(|p| (a..b).contains(&number(&p["x"]))).count();
            // masses are equal
            assert!(inside.abs_diff(count / 2) <= 1, "{inside} of {count}");
        }
        assert!(points.iter().all(|p| number(&p["density"]) > 0.0));
    }
    let out = json(&[&base[..], &["--at", "-1,0,1.9,1e9"]].concat());
    let cdf: Vec<f64> = list(&out["points"]).iter().map(|p| number(&p["cdf"])).collect();
    for (cdf, mass) in cdf.iter().zip([0.0, 0.4, 0.7, 1.0]) {
        // sums of three rounded weights
        assert!((cdf - mass).abs() < 1e-15, "{cdf}, {mass}");
    }
    assert_eq!(number(&out["atom_at_zero"]), 0.4);
}

/// Of the identity: outlier τ(1 + c/(τ−1)), overlap (1 − c/(τ−1)²)/(1 + c/(τ−1)), beyond 1 + √c.
#[test]
fn spikes_of_the_identity() {
    let out = json(&["--identity", "--ratio", "0.25", "--spikes", "3,1.2", "--at", "1"]);
    let outliers = list(&out["outliers"]);
    assert_eq!(outliers[0]["placement"]["kind"], "detached");
    assert!((number(&outliers[0]["population"]) - 3.0).abs() < 1e-15);
    assert!((number(&outliers[0]["sample"]) - 3.375).abs() < 1e-14);
    assert!((number(&outliers[0]["overlap"]) - 0.9375 / 1.125).abs() < 1e-14);
    assert_eq!(outliers[1]["placement"]["kind"], "upper-edge");
    assert!((number(&outliers[1]["sample"]) - 2.25).abs() < 1e-14);
    assert_eq!(number(&outliers[1]["overlap"]), 0.0);
}

/// The closed form of one eigenvalue and the general law of two equal halves that differ by
/// 1e-13 agree to that.
#[test]
fn closed_form_and_general_law_agree() {
    let at = ["--ratio", "0.5", "--at", "0.2,1,2.5"];
    let closed = json(&[&["--identity"], &at[..]].concat());
    let general = json(&[&["--atoms", "1:0.5,1.0000000000001:0.5"], &at[..]].concat());
    for (a, b) in list(&closed["points"]).iter().zip(list(&general["points"])) {
        for field in ["density", "cdf"] {
            // x ∂f/∂x is of order one
            assert!((number(&a[field]) - number(&b[field])).abs() < 1e-12, "{a} {b}");
        }
    }
}

#[test]
fn files_hold_what_is_printed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain path").to_owned();
    let base = ["--atoms", "1:0.5,10:0.5", "--ratio", "0.3", "--spikes", "50"];
    let (csv, png, svg) = (path("law.csv"), path("law.png"), path("law.svg"));
    let out = json(&[&base[..], &["--csv", &csv, "--figure", &png, "--points", "5"]].concat());
    let text = std::fs::read_to_string(&csv).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("x,density,error_bound,cdf,cdf_error_bound"));
    let fields = ["x", "density", "error_bound", "cdf", "cdf_error_bound"];
    for (line, point) in lines.zip(list(&out["points"])) {
        for (cell, field) in line.split(',').zip(fields) {
            let (written, printed) = (cell.parse::<f64>().unwrap(), number(&point[field]));
            // the JSON reader of this test may be off by a unit in the last place
            assert!((written - printed).abs() <= f64::EPSILON * printed, "{field}");
        }
    }
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    json(&[&base[..], &["--figure", &svg]].concat());
    let drawn = std::fs::read_to_string(&svg).unwrap();
    for word in ["limiting law", "edges", "simulated outlier", "τ = 50"] {
        assert!(drawn.contains(word), "{word}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "a file was left behind");
}

/// Ratios and conditions at which no simulated matrix shows the law still have a figure.
#[test]
fn every_law_has_a_figure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("law.svg");
    let figure = ["--figure", path.to_str().expect("a plain path")];
    for case in [
        &["--identity", "--ratio", "1"][..],
        &["--identity", "--ratio", "1e-6"],
        &["--atoms", "1:0.5,3:0.5", "--ratio", "1e6"],
        &["--atoms", "1e-8:0.5,1e8:0.5", "--ratio", "0.5"],
        &["--atoms", "0:0.9,1:0.1", "--ratio", "2"],
        &["--ar1", "0.9", "--dim", "3", "--ratio", "0.5"],
    ] {
        json(&[case, &figure[..]].concat());
        let drawn = std::fs::read_to_string(&path).unwrap();
        assert!(drawn.contains("limiting law") && !drawn.contains("NaN"), "{case:?}");
    }
}

#[test]
fn bad_input_is_explained_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain path").to_owned();
    let base = ["--atoms", "1:0.5,10:0.5", "--ratio", "0.3"];
    let csv = path("law.csv");
    let with = |rest: &[&str]| -> Vec<String> {
        let files = ["--csv", &csv];
        [&base[..], &files, rest].concat().iter().map(|s| (*s).to_owned()).collect()
    };
    let cases: [(&[&str], &[&str]); 8] = [
        (&["--figure", "law.pdf"], &["law.pdf", ".png", ".svg"]),
        (&["--figure", "law"], &["law", ".png"]),
        (&["--spikes", "-1"], &["--spikes", "-1"]),
        (&["--spikes", "nan"], &["--spikes"]),
        (&["--spikes", "two"], &["two"]),
        (&["--at", "nan"], &["finite"]),
        (&["--at", "1", "--points", "0"], &["points"]),
        (&["--figure", "missing-folder/law.png"], &["missing-folder"]),
    ];
    for (rest, words) in cases {
        let args = with(rest);
        refused(&args.iter().map(String::as_str).collect::<Vec<_>>(), words);
    }
    // the last one fails while writing its second file: the first is whole, nothing else is there
    assert!(std::fs::read_dir(folder.path()).unwrap().count() <= 1);
    refused(&["--atoms", "1:0.5,10:0.5", "--ratio", "1e-11"], &["ratio", "1e-10"]);
    refused(&["--atoms", "1e-61:0.5,1:0.5", "--ratio", "1"], &["atom", "1e-60"]);
    refused(&["--atoms", "1:0.5,3:0.5", "--ratio", "1", "--at", "0"], &["infinite", "0"]);
}
