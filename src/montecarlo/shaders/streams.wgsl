// The raw words of a stream, and its normals: block number `parameter(0) + invocation`.

@group(0) @binding(1) var<storage, read_write> output: array<vec4<u32>>;

@compute @workgroup_size(64)
fn words(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < parameter(1)) {
        output[id.x] = philox(vec2<u32>(parameter(0) + id.x, 0u), id.z);
    }
}

@compute @workgroup_size(64)
fn normal_words(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < parameter(1)) {
        output[id.x] = bitcast<vec4<u32>>(normals(parameter(0) + id.x, id.z));
    }
}
