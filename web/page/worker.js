// Runs the engine away from the page's own thread.
import load, { Engine } from "./engine.js";
import { LONG, MOST_FINDINGS } from "./limits.js";

const loaded = load();
let engine;
let reply;

const jobs = {
  ready: () => true,

  /** Applies new settings, and returns the types that are not looked for. The previous ones stay in use if they can't be used. */
  configure({ controls, historyKey }) {
    const next = new Engine(controls, historyKey);
    engine?.free();
    engine = next;
    return engine.off();
  },

  mask({ form, input }) {
    if (!engine) throw new Error("the settings can't be used");
    reply?.free();
    reply = undefined;
    const { findings, masked, values } = JSON.parse(engine.mask(form, input));
    return { findings: input.length < LONG ? findings : findings.slice(0, MOST_FINDINGS), found: findings.length, masked, values };
  },

  begin() {
    reply?.free();
    reply = engine?.reply();
    return reply !== undefined;
  },

  /** Takes bytes in chunks of a size, and ends the reply behind them if it is to. */
  push({ bytes, size, ends }) {
    const out = [];
    for (let at = 0; at < bytes.length; at += size) {
      out.push(reply.push(bytes.subarray(at, at + size)));
    }
    if (ends) out.push(reply.finish());
    return { out: joined(out), held: ends ? new Uint8Array() : reply.held(), restored: reply.restored() };
  },
};

function joined(parts) {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

self.addEventListener("message", async ({ data: { id, job, argument } }) => {
  try {
    await loaded;
    self.postMessage({ id, result: jobs[job](argument) });
  } catch (error) {
    self.postMessage({ id, error: error.message });
  }
});
