//! Lines of equal value on a grid.

use std::collections::HashMap;

/// An edge of the grid: from node (column, row) to the right (`false`) or upwards (`true`).
type Edge = (usize, usize, bool);

/// Polylines along which the bilinear interpolation of `values` (row after row of `y`, one entry
/// per `x`) is `level`, by marching squares; positions are interpolated in ln x and ln y. Closed
/// lines end where they begin.
pub(super) fn contour(x: &[f64], y: &[f64], values: &[f64], level: f64) -> Vec<Vec<(f64, f64)>> {
    let value = |i: usize, j: usize| values[j * x.len() + i] - level;
    let crossing = |(i, j, up): Edge| {
        let (k, l) = if up { (i, j + 1) } else { (i + 1, j) };
        let (a, b) = (value(i, j), value(k, l));
        ((a > 0.0) != (b > 0.0)).then(|| {
            let share = a / (a - b);
            let between = |from: f64, to: f64| from * (to / from).powf(share);
            (between(x[i], x[k]), between(y[j], y[l]))
        })
    };
    // each crossed edge with the one or two that a cell connects it with
    let mut links: HashMap<Edge, Vec<Edge>> = HashMap::new();
    let mut order = Vec::new();
    for j in 0..y.len() - 1 {
        for i in 0..x.len() - 1 {
            let sides = [(i, j, false), (i + 1, j, true), (i, j + 1, false), (i, j, true)];
            let crossed: Vec<Edge> = sides.into_iter().filter(|&e| crossing(e).is_some()).collect();
            // a saddle crosses all four: bottom with right, top with left
            for pair in crossed.chunks_exact(2) {
                for (from, to) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                    let entry = links.entry(from).or_default();
                    if entry.is_empty() {
                        order.push(from);
                    }
                    entry.push(to);
                }
            }
        }
    }
    // open lines from their ends first, then the closed ones
    let ends = order.iter().filter(|e| links[*e].len() == 1).copied();
    let starts: Vec<Edge> = ends.chain(order.iter().copied()).collect();
    let mut lines = Vec::new();
    for start in starts {
        let mut line = Vec::new();
        let mut next = Some(start);
        while let Some(edge) = next.filter(|edge| links.contains_key(edge)) {
            line.extend(crossing(edge));
            let neighbours = links.remove(&edge).unwrap_or_default();
            next = neighbours.iter().copied().find(|e| links.contains_key(e));
            if next.is_none() && line.len() > 2 && neighbours.contains(&start) {
                line.extend(crossing(start));
            }
        }
        if line.len() > 1 {
            lines.push(line);
        }
    }
    lines
}
