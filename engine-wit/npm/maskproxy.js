// The engine of maskproxy for JavaScript: see maskproxy.d.ts.
import { engine as component } from "./component/maskproxy.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const bytes = (data) => (typeof data === "string" ? encoder.encode(data) : data);

/** A request that must not be forwarded, or settings that can't be used. */
export class Refused extends Error {
  constructor(code, message) {
    super(message);
    this.name = "Refused";
    this.code = code;
  }
}

/** Calls the component. What it refuses is thrown. */
function call(work) {
  try {
    return work();
  } catch (error) {
    // jco throws a record as it is, and wraps a text.
    const why = error.payload ?? error;
    if (typeof why === "string") throw new Refused("mask_invalid_settings", why);
    if (why.code === undefined) throw error;
    throw new Refused(why.code, why.message);
  }
}

function settingsOf(options) {
  const settings = component.defaultSettings();
  const { builtIn, types, names, patterns, terms, allow, minScore, policy, rules, anchorSecret, redact, surrogates, restore, historyKey } =
    options;
  if (builtIn !== undefined) settings.builtIn = builtIn;
  if (types) settings.types = Object.entries(types).map(([entity, on]) => ({ entity, on }));
  if (names) settings.names = names;
  if (patterns) settings.patterns = Object.entries(patterns).map(([entity, regex]) => ({ entity, regex }));
  if (terms) settings.terms = Object.entries(terms).map(([entity, words]) => ({ entity, words }));
  if (allow) settings.allow = allow.map(allowed);
  if (minScore !== undefined) settings.minScore = minScore;
  if (policy && policy !== "all") settings.policy = { tag: "strict", val: policy };
  if (rules) settings.rules = rules.map(policyRule);
  if (anchorSecret !== undefined) settings.operator = { tag: "anchored", val: bytes(anchorSecret) };
  if (surrogates) settings.operator = { tag: "surrogate", val: { key: bytes(surrogates.key), types: surrogates.types ?? [] } };
  if (redact) settings.operator = { tag: "redact" };
  if (restore) settings.restore = [restore].flat().map(restoreEntry);
  if (historyKey !== undefined) settings.historyKey = historyKey;
  return settings;
}

const listed = (given) => [given ?? []].flat();

function policyRule(given, place) {
  const { name = `rules[${place}]`, route, model, header = {}, key, schema, role, tool, mask, redact = false } = given;
  const types = mask === "none" ? [] : mask;
  return {
    name,
    routes: listed(route),
    models: listed(model),
    headers: Object.entries(header).map(([name, values]) => [name, listed(values)]),
    keys: listed(key),
    schemas: listed(schema),
    roles: listed(role),
    tools: listed(tool),
    mask: Array.isArray(types) ? { tag: "only", val: types } : { tag: types ?? "inherited" },
    redact,
  };
}

function restoreEntry(given) {
  if (given === "guard") return { tag: "guard" };
  const { tool = [], argument, origin = [], action } = given;
  return { tag: "rule", val: { tools: [tool].flat(), argument, origins: [origin].flat(), action } };
}

function allowed(given) {
  if (typeof given === "string") return { values: { tag: "exact", val: given } };
  const { type, value, pattern } = given;
  const values = value === undefined ? { tag: "pattern", val: pattern } : { tag: "exact", val: value };
  return { entity: type, values };
}

export class Session {
  /** @internal */
  inner = new component.Session();

  get mappings() {
    return this.inner.mappings().map(({ entity, ...rest }) => ({ type: entity, ...rest }));
  }

  adopt({ type, id, value, origin = "user" }) {
    return this.inner.adopt({ entity: type, id, value, origin });
  }
}

export class Masker {
  #engine;

  constructor(options = {}) {
    this.#engine = call(() => component.Engine.create(settingsOf(options)));
  }

  detect(text) {
    const whole = encoder.encode(text);
    const place = (at) => decoder.decode(whole.subarray(0, at)).length;
    return this.#engine.detect(text).map(({ detection, rule }) => {
      const { start, end, entity, score } = detection;
      return { type: entity, start: place(start), end: place(end), score, rule };
    });
  }

  mask(body, { schema = "generic", path = "", route = path.split("?")[0], keys = [], headers = {}, session = new Session(), scope = "session" } = {}) {
    const named = [...new Headers(headers)].map(([name, value]) => [name, encoder.encode(value)]);
    const request = { schema, path, route, keys, headers: named, body: bytes(body), scope };
    return new Masked(call(() => this.#engine.exchange(request).mask(session.inner)));
  }
}

class Masked {
  #masked;

  constructor(masked) {
    this.#masked = masked;
    this.body = masked.body;
    this.query = masked.query;
  }

  get text() {
    return decoder.decode(this.body);
  }

  get counts() {
    return Object.fromEntries(this.#masked.summary.entityCounts.map(({ entity, count }) => [entity, Number(count)]));
  }

  restorer(contentType) {
    return new Restorer(this.#masked.reply.begin(contentType));
  }

  restore(reply, contentType = "application/json") {
    const restorer = this.restorer(contentType);
    const pieces = [restorer.push(reply), restorer.finish()];
    return pieces.map((piece, at) => decoder.decode(piece, { stream: at === 0 })).join("");
  }

  restoring(contentType) {
    const restorer = this.restorer(contentType);
    const send = (controller, piece) => piece.length && controller.enqueue(piece);
    return new TransformStream({
      transform: (chunk, controller) => send(controller, restorer.push(chunk)),
      flush: (controller) => send(controller, restorer.finish()),
    });
  }
}

class Restorer {
  #restorer;

  constructor(restorer) {
    this.#restorer = restorer;
  }

  push(chunk) {
    return this.#restorer.push(bytes(chunk));
  }

  finish() {
    return this.#restorer.finish();
  }

  breakOff() {
    return this.#restorer.breakOff();
  }

  get restored() {
    return Number(this.#restorer.summary().restored);
  }

  get kept() {
    return Number(this.#restorer.summary().kept);
  }
}
