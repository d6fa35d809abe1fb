//! Nonlinearities of random features, in double and single precision.

use super::functions::exp_f32;
use crate::numeric::{exp::exp, widest};

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
    /// φ(z), within 1e-15 relative for tanh and erf.
    ///
    /// ```
    /// use rootrate::montecarlo::Activation;
    /// assert!((Activation::Erf.apply(0.5) - 0.520_499_877_813_046_5).abs() < 1e-15);
    /// assert_eq!(Activation::Relu.apply(-1.0), Activation::Relu.apply(0.0));
    /// ```
    pub fn apply(self, z: f64) -> f64 {
        match self {
            Self::Tanh => tanh_f64(z),
            Self::Relu => z.max(0.0) - RELU_MEAN,
            Self::Erf => erf_f64(z),
        }
    }

    /// Replaces each z of `values` by φ(z), in vector code: a few nanoseconds each.
    pub(super) fn apply_all(self, values: &mut [f64]) {
        match self {
            Self::Tanh => widest(
                #[inline(always)]
                || values.iter_mut().for_each(|z| *z = tanh_f64(*z)),
            ),
            Self::Relu => values.iter_mut().for_each(|z| *z = self.apply(*z)),
            Self::Erf => widest(
                #[inline(always)]
                || values.iter_mut().for_each(|z| *z = erf_f64(*z)),
            ),
        }
    }

    /// φ(z) in single precision, within 2⁻²¹ relative for tanh and erf, by + − × and integer
    /// operations alone: the same bits as `shaders/activation.wgsl` (M16f).
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

// The polynomials: tests/golden/generate_activation_polynomials.py. In double precision both
// branches are computed, which compilers turn into vector code; a library's tanh would take
// twenty times as long after matrix products that leave wide registers dirty.

/// tanh z = z + z³P(z²) for |z| < 5/8, else ±(1 − 2/(e^{2|z|} + 1)).
#[inline(always)]
fn tanh_f64(z: f64) -> f64 {
    const P: [f64; 12] = [
        -0.333_333_333_333_333_3,
        0.133_333_333_333_330_42,
        -0.053_968_253_967_896_99,
        0.021_869_488_519_008_305,
        -0.008_863_235_103_240_878,
        0.003_592_121_751_154_962_2,
        -0.001_455_775_412_047_805_5,
        5.896_606_577_757_043e-4,
        -2.375_906_496_055_562e-4,
        9.257_116_129_556_769e-5,
        -3.120_110_142_579_74e-5,
        6.485_163_482_793_113e-6,
    ];
    let size = z.abs();
    let w = z * z;
    let near = size + size * (w * horner(&P, w));
    let far = 1.0 - 2.0 / (exp(2.0 * size) + 1.0);
    (if size < 0.625 { near } else { far }).copysign(z)
}

/// erf z = z·P(z²) for |z| < 1, else ±(1 − e^{−z²}·Q((|z| − 3)/(|z| + 3))).
#[inline(always)]
fn erf_f64(z: f64) -> f64 {
    const P: [f64; 13] = [
        std::f64::consts::FRAC_2_SQRT_PI,
        -0.376_126_389_031_837_5,
        0.112_837_916_709_548_79,
        -0.026_866_170_645_076_792,
        0.005_223_977_624_818_014_5,
        -8.548_326_980_833_79e-4,
        1.205_533_111_164_271e-4,
        -1.492_559_526_683_118_2e-5,
        1.646_100_048_412_136_8e-6,
        -1.635_031_270_105_469_5e-7,
        1.465_977_527_404_743_6e-8,
        -1.137_284_885_679_167_4e-9,
        5.957_176_147_748_911e-11,
    ];
    const Q: [f64; 15] = [
        0.179_001_151_181_389_96,
        -0.326_233_560_043_037_16,
        0.245_603_801_712_331_95,
        -0.150_115_936_500_787_44,
        0.071_665_837_197_748_74,
        -0.024_392_499_318_273_194,
        0.004_269_136_347_508_256,
        7.077_464_443_901_538e-4,
        -5.970_623_517_093_284e-4,
        4.525_472_635_483_354e-5,
        6.406_182_073_530_546e-5,
        -1.284_889_451_252_353e-5,
        -8.008_021_319_412_685e-6,
        2.023_603_179_641_757e-6,
        1.280_190_086_296_266_2e-6,
    ];
    let size = z.abs();
    let near = size * horner(&P, z * z);
    // 1 to the last bit from 5.93 on
    let t = size.min(6.0);
    let far = 1.0 - exp(-t * t) * horner(&Q, (t - 3.0) / (t + 3.0));
    (if size < 1.0 { near } else { far }).copysign(z)
}

#[inline(always)]
fn horner<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// tanh z = z + z³P(z²) for |z| < 5/8, else ±(1 − 2/(e^{2|z|} + 1)).
fn tanh_f32(z: f32) -> f32 {
    const P: [f32; 5] = [-0.333_333_28, 0.133_327_7, -0.053_850_908, 0.020_997_18, -0.006_096_714];
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
#[allow(clippy::approx_constant, reason = "the fitted coefficient, not 2/√π")]
fn erf_f32(z: f32) -> f32 {
    const P: [f32; 7] = [
        1.128_379_1,
        -0.376_126_26,
        0.112_835_94,
        -0.026_854_211,
        0.005_189_087,
        -0.000_801_686_43,
        0.000_078_758_75,
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
