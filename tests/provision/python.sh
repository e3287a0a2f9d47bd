#!/usr/bin/env bash
# Creates a Python environment from a requirements file, and prints the path of its Python:
# python.sh NAME REQUIREMENTS
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
home=$here/../../.cache/python-$1
wanted=$2

"$here/packages.sh" python3 >&2
if ! cmp -s "$wanted" "$home/installed.txt"; then
  rm -rf "$home"
  python3 -m venv "$home"
  "$home/bin/pip" install -q --disable-pip-version-check -r "$wanted" >&2
  cp "$wanted" "$home/installed.txt"
fi
echo "$(cd "$home" && pwd)/bin/python"
