// The controls, and the link that holds them.
import { byId, setText } from "./dom.js";

const DEFAULTS = {
  built_in: true,
  types: "",
  names: "careful",
  terms: "",
  patterns: "",
  allow: "",
  min_score: 0,
  policy: "default",
  only: "EMAIL, API_KEY, SECRET",
  rules: "",
  operator: "pseudonym",
  restore: "",
};

const PREFIX = "#s=";
const CONTROLS = ["types", "names", "terms", "patterns", "allow", "only", "rules", "restore", "settings"];

/** Calls back whenever a control changes. */
export function watchSettings(changed) {
  readLink();
  showDependents();
  byId("controls").addEventListener("input", () => {
    showDependents();
    changed();
  });
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  byId("reset").addEventListener("click", () => {
    fill(DEFAULTS);
    byId("secret").value = "";
    history.replaceState(null, "", location.pathname + location.search);
    changed();
  });
  window.addEventListener("hashchange", () => {
    readLink();
    changed();
  });
}

/** The settings as the engine reads them. */
export function controls() {
  const { policy, only, ...rest } = values();
  const types = only.split(",").map((type) => type.trim()).filter(Boolean);
  return JSON.stringify({ ...rest, only: policy === "strict" ? types : null, secret: byId("secret").value });
}

/** A link to this page with these settings, and nothing else. */
export function link() {
  const changed = Object.entries(values()).filter(([name, value]) => value !== DEFAULTS[name]);
  const bytes = new TextEncoder().encode(JSON.stringify(Object.fromEntries(changed)));
  const base64 = btoa(String.fromCharCode(...bytes));
  return location.href.split("#")[0] + PREFIX + base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Shows what is wrong beside each control that it is about: pairs of a control and a message. */
export function showSettingsErrors(errors) {
  const messages = new Map(errors);
  if (errors.length > 0 && !messages.has("settings")) messages.set("settings", "the previous settings stay in use");
  for (const name of CONTROLS) {
    const message = messages.get(name);
    setText(byId(`${name}-error`), message ? `${message.charAt(0).toUpperCase()}${message.slice(1)}.` : "");
    if (name !== "settings") byId(name).setAttribute("aria-invalid", String(message !== undefined));
  }
  if (errors.length > 0) byId("settings").open = true;
}

function values() {
  return Object.fromEntries(Object.entries(DEFAULTS).map(([name, usual]) => [name, read(byId(name), usual)]));
}

function read(control, usual) {
  if (typeof usual === "boolean") return control.checked;
  return typeof usual === "number" ? Number(control.value) : control.value;
}

function fill(wanted) {
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    const value = typeof wanted[name] === typeof usual ? wanted[name] : usual;
    const control = byId(name);
    if (typeof usual === "boolean") control.checked = value;
    else control.value = String(value);
    if (control.selectedIndex === -1) control.value = usual;
  }
  showDependents();
}

function readLink() {
  if (!location.hash.startsWith(PREFIX)) return;
  try {
    const base64 = location.hash.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    fill(JSON.parse(new TextDecoder().decode(bytes)) ?? {});
    byId("settings").open = true;
  } catch {
    setText(byId("state"), "The settings in the link can't be read.");
  }
}

function showDependents() {
  setText(byId("min_score-shown"), `${byId("min_score").value} %`);
  byId("only").disabled = byId("policy").value !== "strict";
  byId("secret").disabled = byId("operator").value === "redact";
}
