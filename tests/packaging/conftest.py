"""What the packaging tests share: the repository, the built binaries, tools, servers."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

# Servers and what dpkg calls lie there, and not every user looks there.
os.environ["PATH"] += ":/usr/sbin:/sbin"

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
BINARIES = Path(os.environ["BINARIES"]).resolve()
MASKPROXY = BINARIES / "maskproxy"
NODE_MODULES = Path(__file__).parent / "node_modules"


def tool(name: str) -> str:
    """A command of this Python's packages."""
    return str(Path(sys.executable).with_name(name))


def run(*command, check=True, **options) -> subprocess.CompletedProcess:
    """Runs a command to its end, with its output as text."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert not check or done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(url: str, process: subprocess.Popen):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, f"{process.args[0]} ended at once"
        try:
            return urllib.request.urlopen(url, timeout=2).close()
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"nothing answers at {url}")


@pytest.fixture
def start(tmp_path):
    """Starts servers, which are stopped at the end of the test."""
    running = []

    def start(url: str, *command, **options) -> subprocess.Popen:
        log = (tmp_path / f"server-{len(running)}.log").open("w")
        process = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log, **options)
        running.append(process)
        wait_for(url, process)
        return process

    yield start
    for process in reversed(running):
        process.terminate()
        process.wait(timeout=30)
