// The upper triangles of H and S from the Gram matrices of activations and projections, and the
// estimate of their relative error (M17c). Parameters: p, draws, part of the summation.

@group(0) @binding(1) var<storage, read> factors: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read> errors: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read> activation_gram: array<f32>;
@group(0) @binding(4) var<storage, read> projection_gram: array<f32>;
@group(0) @binding(5) var<storage, read_write> output: array<f32>;

// An error over a root mean square; what has no error is 0.
fn relative(error: f32, square: f32) -> f32 {
    if (error == 0.0f) {
        return 0.0f;
    }
    return error / sqrt_f32(square);
}

@compute @workgroup_size(256)
fn moments(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let p = parameter(0);
    let triangle = p * (p + 1u) / 2u;
    let start = p * p * group.z;
    let result = (2u * triangle + 1u) * group.z;
    for (var entry = index; entry < p * p; entry += 256u) {
        let k = entry / p;
        let l = entry % p;
        if (k <= l) {
            let at = result + triangle - (p - k) * (p - k + 1u) / 2u + (l - k);
            output[at] = factors[entry].x * activation_gram[start + entry];
            output[at + triangle] = factors[entry].y * projection_gram[start + entry];
        }
    }
    if (index == 0u) {
        let count = parameter_f32(1);
        var doubt = 0.0f;
        for (var k = 0u; k < p; k++) {
            let at = start + (p + 1u) * k;
            let of_activation = relative(errors[k].x, activation_gram[at] / count);
            let of_projection = relative(errors[k].y, projection_gram[at] / count);
            doubt = max(doubt, of_activation + of_projection);
        }
        output[result + 2u * triangle] = 2.0f * doubt + parameter_f32(2);
    }
}
