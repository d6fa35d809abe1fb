// Denoising of a data set (M19). N points, d coordinates, L levels.

// coordinate c of point j at c·N + j, so that neighbours read neighbours
@group(0) @binding(1) var<storage, read> data: array<f32>;
// multiplicities N | σ of the levels L
@group(0) @binding(2) var<storage, read> lists: array<f32>;
// ε, padded to whole blocks
@group(0) @binding(3) var<storage, read_write> noise: array<f32>;
// distances D_j N | projections E_j N
@group(0) @binding(4) var<storage, read_write> pairs: array<f32>;
@group(0) @binding(5) var<storage, read_write> doubts: array<f32>;
@group(0) @binding(6) var<storage, read_write> output: array<f32>;

const UNIT = 5.9604645e-8f;

fn points() -> u32 { return parameter(0); }
fn d() -> u32 { return parameter(1); }

// The point that the first word chooses, ⌊word·N/2³²⌋.
fn chosen(r: u32) -> u32 {
    return multiply(philox(vec2<u32>(0u, 0u), r).x, points()).x;
}

@compute @workgroup_size(64)
fn draw(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < parameter(4) / 4u) {
        let z = normals(1u + id.x, id.z);
        let first = id.z * parameter(4) + 4u * id.x;
        noise[first] = z.x;
        noise[first + 1u] = z.y;
        noise[first + 2u] = z.z;
        noise[first + 3u] = z.w;
    }
}

@compute @workgroup_size(64)
fn compare(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= points()) {
        return;
    }
    let own = chosen(id.z);
    var total = vec2<f32>();
    var block = vec2<f32>();
    for (var c = 0u; c < d(); c++) {
        let row = c * points();
        let t = data[row + own] - data[row + id.x];
        block += vec2<f32>(t * t, t * noise[id.z * parameter(4) + c]);
        if (c % 64u == 63u) {
            total += block;
            block = vec2<f32>();
        }
    }
    total += block;
    let at = id.z * parameter(5) + id.x;
    pairs[at] = total.x;
    pairs[at + points()] = total.y;
}

var<workgroup> largest: array<f32, 64>;

// ln(1 + r) for r ≥ 0, accurate for small r too.
fn ln_1p_f32(r: f32) -> f32 {
    if (r < 0.015625f) {
        return r * (1.0f - r * (0.5f - r * (0.33333334f - 0.25f * r)));
    }
    return ln_f32(1.0f + r);
}

@compute @workgroup_size(64)
fn posterior(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    let count = points();
    let sigma = lists[count + group.y];
    let quadratic = 0.5f / (sigma * sigma);
    let first = group.z * parameter(5);
    // the own point's logit
    var high = 0.0f;
    for (var j = i; j < count; j += 64u) {
        let at = first + j;
        high = max(high, -(pairs[at] + 2.0f * sigma * pairs[at + count]) * quadratic);
    }
    largest[i] = high;
    for (var half = 32u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (i < half) {
            largest[i] = max(largest[i], largest[i + half]);
        }
    }
    workgroupBarrier();
    high = largest[0];
    // of the other points: weights, their errors, weighted distances, their errors
    var others = vec4<f32>();
    var equal = 0.0f;
    for (var j = i; j < count; j += 64u) {
        let distance = pairs[first + j];
        let projection = 2.0f * sigma * pairs[first + j + count];
        let weight = exp_f32(-(distance + projection) * quadratic - high);
        if (distance == 0.0f) {
            equal += 1.0f;
        } else if (weight > 0.0f) {
            let root = sqrt_f32(distance);
            let rounding = parameter_f32(6) * distance
                + (parameter_f32(7) * sigma + parameter_f32(8)) * root
                + parameter_f32(9) * sigma + parameter_f32(10);
            let error = weight * UNIT * (rounding * quadratic + abs(high) + 8.0f);
            let moved = weight * UNIT
                * (parameter_f32(6) * distance + parameter_f32(8) * root + parameter_f32(10));
            others += vec4<f32>(weight, error, weight * distance, error * distance + moved);
        }
    }
    others = workgroup_sum(others, i);
    equal = workgroup_sum(vec4<f32>(equal), i).x;
    if (i == 0u) {
        let own = equal * exp_f32(-high);
        let at = (2u * parameter(3) + 1u) * group.z + 2u * group.y;
        output[at] = 0.5f * others.z / (own + others.x);
        output[at + 1u] = ln_1p_f32(others.x / own);
        let of_variance = relative(others.w, others.z) + others.y / (own + others.x);
        var doubt = max(of_variance, relative(others.y, others.x))
            + UNIT * (parameter_f32(11) + abs(high) + 100.0f);
        // equal in single precision only, or a ratio that overflows
        if (equal != lists[chosen(group.z)] || own == 0.0f || others.x / own > 1e30f) {
            doubt = 1e30f;
        }
        doubts[group.z * parameter(3) + group.y] = doubt;
    }
}

fn level_doubt(level: u32, r: u32) -> f32 {
    return doubts[r * parameter(3) + level];
}
