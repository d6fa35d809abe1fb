//! Deterministic equivalents with one and with two resolvents (T1)–(T4).

use num_complex::Complex64;

use super::ball::Ball;
use super::base::Base;
use super::{Checked, Reason, SilversteinLaw};
use crate::numeric::double_double::DoubleDouble;
use crate::resolvent::ResolventError;

/// Moduli of z: no product of four of them with the atoms leaves the range of doubles.
const POINTS: std::ops::RangeInclusive<f64> = 1e-100..=1e100;
/// Largest modulus of an entry of A and B.
const ENTRIES: f64 = 1e60;

/// The root at z as the sums need it: u = s + w and u/z.
struct Root {
    base: Base,
    w: Ball,
    /// u/z = 1/(1 + (1/n) tr Σ(Ŝ−z)⁻¹).
    factor: Ball,
    reason: Option<Reason>,
}

impl SilversteinLaw {
    /// The limit of (1/p) tr A(Ŝ−z)⁻¹ for A diagonal in the eigenbasis of Σ (T1):
    /// (u/z) Σⱼ hⱼaⱼ/(τⱼ−u), with the radius that follows from the one of u.
    ///
    /// `a` holds one value per atom of the population, in ascending order of the atoms and
    /// including an atom at 0; z is any number off the support. Cost: one root and O(atoms).
    ///
    /// # Errors
    /// z that is NaN, in the support or of a modulus outside [1e-100, 1e100] (0 is allowed where
    /// there is no atom at 0 and c < 1); another number of values than atoms, values that are not
    /// finite or exceed 1e60; a result that overflows.
    pub fn resolvent_trace(
        &self,
        z: Complex64,
        a: &[f64],
    ) -> Result<Checked<Complex64>, ResolventError> {
        let (at_zero, a) = self.entries("a", a)?;
        let root = self.root("resolvent_trace", z)?;
        let mut sum = Ball::real(0.0);
        for ((d, share), &a) in self.distances(&root.base).zip(a) {
            sum = sum + share * real(-a) * (d + root.w).inverse();
        }
        let mut value = root.factor * sum * self.inverse_ratio();
        if let Some(a) = at_zero {
            value = value + self.weight_at_zero() * real(-a) * point(z).inverse();
        }
        checked(value, root.reason, 1)
    }

    /// The limit of (1/p) tr A(Ŝ−z)⁻¹B(Ŝ−z′)⁻¹ for A, B diagonal in the eigenbasis of Σ (T2):
    ///
    /// (uu′/zz′) [ Σ h a b/((τ−u)(τ−u′)) + c (Σ h aτ/((τ−u)(τ−u′))) (Σ h bτ/((τ−u)(τ−u′))) / (1−χ) ],
    /// χ = c Σ hτ²/((τ−u)(τ−u′)).
    ///
    /// `a`, `b` and each of z, z′ as in [`resolvent_trace`](Self::resolvent_trace); z = z′ is
    /// allowed. The radius follows from those of u and u′. 1 − χ is formed about the edge next
    /// to z, so that nothing cancels there. Cost: two roots and O(atoms).
    ///
    /// Sources: Bach, *SIAM J. Math. Data Sci.* 6 (2024) 26; Defilippis, Loureiro & Misiakiewicz
    /// 2024; Atanasov, Zavatone-Veth & Pehlevan 2024.
    ///
    /// ```
    /// use num_complex::Complex64;
    /// use rootrate::resolvent::SilversteinLaw;
    /// use rootrate::spectrum::Spectrum;
    /// let law = SilversteinLaw::new(&Spectrum::from_atoms(&[1.0, 4.0], &[0.5, 0.5])?, 0.5)?;
    /// let (z, w) = (Complex64::new(-1.0, 0.0), Complex64::new(2.0, 1.0));
    /// // A = B = 1 is a divided difference of the Stieltjes transform
    /// let ones = [1.0, 1.0];
    /// let m = |z| law.resolvent_trace(z, &ones).map(|m| m.value());
    /// let two = law.two_point(z, w, &ones, &ones)?.value();
    /// assert!((two - (m(z)? - m(w)?) / (z - w)).norm() < 1e-13);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`resolvent_trace`](Self::resolvent_trace).
    pub fn two_point(
        &self,
        z: Complex64,
        z_prime: Complex64,
        a: &[f64],
        b: &[f64],
    ) -> Result<Checked<Complex64>, ResolventError> {
        let ((a_zero, a), (b_zero, b)) = (self.entries("a", a)?, self.entries("b", b)?);
        let pair = Pair::new(self, "two_point", z, z_prime)?;
        let (mut ab, mut at, mut bt) = (Ball::real(0.0), Ball::real(0.0), Ball::real(0.0));
        for (((weight, &t), &a), &b) in
            pair.weights.iter().zip(&self.population.atoms).zip(a).zip(b)
        {
            ab = ab + *weight * real(a) * real(b);
            at = at + *weight * real(a) * real(t);
            bt = bt + *weight * real(b) * real(t);
        }
        let mut value = pair.factor * (ab + at * bt * pair.slope.inverse()) * self.inverse_ratio();
        if let (Some(a), Some(b)) = (a_zero, b_zero) {
            let poles = point(z).inverse() * point(z_prime).inverse();
            value = value + self.weight_at_zero() * real(a) * real(b) * poles;
        }
        checked(value, pair.reason, 2)
    }

    /// The limit of (1/p) tr A(Ŝ−z)⁻¹Σ(Ŝ−z′)⁻¹ (T3): (uu′/zz′) Σ h aτ/((τ−u)(τ−u′)) / (1−χ).
    /// At z = z′ = −ρ with A = w*w*ᵀ it is the bias of ridge regression over pρ².
    ///
    /// # Errors
    /// As [`resolvent_trace`](Self::resolvent_trace).
    pub fn two_point_population(
        &self,
        z: Complex64,
        z_prime: Complex64,
        a: &[f64],
    ) -> Result<Checked<Complex64>, ResolventError> {
        let (_, a) = self.entries("a", a)?;
        let pair = Pair::new(self, "two_point_population", z, z_prime)?;
        let mut sum = Ball::real(0.0);
        for ((weight, &t), &a) in pair.weights.iter().zip(&self.population.atoms).zip(a) {
            sum = sum + *weight * real(a) * real(t);
        }
        let value = pair.factor * sum * pair.slope.inverse() * self.inverse_ratio();
        checked(value, pair.reason, 2)
    }

    /// The entry at the atom 0, if there is one, and those at the positive atoms.
    fn entries<'a>(
        &self,
        what: &'static str,
        values: &'a [f64],
    ) -> Result<(Option<f64>, &'a [f64]), ResolventError> {
        let zero = usize::from(self.population.zero > 0.0);
        let expected = self.population.atoms.len() + zero;
        if values.len() != expected {
            return Err(ResolventError::Shape { what, found: values.len(), expected });
        }
        if let Some(&value) = values.iter().find(|v| v.is_nan() || v.abs() > ENTRIES) {
            let valid = "entries are numbers of modulus at most 1e60";
            return Err(ResolventError::Parameter { name: what, value, valid });
        }
        let (first, rest) = values.split_at(zero);
        Ok((first.first().copied(), rest))
    }

    fn root(&self, function: &'static str, z: Complex64) -> Result<Root, ResolventError> {
        if z.re.is_nan() || z.im.is_nan() {
            return Err(ResolventError::NotANumber { name: "z" });
        }
        let base = Base::zero(&self.population);
        if z == Complex64::ZERO && self.population.zero == 0.0 && base.slope > base.slope_error {
            let slope = Ball::new(base.slope.into(), base.slope_error);
            return Ok(Root { base, w: Ball::real(0.0), factor: slope.inverse(), reason: None });
        }
        let error = |value, valid| Err(ResolventError::Domain { function, value, valid });
        if !POINTS.contains(&z.norm()) {
            return error(z.norm(), "of modulus in [1e-100, 1e100]");
        }
        let inside = self.support.components.iter().any(|c| {
            c.lower.position.value - c.lower.position.radius <= z.re
                && z.re <= c.upper.position.value + c.upper.position.radius
        });
        if z.im == 0.0 && inside {
            return error(z.re, "off the support");
        }
        let located = self.locate(&[Complex64::new(z.re, z.im.abs())])[0];
        let (radius, reason) = match located.radius {
            Ok(radius) => (radius, None),
            Err(reason) => (0.0, Some(reason)),
        };
        // off the support the root of a real z is real
        let im = if z.im == 0.0 { 0.0 } else { located.w.im.copysign(z.im) };
        let w = Ball::new(Complex64::new(located.w.re, im), radius);
        let factor = (double(located.base.s) + w) * point(z).inverse();
        Ok(Root { base: located.base, w, factor, reason })
    }

    /// dⱼ = s − τⱼ and c·hⱼ of the positive atoms.
    fn distances(&self, base: &Base) -> impl Iterator<Item = (Ball, Ball)> + '_ {
        let s = base.s;
        self.population.pairs().map(move |(t, share)| {
            (Ball::rounded((s.hi - t) + s.lo, 2.0), Ball::rounded(share, 4.0))
        })
    }

    fn inverse_ratio(&self) -> Ball {
        real(self.population.ratio).inverse()
    }

    fn weight_at_zero(&self) -> Ball {
        Ball::rounded(self.population.zero, 4.0)
    }
}

/// What all two-point equivalents at (z, z′) share.
struct Pair {
    /// uu′/(zz′).
    factor: Ball,
    /// c·h/((τ−u)(τ−u′)) of every positive atom.
    weights: Vec<Ball>,
    /// 1 − χ.
    slope: Ball,
    reason: Option<Reason>,
}

impl Pair {
    fn new(
        law: &SilversteinLaw,
        function: &'static str,
        z: Complex64,
        z_prime: Complex64,
    ) -> Result<Self, ResolventError> {
        let (root, other) = (law.root(function, z)?, law.root(function, z_prime)?);
        let base = root.base;
        let (w, mut w_prime) = (root.w, other.w);
        if other.base.s != base.s {
            w_prime = double(other.base.s.add(base.s.negated())) + w_prime;
        }
        // (T4): 1 − χ = x′(s) + Σ g (d(w+w′) + ww′)/((d+w)(d+w′)), g = c h τ²/d²
        let (sum, product) = (w + w_prime, w * w_prime);
        let mut slope = Ball::new(base.slope.into(), base.slope_error);
        let mut weights = Vec::with_capacity(law.population.atoms.len());
        for ((d, share), &t) in law.distances(&base).zip(&law.population.atoms) {
            let weight = share * (d + w).inverse() * (d + w_prime).inverse();
            let quotient = real(t) * d.inverse();
            slope = slope + weight * quotient * quotient * (d * sum + product);
            weights.push(weight);
        }
        let factor = root.factor * other.factor;
        Ok(Self { factor, weights, slope, reason: root.reason.or(other.reason) })
    }
}

fn real(x: f64) -> Ball {
    Ball::real(x)
}

fn point(z: Complex64) -> Ball {
    Ball::new(z, 0.0)
}

fn double(x: DoubleDouble) -> Ball {
    Ball::rounded(x.hi, 2.0)
}

fn checked(
    value: Ball,
    reason: Option<Reason>,
    order: u32,
) -> Result<Checked<Complex64>, ResolventError> {
    let Ball { value, radius } = value;
    if !(value.re.is_finite() && value.im.is_finite()) {
        return Err(ResolventError::Overflow { what: "resolvent equivalent", order });
    }
    let reason = reason.or((!radius.is_finite()).then_some(Reason::Edge));
    Ok(match reason {
        None => Checked::Certified { value, radius },
        Some(reason) => Checked::Uncertified { value, reason },
    })
}
