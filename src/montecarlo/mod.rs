//! Counter-based random numbers, replicated experiments and their statistics.
