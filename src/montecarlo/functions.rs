//! Elementary functions in single precision by + − × and integer operations alone, the same
//! bits in `shaders/prelude.wgsl` (M9).

/// eˣ within 2⁻²² relative for −87 ≤ x ≤ 88; 0 below, e⁸⁸ above.
///
/// x = n ln 2 + r with |r| ≤ (ln 2)/2, eʳ = 1 + r (1 + r P(r)); P errs by less than 2⁻³¹ of eʳ.
/// (Horner's form throughout: a constant plus a sum is what shader compilers regroup.)
#[inline(always)]
pub fn exp_f32(x: f32) -> f32 {
    const P: [f32; 6] =
        [0.5, 0.166_666_67, 0.041_666_456, 0.008_333_31, 0.001_393_454_1, 0.000_198_919_8];
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    // ln 2 = HIGH + LOW, HIGH short enough that n·HIGH is exact.
    const HIGH: f32 = 0.693_359_4;
    const LOW: f32 = -0.000_212_194_44;
    let clamped = x.clamp(-87.0, 88.0);
    let n = (clamped * LOG2_E + 0.5).floor();
    let r = (clamped - n * HIGH) - n * LOW;
    let p = P[0] + r * (P[1] + r * (P[2] + r * (P[3] + r * (P[4] + r * P[5]))));
    let p = 1.0 + r * p;
    let scale = f32::from_bits(((n as i32 + 127) as u32) << 23);
    if x < -87.0 { 0.0 } else { scale * (1.0 + r * p) }
}
