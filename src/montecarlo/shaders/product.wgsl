// C = α·A·Bᵀ + s·1, or C += α·A·Bᵀ; the rows of A from `split` on come from a second matrix.
//
// Parameters: 0 rows, 1 split, 2 columns, 3 first and 4 end of the inner index, 5 whether tiles
// above the diagonal are left out, 6 whether to accumulate, 7 α, 8 s; then length, offset and
// strides of A at 9, of the second matrix at 13, of B at 17, of C at 21.

@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> extra: array<f32>;
@group(0) @binding(3) var<storage, read> b: array<f32>;
@group(0) @binding(4) var<storage, read_write> c: array<f32>;

var<private> replicate: u32;

fn place(view: u32, i: u32, k: u32) -> u32 {
    return replicate * parameter(view) + parameter(view + 1u)
        + i * parameter(view + 2u) + k * parameter(view + 3u);
}

fn left_inner_fastest() -> bool {
    return parameter(12) == 1u;
}

fn right_inner_fastest() -> bool {
    return parameter(20) == 1u;
}

fn left(i: u32, k: u32) -> f32 {
    if (i < parameter(1)) {
        return a[place(9u, i, k)];
    }
    return extra[place(13u, i - parameter(1), k)];
}

fn right(j: u32, k: u32) -> f32 {
    return b[place(17u, j, k)];
}

fn store(i: u32, j: u32, sum: f32) {
    let at = place(21u, i, j);
    var value = parameter_f32(7) * sum;
    if (i == j) {
        value += parameter_f32(8);
    }
    if (parameter(6) != 0u) {
        value += c[at];
    }
    c[at] = value;
}

@compute @workgroup_size(256)
fn product(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if (parameter(5) != 0u && group.x > group.y) {
        return;
    }
    replicate = group.z;
    let extent = vec2<u32>(parameter(0), parameter(2));
    multiply_tile(TILE * group.yx, extent, parameter(3), parameter(4), local);
}
