"""Requests a second through Envoy with the filter and without it: bench.py SECONDS."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from conftest import BINARIES, Envoy, Values, free_port, started

CONNECTIONS = 16


class Plain(Envoy):
    """Envoy without the filter."""

    def config(self, upstream, settings):
        text = super().config(upstream, settings)
        begin = text.index("          - name: envoy.filters.http.wasm")
        return text[:begin] + text[text.index("          - name: envoy.filters.http.router") :]


def rate(url: str, seconds: int, script: Path) -> float:
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", script, f"{url}/v1/chat/completions"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "Non-2xx" not in output, output
    return float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])


def main(seconds: int):
    port = free_port()
    provider = subprocess.Popen([BINARIES / "mock-provider", str(port)], stdout=subprocess.DEVNULL)
    started(provider, f"http://127.0.0.1:{port}/_mock/requests")
    text = Values(1).text + " and so on" * 180
    body = json.dumps({"model": "says/ok", "messages": [{"role": "user", "content": text}]})
    folder = Path(tempfile.mkdtemp())
    script = folder / "post.lua"
    script.write_text(f"wrk.method = 'POST'\nwrk.body = [==[{body}]==]\n")
    rates = {}
    try:
        for name, kind in [("without", Plain), ("with", Envoy)]:
            (folder / name).mkdir()
            envoy = kind(folder / name, port)
            started(envoy.process, f"{envoy.url}/v1/models")
            rates[name] = max(rate(envoy.url, seconds, script) for _ in range(3))
            envoy.stop()
    finally:
        provider.kill()
    print(f"{len(body)} bytes, {CONNECTIONS} connections, 1 worker, best of 3")
    print(f"without the filter {rates['without']:.0f}/s, with it {rates['with']:.0f}/s")
    print(f"share {rates['with'] / rates['without']:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
