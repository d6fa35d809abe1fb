// tr (T − z)⁻¹ of a tridiagonal matrix at every z (M18): one workgroup a replicate, one
// invocation a point. Parameters: size, number of points, 1/(p·unit), factors of the doubt.

@group(0) @binding(1) var<storage, read> points: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> state: array<f32>;
@group(0) @binding(3) var<storage, read_write> continued: array<vec2<f32>>;
@group(0) @binding(4) var<storage, read_write> output: array<f32>;

// x/z for real x.
fn over(x: f32, z: vec2<f32>) -> vec2<f32> {
    return (x / dot(z, z)) * vec2<f32>(z.x, -z.y);
}

@compute @workgroup_size(64)
fn trace(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let size = parameter(0);
    let kept = 4u * size * group.z;
    let start = 64u * size * group.z + index;
    let result = (2u * parameter(1) + 1u) * group.z;
    for (var k = index; k < parameter(1); k += 64u) {
        let z = points[k].xy;
        // from above: continued[i] = e_{i−1}²/(d_{i−1} − z − e_{i−2}²/(…))
        var fraction = vec2<f32>(0.0f);
        for (var i = 0u; i < size; i++) {
            continued[start + 64u * i] = fraction;
            let e = state[kept + size + i];
            fraction = over(e * e, (vec2<f32>(state[kept + i], 0.0f) - z) - fraction);
        }
        // from below, and the diagonal of the inverse
        fraction = vec2<f32>(0.0f);
        var sum = vec2<f32>(0.0f);
        var part = vec2<f32>(0.0f);
        for (var i = size; i > 0u; i--) {
            let rest = (vec2<f32>(state[kept + i - 1u], 0.0f) - z) - fraction;
            part += over(1.0f, rest - continued[start + 64u * (i - 1u)]);
            if (i % 32u == 1u) {
                sum += part;
                part = vec2<f32>(0.0f);
            }
            if (i > 1u) {
                let e = state[kept + size + i - 2u];
                fraction = over(e * e, rest);
            }
        }
        let trace = sum * parameter_f32(2) + points[k].zw;
        output[result + 2u * k] = trace.x;
        output[result + 2u * k + 1u] = trace.y;
    }
    if (index == 0u) {
        var norm = 0.0f;
        var before = 0.0f;
        for (var i = 0u; i < size; i++) {
            var after = 0.0f;
            if (i + 1u < size) {
                after = abs(state[kept + size + i]);
            }
            norm = max(norm, before + abs(state[kept + i]) + after);
            before = after;
        }
        output[result + 2u * parameter(1)] = parameter_f32(3) * norm + parameter_f32(4);
    }
}
