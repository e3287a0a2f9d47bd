#!/usr/bin/env bash
# Builds the component: build.sh FOLDER. Prints the size of its core module.
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/provision/wasm-module.sh
folder=$1

compile_component
mkdir -p "$folder"
optimise "$component_module" "$folder/core.wasm"
cargo build -q --workspace --bins
target/debug/componentize "$folder/core.wasm" "$folder/maskproxy.wasm"
