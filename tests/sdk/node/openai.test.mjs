// The official openai SDK through the proxy.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import { start, valuesOf } from "./setup.mjs";

const SIZES = [1, 7, 1000];
const RUN = { type: "function", function: { name: "run", parameters: { type: "object", properties: {} } } };
const RUN_FLAT = { type: "function", name: "run", parameters: { type: "object", properties: {} }, strict: false };

let running;
let client;
let number = 1000;

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

const user = (text) => [{ role: "user", content: text }];

masked("chat comes back whole", async (text) => {
  const reply = await client.chat.completions.create({ model: "thinking", messages: user(text) });
  assert.equal(reply.choices[0].message.content, text);
  assert.equal(reply.choices[0].message.reasoning_content, `They said: ${text}`);
});

for (const size of SIZES) {
  masked(`a chat stream of deltas of ${size} comes back whole`, async (text) => {
    const stream = await client.chat.completions.create({
      model: `thinking/${size}`, messages: user(text), stream: true,
    });
    const got = { content: "", reasoning_content: "" };
    for await (const { choices: [{ delta }] } of stream) {
      for (const member of Object.keys(got)) got[member] += delta[member] ?? "";
    }
    assert.deepEqual(got, { content: text, reasoning_content: `They said: ${text}` });
  });

  masked(`a chat tool loop of deltas of ${size}`, async (text) => {
    const messages = user(text);
    const stream = client.chat.completions.stream({ model: `everything/${size}`, messages, tools: [RUN] });
    const { message } = (await stream.finalChatCompletion()).choices[0];
    assert.equal(message.content, text);
    const [first, second] = message.tool_calls.map((call) => JSON.parse(call.function.arguments));
    assert.equal(first.command, text);
    assert.deepEqual(second.paths, [text, "/tmp"]);
    messages.push(message);
    for (const call of message.tool_calls) {
      messages.push({ role: "tool", tool_call_id: call.id, content: `ran: ${text}` });
    }
    const reply = await client.chat.completions.create({ model: "everything", messages, tools: [RUN] });
    assert.equal(reply.choices[0].message.content, `ran: ${text}`);
  });

  masked(`a responses tool loop of deltas of ${size}`, async (text) => {
    const input = user(text);
    const stream = client.responses.stream({ model: `everything/${size}`, input, tools: [RUN_FLAT] });
    const reply = await stream.finalResponse();
    const calls = reply.output.filter((item) => item.type === "function_call");
    assert.equal(reply.output_text, text);
    assert.equal(JSON.parse(calls[0].arguments).command, text);
    input.push(...reply.output);
    for (const { call_id } of calls) input.push({ type: "function_call_output", call_id, output: text });
    const next = await client.responses.create({ model: "everything", input, tools: [RUN_FLAT] });
    assert.equal(next.output_text, text);
  });
}

masked("responses are counted", async (text) => {
  const counted = await client.responses.inputTokens.count({ model: "echo", input: text });
  assert.ok(counted.input_tokens > 0);
});

masked("an error of the provider is shown restored", async (text) => {
  const call = client.chat.completions.create({ model: "error-429", messages: user(text) });
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof OpenAI.RateLimitError && error.message.includes(text));
    return true;
  });
});

masked("an error of the proxy has a code", async (text) => {
  const call = client.chat.completions.create({ model: "close-before-reply", messages: user(text) });
  await assert.rejects(call, { status: 502, code: "mask_upstream_unreachable" });
});

for (const end of ["half-token-then-close", "half-token-then-reset", "malformed-chunk"]) {
  masked(`a stream cut by ${end} never looks finished`, async (text) => {
    const drain = async () => {
      const stream = await client.chat.completions.create({ model: end, messages: user(text), stream: true });
      for await (const _ of stream);
    };
    await assert.rejects(drain);
  });
}

test("64 callers each get only their own values", async () => {
  const callers = Array.from({ length: 64 }, (_, index) => valuesOf(7000 + index));
  const answers = callers.map(async ({ text }) => {
    const stream = client.chat.completions.stream({ model: "echo/3", messages: user(text) });
    return stream.finalContent();
  });
  assert.deepEqual(await Promise.all(answers), callers.map(({ text }) => text));
  for (const caller of callers) assert.deepEqual(await running.saw(caller), []);
});
