# Shared by the builds of the engine's WebAssembly modules. Source it in the repository's root.

# The modules, and how each is compiled. The component has its own folder, because the others are compiled at the same
# time.
purity_module=target/wasm/wasm32-unknown-unknown/wasm/purity.wasm
page_module=target/wasm/wasm32-unknown-unknown/wasm/web.wasm
component_module=target/component/wasm/wasm32-unknown-unknown/wasm/engine_wit.wasm
compile_purity() { compile target/wasm build -q -p purity; }
compile_page() { compile target/wasm build -q --lib -p web; }
compile_component() { compile target/component/wasm rustc -q --lib -p engine-wit --crate-type cdylib; }

# Compiles for WebAssembly: compile TARGET-FOLDER CARGO-COMMAND CARGO-ARGUMENT...
compile() {
  local folder=$1
  shift
  # Panic messages contain file names; remove this machine's folder of crates from them. Less inlining makes a module 10 %
  # smaller.
  RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=/crates -Cllvm-args=--inline-threshold=0" \
    tests/provision/wasm-target.sh -- cargo "$@" --profile wasm --target wasm32-unknown-unknown --target-dir "$folder"
}

# Shrinks a module: optimise FROM TO. Prints its size, and fails if it exceeds the limit.
optimise() {
  local node size zipped most=5700000 most_zipped=3000000
  node=$(tests/provision/node.sh web)
  # What a pass leaves lets the next one save some kilobytes more.
  "$node" web/node_modules/binaryen/bin/wasm-opt -Oz -Oz -Oz "$1" -o "$2"
  size=$(wc -c <"$2") zipped=$(gzip -9 <"$2" | wc -c)
  echo "$(basename "$2"): $size bytes, $zipped with gzip"
  [ "$size" -le "$most" ] && [ "$zipped" -le "$most_zipped" ]
}
