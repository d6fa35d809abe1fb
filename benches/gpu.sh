#!/usr/bin/env bash
# What a graphics processor gets right, and how fast it is; prints a markdown table.
#
# Run: benches/gpu.sh                     (Rust, a Vulkan, Metal or DirectX 12 driver, python3;
#      benches/gpu.sh --allow-software     with PyTorch installed, its time on the same card too)
set -euo pipefail
cd "$(dirname "$0")/.."

printf '\n== every kernel against the processor\n'
ROOTRATE_REQUIRE_ADAPTER=1 cargo test --release --test suite

printf '\n== throughput\n'
cargo build --release
python3 benches/gpu.py "$@"
