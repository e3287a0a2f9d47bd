// Starts the mock provider and the real proxy, or takes those that run, and watches what the provider is told.
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const BINARIES = process.env.BINARIES;

/** Invented values that belong to one caller only. */
export function valuesOf(number) {
  const n = String(number).padStart(4, "0");
  const values = [
    `user${n}.q@corp${n}.example.com`,
    `+1 (415) 555-${n}`,
    `sk-proj-Ab3Xk2Wq9Zt5Vb8Nm4Rc7Yp1Ls6Hd3Gf0Ja${n}`,
    `Tr0ub${n}dor\\x"q9`,
  ];
  const [email, phone, key, password] = values;
  const text = `Write to ${email}, call ${phone}, key ${key} and password='${password}' please.`;
  return { values, text };
}

/** A provider and a proxy in front of it; `stop` ends what was started. */
export async function start() {
  const { provider, url, stop } = running() ?? await started();
  return {
    url,
    stop,
    /** The values of a caller that reached the provider, as written or JSON-escaped. */
    async saw({ values }) {
      const told = await (await fetch(`${provider}/_mock/requests`)).json();
      const text = told.map((request) => request.body + JSON.stringify(request.headers)).join("\n");
      const escaped = (value) => JSON.stringify(value).slice(1, -1);
      return values.filter((value) => text.includes(value) || text.includes(escaped(value)));
    },
  };
}

/** Those that the environment names. */
function running() {
  const { PROVIDER: provider, PROXY: url } = process.env;
  return provider && url && { provider, url, stop() {} };
}

async function started() {
  const providerPort = await freePort();
  const provider = `http://127.0.0.1:${providerPort}`;
  const mock = spawn(join(BINARIES, "mock-provider"), [String(providerPort)], { stdio: "ignore" });
  await serves(mock, `${provider}/_mock/requests`);

  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const cwd = mkdtempSync(join(tmpdir(), "maskproxy-"));
  const flags = ["proxy", "--upstream", provider, "--port", String(port)];
  const proxy = spawn(join(BINARIES, "maskproxy"), flags, { cwd, stdio: "ignore" });
  await serves(proxy, `${url}/health`);

  const stop = () => {
    proxy.kill("SIGKILL");
    mock.kill("SIGKILL");
  };
  return { provider, url, stop };
}

async function serves(process, url) {
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(20)) {
    if (process.exitCode !== null) throw new Error(`${process.spawnfile} ended at once`);
    const reply = await fetch(url).catch(() => null);
    await reply?.arrayBuffer();
    if (reply?.ok) return;
  }
  throw new Error(`${process.spawnfile} does not serve`);
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
