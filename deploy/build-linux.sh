#!/usr/bin/env bash
# Builds the release binary for every Linux with glibc 2.28 or newer, linked by zig, and prints its path:
# build-linux.sh [TARGET [PROFILE]], with what profile.sh counted. Needs cargo-zigbuild and zig (on PyPI: cargo-zigbuild, ziglang).
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-$(uname -m)-unknown-linux-gnu} oldest=2.28
# With a profile, link-time optimization makes the binary slower (docs/benchmarks.md).
[ -z "${2:-}" ] || export RUSTFLAGS="-Cprofile-use=$2" CARGO_PROFILE_RELEASE_LTO=false
cargo zigbuild -q --release --locked -p maskproxy --target "$target.$oldest" --target-dir target/zig >&2
binary=target/zig/$target/release/maskproxy
needed=$(objdump -T "$binary" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
newest=$(printf '%s\n' "${needed#GLIBC_}" "$oldest" | sort -V | tail -n 1)
[ "$newest" = "$oldest" ] || { echo "$binary needs $needed" >&2; exit 1; }
echo "$binary"
