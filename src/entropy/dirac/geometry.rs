//! Centres of a Dirac mixture: validation, reduction to one dimension, spanning tree.

use crate::entropy::EntropyError;
use crate::numeric::CompensatedSum;

/// Largest magnitude of a coordinate: squares of distances stay finite.
const LARGEST: f64 = 1e150;
/// Allowed deviation of the sum of the weights from one (they are then normalised).
const WEIGHT_SUM: f64 = 1e-9;
/// Centres off their line by less than this, relative to its length and per dimension, are
/// taken to lie on it; the deviation enters the certificates.
const OFF_LINE: f64 = 8.0 * f64::EPSILON;
/// Most points in the plane: the spanning tree takes quadratic time.
const MAX_PLANAR: usize = 20_000;

/// An edge of the Euclidean minimum spanning tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Edge {
    pub(super) length: f64,
    pub(super) ends: [usize; 2],
}

/// Distinct points in one or two dimensions with positive weights, sorted by the first
/// coordinate.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Points {
    /// Second coordinate 0 in one dimension.
    pub(super) at: Vec<[f64; 2]>,
    pub(super) weights: Vec<f64>,
    /// Whether the second coordinate is used.
    pub(super) planar: bool,
    /// Bound of the distance between a stored and the given point (0: exact).
    pub(super) offset: f64,
    /// Upper bound of the diameter.
    pub(super) diameter: f64,
    pub(super) tree: Vec<Edge>,
}

impl Points {
    /// Validates, merges equal centres, drops zero weights, and reduces collinear centres of
    /// any dimension to coordinates on their line.
    pub(super) fn new(centres: &[Vec<f64>], weights: &[f64]) -> Result<Self, EntropyError> {
        let (mut points, dimension) = checked(centres, weights)?;
        points.sort_by(|a, b| lexicographic(a.0, b.0));
        points.dedup_by(|next, kept| {
            let equal = next.0 == kept.0;
            if equal {
                kept.1 += next.1;
            }
            equal
        });
        let total = points.iter().map(|p| p.1).collect::<CompensatedSum>().value();
        let weights: Vec<f64> = points.iter().map(|p| p.1 / total).collect();
        let centres: Vec<&[f64]> = points.iter().map(|p| p.0).collect();
        let (at, planar, offset) = reduce(&centres, dimension)?;
        let mut order: Vec<usize> = (0..at.len()).collect();
        order.sort_by(|&i, &j| at[i][0].total_cmp(&at[j][0]));
        let at: Vec<[f64; 2]> = order.iter().map(|&i| at[i]).collect();
        let weights = order.iter().map(|&i| weights[i]).collect();
        let tree = if planar { spanning_tree(&at) } else { gaps(&at) };
        let extent = |axis: usize| {
            let (lower, upper) = bounds(at.iter().map(|p| p[axis]));
            upper - lower
        };
        let diameter = extent(0).hypot(extent(1)) * (1.0 + 16.0 * f64::EPSILON);
        Ok(Self { at, weights, planar, offset, diameter, tree })
    }

    pub(super) fn len(&self) -> usize {
        self.at.len()
    }

    /// Connected components after removing the tree's edges longer than `cut`: two points in
    /// different components are further apart than `cut`. Each is ascending.
    pub(super) fn components(&self, cut: f64) -> Vec<Vec<usize>> {
        let mut parent: Vec<usize> = (0..self.len()).collect();
        fn root(parent: &mut [usize], mut i: usize) -> usize {
            while parent[i] != i {
                parent[i] = parent[parent[i]];
                i = parent[i];
            }
            i
        }
        for edge in self.tree.iter().filter(|e| e.length <= cut) {
            let [a, b] = edge.ends.map(|i| root(&mut parent, i));
            parent[a.max(b)] = a.min(b);
        }
        let mut slot = vec![usize::MAX; self.len()];
        let mut components: Vec<Vec<usize>> = Vec::new();
        for i in 0..self.len() {
            let r = root(&mut parent, i);
            if slot[r] == usize::MAX {
                slot[r] = components.len();
                components.push(Vec::new());
            }
            components[slot[r]].push(i);
        }
        components
    }
}

/// Smallest and largest of a non-empty sequence.
pub(super) fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, u), v| (l.min(v), u.max(v)))
}

type Weighted<'a> = Vec<(&'a [f64], f64)>;

fn checked<'a>(
    centres: &'a [Vec<f64>],
    weights: &[f64],
) -> Result<(Weighted<'a>, usize), EntropyError> {
    let dimension = centres.first().map_or(0, Vec::len);
    let shape =
        |what, found: String, expected: String| Err(EntropyError::Shape { what, found, expected });
    if dimension == 0 {
        return shape("Dirac centres", "none".into(), "at least one point of dimension ≥ 1".into());
    }
    if weights.len() != centres.len() {
        return shape(
            "weights",
            weights.len().to_string(),
            format!("one a centre: {}", centres.len()),
        );
    }
    for (i, centre) in centres.iter().enumerate() {
        if centre.len() != dimension {
            let expected = format!("{dimension} as in the first centre");
            return shape(
                "coordinates of a centre",
                format!("{} in centre {i}", centre.len()),
                expected,
            );
        }
        for (j, &value) in centre.iter().enumerate() {
            if value.is_nan() || value.abs() > LARGEST {
                return Err(EntropyError::Parameter {
                    name: format!("coordinate {j} of centre {i}"),
                    value,
                    valid: "coordinates must be finite and at most 1e150 in magnitude",
                });
            }
        }
    }
    for (i, &value) in weights.iter().enumerate() {
        if !value.is_finite() || value < 0.0 {
            return Err(EntropyError::Parameter {
                name: format!("weight {i}"),
                value,
                valid: "weights must be finite numbers ≥ 0",
            });
        }
    }
    let sum: f64 = weights.iter().sum();
    if (sum - 1.0).abs() > WEIGHT_SUM {
        return Err(EntropyError::Parameter {
            name: "sum of the weights".into(),
            value: sum,
            valid: "the weights must sum to 1 (within 1e-9)",
        });
    }
    let kept = centres.iter().map(Vec::as_slice).zip(weights.iter().copied());
    // Weights too small for a normal number carry nothing at double precision.
    Ok((kept.filter(|p| p.1 >= f64::MIN_POSITIVE).collect(), dimension))
}

fn lexicographic(a: &[f64], b: &[f64]) -> std::cmp::Ordering {
    let unequal = a.iter().zip(b).map(|(x, y)| x.partial_cmp(y).expect("finite"));
    unequal.fold(std::cmp::Ordering::Equal, |first, next| first.then(next))
}

/// Coordinates in one or two dimensions; whether two; and the offset made.
fn reduce(
    centres: &[&[f64]],
    dimension: usize,
) -> Result<(Vec<[f64; 2]>, bool, f64), EntropyError> {
    let varies = |axis: usize| centres.iter().any(|c| c[axis] != centres[0][axis]);
    let axes: Vec<usize> = (0..dimension).filter(|&axis| varies(axis)).collect();
    if axes.len() <= 1 {
        let axis = axes.first().copied().unwrap_or(0);
        return Ok((centres.iter().map(|c| [c[axis], 0.0]).collect(), false, 0.0));
    }
    // On a line the lexicographic extremes are its ends.
    let (base, far) = (centres[0], centres[centres.len() - 1]);
    let difference = |c: &[f64]| -> Vec<f64> { axes.iter().map(|&i| c[i] - base[i]).collect() };
    let norm = |v: &[f64]| v.iter().fold(0.0_f64, |n, &x| n.hypot(x));
    let along = difference(far);
    let length = norm(&along);
    let unit: Vec<f64> = along.iter().map(|x| x / length).collect();
    let allowed = OFF_LINE * axes.len() as f64 * length;
    let mut coordinates = Vec::with_capacity(centres.len());
    let mut collinear = true;
    for c in centres {
        let v = difference(c);
        let t: f64 = v.iter().zip(&unit).map(|(x, e)| x * e).sum();
        let off: Vec<f64> = v.iter().zip(&unit).map(|(x, e)| x - t * e).collect();
        collinear &= norm(&off) <= allowed;
        coordinates.push([t, 0.0]);
    }
    if collinear {
        // the deviation itself, and as much again for the rounding of t, e and the norm
        return Ok((coordinates, false, 2.0 * allowed));
    }
    if axes.len() > 2 {
        return Err(EntropyError::Shape {
            what: "dimension spanned by the Dirac centres",
            found: format!("{} coordinates vary and the centres are not on one line", axes.len()),
            expected: "1 or 2: for more dimensions use the Monte Carlo mixture model, with components of zero width".into(),
        });
    }
    if centres.len() > MAX_PLANAR {
        return Err(EntropyError::Shape {
            what: "Dirac centres in the plane",
            found: centres.len().to_string(),
            expected: format!("at most {MAX_PLANAR}"),
        });
    }
    Ok((centres.iter().map(|c| [c[axes[0]], c[axes[1]]]).collect(), true, 0.0))
}

fn gaps(at: &[[f64; 2]]) -> Vec<Edge> {
    let edge = |i: usize| Edge { length: at[i][0] - at[i - 1][0], ends: [i - 1, i] };
    (1..at.len()).map(edge).collect()
}

/// Prim's algorithm.
fn spanning_tree(at: &[[f64; 2]]) -> Vec<Edge> {
    let mut outside: Vec<(usize, f64, usize)> =
        (1..at.len()).map(|i| (i, f64::INFINITY, 0)).collect();
    let mut newest = 0;
    let mut tree = Vec::with_capacity(outside.len());
    while !outside.is_empty() {
        let mut best = 0;
        for k in 0..outside.len() {
            let (i, length, _) = outside[k];
            let d = (at[i][0] - at[newest][0]).hypot(at[i][1] - at[newest][1]);
            if d < length {
                outside[k] = (i, d, newest);
            }
            if outside[k].1 < outside[best].1 {
                best = k;
            }
        }
        let (i, length, from) = outside.swap_remove(best);
        tree.push(Edge { length, ends: [from, i] });
        newest = i;
    }
    tree
}
