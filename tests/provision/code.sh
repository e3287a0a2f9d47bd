#!/usr/bin/env bash
# Downloads the packages that the judge of assigned values is trained on, and prints their folder. Their texts (sources, tests,
# documentation, settings, translations, drawings) are assumed to contain no secrets. The versions are part of the model.
set -euo pipefail

cd "$(dirname "$0")/../.."
folder=$PWD/target/code-packages
done=$folder/.done-1

crates=(
  actix-web@4.11.0 argon2@0.5.3 axum@0.8.6 chrono@0.4.42 clap_builder@4.5.50 cranelift-codegen@0.125.0 diesel@2.3.2
  figment@0.10.19 git2@0.20.2 h2@0.4.12 hyper@1.7.0 image@0.25.8 jsonwebtoken@10.1.0 lettre@0.11.18 oauth2@5.0.0 openssl@0.10.74
  opentelemetry_sdk@0.31.0 rayon@1.11.0 redis@0.32.7 regex-automata@0.4.13 reqwest@0.12.24 ring@0.17.14 rocket@0.5.1
  rusqlite@0.37.0 rustls@0.23.34 sea-orm@1.1.17 serde_json@1.0.145 syn@2.0.108 tokio@1.48.0 tonic@0.14.2
  toml_edit@0.23.7 tracing-subscriber@0.3.20 trust-dns-proto@0.23.2 wasmparser@0.240.0
)
wheels=(
  ansible-core==2.19.3 botocore==1.40.70 celery==5.5.3 certbot==5.1.0 cryptography==46.0.3 django==5.2.8 django-oscar==4.2.1
  flask==3.1.2 kubernetes==34.1.0 paramiko==4.0.0 pip==25.3 poetry==2.2.1 requests==2.32.5 scrapy==2.13.3 setuptools==80.9.0
  sphinx==8.2.3 sqlalchemy==2.0.44 urllib3==2.5.0
)
modules=(
  @angular/cli@20.3.9 @types/node@24.10.1 aws-cdk-lib@2.220.0 bootstrap@5.3.8 bootstrap-icons@1.13.1 date-fns@4.1.0
  element-plus@2.11.7 eslint@9.39.1 express@5.1.0 firebase-admin@13.5.0 jsonwebtoken@9.0.2 knex@3.1.0 lodash@4.17.21 moment@2.30.1
  npm@11.6.2 passport@0.7.0 sequelize@6.37.7 stripe@19.2.0 typeorm@0.3.27 vue@3.5.23 webpack@5.102.1
)

if [ ! -e "$done" ]; then
  rm -rf "$folder" && mkdir -p "$folder"/{rust,python,node,vendor/src}
  touch "$folder/vendor/src/lib.rs"
  {
    printf '[package]\nname = "code"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n[dependencies]\n'
    for crate in "${crates[@]}"; do printf '%s = { version = "=%s", default-features = false }\n' "${crate%@*}" "${crate#*@}"; done
  } >"$folder/vendor/Cargo.toml"
  cargo vendor -q --manifest-path "$folder/vendor/Cargo.toml" "$folder/vendor/crates" >/dev/null
  for crate in "${crates[@]}"; do mv "$folder/vendor/crates/${crate%@*}" "$folder/rust/"; done
  for wheel in "${wheels[@]}"; do
    python3 -m pip install -q --root-user-action ignore --no-deps --no-compile --target "$folder/python/${wheel%%=*}" "$wheel" >&2
  done
  for module in "${modules[@]}"; do
    archive=$(cd "$folder" && npm pack --silent "$module")
    name=${module%@*} && name=$folder/node/${name##*/}
    mkdir -p "$name"
    tar -xzf "$folder/$archive" -C "$name" --strip-components 1 && rm "$folder/$archive"
  done
  rm -rf "$folder/vendor"
  touch "$done"
fi
echo "$folder"
