//! Points spread over the components of a support.

use std::f64::consts::PI;

use super::law::Component;

/// `count` points in ascending order: each component gets one, as far as they reach, and of the
/// rest its share by mass; within a component they are the zeros of a Chebyshev polynomial, dense
/// at the square-root edges, which they leave out.
pub(super) fn across(components: &[Component], count: usize) -> Vec<f64> {
    let least = usize::from(count >= components.len());
    let rest = (count - least * components.len()) as f64;
    let total: f64 = components.iter().map(|c| c.mass.value).sum();
    let (mut mass, mut given) = (0.0, 0.0);
    let mut points = Vec::with_capacity(count);
    for c in components {
        mass += c.mass.value;
        let due = (rest * mass / total).round();
        let own = least + (due - given) as usize;
        given = due;
        let (a, b) = (c.lower.value, c.upper.value);
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        let angle = |i: usize| PI * (i as f64 + 0.5) / own as f64;
        points.extend((0..own).map(|i| middle - half * angle(i).cos()));
    }
    points
}
