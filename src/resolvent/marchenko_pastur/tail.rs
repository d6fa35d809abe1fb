//! The mass of the law between an edge and an interior point, without cancellation.

use std::f64::consts::PI;

use super::MarchenkoPastur;
use crate::evidence::Certified;

/// An edge of the support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    /// a.
    Lower,
    /// b.
    Upper,
}

/// Below this √c (or above its inverse) the closed form cancels like 1/√c, and quadrature of
/// the positive integrand takes over.
const NARROW: f64 = 0.4;

/// Room for gradual underflow of products such as T³.
const UNDERFLOW: f64 = 1e-315;

impl MarchenkoPastur {
    /// The share G(T) of the continuous part between `edge` and the point at which
    /// T = √((b−x)/(x−a)) for the upper edge, or its inverse for the lower one (MP8), with a
    /// proved bound (MP16). Proved for 0 ≤ T ≤ 1.01, relative accuracy kept as T → 0.
    pub(super) fn tail(&self, edge: Edge, t: f64) -> Certified {
        if t == 0.0 {
            return Certified::new(0.0, 0.0);
        }
        if self.root < NARROW || self.root > 1.0 / NARROW {
            let mass = self.tail_by_quadrature(edge, t);
            Certified::new(mass, mass * (36.0 * f64::EPSILON) + UNDERFLOW)
        } else {
            self.tail_in_closed_form(edge, t)
        }
    }

    /// G'(T) = 16T²/(π(1+T²)²(A + BT²)), where (A, B) = (h², g²) at the upper edge and (g², h²)
    /// at the lower one, over max(1, c).
    pub(super) fn tail_slope(&self, edge: Edge, t: f64) -> f64 {
        let (near, far) = self.weights(edge);
        let square = t * t;
        let bend = 1.0 + square;
        16.0 * self.ratio.max(1.0) / PI * square / (bend * bend * (near + far * square))
    }

    /// (A, B) of [`tail_slope`](Self::tail_slope).
    pub(super) fn weights(&self, edge: Edge) -> (f64, f64) {
        let (sum, gap) = (self.sum * self.sum, self.gap * self.gap);
        match edge {
            Edge::Upper => (sum, gap),
            Edge::Lower => (gap, sum),
        }
    }

    /// G = [|1−c| A(κT) − (1+c) A(T) ± 2√c T³/(1+T²)]/(π min(1,c)) with A(y) = y − arctan y and
    /// κ = |g|/h, + at the upper edge; κ = h/|g|, − at the lower one.
    fn tail_in_closed_form(&self, edge: Edge, t: f64) -> Certified {
        let gap = self.gap.abs();
        let outer = (1.0 - self.ratio).abs();
        let bend = 2.0 * self.root * (t * t * t) / (1.0 + t * t);
        let inner = (1.0 + self.ratio) * minus_arctangent(t);
        let (first, bend) = match edge {
            Edge::Upper => (outer * minus_arctangent(gap / self.sum * t), bend),
            Edge::Lower => {
                let y = self.sum / gap * t;
                // |1−c|κ = h² stays finite at the hard edge
                let first = if y > 2.0 {
                    self.sum * self.sum * t - outer * y.atan()
                } else {
                    outer * minus_arctangent(y)
                };
                (first, -bend)
            }
        };
        let norm = PI * self.ratio.min(1.0);
        let mass = ((first - inner) + bend) / norm;
        let terms = (first + inner + bend.abs()) / norm;
        Certified::new(mass.max(0.0), terms * (20.0 * f64::EPSILON) + UNDERFLOW)
    }

    /// ∫₀ᵀ G' by 32-point Gauss–Legendre quadrature; for √c ≤ 0.4 or ≥ 2.5 and T ≤ 1.01 its
    /// truncation is below 2⁻⁶⁰ of the integral (MP16).
    fn tail_by_quadrature(&self, edge: Edge, t: f64) -> f64 {
        NODES.iter().map(|&(node, weight)| weight * self.tail_slope(edge, node * t)).sum::<f64>()
            * t
    }
}

/// y − arctan y for y ≥ 0, relative error ≤ 16u.
fn minus_arctangent(y: f64) -> f64 {
    if y > 2.0 {
        return y - y.atan();
    }
    if y > 0.25 {
        // arctan y = 2 arctan q with q = y/(1+√(1+y²)): only positive terms appear
        let half = 1.0 + (1.0 + y * y).sqrt();
        return y * y * y / (half * half) + 2.0 * minus_arctangent(y / half);
    }
    let square = y * y;
    let mut series = 0.0;
    for k in (1..=12).rev() {
        series = (1.0 / f64::from(2 * k + 1) - series) * square;
    }
    y * series
}

/// Nodes and weights of 32-point Gauss–Legendre quadrature on [0, 1].
const NODES: [(f64, f64); 32] = [
    (0.0013680690752592183, 0.003509305004735048),
    (0.007194244227365833, 0.008137197365452835),
    (0.017618872206246784, 0.01269603265463103),
    (0.03254696203113015, 0.017136931456510716),
    (0.05183942211697394, 0.02141794901111334),
    (0.07531619313371501, 0.025499029631188087),
    (0.1027581020160288, 0.029342046739267772),
    (0.13390894062985517, 0.032911111388180925),
    (0.1684778665348924, 0.03617289705442425),
    (0.20614212137961885, 0.039096947893535156),
    (0.2465500455338853, 0.041655962113473374),
    (0.2893243619346823, 0.043826046502201906),
    (0.33406569885893617, 0.045586939347881945),
    (0.38035631887393145, 0.04692219954040228),
    (0.42776401920860174, 0.04781936003963743),
    (0.4758461671561308, 0.0482700442573639),
    (0.5241538328438692, 0.0482700442573639),
    (0.5722359807913983, 0.04781936003963743),
    (0.6196436811260685, 0.04692219954040228),
    (0.6659343011410638, 0.045586939347881945),
    (0.7106756380653176, 0.043826046502201906),
    (0.7534499544661147, 0.041655962113473374),
    (0.7938578786203812, 0.039096947893535156),
    (0.8315221334651076, 0.03617289705442425),
    (0.8660910593701449, 0.032911111388180925),
    (0.8972418979839712, 0.029342046739267772),
    (0.9246838068662849, 0.025499029631188087),
    (0.9481605778830261, 0.02141794901111334),
    (0.9674530379688698, 0.017136931456510716),
    (0.9823811277937532, 0.01269603265463103),
    (0.9928057557726342, 0.008137197365452835),
    (0.9986319309247408, 0.003509305004735048),
];
