// The reply, which arrives in chunks and is restored as it does.
import { byId, setText } from "./dom.js";
import { engine } from "./engine-client.js";

const PAUSE = 45; // milliseconds between two chunks

const field = byId("reply");
const chunk = byId("chunk");
let bytes = new Uint8Array();
let at = 0;
let playing = false;
/** Counts the replies begun, so that what belongs to an earlier one is dropped. */
let turn = 0;
/** The work on the reply, one piece after the other. */
let work = Promise.resolve();
let arriving;
let delivering;

export function watchReply(edited) {
  field.addEventListener("input", () => {
    edited();
    restart();
  });
  chunk.addEventListener("input", showSize);
  byId("play").addEventListener("click", () => (playing ? pause() : play()));
  byId("step").addEventListener("click", () => {
    pause();
    advance(size());
  });
  byId("end").addEventListener("click", () => {
    pause();
    advance(Infinity);
  });
  byId("restart").addEventListener("click", restart);
  showSize();
}

export const replyText = () => field.value;

/** Puts a reply in, of which nothing has arrived. */
export function setReply(text) {
  field.value = text;
  restart();
}

/** Nothing of the reply has arrived. */
export function restart() {
  pause();
  turn += 1;
  bytes = new TextEncoder().encode(field.value);
  at = 0;
  arriving = new TextDecoder();
  delivering = new TextDecoder();
  for (const id of ["arrived", "restored", "held"]) byId(id).textContent = "";
  setText(byId("progress"), "");
  enable(true);
  const mine = turn;
  work = work.then(engine.begin).then((begun) => {
    if (mine === turn) enable(begun && bytes.length > 0);
  });
}

async function play() {
  if (at >= bytes.length) restart();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return advance(Infinity);
  playing = true;
  byId("play").textContent = "Pause";
  const mine = turn;
  while (playing && mine === turn) {
    await advance(size());
    if (at >= bytes.length) break;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  if (mine === turn) pause();
}

function pause() {
  playing = false;
  byId("play").textContent = "Play";
}

/** Lets so many bytes arrive. */
function advance(length) {
  const mine = turn;
  work = work.then(async () => {
    if (mine !== turn || at >= bytes.length) return;
    const part = bytes.slice(at, Math.min(at + length, bytes.length));
    at += part.length;
    const ends = at === bytes.length;
    const { out, held, restored } = await engine.push(part, size(), ends);
    if (mine === turn) show(part, out, held, restored, ends);
  });
  return work;
}

function show(part, out, held, restored, ends) {
  setText(byId("held"), new TextDecoder().decode(held));
  append(byId("arrived"), arriving.decode(part, { stream: !ends }));
  append(byId("restored"), delivering.decode(out, { stream: !ends }));
  const values = restored === 1 ? "1 value" : `${restored} values`;
  setText(byId("progress"), `${at} of ${bytes.length} bytes arrived, ${values} restored.`);
  enable(!ends);
}

function append(target, text) {
  target.append(text);
  const box = target.closest("pre");
  box.scrollTop = box.scrollHeight;
}

function enable(more) {
  byId("step").disabled = !more;
  byId("end").disabled = !more;
}

const size = () => Number(chunk.value);

function showSize() {
  setText(byId("chunk-size"), size() === 1 ? "1 byte" : `${size()} bytes`);
}
