// f·(wᵀφ + noise) for each row φ, a row an invocation; sums blocked by 64 terms (M11b). The
// noise is a normal times one of two factors that a word chooses.
//
// Parameters: 0 rows, 1 columns, 2 first block of the noise; two-point factor at 3 (see
// choice.wgsl); 7 words of the result a replicate, 8 its offset, 9 f.

@group(0) @binding(1) var<storage, read> signal: array<f32>;
@group(0) @binding(2) var<storage, read> features: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn targets(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let columns = parameter(1);
    let row = (group.y * groups.x + group.x) * 64u + local;
    if (row >= parameter(0)) {
        return;
    }
    let base = (group.z * parameter(0) + row) * columns;
    var sum = 0.0f;
    for (var block = 0u; block < columns; block += 64u) {
        var partial = 0.0f;
        for (var k = block; k < min(block + 64u, columns); k++) {
            partial += features[base + k] * signal[k];
        }
        sum += partial;
    }
    let z = normals(parameter(2) + row / 4u, group.z)[row % 4u];
    let target_value = sum + choice(3u, row, group.z) * z;
    out[group.z * parameter(7) + parameter(8) + row] = parameter_f32(9) * target_value;
}
