// The excess risk |ŵ − w*|²_Σ and its doubt (M11c): one workgroup a replicate.
//
// Parameters: 0 coefficients, 1 words of their array a replicate, 2 offset.

@group(0) @binding(1) var<storage, read> eigenvalues: array<f32>;
@group(0) @binding(2) var<storage, read> signal: array<f32>;
@group(0) @binding(3) var<storage, read> estimate: array<f32>;
@group(0) @binding(4) var<storage, read> retained: array<f32>;
@group(0) @binding(5) var<storage, read_write> output: array<u32>;

// risk and |ŵ|²_Σ
var<workgroup> sums: array<vec2<f32>, 256>;

@compute @workgroup_size(256)
fn excess(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let base = group.z * parameter(1) + parameter(2);
    var sum = vec2<f32>(0.0f);
    for (var k = local; k < parameter(0); k += 256u) {
        let w = estimate[base + k];
        let pair = vec2<f32>(w - signal[k], w);
        sum += eigenvalues[k] * pair * pair;
    }
    sums[local] = sum;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (local < half) {
            sums[local] += sums[local + half];
        }
    }
    if (local == 0u) {
        let risk = sums[0].x;
        let r = retained[group.z];
        let amplification = sqrt_f32(sums[0].y / risk) / (r * sqrt_f32(r));
        let t = 9.5367431640625e-7f * (1.0f + amplification);
        // below 10⁻²⁷ terms of the risk may have underflowed
        let lost = r == 0.0f || risk < 1e-27f;
        output[2u * group.z] = bitcast<u32>(risk);
        output[2u * group.z + 1u] = select(bitcast<u32>(2.0f * t + t * t), 0x7F800000u, lost);
    }
}
