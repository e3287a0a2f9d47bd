"""LiteLLM's own proxy, and maskproxy with a guardrail, as docs/gateways.md sets them up."""

import os
import subprocess
import sys
from pathlib import Path

import yaml
from conftest import BINARIES, free_port, started

PAGE = Path(__file__).parents[3] / "docs" / "gateways.md"
KEY = "sk-Zb4Xk2Wq9Zt5Vb8Nm4Rc7Yp1Ls6Hd3Gf"
GUARDRAIL_KEY = "guard-7f3a91c2d8e64b05"


def of_page(name: str) -> str:
    """The example of the page that follows a line with this name."""
    _, _, rest = PAGE.read_text().partition(f"`{name}")
    return rest.split("```yaml\n", 1)[1].split("```", 1)[0]


class Gateway:
    """LiteLLM's proxy in a process, configured by text."""

    def __init__(self, directory: Path, config: dict, environment: dict):
        self.url = f"http://127.0.0.1:{(port := free_port())}"
        file = directory / "litellm.yaml"
        file.write_text(yaml.safe_dump(config))
        self.log = directory / "litellm.log"
        self.process = subprocess.Popen(
            [Path(sys.executable).parent / "litellm", "--config", file, "--host", "127.0.0.1", "--port", str(port)],
            cwd=directory,
            env={**os.environ, "LITELLM_MASTER_KEY": KEY, **environment},
            stdout=self.log.open("w"),
            stderr=subprocess.STDOUT,
        )
        started(self.process, f"{self.url}/health/liveliness")


def guardrail(directory: Path, upstream: str, environment: dict):
    """maskproxy with a guardrail: the process and its address."""
    ports = free_port(), free_port()
    process = subprocess.Popen(
        [BINARIES / "maskproxy", "proxy", "--upstream", upstream, "--port", str(ports[0]), "--guardrail", str(ports[1])],
        cwd=directory,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{ports[1]}"
    started(process, f"{url}/health")
    return process, url
