// The largest doubt of the levels of a replicate, from `level_doubt`, becomes its doubt.

@compute @workgroup_size(64)
fn doubt(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= call.count) {
        return;
    }
    var largest = 0.0f;
    for (var level = 0u; level < parameter(3); level++) {
        let found = level_doubt(level, id.x);
        // a comparison that NaN fails
        if (!(found <= largest)) {
            largest = found;
        }
    }
    output[(2u * parameter(3) + 1u) * id.x + 2u * parameter(3)] = largest;
}

// An error relative to a value ≥ 0; none where neither is there.
fn relative(error: f32, value: f32) -> f32 {
    if (error == 0.0f && value == 0.0f) {
        return 0.0f;
    }
    return error / value;
}

var<workgroup> lanes: array<vec4<f32>, 64>;

// Sums over the 64 invocations of a workgroup, the same in all of them.
fn workgroup_sum(own: vec4<f32>, i: u32) -> vec4<f32> {
    workgroupBarrier();
    lanes[i] = own;
    for (var half = 32u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (i < half) {
            lanes[i] += lanes[i + half];
        }
    }
    workgroupBarrier();
    return lanes[0];
}
