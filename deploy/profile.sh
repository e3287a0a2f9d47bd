#!/usr/bin/env bash
# Counts what the proxy does in ordinary exchanges, for a binary that is built for them, and prints the path of that profile. It
# fits only this source, this compiler and this kind of processor. Needs llvm-tools (`rustup component add llvm-tools`).
set -euo pipefail
cd "$(dirname "$0")/.."
host=$(rustc -vV | sed -n 's/^host: //p') folder=$PWD/target/profile
rm -rf "$folder/counts"
RUSTFLAGS="-Cprofile-generate=$folder/counts" CARGO_PROFILE_RELEASE_LTO=false \
    cargo build -q --release --locked -p maskproxy --no-default-features --target "$host" --target-dir "$folder" >&2
CARGO_PROFILE_RELEASE_LTO=false cargo build -q --release --locked -p tests --bin bench-hop >&2
MASKPROXY_BIN=$folder/$host/release/maskproxy target/release/bench-hop --exercise >&2
"$(rustc --print sysroot)/lib/rustlib/$host/bin/llvm-profdata" merge -o "$folder/maskproxy.profdata" "$folder/counts"
echo "$folder/maskproxy.profdata"
