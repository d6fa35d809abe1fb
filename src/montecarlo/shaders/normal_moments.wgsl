// Means of the powers 1 to 6 of 4·parameter(0) normals: one workgroup a replicate.

@group(0) @binding(1) var<storage, read_write> output: array<f32>;

var<workgroup> shared_sums: array<array<f32, 6>, 64>;

@compute @workgroup_size(64)
fn moments(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    var sums = array<f32, 6>();
    for (var block = i; block < parameter(0); block += 64u) {
        let z = normals(block, group.z);
        var power = vec4<f32>(1.0f);
        for (var k = 0u; k < 6u; k++) {
            power *= z;
            sums[k] += (power.x + power.y) + (power.z + power.w);
        }
    }
    shared_sums[i] = sums;
    for (var half = 32u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (i < half) {
            for (var k = 0u; k < 6u; k++) {
                shared_sums[i][k] += shared_sums[i + half][k];
            }
        }
    }
    if (i == 0u) {
        for (var k = 0u; k < 6u; k++) {
            output[7u * group.z + k] = shared_sums[0][k] / f32(4u * parameter(0));
        }
        output[7u * group.z + 6u] = 0.0f;
    }
}
