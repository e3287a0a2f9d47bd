"""Starts the mock provider and the real proxy, and watches what the provider is told."""

import itertools
import json
import os
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

BINARIES = Path(os.environ["BINARIES"]).resolve()
numbers = itertools.count(1)


class Values:
    """Invented values that belong to one caller only."""

    def __init__(self, number: int):
        self.email = f"user{number:04}.q@corp{number:04}.example.com"
        self.phone = f"+1 (415) 555-{number:04}"
        self.key = f"sk-proj-Ab3Xk2Wq9Zt5Vb8Nm4Rc7Yp1Ls6Hd3Gf0Ja{number:04}"
        self.password = f'Tr0ub{number:04}dor\\x"q9'
        self.text = (
            f"Write to {self.email}, call {self.phone}, key {self.key} and password='{self.password}' please."
        )

    def all(self):
        return [self.email, self.phone, self.key, self.password]


class Provider:
    def __init__(self, url: str):
        self.url = url

    def requests(self):
        with urllib.request.urlopen(f"{self.url}/_mock/requests") as reply:
            return json.load(reply)

    def last(self):
        return json.loads(self.requests()[-1]["body"])

    def forget(self):
        urllib.request.urlopen(urllib.request.Request(f"{self.url}/_mock/requests", method="DELETE"))

    def saw(self, values: Values):
        """The values that reached the provider, as written or JSON-escaped."""
        told = "".join(request["body"] + str(request["headers"]) for request in self.requests())
        return [value for value in values.all() if value in told or json.dumps(value)[1:-1] in told]


def started(process: subprocess.Popen, url: str):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, f"{process.args[0]} ended at once"
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except OSError:
            time.sleep(0.02)
    raise AssertionError(f"{process.args[0]} does not serve")


reserved = []


def free_port() -> int:
    """A port that the system gives to nobody else; a server that reuses addresses may listen there."""
    probe = socket.socket()
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    probe.bind(("127.0.0.1", 0))
    reserved.append(probe)
    return probe.getsockname()[1]


@pytest.fixture(scope="session")
def running_provider():
    port = free_port()
    process = subprocess.Popen([BINARIES / "mock-provider", str(port)], stdout=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    started(process, f"{url}/_mock/requests")
    yield Provider(url)
    process.kill()


@pytest.fixture(scope="session")
def proxy(running_provider, tmp_path_factory):
    port = free_port()
    process = subprocess.Popen(
        [BINARIES / "maskproxy", "proxy", "--upstream", running_provider.url, "--port", str(port)],
        cwd=tmp_path_factory.mktemp("proxy"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    started(process, f"{url}/health")
    yield url
    process.kill()


@pytest.fixture
def provider(running_provider):
    running_provider.forget()
    return running_provider


@pytest.fixture
def values(provider):
    """This test's values; none of them may have reached the provider."""
    values = Values(next(numbers))
    yield values
    assert provider.requests(), "the provider was asked"
    assert provider.saw(values) == []
