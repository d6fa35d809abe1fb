// The Cholesky factor of a diagonal block of at most 32 columns, and the smallest retained part
// of a pivot so far (M11a): pivot_j/Σ_{k≤j} L_jk². A pivot that is not > 0 retains nothing, and
// is replaced by 1 so that nothing else fails.
//
// Parameters: 0 size, 1 right-hand sides, 2 first column of the block.

@group(0) @binding(1) var<storage, read_write> matrix: array<f32>;
@group(0) @binding(2) var<storage, read_write> retained: array<f32>;

const BLOCK: u32 = 32u;
const STRIDE: u32 = 33u;

var<workgroup> entries: array<f32, 1056>;
var<workgroup> squares: array<f32, 256>;
var<workgroup> kept: array<f32, 32>;

fn positive(x: f32) -> bool {
    let bits = bitcast<u32>(x);
    return bits > 0u && bits < 0x7F800000u;
}

// The pivot of column j, 1 for a failed one.
fn pivot(j: u32) -> f32 {
    let d = entries[j * STRIDE + j];
    return select(1.0f, d, positive(d));
}

@compute @workgroup_size(256)
fn factor(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let size = parameter(0);
    let first = parameter(2);
    let width = min(BLOCK, size - first);
    let base = group.z * (size + parameter(1)) * size + first * size;
    for (var t = 0u; t < 4u; t++) {
        let e = local + 256u * t;
        let i = e / BLOCK;
        let j = e % BLOCK;
        var value = select(0.0f, 1.0f, i == j);
        if (i < width && j <= i) {
            value = matrix[base + i * size + first + j];
        }
        entries[i * STRIDE + j] = value;
    }
    // |row|² left of the block, an eighth an invocation
    let row = local / 8u;
    var sum = 0.0f;
    if (row < width) {
        for (var k = local % 8u; k < first; k += 8u) {
            let l = matrix[base + row * size + k];
            sum += l * l;
        }
    }
    squares[local] = sum;
    workgroupBarrier();
    // columns stay unscaled: each step reads the finished ones, one barrier is enough
    for (var c = 0u; c < width; c++) {
        let inverse = 1.0f / pivot(c);
        for (var t = 0u; t < 4u; t++) {
            let e = local + 256u * t;
            let i = e / BLOCK;
            let j = e % BLOCK;
            if (j > c && j <= i) {
                entries[i * STRIDE + j] -=
                    (entries[i * STRIDE + c] * inverse) * entries[j * STRIDE + c];
            }
        }
        workgroupBarrier();
    }
    for (var t = 0u; t < 4u; t++) {
        let e = local + 256u * t;
        let i = e / BLOCK;
        let j = e % BLOCK;
        if (i < width && j <= i) {
            let root = sqrt_f32(pivot(j));
            let value = select(entries[i * STRIDE + j] / root, root, i == j);
            matrix[base + i * size + first + j] = value;
        }
    }
    if (local < BLOCK) {
        var total = 0.0f;
        for (var k = 0u; k < 8u; k++) {
            total += squares[8u * local + k];
        }
        for (var k = 0u; k < local; k++) {
            let l = entries[local * STRIDE + k];
            total += (l / pivot(k)) * l;
        }
        let d = entries[local * STRIDE + local];
        kept[local] = select(0.0f, d / (total + d), positive(d));
    }
    workgroupBarrier();
    if (local == 0u) {
        var least = kept[0];
        if (first > 0u) {
            least = min(least, retained[group.z]);
        }
        for (var i = 1u; i < width; i++) {
            least = min(least, kept[i]);
        }
        retained[group.z] = least;
    }
}
