#!/usr/bin/env bash
# Builds the component: build.sh FOLDER. Prints the size of its core module.
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/provision/wasm-module.sh
folder=$1

compile rustc -q --lib -p engine-wit --crate-type cdylib
mkdir -p "$folder"
optimise "$modules/engine_wit.wasm" "$folder/core.wasm"
cargo build -q --workspace --bins
target/debug/componentize "$folder/core.wasm" "$folder/maskproxy.wasm"
