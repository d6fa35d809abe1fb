//! Probability laws over noise levels.
