//! Standard normal variates by Box–Muller with polynomials of our own (M2).
//!
//! Only + − × ÷ √ of IEEE-754 and integer operations are used, in a fixed order and without
//! fused products, so every platform produces the same bits. The single-precision path avoids
//! ÷ and √ as well, which graphics hardware need not round correctly: a shader that mirrors its
//! operations one for one produces the same bits too.
//!
//! The coefficients are minimax fits: `tests/golden/generate_normal_polynomials.py`.
//!
//! A pair is z = ±r·(c, s) or ±r·(s, c), with r = √(−2 ln u), c = cos(πy/2), s = sin(πy/2),
//! y uniform in (−½, ½), and two random bits for the sign and the exchange. The four cases
//! cover the circle, each a quarter of it.

use super::stream::{Stream, uniform_f32, uniform_f64};
use crate::numeric::widest;

/// Blocks a batch: every lane array of a batch stays in the first-level cache.
const BATCH: usize = 64;

impl Stream {
    /// Fills `out` with independent standard normals, two a block of four words.
    ///
    /// Starts at the next whole block; variates 2b and 2b + 1 come from the b-th block from
    /// there: words 0, 1 give the radius, words 2, 3 the angle, low halves first. The last
    /// variate of an odd count leaves its partner unused. |z| ≤ √(106 ln 2) = 8.572; the
    /// error relative to exact arithmetic on the same words is below 2⁻⁵⁰ (tested against
    /// multi-precision values).
    pub fn fill_normal_f64(&mut self, out: &mut [f64]) {
        let mut block = self.take_blocks(out.len().div_ceil(2) as u64);
        let mut batch = [[0.0; BATCH]; 2];
        for chunk in out.chunks_mut(2 * BATCH) {
            widest(
                #[inline(always)]
                || self.batch_f64(block, &mut batch),
            );
            interleave(&batch, chunk);
            block = block.wrapping_add(BATCH as u64);
        }
    }

    /// Fills `out` with independent single-precision standard normals, four a block.
    ///
    /// Starts at the next whole block; variates 4b … 4b + 3 come from the b-th block from
    /// there: words 0, 1 give radius and angle of the first pair, words 2, 3 of the second.
    /// |z| ≤ √(66 ln 2) = 6.764; the error relative to exact arithmetic on the same words is
    /// below 2⁻²¹ (tested against multi-precision values).
    pub fn fill_normal_f32(&mut self, out: &mut [f32]) {
        let mut block = self.take_blocks(out.len().div_ceil(4) as u64);
        let mut batch = [[0.0; BATCH]; 4];
        for chunk in out.chunks_mut(4 * BATCH) {
            widest(
                #[inline(always)]
                || self.batch_f32(block, &mut batch),
            );
            interleave(&batch, chunk);
            block = block.wrapping_add(BATCH as u64);
        }
    }

    /// `z[v][b]` = variate v of block `first + b`.
    #[allow(clippy::needless_range_loop, reason = "parallel arrays: the form that vectorises")]
    #[inline(always)]
    fn batch_f64(&self, first: u64, z: &mut [[f64; BATCH]; 2]) {
        let mut bits = [[0; BATCH]; 2];
        for b in 0..BATCH {
            let [w0, w1, w2, w3] = self.block(first.wrapping_add(b as u64));
            bits[0][b] = w0 | w1 << 32;
            bits[1][b] = w2 | w3 << 32;
        }
        for b in 0..BATCH {
            [z[0][b], z[1][b]] = pair_f64(bits[0][b], bits[1][b]);
        }
    }

    /// `z[v][b]` = variate v of block `first + b`.
    #[allow(clippy::needless_range_loop, reason = "parallel arrays: the form that vectorises")]
    #[inline(always)]
    fn batch_f32(&self, first: u64, z: &mut [[f32; BATCH]; 4]) {
        let mut words = [[0; BATCH]; 4];
        for b in 0..BATCH {
            let block = self.block(first.wrapping_add(b as u64));
            for w in 0..4 {
                words[w][b] = block[w] as u32;
            }
        }
        for b in 0..BATCH {
            [z[0][b], z[1][b]] = pair_f32(words[0][b], words[1][b]);
        }
        for b in 0..BATCH {
            [z[2][b], z[3][b]] = pair_f32(words[2][b], words[3][b]);
        }
    }
}

/// `out[V·b + v] = batch[v][b]`, as far as `out` reaches.
fn interleave<T: Copy, const V: usize>(batch: &[[T; BATCH]; V], out: &mut [T]) {
    let (blocks, rest) = out.as_chunks_mut::<V>();
    for (b, block) in blocks.iter_mut().enumerate() {
        *block = std::array::from_fn(|v| batch[v][b]);
    }
    for (v, z) in rest.iter_mut().enumerate() {
        *z = batch[v][blocks.len()];
    }
}

/// The pair of 64 radius bits and 64 angle bits.
///
/// Angle bits: 63 the sign, 62 the exchange, 61 … 10 the fraction y.
#[inline(always)]
fn pair_f64(radius: u64, angle: u64) -> [f64; 2] {
    let r = (-2.0 * ln_f64(uniform_f64(radius))).sqrt();
    let r = f64::from_bits(r.to_bits() | angle & 1 << 63);
    let y = uniform_f64(angle << 2) - 0.5;
    let (c, s) = cos_sin_f64(y);
    let exchange = 0_u64.wrapping_sub(angle >> 62 & 1);
    let difference = (c.to_bits() ^ s.to_bits()) & exchange;
    [r * f64::from_bits(c.to_bits() ^ difference), r * f64::from_bits(s.to_bits() ^ difference)]
}

/// ln u for u in [2⁻¹⁰²², 2): u = 2^e·m with m in [√½, √2), s = (m−1)/(m+1),
/// ln u = e·ln 2 + s·(2 + s²·Q(s²)), where |s²Q − (2 artanh(s)/s − 2)| < 2⁻⁵⁸.
#[inline(always)]
fn ln_f64(u: f64) -> f64 {
    const Q: [f64; 7] = [
        0.6666666666666731,
        0.39999999999436564,
        0.28571428738248056,
        0.22222198948157304,
        0.1818354671363256,
        0.15314464428938937,
        0.147921013838984,
    ];
    const SQRT_HALF: u64 = 0x3FE6_A09E_667F_3BCD;
    const ONE: u64 = 0x3FF0_0000_0000_0000;
    const EXPONENT: u64 = 0xFFF0_0000_0000_0000;
    // 2⁵² in bits: or-ing an integer below 2⁵² into it adds that integer.
    const SHIFT: u64 = 0x4330_0000_0000_0000;
    // u·2^1023/√½ in the exponent field: biased exponent e + 1023.
    let scaled = u.to_bits().wrapping_sub(SQRT_HALF).wrapping_add(ONE);
    let e = f64::from_bits(SHIFT | scaled >> 52) - (4_503_599_627_370_496.0 + 1023.0);
    let m = f64::from_bits(u.to_bits().wrapping_sub(scaled & EXPONENT).wrapping_add(ONE));
    let s = (m - 1.0) / (m + 1.0);
    let w = s * s;
    let q = Q[0] + w * (Q[1] + w * (Q[2] + w * (Q[3] + w * (Q[4] + w * (Q[5] + w * Q[6])))));
    e * std::f64::consts::LN_2 + (2.0 * s + s * (w * q))
}

/// cos(πy/2) and sin(πy/2) for |y| ≤ ½, with w = y²: cos = 1 + w·C(w), sin = y·(π/2 + w·S(w));
/// the polynomials err by less than 2⁻⁵⁸ relative.
#[inline(always)]
fn cos_sin_f64(y: f64) -> (f64, f64) {
    const C: [f64; 7] = [
        -1.2337005501361697,
        0.2536695079010469,
        -0.02086348076331555,
        0.0009192602742261609,
        -2.520203699778043e-05,
        4.710615830868763e-07,
        -6.321911460254071e-09,
    ];
    const S: [f64; 6] = [
        -0.645964097506245,
        0.07969262624606305,
        -0.004681754132621392,
        0.00016044115263559537,
        -3.598649465738533e-06,
        5.634691039284038e-08,
    ];
    let w = y * y;
    let c = C[0] + w * (C[1] + w * (C[2] + w * (C[3] + w * (C[4] + w * (C[5] + w * C[6])))));
    let s = S[0] + w * (S[1] + w * (S[2] + w * (S[3] + w * (S[4] + w * S[5]))));
    (1.0 + w * c, y * (std::f64::consts::FRAC_PI_2 + w * s))
}

/// The single-precision pair of one radius word and one angle word.
///
/// Angle bits: 31 the sign, 30 the exchange, 29 … 6 the fraction y, an odd multiple of 2⁻²⁵.
#[inline(always)]
fn pair_f32(radius: u32, angle: u32) -> [f32; 2] {
    let r = sqrt_f32(-2.0 * ln_f32(uniform_f32(radius)));
    let r = f32::from_bits(r.to_bits() | angle & 1 << 31);
    let y = (((angle << 2) as i32 >> 8) as f32 + 0.5) * (1.0 / 16_777_216.0);
    let (c, s) = cos_sin_f32(y);
    let exchange = 0_u32.wrapping_sub(angle >> 30 & 1);
    let difference = (c.to_bits() ^ s.to_bits()) & exchange;
    [r * f32::from_bits(c.to_bits() ^ difference), r * f32::from_bits(s.to_bits() ^ difference)]
}

/// ln u for normal u: u = 2^e·m with m in [√½, √2), f = m − 1,
/// ln u = e·ln 2 + (f − f²/2 + f³·P(f)); P errs by less than 2⁻³⁰ f⁻² relative to ln.
#[inline(always)]
fn ln_f32(u: f32) -> f32 {
    const P: [f32; 9] = [
        0.333_333_13,
        -0.250_000_1,
        0.200_021_18,
        -0.166_679_96,
        0.142_195_64,
        -0.124_055_95,
        0.118_880_95,
        -0.116_755_82,
        0.067_466_86,
    ];
    // ln 2 = HIGH + LOW, HIGH short enough that e·HIGH is exact.
    const HIGH: f32 = 0.693_359_4;
    const LOW: f32 = -0.000_212_194_44;
    const SQRT_HALF: u32 = 0x3F35_04F3;
    const ONE: u32 = 0x3F80_0000;
    let scaled = u.to_bits().wrapping_sub(SQRT_HALF).wrapping_add(ONE);
    let e = ((scaled >> 23) as i32 - 127) as f32;
    let m = f32::from_bits(u.to_bits().wrapping_sub(scaled & 0xFF80_0000).wrapping_add(ONE));
    let f = m - 1.0;
    let p = P[4] + f * (P[5] + f * (P[6] + f * (P[7] + f * P[8])));
    let p = P[0] + f * (P[1] + f * (P[2] + f * (P[3] + f * p)));
    let w = f * f;
    e * HIGH + (f + (e * LOW + (w * (f * p) - 0.5 * w)))
}

/// √t for t ≥ 0 within 2 units in the last place, without a hardware root: three Newton steps
/// for 1/√t from the classical bit-pattern guess (relative error below 3.5 %).
#[inline(always)]
fn sqrt_f32(t: f32) -> f32 {
    let half = 0.5 * t;
    let mut y = f32::from_bits(0x5F37_59DF - (t.to_bits() >> 1));
    for _ in 0..3 {
        y = y * (1.5 - (half * y) * y);
    }
    t * y
}

/// [`cos_sin_f64`] in single precision; the polynomials err by less than 2⁻²⁸ relative.
#[inline(always)]
fn cos_sin_f32(y: f32) -> (f32, f32) {
    const C: [f32; 4] = [-1.233_700_5, 0.253_669_24, -0.020_860_29, 0.000_904_025_7];
    const S: [f32; 3] = [-0.645_963_64, 0.079_681_59, -0.004_605_327];
    let w = y * y;
    let c = C[0] + w * (C[1] + w * (C[2] + w * C[3]));
    let s = S[0] + w * (S[1] + w * S[2]);
    (1.0 + w * c, y * (std::f32::consts::FRAC_PI_2 + w * s))
}
