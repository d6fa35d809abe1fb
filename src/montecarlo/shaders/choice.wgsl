// A factor with two values for each row: the third of the parameters from `at` on where word
// `row` after the block in the second is below the first, else the fourth.
fn choice(at: u32, row: u32, r: u32) -> f32 {
    let threshold = parameter(at);
    if (threshold != 0u) {
        let words = philox(vec2<u32>(parameter(at + 1u) + row / 4u, 0u), r);
        if (words[row % 4u] < threshold) {
            return parameter_f32(at + 2u);
        }
    }
    return parameter_f32(at + 3u);
}
