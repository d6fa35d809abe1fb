// The rows below a factored diagonal block, right-hand sides included: x ← x·L⁻ᵀ, a row an
// invocation.
//
// Parameters: 0 size, 1 right-hand sides, 2 first column of the block.

@group(0) @binding(1) var<storage, read_write> matrix: array<f32>;

const BLOCK: u32 = 32u;
const STRIDE: u32 = 33u;

var<workgroup> diagonal: array<f32, 1024>;
var<workgroup> rows: array<f32, 2112>;

@compute @workgroup_size(64)
fn panel(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let size = parameter(0);
    let first = parameter(2);
    let width = min(BLOCK, size - first);
    let all = size + parameter(1);
    let base = group.z * all * size + first;
    let top = first + width + 64u * group.x;
    for (var e = local; e < BLOCK * BLOCK; e += 64u) {
        let i = e / BLOCK;
        let j = e % BLOCK;
        var value = 0.0f;
        if (i < width && j <= i) {
            value = matrix[base + (first + i) * size + j];
        }
        diagonal[e] = value;
    }
    for (var e = local; e < 64u * BLOCK; e += 64u) {
        let i = e / BLOCK;
        let j = e % BLOCK;
        var value = 0.0f;
        if (top + i < all && j < width) {
            value = matrix[base + (top + i) * size + j];
        }
        rows[i * STRIDE + j] = value;
    }
    workgroupBarrier();
    let mine = local * STRIDE;
    for (var c = 0u; c < width; c++) {
        var sum = 0.0f;
        for (var k = 0u; k < c; k++) {
            sum += rows[mine + k] * diagonal[c * BLOCK + k];
        }
        rows[mine + c] = (rows[mine + c] - sum) / diagonal[c * BLOCK + c];
    }
    workgroupBarrier();
    for (var e = local; e < 64u * BLOCK; e += 64u) {
        let i = e / BLOCK;
        let j = e % BLOCK;
        if (top + i < all && j < width) {
            matrix[base + (top + i) * size + j] = rows[i * STRIDE + j];
        }
    }
}
