// A Gram matrix, entry (i, j) = Σ_k a(k, i) a(k, j), in tiles of 16 × 16: one a workgroup.
// Parameters: size, length of the sums, step of i and of k within `factor`, words of `factor`
// and of `product` a replicate. Sums of 64 terms, then their sums.

@group(0) @binding(1) var<storage, read> factor: array<f32>;
@group(0) @binding(2) var<storage, read_write> product: array<f32>;

var<workgroup> rows: array<f32, 256>;
var<workgroup> columns: array<f32, 256>;

@compute @workgroup_size(256)
fn gram(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let size = parameter(0);
    let length = parameter(1);
    let start = parameter(4) * group.z;
    let fast = index % 16u;
    let slow = index / 16u;
    var sum = 0.0f;
    var part = 0.0f;
    for (var first = 0u; first < length; first += 16u) {
        let k = first + slow;
        let i = 16u * group.y + fast;
        let j = 16u * group.x + fast;
        var left = 0.0f;
        var right = 0.0f;
        if (k < length) {
            let at = start + parameter(3) * k;
            if (i < size) {
                left = factor[at + parameter(2) * i];
            }
            if (j < size) {
                right = factor[at + parameter(2) * j];
            }
        }
        rows[index] = left;
        columns[index] = right;
        workgroupBarrier();
        for (var k = 0u; k < 16u; k++) {
            part += rows[16u * k + slow] * columns[16u * k + fast];
        }
        workgroupBarrier();
        if (first % 64u == 48u) {
            sum += part;
            part = 0.0f;
        }
    }
    let i = 16u * group.y + slow;
    let j = 16u * group.x + fast;
    if (i < size && j < size) {
        product[parameter(5) * group.z + size * i + j] = sum + part;
    }
}
