"""What a client and a provider see of the filter, beside the native proxy."""

import gzip
import http.client
import json
import re
import threading

import pytest
from conftest import Values, numbers

CHAT, MESSAGES, RESPONSES = "/v1/chat/completions", "/v1/messages", "/v1/responses"


def send(port, path, body, headers=None, method="POST"):
    """Status, headers in lower case and body of a reply."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body, headers or {})
    reply = connection.getresponse()
    result = reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read()
    connection.close()
    return result


def chat(text, model="echo", stream=False):
    return json.dumps({"model": model, "stream": stream, "messages": [{"role": "user", "content": text}]}).encode()


def said(body):
    return json.loads(body)["choices"][0]["message"]["content"]


def deltas(body):
    lines = [line[6:] for line in body.decode().splitlines() if line.startswith("data: {")]
    choices = [choice for line in lines for choice in json.loads(line)["choices"]]
    return "".join(choice["delta"].get("content") or "" for choice in choices)


def headers_of(provider):
    return {name.lower(): value for name, value in provider.requests()[-1]["headers"]}


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_a_split_token_is_restored(envoy, values, size):
    status, headers, body = send(envoy.port, CHAT, chat(values.text, f"echo/{size}", True))
    assert (status, deltas(body)) == (200, values.text)
    assert "content-length" not in headers


@pytest.mark.parametrize("size", [70_000, 1_500_000, 5_000_000])
def test_a_large_body_is_masked_completely(envoy, provider, size):
    """Envoy's own buffer limit is 1 MiB."""
    values = Values(next(numbers))
    text = "word " * (size // 5) + values.text
    status, headers, body = send(envoy.port, CHAT, chat(text))
    assert (status, said(body) == text) == (200, True)
    assert provider.saw(values) == []


def test_a_chunked_body_is_masked_and_gets_a_length(envoy, provider, values):
    body = chat(values.text)
    pieces = (body[start : start + 11] for start in range(0, len(body), 11))
    status, _, reply = send(envoy.port, CHAT, pieces)
    assert (status, said(reply)) == (200, values.text)
    told = provider.requests()[-1]
    assert headers_of(provider)["content-length"] == str(len(told["body"].encode()))


def test_concurrent_callers_get_only_their_own_values(envoy, provider):
    failures = []

    def call(own):
        for stream in [False, True] * 5:
            body = send(envoy.port, CHAT, chat(own.text, "echo/3", stream))[2]
            text = deltas(body) if stream else said(body)
            if text != own.text:
                failures.append(text)

    callers = [threading.Thread(target=call, args=(Values(next(numbers)),)) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert failures == []


BAD = [
    b"{",
    b"[]",
    b"not json",
    b'{"a": "\xff"}',
    b"[" * 400 + b"]" * 400,
    b'{"a":' * 400 + b"1" + b"}" * 400,
]


@pytest.fixture(scope="module")
def native(native_proxy):
    return int(native_proxy().rsplit(":", 1)[1])


def shown(reply):
    """A reply without its ids, and what of its headers a client goes by."""
    status, headers, body = reply
    kept = {name: headers.get(name) for name in ["content-type", "x-should-retry", "upgrade"]}
    return status, kept, re.sub(rb"req_[0-9a-f]{12}", b"req_", body)


REFUSED = [
    *[(path, body, {}) for path in [CHAT, MESSAGES, RESPONSES] for body in BAD],
    (CHAT, gzip.compress(b"{}"), {"content-encoding": "gzip"}),
    (CHAT, b"{}", {"x-mask-session": "a b"}),
    (CHAT, b"{}", {"x-mask-session": "x" * 129}),
    (CHAT, b"{}", {"connection": "upgrade", "upgrade": "websocket"}),
]


@pytest.mark.parametrize("path, body, headers", REFUSED, ids=range(len(REFUSED)))
def test_refusals_match_the_native_proxy(envoy, native, provider, path, body, headers):
    by_envoy = send(envoy.port, path, body, headers)
    assert shown(by_envoy) == shown(send(native, path, body, headers))
    assert provider.requests() == []
    if by_envoy[0] != 426:
        error = json.loads(by_envoy[2])
        assert error["type"] == "error" and error["error"]["code"].startswith("mask_")
        assert error["request_id"] == by_envoy[1]["x-request-id"]


def test_an_oversized_body_is_refused_like_the_native_proxy(start, native_proxy, provider):
    settings = {"proxy": {"max_body": 1000}}
    native = int(native_proxy(settings).rsplit(":", 1)[1])
    body = chat("x" * 2000)
    by_envoy = send(start(settings).port, CHAT, body)
    assert by_envoy[0] == 413
    assert shown(by_envoy) == shown(send(native, CHAT, body))
    assert provider.requests() == []


@pytest.mark.parametrize("size", [1_500_000, 3_000_000])
def test_a_body_over_envoys_buffer_gets_the_usual_error_shape(start, provider, size):
    status, headers, body = send(start(changes={"buffer_limit_bytes: 100000000": "buffer_limit_bytes: 1000000"}).port, CHAT, chat("word " * (size // 5)))
    assert (status, json.loads(body)["error"]["code"]) == (413, "mask_request_too_large")
    assert headers["x-should-retry"] == "false"
    assert provider.requests() == []


def test_every_spelling_of_a_path_is_masked(envoy, provider, values):
    for path in ["/v1/messages/", "/v1/./chat/completions", "/V1/Chat/Completions", "/v1//responses?x=1"]:
        send(envoy.port, path, json.dumps({"model": "echo", "input": values.text, "messages": []}))
    assert len(provider.requests()) == 4


def test_unrouted_paths_pass_or_are_refused(envoy, start, native_proxy, provider):
    status, _, _ = send(envoy.port, "/v1/models", None, {"x-mask-session": "s"}, "GET")
    assert status == 200
    assert "x-mask-session" not in headers_of(provider)
    settings = {"proxy": {"passthrough_unknown": False}}
    native = int(native_proxy(settings).rsplit(":", 1)[1])
    by_envoy = send(start(settings).port, "/v1/models?a=b", None, method="GET")
    assert by_envoy[0] == 403
    assert shown(by_envoy) == shown(send(native, "/v1/models?a=b", None, method="GET"))


def test_sessions_are_named_in_the_reply_only(envoy, provider):
    _, headers, _ = send(envoy.port, CHAT, chat("x"), {"x-mask-session": "team-7"})
    assert headers["x-mask-session"] == "team-7"
    assert "x-mask-session" not in headers_of(provider)
    _, headers, _ = send(envoy.port, CHAT, chat("x"))
    assert re.fullmatch("ses_[0-9a-f]{16}", headers["x-mask-session"])


def test_the_metadata_header_is_masked_with_the_body(envoy, provider, values):
    metadata = json.dumps({"owner": values.email})
    body = json.dumps({"model": "echo", "input": values.email})
    send(envoy.port, RESPONSES, body, {"x-codex-turn-metadata": metadata})
    owner = json.loads(headers_of(provider)["x-codex-turn-metadata"])["owner"]
    assert owner == provider.last()["input"]


def test_own_paths_are_never_forwarded(envoy, provider):
    assert send(envoy.port, "/health/", None, method="GET")[::2] == (200, b'{"status":"ok"}')
    assert send(envoy.port, "//metrics", None, method="GET")[0] == 404
    assert provider.requests() == []


def test_keys_and_the_version_header_are_set(envoy, start, provider):
    client = {"authorization": "Bearer client", "accept-encoding": "gzip"}
    send(envoy.port, MESSAGES, json.dumps({"model": "echo", "messages": []}), client)
    told = headers_of(provider)
    assert told["authorization"] == "Bearer client"
    assert (told["anthropic-version"], told["accept-encoding"]) == ("2023-06-01", "identity")

    held = start({"provider": {"api_key": "held", "headers": {"x-team": "a"}}})
    send(held.port, CHAT, chat("x"), {"x-api-key": "client"})
    told = headers_of(provider)
    assert (told["authorization"], told.get("x-api-key"), told["x-team"]) == ("Bearer held", None, "a")
    send(held.port, MESSAGES, json.dumps({"model": "echo", "messages": []}), client)
    told = headers_of(provider)
    assert (told.get("authorization"), told["x-api-key"]) == (None, "held")

    dropping = start({"proxy": {"forward_client_auth": False}})
    send(dropping.port, CHAT, chat("x"), {**client, "x-api-key": "client"})
    told = headers_of(provider)
    assert (told.get("authorization"), told.get("x-api-key")) == (None, None)


def test_redact_and_terms(start, provider):
    envoy = start({"operator": "redact", "detector": {"terms": {"PROJECT": ["Blue Heron"]}}})
    _, _, body = send(envoy.port, CHAT, chat("about blue heron"))
    assert said(body) == "about [REDACTED_PROJECT]"
    assert "heron" not in provider.requests()[-1]["body"].lower()


def test_surrogates_replace_values_and_are_restored(start, provider):
    envoy = start({"operator": {"type": "surrogate", "anchor_secret": "parity"}})
    text = "Write to Anna Schmidt, anna.schmidt@corp.io, about 192.168.4.77"
    for stream in [False, True]:
        _, _, reply = send(envoy.port, CHAT, chat(text, "echo/7" if stream else "echo", stream))
        assert (deltas(reply) if stream else said(reply)) == text
        sent = provider.requests()[-1]["body"]
        assert "MASK_" not in sent
        assert [value for value in ["Anna", "Schmidt", "corp.io", "192.168.4.77"] if value in sent] == []


def test_tool_values_are_withheld_from_network_calls(start):
    envoy = start({"restore": "guard"})
    secret = "kV7#mQ2xLp9w"
    turns = [{"role": "user", "content": "go on"}, {"role": "tool", "tool_call_id": "c", "content": f"PASSWORD={secret}"}]
    body = json.dumps({"model": "obeys", "messages": turns})
    _, _, reply = send(envoy.port, CHAT, body)
    fetch, write = (call["function"] for call in json.loads(reply)["choices"][0]["message"]["tool_calls"])
    assert (secret in fetch["arguments"], "<MASK_SECRET_1>" in fetch["arguments"]) == (False, True)
    assert secret in write["arguments"]


def test_an_unreachable_provider_is_reported(start):
    envoy = start(upstream=1)
    status, headers, body = send(envoy.port, CHAT, chat("x"))
    assert (status, json.loads(body)["error"]["code"]) == (502, "mask_upstream_unreachable")
    assert headers["x-mask-session"]
    assert envoy.counters()["mask_errors_total.upstream"] == 1


def test_counters_match_the_traffic(start, values):
    envoy = start()
    assert send(envoy.port, CHAT, chat(values.email))[0] == 200
    send(envoy.port, CHAT, b"{")
    send(envoy.port, "/v1/models", None, method="GET")
    counters = envoy.counters()
    expected = {
        "mask_requests_masked_total": 1,
        "mask_entities_total.EMAIL": 1,
        "mask_tokens_restored_total": 1,
        "mask_errors_total.transform": 1,
        "mask_unrouted_total.passed": 1,
    }
    assert {name: counters.get(name) for name in expected} == expected


def test_a_wrong_setting_stops_envoy_and_shows_no_value(start):
    with pytest.raises(AssertionError, match="ended at once"):
        start({"operator": {"anchor": "hunter2"}})


def test_no_request_content_is_logged(start, values):
    envoy = start()
    send(envoy.port, CHAT, chat(values.text))
    send(envoy.port, CHAT, b'{"a": "' + values.email.encode())
    log = envoy.log.read_text()
    assert "panicked" not in log
    assert [value for value in values.all() if value in log] == []


def test_paths_that_carry_prompts_are_masked_by_their_ending(envoy, provider, values):
    for path, body in [
        ("/openai/deployments/x/chat/completions?api-version=1", {"model": "echo", "messages": [{"role": "user", "content": values.text}]}),
        ("/v1beta/models/g:generateContent?key=hush", {"contents": [{"parts": [{"text": values.text}]}]}),
        ("/v1/embeddings", {"model": "m", "input": values.text}),
    ]:
        status, _, reply = send(envoy.port, path, json.dumps(body))
        assert (status, b"MASK_" in reply) == (200, False)
    assert [request["target"] for request in provider.requests()][1].endswith("?key=hush")


def test_unmaskable_requests_are_refused_like_the_native_proxy(envoy, native_proxy, provider):
    native = int(native_proxy({}).rsplit(":", 1)[1])
    signed = {"authorization": "AWS4-HMAC-SHA256 Credential=a/20261122/us-east-1/bedrock/aws4_request"}
    for path, headers in [
        ("/model/m/converse", signed),
        ("/model/m/converse-stream", {}),
        ("/v1/images/edits", {"content-type": "multipart/form-data; boundary=x"}),
    ]:
        by_envoy = send(envoy.port, path, "{}", headers)
        assert by_envoy[0] == 400
        message = lambda reply: json.loads(reply[2])["error"]["message"].rsplit("; request ", 1)[0]
        assert message(by_envoy) == message(send(native, path, "{}", headers))
    assert provider.requests() == []


def test_aws_event_stream_replies_are_refused(envoy, provider):
    status, _, body = send(envoy.port, "/model/streams/invoke", "{}")
    assert (status, json.loads(body)["error"]["code"]) == (502, "mask_upstream_unreachable")


def test_unrouted_bodies_are_masked_when_configured(start, provider, values):
    port = start({"proxy": {"unrouted": "mask", "add_routes": {"/talk": "chat_style"}}}).port
    assert send(port, "/v9/ask", json.dumps({"question": values.text}))[0] == 200
    assert send(port, "/x/talk", json.dumps({"messages": [{"role": "user", "content": values.text}]}))[0] == 200
    assert send(port, "/v1/files", "--x--", {"content-type": "multipart/form-data; boundary=x"})[0] == 200
    assert len(provider.requests()) == 3
