//! The exponential as straight-line code, which compilers turn into vector code in loops.

/// Adding this rounds a double of magnitude below 2⁵¹ to a whole number, in the low bits.
const SHIFT: f64 = 6_755_399_441_055_744.0;
/// ln 2 = HIGH + LOW, HIGH with 32 trailing zero bits: k·HIGH is exact for |k| < 2¹¹.
const HIGH: f64 = 0.693_147_180_369_123_8;
const LOW: f64 = 1.908_214_929_270_587_7e-10;
/// eʳ = 1 + r + r²Q(r) on |r| ≤ ln(2)/2 within 2⁻⁵⁵ relative: Q interpolates at Chebyshev
/// points.
const Q: [f64; 10] = [
    0.500_000_000_000_000_1,
    0.166_666_666_666_666_69,
    0.041_666_666_666_624_164,
    0.008_333_333_333_330_065,
    0.001_388_888_891_719_672,
    0.000_198_412_698_630_405_45,
    2.480_152_132_236_869_2e-5,
    2.755_726_848_031_002_4e-6,
    2.762_007_587_998_348e-7,
    2.510_037_583_256_132e-8,
];

/// eˣ within 2 units in the last place for −708 ≤ x ≤ 709; arguments outside count as the
/// nearer end (so e⁻⁷⁰⁸ ≈ 3e-308 stands for all smaller values), and NaN is not allowed.
///
/// Only + − × and integer operations in a fixed order: the same bits on every platform.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let x = x.clamp(-708.0, 709.0);
    let shifted = x * std::f64::consts::LOG2_E + SHIFT;
    let k = shifted - SHIFT;
    let r = (x - k * HIGH) - k * LOW;
    let s = r * r;
    // Estrin's scheme: a short dependency chain
    let (q01, q23, q45) = (Q[0] + r * Q[1], Q[2] + r * Q[3], Q[4] + r * Q[5]);
    let (q67, q89) = (Q[6] + r * Q[7], Q[8] + r * Q[9]);
    let q = (q01 + s * q23) + (s * s) * ((q45 + s * q67) + (s * s) * q89);
    // 2ᵏ: the low bits of `shifted` hold k
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    power * (1.0 + (r + s * q))
}
