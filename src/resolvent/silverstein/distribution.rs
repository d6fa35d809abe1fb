//! Distribution function and survival function in closed form (theory page 6c, (D1)–(D4)).

use std::f64::consts::PI;

use num_complex::Complex64;
use rayon::prelude::*;

use super::base::Base;
use super::{Checked, Located, Reason, SilversteinLaw, U};
use crate::evidence::Certified;
use crate::numeric::CompensatedSum;
use crate::numeric::double_double::DoubleDouble;
use crate::resolvent::ResolventError;

/// Rounding of the closed form relative to the moduli of its terms: 40u (D3).
const ROUNDING: f64 = 40.0 * U;
/// Terms of the series of λ₃ for |η| ≤ ⅛: 3·8⁻¹⁸/21 < 2⁻⁵⁶.
const SERIES: u32 = 18;
/// Below this number of atoms × arguments threads cost more than they save.
const PARALLEL: usize = 20_000;

/// Where x lies: between components (before the one of the index), or in component `index`
/// with the mass between x and one of its edges.
enum Place {
    Gap(usize),
    Lower(usize, Checked<f64>),
    Upper(usize, Checked<f64>),
}

impl SilversteinLaw {
    /// The distribution function F(x), the atom at 0 included (right-continuous), in closed form
    /// at the root u of x(u) = x (D1), (D2).
    ///
    /// Measured from the edge of the component that is nearer to x, by a form in which the
    /// linear and quadratic terms cancel identically: the relative accuracy of the tails is that
    /// of the distance x − e. Between components it is the constant of exact separation.
    /// Cost: one root and one arctangent an atom.
    ///
    /// ```
    /// use rootrate::resolvent::SilversteinLaw;
    /// use rootrate::spectrum::Spectrum;
    /// let law = SilversteinLaw::new(&Spectrum::from_atoms(&[1.0, 10.0], &[0.5, 0.5])?, 0.1)?;
    /// // in the gap between the two components
    /// assert!((law.cdf(3.0)?.value() - 0.5).abs() < 1e-15);
    /// assert_eq!(law.survival(100.0)?.value(), 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// For NaN.
    pub fn cdf(&self, x: f64) -> Result<Checked<f64>, ResolventError> {
        Ok(self.cdf_many(&[x])?[0])
    }

    /// 1 − F(x), with relative accuracy in the upper tail too; as [`cdf`](Self::cdf).
    ///
    /// # Errors
    /// For NaN.
    pub fn survival(&self, x: f64) -> Result<Checked<f64>, ResolventError> {
        Ok(self.survival_many(&[x])?[0])
    }

    /// [`cdf`](Self::cdf) at every argument, over the threads of the pool.
    ///
    /// # Errors
    /// If one is NaN.
    pub fn cdf_many(&self, x: &[f64]) -> Result<Vec<Checked<f64>>, ResolventError> {
        let value = |(&x, place): (&f64, Place)| match place {
            _ if x < 0.0 => exactly(0.0),
            Place::Gap(k) => self.mass_below(k).into(),
            Place::Lower(k, mass) => combine(self.mass_below(k), 1.0, mass),
            Place::Upper(k, mass) => combine(self.mass_below(k + 1), -1.0, mass),
        };
        Ok(x.iter().zip(self.places(x)?).map(value).collect())
    }

    /// [`survival`](Self::survival) at every argument, over the threads of the pool.
    ///
    /// # Errors
    /// If one is NaN.
    pub fn survival_many(&self, x: &[f64]) -> Result<Vec<Checked<f64>>, ResolventError> {
        let value = |(&x, place): (&f64, Place)| match place {
            _ if x < 0.0 => exactly(1.0),
            Place::Gap(k) => self.mass_above(k).into(),
            Place::Lower(k, mass) => combine(self.mass_above(k), -1.0, mass),
            Place::Upper(k, mass) => combine(self.mass_above(k + 1), 1.0, mass),
        };
        Ok(x.iter().zip(self.places(x)?).map(value).collect())
    }

    /// F between components k − 1 and k; exactly 1 above the last.
    pub(super) fn mass_below(&self, k: usize) -> Certified {
        let components = &self.support.components;
        if k == components.len() {
            return Certified::new(1.0, 0.0);
        }
        total(components[..k].iter().map(|c| c.mass).chain([self.support.atom_at_zero]))
    }

    /// The mass of the components from k on; exactly 0 for none.
    pub(super) fn mass_above(&self, k: usize) -> Certified {
        total(self.support.components[k..].iter().map(|c| c.mass))
    }

    fn places(&self, x: &[f64]) -> Result<Vec<Place>, ResolventError> {
        if x.iter().any(|x| x.is_nan()) {
            return Err(ResolventError::NotANumber { name: "x" });
        }
        let inside: Vec<(usize, bool)> = x.iter().map(|&x| self.component_of(x)).collect();
        let arguments: Vec<Complex64> = inside
            .iter()
            .zip(x)
            .filter(|(place, _)| place.1)
            .map(|(_, &x)| Complex64::new(x, 0.0))
            .collect();
        let mut located = self.locate(&arguments).into_iter();
        let points: Vec<(usize, f64, Option<Located>)> = inside
            .iter()
            .zip(x)
            .map(|(&(k, inside), &x)| (k, x, if inside { located.next() } else { None }))
            .collect();
        let place = |&(k, x, at): &(usize, f64, Option<Located>)| match at {
            None => Place::Gap(k),
            Some(at) => match self.share(k, x, &at) {
                (true, mass) => Place::Lower(k, mass),
                (false, mass) => Place::Upper(k, mass),
            },
        };
        Ok(if arguments.len() * self.population.atoms.len() < PARALLEL {
            points.iter().map(place).collect()
        } else {
            points.par_iter().map(place).collect()
        })
    }

    /// The number k of components that end below x, and whether x may lie in component k.
    fn component_of(&self, x: f64) -> (usize, bool) {
        let components = &self.support.components;
        let k = components.partition_point(|c| {
            let end = c.upper.position;
            end.value + end.radius < x
        });
        let starts = |c: &super::Component| {
            let start = c.lower.position;
            // at a hard edge F(0) = 0 is known
            if c.lower.hard { x > 0.0 } else { x >= start.value - start.radius }
        };
        (k, components.get(k).is_some_and(starts))
    }

    /// Whether x is nearer to the lower edge of its component, and the mass between x and the
    /// nearer edge (D2), (D3).
    pub(super) fn share(&self, k: usize, x: f64, at: &Located) -> (bool, Checked<f64>) {
        let component = &self.support.components[k];
        let (below, above) = (component.lower.base.offset(x), -component.upper.base.offset(x));
        let is_lower = below <= above;
        let edge = if is_lower { &component.lower } else { &component.upper };
        let reach = if is_lower { below } else { above };
        let direct = match at.radius {
            // a point that cannot be told from the edge is bounded from further inside
            Ok(_) if reach <= 4.0 * edge.position.radius => Err(Reason::Edge),
            Ok(radius) => self.share_from(&edge.base, x, at, radius),
            Err(reason) => Err(reason),
        };
        let reason = match direct {
            Ok(mass) => return (is_lower, mass.into()),
            Err(reason) => reason,
        };
        // F is monotone: the mass is at most that at a point further inside
        let inwards = if is_lower { 1.0 } else { -1.0 };
        let unit = 4.0 * edge.position.radius + f64::EPSILON * x.abs() + reach.max(0.0);
        let width = component.upper.position.value - component.lower.position.value;
        for step in [8.0, 128.0, 2048.0] {
            let inner = x + inwards * step * unit;
            if step * unit > 0.25 * width {
                break;
            }
            let at = self.locate(&[Complex64::new(inner, 0.0)])[0];
            let mass = at.radius.and_then(|r| self.share_from(&edge.base, inner, &at, r));
            if let Ok(mass) = mass {
                let most = mass.value + mass.radius;
                let value = if reach > 0.0 { mass.value * step.powf(-1.5) } else { 0.0 };
                return (is_lower, Certified::new(value, most).into());
            }
        }
        let value = self.imaginary(&edge.base, x, &self.about(&edge.base, at).0).value.abs();
        (is_lower, Checked::Uncertified { value: value / (PI * self.ratio()), reason })
    }

    /// The mass between x and the edge with the expansion `base`, from the root at x (D2).
    fn share_from(
        &self,
        base: &Base,
        x: f64,
        at: &Located,
        radius: f64,
    ) -> Result<Certified, Reason> {
        let (w, shift) = self.about(base, at);
        let radius = radius + shift;
        let y = w.im;
        // (D3): the error of u enters at second order
        let near = radius <= y / 9.0;
        if !near {
            return Err(Reason::Edge);
        }
        let integral = self.imaginary(base, x, &w);
        let modulus = at.u().norm();
        let stationary = 2.0 * (radius / modulus) * (radius / modulus);
        let norm = PI * self.ratio();
        let value = integral.value.abs() / norm;
        let error = (integral.radius + stationary) / norm + 4.0 * U * value;
        if !(value.is_finite() && error.is_finite()) {
            return Err(Reason::Range);
        }
        Ok(Certified::new(value, error * (1.0 + 8.0 * U)))
    }

    /// w of the same u about another base, and the rounding of the change.
    fn about(&self, base: &Base, at: &Located) -> (Complex64, f64) {
        if at.base.s == base.s {
            return (at.w, 0.0);
        }
        let re = at.base.s.add(base.s.negated()).plus(at.w.re).hi;
        (Complex64::new(re, at.w.im), 2.0 * U * re.abs())
    }

    /// Im ∫ x'(t)/t dt from the real s to u = s + w: πc times the mass between s and x, negative
    /// for the lower edge (D2), with the bound of the rounding at this w (D3).
    fn imaginary(&self, base: &Base, x: f64, w: &Complex64) -> Certified {
        let p = &self.population;
        let y = w.im;
        let re = DoubleDouble::sum(base.s.hi, w.re).plus(base.s.lo);
        let u = re.hi;
        let square = u * u + y * y;
        let (mut sum, mut size) = (CompensatedSum::default(), CompensatedSum::default());
        let mut add = |factor: f64, (value, magnitude): (f64, f64)| {
            sum.add(factor * value);
            size.add(factor.abs() * magnitude);
        };
        let lift = base.offset(x) * (y / square);
        add(-1.0, (lift, lift.abs()));
        if base.s.hi == 0.0 {
            // hard edge: Σ c hⱼ log(1 − u/τⱼ)
            for (t, share) in p.pairs() {
                let angle = y.atan2((t - re.hi) - re.lo);
                add(-share, (angle, angle));
            }
        } else {
            // r = w/u, Im r = s y/|u|²
            let r = Complex64::new((w.re * u + y * y) / square, base.s.hi * (y / square));
            let side = base.s.hi.signum();
            add(-1.0, lambda_three((-side * y).atan2(side * u), -r));
            let bend = r.re * r.im;
            add(base.slope, (bend, bend.abs()));
            add(base.slope_error / U, (0.0, bend.abs()));
            for (t, share) in p.pairs() {
                // aⱼ = τⱼ/dⱼ;  1 + aⱼr = (s/dⱼ)(u−τⱼ)/u
                let d = (base.s.hi - t) + base.s.lo;
                let side = if d > 0.0 { side } else { -side };
                let angle = (side * (t * y)).atan2(side * (((u - t) + re.lo) * u + y * y));
                add(share, lambda_three(angle, t / d * r));
            }
        }
        let radius = size.value() * ROUNDING + base.x_error * (y / square);
        Certified::new(sum.value(), radius * (1.0 + 8.0 * U) + f64::MIN_POSITIVE)
    }
}

/// Im λ₃(η), λ₃(η) = log(1+η) − η + η²/2, from the argument of 1 + η; with the modulus that its
/// rounding is relative to.
fn lambda_three(angle: f64, eta: Complex64) -> (f64, f64) {
    let square = eta.norm_sqr();
    if square > 1.0 / 64.0 {
        let turn = eta.re * eta.im;
        return ((angle - eta.im) + turn, angle.abs() + eta.im.abs() + turn.abs());
    }
    let mut series = Complex64::new(0.0, 0.0);
    for k in (0..SERIES).rev() {
        series = 1.0 / f64::from(k + 3) - eta * series;
    }
    ((eta * eta * eta * series).im, square * square.sqrt())
}

fn exactly(value: f64) -> Checked<f64> {
    Checked::Certified { value, radius: 0.0 }
}

/// The sum with the radii added.
fn total(parts: impl Iterator<Item = Certified>) -> Certified {
    let (mut value, mut radius) = (CompensatedSum::default(), 0.0);
    let mut terms = 0;
    for part in parts {
        value.add(part.value);
        radius += part.radius;
        terms += usize::from(part.value != 0.0);
    }
    let value = value.value();
    // one term is not rounded
    let rounding = if terms > 1 { 4.0 * U * value } else { 0.0 };
    Certified::new(value, radius * (1.0 + 1e-10) + rounding)
}

/// constant + sign·mass, within [0, 1].
fn combine(constant: Certified, sign: f64, mass: Checked<f64>) -> Checked<f64> {
    let value = (constant.value + sign * mass.value()).clamp(0.0, 1.0);
    match mass {
        Checked::Certified { radius, .. } => {
            let rounding = if constant.value == 0.0 { 0.0 } else { U * value };
            let radius = (constant.radius + radius + rounding) * (1.0 + 8.0 * U);
            Checked::Certified { value, radius }
        }
        Checked::Uncertified { reason, .. } => Checked::Uncertified { value, reason },
    }
}
