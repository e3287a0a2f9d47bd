// Paths of the generic schema, by the official SDKs, through the proxy.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { AzureOpenAI } from "openai";
import { start, valuesOf } from "./setup.mjs";

let running;
let client;
let number = 4000;

before(async () => {
  running = await start();
  client = new OpenAI({ baseURL: `${running.url}/v1`, apiKey: "sk-fake", maxRetries: 0 });
});
after(() => running.stop());

/** A test with values of its own; none of them may reach the provider. */
function masked(name, body) {
  test(name, { timeout: 60_000 }, async () => {
    const caller = valuesOf(number++);
    await body(caller.text);
    assert.deepEqual(await running.saw(caller), []);
  });
}

const user = (content) => [{ role: "user", content }];

masked("embeddings", async (text) => {
  const reply = await client.embeddings.create({ model: "m", input: [text], encoding_format: "float" });
  assert.deepEqual(reply.data[0].embedding, [0.5, 0.25]);
});

masked("moderations", async (text) => {
  const reply = await client.moderations.create({ input: text });
  assert.equal(reply.results[0].flagged, false);
});

masked("images", async (text) => {
  const { data: [image] } = await client.images.generate({ prompt: text });
  assert.deepEqual(image, { b64_json: "QUJD", revised_prompt: text });
});

masked("completions", async (text) => {
  const reply = await client.completions.create({ model: "m", prompt: text });
  assert.equal(reply.choices[0].text, text);
});

masked("batches", async (text) => {
  const batch = { input_file_id: "file-1", endpoint: "/v1/responses", completion_window: "24h" };
  const reply = await client.batches.create({ ...batch, metadata: { note: text } });
  assert.equal(reply.metadata.note, text);
  assert.equal(reply.endpoint, batch.endpoint);
});

masked("message batches", async (text) => {
  const anthropic = new Anthropic({ baseURL: running.url, apiKey: "sk-ant-fake", maxRetries: 0 });
  const params = { model: "echo", max_tokens: 9, messages: user(text) };
  const reply = await anthropic.messages.batches.create({ requests: [{ custom_id: "a", params }] });
  assert.equal(reply.processing_status, "in_progress");
});

masked("conversations and their items", async (text) => {
  const conversation = await client.conversations.create({ metadata: { note: text } });
  assert.equal(conversation.metadata.note, text);
  const items = await client.conversations.items.create(conversation.id, {
    items: [{ type: "message", role: "user", content: [{ type: "input_text", text }] }],
  });
  assert.equal(items.data[0].content[0].text, text);
});

masked("Azure", async (text) => {
  const azure = new AzureOpenAI({
    endpoint: running.url, apiKey: "fake", apiVersion: "2026-10-21", deployment: "d", maxRetries: 0,
  });
  const reply = await azure.chat.completions.create({ model: "echo", messages: user(text) });
  assert.equal(reply.choices[0].message.content, text);
  const stream = await azure.chat.completions.create({ model: "echo/1", messages: user(text), stream: true });
  let streamed = "";
  for await (const chunk of stream) streamed += chunk.choices[0]?.delta.content ?? "";
  assert.equal(streamed, text);
});
