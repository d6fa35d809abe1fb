//! Outward-rounded interval arithmetic.
