#!/usr/bin/env bash
# Builds the playground: build.sh FOLDER. Prints the size of the module.
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/provision/wasm-module.sh
folder=$1

# Less inlining makes the module smaller, as in the component.
MORE_RUSTFLAGS=-Cllvm-args=--inline-threshold=5 compile build -q --lib --profile web -p web
cargo run -q --locked --manifest-path web/glue/Cargo.toml --target-dir target/glue -- \
  target/wasm/wasm32-unknown-unknown/web/web.wasm target/glue/page

rm -rf "$folder"
mkdir -p "$folder"
cp web/page/* target/glue/page/engine.js "$folder"
optimise target/glue/page/engine_bg.wasm "$folder/engine_bg.wasm"
