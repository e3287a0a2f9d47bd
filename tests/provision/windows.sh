#!/usr/bin/env bash
# Checks that a package compiles for Windows: windows.sh PACKAGE. Nothing is linked or run.
# The standard library is checked with it, from Debian's source of Rust, so that rustup is not needed.
set -euo pipefail
tests/provision/packages.sh x86_64-w64-mingw32-gcc
eval "$(tests/provision/wasm-target.sh --route debian)"
# Only a nightly cargo has `-Z build-std` otherwise.
export RUSTC_BOOTSTRAP=1
RUSTFLAGS="-D warnings" "$WASM_CARGO" check -q -Z build-std=std,panic_unwind,proc_macro \
  --target x86_64-pc-windows-gnu --target-dir target/windows -p "$1"
