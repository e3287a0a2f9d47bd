"""LiteLLM as a library through the proxy."""

import json

import litellm
import pytest

RUN = {"type": "function", "function": {"name": "run", "parameters": {"type": "object", "properties": {}}}}
# What each of LiteLLM's providers is told behind the proxy's address, and whose tool calls the mock provider speaks.
BASES = {"openai": "/v1", "anthropic": "", "azure": "", "hosted_vllm": "/v1", "gemini": "", "ollama_chat": ""}
WITH_TOOLS = ["openai", "anthropic", "azure", "hosted_vllm"]
SIZES = [1, 7, 1000]

litellm.telemetry = False
litellm.suppress_debug_info = True


@pytest.fixture
def asked(proxy):
    """The arguments that name a model of a provider behind the proxy."""

    def arguments(vendor, model):
        base = {"api_base": proxy + BASES[vendor], "api_key": "sk-fake", "max_retries": 0}
        if vendor == "azure":
            base["api_version"] = "2026-10-21"
        return {"model": f"{vendor}/{model}", **base}

    return arguments


def user(text):
    return [{"role": "user", "content": text}]


@pytest.mark.parametrize("vendor", BASES)
def test_a_completion_is_restored(asked, values, vendor):
    reply = litellm.completion(messages=user(values.text), **asked(vendor, "echo"))
    assert reply.choices[0].message.content == values.text


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("vendor", BASES)
def test_a_stream_is_restored(asked, values, vendor, size):
    stream = litellm.completion(messages=user(values.text), stream=True, **asked(vendor, f"echo/{size}"))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == values.text


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("vendor", WITH_TOOLS)
def test_tool_loop(asked, values, vendor, size):
    messages = user(values.text)
    arguments = asked(vendor, f"tools/{size}")
    chunks = list(litellm.completion(messages=messages, tools=[RUN], stream=True, **arguments))
    message = litellm.stream_chunk_builder(chunks).choices[0].message
    command = json.loads(message.tool_calls[0].function.arguments)["command"]
    assert command == values.text
    messages += [message, {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": command}]
    reply = litellm.completion(messages=messages, tools=[RUN], **arguments)
    assert reply.choices[0].message.content == values.text


@pytest.mark.parametrize("size", SIZES)
def test_responses(asked, values, size):
    stream = litellm.responses(input=values.text, stream=True, **asked("openai", f"echo/{size}"))
    deltas = [event.delta for event in stream if event.type == "response.output_text.delta"]
    assert "".join(deltas) == values.text


@pytest.mark.parametrize("vendor", ["openai", "azure", "hosted_vllm"])
def test_embeddings(asked, values, vendor):
    reply = litellm.embedding(input=[values.text], **asked(vendor, "m"))
    assert reply.data[0]["embedding"] == [0.5, 0.25]


def test_a_gateway_key_in_the_body_is_forwarded(asked, provider, values):
    """LiteLLM's own proxy reads it from the body; it once came there as a token."""
    key = "sk-proj-Zb4Xk2Wq9Zt5Vb8Nm4Rc7Yp1Ls6Hd3Gf0JbQw"
    arguments = asked("openai", "echo")
    litellm.completion(messages=user(values.text), extra_body={"api_key": key}, **arguments)
    assert provider.last()["api_key"] == key
