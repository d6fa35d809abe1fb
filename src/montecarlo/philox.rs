//! Philox4x32-10: ten rounds of multiply and xor turn a counter and a key into four words.
//!
//! J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, *Parallel random numbers: as easy as
//! 1, 2, 3*, SC'11, section 3.3 and table 2; constants and known answers of their Random123.

/// Multipliers of the two halves.
const MULTIPLIER: [u64; 2] = [0xD251_1F53, 0xCD9E_8D57];
/// Key increments: ⌊2³²·(golden ratio − 1)⌋ and ⌊2³²·(√3 − 1)⌋.
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: u32 = 10;
const LOW: u64 = 0xFFFF_FFFF;

/// The four random words of block `counter` under `key` (Philox4x32-10).
///
/// A bijection of the counter for every key, and the same on every platform. Cost: 20 products
/// of 32 × 32 bits.
///
/// ```
/// use rootrate::montecarlo::philox4x32_10;
/// assert_eq!(philox4x32_10([0; 4], [0; 2]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
/// ```
pub fn philox4x32_10(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    philox_wide(counter.map(u64::from), key).map(|word| word as u32)
}

/// The same, every 32-bit word in a 64-bit lane: a round is then one widening product, one
/// shift and two xors a half with nothing to shuffle, and a loop over counters becomes vector
/// code.
#[inline(always)]
pub(super) fn philox_wide(counter: [u64; 4], key: [u32; 2]) -> [u64; 4] {
    let [mut c0, mut c1, mut c2, mut c3] = counter;
    let [mut k0, mut k1] = key;
    for _ in 0..ROUNDS {
        // The upper half of a lane may hold the high word of the round before: masked here.
        let first = (c0 & LOW) * MULTIPLIER[0];
        let second = (c2 & LOW) * MULTIPLIER[1];
        c0 = (second >> 32) ^ c1 ^ u64::from(k0);
        c1 = second;
        c2 = (first >> 32) ^ c3 ^ u64::from(k1);
        c3 = first;
        k0 = k0.wrapping_add(WEYL[0]);
        k1 = k1.wrapping_add(WEYL[1]);
    }
    [c0, c1, c2, c3].map(|word| word & LOW)
}
