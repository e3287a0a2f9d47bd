// How long the page keeps somebody waiting: measured and printed, for a calm machine.
import { test } from "node:test";
import { picture, settled, withPage } from "./setup.mjs";

const LINE = "2026-03-01T10:00:00Z app[12]: request from alice@example.com took 12 ms, see the log of the worker\n";

test("pasting a megabyte", () =>
  withPage({}, async (page) => {
    const input = LINE.repeat(Math.ceil(1e6 / LINE.length));
    await page.evaluate((input) => navigator.clipboard.writeText(input), input);
    await page.click("#clear");
    await page.focus("#input");
    await settled(page);
    // Time that the thread works, not what other programs take from it.
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const worked = async () => {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
    };
    const before = await worked();
    await page.keyboard.press("ControlOrMeta+v");
    await page.waitForFunction(() => document.getElementById("count").textContent.startsWith("10,"), null, { polling: 100 });
    const spent = (await worked()) - before;
    await picture(page, "megabyte");
    const answered = await page.evaluate(async (input) => {
      const { engine } = await import("./engine-client.js");
      const began = performance.now();
      await engine.mask("text", input);
      return performance.now() - began;
    }, input);
    console.log(`# ${input.length} characters: ${spent.toFixed(0)} ms of the thread, answered after ${answered.toFixed(0)} ms`);
  }));

test("the first paint", () =>
  withPage({}, async (page) => {
    const paints = [];
    for (let opened = 0; opened < 5; opened += 1) {
      await page.reload();
      const paint = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
      await page.waitForFunction(paint);
      paints.push(await page.evaluate(paint));
    }
    console.log(`# first paints after ${paints.map((paint) => paint.toFixed(0)).join(", ")} ms`);
  }));
