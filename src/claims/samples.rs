//! Simulated samples for the claims, and their means.

use super::ClaimError;
use crate::montecarlo::{MonteCarloError, Sample, Stream, Streams, replicate};
use crate::numeric::linalg::LinalgError;

/// Mean and standard error.
pub(super) fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

/// `statistic` of each of many n×p matrices of independent normals whose columns have the
/// standard deviations `scales`; it may draw further numbers of the replicate's stream.
pub(super) fn over_samples(
    streams: Streams,
    scales: &[f64],
    (n, replicates): (usize, u64),
    statistic: impl Fn(&[f64], &mut Stream) -> Result<f64, LinalgError> + Sync + Send,
) -> Result<Sample, ClaimError> {
    let p = scales.len();
    Ok(replicate(
        streams,
        0..replicates,
        &|_, _| (),
        || vec![0.0; n * p],
        |x, mut stream| {
            stream.fill_normal_f64(x);
            x.chunks_mut(p).for_each(|row| row.iter_mut().zip(scales).for_each(|(x, s)| *x *= s));
            let replicate = stream.replicate();
            statistic(x, &mut stream)
                .map_err(|source| MonteCarloError::Linalg { replicate, source })
        },
    )?)
}
