#!/usr/bin/env bash
# Writes the repository's address into every file that has the placeholder: repository.sh URL
# Until then the address ends in .invalid, so that nobody installs what a stranger published under a name like ours.
set -euo pipefail
cd "$(dirname "$0")/.."
placeholder=$(sed -n 's/^repository = "\(.*\)"$/\1/p' shell/Cargo.toml)
# shellcheck disable=SC2016 # Perl reads the variables.
git grep -lzF "$placeholder" | PLACEHOLDER=$placeholder URL=${1%/} xargs -0 perl -pi -e 's|\Q$ENV{PLACEHOLDER}\E|$ENV{URL}|g'
