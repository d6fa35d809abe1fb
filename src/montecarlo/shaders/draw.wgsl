// A row-major matrix of normals, columns scaled by a list and rows by one of two factors that a
// word chooses; four entries an invocation, a block of the stream.
//
// Parameters: 0 rows, 1 columns, 2 first block; two-point factor at 3 (see choice.wgsl).

@group(0) @binding(1) var<storage, read> scales: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(256)
fn draw(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let columns = parameter(1);
    let entries = parameter(0) * columns;
    let block = (group.y * groups.x + group.x) * 256u + local;
    if (4u * block >= entries) {
        return;
    }
    let z = normals(parameter(2) + block, group.z);
    let base = group.z * entries;
    for (var t = 0u; t < 4u; t++) {
        let e = 4u * block + t;
        if (e < entries) {
            out[base + e] = z[t] * (choice(3u, e / columns, group.z) * scales[e % columns]);
        }
    }
}
