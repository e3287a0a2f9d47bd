// Asks the worker.

const worker = new Worker("worker.js", { type: "module" });
// What numbers are derived with where an input leans on history that the page does not show.
const historyKey = crypto.getRandomValues(new Uint8Array(32));
const waiting = new Map();
let last = 0;

worker.addEventListener("message", ({ data: { id, result, error } }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) resolve(result);
  else reject(new Error(error));
});

worker.addEventListener("error", () => {
  for (const { reject } of waiting.values()) reject(new Error("the engine does not run in this browser"));
  waiting.clear();
});

function ask(job, argument) {
  return new Promise((resolve, reject) => {
    last += 1;
    waiting.set(last, { resolve, reject });
    worker.postMessage({ id: last, job, argument });
  });
}

export const engine = {
  ready: () => ask("ready"),
  configure: (controls) => ask("configure", { controls, historyKey }),
  mask: (form, input) => ask("mask", { form, input }),
  begin: () => ask("begin"),
  push: (bytes, size, ends) => ask("push", { bytes, size, ends }),
};
