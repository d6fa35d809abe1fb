// Leaves every replicate to the processor: an infinite doubt.

@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn leave(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < call.count) {
        output[(parameter(0) + 1u) * id.x + parameter(0)] = 0x7F800000u;
    }
}
