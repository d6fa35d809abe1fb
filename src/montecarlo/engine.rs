//! Where experiments run.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::{
    Draws, Experiment, MonteCarloError, Precision, Sample, Samples, Scratch, Stream, Streams,
};

/// Most replicates of one call: longer runs are calls on consecutive ranges (M5).
pub(super) const MAX_REPLICATES: u64 = 1 << 24;

/// Told (done, total) replicates, from any thread and in any order.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// Something that runs experiments: the processor, or an accelerator behind the same trait.
///
/// Engines of one [`Precision`] draw the same variates for the same replicate (M1), (M2), so
/// they differ by the rounding of their arithmetic only.
pub trait Engine: Debug + Sync {
    /// For reports: what and where.
    fn name(&self) -> String;

    /// `"cpu"` or `"gpu"`.
    fn backend(&self) -> &'static str;

    /// Whether it is a program that stands in for a graphics processor, and slow.
    fn emulated(&self) -> bool {
        false
    }

    /// The precision of its variates and its arithmetic.
    fn precision(&self) -> Precision;

    /// What a user should know about the choice of the engine and its runs so far.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// The values of each replicate of `replicates`.
    ///
    /// # Errors
    /// An invalid range, the first replicate that fails (no replicate is ever left out), or a
    /// device that fails.
    fn run(
        &self,
        experiment: &dyn Experiment,
        streams: Streams,
        replicates: Range<u64>,
        progress: Progress<'_>,
    ) -> Result<Samples, MonteCarloError>;
}

/// The processor: rayon over replicates, sequential inside.
///
/// The bits of a sample do not depend on the number of threads. (They may depend on the
/// processor's vector width through the linear algebra, in the last places.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuEngine {
    /// Of variates and arithmetic.
    pub precision: Precision,
}

impl CpuEngine {
    /// Double precision throughout.
    pub const DOUBLE: Self = Self { precision: Precision::Double };
    /// The variates of an accelerator.
    pub const SINGLE: Self = Self { precision: Precision::Single };
}

impl Engine for CpuEngine {
    fn name(&self) -> String {
        match self.precision {
            Precision::Double => "cpu (f64)".to_owned(),
            Precision::Single => "cpu (f32)".to_owned(),
        }
    }

    fn backend(&self) -> &'static str {
        "cpu"
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn run(
        &self,
        experiment: &dyn Experiment,
        streams: Streams,
        replicates: Range<u64>,
        progress: Progress<'_>,
    ) -> Result<Samples, MonteCarloError> {
        let outputs = experiment.outputs();
        let redone = AtomicU64::new(0);
        let first = replicates.start;
        let rows = for_each(streams, replicates, progress, Scratch::default, |scratch, stream| {
            let mut row = vec![0.0; outputs];
            if self.precision == Precision::Single {
                let doubt = experiment.evaluate_single(scratch, stream.clone(), &mut row)?;
                if doubt <= experiment.limit() {
                    return Ok(row);
                }
                redone.fetch_add(1, Ordering::Relaxed);
            }
            experiment.evaluate(scratch, Draws::new(stream, self.precision), &mut row)?;
            Ok(row)
        })?;
        Samples::new(first, outputs, rows.concat(), redone.into_inner())
    }
}

/// Runs `draw` on the stream of every replicate, in parallel, and keeps the values in order.
///
/// `scratch` makes the working memory that a thread hands from one replicate to the next; a
/// value must not depend on what it finds there.
///
/// # Errors
/// An empty range, one beyond 2³² or of more than 2²⁴ replicates; else the error of the lowest
/// replicate that failed.
///
/// ```
/// use rootrate::montecarlo::{Streams, replicate};
/// // The mean of exp(Z) is √e.
/// let streams = Streams { seed: 1, experiment: 0 };
/// let sample = replicate(streams, 0..1000, &|_, _| (), || [0.0; 2], |z, mut stream| {
///     stream.fill_normal_f64(z);
///     Ok((z[0].exp() + (-z[0]).exp() + z[1].exp() + (-z[1]).exp()) / 4.0)
/// })?;
/// let sampled = sample.sampled()?;
/// assert!((sampled.mean - 0.5_f64.exp()).abs() < 5.0 * sampled.standard_error);
/// # Ok::<(), rootrate::montecarlo::MonteCarloError>(())
/// ```
pub fn replicate<S>(
    streams: Streams,
    replicates: Range<u64>,
    progress: Progress<'_>,
    scratch: impl Fn() -> S + Sync + Send,
    draw: impl Fn(&mut S, Stream) -> Result<f64, MonteCarloError> + Sync + Send,
) -> Result<Sample, MonteCarloError> {
    let first = replicates.start;
    Sample::new(first, for_each(streams, replicates, progress, scratch, draw)?)
}

/// `draw` of every replicate, in order.
pub(super) fn for_each<S, T: Send>(
    streams: Streams,
    replicates: Range<u64>,
    progress: Progress<'_>,
    scratch: impl Fn() -> S + Sync + Send,
    draw: impl Fn(&mut S, Stream) -> Result<T, MonteCarloError> + Sync + Send,
) -> Result<Vec<T>, MonteCarloError> {
    let total = check_range(&replicates)?;
    let done = AtomicU64::new(0);
    let values: Vec<Result<T, MonteCarloError>> = (0..total as usize)
        .into_par_iter()
        .map_init(scratch, |scratch, offset| {
            // start + offset < end ≤ 2³².
            let number = (replicates.start + offset as u64) as u32;
            let value = draw(scratch, streams.replicate(number));
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
            value
        })
        .collect();
    values.into_iter().collect()
}

/// The number of replicates of a valid range.
pub(super) fn check_range(replicates: &Range<u64>) -> Result<u64, MonteCarloError> {
    let Range { start, end } = *replicates;
    let total = end.saturating_sub(start);
    if total == 0 || total > MAX_REPLICATES || end > 1 << 32 {
        return Err(MonteCarloError::ReplicateRange { start, end, limit: MAX_REPLICATES });
    }
    Ok(total)
}
