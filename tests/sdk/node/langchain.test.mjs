// LangChain with OpenAI, by chat completions and by responses, through the proxy.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { start, valuesOf } from "./setup.mjs";

const RUN = { type: "function", function: { name: "run", parameters: { type: "object", properties: {} } } };

let running;
let number = 5000;

before(async () => {
  running = await start();
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

for (const useResponsesApi of [false, true]) {
  const by = useResponsesApi ? "responses" : "chat completions";
  const chat = (model) => new ChatOpenAI({
    model, useResponsesApi, apiKey: "sk-fake", maxRetries: 0, configuration: { baseURL: `${running.url}/v1` },
  });

  masked(`a text comes back whole by ${by}, and in a stream`, async (text) => {
    assert.equal((await chat("echo").invoke(text)).text, text);
    let streamed = "";
    for await (const chunk of await chat("echo/3").stream(text)) streamed += chunk.text;
    assert.equal(streamed, text);
  });

  masked(`a tool loop by ${by}`, async (text) => {
    const model = chat("tools/3").bindTools([RUN]);
    const messages = [new HumanMessage(text)];
    let asked;
    for await (const chunk of await model.stream(messages)) asked = asked?.concat(chunk) ?? chunk;
    const [call] = asked.tool_calls;
    assert.equal(call.args.command, text);
    messages.push(asked, new ToolMessage({ tool_call_id: call.id, content: `ran: ${text}` }));
    assert.equal((await model.invoke(messages)).text, `ran: ${text}`);
  });
}
