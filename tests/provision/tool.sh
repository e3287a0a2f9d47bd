#!/usr/bin/env bash
# Installs a cargo tool, and prints its path: tool.sh NAME VERSION [cargo install options]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
name=$1 version=$2
shift 2
root=$here/../../.cache/tools

if ! "$root/bin/$name" --version 2>/dev/null | grep -qF "$version"; then
  mkdir -p "$root"
  cargo install -q --locked --root "$root" --target-dir "$root/target" "$name@$version" "$@" >&2
  rm -rf "$root/target"
fi
echo "$(cd "$root" && pwd)/bin/$name"
