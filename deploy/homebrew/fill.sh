#!/usr/bin/env bash
# Prints the Homebrew formula of a release: fill.sh VERSION SHA256SUMS
set -euo pipefail
version=$1 sums=$2
script=(-e "s/@VERSION@/$version/g")
for target in {aarch64,x86_64}-{apple-darwin,unknown-linux-gnu}; do
  sum=$(sed -n "s/^\([0-9a-f]\{64\}\)  maskproxy-$version-$target\.tar\.gz\$/\1/p" "$sums")
  [ -n "$sum" ] || { echo "$sums has no archive for $target" >&2; exit 1; }
  script+=(-e "s/@$target@/$sum/")
done
sed "${script[@]}" "$(dirname "$0")/maskproxy.rb"
