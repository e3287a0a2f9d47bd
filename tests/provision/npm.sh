#!/usr/bin/env bash
# Installs what the lock files of folders say: npm.sh FOLDER...
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

"$here/packages.sh" npm >&2
for folder in "$@"; do
  if ! cmp -s "$folder/package-lock.json" "$folder/node_modules/installed.json"; then
    (cd "$folder" && npm ci --no-audit --no-fund --loglevel error >&2)
    cp "$folder/package-lock.json" "$folder/node_modules/installed.json"
  fi
done
