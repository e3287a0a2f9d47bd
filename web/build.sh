#!/usr/bin/env bash
# Builds the playground: build.sh FOLDER. Prints the size of the module.
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/provision/wasm-module.sh
folder=$1

compile_page
cargo run -q --locked --manifest-path web/glue/Cargo.toml --target-dir target/glue -- \
  "$page_module" target/glue/page

rm -rf "$folder"
mkdir -p "$folder"
cp web/page/* target/glue/page/engine.js "$folder"
optimise target/glue/page/engine_bg.wasm "$folder/engine_bg.wasm"
