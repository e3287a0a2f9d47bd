// Starts the mock provider and the real proxy, or takes those that run, and watches what the provider is told.
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

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
  const mock = spawn(join(BINARIES, "mock-provider"), [], { stdio: ["ignore", "pipe", "ignore"] });
  const provider = await announced(mock, mock.stdout);

  const cwd = mkdtempSync(join(tmpdir(), "maskproxy-"));
  const flags = ["proxy", "--upstream", provider, "--port", "0"];
  const proxy = spawn(join(BINARIES, "maskproxy"), flags, { cwd, stdio: ["ignore", "ignore", "pipe"] });
  const url = await announced(proxy, proxy.stderr);

  const stop = () => {
    proxy.kill("SIGKILL");
    mock.kill("SIGKILL");
  };
  return { provider, url, stop };
}

/** The address that a server says it listens on. */
function announced(server, output) {
  return new Promise((resolve, reject) => {
    server.once("exit", () => reject(new Error(`${server.spawnfile} ended at once`)));
    // Read to its end: a full pipe would hold the server up.
    createInterface(output).on("line", (line) => {
      const [, url] = /^listening on (\S+)$/.exec(line) ?? [];
      if (url) resolve(url);
    });
  });
}
