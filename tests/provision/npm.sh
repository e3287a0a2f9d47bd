#!/usr/bin/env bash
# Installs the locked packages of folders: npm.sh FOLDER...
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

"$here/packages.sh" npm >&2
quietly=(--no-audit --no-fund --loglevel error)
for folder in "$@"; do
  if ! cmp -s "$folder/package-lock.json" "$folder/node_modules/installed.json"; then
    # `npm ci` fails if the registry lacks optional packages of other systems. `npm install` then installs the same locked
    # versions, and also verifies them.
    (cd "$folder" && { npm ci "${quietly[@]}" 2>/dev/null || npm install --no-save "${quietly[@]}"; } >&2)
    cp "$folder/package-lock.json" "$folder/node_modules/installed.json"
  fi
done
