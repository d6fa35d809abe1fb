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
const NARROW: f64 = 0.25;

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
            Certified::new(mass, mass * (32.0 * f64::EPSILON) + UNDERFLOW)
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

    /// ∫₀ᵀ G' by 24-point Gauss–Legendre quadrature; for √c ≤ ¼ or ≥ 4 and T ≤ 1.01 its
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

/// Nodes and weights of 24-point Gauss–Legendre quadrature on [0, 1].
const NODES: [(f64, f64); 24] = [
    (0.00240639000148932, 0.0061706148999936),
    (0.012635722014345251, 0.014265694314466832),
    (0.030862723998633622, 0.022138719408709904),
    (0.056792236497799485, 0.02964929245771839),
    (0.08999900701304854, 0.03667324070554015),
    (0.12993790421072282, 0.04309508076597664),
    (0.17595317403151223, 0.04880932605205694),
    (0.22728926430558022, 0.05372213505798282),
    (0.2831032461869774, 0.0577528340268628),
    (0.3424786601519183, 0.060835236463901696),
    (0.40444056626319186, 0.06291872817341415),
    (0.4679715535686972, 0.06396909767337608),
    (0.5320284464313028, 0.06396909767337608),
    (0.5955594337368082, 0.06291872817341415),
    (0.6575213398480817, 0.060835236463901696),
    (0.7168967538130225, 0.0577528340268628),
    (0.7727107356944197, 0.05372213505798282),
    (0.8240468259684878, 0.04880932605205694),
    (0.8700620957892772, 0.04309508076597664),
    (0.9100009929869515, 0.03667324070554015),
    (0.9432077635022005, 0.02964929245771839),
    (0.9691372760013663, 0.022138719408709904),
    (0.9873642779856547, 0.014265694314466832),
    (0.9975936099985107, 0.0061706148999936),
];
