//! Plans, the stopping rule and checkpoints (M12), (M14).

use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rootrate::montecarlo::program::Program;
use rootrate::montecarlo::{
    Backend, CpuEngine, Draws, Engine, Experiment, FEWEST_TO_STOP, Moments, MonteCarloError,
    NormalMoments, Plan, Precision, Progress, Samples, Scratch, Streams, Target, open, simulate,
};

const STREAMS: Streams = Streams { seed: 12, experiment: 2520 };

fn experiment() -> NormalMoments {
    NormalMoments::new(64).unwrap()
}

fn plan(replicates: u64) -> Plan {
    Plan::new(STREAMS, replicates)
}

fn until(relative: f64, replicates: u64) -> Plan {
    Plan { target: Some(Target { relative, outputs: vec![1, 3] }), ..plan(replicates) }
}

fn run(engine: &dyn Engine, plan: &Plan, file: Option<&Path>) -> Result<Samples, MonteCarloError> {
    simulate(engine, &experiment(), plan, file, &|_, _| ())
}

/// An engine that sees the rounds of its runs, and fails in the first round beyond `limit`.
#[derive(Debug)]
struct Limited<'a> {
    inner: &'a dyn Engine,
    limit: u64,
    rounds: Mutex<Vec<Range<u64>>>,
}

impl<'a> Limited<'a> {
    fn new(inner: &'a dyn Engine, limit: u64) -> Self {
        Self { inner, limit, rounds: Mutex::default() }
    }
}

impl Engine for Limited<'_> {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn backend(&self) -> &'static str {
        self.inner.backend()
    }

    fn precision(&self) -> Precision {
        self.inner.precision()
    }

    fn run(
        &self,
        experiment: &dyn Experiment,
        streams: Streams,
        replicates: Range<u64>,
        progress: Progress<'_>,
    ) -> Result<Samples, MonteCarloError> {
        if replicates.end > self.limit {
            let (adapter, problem) = (self.name(), "stopped by the test".to_owned());
            return Err(MonteCarloError::Device { adapter, problem });
        }
        self.rounds.lock().unwrap().push(replicates.clone());
        self.inner.run(experiment, streams, replicates, progress)
    }
}

/// The engines of these tests; the adapter where there is one.
fn engines() -> Vec<&'static dyn Engine> {
    let mut engines: Vec<&'static dyn Engine> = vec![&CpuEngine::DOUBLE, &CpuEngine::SINGLE];
    if let Some(gpu) = super::gpu::engine() {
        engines.push(gpu);
    }
    engines
}

#[test]
fn a_run_in_rounds_is_one_run() {
    let told = AtomicU64::new(0);
    let samples = simulate(&CpuEngine::DOUBLE, &experiment(), &plan(3000), None, &|done, total| {
        assert!(done <= total && total == 3000);
        told.fetch_max(done, Ordering::Relaxed);
    });
    let whole = CpuEngine::DOUBLE.run(&experiment(), STREAMS, 0..3000, &|_, _| ());
    assert_eq!(samples, whole);
    assert_eq!(told.into_inner(), 3000);
    // shards of a plan are consecutive ranges
    let shard = |range| Plan { replicates: range, ..plan(1) };
    let mut joined = run(&CpuEngine::DOUBLE, &shard(0..1234), None).unwrap();
    joined.append(&run(&CpuEngine::DOUBLE, &shard(1234..3000), None).unwrap()).unwrap();
    assert_eq!(joined, whole.unwrap());
}

/// The same number of replicates and the same values on one thread, on two, and whatever the
/// rounds (they depend on the time each takes); it is the first look at which the rule holds.
#[test]
fn the_stopping_rule_does_not_depend_on_the_machine() {
    let plan = until(0.02, 1 << 20);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for engine in engines() {
        let seen = Limited::new(engine, u64::MAX);
        let first = one.install(|| run(&seen, &plan, None)).unwrap();
        assert!(seen.rounds.lock().unwrap().len() > 2);
        assert_eq!(two.install(|| run(engine, &plan, None)).unwrap(), first);
        // E z⁴ = 3 and Var z⁴ = 96: the target needs about 96/64/9/0.02² = 417 replicates
        let count = first.replicates();
        let mut look = FEWEST_TO_STOP;
        loop {
            let prefix = engine.run(&experiment(), STREAMS, 0..look, &|_, _| ()).unwrap();
            let reached = [1, 3].iter().all(|&output| {
                let sampled = prefix.column(output).unwrap().sampled().unwrap();
                sampled.standard_error <= 0.02 * sampled.mean.abs()
            });
            assert_eq!(reached, look == count, "{look} {count}");
            if reached {
                break;
            }
            look += look.div_ceil(4);
        }
        assert!((300..700).contains(&count), "{count}");
    }
    // a target out of reach: all replicates
    let all = run(&CpuEngine::DOUBLE, &until(1e-9, 1000), None).unwrap();
    assert_eq!(all.replicates(), 1000);
}

/// y = 1 + 3z.
#[derive(Debug)]
struct Shifted;

impl Experiment for Shifted {
    fn outputs(&self) -> usize {
        1
    }

    fn evaluate(
        &self,
        _: &mut Scratch,
        mut draws: Draws,
        out: &mut [f64],
    ) -> Result<(), MonteCarloError> {
        draws.normals(out);
        out[0] = 1.0 + 3.0 * out[0];
        Ok(())
    }

    fn limit(&self) -> f64 {
        0.0
    }

    fn program(&self) -> Program {
        Program::host(1)
    }
}

/// (M12c) for y = 1 + 3z and ε = 0.15: N is near 9/0.15² = 400, and the mean is too large by
/// 2ς²/(μ E N) = 2ε standard errors. The mean of 800 runs has the standard deviation
/// 0.15/√800 = 0.0053; four of them are allowed, and no bias is more than seven away.
#[test]
fn stopping_biases_the_mean_as_predicted() {
    const RUNS: u64 = 800;
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (mut means, mut counts) = (Moments::default(), Moments::default());
    one.install(|| {
        for seed in 0..RUNS {
            let mut plan = Plan::new(Streams { seed, experiment: 2521 }, 1 << 20);
            plan.target = Some(Target { relative: 0.15, outputs: vec![0] });
            let run = simulate(&CpuEngine::DOUBLE, &Shifted, &plan, None, &|_, _| ()).unwrap();
            let sampled = run.column(0).unwrap().sampled().unwrap();
            means.push(sampled.mean);
            counts.push(sampled.replicates as f64);
        }
    });
    let predicted = 18.0 / counts.mean();
    let bias = means.mean() - 1.0;
    assert!((bias - predicted).abs() < 4.0 * 0.0053, "{bias} {predicted}");
    assert!(predicted > 7.0 * 0.0053);
}

/// A run that is cut off anywhere and goes on from its file has the bits of one that was not,
/// with and without a target; a finished file is not computed again; more replicates continue it.
#[test]
fn a_resumed_run_has_the_bits_of_an_uninterrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    for (number, engine) in engines().into_iter().enumerate() {
        for (kind, plan) in [plan(700), until(0.02, 1 << 20)].into_iter().enumerate() {
            let whole = run(engine, &plan, None).unwrap();
            let file = folder.path().join(format!("{number}-{kind}"));
            for limit in [40, 300] {
                let error = run(&Limited::new(engine, limit), &plan, Some(&file)).unwrap_err();
                assert!(matches!(error, MonteCarloError::Device { .. }), "{error}");
                assert!(file.exists());
            }
            let seen = Limited::new(engine, u64::MAX);
            assert_eq!(run(&seen, &plan, Some(&file)).unwrap(), whole);
            let first = seen.rounds.lock().unwrap()[0].start;
            assert!(0 < first && first <= 300, "begins again at {first}");
            let finished = Limited::new(engine, 0);
            assert_eq!(run(&finished, &plan, Some(&file)).unwrap(), whole);
            if plan.target.is_none() {
                let longer = Plan::new(STREAMS, 900);
                let more = run(engine, &longer, Some(&file)).unwrap();
                assert_eq!(more, run(engine, &longer, None).unwrap());
                let error = run(engine, &plan, Some(&file)).unwrap_err().to_string();
                assert!(error.contains("holds 900") && error.contains("after 700"), "{error}");
            }
        }
    }
}

#[test]
fn only_the_same_simulation_goes_on_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    let engine = &CpuEngine::DOUBLE;
    run(engine, &plan(300), Some(&file)).unwrap();
    let whole = std::fs::read(&file).unwrap();
    let refused = |plan: &Plan, engine: &dyn Engine, words: &[&str]| {
        let error = run(engine, plan, Some(&file)).unwrap_err().to_string();
        for word in ["run.checkpoint"].iter().chain(words) {
            assert!(error.contains(word), "`{word}` is not in: {error}");
        }
    };
    let other = |seed, experiment| Plan::new(Streams { seed, experiment }, 300);
    refused(&other(13, 2520), engine, &["seed 12", "13"]);
    refused(&other(12, 2521), engine, &["experiment number 2520"]);
    refused(&Plan { replicates: 1..300, ..plan(1) }, engine, &["first replicate 0"]);
    refused(&plan(300), &CpuEngine::SINGLE, &["cpu (f64)", "cpu (f32)", "--precision"]);
    let larger = NormalMoments::new(68).unwrap();
    let error = simulate(engine, &larger, &plan(300), Some(&file), &|_, _| ()).unwrap_err();
    assert!(error.to_string().contains("other parameters"), "{error}");
    assert_eq!(std::fs::read(&file).unwrap(), whole, "a refused file is left alone");

    // truncated anywhere, one bit flipped anywhere, something appended
    let step = whole.len() / 23;
    for at in (8..whole.len()).step_by(step) {
        std::fs::write(&file, &whole[..at]).unwrap();
        refused(&plan(300), engine, &["damaged"]);
        let mut flipped = whole.clone();
        flipped[at] ^= 4;
        std::fs::write(&file, &flipped).unwrap();
        refused(&plan(300), engine, if (8..12).contains(&at) { &["newer"] } else { &["damaged"] });
    }
    std::fs::write(&file, [&whole[..], &[0; 8]].concat()).unwrap();
    refused(&plan(300), engine, &["damaged"]);
    for foreign in [&b""[..], b"x,y\n1,2\n"] {
        std::fs::write(&file, foreign).unwrap();
        refused(&plan(300), engine, &["not a checkpoint"]);
    }
    // a folder that does not exist is noticed before anything is computed
    let nowhere = folder.path().join("none").join("file");
    let error = run(&Limited::new(engine, 0), &plan(300), Some(&nowhere)).unwrap_err();
    assert!(error.to_string().contains("cannot write"), "{error}");
}

#[test]
fn bad_plans_are_refused_with_a_reason() {
    use MonteCarloError as E;
    let refused = |plan: &Plan| run(&CpuEngine::DOUBLE, plan, None).unwrap_err();
    assert!(matches!(refused(&plan(0)), E::ReplicateRange { .. }));
    assert!(matches!(refused(&plan((1 << 32) + 1)), E::ReplicateRange { .. }));
    for relative in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused(&until(relative, 1000)), E::Parameter { .. }));
    }
    assert!(matches!(refused(&until(0.1, 255)), E::TooFewReplicates { needed: 256, .. }));
    let mut beyond = until(0.1, 1000);
    beyond.target = Some(Target { relative: 0.1, outputs: vec![0, 6] });
    assert!(matches!(refused(&beyond), E::Element { index: 1, .. }));
    // the last replicates of an experiment
    let last = Plan { replicates: (1 << 32) - 3..1 << 32, ..plan(1) };
    assert_eq!(run(&CpuEngine::DOUBLE, &last, None).unwrap().replicates(), 3);
}

#[test]
fn backends_open_what_they_promise() {
    let cpu = open(Backend::Cpu, Some(Precision::Single)).unwrap();
    assert_eq!((cpu.name().as_str(), cpu.precision()), ("cpu (f32)", Precision::Single));
    let auto = open(Backend::Auto, Some(Precision::Double)).unwrap();
    assert_eq!((auto.backend(), auto.precision()), ("cpu", Precision::Double));
    assert_eq!(
        open(Backend::Gpu, Some(Precision::Double)).unwrap_err(),
        MonteCarloError::NoDoublePrecision
    );
    if super::gpu::engine().is_some() {
        let gpu = open(Backend::Gpu, None).unwrap();
        assert_eq!((gpu.backend(), gpu.precision()), ("gpu", Precision::Single));
        // the variates of the adapter on the processor: the same sample up to rounding
        let [a, b] = [gpu, cpu].map(|e| run(&*e, &plan(300), None).unwrap());
        for (a, b) in a.values().iter().zip(b.values()) {
            // six roundings a power and seven of a sum, relative to E|z|⁶ < 100
            assert!((a - b).abs() <= 13.0 * 6e-8 * 100.0, "{a} {b}");
        }
    }
}
