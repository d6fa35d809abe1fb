// A 64×64 tile of left·rightᵀ in 16×16 invocations of 4×4 entries, from slices of 16 in workgroup
// memory. Sums are blocked by 64 terms, so that rounding does not grow with the length (M11b).
//
// The part before defines left(i, k), right(j, k), whether k runs fastest in their memory, and
// store(i, j, value).

const TILE: u32 = 64u;
const SLICE: u32 = 16u;

var<workgroup> left_slice: array<f32, 1024>;
var<workgroup> right_slice: array<f32, 1024>;
var<private> sums: array<vec4<f32>, 4>;
var<private> partial: array<vec4<f32>, 4>;

// Entries (i, k), i < rows, first ≤ k < last of the tiles that start at row `i0` and `j0`.
fn load_slices(origin: vec2<u32>, extent: vec2<u32>, k0: u32, last: u32, local: u32) {
    for (var t = 0u; t < 4u; t++) {
        let e = local + 256u * t;
        var at = vec2<u32>(e % TILE, e / TILE);
        if (left_inner_fastest()) {
            at = vec2<u32>(e / SLICE, e % SLICE);
        }
        var value = 0.0f;
        if (origin.x + at.x < extent.x && k0 + at.y < last) {
            value = left(origin.x + at.x, k0 + at.y);
        }
        left_slice[at.y * TILE + at.x] = value;
        at = vec2<u32>(e % TILE, e / TILE);
        if (right_inner_fastest()) {
            at = vec2<u32>(e / SLICE, e % SLICE);
        }
        value = 0.0f;
        if (origin.y + at.x < extent.y && k0 + at.y < last) {
            value = right(origin.y + at.x, k0 + at.y);
        }
        right_slice[at.y * TILE + at.x] = value;
    }
}

// The tile at `origin` of the `extent.x`×`extent.y` product over first ≤ k < last.
fn multiply_tile(origin: vec2<u32>, extent: vec2<u32>, first: u32, last: u32, local: u32) {
    let x = local % 16u;
    let y = local / 16u;
    for (var t = 0u; t < 4u; t++) {
        sums[t] = vec4<f32>(0.0f);
    }
    for (var block = first; block < last; block += 64u) {
        for (var t = 0u; t < 4u; t++) {
            partial[t] = vec4<f32>(0.0f);
        }
        for (var k0 = block; k0 < min(block + 64u, last); k0 += SLICE) {
            workgroupBarrier();
            load_slices(origin, extent, k0, last, local);
            workgroupBarrier();
            for (var k = 0u; k < SLICE; k++) {
                let row = k * TILE;
                let a = vec4<f32>(
                    left_slice[row + y],
                    left_slice[row + y + 16u],
                    left_slice[row + y + 32u],
                    left_slice[row + y + 48u],
                );
                let b = vec4<f32>(
                    right_slice[row + x],
                    right_slice[row + x + 16u],
                    right_slice[row + x + 32u],
                    right_slice[row + x + 48u],
                );
                partial[0] += a.x * b;
                partial[1] += a.y * b;
                partial[2] += a.z * b;
                partial[3] += a.w * b;
            }
        }
        for (var t = 0u; t < 4u; t++) {
            sums[t] += partial[t];
        }
    }
    for (var r = 0u; r < 4u; r++) {
        for (var c = 0u; c < 4u; c++) {
            let at = origin + vec2<u32>(y + 16u * r, x + 16u * c);
            if (at.x < extent.x && at.y < extent.y) {
                store(at.x, at.y, sums[r][c]);
            }
        }
    }
}
