#!/usr/bin/env bash
# Builds the playground: build.sh FOLDER. Prints the size of the module.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
most=1500000 most_zipped=600000

node=$(tests/provision/node.sh web)
# Places of panics name files: without the folder that this machine keeps crates in.
RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=/crates" \
  tests/provision/wasm-target.sh -- cargo build -q --lib --profile web -p web \
  --target wasm32-unknown-unknown --target-dir target/wasm
cargo run -q --locked --manifest-path web/glue/Cargo.toml --target-dir target/glue -- \
  target/wasm/wasm32-unknown-unknown/web/web.wasm target/glue/page

rm -rf "$folder"
mkdir -p "$folder"
cp web/page/* target/glue/page/engine.js "$folder"
"$node" web/node_modules/binaryen/bin/wasm-opt -Oz target/glue/page/engine_bg.wasm -o "$folder/engine_bg.wasm"

size=$(wc -c <"$folder/engine_bg.wasm") zipped=$(gzip -9 <"$folder/engine_bg.wasm" | wc -c)
echo "engine_bg.wasm: $size bytes, $zipped with gzip"
[ "$size" -le "$most" ] && [ "$zipped" -le "$most_zipped" ]
