//! Distances and projections of a block of queries: the part that is common to all noise levels.

use super::{EmpiricalOptions, Points};
use crate::montecarlo::Stream;
use crate::numeric::linalg::matmul_f64;

/// Numbers of these experiments in the addresses of their random streams.
const ORDER: u32 = 0x454d_504f;
const NOISE: u32 = 0x454d_504e;
/// D below this part of ‖xᵢ‖² + ‖x0‖² is recomputed from xᵢ − x0: above, cancellation in
/// ‖xᵢ‖² + ‖x0‖² − 2 xᵢ·x0 costs two digits at most.
const NEAR: f64 = 1e-2;

/// One draw of (x0, ε).
#[derive(Debug, Clone, Copy)]
pub(super) struct Query {
    /// Index of x0.
    pub(super) point: usize,
    /// The stream of ε.
    seed: u64,
    number: u32,
}

/// What one query knows of all points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    /// Index of x0.
    pub(super) point: usize,
    /// Dᵢ = ‖xᵢ − x0‖².
    pub(super) distances: &'a [f64],
    /// Gᵢ = ε·(xᵢ − x0).
    pub(super) projections: &'a [f64],
}

/// D and G of (Q4) for a block of queries.
#[derive(Debug)]
pub(super) struct Tile {
    count: usize,
    points: Vec<usize>,
    /// D of all queries, then G of all queries.
    values: Vec<f64>,
    /// ‖x0‖² − tr C, ε·x0 and εᵀCε − tr C for centred data of covariance C, in natural units.
    pub(super) controls: Vec<[f64; 3]>,
}

/// The queries: x0 runs through the points in random order, again and again; partial runs are
/// samples without replacement.
pub(super) fn queries(count: usize, options: EmpiricalOptions) -> Vec<Query> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut stream = Stream::new(options.seed, ORDER, 0);
    for i in 0..options.queries.min(count) {
        let jump = (stream.uniform() * (count - i) as f64) as usize;
        order.swap(i, (i + jump).min(count - 1));
    }
    (0..options.queries)
        .map(|q| Query { point: order[q % count], seed: options.seed, number: q as u32 })
        .collect()
}

/// Queries a tile: fixed by the number of points, never by the number of threads.
pub(super) fn rows(count: usize) -> usize {
    ((1 << 20) / count).clamp(4, 64)
}

impl Tile {
    /// Two products in one: (queries; noise)·Xᵀ.
    pub(super) fn new(points: &Points, queries: &[Query]) -> Self {
        let (n, d, t) = (points.count, points.dimension, queries.len());
        let mut left = vec![0.0; 2 * t * d];
        let (origins, noises) = left.split_at_mut(t * d);
        for (query, (x, z)) in queries.iter().zip(origins.chunks_mut(d).zip(noises.chunks_mut(d))) {
            x.copy_from_slice(points.row(query.point));
            Stream::new(query.seed, NOISE, query.number).fill_normal_f64(z);
        }
        let mut values = vec![0.0; 2 * t * n];
        matmul_f64(&left, &points.values, &mut values, (2 * t, n, d))
            .expect("the shapes are those of the allocations above");
        let (distances, projections) = values.split_at_mut(t * n);
        let mut controls = Vec::with_capacity(t);
        for (q, query) in queries.iter().enumerate() {
            let noise = &left[(t + q) * d..][..d];
            let (dist, proj) = (&mut distances[q * n..][..n], &mut projections[q * n..][..n]);
            let own = proj[query.point];
            let spread = proj.iter().map(|g| g * g).sum::<f64>() / n as f64;
            controls.push([
                points.squares[query.point] / points.variance - 1.0,
                own / points.variance.sqrt(),
                spread / points.variance - 1.0,
            ]);
            relate(points, query.point, noise, dist, proj);
        }
        let points = queries.iter().map(|q| q.point).collect();
        Self { count: n, points, values, controls }
    }

    /// Number of queries.
    pub(super) fn queries(&self) -> usize {
        self.points.len()
    }

    /// One query.
    pub(super) fn row(&self, q: usize) -> Row<'_> {
        let (distances, projections) = self.values.split_at(self.points.len() * self.count);
        let slice = q * self.count..(q + 1) * self.count;
        Row {
            point: self.points[q],
            distances: &distances[slice.clone()],
            projections: &projections[slice],
        }
    }
}

/// Turns the products x0·xᵢ and ε·xᵢ into Dᵢ and Gᵢ.
fn relate(points: &Points, own: usize, noise: &[f64], dist: &mut [f64], proj: &mut [f64]) {
    let (square, along) = (points.squares[own], proj[own]);
    let origin = points.row(own);
    for (i, (d, g)) in dist.iter_mut().zip(proj).enumerate() {
        let sum = square + points.squares[i];
        *d = sum - 2.0 * *d;
        *g -= along;
        if *d < NEAR * sum {
            (*d, *g) = (0.0, 0.0);
            for ((x, o), z) in points.row(i).iter().zip(origin).zip(noise) {
                let step = x - o;
                *d += step * step;
                *g += step * z;
            }
        }
    }
}
