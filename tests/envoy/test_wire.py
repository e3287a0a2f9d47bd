"""HTTP/2 on either side, TLS to the provider, replies that end with trailers."""

import asyncio
import itertools
import json
import re
import socket
import socketserver
import subprocess
import threading
import urllib.request

import openai
import pytest
from conftest import BINARIES, ENVOY, Provider, Values, changed, free_port, numbers, started
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import StreamEnded

CHAT = "/v1/chat/completions"
ROUTE = "cluster: provider,"


def stat(envoy, name: str) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{envoy.admin}/stats?filter={re.escape(name)}$") as reply:
        return int(reply.read().decode().split(": ")[1])


async def streamed(client, text: str) -> str:
    """What the model says in deltas of three."""
    stream = await client.chat.completions.create(
        model="echo/3", messages=[{"role": "user", "content": text}], stream=True
    )
    return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])


def all_at_once(envoy, callers: list[Values], **options) -> list[str]:
    async def ask():
        http = openai.DefaultAsyncHttpxClient(timeout=60, **options)
        client = openai.AsyncOpenAI(base_url=f"{envoy.url}/v1", api_key="x", http_client=http, max_retries=0)
        async with client:
            return await asyncio.gather(*(streamed(client, own.text) for own in callers))

    return asyncio.run(ask())


def test_http2_streams_get_only_their_own_values(start, provider):
    envoy = start()
    callers = [Values(number) for number in itertools.islice(numbers, 16)]
    assert all_at_once(envoy, callers, http1=False, http2=True) == [own.text for own in callers]
    assert stat(envoy, "http.clients.downstream_cx_http2_total") == 1
    assert [value for own in callers for value in provider.saw(own)] == []


def test_a_client_with_http2_gets_the_same_refusal(envoy, provider):
    async def refused():
        async with openai.DefaultAsyncHttpxClient(http1=False, http2=True) as client:
            return await client.post(f"{envoy.url}{CHAT}", content=b"{")

    reply = asyncio.run(refused())
    assert (reply.status_code, reply.http_version) == (400, "HTTP/2")
    assert reply.json()["error"]["code"] == "mask_invalid_request"
    assert provider.requests() == []


@pytest.fixture(scope="module")
def with_tls(start, tmp_path_factory):
    """A provider behind TLS, and an Envoy in front of it as the README says; with another name to expect, too."""
    certificate = tmp_path_factory.mktemp("provider") / "certificate.pem"
    port, tls_port = free_port(), free_port()
    process = subprocess.Popen([BINARIES / "mock-provider", str(port), str(tls_port), certificate])
    url = f"http://127.0.0.1:{port}"
    started(process, f"{url}/_mock/requests")
    clusters = (ENVOY / "README.md").read_text().split("```yaml\n")[1].split("```")[0]
    clusters = changed(
        clusters.replace("api.example.com", "localhost"),
        {"port_value: 443": f"port_value: {tls_port}", "/etc/ssl/certs/ca-certificates.crt": str(certificate)},
    )

    def start_with(sni: str):
        file = (ENVOY / "envoy.yaml").read_text()
        former = file[file.index("  clusters:\n") : file.index("\nadmin:")]
        former = former.replace("20128", str(tls_port))
        changes = {former: clusters.replace("sni: localhost", f"sni: {sni}"), ROUTE: f"{ROUTE} host_rewrite_literal: localhost,"}
        return start(upstream=tls_port, changes=changes)

    yield start_with, Provider(url)
    process.kill()


def test_a_tls_provider_is_reached_by_http2(with_tls):
    start, provider = with_tls
    envoy = start("localhost")
    callers = [Values(number) for number in itertools.islice(numbers, 4)]
    assert all_at_once(envoy, callers) == [own.text for own in callers]
    assert stat(envoy, "cluster.provider.upstream_cx_http2_total") == 1
    assert len(provider.requests()) == 4
    assert [value for own in callers for value in provider.saw(own)] == []


def test_nothing_is_sent_to_a_provider_with_another_certificate(with_tls):
    start, provider = with_tls
    envoy = start("other.example.com")
    provider.forget()
    with pytest.raises(openai.APIStatusError) as caught:
        all_at_once(envoy, [Values(next(numbers))])
    assert (caught.value.status_code, caught.value.code) == (502, "mask_upstream_unreachable")
    assert provider.requests() == []


class Trailing(socketserver.BaseRequestHandler):
    """Answers by HTTP/2 with a text that the test sets and with a trailer."""

    text = b""

    def handle(self):
        connection = H2Connection(H2Configuration(client_side=False))
        connection.initiate_connection()
        self.request.sendall(connection.data_to_send())
        while data := self.request.recv(65536):
            for event in connection.receive_data(data):
                if isinstance(event, StreamEnded):
                    self.answer(connection, event.stream_id)
            self.request.sendall(connection.data_to_send())

    def answer(self, connection, stream):
        connection.send_headers(stream, [(":status", "200"), ("content-type", "text/plain")])
        connection.send_data(stream, Trailing.text)
        connection.send_headers(stream, [("x-checksum", "17")], end_stream=True)


@pytest.fixture(scope="module")
def trailing(start):
    """An Envoy that lets trailers through, in front of a provider that sends one."""
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Trailing)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = "          stat_prefix: clients\n"
    cluster = "    connect_timeout: 10s\n"
    options = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
    changes = {
        client: f"{client}          http_protocol_options: {{ enable_trailers: true }}\n",
        cluster: f"{cluster}    typed_extension_protocol_options:\n"
        f'      {options}: {{ "@type": type.googleapis.com/{options}, explicit_http_config: {{ http2_protocol_options: {{}} }} }}\n',
    }
    yield start(upstream=server.server_address[1], changes=changes)
    server.shutdown()


def reply_to(envoy, text: str) -> bytes:
    """Every byte of the reply's body, chunk sizes and trailers included."""
    body = json.dumps({"messages": [{"role": "user", "content": text}]}).encode()
    head = f"POST {CHAT} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nte: trailers\r\ncontent-length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", envoy.port), timeout=60) as connection:
        connection.sendall(head.encode() + body)
        reply = b"".join(iter(lambda: connection.recv(65536), b""))
    return reply.split(b"\r\n\r\n", 1)[1]


def test_a_trailer_follows_the_restored_text(trailing):
    Trailing.text = b"Sent to <MASK_EMAIL_1>."
    reply = reply_to(trailing, "To alice.quinn@corp.example.net")
    assert b"alice.quinn@corp.example.net" in reply
    assert reply.endswith(b"\r\n0\r\nx-checksum: 17\r\n\r\n")


def test_a_half_token_before_a_trailer_breaks_the_reply(trailing):
    """It once crashed Envoy."""
    Trailing.text = b"Sent to <MASK_EMAIL_1> and <MASK_EM"
    for broken in range(1, 6):
        reply = reply_to(trailing, "To alice.quinn@corp.example.net")
        assert not reply.endswith(b"0\r\n\r\n") and b"x-checksum" not in reply
        assert trailing.counters()["mask_errors_total.stream"] == broken
