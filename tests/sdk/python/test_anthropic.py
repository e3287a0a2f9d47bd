"""The official anthropic SDK through the proxy."""

import asyncio

import anthropic
import pytest

from conftest import Values

RUN = {"name": "run", "input_schema": {"type": "object", "properties": {}}}
SIZES = [1, 7, 1000]


@pytest.fixture
def client(proxy):
    return anthropic.Anthropic(base_url=proxy, api_key="sk-ant-fake", max_retries=0)


def user(text):
    return [{"role": "user", "content": text}]


def results(message, text):
    calls = [block for block in message.content if block.type == "tool_use"]
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": call.id, "content": text} for call in calls[:-1]]
        + [{"type": "tool_result", "tool_use_id": calls[-1].id, "content": [{"type": "text", "text": text}]}],
    }


def test_a_message_is_restored(client, values):
    reply = client.messages.create(
        model="echo", max_tokens=100, system=values.text, messages=user(values.text)
    )
    assert reply.content[0].text == values.text


@pytest.mark.parametrize("size", SIZES)
def test_a_stream_is_restored(client, values, size):
    with client.messages.stream(
        model=f"thinking/{size}", max_tokens=100, messages=user(values.text)
    ) as stream:
        text = "".join(stream.text_stream)
        message = stream.get_final_message()
    assert text == message.content[1].text == values.text
    assert message.content[0].thinking == f"They said: {values.text}"


@pytest.mark.parametrize("size", [None, *SIZES])
def test_tool_loop_with_thinking(client, values, size):
    """The provider rejects a turn whose thinking block or call differs from what it wrote."""
    messages = user(values.text)
    arguments = dict(max_tokens=100, messages=messages, tools=[RUN])
    if size is None:
        message = client.messages.create(model="everything", **arguments)
    else:
        with client.messages.stream(model=f"everything/{size}", **arguments) as stream:
            message = stream.get_final_message()
    calls = [block for block in message.content if block.type == "tool_use"]
    assert calls[0].input == {"command": values.text, "timeout": 1.5}
    assert calls[1].input == {"paths": [values.text, "/tmp"], "note": ""}
    messages.append({"role": "assistant", "content": message.content})
    messages.append(results(message, f"ran: {values.text}"))
    reply = client.messages.create(model="everything", **arguments)
    assert reply.content[0].text.endswith(f"ran: {values.text}")


def test_tokens_are_counted(client, values):
    counted = client.messages.count_tokens(model="echo", messages=user(values.text), system=values.text)
    assert counted.input_tokens > 0


def test_a_provider_error_is_restored(client, values):
    with pytest.raises(anthropic.BadRequestError) as caught:
        client.messages.create(model="error-400", max_tokens=9, messages=user(values.text))
    assert values.text in caught.value.body["error"]["message"]


def test_a_proxy_error_has_a_code(client, values):
    with pytest.raises(anthropic.APIStatusError) as caught:
        client.messages.create(model="reset-before-reply", max_tokens=9, messages=user(values.text))
    assert caught.value.status_code == 502
    assert caught.value.body["error"]["type"] == "mask_upstream_unreachable"
    assert caught.value.body["request_id"].startswith("req_")


@pytest.mark.parametrize("end", ["half-token-then-close", "half-token-then-reset", "malformed-chunk"])
def test_a_truncated_stream_never_looks_finished(client, values, end):
    with pytest.raises(Exception, match=".+"):
        with client.messages.stream(model=end, max_tokens=9, messages=user(values.text)) as stream:
            stream.get_final_message()


def test_64_callers_each_get_only_their_own_values(proxy, provider):
    callers = [Values(6000 + number) for number in range(64)]

    async def call(client, caller):
        stream = client.messages.stream(model="echo/3", max_tokens=100, messages=user(caller.text))
        async with stream as events:
            return await events.get_final_text()

    async def all_at_once():
        async with anthropic.AsyncAnthropic(base_url=proxy, api_key="sk-ant-fake", max_retries=0) as client:
            return await asyncio.gather(*[call(client, caller) for caller in callers])

    assert asyncio.run(all_at_once()) == [caller.text for caller in callers]
    assert [value for caller in callers for value in provider.saw(caller)] == []
