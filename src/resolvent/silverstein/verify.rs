//! The certificate for values from elsewhere.

use num_complex::Complex64;

use super::ball::Ball;
use super::certificate::U;
use super::{Candidate, Reason, SilversteinLaw};

impl SilversteinLaw {
    /// Tests a value v for the companion transform at z, from whatever source: a proved radius
    /// r with |v − v(z)| ≤ r, or the reason why there is none (K1–K3).
    ///
    /// Wrong branches and conjugates are refused, and nothing is solved: a poor value gets an
    /// honest, large radius or none. O(atoms).
    ///
    /// ```
    /// use num_complex::Complex64;
    /// use rootrate::resolvent::SilversteinLaw;
    /// use rootrate::spectrum::Spectrum;
    /// let law = SilversteinLaw::new(&Spectrum::identity(), 2.0)?;
    /// let z = Complex64::new(1.0, 1.0);
    /// let v = law.companion(z)?.value();
    /// assert!(law.certify(z, v)? < 1e-13);
    /// assert!(law.certify(z, v + 1e-6)? > 9e-7);
    /// assert!(law.certify(z, v.conj()).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The reason why there is no proof.
    pub fn certify(&self, z: Complex64, v: Complex64) -> Result<f64, Reason> {
        self.certify_all(&[(z, v)])[0]
    }

    /// [`certify`](Self::certify) for every pair (z, v), to the same bits: points near the same
    /// edge share a table of the atoms, and a vector of points a pass over it.
    pub fn certify_all(&self, pairs: &[(Complex64, Complex64)]) -> Vec<Result<f64, Reason>> {
        let (above, u): (Vec<_>, Vec<_>) = pairs
            .iter()
            .map(|&(z, v)| if z.im < 0.0 { (z.conj(), v.conj()) } else { (z, v) })
            .map(|(z, v)| (z, -Ball::new(v, 0.0).inverse()))
            .unzip();
        let candidate = |(z, u): (&Complex64, &Ball)| {
            let base = self.nearest_base(*z);
            let s = self.bases[base].s;
            Candidate { base, w: Complex64::new((u.value.re - s.hi) - s.lo, u.value.im) }
        };
        let candidates: Vec<_> = above.iter().zip(&u).map(candidate).collect();
        let proofs = self.prove(&above, &candidates);
        let claims = proofs.into_iter().zip(&candidates).zip(u.iter().zip(pairs));
        claims
            .map(|((proof, candidate), (u, (_, v)))| {
                // w = u − s rounds by less than u(2|w| + |u|), and
                // |v − v(z)| = |u − u(z)||v||v(z)|
                let rounding = 3.0 * U * (candidate.w.norm() + u.value.norm());
                let relative = (proof?.radius + rounding + u.radius) * v.norm() * 1.001;
                let radius = 1.001 * relative * v.norm() / (1.0 - relative);
                if relative < 1.0 && radius.is_finite() { Ok(radius) } else { Err(Reason::NoRoot) }
            })
            .collect()
    }
}
