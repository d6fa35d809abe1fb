// Back substitution Lᵀx = y, four right-hand sides (rows `size` and on) a workgroup, from block
// `parameter(2)` − 1 of 32 columns down to `parameter(3)`.
//
// Parameters: 0 size, 1 right-hand sides.

@group(0) @binding(1) var<storage, read_write> matrix: array<f32>;

const BLOCK: u32 = 32u;

var<workgroup> diagonal: array<f32, 1024>;
var<workgroup> solved: array<vec4<f32>, 32>;

var<private> top: u32;
var<private> rows: u32;

fn load(column: u32) -> vec4<f32> {
    let size = parameter(0);
    var y = vec4<f32>(0.0f);
    for (var r = 0u; r < rows; r++) {
        y[r] = matrix[top + r * size + column];
    }
    return y;
}

fn store(column: u32, y: vec4<f32>) {
    let size = parameter(0);
    for (var r = 0u; r < rows; r++) {
        matrix[top + r * size + column] = y[r];
    }
}

@compute @workgroup_size(256)
fn substitute(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let size = parameter(0);
    let base = group.z * (size + parameter(1)) * size;
    top = base + (size + 4u * group.x) * size;
    rows = min(4u, parameter(1) - 4u * group.x);
    for (var block = parameter(2); block > parameter(3); block--) {
        let first = (block - 1u) * BLOCK;
        let width = min(BLOCK, size - first);
        for (var t = 0u; t < 4u; t++) {
            let e = local + 256u * t;
            let i = e / BLOCK;
            let j = e % BLOCK;
            var value = 0.0f;
            if (i < width && j <= i) {
                value = matrix[base + (first + i) * size + first + j];
            }
            diagonal[e] = value;
        }
        var mine = vec4<f32>(0.0f);
        if (local < width) {
            mine = load(first + local);
        }
        workgroupBarrier();
        for (var step = 1u; step <= width; step++) {
            let c = width - step;
            if (local == c) {
                mine = mine / diagonal[c * BLOCK + c];
                solved[c] = mine;
            }
            workgroupBarrier();
            if (local < c) {
                mine -= diagonal[c * BLOCK + local] * solved[c];
            }
        }
        if (local < width) {
            store(first + local, mine);
        }
        for (var column = local; column < first; column += 256u) {
            var sum = vec4<f32>(0.0f);
            for (var i = 0u; i < width; i++) {
                sum += matrix[base + (first + i) * size + column] * solved[i];
            }
            store(column, load(column) - sum);
        }
        storageBarrier();
        workgroupBarrier();
    }
}
