// The page shows what the native engine gives, byte for byte.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST_FINDINGS } from "../page/limits.js";
import { USUAL, native, requests, withPage } from "./setup.mjs";

/** Chunks in which the replies arrive, in bytes. */
const CHUNKS = [1, 7, 64];

test("findings, masked body and restored reply are the native engine's", () =>
  withPage({}, async (page) => {
    const inputs = requests();
    assert.ok(inputs.length > 25, `${inputs.length} requests`);
    const exchanges = inputs.flatMap(({ name, form, input }) => {
      const asText = { name, form: "text", input };
      return [{ name, form, input }, asText].map((exchange, index) => ({
        ...exchange,
        controls: USUAL,
        reply: `<MASK_EMAIL_1> é😀 &lt;MASK_API_KEY_2&gt; MASK_SECRET_3 <MASK_PHONE_${index + 1}> <MASK_EMAIL_9`,
        chunk: CHUNKS[(name.length + index) % CHUNKS.length],
      }));
    });
    const expected = native(exchanges);
    for (const [index, exchange] of exchanges.entries()) {
      const shown = await page.evaluate(exchangeInPage, exchange);
      const { findings, masked, restored } = expected[index];
      const label = `${exchange.form} ${exchange.name}`;
      assert.equal(shown.found, findings.length, label);
      assert.deepEqual(shown.findings, findings.slice(0, shown.findings.length), label);
      assert.ok(shown.findings.length >= Math.min(findings.length, MOST_FINDINGS), label);
      assert.ok(shown.masked === masked, `${label} is masked otherwise`);
      assert.equal(shown.restored, restored, label);
    }
  }));

test("what the page shows is the native engine's, as whoever looks at it sees it", () =>
  withPage({}, async (page) => {
    for (const { name, form, input } of requests().filter(({ name }) => name.includes("/req."))) {
      // A field has no line ends but "\n".
      if (input.includes("\r") || input.length > 20_000) continue;
      await page.evaluate(() => (document.getElementById("reply").value = ""));
      await page.selectOption("#form", form);
      await page.locator("#input").fill(input);
      const [expected] = native([{ controls: USUAL, form, input, reply: "", chunk: 1 }]);
      await page.waitForFunction((masked) => document.getElementById("masked").textContent === masked, expected.masked, { timeout: 3000 })
        .catch(() => assert.fail(`${name} is shown otherwise`));
      const marks = await page.locator("#backdrop mark").allTextContents();
      assert.deepEqual(marks, expected.findings.map(({ start, end }) => input.slice(start, end)), name);
    }
  }));

async function exchangeInPage({ controls, form, input, reply, chunk }) {
  const { engine } = await import("./engine-client.js");
  const { findings, found, masked } = await engine.mask(JSON.stringify(controls), form, input);
  await engine.begin();
  const { out } = await engine.push(new TextEncoder().encode(reply), chunk, true);
  return { findings, found, masked, restored: new TextDecoder().decode(out) };
}
