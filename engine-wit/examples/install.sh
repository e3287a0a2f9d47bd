#!/usr/bin/env bash
# Installs the packed packages next to the examples, as users do, and checks their types:
# install.sh PACKAGES FOLDER. Needs NODE and PYTHON.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
packages=$(cd "$1" && pwd)
folder=$2

rm -rf "$folder"
mkdir -p "$folder"
cp "$here/node/example.mjs" "$here/python/example.py" "$folder"
cd "$folder"
npm install --silent --no-audit --no-fund --no-package-lock "$packages"/maskproxy-*.tgz
"$NODE" "$here/node/node_modules/typescript/bin/tsc" --noEmit --checkJs --strict --target es2023 --module nodenext \
  --lib es2023,dom,dom.iterable,dom.asynciterable example.mjs
"$PYTHON" -m pip install -q --disable-pip-version-check --no-deps --force-reinstall "$packages"/maskproxy-*.whl
"$PYTHON" -m mypy --strict --cache-dir "$folder/mypy" example.py
"$PYTHON" -m mypy --strict --cache-dir "$folder/mypy" -p maskproxy
