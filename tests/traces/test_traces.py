"""Spans of the real proxy, received by a collector that reads them with OpenTelemetry's own types."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

MASKPROXY = Path(os.environ["TRACING_MASKPROXY"])
PROVIDER = Path(os.environ["BINARIES"]) / "mock-provider"
PLANTED = ["ada.lovelace@example.com", "Ada Lovelace", "ghp_1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S", "Bearer client-key-93"]
TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


class Collector:
    """What a collector was sent. `answer` is called before it answers."""

    def __init__(self, answer=lambda: 200):
        self.bodies, self.headers = [], []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                status = answer()
                if status == 200:
                    collector.bodies.append(body)
                    collector.headers.append((self.path, dict(self.headers)))
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def spans(self):
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        resources = [spans for request in requests for spans in request.resource_spans]
        for spans in resources:
            assert attributes(spans.resource)["service.name"] == "maskproxy"
        return [span for spans in resources for scope in spans.scope_spans for span in scope.spans]


def attributes(of):
    def value(of):
        return getattr(of, of.WhichOneof("value"))

    return {pair.key: value(pair.value) for pair in of.attributes}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask(port, path, body, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", path, json.dumps(body), {"content-type": "application/json", **headers})
    reply = connection.getresponse()
    return reply.status, reply.read().decode()


def chat(text, model="echo"):
    return {"model": model, "messages": [{"role": "user", "content": text}]}


@pytest.fixture
def start(tmp_path):
    """Starts the provider once, and proxies before it; the ports of both."""
    running = []

    def wait(port, process):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            assert process.poll() is None, f"{process.args[0]} ended at once"
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError("nothing listens")

    def run(*command, **options):
        process = subprocess.Popen([str(word) for word in command], cwd=tmp_path, stderr=subprocess.DEVNULL, **options)
        running.append(process)
        return process

    provider = free_port()
    wait(provider, run(PROVIDER, provider))

    def start(collector, *options, **environment):
        port = free_port()
        upstream = f"http://127.0.0.1:{provider}"
        environment = {**os.environ, **environment}
        if collector:
            environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector
        process = run(MASKPROXY, "proxy", "--port", port, "--upstream", upstream, *options, env=environment)
        wait(port, process)
        return port, process, provider

    yield start
    for process in running:
        process.kill()
        process.wait()


def told(provider):
    connection = http.client.HTTPConnection("127.0.0.1", provider)
    connection.request("GET", "/_mock/requests")
    return connection.getresponse().read().decode()


def stop(process):
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 0


def lost(port):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    return int(re.search(r"^mask_trace_spans_lost_total (\d+)$", text, re.M)[1])


def test_each_exchange_is_a_span_without_content(start):
    collector = Collector()
    port, process, provider = start(collector.url, OTEL_EXPORTER_OTLP_HEADERS="x-team=a%20b")
    text = f"To {PLANTED[1]}, {PLANTED[0]}, the key is {PLANTED[2]}"
    headers = {"authorization": PLANTED[3], "traceparent": f"00-{TRACE}-{PARENT}-01", "tracestate": "v=1"}
    status, reply = ask(port, f"/v1/chat/completions?note={PLANTED[0]}", chat(text), **headers)
    assert (status, text in reply) == (200, True)
    assert ask(port, "/v1/chat/completions", chat(text, "error-500"))[0] == 500
    assert ask(port, "/v1/chat/completions", chat(text, "close-before-reply"))[0] == 502
    assert ask(port, f"/v1/files/{PLANTED[0]}", {"text": text})[0] < 500
    assert ask(port, "/v1/messages", chat(text), traceparent=f"00-{TRACE}-{PARENT}-00")[0] == 200
    stop(process)

    masked, failed, broken, passed = sorted(collector.spans(), key=lambda span: span.start_time_unix_nano)
    assert masked.trace_id.hex() == TRACE and masked.parent_span_id.hex() == PARENT
    assert masked.kind == Span.SPAN_KIND_SERVER and masked.name == "POST /v1/chat/completions"
    assert 0 < masked.end_time_unix_nano - masked.start_time_unix_nano < 60e9
    known = attributes(masked)
    assert known["mask.values.EMAIL"] == 2 and known["mask.values.API_KEY"] == 1
    assert known["http.response.status_code"] == 200 and known["mask.schema"] == "chat_style"
    assert known["mask.restored"] >= 3 and known["mask.masking_ms"] > 0
    assert known["mask.upstream"] == f"127.0.0.1:{provider}"
    # The provider's span, if it makes one, is a child of ours.
    assert f"00-{TRACE}-{masked.span_id.hex()}-01" in told(provider)

    assert failed.parent_span_id == b"" and failed.trace_id.hex() != TRACE
    assert attributes(failed)["http.response.status_code"] == 500
    assert broken.status.code == Status.STATUS_CODE_ERROR
    assert attributes(broken)["mask.phase"] == "upstream"
    assert attributes(passed)["mask.unrouted"] is True and attributes(passed)["mask.unmasked"] == "json"
    for body in collector.bodies:
        for value in PLANTED:
            assert value.encode() not in body
    path, sent = collector.headers[0]
    assert path == "/v1/traces" and sent["x-team"] == "a b"
    assert sent["content-type"] == "application/x-protobuf"


def test_the_provider_gets_a_trace_only_from_the_client(start):
    collector = Collector()
    port, process, provider = start(collector.url)
    ask(port, "/v1/chat/completions", chat("hello"))
    stop(process)
    assert len(collector.spans()) == 1
    assert "traceparent" not in told(provider)


def test_a_hanging_collector_does_not_delay_exchanges(start):
    hangs = threading.Event()
    collector = Collector(lambda: hangs.wait(60) and 200)
    port, process, _ = start(collector.url)
    for _ in range(3000):
        if lost(port):
            break
        status, reply = ask(port, "/v1/chat/completions", chat(PLANTED[0]))
        assert status == 200 and PLANTED[0] in reply
    assert lost(port) > 0
    hangs.set()
    stop(process)


def test_spans_refused_by_the_collector_are_counted(start):
    collector = Collector(lambda: 503)
    port, _, _ = start(collector.url)
    for _ in range(3):
        assert ask(port, "/v1/chat/completions", chat("hello"))[0] == 200
    deadline = time.monotonic() + 30
    while lost(port) < 3 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert lost(port) == 3


def test_the_environments_collector_overrides_the_files(start, tmp_path):
    of_file, of_environment = Collector(), Collector()
    config = tmp_path / "config.yaml"
    config.write_text(f"tracing: {{otlp: '{of_file.url}', headers: {{x-key: secret-of-file}}}}\n")
    for environment in [None, of_environment.url]:
        port, process, _ = start(environment, "-c", config)
        ask(port, "/v1/chat/completions", chat("hello"))
        stop(process)
    assert (len(of_file.spans()), len(of_environment.spans())) == (1, 1)
    assert of_file.headers[0][1]["x-key"] == "secret-of-file"
    shown = subprocess.run([MASKPROXY, "config", "--show", "-c", config], capture_output=True, text=True)
    assert shown.returncode == 0 and "secret-of-file" not in shown.stdout + shown.stderr
