#!/usr/bin/env bash
# Installs what the lock files of folders say: npm.sh FOLDER...
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

"$here/packages.sh" npm >&2
quietly=(--no-audit --no-fund --loglevel error)
for folder in "$@"; do
  if ! cmp -s "$folder/package-lock.json" "$folder/node_modules/installed.json"; then
    # `ci` refuses a lock without the optional packages of other systems, which not every registry has;
    # `install` then takes the locked versions, and checks them, too.
    (cd "$folder" && { npm ci "${quietly[@]}" 2>/dev/null || npm install --no-save "${quietly[@]}"; } >&2)
    cp "$folder/package-lock.json" "$folder/node_modules/installed.json"
  fi
done
