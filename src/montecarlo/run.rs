//! A simulation from its plan to its sample: rounds, a stopping rule, checkpoints.

use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use super::checkpoint::{Checkpoint, Identity};
use super::engine::MAX_REPLICATES;
use super::sample::carriers;
use super::{Engine, Experiment, Moments, MonteCarloError, Progress, Samples, Streams};
use crate::data::DeferredInterrupt;

/// Replicates below which a standard error decides nothing (M12).
pub const FEWEST_TO_STOP: u64 = 256;
/// Replicates that must carry the spread of a sample for its standard error to decide (M12).
pub const FEWEST_CARRIERS: f64 = 30.0;
/// Most values of a simulation, all of which are kept (8 GiB).
const MAX_VALUES: f64 = (1_u64 << 30) as f64;
/// How long a round should take, and how much longer than the last it may be.
const ROUND: Duration = Duration::from_millis(600);
const GROWTH: f64 = 8.0;

/// A precision to stop at.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Standard error over |mean|.
    pub relative: f64,
    /// The outputs that must reach it.
    pub outputs: Vec<usize>,
}

/// What to simulate.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Of the random numbers.
    pub streams: Streams,
    /// Which replicates; with a target, at most these. A range that does not start at 0 is one
    /// shard of a larger simulation (M14).
    pub replicates: Range<u64>,
    /// Where to stop earlier.
    pub target: Option<Target>,
}

impl Plan {
    /// `replicates` from 0 on, all of them.
    pub fn new(streams: Streams, replicates: u64) -> Self {
        Self { streams, replicates: 0..replicates, target: None }
    }

    fn check(&self, outputs: usize) -> Result<(), MonteCarloError> {
        let Range { start, end } = self.replicates;
        if start >= end || end > 1 << 32 {
            return Err(MonteCarloError::ReplicateRange { start, end, limit: 1 << 32 });
        }
        let values = (end - start) as f64 * outputs as f64;
        super::error::check(
            "replicates × outputs",
            values,
            |v| v <= MAX_VALUES,
            "at most 2³⁰ values",
        )?;
        let Some(target) = &self.target else { return Ok(()) };
        let (value, valid) = (target.relative, "a finite number > 0");
        super::error::check("relative standard error", value, |r| r > 0.0, valid)?;
        if let Some(index) = target.outputs.iter().position(|&output| output >= outputs) {
            let value = target.outputs[index] as f64;
            let valid = "an index below the number of outputs";
            return Err(MonteCarloError::Element { name: "outputs", index, value, valid });
        }
        if end - start < FEWEST_TO_STOP {
            return Err(MonteCarloError::TooFewReplicates {
                found: end - start,
                needed: FEWEST_TO_STOP,
            });
        }
        Ok(())
    }

    /// The numbers of replicates at which the stopping rule looks: 256, and from each the next
    /// whole number a quarter larger; then the end.
    fn looks(&self) -> impl Iterator<Item = u64> {
        let total = self.replicates.end - self.replicates.start;
        let first = if self.target.is_some() { FEWEST_TO_STOP } else { total };
        std::iter::successors(Some(first), move |&count| {
            (count < total).then(|| (count + count.div_ceil(4)).min(total))
        })
    }
}

impl Target {
    /// Whether the standard errors of all its outputs are small enough after `count` replicates.
    fn reached(&self, samples: &Samples, count: u64) -> Result<bool, MonteCarloError> {
        for &output in &self.outputs {
            let column = samples.column(output)?;
            let values = &column.values()[..count as usize];
            let sampled = Moments::of(values).sampled()?;
            let precise = sampled.standard_error <= self.relative * sampled.mean.abs();
            if !precise || carriers(values) < FEWEST_CARRIERS {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Runs `plan` on `engine`, round after round of about half a second; `progress` is told of all
/// replicates, those of an earlier run first.
///
/// The result depends on the experiment, the streams, the plan and the engine only: rounds,
/// threads and speed do not enter, nor do interruptions. With a target the number of replicates
/// is itself random, a function of the values (M12).
///
/// With a `checkpoint`, what has been computed is written to that file every few seconds, at the
/// end, on an error, and on an interrupt (see [`DeferredInterrupt`]), which ends the simulation
/// after its round; a simulation whose file exists goes on from it, with the same bits (M14).
///
/// # Errors
/// An invalid plan; what [`Engine::run`] reports; a checkpoint that cannot be written, is
/// damaged, belongs to something else or has more replicates than the plan;
/// [`MonteCarloError::Interrupted`].
///
/// ```
/// use rootrate::montecarlo::{CpuEngine, NormalMoments, Plan, Streams, Target, simulate};
/// let experiment = NormalMoments::new(64)?;
/// let mut plan = Plan::new(Streams { seed: 1, experiment: 0 }, 100_000);
/// // E z² = 1 to half a percent
/// plan.target = Some(Target { relative: 0.005, outputs: vec![1] });
/// let samples = simulate(&CpuEngine::DOUBLE, &experiment, &plan, None, &|_, _| ())?;
/// let square = samples.column(1)?.sampled()?;
/// assert!(square.standard_error <= 0.005 * square.mean && square.replicates < 2000);
/// # Ok::<(), rootrate::montecarlo::MonteCarloError>(())
/// ```
pub fn simulate(
    engine: &dyn Engine,
    experiment: &dyn Experiment,
    plan: &Plan,
    checkpoint: Option<&Path>,
    progress: Progress<'_>,
) -> Result<Samples, MonteCarloError> {
    let outputs = experiment.outputs();
    plan.check(outputs)?;
    let start = plan.replicates.start;
    let mut file = checkpoint
        .map(|path| Checkpoint::new(path, Identity::new(engine, experiment, plan.streams, start)));
    let mut samples = match file.as_mut().map(Checkpoint::read).transpose()?.flatten() {
        Some(samples) => samples,
        None => Samples::new(start, outputs, Vec::new(), 0)?,
    };
    let interrupt = file.as_ref().map(|_| DeferredInterrupt::new());
    let ended = rounds(engine, experiment, plan, &mut samples, progress, &mut |samples| {
        let Some(file) = &mut file else { return Ok(()) };
        file.write_if_due(samples)?;
        if interrupt.as_ref().is_some_and(DeferredInterrupt::requested) {
            return Err(MonteCarloError::Interrupted { replicates: samples.replicates() });
        }
        Ok(())
    });
    let saved = file.as_mut().map_or(Ok(()), |file| file.write(&samples));
    let stop = ended?;
    saved?;
    match checkpoint {
        Some(path) if samples.replicates() > stop => Err(MonteCarloError::Checkpoint {
            path: path.to_path_buf(),
            problem: format!(
                "it holds {} replicates, and this simulation ends after {stop}: ask for at least \
                 as many (or for a smaller standard error), or use another file",
                samples.replicates()
            ),
        }),
        _ => Ok(samples),
    }
}

/// Runs all rounds, `after` each of them and before the first, and returns the number of
/// replicates at which the plan ends.
fn rounds(
    engine: &dyn Engine,
    experiment: &dyn Experiment,
    plan: &Plan,
    samples: &mut Samples,
    progress: Progress<'_>,
    after: &mut dyn FnMut(&Samples) -> Result<(), MonteCarloError>,
) -> Result<u64, MonteCarloError> {
    let Range { start, end } = plan.replicates;
    let total = end - start;
    let threads = rayon::current_num_threads() as u64;
    let mut round = threads;
    progress(samples.replicates(), total);
    after(samples)?;
    for look in plan.looks() {
        while samples.replicates() < look {
            let done = samples.replicates();
            let size = round.min(look - done);
            let range = start + done..start + done + size;
            let begun = Instant::now();
            let told = |new, _| progress(done + new, total);
            samples.append(&engine.run(experiment, plan.streams, range, &told)?)?;
            let ratio = ROUND.as_secs_f64() / begun.elapsed().as_secs_f64();
            let longest = (GROWTH * round as f64).min(MAX_REPLICATES as f64);
            round = (ratio * size as f64).min(longest) as u64;
            round = round.max(1).next_multiple_of(threads).min(MAX_REPLICATES);
            after(samples)?;
        }
        if plan.target.as_ref().map_or(Ok(false), |target| target.reached(samples, look))? {
            return Ok(look);
        }
    }
    Ok(total)
}
