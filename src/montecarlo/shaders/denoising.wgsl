// Denoising of a mixture (M15). n draws, d coordinates, K components, L levels; an invocation
// each for: a block of normals; a draw and component; a draw; a draw and coordinate.

// thresholds K | means K·d | variances K·d | deviations K·d
@group(0) @binding(1) var<storage, read> parts: array<u32>;
// a row a level: σ, then ln w_k − ½ Σ ln(1 + v_k/σ²)
@group(0) @binding(2) var<storage, read> levels: array<f32>;
// chosen components n | normals
@group(0) @binding(3) var<storage, read_write> draws: array<f32>;
// a level: a logit, then a weight, K·n | its error K·n | its typical size K·n
@group(0) @binding(4) var<storage, read_write> posterior: array<f32>;
// a level: information n | error n | size n | squares d·n | errors d·n; after all: doubts L
@group(0) @binding(5) var<storage, read_write> terms: array<f32>;
@group(0) @binding(6) var<storage, read_write> output: array<f32>;

const UNIT = 5.9604645e-8f;

fn n() -> u32 { return parameter(0); }
fn d() -> u32 { return parameter(1); }
fn components() -> u32 { return parameter(2); }

fn part(list: u32, k: u32, j: u32) -> f32 {
    return bitcast<f32>(parts[components() + (list * components() + k) * d() + j]);
}

fn sigma_of(level: u32) -> f32 {
    return levels[level * (components() + 1u)];
}

// Where the terms of a level begin.
fn terms_of(level: u32, r: u32) -> u32 {
    return r * parameter(8) + level * n() * (2u * d() + 3u);
}

@compute @workgroup_size(64)
fn draw(@builtin(global_invocation_id) id: vec3<u32>) {
    let base = id.z * parameter(6);
    if (id.x < parameter(5)) {
        let z = normals((n() + 3u) / 4u + id.x, id.z);
        let first = base + n() + 4u * id.x;
        draws[first] = z.x;
        draws[first + 1u] = z.y;
        draws[first + 2u] = z.z;
        draws[first + 3u] = z.w;
    }
    if (id.x < n()) {
        let word = philox(vec2<u32>(id.x / 4u, 0u), id.z)[id.x % 4u];
        var k = 0u;
        while (k + 1u < components() && word >= parts[k]) {
            k++;
        }
        draws[base + id.x] = f32(k);
    }
}

// x0 − m_k, ε, the error of the means, and the chosen component's share in it.
struct Coordinate {
    y: f32,
    noise: f32,
    variance: f32,
    mean_error: f32,
}

fn coordinate(i: u32, k: u32, j: u32, r: u32) -> Coordinate {
    let base = r * parameter(6);
    let chosen = u32(draws[base + i]);
    let noise_row = select(j, d() + j, parameter(4) != 0u);
    var y = part(0u, chosen, j) - part(0u, k, j);
    if (parameter(4) != 0u) {
        y += part(2u, chosen, j) * draws[base + n() + j * n() + i];
    }
    let noise = draws[base + n() + noise_row * n() + i];
    let mean_error = select(2.0f * parameter_f32(9), 0.0f, chosen == k);
    return Coordinate(y, noise, part(1u, k, j), mean_error);
}

@compute @workgroup_size(64)
fn logits(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = n();
    if (id.x >= n * components()) {
        return;
    }
    let k = id.x / n;
    let sigma = sigma_of(id.y);
    var total = vec4<f32>();
    var block = vec4<f32>();
    for (var j = 0u; j < d(); j++) {
        let c = coordinate(id.x % n, k, j, id.z);
        let width = c.variance + sigma * sigma;
        let spread = c.variance * c.noise * c.noise;
        let cross = 2.0f * sigma * c.noise;
        block += vec4<f32>(
            (c.y * (c.y + cross) - spread) / width,
            (abs(c.y) * (abs(c.y) + abs(cross)) + spread) / width,
            c.mean_error * (abs(c.y) + sigma * abs(c.noise)) / width,
            (abs(c.y) * (abs(c.y) + 2.0f * sigma) + c.variance) / width);
        if (j % 64u == 63u) {
            total += block;
            block = vec4<f32>();
        }
    }
    total += block;
    let log = levels[id.y * (components() + 1u) + 1u + k];
    let error = (9.0f + parameter_f32(10)) * 0.5f * total.y + total.z + abs(log) + 8.0f;
    let errors = n * components();
    let at = id.z * parameter(7) + 3u * id.y * errors + id.x;
    posterior[at] = log - 0.5f * total.x;
    posterior[at + errors] = UNIT * error;
    posterior[at + 2u * errors] = 0.5f * total.w;
}

@compute @workgroup_size(64)
fn weights(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = n();
    if (id.x >= n) {
        return;
    }
    let errors = n * components();
    let first = id.z * parameter(7) + 3u * id.y * errors + id.x;
    var largest = posterior[first];
    for (var k = 1u; k < components(); k++) {
        largest = max(largest, posterior[first + k * n]);
    }
    var total = vec3<f32>();
    var block = vec3<f32>();
    for (var k = 0u; k < components(); k++) {
        let at = first + k * n;
        let weight = exp_f32(posterior[at] - largest);
        // a product with an error that overflows would be no number
        var scaled = vec2<f32>();
        if (weight > 0.0f) {
            scaled = weight * vec2<f32>(posterior[at + errors], posterior[at + 2u * errors]);
        }
        posterior[at] = weight;
        posterior[at + errors] = scaled.x;
        block += vec3<f32>(weight, scaled);
        if (k % 64u == 63u) {
            total += block;
            block = vec3<f32>();
        }
    }
    total += block;
    let information = -(largest + ln_f32(total.x));
    let mean_error = total.y / total.x + UNIT * (parameter_f32(11) + 8.0f);
    for (var k = 0u; k < components(); k++) {
        let at = first + k * n;
        let weight = posterior[at] / total.x;
        posterior[at] = weight;
        posterior[at + errors] = posterior[at + errors] / total.x + weight * mean_error;
    }
    let at = terms_of(id.y, id.z) + id.x;
    terms[at] = information;
    terms[at + n] = mean_error + 2.0f * UNIT * (abs(largest) + abs(information));
    terms[at + 2u * n] = max(abs(information), total.z / total.x);
}

@compute @workgroup_size(64)
fn denoise(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = n();
    if (id.x >= n * d()) {
        return;
    }
    let j = id.x / n;
    let i = id.x % n;
    let sigma = sigma_of(id.y);
    let errors = n * components();
    let first = id.z * parameter(7) + 3u * id.y * errors + i;
    var total = vec2<f32>();
    var block = vec2<f32>();
    for (var k = 0u; k < components(); k++) {
        let weight = posterior[first + k * n];
        if (weight > 0.0f) {
            let c = coordinate(i, k, j, id.z);
            let width = c.variance + sigma * sigma;
            let rest = sigma * sigma / width;
            let pull = c.variance / width * sigma * c.noise;
            let size = rest * abs(c.y) + abs(pull);
            let rounding = UNIT * ((12.0f + parameter_f32(11)) * size + rest * c.mean_error);
            block += vec2<f32>(
                weight * (rest * c.y - pull),
                posterior[first + k * n + errors] * size + weight * rounding);
        }
        if (k % 64u == 63u) {
            total += block;
            block = vec2<f32>();
        }
    }
    total += block;
    let at = terms_of(id.y, id.z) + 3u * n + id.x;
    terms[at] = total.x * total.x;
    terms[at + n * d()] = (2.0f * abs(total.x) + total.y) * total.y;
}

// Σ over `count` terms from `first` on, of invocation i.
fn sum(first: u32, count: u32, i: u32) -> f32 {
    var total = 0.0f;
    var block = 0.0f;
    var taken = 0u;
    for (var t = i; t < count; t += 64u) {
        block += terms[first + t];
        taken++;
        if (taken % 64u == 0u) {
            total += block;
            block = 0.0f;
        }
    }
    return total + block;
}

@compute @workgroup_size(64)
fn average(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    let n = n();
    let first = terms_of(group.y, group.z);
    let squares = first + 3u * n;
    let own = vec4<f32>(sum(first, n, i), sum(first + n, n, i), sum(first + 2u * n, n, i), 0.0f);
    let information = workgroup_sum(own, i);
    let errors = vec2<f32>(sum(squares, n * d(), i), sum(squares + n * d(), n * d(), i));
    let squared = workgroup_sum(vec4<f32>(errors, 0.0f, 0.0f), i);
    if (i == 0u) {
        let at = (2u * parameter(3) + 1u) * group.z + 2u * group.y;
        output[at] = squared.x / f32(n);
        output[at + 1u] = information.x / f32(n);
        terms[terms_of(parameter(3), group.z) + group.y] = 40.0f * UNIT
            + max(relative(squared.y, squared.x), relative(information.y, information.z));
    }
}

fn level_doubt(level: u32, r: u32) -> f32 {
    return terms[terms_of(parameter(3), r) + level];
}
