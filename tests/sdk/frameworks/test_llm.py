"""llm, started by `maskproxy run`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import BINARIES

PROGRAMS = Path(sys.executable).parent


@pytest.mark.parametrize("model", ["gpt-4o-mini", "claude-haiku-4.5"])
def test_llm_prints_the_restored_reply(model, running_provider, values, tmp_path):
    keys = {"OPENAI_API_KEY": "sk-fake", "ANTHROPIC_API_KEY": "sk-ant-fake"}
    ended = subprocess.run(
        [BINARIES / "maskproxy", "run", "llm", "-u", running_provider.url, "--", "-m", model, values.text],
        env={"HOME": str(tmp_path), "PATH": f"{PROGRAMS}:{os.environ['PATH']}", **keys},
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert ended.stdout.strip() == values.text, ended.stderr
    assert "1 request, 4 values masked" in ended.stderr
    assert ended.stderr.endswith("nothing left unmasked\n")
