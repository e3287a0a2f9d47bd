#!/usr/bin/env bash
# Packs a binary as an archive, a .deb and an .rpm, and writes their checksums.
# build.sh BINARY VERSION ARCH FOLDER, where ARCH is amd64 or arm64 and NFPM may name the nfpm binary.
set -euo pipefail
binary=$(realpath "$1") version=$2 arch=$3
mkdir -p "$4"
out=$(realpath "$4")
cd "$(dirname "$0")/../.."
case $arch in
  amd64) target=x86_64-unknown-linux-gnu ;;
  arm64) target=aarch64-unknown-linux-gnu ;;
  *) echo "unknown architecture: $arch" >&2; exit 2 ;;
esac

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
install -m 755 "$binary" "$stage/maskproxy"
"$binary" man "$stage/man"
gzip -9n "$stage"/man/*
mkdir "$stage/completions"
"$binary" completions bash >"$stage/completions/maskproxy.bash"
"$binary" completions zsh >"$stage/completions/_maskproxy"
"$binary" completions fish >"$stage/completions/maskproxy.fish"

for packager in deb rpm; do
  ARCH=$arch VERSION=$version STAGE=$stage "${NFPM:-nfpm}" package -f deploy/package/nfpm.yaml -p "$packager" -t "$out" >/dev/null
done

name=maskproxy-$version-$target
mkdir "$stage/$name"
cp -r "$stage/maskproxy" "$stage/man" "$stage/completions" LICENSE-MIT LICENSE-APACHE ./*.md docs "$stage/$name"
tar -C "$stage" --owner=0 --group=0 -czf "$out/$name.tar.gz" "$name"
(cd "$out" && sha256sum -- *.tar.gz *.deb *.rpm >SHA256SUMS)
