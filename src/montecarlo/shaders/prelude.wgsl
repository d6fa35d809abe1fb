// What every shader sees: the uniforms of the call, Philox4x32-10 (M1), uniforms and normals (M2).
// The functions repeat philox.rs, stream.rs and normal.rs operation for operation.

struct Call {
    key: vec2<u32>,        // the seed, low half first
    experiment: u32,
    first: u32,            // replicate number of the first of the batch
    count: u32,            // replicates of the batch
    unused0: u32,
    unused1: u32,
    unused2: u32,
    parameters: array<vec4<u32>, 14>,
}

@group(0) @binding(0) var<uniform> call: Call;

fn parameter(i: u32) -> u32 {
    return call.parameters[i / 4u][i % 4u];
}

fn parameter_f32(i: u32) -> f32 {
    return bitcast<f32>(parameter(i));
}

// High and low word of a × b, from 16-bit halves: there are no 64-bit integers.
fn multiply(a: u32, b: u32) -> vec2<u32> {
    let a0 = a & 0xFFFFu;
    let a1 = a >> 16u;
    let b0 = b & 0xFFFFu;
    let b1 = b >> 16u;
    let low = a0 * b0;
    let middle = a1 * b0 + (low >> 16u);
    let other = a0 * b1 + (middle & 0xFFFFu);
    return vec2<u32>(a1 * b1 + (middle >> 16u) + (other >> 16u), a * b);
}

// Block `number` (64 bits, low half first) of the stream of replicate `first + r`.
fn philox(number: vec2<u32>, r: u32) -> vec4<u32> {
    var c = vec4<u32>(number, call.first + r, call.experiment);
    var k = call.key;
    for (var round = 0u; round < 10u; round++) {
        let a = multiply(c.x, 0xD2511F53u);
        let b = multiply(c.z, 0xCD9E8D57u);
        c = vec4<u32>(b.x ^ c.y ^ k.x, b.y, a.x ^ c.w ^ k.y, a.y);
        k += vec2<u32>(0x9E3779B9u, 0xBB67AE85u);
    }
    return c;
}

// (f32(x) + ½)·2⁻³².
fn uniform_f32(x: u32) -> f32 {
    return (f32(x) + 0.5f) * 2.3283064365386963e-10f;
}

// ln u for normal u > 0.
fn ln_f32(u: f32) -> f32 {
    let bits = bitcast<u32>(u);
    let scaled = bits - 0x3F3504F3u + 0x3F800000u;
    let e = f32(i32(scaled >> 23u) - 127i);
    let f = bitcast<f32>(bits - (scaled & 0xFF800000u) + 0x3F800000u) - 1.0f;
    var p = -0.11675582f + f * 0.06746686f;
    p = 0.11888095f + f * p;
    p = -0.12405595f + f * p;
    p = 0.14219564f + f * p;
    p = -0.16667996f + f * p;
    p = 0.20002118f + f * p;
    p = -0.2500001f + f * p;
    p = 0.33333313f + f * p;
    let w = f * f;
    return e * 0.6933594f + (f + (e * -0.00021219444f + (w * (f * p) - 0.5f * w)));
}

// √t for t ≥ 0, by Newton's method for 1/√t: hardware roots need not be correctly rounded.
fn sqrt_f32(t: f32) -> f32 {
    let half = 0.5f * t;
    var y = bitcast<f32>(0x5F3759DFu - (bitcast<u32>(t) >> 1u));
    y = y * (1.5f - (half * y) * y);
    y = y * (1.5f - (half * y) * y);
    y = y * (1.5f - (half * y) * y);
    return t * y;
}

// Two independent standard normals of a radius word and an angle word.
fn pair_f32(radius: u32, angle: u32) -> vec2<f32> {
    let root = sqrt_f32(-2.0f * ln_f32(uniform_f32(radius)));
    let r = bitcast<f32>(bitcast<u32>(root) | (angle & 0x80000000u));
    let y = (f32(bitcast<i32>(angle << 2u) >> 8u) + 0.5f) * 5.9604644775390625e-8f;
    let w = y * y;
    let c = 1.0f + w * (-1.2337005f + w * (0.25366924f + w * (-0.02086029f + w * 0.0009040257f)));
    let s = y * (1.5707964f + w * (-0.64596364f + w * (0.07968159f + w * -0.004605327f)));
    if ((angle & 0x40000000u) != 0u) {
        return vec2<f32>(r * s, r * c);
    }
    return vec2<f32>(r * c, r * s);
}

// The four normals of block `number` of the stream of replicate `first + r`.
fn normals(number: u32, r: u32) -> vec4<f32> {
    let words = philox(vec2<u32>(number, 0u), r);
    return vec4<f32>(pair_f32(words.x, words.y), pair_f32(words.z, words.w));
}

// eˣ for −87 ≤ x ≤ 88; 0 below, e⁸⁸ above (functions.rs).
fn exp_f32(x: f32) -> f32 {
    let clamped = clamp(x, -87.0f, 88.0f);
    let n = floor(clamped * 1.442695f + 0.5f);
    let r = (clamped - n * 0.6933594f) - n * -0.00021219444f;
    var p = 0.0013934541f + r * 0.0001989198f;
    p = 0.00833331f + r * p;
    p = 0.041666456f + r * p;
    p = 0.16666667f + r * p;
    p = 0.5f + r * p;
    p = 1.0f + r * p;
    let scale = bitcast<f32>(u32(i32(n) + 127i) << 23u);
    return select(scale * (1.0f + r * p), 0.0f, x < -87.0f);
}
