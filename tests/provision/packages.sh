#!/usr/bin/env bash
# Installs the Debian packages of missing commands: packages.sh COMMAND...
# On other systems it lists the missing commands and exits with 1.
set -euo pipefail

package_of() {
  case $1 in
    cc) echo gcc libc6-dev ;;
    g++) echo g++ ;;
    python3) echo python3 python3-venv ;;
    npm) echo nodejs npm ;;
    nginx) echo nginx-light ;;
    promtool) echo prometheus ;;
    strip | objdump) echo binutils ;;
    systemd-analyze) echo systemd ;;
    x86_64-w64-mingw32-gcc) echo gcc-mingw-w64-x86-64-posix ;;
    *) echo "$1" ;;
  esac
}

missing=()
for command in "$@"; do
  PATH=$PATH:/usr/sbin command -v "$command" >/dev/null || missing+=("$command")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "please install: ${missing[*]}" >&2
  exit 1
fi
packages=$(for command in "${missing[@]}"; do package_of "$command"; done)
as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo -n)
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
# shellcheck disable=SC2086 # one argument a package
"${as_root[@]}" apt-get install -y -qq --no-install-recommends $packages >/dev/null
