"""The official openai SDK through the proxy."""

import asyncio
import json

import openai
import pytest

from conftest import Values

RUN = {"type": "function", "function": {"name": "run", "parameters": {"type": "object", "properties": {}}}}
RUN_FLAT = {"type": "function", "name": "run", "parameters": {"type": "object", "properties": {}}}
SIZES = [1, 7, 1000]


@pytest.fixture
def client(proxy):
    return openai.OpenAI(base_url=f"{proxy}/v1", api_key="sk-fake", max_retries=0)


def user(text):
    return [{"role": "user", "content": text}]


def test_a_chat_is_restored(client, values):
    reply = client.chat.completions.create(model="thinking", messages=user(values.text))
    assert reply.choices[0].message.content == values.text
    assert reply.choices[0].message.reasoning_content == f"They said: {values.text}"


@pytest.mark.parametrize("size", SIZES)
def test_a_chat_stream_is_restored(client, values, size):
    text = reasoning = ""
    for chunk in client.chat.completions.create(
        model=f"thinking/{size}", messages=user(values.text), stream=True
    ):
        text += chunk.choices[0].delta.content or ""
        reasoning += getattr(chunk.choices[0].delta, "reasoning_content", None) or ""
    assert (text, reasoning) == (values.text, f"They said: {values.text}")


def test_chat_tool_loop(client, values):
    messages = user(values.text)
    reply = client.chat.completions.create(model="tools", messages=messages, tools=[RUN])
    message = reply.choices[0].message
    command = json.loads(message.tool_calls[0].function.arguments)["command"]
    assert command == values.text
    messages += [message, {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": command}]
    reply = client.chat.completions.create(model="tools", messages=messages, tools=[RUN])
    assert reply.choices[0].message.content == values.text


@pytest.mark.parametrize("size", SIZES)
def test_chat_tool_loop_with_the_stream_helper(client, values, size):
    messages = user(values.text)
    with client.chat.completions.stream(model=f"everything/{size}", messages=messages, tools=[RUN]) as stream:
        done = [event for event in stream if event.type == "tool_calls.function.arguments.done"]
        message = stream.get_final_completion().choices[0].message
    assert message.content == values.text
    assert len(done) == len(message.tool_calls) == 2
    assert json.loads(message.tool_calls[0].function.arguments)["command"] == values.text
    assert json.loads(message.tool_calls[1].function.arguments)["paths"] == [values.text, "/tmp"]
    messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
    for call in message.tool_calls:
        call_result = {"role": "tool", "tool_call_id": call.id, "content": f"ran: {values.text}"}
        messages.append(call_result)
    reply = client.chat.completions.create(model="everything", messages=messages, tools=[RUN])
    assert reply.choices[0].message.content == f"ran: {values.text}"


def test_chat_json_output_stays_json(client, values):
    shape = {"type": "json_object"}
    reply = client.chat.completions.create(model="json", messages=user(values.text), response_format=shape)
    assert json.loads(reply.choices[0].message.content) == {"said": values.text}
    stream = client.chat.completions.create(
        model="json/3", messages=user(values.text), response_format=shape, stream=True
    )
    text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert json.loads(text) == {"said": values.text}


def test_responses_are_restored(client, values):
    reply = client.responses.create(model="thinking", input=values.text, instructions=values.text)
    assert reply.output_text == values.text
    assert reply.output[0].summary[0].text == f"They said: {values.text}"


@pytest.mark.parametrize("size", SIZES)
def test_responses_tool_loop_with_the_stream_helper(client, values, size):
    items = [{"role": "user", "content": values.text}]
    with client.responses.stream(model=f"everything/{size}", input=items, tools=[RUN_FLAT]) as stream:
        deltas = [event.delta for event in stream if event.type == "response.output_text.delta"]
        reply = stream.get_final_response()
    calls = [item for item in reply.output if item.type == "function_call"]
    assert "".join(deltas) == reply.output_text == values.text
    assert json.loads(calls[0].arguments)["command"] == values.text
    items += [item.model_dump(exclude_none=True, exclude={"parsed_arguments", "parsed"}) for item in reply.output]
    for call in calls:
        items.append({"type": "function_call_output", "call_id": call.call_id, "output": values.text})
    reply = client.responses.create(model="everything", input=items, tools=[RUN_FLAT])
    assert reply.output_text == values.text


def test_responses_are_counted_and_compacted(client, values):
    counted = client.responses.input_tokens.count(model="echo", input=values.text)
    assert counted.input_tokens > 0
    compacted = client.responses.compact(model="echo", input=values.text)
    assert compacted.output[0].content[0].text == values.text


def test_a_provider_error_is_restored(client, values):
    with pytest.raises(openai.RateLimitError) as caught:
        client.chat.completions.create(model="error-429", messages=user(values.text))
    assert values.text in str(caught.value.body["message"])
    assert caught.value.response.headers["request-id"] == "req_of_the_provider"


def test_a_proxy_error_has_a_code(client, values):
    with pytest.raises(openai.APIStatusError) as caught:
        client.chat.completions.create(model="close-before-reply", messages=user(values.text))
    assert (caught.value.status_code, caught.value.code) == (502, "mask_upstream_unreachable")


@pytest.mark.parametrize("end", ["half-token-then-close", "half-token-then-reset", "malformed-chunk"])
def test_a_truncated_stream_never_looks_finished(client, values, end):
    with pytest.raises(Exception, match=".+"):
        for _ in client.chat.completions.create(model=end, messages=user(values.text), stream=True):
            pass


def test_64_callers_each_get_only_their_own_values(proxy, provider):
    callers = [Values(5000 + number) for number in range(64)]

    async def call(client, caller, number):
        if number % 2:
            reply = await client.responses.create(model="echo", input=caller.text)
            return reply.output_text
        stream = await client.chat.completions.create(
            model="echo/3", messages=user(caller.text), stream=True
        )
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    async def all_at_once():
        async with openai.AsyncOpenAI(base_url=f"{proxy}/v1", api_key="sk-fake", max_retries=0) as client:
            return await asyncio.gather(*[call(client, one, n) for n, one in enumerate(callers)])

    assert asyncio.run(all_at_once()) == [caller.text for caller in callers]
    assert [value for caller in callers for value in provider.saw(caller)] == []
