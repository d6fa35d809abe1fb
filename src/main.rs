//! The command-line program: parse, run, print the error.

fn main() {}
