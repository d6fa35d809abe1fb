//! Nonlinearities of random features, in double and single precision.

use super::functions::exp_f32;

/// φ of a random feature φ(wᵀx/√d), centred: E φ(z) = 0 for z ~ N(0, 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// tanh z.
    Tanh,
    /// max(z, 0) − 1/√(2π): less its mean.
    Relu,
    /// erf z = (2/√π)∫₀ᶻ e^{−s²}ds.
    Erf,
}

/// E max(z, 0) = 1/√(2π).
const RELU_MEAN: f64 = 0.398_942_280_401_432_7;

impl Activation {
    /// φ(z), within 4 units in the last place for tanh and max, 1e-15 for erf.
    ///
    /// ```
    /// use rootrate::montecarlo::Activation;
    /// assert!((Activation::Erf.apply(0.5) - 0.520_499_877_813_046_5).abs() < 1e-15);
    /// assert_eq!(Activation::Relu.apply(-1.0), Activation::Relu.apply(0.0));
    /// ```
    pub fn apply(self, z: f64) -> f64 {
        match self {
            Self::Tanh => z.tanh(),
            Self::Relu => z.max(0.0) - RELU_MEAN,
            Self::Erf => statrs::function::erf::erf(z),
        }
    }

    /// φ(z) within 2⁻²¹ relative (max: of max(z, 0) before the mean is subtracted, exactly) by
    /// + − × and integer operations alone, the same bits as `shaders/activation.wgsl` (M16f).
    ///
    /// ```
    /// use rootrate::montecarlo::Activation;
    /// assert!((Activation::Tanh.apply_single(1.5) - 0.905_148_27).abs() < 5e-7);
    /// ```
    pub fn apply_single(self, z: f32) -> f32 {
        match self {
            Self::Tanh => tanh_f32(z),
            Self::Relu => z.max(0.0) - RELU_MEAN as f32,
            Self::Erf => erf_f32(z),
        }
    }

    /// How `shaders/activation.wgsl` numbers it.
    pub(super) fn code(self) -> u32 {
        match self {
            Self::Tanh => 0,
            Self::Relu => 1,
            Self::Erf => 2,
        }
    }
}

// The polynomials: tests/golden/generate_activation_polynomials.py.

/// tanh z = z + z³P(z²) for |z| < 5/8, else ±(1 − 2/(e^{2|z|} + 1)).
fn tanh_f32(z: f32) -> f32 {
    const P: [f32; 5] = [-0.333_333_28, 0.133_327_69, -0.053_850_908, 0.020_997_18, -0.006_096_714];
    let size = z.abs();
    if size < 0.625 {
        let w = z * z;
        let p = P[0] + w * (P[1] + w * (P[2] + w * (P[3] + w * P[4])));
        return z + z * (w * p);
    }
    // 1 to the last bit from 9.02 on
    let value = 1.0 - 2.0 * reciprocal_f32(exp_f32(2.0 * size.min(10.0)) + 1.0);
    value.copysign(z)
}

/// erf z = z·P(z²) for |z| < 1, else ±(1 − e^{−Q(|z|)}).
fn erf_f32(z: f32) -> f32 {
    const P: [f32; 7] = [
        1.128_379_1,
        -0.376_126_26,
        0.112_835_944,
        -0.026_854_211,
        0.005_189_087,
        -0.000_801_686_43,
        0.000_078_758_749,
    ];
    const Q: [f32; 8] = [
        0.000_765_897_8,
        1.125_893_6,
        0.639_141_26,
        0.103_281_12,
        -0.022_604_773,
        0.003_432_351_4,
        -0.000_316_937_02,
        0.000_013_272_362,
    ];
    let size = z.abs();
    if size < 1.0 {
        let w = z * z;
        let p = P[3] + w * (P[4] + w * (P[5] + w * P[6]));
        return z * (P[0] + w * (P[1] + w * (P[2] + w * p)));
    }
    // 1 to the last bit from 3.84 on
    let t = size.min(4.0);
    let q = Q[4] + t * (Q[5] + t * (Q[6] + t * Q[7]));
    let q = Q[0] + t * (Q[1] + t * (Q[2] + t * (Q[3] + t * q)));
    (1.0 - exp_f32(-q)).copysign(z)
}

/// 1/v for normal v > 0, by four Newton steps from the bit-pattern guess (12 % off): hardware
/// quotients need not be correctly rounded.
fn reciprocal_f32(v: f32) -> f32 {
    let mut y = f32::from_bits(0x7EF3_11C7_u32.wrapping_sub(v.to_bits()));
    for _ in 0..4 {
        y = y * (2.0 - v * y);
    }
    y
}
