// The AI SDK with its providers, whose base URLs have no /v1, through the proxy.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { embed, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { start, valuesOf } from "./setup.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;

let running;
let providers;
let number = 3000;

before(async () => {
  running = await start();
  const baseURL = running.url;
  const openai = createOpenAI({ baseURL, apiKey: "sk-fake" });
  const anthropic = createAnthropic({ baseURL, apiKey: "sk-ant-fake" });
  const compatible = createOpenAICompatible({ name: "compatible", baseURL, apiKey: "sk-fake" });
  providers = {
    "chat completions": (model) => openai.chat(model),
    responses: (model) => openai.responses(model),
    messages: (model) => anthropic(model),
    compatible: (model) => compatible(model),
  };
  providers.embedding = openai.embedding("m");
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

for (const name of ["chat completions", "responses", "messages", "compatible"]) {
  masked(`${name} come back whole`, async (prompt) => {
    const { text } = await generateText({ model: providers[name]("echo"), prompt, maxRetries: 0 });
    assert.equal(text, prompt);
  });

  for (const size of [1, 7, 1000]) {
    masked(`a stream of ${name} in deltas of ${size} comes back whole`, async (prompt) => {
      const { textStream } = streamText({ model: providers[name](`echo/${size}`), prompt, maxRetries: 0 });
      let text = "";
      for await (const delta of textStream) text += delta;
      assert.equal(text, prompt);
    });

    masked(`a tool loop of ${name} in deltas of ${size}`, async (prompt) => {
      const ran = [];
      const run = tool({
        inputSchema: jsonSchema({ type: "object", properties: {} }),
        execute: async (input) => {
          ran.push(input);
          return prompt;
        },
      });
      const stream = streamText({
        model: providers[name](`tools/${size}`), prompt, tools: { run }, stopWhen: stepCountIs(3), maxRetries: 0,
      });
      assert.ok((await stream.text).includes(prompt));
      assert.deepEqual(ran, [{ command: prompt, timeout: 1.5 }]);
    });
  }
}

masked("embeddings", async (value) => {
  const { embedding } = await embed({ model: providers.embedding, value, maxRetries: 0 });
  assert.deepEqual(embedding, [0.5, 0.25]);
});
