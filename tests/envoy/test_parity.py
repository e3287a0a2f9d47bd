"""Every vector through Envoy and through the native proxy: the same bytes reach the provider and the client."""

import http.client
import itertools
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from conftest import TESTS

EXAMPLES = TESTS / "vectors" / "wire" / "examples"
PATHS = {"chat": "/v1/chat/completions", "messages": "/v1/messages", "responses": "/v1/responses"}
OWNERS = itertools.count(1)
TOKENS = json.loads((EXAMPLES / "tokens.json").read_text())


class Scripted(BaseHTTPRequestHandler):
    """Answers with the bytes that the test sets, cut as it says, and keeps what it was sent."""

    protocol_version = "HTTP/1.1"
    reply, kind, cut, received = b"{}", "application/json", 1 << 20, []
    status, location = 200, None

    def do_POST(self):
        Scripted.received.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(Scripted.status)
        if Scripted.location:
            self.send_header("location", Scripted.location.format(host=self.headers["host"]))
        self.send_header("content-type", Scripted.kind)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for start in range(0, len(Scripted.reply), Scripted.cut):
            piece = Scripted.reply[start : start + Scripted.cut]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def scripted():
    """The port of the scripted provider."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()


@pytest.fixture(scope="module")
def pair(start, native_proxy, scripted):
    """Envoy and the native proxy in front of the scripted provider, with the same settings."""
    # Some values of the replies are examples, which the built-in detectors leave.
    values = "|".join("".join(f"\\x{{{ord(letter):x}}}" for letter in value) for value in TOKENS.values())
    settings = {"operator": {"anchor_secret": "parity"}, "detector": {"patterns": {"OWN": values}}}
    native = native_proxy(settings, f"http://127.0.0.1:{scripted}")
    return start(settings, scripted).port, int(native.rsplit(":", 1)[1])


def post(port: int, path: str, body: bytes, owner: int = 0) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", path, body, {"content-type": "application/json", "authorization": f"Bearer {owner}"})
    reply = connection.getresponse()
    result = reply.status, reply.read()
    connection.close()
    return result


def both(pair, path: str, body: bytes) -> list[tuple]:
    """What the provider and the client got, by each way. The filter keeps no session, so no other request may have the same."""
    results, owner = [], next(OWNERS)
    for port in pair:
        Scripted.received.clear()
        results.append((*post(port, path, body, owner), list(Scripted.received)))
    return results


def is_request(name: str) -> bool:
    return "/req." in name or "/sink.request." in name


def vectors(wanted):
    names = (EXAMPLES.parent / "exchanges.txt").read_text().split()
    return [pytest.param(EXAMPLES / name, id=name) for name in names if wanted(name)]


@pytest.mark.parametrize("path", vectors(is_request))
def test_requests_are_masked_like_the_native_engine(pair, path):
    Scripted.reply, Scripted.kind, Scripted.cut = b"{}", "application/json", 1 << 20
    by_envoy, natively = both(pair, PATHS[path.parent.name], path.read_bytes())
    assert by_envoy[0] == 200
    assert by_envoy == natively


@pytest.fixture(scope="module")
def tokens(pair) -> dict[str, str]:
    """The tokens of the replies, and those that are issued for the same values with this secret."""
    Scripted.reply, Scripted.kind = b"{}", "application/json"
    found = {}
    for token, value in TOKENS.items():
        body = json.dumps({"messages": [{"role": "user", "content": value}]})
        Scripted.received.clear()
        post(pair[1], PATHS["chat"], body.encode())
        found[token] = json.loads(Scripted.received[0])["messages"][0]["content"]
        assert found[token].startswith("<MASK_")
    return found


def request_with_values(schema: str, streams: bool) -> bytes:
    text = " and ".join(TOKENS.values())
    body = {"input": text} if schema == "responses" else {"messages": [{"role": "user", "content": text}]}
    return json.dumps({"model": "m", "stream": streams, "max_tokens": 1, **body}).encode()


@pytest.mark.parametrize("cut", [1, 7, 65536])
@pytest.mark.parametrize("path", vectors(lambda name: not is_request(name)))
def test_replies_are_restored_like_the_native_engine(pair, tokens, path, cut):
    reply = path.read_text()
    for token, issued in tokens.items():
        reply = reply.replace(token, issued)
    streams = path.suffix == ".sse"
    Scripted.reply, Scripted.cut = reply.encode(), cut
    Scripted.kind = "text/event-stream" if streams else "application/json"
    schema = path.parent.name
    by_envoy, natively = both(pair, PATHS[schema], request_with_values(schema, streams))
    assert by_envoy[0] == 200
    assert by_envoy == natively


def test_the_tokens_of_the_vectors_are_restored(pair, tokens):
    """Else the replies would be alike because nothing happens to them."""
    for token, value in TOKENS.items():
        reply = {"choices": [{"message": {"content": f"it is {tokens[token]}"}}]}
        Scripted.reply, Scripted.kind, Scripted.cut = json.dumps(reply).encode(), "application/json", 5
        _, body, _ = both(pair, PATHS["chat"], request_with_values("chat", False))[0]
        assert json.loads(body)["choices"][0]["message"]["content"] == f"it is {value}"


@pytest.mark.parametrize(
    "status, location, expected",
    [
        (307, "/v1/other", (307, "/v1/other")),
        (307, "http://{host}/v1/other?x=1", (307, "/v1/other?x=1")),
        (307, "http://elsewhere.example/v1/other", (502, None)),
        (308, "//elsewhere.example/v1/other", (502, None)),
        (303, "http://elsewhere.example/v1/other", (303, "http://elsewhere.example/v1/other")),
    ],
)
def test_a_redirect_does_not_bypass_the_proxy(pair, monkeypatch, status, location, expected):
    """The filter relayed each, and a client sent its prompt unmasked to the address in it."""
    monkeypatch.setattr(Scripted, "status", status)
    monkeypatch.setattr(Scripted, "location", location)
    for port in pair:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", PATHS["chat"], request_with_values("chat", False), {"content-type": "application/json"})
        reply = connection.getresponse()
        assert (reply.status, reply.getheader("location")) == expected
        if status != reply.status:
            assert json.loads(reply.read())["error"]["message"].startswith("mask_upstream_unreachable: the provider redirects ")
            assert reply.getheader("x-should-retry") == "false"
        connection.close()
