//! Where experiments run.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::{MonteCarloError, RidgeExperiment, Sample, Stream, Streams};

/// Most replicates of one call: longer runs are calls on consecutive ranges (M5).
const MAX_REPLICATES: u64 = 1 << 24;

/// Told (done, total) replicates, from any thread and in any order.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// Something that runs experiments: the processor, or an accelerator behind the same trait.
///
/// Engines draw the same random words for the same replicate (M1), so two engines differ by
/// the rounding of their arithmetic only.
pub trait Engine: Debug + Sync {
    /// For reports: what and where.
    fn name(&self) -> String;

    /// The excess risk of each replicate of `replicates`.
    ///
    /// # Errors
    /// An invalid range, or the first replicate that fails; no replicate is ever left out.
    fn ridge(
        &self,
        experiment: &RidgeExperiment,
        streams: Streams,
        replicates: Range<u64>,
        progress: Progress<'_>,
    ) -> Result<Sample, MonteCarloError>;
}

/// The processor, in double precision: rayon over replicates, sequential inside.
///
/// The bits of a sample do not depend on the number of threads. (They may depend on the
/// processor's vector width through the linear algebra, in the last places.)
#[derive(Debug, Clone, Copy, Default)]
pub struct CpuEngine;

impl Engine for CpuEngine {
    fn name(&self) -> String {
        "cpu (f64)".to_owned()
    }

    fn ridge(
        &self,
        experiment: &RidgeExperiment,
        streams: Streams,
        replicates: Range<u64>,
        progress: Progress<'_>,
    ) -> Result<Sample, MonteCarloError> {
        replicate(streams, replicates, progress, Vec::new, |features, stream| {
            experiment.excess_risk(features, stream)
        })
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
    let Range { start, end } = replicates;
    let total = end.saturating_sub(start);
    if total == 0 || total > MAX_REPLICATES || end > 1 << 32 {
        return Err(MonteCarloError::ReplicateRange { start, end, limit: MAX_REPLICATES });
    }
    let done = AtomicU64::new(0);
    let values: Vec<Result<f64, MonteCarloError>> = (0..total as usize)
        .into_par_iter()
        .map_init(scratch, |scratch, offset| {
            // start + offset < end ≤ 2³².
            let value = draw(scratch, streams.replicate((start + offset as u64) as u32));
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
            value
        })
        .collect();
    Sample::new(start, values.into_iter().collect::<Result<_, _>>()?)
}
