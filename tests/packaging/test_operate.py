"""docs/operate.md, carried out: two instances on one Redis behind nginx, and the chart with the page's values."""

import json
import re
import urllib.request

import yaml

from conftest import BINARIES, DEPLOY, MASKPROXY, ROOT, free_port, run
from test_containers import helm  # noqa: F401, a fixture

PAGE = (ROOT / "docs" / "operate.md").read_text()
ADDRESS = "alice@example.com"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)


def certificate(folder, *options):
    """A key and a certificate that sign themselves, for the server and for the client."""
    key, cert = folder / "key.pem", folder / "cert.pem"
    name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "1", "-keyout", key, "-out", cert, *name, *options)
    return key, cert


def nginx(folder, port, instances):
    """The page's configuration, with the paths and ports of this machine."""
    [server] = blocks("nginx")
    key, cert = certificate(folder)
    replaced = {
        "10.0.0.11:8000": f"127.0.0.1:{instances[0]}",
        "10.0.0.12:8000": f"127.0.0.1:{instances[1]}",
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/nginx/tls/cert.pem": str(cert),
        "/etc/nginx/tls/key.pem": str(key),
        "/etc/nginx/tls/clients.pem": str(cert),
    }
    for before, after in replaced.items():
        assert before in server, before
        server = server.replace(before, after)
    own = "".join(f"{name}_temp_path {folder}/{name};" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off; {own}\n{server}\n"
        f"server {{ listen 127.0.0.1:{port + 1}; return 204; }} }}\n"
    )
    return config, key, cert


def redis(folder, port):
    """The page's Redis and its users, with the paths of this machine, and a certificate of no authority."""
    server, users = blocks("conf")
    key, cert = certificate(folder, "-addext", "basicConstraints=critical,CA:FALSE")
    (folder / "users.acl").write_text(users)
    replaced = {"6379": str(port), "/etc/redis/redis.crt": str(cert), "/etc/redis/redis.key": str(key), "/etc/redis": str(folder)}
    for before, after in replaced.items():
        assert before in server, before
        server = server.replace(before, after)
    config = folder / "redis.conf"
    config.write_text(f"{server}\nbind 127.0.0.1\ndir {folder}\n")
    return config, cert


def test_two_instances_on_one_redis_behind_nginx(start, tmp_path):
    provider, redis_port = free_port(), free_port()
    redis_folder = tmp_path / "redis"
    redis_folder.mkdir()
    redis_config, authority = redis(redis_folder, redis_port)
    start(f"http://127.0.0.1:{provider}/_mock/requests", BINARIES / "mock-provider", provider)
    [settings, *_] = blocks("yaml")
    settings = yaml.safe_load(settings)
    settings["host"] = "127.0.0.1"
    settings["audit"]["path"] = "audit.log"
    settings["proxy"]["upstream"] = f"http://127.0.0.1:{provider}"
    instances = [free_port(), free_port()]
    [url] = re.findall(r'^MASK_REDIS_URL="(.*)"$', PAGE, re.M)
    secrets = {
        "MASK_REDIS_URL": url.replace("redis.internal:6379", f"127.0.0.1:{redis_port}"),
        "MASK_REDIS_CA_CERTS": str(authority),
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
    config, key, cert = nginx(tmp_path, front, instances)
    start(f"http://127.0.0.1:{front + 1}/", "nginx", "-c", config)

    url = f"https://127.0.0.1:{front}"
    curl = ["curl", "-sS", "--cacert", cert]
    refused = run(*curl, "-o", "/dev/null", "-w", "%{http_code}", f"{url}/v1/models")
    assert refused.stdout == "400", "a client without a certificate is refused"
    curl += ["--cert", cert, "--key", key]
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


def test_the_chart_takes_the_pages_values(helm, tmp_path):  # noqa: F811
    [_, values, audit, policy] = blocks("yaml")
    given = tmp_path / "values.yaml"
    given.write_text(values.replace("secrets:\n", f"{audit}secrets:\n") + policy)
    rendered = run(helm, "template", "maskproxy", DEPLOY / "helm" / "maskproxy", "-f", given).stdout
    assert "secretKeyRef" in rendered and "type: redis" in rendered and "path: /dev/stdout" in rendered
    assert "kubernetes.io/metadata.name: monitoring" in rendered
    for secret in re.findall(r"--from-literal=([\w-]+)=", PAGE):
        assert f"key: {secret}" in rendered, secret


def test_every_alert_that_the_page_names_exists():
    alerts = (DEPLOY / "prometheus" / "alerts.yml").read_text()
    named = re.findall(r"`(Maskproxy\w+)`", PAGE)
    assert len(named) >= 5 and all(f"alert: {name}\n" in alerts for name in named), named
