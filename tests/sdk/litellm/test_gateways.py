"""LiteLLM's own proxy behind us, before us, and with us as its guardrail, by the configurations of docs/gateways.md."""

import json
import re
import urllib.error
import urllib.request

import pytest
import yaml
from gateway import GUARDRAIL_KEY, KEY, Gateway, guardrail, of_page

# The tokens of a call are derived: a gateway may keep its id for longer than the vault does.
TOKEN = r"<MASK_EMAIL_\d+>"
RUN = {"type": "function", "function": {"name": "run", "parameters": {"type": "object", "properties": {}}}}


def post(url, path, body, headers=()):
    headers = {"content-type": "application/json", "authorization": f"Bearer {KEY}", **dict(headers)}
    request = urllib.request.Request(url + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as reply:
        return reply.read().decode()


def chat(url, model, text, stream=False, **more):
    messages = [{"role": "user", "content": text}]
    reply = post(url, "/v1/chat/completions", {"model": model, "messages": messages, "stream": stream, **more})
    if not stream:
        return json.loads(reply)["choices"][0]["message"]["content"]
    events = [json.loads(line[6:]) for line in reply.splitlines() if line.startswith("data: {")]
    assert all("error" not in event for event in events), reply
    return "".join(event["choices"][0]["delta"].get("content") or "" for event in events if event["choices"])


def at(config: str, **addresses):
    """A configuration of the page with the addresses of this test."""
    for name, url in addresses.items():
        assert name in config
        config = config.replace(name, url)
    return yaml.safe_load(config)


def with_guardrail(url, provider):
    page = of_page("litellm.yaml` with the guardrail")
    names = ["https://api.openai.com", "https://api.anthropic.com"]
    return at(page, **{"http://127.0.0.1:8001": url}, **dict.fromkeys(names, provider.url))


@pytest.fixture(scope="module")
def guarded(running_provider, tmp_path_factory):
    directory = tmp_path_factory.mktemp("guarded")
    process, url = guardrail(directory, running_provider.url, {"MASK_GUARDRAIL_KEY": GUARDRAIL_KEY})
    config = with_guardrail(url, running_provider)
    environment = {"OPENAI_API_KEY": "sk-a", "ANTHROPIC_API_KEY": "sk-b", "MASK_GUARDRAIL_KEY": GUARDRAIL_KEY}
    gateway = Gateway(directory, config, environment)
    yield gateway.url, directory
    gateway.process.kill()
    process.kill()


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_chat_is_masked_and_restored(guarded, values, stream, size):
    assert chat(guarded[0], f"openai/echo/{size}", values.text, stream) == values.text


def test_messages_are_masked_and_restored(guarded, values):
    body = {"model": "anthropic/echo", "max_tokens": 9, "messages": [{"role": "user", "content": values.text}]}
    reply = json.loads(post(guarded[0], "/v1/messages", body))
    assert reply["content"][0]["text"] == values.text


def test_responses_are_masked_and_restored(guarded, values):
    body = {"model": "openai/echo", "instructions": f"mail {values.email}", "input": values.text}
    reply = json.loads(post(guarded[0], "/v1/responses", body))
    assert reply["output"][-1]["content"][0]["text"] == values.text


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/responses"])
def test_messages_and_responses_streams_keep_their_tokens(guarded, values, path):
    """LiteLLM drops what a guardrail says of them; docs/gateways.md says so."""
    messages = {"model": "anthropic/echo", "max_tokens": 9, "messages": [{"role": "user", "content": values.email}]}
    responses = {"model": "openai/echo", "input": values.email}
    body = messages if path == "/v1/messages" else responses
    reply = post(guarded[0], path, {**body, "stream": True})
    deltas = [json.loads(line[6:]).get("delta", "") for line in reply.splitlines() if line.startswith("data: {")]
    text = "".join(delta if isinstance(delta, str) else delta.get("text", "") for delta in deltas)
    assert re.fullmatch(TOKEN, text)


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
def test_tool_calls_of_earlier_turns_are_masked(guarded, values, vendor):
    """What a client holds in the clear: LiteLLM shows it, and takes it back in messages only."""
    command = {"command": f"mail {values.email} password='{values.password}'"}
    if vendor == "openai":
        call = {"id": "c", "type": "function", "function": {"name": "run", "arguments": json.dumps(command)}}
        messages = [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": values.text},
            {"role": "user", "content": "on"},
        ]
        post(guarded[0], "/v1/chat/completions", {"model": "openai/echo", "messages": messages, "tools": [RUN]})
        return
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "run", "input": command}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": values.text}]},
    ]
    body = {"model": "anthropic/echo", "max_tokens": 9, "messages": messages}
    post(guarded[0], "/v1/messages", body)


def test_two_callers_with_one_call_id_stay_separate(guarded, provider):
    """Clients choose the id of a call."""
    body = {"model": "openai/echo", "messages": [{"role": "user", "content": "to alice@example.com"}]}
    header = {"x-litellm-call-id": "same", "x-litellm-trace-id": "same"}
    first = json.loads(post(guarded[0], "/v1/chat/completions", body, header))
    assert first["choices"][0]["message"]["content"] == "to alice@example.com"
    token = re.findall(TOKEN, str(provider.requests()[-1]))[-1]
    body = {"model": f"openai/says/{token}", "messages": [{"role": "user", "content": "hi"}]}
    again = json.loads(post(guarded[0], "/v1/chat/completions", body, {"x-litellm-call-id": "same"}))
    assert again["choices"][0]["message"]["content"] == token


def test_nothing_is_sent_while_the_guardrail_is_down(running_provider, provider, tmp_path):
    process, url = guardrail(tmp_path, running_provider.url, {})
    environment = {"OPENAI_API_KEY": "sk-a", "ANTHROPIC_API_KEY": "sk-b", "MASK_GUARDRAIL_KEY": "any"}
    gateway = Gateway(tmp_path, with_guardrail(url, running_provider), environment)
    try:
        chat(gateway.url, "openai/echo", "hi")
        process.kill()
        process.wait()
        provider.forget()
        with pytest.raises(urllib.error.HTTPError) as failed:
            chat(gateway.url, "openai/echo", "to alice@example.com")
        assert failed.value.code >= 400
        assert provider.requests() == []
    finally:
        gateway.process.kill()
        process.kill()


def test_litellm_behind_maskproxy(running_provider, values, tmp_path):
    """A client asks us, we ask LiteLLM, LiteLLM the provider."""
    config = at(of_page("litellm.yaml` behind maskproxy"), **{"https://api.openai.com": running_provider.url})
    gateway = Gateway(tmp_path, config, {"OPENAI_API_KEY": "sk-a"})
    process, _ = guardrail(tmp_path, gateway.url, {})
    try:
        port = process.args[process.args.index("--port") + 1]
        for stream in [False, True]:
            assert chat(f"http://127.0.0.1:{port}", "openai/echo/7", values.text, stream) == values.text
    finally:
        gateway.process.kill()
        process.kill()


def test_litellm_before_maskproxy(proxy, values, tmp_path):
    """A client asks LiteLLM, LiteLLM asks us, we ask the provider."""
    config = at(of_page("litellm.yaml` before maskproxy"), **{"http://127.0.0.1:8000": proxy})
    gateway = Gateway(tmp_path, config, {"OPENAI_API_KEY": "sk-a", "ANTHROPIC_API_KEY": "sk-b"})
    try:
        for stream in [False, True]:
            assert chat(gateway.url, "openai/echo/7", values.text, stream) == values.text
    finally:
        gateway.process.kill()
