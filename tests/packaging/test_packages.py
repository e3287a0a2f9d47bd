"""The archive, the .deb and the .rpm of the built binary: installed, upgraded, removed and purged in a root of their own."""

import gzip
import hashlib
import http.server
import os
import re
import shutil
import stat
import tarfile
import threading
import time
import tomllib
from functools import partial
from pathlib import Path

import pytest

from conftest import DEPLOY, MASKPROXY, ROOT, free_port, run, tool

UNIT = DEPLOY / "systemd" / "maskproxy.service"
ARCH = run("dpkg", "--print-architecture").stdout.strip()
TARGET = {"amd64": "x86_64-unknown-linux-gnu", "arm64": "aarch64-unknown-linux-gnu"}[ARCH]


def pack(binary, version, out):
    environment = {**os.environ, "NFPM": tool("nfpm")}
    run(DEPLOY / "package" / "build.sh", binary, version, ARCH, out, env=environment)


@pytest.fixture(scope="session")
def packed(tmp_path_factory):
    """Packages of two versions."""
    out = tmp_path_factory.mktemp("dist")
    binary = out / "maskproxy"
    run("strip", "-o", binary, MASKPROXY)
    for version in ["0.1.0", "0.2.0"]:
        pack(binary, version, out / version)
    return out


@pytest.fixture
def dpkg(tmp_path):
    """dpkg with a root of its own, and that root. Dependencies are not there; scripts run outside of it."""
    root = tmp_path / "root"
    for folder in ["info", "updates", "triggers"]:
        (root / "var/lib/dpkg" / folder).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    options = ["--force-depends", "--force-script-chrootless", "--force-not-root", "--force-confold"]

    def dpkg(*words):
        return run("dpkg", f"--root={root}", f"--log={tmp_path}/log", *options, *words)

    return dpkg, root


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_the_debian_package_installs_upgrades_and_purges(packed, dpkg):
    dpkg, root = dpkg
    dpkg("-i", packed / f"0.1.0/maskproxy_0.1.0_{ARCH}.deb")
    assert run(root / "usr/bin/maskproxy", "--version").stdout.startswith("maskproxy ")
    assert (root / "usr/lib/systemd/system/maskproxy.service").read_text() == UNIT.read_text()
    page = gzip.decompress((root / "usr/share/man/man1/maskproxy-proxy.1.gz").read_bytes())
    assert b".TH maskproxy-proxy 1" in page
    # Messages name pages of docs/, and the README links to them.
    pages = root / "usr/share/doc/maskproxy"
    assert {*pages.rglob("*.md")} == {pages / page.relative_to(ROOT) for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]}
    page = root / "usr/share/man/man5/maskproxy.yaml.5.gz"
    assert b"vault.redis_url" in gzip.decompress(page.read_bytes())
    for script in [
        "bash-completion/completions/maskproxy",
        "zsh/vendor-completions/_maskproxy",
        "fish/vendor_completions.d/maskproxy.fish",
    ]:
        assert "opencode" in (root / "usr/share" / script).read_text(), script
    config, secrets = root / "etc/maskproxy/maskproxy.yaml", root / "etc/maskproxy/environment"
    assert (mode(config), mode(secrets)) == (0o644, 0o600)
    run(MASKPROXY, "config", "-c", config)

    changed = config.read_text().replace("port: 8000", "port: 8001")
    config.write_text(changed)
    state = root / "var/lib/maskproxy"
    state.mkdir()
    (state / "audit.log").touch()
    dpkg("-i", packed / f"0.2.0/maskproxy_0.2.0_{ARCH}.deb")
    assert config.read_text() == changed and state.exists()
    assert "0.2.0" in dpkg("-s", "maskproxy").stdout

    dpkg("-r", "maskproxy")
    assert not (root / "usr/bin/maskproxy").exists()
    assert config.read_text() == changed and state.exists()
    dpkg("-P", "maskproxy")
    assert not config.exists() and not state.exists()
    left = [path for path in (root / "usr").rglob("*maskproxy*")]
    assert left == []


def test_the_services_command_starts_with_the_packaged_configuration(packed, dpkg, start, tmp_path):
    dpkg, root = dpkg
    dpkg("-i", packed / f"0.1.0/maskproxy_0.1.0_{ARCH}.deb")
    [command] = re.findall(r"^ExecStart=(.*)$", UNIT.read_text(), re.M)
    config = root / "etc/maskproxy/maskproxy.yaml"
    port = free_port()
    text = config.read_text().replace("/var/lib/maskproxy", str(tmp_path)).replace("port: 8000", f"port: {port}")
    config.write_text(text)
    words = [str(root / word[1:]) if word.startswith("/") else word for word in command.split()]
    start(f"http://127.0.0.1:{port}/ready", *words, cwd=tmp_path, env={})
    assert (tmp_path / "audit.log").exists()
    assert mode(tmp_path / "audit.log") == 0o600
    rotation = tmp_path / "logrotate.conf"
    text = (root / "etc/logrotate.d/maskproxy").read_text()
    rotation.write_text(text.replace("/var/lib/private/maskproxy", str(tmp_path)))
    (tmp_path / "audit.log").write_text("{}\n")
    run("logrotate", "--force", "--state", tmp_path / "state", rotation)
    deadline = time.monotonic() + 5
    while not (tmp_path / "audit.log").exists():
        assert time.monotonic() < deadline, "the trail goes on in a new file"
        run("curl", "-s", "-d", "no JSON", f"http://127.0.0.1:{port}/v1/messages")
        time.sleep(0.1)
    assert (tmp_path / "audit.log.1").read_text().startswith("{}\n")


def test_the_rpm_holds_the_same_files_and_keeps_the_configuration(packed, tmp_path):
    [package] = packed.glob("0.1.0/*.rpm")
    listed = run("rpm", "-qpl", package).stdout.split()
    for file in [
        "/usr/bin/maskproxy",
        "/usr/lib/systemd/system/maskproxy.service",
        "/usr/share/man/man1/maskproxy.1.gz",
        "/usr/share/man/man5/maskproxy.yaml.5.gz",
        "/usr/share/zsh/site-functions/_maskproxy",
        "/etc/maskproxy/environment",
    ]:
        assert file in listed, listed
    kept = run("rpm", "-qpc", package).stdout.split()
    assert kept == ["/etc/logrotate.d/maskproxy", "/etc/maskproxy/environment", "/etc/maskproxy/maskproxy.yaml"]
    assert "glibc >= 2.28" in run("rpm", "-qpR", package).stdout
    root = tmp_path / "root"
    options = ["--root", root, "--nodeps", "--noscripts", "--ignorearch", "--ignoreos"]
    run("rpm", "-i", *options, package)
    assert run(root / "usr/bin/maskproxy", "--version").stdout.startswith("maskproxy ")
    [newer] = packed.glob("0.2.0/*.rpm")
    run("rpm", "-U", *options, newer)
    run("rpm", "-e", "--root", root, "--nodeps", "--noscripts", "maskproxy")
    assert not (root / "usr/bin/maskproxy").exists()


def test_the_systemd_unit_is_valid_and_sandboxed(tmp_path):
    # Only what is missing on this machine may be complained of: the program and its manual page.
    unit = tmp_path / "maskproxy.service"
    unit.write_text(UNIT.read_text().replace("/usr/bin/maskproxy", str(MASKPROXY)))
    verified = run("systemd-analyze", "verify", "--man=no", unit)
    assert verified.stderr.strip() == "", verified.stderr
    run("systemd-analyze", "security", "--offline=true", "--threshold=15", unit)


@pytest.fixture
def releases(packed, tmp_path):
    """A server of releases, as the forge lays them out; its URL and its folder."""
    folder = tmp_path / "releases"
    shutil.copytree(packed / "0.1.0", folder / "latest/download")
    shutil.copytree(packed / "0.2.0", folder / "download/v0.2.0")
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    handler.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", folder
    server.shutdown()


def install(url, folder, **more):
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "MASKPROXY_RELEASES": url, **more}
    return run("sh", DEPLOY / "install.sh", env=environment, check=False)


def test_install_sh_installs_only_with_the_right_checksum(releases, tmp_path):
    url, folder = releases
    home = tmp_path / "home"
    installed = install(url, home)
    assert installed.returncode == 0, installed.stderr
    assert run(home / ".local/bin/maskproxy", "--version").stdout.startswith("maskproxy ")
    named = install(url, home, MASKPROXY_VERSION="0.2.0", MASKPROXY_BIN=str(home / "bin"))
    assert named.returncode == 0 and (home / "bin/maskproxy").exists(), named.stderr

    archive = folder / f"latest/download/maskproxy-0.1.0-{TARGET}.tar.gz"
    with archive.open("ab") as file:
        file.write(b"x")
    other = tmp_path / "other"
    refused = install(url, other)
    assert refused.returncode == 1 and "checksum" in refused.stderr, refused.stderr
    assert not (other / ".local/bin/maskproxy").exists()
    missing = install(url, other, MASKPROXY_VERSION="9.9.9")
    assert missing.returncode == 1 and "can't fetch" in missing.stderr


def test_binstall_finds_the_archive_and_the_binary_in_it(packed):
    package = tomllib.loads((ROOT / "shell/Cargo.toml").read_text())["package"]
    binstall = package["metadata"]["binstall"]
    filled = {"{ version }": "0.1.0", "{ target }": TARGET, "{ bin }": "maskproxy", "{ binary-ext }": "", "{ repo }": package["repository"]}
    url, path = binstall["pkg-url"], binstall["bin-dir"]
    for name, value in filled.items():
        url, path = url.replace(name, value), path.replace(name, value)
    archive = packed / "0.1.0" / url.rsplit("/", 1)[1]
    assert url.startswith("https://github.invalid/maskproxy/maskproxy/releases/download/v0.1.0/")
    with tarfile.open(archive) as opened:
        assert opened.getmember(path).mode & 0o111
        names = opened.getnames()
    assert any(name.endswith("/man/maskproxy.1.gz") for name in names), names


def test_windows_and_linux_archives_have_the_same_files(packed, tmp_path):
    binary = tmp_path / "maskproxy.exe"
    shutil.copy(packed / "maskproxy", binary)
    target = "x86_64-pc-windows-msvc"
    run(DEPLOY / "package" / "archive.sh", binary, "0.1.0", target, tmp_path / "dist")

    def files(archive, target):
        with tarfile.open(archive) as opened:
            return {member.name.replace(f"maskproxy-0.1.0-{target}", "") for member in opened if member.isfile()}

    of_windows = files(tmp_path / f"dist/maskproxy-0.1.0-{target}.tar.gz", target)
    of_linux = files(packed / f"0.1.0/maskproxy-0.1.0-{TARGET}.tar.gz", TARGET)
    assert of_windows - {"/maskproxy.exe"} == of_linux - {"/maskproxy"}
    assert "/maskproxy.exe" in of_windows


def test_the_formula_names_every_archive_with_its_checksum(tmp_path):
    sums = tmp_path / "SHA256SUMS"
    lines = []
    for target in ["aarch64-apple-darwin", "x86_64-apple-darwin", "aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"]:
        lines.append(f"{hashlib.sha256(target.encode()).hexdigest()}  maskproxy-1.2.3-{target}.tar.gz")
    sums.write_text("\n".join(lines))
    formula = run(DEPLOY / "homebrew/fill.sh", "1.2.3", sums).stdout
    assert not re.search(r"@[\w-]+@", formula)
    for line in lines:
        digest, archive = line.split()
        before, after = formula.split(f"download/v1.2.3/{archive}")
        assert after.split("sha256")[1].strip().startswith(f'"{digest}"')
    sums.write_text(lines[0])
    assert run(DEPLOY / "homebrew/fill.sh", "1.2.3", sums, check=False).returncode == 1


def test_every_script_passes_shellcheck():
    scripts = [path for path in DEPLOY.rglob("*.sh")]
    assert len(scripts) > 5
    run("shellcheck", *scripts)
