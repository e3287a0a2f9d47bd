"""The official Node SDKs through Envoy: the same tests that the native proxy passes."""

import os
import subprocess

import pytest
from conftest import TESTS

FILES = sorted((TESTS / "sdk" / "node").glob("*.test.mjs"))


@pytest.mark.parametrize("file", FILES, ids=[file.name for file in FILES])
def test_the_node_sdk_works_through_envoy(proxy, running_provider, file):
    environment = {**os.environ, "PROXY": proxy, "PROVIDER": running_provider.url}
    command = [os.environ["NODE"], "--test", "--test-reporter=spec", file]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
