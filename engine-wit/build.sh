#!/usr/bin/env bash
# Builds the component: build.sh FOLDER. Prints the size of its core module.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
most=1500000 most_zipped=600000

node=$(tests/provision/node.sh web)
# Places of panics name files: without the folder that this machine keeps crates in.
RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=/crates" \
  tests/provision/wasm-target.sh -- cargo rustc -q --lib --profile component -p engine-wit --crate-type cdylib \
  --target wasm32-unknown-unknown --target-dir target/wasm

mkdir -p "$folder"
"$node" web/node_modules/binaryen/bin/wasm-opt -Oz target/wasm/wasm32-unknown-unknown/component/engine_wit.wasm -o "$folder/core.wasm"
cargo run -q -p tests --features wasm --bin componentize -- "$folder/core.wasm" "$folder/maskproxy.wasm"

size=$(wc -c <"$folder/core.wasm") zipped=$(gzip -9 <"$folder/core.wasm" | wc -c)
echo "core.wasm: $size bytes, $zipped with gzip"
[ "$size" -le "$most" ] && [ "$zipped" -le "$most_zipped" ]
