//! Run-time choice of the instruction set for the hot loops.

/// Runs `op` compiled for the widest vector instructions of this processor (AVX-512 or AVX2
/// where there is, the portable baseline elsewhere); one binary serves all.
///
/// `op` and what it calls must be inlined to profit: a closure needs `#[inline(always)]`, or it
/// may be compiled apart, for the baseline. Nothing is fused or reordered: the bits of
/// the result do not depend on the choice.
#[inline(always)]
pub(crate) fn widest<R>(op: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(op)
}
