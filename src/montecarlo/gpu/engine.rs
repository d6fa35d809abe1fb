//! The engine over a device.

use std::ops::Range;

use rayon::prelude::*;

use super::{Adapter, AdapterKind, Device};
use crate::montecarlo::engine::check_range;
use crate::montecarlo::{
    Draws, Engine, Experiment, MonteCarloError, Precision, Progress, Samples, Scratch, Streams,
};

/// Runs experiments on an adapter in single precision; replicates that are too ill-conditioned
/// for it are recomputed on the processor from the same variates (M10).
#[derive(Debug)]
pub struct GpuEngine {
    device: Device,
}

impl GpuEngine {
    /// Opens `adapter`.
    ///
    /// # Errors
    /// [`MonteCarloError::Device`] with the driver's reason.
    pub fn open(adapter: Adapter) -> Result<Self, MonteCarloError> {
        Ok(Self { device: Device::open(adapter)? })
    }

    /// The opened adapter.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl Engine for GpuEngine {
    fn name(&self) -> String {
        format!("{} (f32)", self.device.adapter())
    }

    fn backend(&self) -> &'static str {
        "gpu"
    }

    fn emulated(&self) -> bool {
        self.device.adapter().kind() == AdapterKind::Software
    }

    fn precision(&self) -> Precision {
        Precision::Single
    }

    fn run(
        &self,
        experiment: &dyn Experiment,
        streams: Streams,
        replicates: Range<u64>,
        progress: Progress<'_>,
    ) -> Result<Samples, MonteCarloError> {
        let total = check_range(&replicates)?;
        let program = experiment.program();
        let outputs = program.outputs;
        let capacity = self.device.capacity(&program)?.min(total);
        let loaded = self.device.load(&program, capacity)?;
        let mut values = Vec::with_capacity(total as usize * outputs);
        let mut redone = 0;
        let mut next = replicates.start;
        while next < replicates.end {
            let range = next..replicates.end.min(next + loaded.capacity);
            let words = loaded.execute(streams, range.clone())?;
            let rows: Vec<_> = words
                .par_chunks(outputs + 1)
                .enumerate()
                .map_init(Scratch::default, |scratch, (offset, words)| {
                    let mut row: Vec<f64> =
                        words.iter().map(|&w| f64::from(f32::from_bits(w))).collect();
                    let doubt = row.pop().unwrap_or(f64::NAN);
                    let kept = doubt <= experiment.limit() && row.iter().all(|v| v.is_finite());
                    if !kept {
                        let stream = streams.replicate((next + offset as u64) as u32);
                        let draws = Draws::new(stream, Precision::Single);
                        experiment.evaluate(scratch, draws, &mut row)?;
                    }
                    Ok((row, u64::from(!kept)))
                })
                .collect::<Result<_, MonteCarloError>>()?;
            for (row, again) in rows {
                values.extend(row);
                redone += again;
            }
            next = range.end;
            progress(next - replicates.start, total);
        }
        Samples::new(replicates.start, outputs, values, redone)
    }
}
