// The official anthropic SDK through the proxy.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { start, valuesOf } from "./setup.mjs";

const SIZES = [1, 7, 1000];
const RUN = { name: "run", input_schema: { type: "object", properties: {} } };

let running;
let client;
let number = 2000;

before(async () => {
  running = await start();
  client = new Anthropic({ baseURL: running.url, apiKey: "sk-ant-fake", maxRetries: 0 });
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

const asked = (model, text, more = {}) => ({
  model, max_tokens: 100, messages: [{ role: "user", content: text }], ...more,
});

masked("a message comes back whole", async (text) => {
  const reply = await client.messages.create(asked("echo", text, { system: text }));
  assert.equal(reply.content[0].text, text);
});

for (const size of SIZES) {
  masked(`a tool loop with thinking, in deltas of ${size}`, async (text) => {
    const request = asked(`everything/${size}`, text, { tools: [RUN] });
    let streamed = "";
    const stream = client.messages.stream(request).on("text", (delta) => (streamed += delta));
    const { content } = await stream.finalMessage();
    const [thinking, said, first, second] = content;
    assert.equal(thinking.thinking, `They said: ${text}`);
    assert.equal(said.text, text);
    assert.equal(streamed, text);
    assert.deepEqual(first.input, { command: text, timeout: 1.5 });
    assert.deepEqual(second.input, { paths: [text, "/tmp"], note: "" });

    const results = [first, second].map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: text }));
    request.messages.push({ role: "assistant", content }, { role: "user", content: results });
    const reply = await client.messages.create({ ...request, model: "everything" });
    assert.equal(reply.content[0].text, text + text);
  });
}

masked("tokens are counted", async (text) => {
  const { max_tokens: _, ...request } = asked("echo", text);
  assert.ok((await client.messages.countTokens(request)).input_tokens > 0);
});

masked("an error of the provider is shown restored", async (text) => {
  await assert.rejects(client.messages.create(asked("error-400", text)), (error) => {
    assert.ok(error.error.error.message.includes(text));
    return true;
  });
});

masked("an error of the proxy has a code", async (text) => {
  await assert.rejects(client.messages.create(asked("reset-before-reply", text)), (error) => {
    assert.equal(error.status, 502);
    assert.equal(error.error.error.type, "mask_upstream_unreachable");
    return true;
  });
});

for (const end of ["half-token-then-close", "half-token-then-reset", "malformed-chunk"]) {
  masked(`a stream cut by ${end} never looks finished`, async (text) => {
    await assert.rejects(client.messages.stream(asked(end, text)).finalMessage());
  });
}

test("64 callers each get only their own values", async () => {
  const callers = Array.from({ length: 64 }, (_, index) => valuesOf(8000 + index));
  const answers = callers.map(({ text }) => client.messages.stream(asked("echo/3", text)).finalText());
  assert.deepEqual(await Promise.all(answers), callers.map(({ text }) => text));
  for (const caller of callers) assert.deepEqual(await running.saw(caller), []);
});
