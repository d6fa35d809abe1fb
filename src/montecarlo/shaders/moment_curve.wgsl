// Moments of a frozen-feature model at one noise level (M17).
// After activation.wgsl. Parameters: p, d/4 rounded up, draws, number of atoms, σ.

@group(0) @binding(1) var<storage, read> constants: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> atoms: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> thresholds: array<vec2<f32>>;
@group(0) @binding(4) var<storage, read_write> activations: array<f32>;
@group(0) @binding(5) var<storage, read_write> projections: array<f32>;

// Of 16 draws, each of 16 invocations: x_σ, then r; the activations.
var<workgroup> points: array<vec4<f32>, 256>;
var<workgroup> tanhs: array<f32, 2048>;

// The atom whose share of the 2³² words holds `word`: how many thresholds are ≤ `word`. A
// threshold is two halves of 16 bits.
fn choose(word: u32) -> u32 {
    var low = 0u;
    var high = parameter(3) - 1u;
    while (low < high) {
        let middle = (low + high) / 2u;
        let threshold = (u32(thresholds[middle].x) << 16u) | u32(thresholds[middle].y);
        if (threshold <= word) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

fn sum(x: vec4<f32>) -> f32 {
    return (x.x + x.y) + (x.z + x.w);
}

@compute @workgroup_size(256)
fn draw(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let features = parameter(0);
    let quads = parameter(1);
    let stride = 2u * quads + 1u;
    let lane = index % 16u;
    let slot = index / 16u;
    let number = 16u * group.x + slot;
    let kept = number < parameter(2);
    let first = features * (parameter(2) * group.z + number);
    let block = number * (quads + 1u);
    var clean = vec4<f32>(0.0f);
    if (lane < quads) {
        let atom = choose(philox(vec2<u32>(block, 0u), group.z).x);
        clean = atoms[quads * atom + lane];
        points[index] = clean + parameter_f32(4) * normals(block + 1u + lane, group.z);
    }
    workgroupBarrier();
    for (var k = lane; k < features; k += 16u) {
        let at = stride * k;
        var argument = vec4<f32>(0.0f);
        for (var q = 0u; q < quads; q++) {
            argument += constants[at + q] * points[16u * slot + q];
        }
        let a = tanh_f32(constants[at + 2u * quads].x + sum(argument));
        tanhs[128u * slot + k] = a;
        if (kept) {
            activations[first + k] = a;
        }
    }
    workgroupBarrier();
    if (lane < quads) {
        var residual = clean;
        for (var k = 0u; k < features; k++) {
            let at = stride * k + quads;
            residual -= (constants[at + quads].y * tanhs[128u * slot + k]) * constants[at + lane];
        }
        points[index] = residual;
    }
    workgroupBarrier();
    for (var k = lane; k < features; k += 16u) {
        let at = stride * k + quads;
        var projection = vec4<f32>(0.0f);
        for (var q = 0u; q < quads; q++) {
            projection += constants[at + q] * points[16u * slot + q];
        }
        if (kept) {
            projections[first + k] = tanhs[128u * slot + k] * sum(projection);
        }
    }
}
