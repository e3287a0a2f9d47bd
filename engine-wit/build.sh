#!/usr/bin/env bash
# Builds the component: build.sh FOLDER. Prints the size of its core module.
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/provision/wasm-module.sh
folder=$1

# Less inlining makes the module 10 % smaller.
MORE_RUSTFLAGS=-Cllvm-args=--inline-threshold=5 \
  compile rustc -q --lib --profile component -p engine-wit --crate-type cdylib
mkdir -p "$folder"
optimise target/wasm/wasm32-unknown-unknown/component/engine_wit.wasm "$folder/core.wasm"
cargo build -q --workspace --bins
target/debug/componentize "$folder/core.wasm" "$folder/maskproxy.wasm"
