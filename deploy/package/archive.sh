#!/usr/bin/env bash
# Packs a binary as an archive, for macOS and Windows: archive.sh BINARY VERSION TARGET FOLDER [RUNNABLE].
# RUNNABLE is the same program for this machine, if BINARY can't run here.
set -euo pipefail
binary=$(realpath "$1") version=$2 target=$3 runnable=$(realpath "${5:-$1}")
mkdir -p "$4"
out=$(realpath "$4")
cd "$(dirname "$0")/../.."

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
name=maskproxy-$version-$target
mkdir -p "$stage/$name/completions"
cd "$stage"
"$runnable" man "$name/man"
gzip -9n "$name"/man/*
"$runnable" completions bash >"$name/completions/maskproxy.bash"
"$runnable" completions zsh >"$name/completions/_maskproxy"
"$runnable" completions fish >"$name/completions/maskproxy.fish"
cd "$OLDPWD"
cp -r "$binary" LICENSE-MIT LICENSE-APACHE ./*.md docs "$stage/$name"
tar -C "$stage" -czf "$out/$name.tar.gz" "$name"
