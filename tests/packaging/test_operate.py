"""docs/operate.md, carried out: two instances on one Redis behind nginx, and the chart with the page's values."""

import json
import os
import re
import sqlite3
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest
import yaml

from conftest import BINARIES, DEPLOY, MASKPROXY, ROOT, free_port, run
from test_containers import helm  # noqa: F401, a fixture

PAGE = (ROOT / "docs" / "operate.md").read_text()
ADDRESS = "alice@example.com"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)


@pytest.fixture
def tls(tmp_path):
    """What the page's commands make: an authority, and certificates of Redis, nginx and a client. The servers' name this machine."""
    folder = tmp_path / "tls"
    folder.mkdir()
    for command in re.findall(r"^openssl .*", PAGE, re.M):
        command = re.sub(r"DNS:\w+\.internal", "IP:127.0.0.1", command)
        run("bash", "-euo", "pipefail", "-c", command, cwd=folder)
    return folder


def nginx(folder, tls, port, instances):
    """The page's configuration, with the paths and ports of this machine."""
    [server] = blocks("nginx")
    replaced = {
        "10.0.0.11:8000": f"127.0.0.1:{instances[0]}",
        "10.0.0.12:8000": f"127.0.0.1:{instances[1]}",
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/nginx/tls": str(tls),
    }
    own = "".join(f"{name}_temp_path {folder}/{name};" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off; {own}\n{local(server, replaced)}\n"
        f"server {{ listen 127.0.0.1:{port + 1}; return 204; }} }}\n"
    )
    return config


def redis(folder, tls, port):
    """The page's Redis and its users, with the address and the paths of this machine."""
    users, server = blocks("conf")
    (tls / "users.acl").write_text(users)
    config = folder / "redis.conf"
    server = local(server, {"10.0.0.21": "127.0.0.1", "6379": str(port), "/etc/redis": str(tls)})
    config.write_text(f"{server}\ndir {folder}\n")
    return config


def local(text, replaced):
    for before, after in replaced.items():
        assert before in text, before
        text = text.replace(before, after)
    return text


def test_two_instances_behind_nginx_share_one_redis(start, tls, tmp_path):
    provider, redis_port = free_port(), free_port()
    redis_config = redis(tmp_path, tls, redis_port)
    start(f"http://127.0.0.1:{provider}/_mock/requests", BINARIES / "mock-provider", provider)
    [settings, *_] = blocks("yaml")
    settings = yaml.safe_load(settings)
    settings["host"] = "127.0.0.1"
    settings["audit"]["path"] = "audit.log"
    settings["vault"]["redis_ca_certs"] = str(tls / Path(settings["vault"]["redis_ca_certs"]).name)
    settings["proxy"]["upstream"] = f"http://127.0.0.1:{provider}"
    instances = [free_port(), free_port()]
    [url] = re.findall(r'^MASK_REDIS_URL="(.*)"$', PAGE, re.M)
    secrets = {
        "MASK_REDIS_URL": url.replace("redis.internal:6379", f"127.0.0.1:{redis_port}"),
        "MASK_ANCHOR_SECRET": "a" * 64,
    }
    for number, port in enumerate(instances):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "maskproxy.yaml").write_text(yaml.safe_dump(settings))
        command = [MASKPROXY, "proxy", "-c", "maskproxy.yaml", "--port", port]
        start(f"http://127.0.0.1:{port}/health", *command, cwd=folder, env=secrets)
    # Ready once Redis is there, and not before.
    ready = f"http://127.0.0.1:{instances[0]}/ready"
    assert run("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", ready).stdout == "503"
    start(f"http://127.0.0.1:{instances[0]}/ready", "redis-server", redis_config)
    front = free_port()
    config = nginx(tmp_path, tls, front, instances)
    start(f"http://127.0.0.1:{front + 1}/", "nginx", "-c", config)

    url = f"https://127.0.0.1:{front}"
    [options] = re.findall(r"^curl -s (--cacert .*) https://mask.internal/ready$", PAGE, re.M)
    options = [tls / word if word.endswith((".pem", ".key")) else word for word in options.split()]
    curl = ["curl", "-sS", *options[:2]]
    refused = run(*curl, "-o", "/dev/null", "-w", "%{http_code}", f"{url}/v1/models")
    assert refused.stdout == "400", "a client without a certificate is refused"
    curl += options[2:]
    assert json.loads(run(*curl, f"{url}/ready").stdout) == {"status": "ready"}
    messages = [{"role": "user", "content": f"to {ADDRESS}"}]
    for stream in [False, True] * 3:
        body = json.dumps({"model": "echo/3", "messages": messages, "stream": stream})
        reply = run(*curl, "-H", "authorization: Bearer k", "-d", body, f"{url}/v1/chat/completions").stdout
        assert "<MASK" not in reply, reply
        assert stream or ADDRESS in reply, reply
    with urllib.request.urlopen(f"http://127.0.0.1:{provider}/_mock/requests") as told:
        bodies = [request["body"] for request in json.load(told)]
    assert len(bodies) == 6 and not any(ADDRESS in body for body in bodies)
    assert len(set(re.findall(r"<MASK_EMAIL_\w+>", "".join(bodies)))) == 1, "one token in both instances"
    counts = []
    for port in instances:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as metrics:
            metrics = metrics.read().decode()
        [count] = re.findall(r'^mask_entities_total\{type="EMAIL"\} (\d+)$', metrics, re.M)
        counts.append(int(count))
        assert not re.search(r'^mask_unmasked_heads_total\{place="header"\} [1-9]', metrics, re.M), "the page's headers are reported"
    assert min(counts) > 0, f"both instances took requests: {counts}"
    hidden = run(*curl, "-o", "/dev/null", "-w", "%{http_code}", f"{url}/metrics")
    assert hidden.stdout == "404"


def stored(vault):
    """Whether a proxy can use this vault now, as `doctor` tests it."""
    doctor = run(MASKPROXY, "doctor", "--json", check=False, env={"MASK_VAULT": "redis", **vault})
    [outcome] = [check["outcome"] for check in json.loads(doctor.stdout)["checks"] if check["part"] == "vault"]
    return outcome == "passed"


def test_the_redis_password_rotates_as_documented(start, tls, tmp_path):
    """No user had the right to change it."""
    port = free_port()
    config = redis(tmp_path, tls, port)
    [administer] = re.findall(r"`(redis-cli [^`]*) --askpass`", PAGE)
    administer = administer.replace("redis.internal", f"127.0.0.1 -p {port}").replace("authority.pem", str(tls / "authority.pem"))
    added, removed, saved = re.findall(r"`(ACL (?:SETUSER maskproxy [<>]\w+|SAVE))`", PAGE)

    def ask(command):
        words = [*administer.split(), *command.replace("OLD", "PASSWORD").split()]
        return run(*words, check=False, env={**os.environ, "REDISCLI_AUTH": "ADMIN-PASSWORD"}).stdout.strip()

    def redis_started():
        server = subprocess.Popen(["redis-server", config], stdout=subprocess.DEVNULL)
        while ask("PING") != "PONG":
            assert server.poll() is None
            time.sleep(0.05)
        return server

    def accepts(password):
        return stored({"MASK_REDIS_URL": f"rediss://maskproxy:{password}@127.0.0.1:{port}/0", "MASK_REDIS_CA_CERTS": str(tls / "authority.pem")})

    server = redis_started()
    try:
        assert ask(added) == "OK" and accepts("PASSWORD") and accepts("NEW")
        assert ask(removed) == "OK" and ask(saved) == "OK"
        server.terminate()
        server.wait(timeout=30)
        server = redis_started()
        assert accepts("NEW") and not accepts("PASSWORD")
    finally:
        server.terminate()
        server.wait(timeout=30)


def test_a_live_sqlite_backup_contains_the_sessions(start, tmp_path):
    provider = free_port()
    upstream = f"http://127.0.0.1:{provider}"
    start(f"{upstream}/_mock/requests", BINARIES / "mock-provider", provider)
    settings = {"MASK_VAULT": "sqlite", "MASK_SESSION_STRATEGY": "client", "MASK_UPSTREAM_URL": upstream}

    def asked(folder, model):
        """What a proxy in this folder answers to this client."""
        port = free_port()
        start(f"http://127.0.0.1:{port}/health", MASKPROXY, "proxy", "--port", port, cwd=folder, env=settings)
        body = json.dumps({"model": model, "messages": [{"role": "user", "content": f"to {ADDRESS}" if model == "echo" else "which?"}]})
        url = f"http://127.0.0.1:{port}/v1/chat/completions"
        return run("curl", "-sS", "-H", "authorization: Bearer k", "-d", body, url).stdout

    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir(), after.mkdir()
    assert ADDRESS in asked(before, "echo")
    [name] = [file.name for file in before.glob("*.db")]
    # What `.backup` of the command does.
    with sqlite3.connect(before / name) as source, sqlite3.connect(after / name) as copy:
        source.backup(copy)
    assert ADDRESS in asked(after, "says/<MASK_EMAIL_1>")


def test_the_chart_accepts_the_documented_values(helm, tmp_path):  # noqa: F811
    [_, values, audit, policy] = blocks("yaml")
    given = tmp_path / "values.yaml"
    given.write_text(values.replace("secrets:\n", f"{audit}secrets:\n") + policy)
    rendered = run(helm, "template", "maskproxy", DEPLOY / "helm" / "maskproxy", "-f", given).stdout
    assert "secretKeyRef" in rendered and "type: redis" in rendered and "path: /dev/stdout" in rendered
    assert "kubernetes.io/metadata.name: monitoring" in rendered
    for secret in re.findall(r"--from-literal=([\w-]+)=", PAGE):
        assert f"key: {secret}" in rendered, secret


def test_every_documented_alert_exists():
    alerts = (DEPLOY / "prometheus" / "alerts.yml").read_text()
    named = re.findall(r"`(Maskproxy\w+)`", PAGE)
    assert len(named) >= 5 and all(f"alert: {name}\n" in alerts for name in named), named
