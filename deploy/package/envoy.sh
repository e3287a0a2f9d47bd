#!/usr/bin/env bash
# Packs the Envoy module with its configuration: envoy.sh MODULE VERSION FOLDER.
set -euo pipefail
module=$(realpath "$1") version=$2
mkdir -p "$3"
out=$(realpath "$3")
cd "$(dirname "$0")/../.."

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
name=maskproxy-envoy-$version
mkdir "$stage/$name"
install -m 644 "$module" "$stage/$name/maskproxy.wasm"
sed 's|filename: target/[^ ]*/envoy.wasm|filename: maskproxy.wasm|' envoy/envoy.yaml >"$stage/$name/envoy.yaml"
cp envoy/README.md LICENSE-MIT LICENSE-APACHE "$stage/$name"
tar -C "$stage" --owner=0 --group=0 -czf "$out/$name.tar.gz" "$name"
