"""Clients whose paths are generic, and those with other base URLs, through the proxy."""

import ollama
import openai
import anthropic
import pytest
from google import genai


@pytest.fixture
def client(proxy):
    return openai.OpenAI(base_url=f"{proxy}/v1", api_key="sk-fake", max_retries=0)


@pytest.fixture
def google(proxy):
    return genai.Client(api_key="fake", http_options={"base_url": proxy})


def user(text):
    return [{"role": "user", "content": text}]


def test_embeddings(client, values):
    reply = client.embeddings.create(model="m", input=[values.text])
    assert reply.data[0].embedding == [0.5, 0.25]


def test_moderations(client, values):
    assert client.moderations.create(input=values.text).results[0].flagged is False


def test_images(client, values):
    reply = client.images.generate(prompt=values.text)
    assert reply.data[0].revised_prompt == values.text
    assert reply.data[0].b64_json == "QUJD"


def test_completions(client, values):
    assert client.completions.create(model="m", prompt=values.text).choices[0].text == values.text


def test_batches(client, values):
    reply = client.batches.create(
        input_file_id="file-1",
        endpoint="/v1/responses",
        completion_window="24h",
        metadata={"note": values.text},
    )
    assert reply.metadata["note"] == values.text


def test_conversations(client, values):
    reply = client.conversations.create(metadata={"owner": values.email})
    assert reply.metadata["owner"] == values.email
    items = client.conversations.items.create(
        reply.id,
        items=[{"type": "message", "role": "user", "content": [{"type": "input_text", "text": values.text}]}],
    )
    assert items.data[0].content[0].text == values.text


def test_azure(proxy, values):
    client = openai.AzureOpenAI(azure_endpoint=proxy, api_key="fake", api_version="2026-10-21", max_retries=0)
    reply = client.chat.completions.create(model="echo", messages=user(values.text))
    assert reply.choices[0].message.content == values.text
    stream = client.chat.completions.create(model="echo/1", messages=user(values.text), stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == values.text


def test_message_batches(proxy, values):
    client = anthropic.Anthropic(base_url=proxy, api_key="fake", max_retries=0)
    params = {"model": "echo", "max_tokens": 9, "messages": user(values.text)}
    reply = client.messages.batches.create(requests=[{"custom_id": "a", "params": params}])
    assert reply.processing_status == "in_progress"


def test_gemini(google, values):
    assert google.models.generate_content(model="g", contents=values.text).text == values.text


def test_gemini_stream(google, values):
    stream = google.models.generate_content_stream(model="g", contents=values.text)
    assert "".join(chunk.text or "" for chunk in stream) == values.text


def test_ollama(proxy, values):
    client = ollama.Client(host=proxy)
    assert client.chat(model="m", messages=user(values.text)).message.content == values.text
    assert client.generate(model="m", prompt=values.text).response == values.text
    assert client.embed(model="m", input=values.text).embeddings == [[0.5, 0.25]]


def test_ollama_stream(proxy, values):
    stream = ollama.Client(host=proxy).chat(model="m", messages=user(values.text), stream=True)
    assert "".join(part.message.content or "" for part in stream) == values.text
