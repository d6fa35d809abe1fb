//! The root u(z) of x(u) = z.

use num_complex::Complex64;

use super::SilversteinLaw;
use super::base::Base;

/// A computed, not yet proved root u = s + w of x(u) = z in the closed upper half plane;
/// `base` indexes the bases of the law.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) base: usize,
    pub(crate) w: Complex64,
}

// INTERIM: homotopy in the imaginary part, slow; to be replaced.
impl SilversteinLaw {
    /// The roots for z with Im z ≥ 0, z ≠ 0; real z is the limit from above.
    pub(crate) fn solve(&self, z: &[Complex64]) -> Vec<Candidate> {
        z.iter().map(|&z| self.solve_one(z)).collect()
    }

    fn solve_one(&self, z: Complex64) -> Candidate {
        let index = self.nearest_base(z);
        let base: Base = self.bases[index];
        let p = &self.population;
        let f = |w: Complex64, z: Complex64| {
            let (mut c, mut d) = (Complex64::new(0.0, 0.0), Complex64::new(0.0, 0.0));
            for (t, a) in p.pairs() {
                let dj = (base.s.hi - t) + base.s.lo;
                let g = a * (t / dj) * (t / dj);
                let e = dj + w;
                c += g / e;
                d += g * (dj + e) / (e * e);
            }
            let offset = Complex64::new(base.offset(z.re), z.im);
            (w * base.slope + w * w * c - offset, base.slope + w * d)
        };
        let top = p.atoms[p.atoms.len() - 1];
        let mut lift = 4.0 * (1.0 + p.ratio) * top + 2.0 * z.norm();
        let mut w = z + Complex64::new(-base.s.hi, lift);
        loop {
            let target = z + Complex64::new(0.0, lift);
            for _ in 0..40 {
                let (value, slope) = f(w, target);
                let mut step = value / slope;
                while lift > 0.0 && (w - step).im <= 0.0 {
                    step *= 0.5;
                }
                w -= step;
                if step.norm() <= 1e-15 * w.norm() {
                    break;
                }
            }
            if lift == 0.0 {
                return Candidate { base: index, w: Complex64::new(w.re, w.im.max(0.0)) };
            }
            lift = if lift < 1e-13 * top { 0.0 } else { lift * 0.5 };
        }
    }
}
