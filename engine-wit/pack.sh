#!/usr/bin/env bash
# Packs the component for npm and PyPI: pack.sh COMPONENT FOLDER. Needs NODE with jco's packages in examples/node, and PYTHON.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
component=$1
folder=$2
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../Cargo.toml" | head -1)

rm -rf "$folder"
mkdir -p "$folder/npm" "$folder/python"
cp "$here"/npm/* "$here"/../LICENSE-* "$folder/npm/"
"${NODE:-node}" "$here/examples/node/transpile.mjs" "$component" "$folder/npm/component"
sed -i "s/\"version\": \"[^\"]*\"/\"version\": \"$version\"/" "$folder/npm/package.json"
(cd "$folder" && npm pack --silent ./npm)

cp -R "$here"/python/* "$here"/../LICENSE-* "$folder/python/"
cp "$component" "$folder/python/src/maskproxy/maskproxy.wasm"
sed -i "s/^version = .*/version = \"$version\"/" "$folder/python/pyproject.toml"
"${PYTHON:-python3}" -m pip wheel -q --disable-pip-version-check --no-deps -w "$folder" "$folder/python"
