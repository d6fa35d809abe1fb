// Counts the iterations of a loop: some software adapters stop a loop early without a word.

@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(1)
fn count(@builtin(global_invocation_id) id: vec3<u32>) {
    var counted = 0u;
    for (var i = 0u; i < parameter(0); i++) {
        counted += 1u + (output[0] & 0u);
    }
    output[0] = counted;
}
