//! Streams: which random word belongs to which draw of which replicate (M1).

use super::philox::philox_wide;

/// The random words of one replicate of one experiment, addressed by index.
///
/// Word i of a stream is word i mod 4 of the Philox block ⌊i/4⌋ (M1):
///
/// | | word 0 | word 1 | word 2 | word 3 |
/// |---|---|---|---|---|
/// | key | seed, low half | seed, high half | | |
/// | counter | block, low half | block, high half | replicate | experiment |
///
/// Distinct (experiment, replicate, block) are distinct counters, and Philox is a bijection of
/// the counter: streams never overlap. A word depends on its address alone, hence not on the
/// thread, batch, machine or adapter that computes it. The block number has 64 bits (a carry
/// into counter word 1 past 2³⁴ words), so a stream holds more words, 2⁶⁶, than its 64-bit
/// index can address: after index 2⁶⁴ − 1 the position wraps to 0, centuries away.
///
/// ```
/// use rootrate::montecarlo::Stream;
/// let mut stream = Stream::new(1, 0, 7);
/// let first = [stream.next_u32(), stream.next_u32()];
/// assert_eq!(first, [stream.at(0), stream.at(1)]);
/// let mut noise = [0.0; 1000];
/// stream.fill_normal_f64(&mut noise);
/// assert!(noise.iter().all(|z| z.abs() < 8.58));
/// ```
#[derive(Debug, Clone)]
pub struct Stream {
    key: [u32; 2],
    experiment: u32,
    replicate: u32,
    /// Index of the next word.
    position: u64,
    /// The block that holds the words last read, with its number.
    cached: Option<(u64, [u64; 4])>,
}

impl Stream {
    /// The stream of `replicate` of `experiment` under `seed`, at its first word.
    pub fn new(seed: u64, experiment: u32, replicate: u32) -> Self {
        Self {
            key: [seed as u32, (seed >> 32) as u32],
            experiment,
            replicate,
            position: 0,
            cached: None,
        }
    }

    /// Word `index`, whatever the position. One Philox block.
    pub fn at(&self, index: u64) -> u32 {
        self.block(index / 4)[(index % 4) as usize] as u32
    }

    /// Index of the word that [`next_u32`](Self::next_u32) returns next.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Moves to word `index`.
    pub fn seek(&mut self, index: u64) {
        self.position = index;
    }

    /// The next word.
    pub fn next_u32(&mut self) -> u32 {
        let index = self.position;
        let number = index / 4;
        let block = match self.cached {
            Some((cached, block)) if cached == number => block,
            _ => {
                let block = self.block(number);
                self.cached = Some((number, block));
                block
            }
        };
        self.position = index.wrapping_add(1);
        block[(index % 4) as usize] as u32
    }

    /// The next uniform of (0, 1), from two words, the low half first (M2): an odd multiple of
    /// 2⁻⁵³, never 0 or 1, symmetric about ½.
    pub fn uniform(&mut self) -> f64 {
        let low = u64::from(self.next_u32());
        uniform_f64(low | u64::from(self.next_u32()) << 32)
    }

    /// The next single-precision uniform, from one word x: `(f32(x) + ½)·2⁻³²` in [2⁻³³, 1].
    ///
    /// Rounding makes the 128 largest words 1; the resolution is kept near 0, where
    /// the logarithm of a Box–Muller pair needs it.
    pub fn uniform_f32(&mut self) -> f32 {
        uniform_f32(self.next_u32())
    }

    /// Moves to the next whole block, takes `count` blocks, and returns the first one's number.
    pub(super) fn take_blocks(&mut self, count: u64) -> u64 {
        let first = self.position.div_ceil(4);
        self.position = first.wrapping_add(count).wrapping_mul(4);
        first
    }

    /// Block `number`, each word in a 64-bit lane.
    #[inline(always)]
    pub(super) fn block(&self, number: u64) -> [u64; 4] {
        let counter =
            [number & 0xFFFF_FFFF, number >> 32, self.replicate.into(), self.experiment.into()];
        philox_wide(counter, self.key)
    }
}

/// (k + ½)·2⁻⁵² with k the upper 52 bits of `bits`; exact.
#[inline(always)]
pub(super) fn uniform_f64(bits: u64) -> f64 {
    // 1 + k·2⁻⁵² is in [1, 2) by its bit pattern; the subtraction is exact.
    f64::from_bits(0x3FF0_0000_0000_0000 | bits >> 12) - (1.0 - HALF_STEP)
}

/// 2⁻⁵³.
const HALF_STEP: f64 = f64::EPSILON / 2.0;

/// (f32(x) + ½)·2⁻³², in [2⁻³³, 1].
#[inline(always)]
pub(super) fn uniform_f32(x: u32) -> f32 {
    (x as f32 + 0.5) * (1.0 / 4_294_967_296.0)
}
