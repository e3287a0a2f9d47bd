"""What the workers of one Envoy share."""

import http.client
import json
import urllib.request

import pytest
from conftest import Values, numbers

HEADERS = {"content-type": "application/json", "x-api-key": "sk-ant-fake"}


class Caller:
    """A connection that one worker serves."""

    def __init__(self, port: int):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.connection.request("GET", "/health")
        self.connection.getresponse().read()

    def asks(self, body: dict, **headers) -> tuple[int, dict]:
        self.connection.request("POST", "/v1/messages", json.dumps(body), {**HEADERS, **headers})
        reply = self.connection.getresponse()
        return reply.status, json.loads(reply.read())


def accepted(envoy) -> dict[str, int]:
    """The connections that each worker took so far."""
    with urllib.request.urlopen(f"http://127.0.0.1:{envoy.admin}/stats?filter=worker_.\\.downstream_cx_total") as reply:
        return dict(line.split(": ") for line in reply.read().decode().splitlines())


@pytest.fixture(scope="module")
def callers(envoy):
    """One for each of the two workers."""
    callers = {}
    for _ in range(100):
        before = accepted(envoy)
        caller = Caller(envoy.port)
        [worker] = [name for name, count in accepted(envoy).items() if count != before[name]]
        callers.setdefault(worker, caller)
        if len(callers) == 2:
            return list(callers.values())
    raise AssertionError("one worker takes every connection")


@pytest.fixture(params=[(0, 1), (1, 0), (0, 0)], ids=["0-1", "1-0", "0-0"])
def turns(request, callers):
    """Who asks first, and who asks then."""
    return [callers[number] for number in request.param]


def conversation(values: Values) -> dict:
    return {"model": "thinking", "max_tokens": 100, "messages": [{"role": "user", "content": values.text}]}


def next_turn(request: dict, content: list) -> Values:
    """Goes on with the conversation, after values that would take the tokens of the block if it were masked anew."""
    other = Values(next(numbers))
    answer = {"role": "assistant", "content": content}
    request["messages"] += [answer, {"role": "user", "content": other.text}]
    request["system"] = other.text
    return other


def test_any_worker_returns_a_signed_block_unchanged(turns, values, provider):
    first, then = turns
    request = conversation(values)
    _, reply = first.asks(request)
    assert reply["content"][0]["thinking"] == f"They said: {values.text}"
    other = next_turn(request, reply["content"])
    # This provider refuses a signed block that is not as it wrote it.
    status, reply = then.asks(request)
    assert status == 200, reply
    assert provider.saw(other) == []


def test_a_signed_block_belongs_to_its_recipient(turns, values, provider):
    first, then = turns
    request = conversation(values)
    _, reply = first.asks(request)
    next_turn(request, reply["content"])
    status, reply = then.asks(request, **{"x-api-key": "sk-ant-other"})
    assert (status, reply["error"]["type"]) == (400, "invalid_request_error")


def test_a_long_conversation_keeps_every_block(callers, values, provider):
    request = conversation(values)
    for turn in range(40):
        status, reply = callers[turn % 2].asks(request)
        assert status == 200, reply
        next_turn(request, reply["content"])
