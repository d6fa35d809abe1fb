// Random-feature denoisers (M16): variates, noised inputs, nonlinearity, and the losses with
// their doubt. Each entry point has its own bindings and parameters; "length" is the number of
// words of an array that belong to one replicate.

const CHUNK: u32 = 16384u;

@group(0) @binding(1) var<storage, read_write> drawn: array<f32>;

// Invocation number of a two-dimensional grid of workgroups of 256.
fn invocation(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return (group.y * groups.x + group.x) * 256u + local;
}

// Normals from block `parameter(1)` on, four an invocation. 0 count, 2 length.
@compute @workgroup_size(256)
fn draw(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = invocation(group, groups, local);
    if (4u * block >= parameter(0)) {
        return;
    }
    let z = normals(parameter(1) + block, group.z);
    for (var t = 0u; t < 4u; t++) {
        if (4u * block + t < parameter(0)) {
            drawn[group.z * parameter(2) + 4u * block + t] = z[t];
        }
    }
}

@group(0) @binding(1) var<storage, read> scales: array<f32>;
@group(0) @binding(2) var<storage, read> data: array<f32>;
@group(0) @binding(3) var<storage, read_write> noise: array<f32>;
@group(0) @binding(4) var<storage, read_write> inputs: array<f32>;

// Noise from block `parameter(2)` on, and data ∘ scales + √Δ·noise, four an invocation.
// 0 rows, 1 columns, 3 rows a datum, 4 length of the data, 5 of the others, 6 √Δ.
@compute @workgroup_size(256)
fn noised(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let columns = parameter(1);
    let count = parameter(0) * columns;
    let block = invocation(group, groups, local);
    if (4u * block >= count) {
        return;
    }
    let z = normals(parameter(2) + block, group.z);
    for (var t = 0u; t < 4u; t++) {
        let e = 4u * block + t;
        if (e < count) {
            let k = e % columns;
            let datum = e / columns / parameter(3);
            let x = scales[k] * data[group.z * parameter(4) + datum * columns + k];
            noise[group.z * parameter(5) + e] = z[t];
            inputs[group.z * parameter(5) + e] = x + parameter_f32(6) * z[t];
        }
    }
}

@group(0) @binding(1) var<storage, read_write> features: array<f32>;

// φ of every entry. 0 count, 1 length, 2 which φ.
@compute @workgroup_size(256)
fn nonlinearity(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let e = invocation(group, groups, local);
    if (e < parameter(0)) {
        let at = group.z * parameter(1) + e;
        features[at] = activate(parameter(2), features[at]);
    }
}

@group(0) @binding(1) var<storage, read> plain: array<f32>;
@group(0) @binding(2) var<storage, read_write> turned: array<f32>;

// The transpose of a rows×columns matrix. 0 rows, 1 columns, 2 length, 3 length and 4 offset of
// the result.
@compute @workgroup_size(256)
fn transpose_rows(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let rows = parameter(0);
    let e = invocation(group, groups, local);
    if (e < rows * parameter(1)) {
        let value = plain[group.z * parameter(2) + (e % rows) * parameter(1) + e / rows];
        turned[group.z * parameter(3) + parameter(4) + e] = value;
    }
}

@group(0) @binding(1) var<storage, read> minuend: array<f32>;
@group(0) @binding(2) var<storage, read> subtrahend: array<f32>;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;

var<workgroup> terms: array<f32, 256>;

// Sum over the workgroup.
fn total(term: f32, local: u32) -> f32 {
    workgroupBarrier();
    terms[local] = term;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (local < half) {
            terms[local] += terms[local + half];
        }
    }
    workgroupBarrier();
    return terms[0];
}

// Σ (a − s·b)² over a chunk of 16384 entries, 64 an invocation. 0 count, 1 length and 2 offset
// of a, 3 length of b, 4 s, 5 length and 6 offset of the sums.
@compute @workgroup_size(256)
fn squares(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let chunk = group.y * groups.x + group.x;
    let first = chunk * CHUNK;
    if (first >= parameter(0)) {
        return;
    }
    let last = min(first + CHUNK, parameter(0));
    var sum = 0.0f;
    for (var e = first + local; e < last; e += 256u) {
        let b = subtrahend[group.z * parameter(3) + e];
        let r = minuend[group.z * parameter(1) + parameter(2) + e] - parameter_f32(4) * b;
        sum += r * r;
    }
    sum = total(sum, local);
    if (local == 0u) {
        sums[group.z * parameter(5) + parameter(6) + chunk] = sum;
    }
}

@group(0) @binding(1) var<storage, read> partial: array<f32>;
@group(0) @binding(2) var<storage, read> retained: array<f32>;
@group(0) @binding(3) var<storage, read_write> output: array<u32>;

fn sum_of(first: u32, count: u32, r: u32, local: u32) -> f32 {
    var sum = 0.0f;
    for (var e = local; e < count; e += 256u) {
        sum += partial[r * parameter(3) + first + e];
    }
    return total(sum, local);
}

// Test loss, training loss, optimum and their doubt (M16g): one workgroup a replicate.
// 0, 1, 2 numbers of partial sums of test residuals, training residuals and coefficients,
// 3 length, 4, 5, 6 the factors of the sums.
@compute @workgroup_size(256)
fn losses(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let tested = parameter(0);
    let trained = parameter(1);
    let test = parameter_f32(4) * sum_of(0u, tested, group.z, local);
    let training = parameter_f32(5) * sum_of(tested, trained, group.z, local);
    let penalty =
        parameter_f32(6) * sum_of(tested + trained, parameter(2), group.z, local);
    if (local == 0u) {
        let r = retained[group.z];
        let fresh = (1.0f + 1.0f / sqrt_f32(test)) / sqrt_f32(r);
        let amplification = max(fresh, 1.0f / sqrt_f32(training)) / r;
        let t = 9.5367431640625e-7f * (1.0f + amplification);
        let lost = r == 0.0f || test == 0.0f || training == 0.0f;
        output[4u * group.z] = bitcast<u32>(test);
        output[4u * group.z + 1u] = bitcast<u32>(training);
        output[4u * group.z + 2u] = bitcast<u32>(training + penalty);
        output[4u * group.z + 3u] = select(bitcast<u32>(2.0f * t + t * t), 0x7F800000u, lost);
    }
}
