// The rows below a finished block column of a Cholesky factor: M[i][j] −= Σ_k M[i][k]·M[j][k]
// over the block's columns k, for i ≥ j from `parameter(3)` on, right-hand sides included.
//
// Parameters: 0 size, 1 right-hand sides, 2 first column of the block, 3 end of it.

@group(0) @binding(1) var<storage, read_write> matrix: array<f32>;

var<private> base: u32;

fn left_inner_fastest() -> bool {
    return true;
}

fn right_inner_fastest() -> bool {
    return true;
}

fn left(i: u32, k: u32) -> f32 {
    return matrix[base + (parameter(3) + i) * parameter(0) + k];
}

fn right(j: u32, k: u32) -> f32 {
    return left(j, k);
}

fn store(i: u32, j: u32, sum: f32) {
    if (i >= j) {
        matrix[base + (parameter(3) + i) * parameter(0) + parameter(3) + j] -= sum;
    }
}

@compute @workgroup_size(256)
fn update(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if (group.x > group.y) {
        return;
    }
    let size = parameter(0);
    base = group.z * (size + parameter(1)) * size;
    let rest = size - parameter(3);
    let extent = vec2<u32>(rest + parameter(1), rest);
    multiply_tile(TILE * group.yx, extent, parameter(2), parameter(3), local);
}
