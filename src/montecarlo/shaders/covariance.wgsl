// The rows of a sample, scaled: entry e of the row-major n×p design from variate e of the stream.
// Parameters: p, words a replicate (a multiple of 4).

@group(0) @binding(1) var<storage, read> scales: array<f32>;
@group(0) @binding(2) var<storage, read_write> design: array<f32>;

@compute @workgroup_size(256)
fn draw(@builtin(global_invocation_id) id: vec3<u32>) {
    let first = 4u * id.x;
    if (first < parameter(1)) {
        let z = normals(id.x, id.z);
        let at = parameter(1) * id.z + first;
        design[at] = z.x * scales[first % parameter(0)];
        design[at + 1u] = z.y * scales[(first + 1u) % parameter(0)];
        design[at + 2u] = z.z * scales[(first + 2u) % parameter(0)];
        design[at + 3u] = z.w * scales[(first + 3u) % parameter(0)];
    }
}
