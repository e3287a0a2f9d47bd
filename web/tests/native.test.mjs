// The page shows what the native engine gives, byte for byte.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST_FINDINGS } from "../page/limits.js";
import { USUAL, native, replies, requests, rules, tokens, withPage } from "./setup.mjs";

/** Chunks in which the replies arrive, in bytes. */
const CHUNKS = [1, 7, 65536];

test("findings, masked body and restored reply match the native engine", () =>
  withPage({}, async (page) => {
    const inputs = requests();
    assert.ok(inputs.length > 25, `${inputs.length} requests`);
    const exchanges = inputs.flatMap(({ name, form, input }) =>
      [form, "text"].map((form, index) => ({
        name,
        form,
        input,
        controls: USUAL,
        reply: `<MASK_EMAIL_1> é😀 &lt;MASK_API_KEY_2&gt; MASK_SECRET_3 <MASK_PHONE_${index + 1}> <MASK_EMAIL_9`,
        chunk: CHUNKS[(name.length + index) % CHUNKS.length],
      })),
    );
    const expected = await assertSame(page, exchanges);
    for (const [index, { input, name }] of exchanges.entries()) assertPlaced(input, expected[index], name);
  }));

test("example replies restore like the native engine, however chunked", () =>
  withPage({}, async (page) => {
    const { input, renamed } = inputForReplies();
    const exchanges = replies().flatMap(({ name, form, reply }) =>
      CHUNKS.map((chunk) => ({
        name: `${name} in chunks of ${chunk}`,
        form,
        input: JSON.stringify({ messages: [{ role: "user", content: input }], input }),
        controls: { ...USUAL, terms: 'IP_ADDRESS: 203.0.113.77\nSECRET: Fake"Pass\\000' },
        reply: renamed(reply),
        chunk,
      })),
    );
    const expected = await assertSame(page, exchanges);
    const restored = expected.filter(({ restored }) => restored.includes(tokens()["<MASK_EMAIL_1>"]));
    assert.ok(restored.length > expected.length / 2, `${restored.length} of ${expected.length} replies hold a value`);
  }));

test("rules decide as in the native engine and the test vectors", () =>
  withPage({}, async (page) => {
    const forms = { "/v1/messages": "messages_style", "/v1/chat/completions": "chat_style", "/v1/responses": "responses" };
    const lines = (entries) => entries.map((entry) => (typeof entry === "string" ? entry : JSON.stringify(entry))).join("\n");
    const cases = rules();
    const stream = (events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    const exchanges = cases.map(({ name, path, policy, restore, request, reply, events }) => ({
      name,
      form: forms[path],
      input: JSON.stringify(request),
      controls: { ...USUAL, rules: lines(policy), restore: lines(restore) },
      reply: events ? stream(events) : JSON.stringify(reply),
      chunk: 7,
    }));
    const expected = await assertSame(page, exchanges);
    for (const [index, { name, told, untold, given, kept }] of cases.entries()) {
      const { masked, restored } = expected[index];
      for (const text of told) assert.ok(masked.includes(text), `${name}: ${text} in ${masked}`);
      for (const text of untold) assert.ok(!masked.includes(text), `${name}: ${text} in ${masked}`);
      for (const text of given) assert.ok(restored.includes(text), `${name}: ${text} in ${restored}`);
      for (const text of kept) assert.ok(!restored.includes(text), `${name}: ${text} in ${restored}`);
    }
  }));

test("the displayed results match the native engine", () =>
  withPage({}, async (page) => {
    for (const { name, form, input } of requests().filter(({ name }) => name.includes("/req."))) {
      await page.selectOption("#form", form);
      await page.locator("#input").fill(input);
      const [expected] = native([{ controls: USUAL, form, input, reply: "", chunk: 1 }]);
      await page
        .waitForFunction((masked) => document.getElementById("masked").textContent === masked, expected.masked)
        .catch(() => assert.fail(`${name} is shown otherwise`));
      const marks = await page.locator("#backdrop mark").allTextContents();
      assert.deepEqual(marks, expected.findings.map(({ start, end }) => input.slice(start, end)), name);
    }
  }));

async function assertSame(page, exchanges) {
  const expected = native(exchanges);
  for (const [index, exchange] of exchanges.entries()) {
    const shown = await page.evaluate(exchangeInPage, exchange);
    const { findings, masked, restored } = expected[index];
    const label = `${exchange.form} ${exchange.name}`;
    assert.equal(shown.found, findings.length, label);
    assert.deepEqual(shown.findings, findings.slice(0, shown.findings.length), label);
    assert.ok(shown.findings.length >= Math.min(findings.length, MOST_FINDINGS), label);
    assert.ok(shown.masked === masked, `${label} is masked otherwise`);
    assert.ok(shown.restored === restored, `${label} is restored otherwise`);
  }
  return expected;
}

/** The findings stand where the masked text has its tokens, and nowhere else. */
function assertPlaced(input, { findings, masked }, name) {
  let at = 0;
  let shown = 0;
  for (const { start, end, entity } of findings) {
    const between = input.slice(at, start);
    assert.ok(masked.startsWith(between, shown), `${name}: other text before ${start}`);
    const token = /^<MASK_\w+_\d+>/.exec(masked.slice(shown + between.length, shown + between.length + 100))?.[0];
    assert.ok(token, `${name}: no token for the ${entity} at ${start}`);
    shown += between.length + token.length;
    at = end;
  }
  assert.ok(masked.slice(shown) === input.slice(at), `${name}: other text at the end`);
}

/** An input whose tokens are those of the example replies, once their numbers are as a session gives them. */
function inputForReplies() {
  const values = tokens();
  const held = [
    "<MASK_EMAIL_1>", "<MASK_EMAIL_2>", "<MASK_PHONE_1>", "<MASK_CREDIT_CARD_1>", "<MASK_IP_ADDRESS_1>",
    "<MASK_SECRET_1>", "<MASK_SSN_1>",
  ];
  return {
    input: held.map((token) => values[token]).join("\n"),
    renamed: (reply) =>
      held.slice(2).reduce((text, token, index) => {
        const core = token.slice(1, -1);
        return text.replaceAll(core, core.replace(/1$/, String(index + 3)));
      }, reply),
  };
}

async function exchangeInPage({ controls, form, input, reply, chunk }) {
  const { engine } = await import("./engine-client.js");
  await engine.configure(JSON.stringify(controls));
  const { findings, found, masked } = await engine.mask(form, input);
  await engine.begin();
  const { out } = await engine.push(new TextEncoder().encode(reply), chunk, true);
  return { findings, found, masked, restored: new TextDecoder("utf-8", { ignoreBOM: true }).decode(out) };
}
