//! Our side of the comparison: reads one case, prints times, values and bounds as JSON.
//!
//! Run by `against/run.py` and `against/montecarlo.py`; without a case it says so and does nothing.

use std::time::Instant;

use num_complex::Complex64;
use rayon::prelude::*;
use rootrate::evidence::Certified;
use rootrate::learning::{Ridge, Signal};
use rootrate::montecarlo::gpu::{Adapter, AdapterKind, GpuEngine, adapters};
use rootrate::montecarlo::{
    CpuEngine, Engine, NoiseKind, Precision, RidgeExperiment, Stream, Streams,
};
use rootrate::numeric::linalg::{LinalgError, gram, symmetric_eigenvalues};
use rootrate::resolvent::SilversteinLaw;
use rootrate::spectrum::Spectrum;
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let Some(path) = std::env::args().skip(1).find(|a| !a.starts_with("--")) else {
        println!("a comparison: run `python3 benches/against/run.py`");
        return Ok(());
    };
    let case: Value = serde_json::from_slice(&std::fs::read(path)?)?;
    // strings, because the JSON reader may be off by a unit in the last place
    let numbers = |field: &str| -> Result<Vec<f64>, Failure> {
        let list = case[field].as_array().ok_or(format!("no {field}"))?;
        list.iter().map(|s| Ok(s.as_str().unwrap_or_default().parse()?)).collect()
    };
    let number = |field: &str| case[field].as_f64().ok_or(format!("no {field}"));
    let (mut unproved, mut name) = (Vec::new(), String::new());
    let (times, values) = if let Some(work) = case["work"].as_str() {
        let engine = engine(&case)?;
        name = engine.name();
        timed(&case, || monte_carlo(work, &case, &*engine))?
    } else if case["ridges"].is_array() {
        let (lambda, ridges) = (numbers("eigenvalues")?, numbers("ridges")?);
        let (samples, noise) = (number("samples")?, number("noise")?);
        timed(&case, || {
            let spectrum = Spectrum::from_eigenvalues(&lambda)?;
            let signal = Signal::Flat { power: 1.0 };
            let learner = Ridge::new(&spectrum, lambda.len(), &signal, noise)?;
            let curve = learner.curve(samples, &ridges)?;
            Ok(curve.iter().map(|point| (point.risk.value, Some(point.risk))).collect())
        })?
    } else {
        let (atoms, weights, x) = (numbers("atoms")?, numbers("weights")?, numbers("x")?);
        let ratio = number("ratio")?;
        unproved = timed(&case, || roots(&atoms, &weights, ratio, &x))?.0;
        timed(&case, || density(&atoms, &weights, ratio, &x))?
    };
    let indices = case["indices"].as_array().into_iter().flatten();
    let checks: Vec<usize> = indices.filter_map(|i| Some(i.as_u64()? as usize)).collect();
    let proved = values.iter().filter_map(|v| v.1);
    let largest = proved.clone().map(|c| c.relative_radius()).fold(0.0, f64::max);
    let report = json!({
        "engine": name,
        "times": times,
        "unproved_times": unproved,
        "points": values.len(),
        "certified": proved.count(),
        "largest_bound": largest,
        "values": checks.iter().map(|&i| values[i].0).collect::<Vec<_>>(),
        "bounds": checks.iter().map(|&i| values[i].1.map(|c| c.radius)).collect::<Vec<_>>(),
    });
    println!("{report}");
    Ok(())
}

/// Values with what is proved of them.
type Values = Vec<(f64, Option<Certified>)>;

fn density(atoms: &[f64], weights: &[f64], ratio: f64, x: &[f64]) -> Result<Values, Failure> {
    let law = SilversteinLaw::new(&Spectrum::from_atoms(atoms, weights)?, ratio)?;
    let densities = law.densities(x)?;
    Ok(densities.iter().map(|d| (d.value(), d.certified().ok())).collect())
}

/// The processor in the precision asked for, or the first adapter of the kind asked for.
fn engine(case: &Value) -> Result<Box<dyn Engine>, Failure> {
    if let Some(kind) = case["adapter"].as_str() {
        let hardware = |a: &Adapter| kind == "any" || a.kind() == AdapterKind::Hardware;
        let adapter = adapters().into_iter().find(hardware);
        return Ok(Box::new(GpuEngine::open(adapter.ok_or("no hardware adapter")?)?));
    }
    Ok(Box::new(match case["precision"].as_str() {
        Some("f32") => CpuEngine::SINGLE,
        _ => CpuEngine::DOUBLE,
    }))
}

/// The mean of the numbers of one Monte Carlo `work`, replicates in parallel.
fn monte_carlo(work: &str, case: &Value, engine: &dyn Engine) -> Result<Values, Failure> {
    let count = |field: &str| case[field].as_u64().ok_or(format!("no {field}"));
    let replicates = count("replicates")?;
    let value = match (work, engine.precision()) {
        ("normals", Precision::Single) => {
            let length = count("length")? as usize;
            mean(replicates, |z, replicate| {
                z.resize(length, 0.0_f32);
                Stream::new(1, 0, replicate).fill_normal_f32(z);
                Ok(z.iter().take(1024).map(|z| f64::from(z * z) / 1024.0).sum())
            })?
        }
        ("normals", Precision::Double) => {
            let length = count("length")? as usize;
            mean(replicates, |z, replicate| {
                z.resize(length, 0.0_f64);
                Stream::new(1, 0, replicate).fill_normal_f64(z);
                Ok(z.iter().take(1024).map(|z| z * z / 1024.0).sum())
            })?
        }
        ("ridge", _) => {
            let (n, p) = (count("samples")? as usize, count("features")? as usize);
            let eigenvalues: Vec<f64> = (1..=p).map(|k| (k as f64).powf(-0.8)).collect();
            let kind = NoiseKind::Homoscedastic;
            let experiment = RidgeExperiment::new(&eigenvalues, &vec![0.1; p], n, 0.1, 0.3, kind)?;
            let streams = Streams { seed: 1, experiment: 1 };
            let samples = engine.run(&experiment, streams, 0..replicates, &|_, _| ())?;
            samples.column(0)?.moments().mean()
        }
        ("spectrum", _) => {
            let (n, p) = (count("samples")? as usize, count("features")? as usize);
            mean(replicates, |x, replicate| {
                x.resize(n * p, 0.0);
                Stream::new(1, 2, replicate).fill_normal_f64(x);
                Ok(symmetric_eigenvalues(&gram(x, n, p)?, p)?[p - 1] / n as f64)
            })?
        }
        _ => return Err(format!("no work {work:?}").into()),
    };
    Ok(vec![(value, None)])
}

/// The mean over replicates, each with the memory that its thread used before.
fn mean<T: Send>(
    replicates: u64,
    value: impl Fn(&mut Vec<T>, u32) -> Result<f64, LinalgError> + Sync + Send,
) -> Result<f64, Failure> {
    let numbers = (0..replicates as u32).into_par_iter();
    let sum: f64 = numbers.map_init(Vec::new, value).sum::<Result<f64, LinalgError>>()?;
    Ok(sum / replicates as f64)
}

/// What the density costs without its proof: the law, and the root of the equation at every point.
fn roots(atoms: &[f64], weights: &[f64], ratio: f64, x: &[f64]) -> Result<Values, Failure> {
    let law = SilversteinLaw::new(&Spectrum::from_atoms(atoms, weights)?, ratio)?;
    let z: Vec<Complex64> = x.iter().map(|&x| x.into()).collect();
    let density = |v: Complex64| (v.im / (std::f64::consts::PI * ratio), None);
    Ok(law.companions_unproved(&z)?.into_iter().map(density).collect())
}

/// Repeats as the case says; the last result.
fn timed(
    case: &Value,
    mut work: impl FnMut() -> Result<Values, Failure>,
) -> Result<(Vec<f64>, Values), Failure> {
    let repeats = case["repeats"].as_u64().unwrap_or(1).max(1);
    let seconds = case["seconds"].as_f64().unwrap_or(0.0);
    let mut times: Vec<f64> = Vec::new();
    loop {
        let start = Instant::now();
        let values = work()?;
        times.push(start.elapsed().as_secs_f64());
        if times.len() as u64 >= repeats || times.iter().sum::<f64>() >= seconds {
            return Ok((times, values));
        }
    }
}
