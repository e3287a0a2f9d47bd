#!/bin/sh
# Installs the maskproxy binary of a release for this machine, after checking its checksum.
#   curl -fsSL https://github.invalid/maskproxy/maskproxy/releases/latest/download/install.sh | sh
# Variables: MASKPROXY_VERSION (such as 0.1.0; default: the latest), MASKPROXY_BIN (a folder; default: ~/.local/bin),
# MASKPROXY_RELEASES (the URL of the releases).
set -eu

releases=${MASKPROXY_RELEASES:-https://github.invalid/maskproxy/maskproxy/releases}
folder=${MASKPROXY_BIN:-$HOME/.local/bin}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

fetch() { # URL FILE
  if command -v curl >/dev/null; then
    curl -fsSL --proto '=https,http' -o "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q -O "$2" "$1"
  else
    fail "curl or wget is needed"
  fi || fail "can't fetch $1"
}

checksum() { # FILE
  if command -v sha256sum >/dev/null; then
    sha256sum "$1" | cut -d ' ' -f 1
  else
    shasum -a 256 "$1" | cut -d ' ' -f 1
  fi
}

case "$(uname -s) $(uname -m)" in
  "Linux x86_64") target=x86_64-unknown-linux-gnu ;;
  "Linux aarch64") target=aarch64-unknown-linux-gnu ;;
  "Darwin x86_64") target=x86_64-apple-darwin ;;
  "Darwin arm64") target=aarch64-apple-darwin ;;
  *) fail "there is no binary for $(uname -s) on $(uname -m); build one with cargo install" ;;
esac

if [ -n "${MASKPROXY_VERSION:-}" ]; then
  base=$releases/download/v$MASKPROXY_VERSION
else
  base=$releases/latest/download
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fetch "$base/SHA256SUMS" "$work/SHA256SUMS"
archive=$(sed -n "s/^[0-9a-f]\{64\}  \(maskproxy-.*-$target\.tar\.gz\)\$/\1/p" "$work/SHA256SUMS" | head -n 1)
[ -n "$archive" ] || fail "the release has no archive for $target"
fetch "$base/$archive" "$work/$archive"
wanted=$(sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p" "$work/SHA256SUMS" | head -n 1)
[ "$(checksum "$work/$archive")" = "$wanted" ] || fail "the checksum of $archive is wrong: nothing was installed"

tar -C "$work" -xzf "$work/$archive"
mkdir -p "$folder"
# Replace the binary atomically. A running maskproxy keeps the binary that it was started from.
cp "$work/${archive%.tar.gz}/maskproxy" "$folder/.maskproxy.new"
chmod 755 "$folder/.maskproxy.new"
mv "$folder/.maskproxy.new" "$folder/maskproxy"
echo "installed $("$folder/maskproxy" --version) to $folder/maskproxy"
case ":$PATH:" in
  *":$folder:"*) ;;
  *) echo "add $folder to your PATH" ;;
esac
