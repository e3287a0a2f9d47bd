"""Rules, by Envoy and by the native proxy: the same bytes, and those that the vectors say."""

import hashlib
import hmac
import http.client
import json

import pytest
from conftest import TESTS
from test_parity import Scripted, both, scripted

CASES = json.loads((TESTS / "vectors" / "rules.json").read_text())


def reply_of(case) -> tuple[bytes, str]:
    """What the provider answers, and its media type."""
    if "events" not in case:
        return json.dumps(case["reply"]).encode(), "application/json"
    return "".join(f"data: {json.dumps(event)}\n\n" for event in case["events"]).encode(), "text/event-stream"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_rules_decide_like_the_native_engine(start, native_proxy, scripted, case):
    settings = {name: case[name] for name in ("policy", "restore") if case[name]}
    native = native_proxy(settings, f"http://127.0.0.1:{scripted}")
    pair = start(settings, scripted).port, int(native.rsplit(":", 1)[1])
    Scripted.reply, Scripted.kind, Scripted.cut = *reply_of(case), 7
    by_envoy, natively = both(pair, case["path"], json.dumps(case["request"]).encode())
    status, given, (told,) = by_envoy
    assert status == 200
    assert by_envoy == natively
    told, given = told.decode(), given.decode()
    if "reply" in case:
        given = json.dumps(json.loads(given), ensure_ascii=False)
    assert all(text in told for text in case["told"]), told
    assert not any(text in told for text in case["untold"]), told
    assert all(text in given for text in case["given"]), given
    assert not any(text in given for text in case["kept"]), given


def test_a_key_is_identified_by_its_hash(start, scripted):
    # Of `sk-team-a`, as `maskproxy key add` prints it.
    salt = bytes(16)
    digest = hmac.new(salt, b"sk-team-a", hashlib.sha256).hexdigest()
    keys = {"a": f"hmac-sha256:{salt.hex()}:{digest}"}
    settings = {"policy": {"keys": keys, "rules": [{"key": "a", "mask": "none"}]}}
    port = start(settings, scripted).port
    body = json.dumps({"messages": [{"role": "user", "content": "to alice@example.com"}]}).encode()
    for key, is_told in [("sk-team-a", True), ("sk-team-b", False)]:
        Scripted.reply, Scripted.kind = b"{}", "application/json"
        Scripted.received.clear()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
        connection.request("POST", "/v1/chat/completions", body, headers)
        assert connection.getresponse().status == 200
        assert (b"alice@" in Scripted.received[0]) == is_told
