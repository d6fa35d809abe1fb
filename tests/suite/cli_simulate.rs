//! `rootrate simulate` and `rootrate doctor`: fields, backends, interrupts, checkpoints.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::cli::{json, number, refused};

const RIDGE: [&str; 10] = [
    "simulate",
    "ridge",
    "--identity",
    "--dim",
    "20",
    "--samples",
    "80",
    "--ridge",
    "0.1",
    "--noise=0.5",
];

/// The program with environment variables; drivers may write to standard error.
fn with_environment(args: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rootrate"));
    command.env("XDG_RUNTIME_DIR", std::env::temp_dir()).envs(environment.iter().copied());
    command.args(args).output().expect("the program starts")
}

fn object(output: &Output) -> Value {
    let error = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {error}"))
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn a_single_quantity_has_the_fields_of_the_contract() {
    let out = json(&[&RIDGE[..], &["--backend", "cpu"]].concat());
    for field in ["mean", "standard_error", "theory", "theory_error_bound", "z", "p_value"] {
        assert!(out[field].is_f64(), "{field}: {out}");
    }
    assert_eq!((&out["replicates"], &out["seed"]), (&200.into(), &1.into()));
    assert_eq!((&out["backend"], &out["adapter"]), (&"cpu".into(), &"cpu (f64)".into()));
    assert_eq!(out["redone"], 0);
    assert_eq!(out["quantiles"].as_array().unwrap().len(), 3);
    let interval = &out["confidence_interval_95"];
    assert!(number(&interval[0]) < number(&out["mean"]));
    assert!(number(&interval[1]) > number(&out["mean"]));
}

/// (F5) against simulated regressions at n = 200: the theory is off by O(1/n), here allowed as
/// 2/n relative; five standard errors beyond (false alarm 6e-7).
#[test]
fn random_features_agree_with_their_learning_curve() {
    let out = json(&[
        "simulate",
        "random-features",
        "--power-law",
        "1",
        "--dim",
        "60",
        "--noise",
        "0.3",
        "--samples",
        "200",
        "--features",
        "40",
        "--ridge",
        "2",
        "--backend",
        "cpu",
    ]);
    let allowed = 5.0 * number(&out["standard_error"]) + 2.0 / 200.0 * number(&out["theory"]);
    assert!((number(&out["mean"]) - number(&out["theory"])).abs() < allowed, "{out}");
    assert!(number(&out["standard_error"]) < 0.03 * number(&out["theory"]));
}

/// Levels share their draws; each has its mmse and its information, within five standard errors
/// (four comparisons: false alarm 2.3e-6). With one level its fields are those of the object.
#[test]
fn several_levels_are_points() {
    let base = ["simulate", "mmse", "--diracs", "-1,1", "--replicates", "20000", "--at"];
    let out = json(&[&base[..], &["0.7,2", "--backend", "cpu"]].concat());
    let points = out["points"].as_array().expect("points");
    assert!(out["mean"].is_null());
    assert_eq!(points.len(), 2);
    for (point, sigma) in points.iter().zip([0.7, 2.0]) {
        assert_eq!(number(&point["sigma"]), sigma);
        for finding in [point, &point["information"]] {
            assert!(number(&finding["z"]).abs() < 5.0, "{point}");
            let error = number(&finding["standard_error"]);
            assert!(error > 0.0 && error < 0.05 * number(&finding["theory"]), "{point}");
        }
    }
    let one = json(&[&base[..], &["2", "--backend", "cpu"]].concat());
    assert_eq!(one["mean"], points[1]["mean"]);
}

/// Points of the law of an identity covariance: off by O(1/n), allowed as 2/n.
#[test]
fn resolvents_agree_with_the_law() {
    let base = ["simulate", "resolvent", "--identity", "--dim", "20", "--samples", "80"];
    let out = json(&[&base[..], &["--at=-0.5,1:0.5", "--backend", "cpu"]].concat());
    let points = out["points"].as_array().expect("points");
    let close = |finding: &Value| {
        let allowed = 5.0 * number(&finding["standard_error"]) + 2.0 / 80.0;
        assert!((number(&finding["mean"]) - number(&finding["theory"])).abs() < allowed, "{out}");
    };
    close(&points[0]);
    close(&points[1]);
    close(&points[1]["imaginary"]);
    assert!(points[0]["imaginary"].is_null());
    refused(&[&base[..], &["--at", "1"]].concat(), &["points", "< 0"]);
    refused(&[&base[..], &["--at", "here"]].concat(), &["here", "1:0.2"]);
    let law = ["simulate", "resolvent", "--identity", "--samples", "80", "--at=-1"];
    refused(&law, &["--dim"]);
}

#[test]
fn a_run_stops_at_its_standard_error() {
    let target = [&RIDGE[..], &["--backend", "cpu", "--standard-error", "0.02"]].concat();
    let out = json(&target);
    let (error, mean) = (number(&out["standard_error"]), number(&out["mean"]));
    assert!(error <= 0.02 * mean && error > 0.01 * mean, "{out}");
    assert_eq!(json(&[&target[..], &["--threads", "1"]].concat()), out);
    let short = json(&[&target[..], &["--replicates", "256"]].concat());
    assert_eq!(short["replicates"], 256);
    refused(&[&target[..], &["--replicates", "255"]].concat(), &["255", "256"]);
    refused(&[&RIDGE[..], &["--standard-error", "0"]].concat(), &["relative standard error"]);
    refused(&[&RIDGE[..], &["--standard-error", "NaN"]].concat(), &["relative standard error"]);
}

/// An adapter that is not there: `gpu` says so, `auto` computes on the processor.
#[test]
fn without_an_adapter_gpu_is_an_error_and_auto_is_not() {
    let hide = [("WGPU_BACKEND", if cfg!(target_os = "macos") { "vulkan" } else { "metal" })];
    let gpu = [&RIDGE[..], &["--backend", "gpu", "--json"]].concat();
    let output = with_environment(&gpu, &hide);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(output.stdout.is_empty());
    for word in ["no Vulkan, Metal or DirectX 12 adapter", "mesa-vulkan-drivers", "--backend cpu"] {
        assert!(message.contains(word), "{message}");
    }
    let output = with_environment(&[&RIDGE[..], &["--json"]].concat(), &hide);
    assert_eq!(object(&output)["adapter"], "cpu (f64)");
    let double = [&RIDGE[..], &["--backend", "gpu", "--precision", "double"]].concat();
    refused(&double, &["single precision", "--backend cpu"]);
}

/// `auto` takes no software adapter, `gpu` does; both have the variates of single precision.
#[test]
fn software_adapters_are_for_those_who_ask() {
    let doctor = object(&with_environment(&["doctor", "--json"], &[]));
    let adapters = doctor["adapters"].as_array().expect("adapters");
    if adapters.iter().any(|a| a["kind"] == "hardware") || adapters.is_empty() {
        eprintln!("skipped: this needs a machine with a software adapter alone");
        return;
    }
    let auto = object(&with_environment(&[&RIDGE[..], &["--json"]].concat(), &[]));
    assert_eq!(auto["adapter"], "cpu (f64)");
    let gpu = [&RIDGE[..], &["--json", "--backend", "gpu"]].concat();
    let gpu = object(&with_environment(&gpu, &[]));
    assert_eq!(gpu["backend"], "gpu");
    assert!(gpu["adapter"].as_str().unwrap().contains(adapters[0]["name"].as_str().unwrap()));
    let single = json(&[&RIDGE[..], &["--backend", "cpu", "--precision", "single"]].concat());
    // rounding: the doubt at which a replicate is redone is at most 1e-2
    let (a, b) = (number(&gpu["mean"]), number(&single["mean"]));
    assert!((a / b - 1.0).abs() < 1e-2, "{a} {b}");
    assert!((number(&auto["mean"]) / b - 1.0).abs() > 1e-6, "other variates");
}

#[test]
fn the_doctor_examines_every_adapter() {
    let output = with_environment(&["doctor", "--json"], &[]);
    assert_eq!(output.status.code(), Some(0));
    let out = object(&output);
    assert_eq!(out["version"], env!("CARGO_PKG_VERSION"));
    assert!(number(&out["threads"]) >= 1.0 && out["simd"].is_string());
    for adapter in out["adapters"].as_array().expect("adapters") {
        for field in ["name", "interface", "driver", "kind"] {
            assert!(adapter[field].is_string(), "{field} of {adapter}");
        }
        assert_eq!(adapter["words_equal"], true, "{adapter}");
        assert_eq!(adapter["iterations"], 50_000, "{adapter}");
        assert!(number(&adapter["limits"]["workgroup_memory_bytes"]) >= 16_384.0);
    }
    assert!(out["auto"]["engine"].is_string());
    let none = out["adapters"].as_array().unwrap().is_empty();
    assert_eq!(out["gpu"]["engine"].is_null(), none, "{out}");
    let text = String::from_utf8(with_environment(&["doctor"], &[]).stdout).unwrap();
    assert!(text.contains("--backend auto: ") && text.contains("threads"), "{text}");
}

/// A run that is interrupted says how to go on, and then has the result of one that was not.
#[cfg(unix)]
#[test]
fn an_interrupted_run_goes_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("run.checkpoint");
    let engines: [&[&str]; 2] = [&["--precision", "double"], &["--precision", "single"]];
    for engine in engines {
        let run = |replicates: &str| {
            let rest = ["--backend", "cpu", "--replicates", replicates, "--threads", "1", "--json"];
            [&RIDGE[..], engine, &rest].concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let checkpoint = ["--checkpoint".to_owned(), path(&file).to_owned()];
        let endless = [&run("1073741824")[..], &checkpoint].concat();
        let mut child = Command::new(env!("CARGO_BIN_EXE_rootrate"))
            .args(&endless)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // it is past its first writing, and computes
        let begun = Instant::now();
        while !file.exists() && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(100));
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        if !kill.is_ok_and(|status| status.success()) {
            child.kill().expect("our own child");
            panic!("no signal could be sent");
        }
        let output = child.wait_with_output().expect("it ends");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(130), "{message}");
        assert!(output.stdout.is_empty());
        assert!(message.contains("the same command goes on from"), "{message}");
        let done: u64 = message
            .lines()
            .last()
            .and_then(|line| line.split_whitespace().nth(2))
            .unwrap()
            .parse()
            .expect("a number");
        assert!(done > 0);
        let total = (done + 200).to_string();
        let whole = with_environment(&run(&total).iter().map(|s| &s[..]).collect::<Vec<_>>(), &[]);
        let resumed = [&run(&total)[..], &checkpoint].concat();
        let resumed = with_environment(&resumed.iter().map(|s| &s[..]).collect::<Vec<_>>(), &[]);
        assert_eq!(object(&resumed), object(&whole));
        assert_eq!(object(&whole)["replicates"], done + 200);
        std::fs::remove_file(&file).expect("the checkpoint stays");
    }
}

#[test]
fn bad_checkpoints_are_explained() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("run.checkpoint");
    let base = [&RIDGE[..], &["--backend", "cpu", "--checkpoint", path(&file)]].concat();
    let first = json(&base);
    assert_eq!(json(&base), first);
    refused(&[&base[..], &["--seed", "2"]].concat(), &["run.checkpoint", "seed 1", "2"]);
    refused(&[&base[..], &["--precision", "single"]].concat(), &["engine", "--precision"]);
    refused(&[&base[..], &["--replicates", "100"]].concat(), &["holds 200", "after 100"]);
    let other =
        [&base[..base.len() - 5], &["--noise=0.4", "--backend", "cpu"], &base[base.len() - 2..]];
    refused(&other.concat(), &["another experiment"]);
    let whole = std::fs::read(&file).expect("written");
    std::fs::write(&file, &whole[..whole.len() - 9]).expect("writable");
    refused(&base, &["run.checkpoint", "damaged"]);
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    std::fs::write(&file, &flipped).expect("writable");
    refused(&base, &["run.checkpoint", "damaged"]);
    std::fs::write(&file, b"mean,error\n").expect("writable");
    refused(&base, &["run.checkpoint", "not a checkpoint"]);
    refused(&[&RIDGE[..], &["--checkpoint", path(folder.path())]].concat(), &["cannot read"]);
    let nowhere = folder.path().join("none").join("file");
    refused(&[&RIDGE[..], &["--checkpoint", path(&nowhere)]].concat(), &["cannot write"]);
}
