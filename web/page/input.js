// The input: a text field, or a long text that was pasted and is kept beside it.
import { byId, element, setText } from "./dom.js";
import { markOf } from "./findings.js";
import { LONG } from "./limits.js";

const field = byId("input");
const backdrop = byId("backdrop");
let attached;

/** Calls back whenever the input changes. */
export function watchInput(changed) {
  field.addEventListener("input", changed);
  field.addEventListener("scroll", followScroll);
  new ResizeObserver(followScroll).observe(field);
  field.addEventListener("paste", (event) => {
    const pasted = event.clipboardData.getData("text/plain");
    if (field.value.length + pasted.length < LONG) return;
    event.preventDefault();
    const { value, selectionStart, selectionEnd } = field;
    attach(value.slice(0, selectionStart) + pasted + value.slice(selectionEnd));
    changed();
  });
  byId("detach").addEventListener("click", () => {
    setInput("");
    field.focus();
    changed();
  });
}

export const input = () => attached ?? field.value;

export function setInput(text) {
  attached = undefined;
  field.value = text;
  backdrop.replaceChildren();
  byId("editor").hidden = false;
  byId("attachment").hidden = true;
}

/** Lays the findings behind the field. */
export function showMarks(findings) {
  if (attached !== undefined) return;
  const text = field.value;
  const parts = [];
  let at = 0;
  for (const finding of findings) {
    parts.push(text.slice(at, finding.start));
    parts.push(element("mark", { className: markOf(finding) }, text.slice(finding.start, finding.end)));
    at = finding.end;
  }
  // A last line that is empty takes room only when something follows.
  parts.push(`${text.slice(at)}\n`);
  backdrop.replaceChildren(...parts);
  followScroll();
}

/** Selects a finding in the field. */
export function select({ start, end }) {
  if (attached !== undefined) return;
  field.focus();
  field.setSelectionRange(start, end);
  const mark = [...backdrop.querySelectorAll("mark")].find((mark) => mark.offsetTop >= 0 && startOf(mark) === start);
  if (mark) field.scrollTop = mark.offsetTop - field.clientHeight / 2;
}

function startOf(mark) {
  const range = document.createRange();
  range.setStart(backdrop, 0);
  range.setEndBefore(mark);
  return range.toString().length;
}

function attach(text) {
  attached = text;
  field.value = "";
  backdrop.replaceChildren();
  const size = (text.length / 1e6).toLocaleString("en", { maximumFractionDigits: 2 });
  setText(byId("attachment-text"), `A pasted text of ${size} million characters.`);
  byId("editor").hidden = true;
  byId("attachment").hidden = false;
  byId("detach").focus();
}

function followScroll() {
  backdrop.style.height = `${field.offsetHeight}px`;
  backdrop.scrollTop = field.scrollTop;
}
