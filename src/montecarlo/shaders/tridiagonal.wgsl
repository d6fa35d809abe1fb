// Householder's reduction of a symmetric matrix to tridiagonal form (M18): steps
// parameter(1)…parameter(2) − 1 of parameter(0), one workgroup a replicate.
//
// Step k reflects column k to a multiple of its first entry below the diagonal. The update
// A − v wᵀ − w vᵀ of the step before is carried out in the same sweep over A that multiplies by
// the new vector. Between dispatches `state` keeps diagonal, off-diagonal, v and w, each of
// `size` words.

@group(0) @binding(1) var<storage, read_write> matrix: array<f32>;
@group(0) @binding(2) var<storage, read_write> state: array<f32>;

var<workgroup> v: array<f32, 512>;
var<workgroup> w: array<f32, 512>;
var<workgroup> next: array<f32, 512>;
var<workgroup> products: array<f32, 512>;
var<workgroup> terms: array<f32, 256>;
var<workgroup> sums: array<f32, 16>;

// The sum of one term an invocation, to every invocation.
fn total(index: u32, term: f32) -> f32 {
    terms[index] = term;
    workgroupBarrier();
    if (index < 16u) {
        var sum = 0.0f;
        for (var k = 0u; k < 16u; k++) {
            sum += terms[16u * index + k];
        }
        sums[index] = sum;
    }
    workgroupBarrier();
    var sum = 0.0f;
    for (var k = 0u; k < 16u; k++) {
        sum += sums[k];
    }
    return sum;
}

@compute @workgroup_size(256)
fn tridiagonalise(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let size = parameter(0);
    let start = size * size * group.z;
    let kept = 4u * size * group.z;
    // `width` columns at a time, each shared by `lanes` invocations
    let width = parameter(3);
    let lanes = 256u / width;
    let lane = index / width;
    for (var j = index; j < size; j += 256u) {
        v[j] = 0.0f;
        w[j] = 0.0f;
        if (parameter(1) > 0u) {
            v[j] = state[kept + 2u * size + j];
            w[j] = state[kept + 3u * size + j];
        }
    }
    workgroupBarrier();
    for (var k = parameter(1); k < parameter(2); k++) {
        var squares = 0.0f;
        for (var j = k + index; j < size; j += 256u) {
            let x = matrix[start + size * k + j] - (v[j] * w[k] + w[j] * v[k]);
            next[j] = x;
            if (j > k + 1u) {
                squares += x * x;
            }
        }
        let tail = total(index, squares);
        let below = k + 1u;
        if (index == 0u) {
            state[kept + k] = next[k];
        }
        if (below == size) {
            break;
        }
        // Below 1e-24 the rest of the column is rounding of a matrix of norm about 1: it is
        // left, and dropped.
        let alpha = next[below];
        var off_diagonal = alpha;
        var tau = 0.0f;
        if (tail >= 1e-24f) {
            off_diagonal = sqrt_f32(alpha * alpha + tail);
            if (alpha > 0.0f) {
                off_diagonal = -off_diagonal;
            }
            let head = alpha - off_diagonal;
            tau = 2.0f / (tail + head * head);
        }
        workgroupBarrier();
        if (index == 0u) {
            state[kept + size + k] = off_diagonal;
            next[below] = alpha - off_diagonal;
        }
        workgroupBarrier();
        let count = size - below;
        for (var c = index % width; c < count; c += width) {
            let column = below + c;
            let vc = v[column];
            let wc = w[column];
            var sum = 0.0f;
            for (var block = below + lane; block < size; block += 32u * lanes) {
                var part = 0.0f;
                for (var row = block; row < min(size, block + 32u * lanes); row += lanes) {
                    let at = start + size * row + column;
                    let a = matrix[at] - (v[row] * wc + w[row] * vc);
                    matrix[at] = a;
                    part += a * next[row];
                }
                sum += part;
            }
            products[c + width * lane] = sum;
        }
        workgroupBarrier();
        var quadratic = 0.0f;
        for (var c = index; c < count; c += 256u) {
            var sum = 0.0f;
            for (var l = 0u; l < lanes; l++) {
                sum += products[c + width * l];
            }
            sum *= tau;
            products[c] = sum;
            quadratic += sum * next[below + c];
        }
        let half = 0.5f * tau * total(index, quadratic);
        for (var c = index; c < count; c += 256u) {
            let j = below + c;
            let reflected = select(0.0f, next[j], tau > 0.0f);
            v[j] = reflected;
            w[j] = products[c] - half * reflected;
        }
        storageBarrier();
        workgroupBarrier();
    }
    for (var j = index; j < size; j += 256u) {
        state[kept + 2u * size + j] = v[j];
        state[kept + 3u * size + j] = w[j];
    }
}
