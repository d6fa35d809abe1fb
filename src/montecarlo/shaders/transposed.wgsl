// out = Mᵀx for a row-major matrix, a column an invocation; sums blocked by 64 terms (M11b).
//
// Parameters: 0 rows, 1 columns, 2 words of x a replicate, 3 offset of x.

@group(0) @binding(1) var<storage, read> matrix: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn transposed(@builtin(global_invocation_id) id: vec3<u32>) {
    let rows = parameter(0);
    let columns = parameter(1);
    if (id.x >= columns) {
        return;
    }
    let base = id.z * rows * columns + id.x;
    let factor = id.z * parameter(2) + parameter(3);
    var sum = 0.0f;
    for (var block = 0u; block < rows; block += 64u) {
        var partial = 0.0f;
        for (var i = block; i < min(block + 64u, rows); i++) {
            partial += matrix[base + i * columns] * x[factor + i];
        }
        sum += partial;
    }
    out[id.z * columns + id.x] = sum;
}
