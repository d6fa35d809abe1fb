//! The drawing of the figures.
