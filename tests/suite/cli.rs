//! The command line as a contract: JSON fields, values, exit codes, messages.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

pub(crate) fn rootrate(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rootrate"))
        .args(args)
        // without it Mesa's drivers complain on standard error
        .env("XDG_RUNTIME_DIR", std::env::temp_dir())
        .output()
        .expect("the program starts")
}

pub(crate) fn json(args: &[&str]) -> Value {
    let output = rootrate(&[args, &["--json"]].concat());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {error}");
    assert!(error.is_empty(), "{args:?} writes to standard error: {error}");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// Bad input: exit code 2, nothing on standard output, a message with every one of `words`.
pub(crate) fn refused(args: &[&str], words: &[&str]) {
    let output = rootrate(args);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    assert!(output.stdout.is_empty(), "{args:?} printed a result");
    assert!(!message.contains("panicked"), "{args:?}: {message}");
    for word in words {
        assert!(message.contains(word), "{args:?}: `{word}` is not in: {message}");
    }
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn file(directory: &Path, name: &str, content: &[u8]) -> String {
    let path = directory.join(name);
    std::fs::write(&path, content).expect("the temporary folder is writable");
    path.to_str().expect("a plain path").to_owned()
}

/// Theory (E5): the pair's mmse, ten digits computed in high precision
/// (tests/golden/generate_entropy.py holds the generator of more).
#[test]
fn entropy_of_the_pair() {
    let out = json(&["entropy", "--diracs", "-1,1", "--at", "0.3,0.5,0.7,1,2,5"]);
    let known =
        [0.0013240784, 0.0685974088, 0.2250938374, 0.4495995092, 0.7959457344, 0.9615031010];
    let points = out["points"].as_array().expect("points");
    assert_eq!(points.len(), known.len());
    for (point, known) in points.iter().zip(known) {
        // half a unit of the tenth digit
        assert!((number(&point["mmse"]) - known).abs() <= 0.5001e-10, "{point}");
        assert!(number(&point["error_bound"]) < 1e-13);
        assert_eq!(point["evidence"], "certified");
        let sigma = number(&point["sigma"]);
        let rate = number(&point["mmse"]) / (sigma * sigma);
        assert!((number(&point["rate"]) / rate - 1.0).abs() < 1e-15);
    }
}

/// (S2): mean and standard deviation of ln σ, four digits from high-precision quadrature.
#[test]
fn schedule_moments() {
    let cases: [(&[&str], f64, f64); 3] = [
        (&["--diracs", "-1,1", "--clock", "log-sigma", "--range", "0.002,80"], 0.3791, 1.0384),
        (&["--diracs", "-1,1", "--clock", "sigma", "--range", "0.002,80"], 1.0753, 1.3108),
        (&["--gaussian", "0.25", "--range", "0.05,80"], -1.2390, 1.2684),
    ];
    for (args, mean, sd) in cases {
        let out = json(&[&["schedule"], args].concat());
        assert!((number(&out["mean_log_sigma"]) - mean).abs() <= 0.5001e-4, "{out}");
        assert!((number(&out["sd_log_sigma"]) - sd).abs() <= 0.5001e-4, "{out}");
        assert_eq!(out["law"], "sqrt-entropy");
        assert!((number(&out["efficiency"]["sqrt-entropy"]) - 1.0).abs() < 1e-10);
        for name in ["entropy", "uniform", "edm", "log-normal-fit"] {
            let eff = number(&out["efficiency"][name]);
            assert!(eff > 0.0 && eff < 1.0, "{name}: {eff}");
        }
    }
}

#[test]
fn schedule_exports_are_complete() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["law.csv", "law.json"] {
        let path = folder.path().join(name);
        let path = path.to_str().expect("a plain path");
        json(&["schedule", "--wishart", "0.3", "--range", "0.01,80", "--export", path]);
        let text = std::fs::read_to_string(path).expect("written");
        let sigma: Vec<f64> = if name.ends_with("csv") {
            text.lines().skip(1).map(|l| l.split(',').nth(1).unwrap().parse().unwrap()).collect()
        } else {
            let value: Value = serde_json::from_str(&text).expect("JSON");
            value["quantiles"].as_array().unwrap().iter().map(|q| number(&q["sigma"])).collect()
        };
        assert_eq!(sigma.len(), 1001);
        assert_eq!((sigma[0], sigma[1000]), (0.01, 80.0));
        assert!(sigma.windows(2).all(|w| w[0] < w[1]));
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 2, "a temporary file was left behind");
}

/// (S8): with N draws every unit of the clock has at least p.
#[test]
fn schedule_allocation() {
    let base = ["schedule", "--gaussian", "0.25", "--range", "0.05,80", "--law", "allocation"];
    let out = json(&[&base[..], &["--draws", "10000", "--features", "100"]].concat());
    assert_eq!(number(&out["allocation"]["draws"]), 10_000.0);
    let minimum = 100.0 * (80.0_f64 / 0.05).ln();
    assert!((number(&out["allocation"]["minimum"]) / minimum - 1.0).abs() < 1e-14);
    refused(&[&base[..], &["--draws", "100", "--features", "100"]].concat(), &["draws", "737"]);
    refused(&base, &["--draws", "--features"]);
}

/// (R1)–(R4), values of a 50-digit computation (tests/golden/generate_ridge.py).
#[test]
fn ridge_risk() {
    let out = json(&[
        "risk",
        "ridge",
        "--power-law",
        "0.8",
        "--dim",
        "200",
        "--samples",
        "400",
        "--ridge",
        "0.1",
        "--noise",
        "0.3",
        "--signal",
        "power:0.5",
    ]);
    assert!((number(&out["risk"]) - 0.032989).abs() < 1e-6, "{out}");
    assert!(number(&out["error_bound"]) < 1e-14);
    let (bias, variance) = (number(&out["bias"]), number(&out["variance"]));
    assert!((bias + variance - number(&out["risk"])).abs() < 1e-15);
    for field in ["kappa", "df1", "df2"] {
        assert!(number(&out[field]) > 0.0);
    }
}

/// (MP5) at the middle of the support for c = ½: √(4c)/(2πc x).
#[test]
fn spectrum_of_noise() {
    let out = json(&["spectrum", "--identity", "--ratio", "0.5", "--at", "1.5,5"]);
    let density = 2.0_f64.sqrt() / (std::f64::consts::PI * 1.5);
    assert!((number(&out["points"][0]["density"]) - density).abs() < 1e-15);
    assert_eq!(number(&out["points"][1]["density"]), 0.0);
    assert_eq!(number(&out["points"][1]["cdf"]), 1.0);
    assert_eq!(number(&out["atom_at_zero"]), 0.0);
    assert_eq!(out["components"].as_array().unwrap().len(), 1);
}

/// The same seed gives the same numbers for any number of threads; the theory is within five
/// standard errors (false alarm 6e-7).
#[test]
fn simulations_are_deterministic() {
    let ridge = [
        "simulate",
        "ridge",
        "--identity",
        "--dim",
        "20",
        "--samples",
        "80",
        "--ridge",
        "0.1",
        "--noise",
        "0.5",
        "--replicates",
        "400",
    ];
    let mmse = ["simulate", "mmse", "--diracs", "-1,1", "--at", "1", "--replicates", "4000"];
    for args in [&ridge[..], &mmse[..]] {
        let one = json(&[args, &["--threads", "1"]].concat());
        let two = json(&[args, &["--threads", "2"]].concat());
        assert_eq!(one["mean"], two["mean"]);
        assert_eq!(one["standard_error"], two["standard_error"]);
        let other = json(&[args, &["--seed", "2"]].concat());
        assert_ne!(one["mean"], other["mean"]);
    }
    let out = json(&mmse);
    assert!(number(&out["z"]).abs() < 5.0, "{out}");
}

#[test]
fn digits_are_a_population_and_a_model() {
    let risk =
        json(&["risk", "ridge", "--digits", "--samples", "500", "--ridge", "0.1", "--noise", "1"]);
    assert!(number(&risk["df1"]) > 10.0 && number(&risk["df1"]) < 500.0);
    let gaussian =
        json(&["schedule", "--digits", "--approximation", "gaussian", "--range", "0.01,80"]);
    assert!(number(&gaussian["sd_log_sigma"]) > 0.5);
}

#[test]
fn verify_lists_and_filters() {
    let listed = json(&["verify", "--list"]);
    assert!(listed["claims"].as_array().unwrap().len() >= 20);
    let out = json(&["verify", "entropy-", "--quick"]);
    for claim in out["claims"].as_array().unwrap() {
        for field in
            ["id", "statement", "theory", "passed", "value", "expected", "tolerance", "how"]
        {
            assert!(!claim[field].is_null(), "{field} of {claim}");
        }
        assert_eq!(claim["passed"], true, "{claim}");
    }
    refused(&["verify", "no-such-claim"], &["no-such-claim", "entropy-"]);
}

#[test]
fn bad_populations_are_explained() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let spectrum = |rest: &[&'static str]| [&["spectrum", "--ratio", "0.5"], rest].concat();
    refused(&spectrum(&[]), &["--atoms", "--digits"]);
    for (name, content, words) in [
        ("empty.csv", "", &["empty.csv"][..]),
        ("words.csv", "1.0\ntwo\n", &["words.csv", "two"]),
        ("nan.csv", "1.0\nNaN\n", &["nan.csv"]),
        ("negative.csv", "1.0\n-2.0\n", &["-2"]),
    ] {
        let path = file(folder.path(), name, content.as_bytes());
        refused(&["spectrum", "--ratio", "0.5", "--eigenvalues", &path], words);
    }
    refused(&spectrum(&["--eigenvalues", "missing.csv"]), &["missing.csv"]);
    refused(&spectrum(&["--atoms", "1:0.5,2:0.4"]), &["0.9", "sum"]);
    refused(&spectrum(&["--atoms", "1:0.5,x:0.5"]), &["x"]);
    refused(&spectrum(&["--atoms", "-1:1"]), &["-1"]);
    refused(&spectrum(&["--power-law", "1"]), &["--dim"]);
    refused(&spectrum(&["--ar1", "1.5", "--dim", "10"]), &["1.5"]);
    refused(&spectrum(&["--identity", "--atoms", "1:1"]), &["--identity", "--atoms"]);
    refused(&spectrum(&["--identity", "--dim", "0"]), &["dim"]);
    refused(&["spectrum", "--identity", "--ratio", "0"], &["ratio", "0"]);
    refused(&["spectrum", "--identity", "--ratio", "-1"], &["ratio", "-1"]);
    refused(&["spectrum", "--identity", "--ratio", "nan"], &["ratio"]);
}

#[test]
fn bad_models_levels_and_ranges_are_explained() {
    refused(&["entropy", "--at", "1"], &["--diracs", "--digits"]);
    refused(&["entropy", "--diracs", "a,b", "--at", "1"], &["a"]);
    refused(&["entropy", "--diracs", "-1,1", "--weights", "0.5,0.6", "--at", "1"], &["1.1"]);
    refused(&["entropy", "--diracs", "-1,1", "--weights", "1", "--at", "1"], &["weight"]);
    refused(&["entropy", "--diracs", "0:1,2", "--at", "1"], &["coordinates"]);
    for level in ["0", "-1", "nan", "inf"] {
        refused(&["entropy", "--diracs", "-1,1", "--at", level], &["σ"]);
    }
    refused(&["entropy", "--wishart", "0", "--at", "1"], &["ratio"]);
    refused(&["entropy", "--gaussian", "-1", "--at", "1"], &["-1"]);
    refused(&["entropy", "--gaussian", "1:0.5", "--at", "1"], &["1:0.5"]);
    refused(&["entropy", "--mixture", "missing.toml", "--at", "1"], &["missing.toml"]);
    refused(
        &["entropy", "--diracs", "-1,1", "--at", "1", "--clock", "wall"],
        &["wall", "log-sigma"],
    );
    let pair = ["schedule", "--diracs", "-1,1"];
    refused(&[&pair[..], &["--range", "80,0.002"]].concat(), &["80", "0.002"]);
    refused(&[&pair[..], &["--range", "80"]].concat(), &["σ_min,σ_max"]);
    refused(&[&pair[..], &["--law", "best"]].concat(), &["best", "sqrt-entropy"]);
    // continuous data: the message says that a cut-off is needed, and why
    for range in [&["--range", "0,80"][..], &[]] {
        let args = [&["schedule", "--gaussian", "0.25"], range].concat();
        refused(&args, &["cut-off", "σ → 0"]);
    }
    refused(&["schedule", "--digits"], &["--range"]);
    let finite = [&pair[..], &["--range", "0.1,10"]].concat();
    refused(&[&finite[..], &["--export", "law.txt"]].concat(), &["law.txt", ".json"]);
    refused(&[&pair[..], &["--export", "law.csv"]].concat(), &["--range"]);
    refused(&[&finite[..], &["--draws", "100"]].concat(), &["allocation"]);
    refused(&["schedule", "--diracs", "1,1"], &["single point"]);
}

/// (F5), a value of tests/golden/generate_random_features.py; sweeps are arrays.
#[test]
fn random_feature_risk() {
    let run = |rest: &[&'static str]| {
        let base = ["risk", "random-features", "--power-law", "1", "--dim", "60", "--noise", "0.3"];
        json(&[&base[..], &["--signal", "power:0.5"], rest].concat())
    };
    let one = run(&["--samples", "20", "--features", "40", "--ridge", "0.5"]);
    let golden: Value =
        serde_json::from_str(include_str!("../golden/random_features.json")).unwrap();
    let exact: f64 = golden["points"][0]["risk"].as_str().unwrap().parse().unwrap();
    assert!((number(&one["test"]) - exact).abs() <= number(&one["error_bound"]) + 1e-16, "{one}");
    assert!((number(&one["bias"]) + number(&one["variance"]) - exact).abs() < 1e-14);
    let swept = run(&["--samples", "20", "--features", "10,40,inf", "--ridge", "0.5"]);
    assert_eq!(swept["swept"], "features");
    assert_eq!(swept["features"][2], "inf");
    assert_eq!(swept["test"][1], one["test"]);
    assert_eq!(swept["samples"], 20);
    let refuse = |rest: &[&'static str], words: &[&str]| {
        let base = ["risk", "random-features", "--identity", "--dim", "60", "--noise", "0.3"];
        refused(&[&base[..], rest].concat(), words);
    };
    refuse(&["--samples", "5,6", "--features", "4,5", "--ridge", "1"], &["only one"]);
    refuse(&["--samples", "5", "--features", "0", "--ridge", "1"], &["features"]);
    refuse(&["--samples", "5", "--features", "few", "--ridge", "1"], &["few", "inf"]);
    refuse(&["--samples", "5", "--features", "5", "--ridge", "0"], &["threshold"]);
    refuse(&["--samples", "5", "--features", "5", "--ridge", "-1"], &["penalty"]);
    refuse(&["--samples", "5", "--features", "5", "--ridge", "NaN"], &["penalty"]);
}

/// One feature by hand: x = −1, 0, 1, y = −1, 0.5, 0.5, so λ = 1, w = ¾/(1+ρ) for n − 1 = 2.
#[test]
fn risk_from_a_sample() {
    let directory = tempfile::tempdir().unwrap();
    let data = file(directory.path(), "data.csv", b"x,y\n-1,-1\n0,0.5\n1,0.5\n");
    let out = json(&["risk", "from-sample", &data, "--ridge", "0,1"]);
    let (free, ridge) = (&out["points"][0], &out["points"][1]);
    // residuals −¼, ½, −¼; 1 − (1 + 1)/3 = ⅓
    assert!((number(&free["train"]) - 0.125).abs() < 1e-15, "{out}");
    assert!((number(&free["test"]) - 1.125).abs() < 1e-14, "{out}");
    // residuals −⅝, ½, ⅛; q = ½, v̂ = (½ + 1)/2
    let train = (0.390625 + 0.25 + 0.015625) / 3.0;
    assert!((number(&ridge["train"]) - train).abs() < 1e-15);
    assert!((number(&ridge["test"]) - train * 4.0).abs() < 1e-14);
    assert!((number(&ridge["kappa"]) - 4.0 / 3.0).abs() < 1e-15);
    assert!((number(&ridge["df1"]) - 0.5).abs() < 1e-15);
    assert_eq!(out["best"], *ridge);
    let x = file(directory.path(), "x.csv", b"-1\n0\n1\n");
    let y = file(directory.path(), "y.csv", b"-1\n0.5\n0.5\n");
    assert_eq!(json(&["risk", "from-sample", &x, "--target", &y, "--ridge", "0,1"]), out);
    assert_eq!(json(&["risk", "from-sample", &data])["points"].as_array().unwrap().len(), 33);
    refused(&["risk", "from-sample", &x], &["--target"]);
    let short = file(directory.path(), "short.csv", b"-1\n0.5\n");
    refused(&["risk", "from-sample", &x, "--target", &short], &["responses", "3"]);
    refused(&["risk", "from-sample", &data, "--ridge", "-1"], &["ridge"]);
    refused(&["risk", "from-sample", &data, "--ridge", "NaN"], &["ridge"]);
    refused(&["risk", "from-sample", "nowhere.csv"], &["nowhere.csv"]);
    let constant = file(directory.path(), "constant.csv", b"1,1\n1,2\n1,3\n");
    refused(&["risk", "from-sample", &constant], &["vary"]);
    let two = file(directory.path(), "two.csv", b"1,1\n2,2\n");
    refused(&["risk", "from-sample", &two], &["at least 3"]);
}

#[test]
fn bad_learning_problems_are_explained() {
    let risk = |rest: &[&'static str]| [&["risk", "ridge", "--noise", "1"], rest].concat();
    let identity = ["--identity", "--dim", "10"];
    let with = |rest: &[&'static str]| risk(&[&identity[..], rest].concat());
    refused(&risk(&["--identity", "--samples", "5", "--ridge", "1"]), &["--dim"]);
    refused(&with(&["--samples", "0", "--ridge", "1"]), &["samples"]);
    refused(&with(&["--samples", "5", "--ridge", "-1"]), &["ridge"]);
    refused(&with(&["--samples", "5", "--ridge", "much"]), &["much", "optimal"]);
    refused(&with(&["--samples", "10", "--ridge", "0"]), &["10"]);
    refused(&with(&["--samples", "5", "--ridge", "1", "--signal", "odd"]), &["odd", "flat"]);
    refused(&with(&["--samples", "5", "--ridge", "1", "--power", "-1"]), &["power"]);
    refused(
        &risk(&["--atoms", "1:0.5,2:0.5", "--dim", "3", "--samples", "5", "--ridge", "1"]),
        &["whole"],
    );
}

#[test]
fn usage_errors_exit_with_two() {
    for args in [&["frobnicate"][..], &[], &["spectrum", "--identity"], &["verify", "--seed", "x"]]
    {
        assert_eq!(rootrate(args).status.code(), Some(2), "{args:?}");
    }
    refused(&["verify", "--threads", "0"], &["threads"]);
    refused(&["figures", "no-such-figure"], &["no-such-figure", "spectrum"]);
}

#[test]
fn figures_are_written_whole_and_reproducibly() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut renders = Vec::new();
    for name in ["a", "b"] {
        let out = folder.path().join(name);
        let path = out.to_str().expect("a plain path");
        let listed = json(&["figures", "schedules", "--quick", "--out", path]);
        assert_eq!(listed["written"].as_array().unwrap().len(), 2);
        let read = |file: &str| std::fs::read(out.join(file)).expect("written");
        renders.push((read("schedules.svg"), read("schedules.png")));
    }
    assert!(renders[0] == renders[1], "two runs differ");
    // a file where the folder should be
    let blocked = file(folder.path(), "blocked", b"");
    refused(&["figures", "schedules", "--quick", "--out", &blocked], &["blocked"]);
}

/// Extremes at which a factor or an intermediate result leaves the range of doubles.
#[test]
fn extremes_give_numbers_or_errors() {
    for sigma in ["1e-300", "1e-160", "1e160"] {
        for model in [&["--gaussian", "1"][..], &["--diracs", "-1,1"], &["--wishart", "1"]] {
            for clock in ["log-sigma", "sigma", "log-snr", "flow", "ou"] {
                let args =
                    [&["entropy", "--json", "--at", sigma, "--clock", clock], model].concat();
                let output = rootrate(&args);
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                match output.status.code() {
                    Some(0) => assert!(!text.contains("null"), "{args:?}: {text}"),
                    code => assert_eq!(code, Some(2), "{args:?}"),
                }
            }
        }
    }
    // the rate in flow time is a normal double although mmse/σ² underflows
    let out = json(&["entropy", "--gaussian", "1", "--at", "1e163", "--clock", "flow"]);
    assert!((number(&out["points"][0]["rate"]) / 1e-163 - 1.0).abs() < 1e-14, "{out}");
    refused(&["spectrum", "--identity", "--ratio", "0.5", "--at", "inf"], &["finite"]);
    refused(&["spectrum", "--identity", "--ratio", "1", "--at", "0"], &["hard edge"]);
    refused(&["simulate", "mmse", "--gaussian", "1:18446744073709551615", "--at", "1"], &["large"]);
    refused(&["schedule", "--diracs", "-1,1", "--law", "uniform"], &["--range"]);
    // too wide for a log-normal of the same moments: only that comparison is missing
    let wide = ["schedule", "--gaussian", "1", "--range", "1e-130,1e130"];
    let out = json(&[&wide[..], &["--law", "uniform"]].concat());
    assert!(out["efficiency"]["log-normal-fit"].is_null() && out["efficiency"]["uniform"].is_f64());
}

/// A mean that rests on a handful of rare events is not judged by its standard error.
#[test]
fn rare_events_are_not_judged() {
    let base = ["simulate", "mmse", "--diracs", "-1,1", "--at"];
    let rare = json(&[&base[..], &["0.25"]].concat());
    assert!(rare["z"].is_null() && rare["p_value"].is_null(), "{rare}");
    let usual = json(&[&base[..], &["1"]].concat());
    assert!(number(&usual["z"]).abs() < 5.0, "{usual}");
}

/// A data model whose rate is sampled has a schedule too, on a bounded range.
#[test]
fn sampled_models_have_schedules() {
    let model = ["schedule", "--diracs", "0:0:0,1:1:1,2:0:1,3:0:0"];
    let out = json(&[&model[..], &["--range", "0.1,10"]].concat());
    assert_eq!(out["range"], serde_json::json!([0.1, 10.0]));
    refused(&model, &["--range"]);
}

#[cfg(unix)]
#[test]
fn overwriting_keeps_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = file(folder.path(), "private.csv", b"old");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    json(&["spectrum", "--identity", "--ratio", "0.5", "--csv", &path]);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("x,density"));
}
