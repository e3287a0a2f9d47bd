// Serves the built page, opens it in Chromium, and asks the native engine.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before } from "node:test";
import { serve } from "../serve.mjs";
import { launch } from "./browser.mjs";

const { PLAYGROUND, NATIVE, SCREENSHOTS } = process.env;
const EXAMPLES = new URL("../../tests/vectors/wire/examples/", import.meta.url);
const FOLDERS = { chat: "chat_style", messages: "messages_style", responses: "responses" };

export const USUAL = {
  built_in: true, types: "", names: "careful", terms: "", patterns: "", allow: "", min_score: 0, only: null, rules: "", operator: "pseudonym", secret: "", restore: "",
};

let server;
let browser;
let url;

before(async () => {
  server = await serve(PLAYGROUND);
  url = `http://127.0.0.1:${server.address().port}/`;
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

/** Runs a test with a page of its own, which must ask for nothing but its own files and report no error. */
export async function withPage(options, test) {
  const { fragment = "", ...context } = options;
  const opened = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"], ...context });
  const requests = [];
  const errors = [];
  try {
    opened.on("request", (request) => requests.push(request));
    opened.on("weberror", (error) => errors.push(String(error.error())));
    const page = await opened.newPage();
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    // The key of the native engine, so that both derive the same numbers.
    await page.addInitScript(() => {
      crypto.getRandomValues = (bytes) => bytes.fill(7);
    });
    await page.goto(url + fragment);
    await page.waitForFunction(() => document.getElementById("state").textContent.startsWith("Ready"));
    await test(page, { context: opened, requests });
    const strange = requests.filter((request) => request.method() !== "GET" || !request.url().startsWith(url));
    if (strange.length > 0) throw new Error(`left the page: ${strange.map((request) => request.url())}`);
    if (errors.length > 0) throw new Error(`errors in the page: ${errors}`);
  } finally {
    await opened.close();
  }
}

/** The rules that every host runs. */
export const rules = () => JSON.parse(readFileSync(new URL("../../tests/vectors/rules.json", import.meta.url), "utf8"));

/** What the native engine makes of exchanges. */
export function native(exchanges) {
  const ran = spawnSync(NATIVE, { input: JSON.stringify(exchanges), maxBuffer: 1 << 28, encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`the native engine failed: ${ran.stderr}`);
  return JSON.parse(ran.stdout);
}

/** The vectors that every host runs. */
const VECTORS = readFileSync(new URL("../exchanges.txt", EXAMPLES), "utf8").trim().split("\n");
const isRequest = (name) => /\/(req|sink\.request)\./.test(name);
const vectors = (names) =>
  names.map((name) => ({ name, form: FOLDERS[name.split("/")[0]], text: readFileSync(new URL(name, EXAMPLES), "utf8") }));

/** Every example request of every format. */
export const requests = () =>
  vectors(VECTORS.filter(isRequest)).map(({ text, ...vector }) => ({ ...vector, input: text }));

/** Every example reply of every format, streamed and whole. */
export const replies = () =>
  vectors(VECTORS.filter((name) => !isRequest(name))).map(({ text, ...vector }) => ({ ...vector, reply: text }));

/** The values that the tokens of the example replies stand for. */
export const tokens = () => JSON.parse(readFileSync(new URL("tokens.json", EXAMPLES), "utf8"));

/** The page as it shows now, once it is done with what was put in. */
export async function settled(page) {
  await page.evaluate(async () => {
    const { engine } = await import("./engine-client.js");
    // Settings, then the input, then the reply: each is asked for once the one before is answered.
    for (let answers = 0; answers < 4; answers += 1) {
      await engine.ready();
      await new Promise((resolve) => setTimeout(resolve));
    }
  });
}

/** Puts a text into a field at once. */
export async function put(page, selector, text) {
  await page.locator(selector).fill(text);
  await settled(page);
}

/** Keeps a picture where SCREENSHOTS says, for looking at. */
export async function picture(page, name) {
  if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });
}
