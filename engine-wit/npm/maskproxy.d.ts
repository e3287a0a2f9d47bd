/** One of the three wire formats, or JSON whose shape is not known. */
export type Schema = "chat-style" | "messages-style" | "responses" | "generic";

export interface Options {
  /** Whether the built-in detectors look; they do when left out. */
  builtIn?: boolean;
  /** Built-in types to switch on or off. */
  types?: Record<string, boolean>;
  /** How eagerly names of people, places and organizations are looked for; `careful` when left out. */
  names?: "off" | "careful" | "eager";
  /** Regular expressions of your own, by type. A group named `value` is what is found, else the whole match. */
  patterns?: Record<string, string>;
  /** Words of your own, by type: any case, whole words. */
  terms?: Record<string, string[]>;
  /** Values that are never masked. */
  allow?: (string | { type?: string; value: string } | { type?: string; pattern: string })[];
  /** The least score of a detection, in percent: 0 to 100. */
  minScore?: number;
  /** Which types are masked; all when left out. */
  policy?: "all" | string[];
  /** Rules that go before `policy`, for some requests or texts: the first that is for one decides. */
  rules?: PolicyRule[];
  /** Gives a value the same token in every session. Keep it secret. */
  anchorSecret?: string | Uint8Array;
  /** Writes plausible values of the same kind, of all `types` that have some when left out. The key is secret. */
  surrogates?: { key: string | Uint8Array; types?: string[] };
  /** Writes `[REDACTED_<TYPE>]`, which is not restored. */
  redact?: boolean;
  /** Which values come back into the arguments of tools, by the first rule that is for a call; all when left out. */
  restore?: "guard" | RestoreRule | ("guard" | RestoreRule)[];
  /** 32 secret bytes, for requests that lean on history which the provider holds. */
  historyKey?: Uint8Array;
}

/** What brought a value: a user's message, the instructions, or only the result of a tool. */
export type Origin = "user" | "system" | "tool";

/** What a rule is for, all of it when left out, and what it does. `*` stands for any characters. */
export interface PolicyRule {
  /** What errors call it. */
  name?: string;
  route?: string | string[];
  model?: string | string[];
  /** Header names with their values. */
  header?: Record<string, string | string[]>;
  /** Names of the client's key. */
  key?: string | string[];
  schema?: Schema | Schema[];
  /** Who wrote the text. */
  role?: Origin | Origin[];
  /** The tool whose result the text is. */
  tool?: string | string[];
  /** Which types are masked; as `policy` says when left out. */
  mask?: "all" | "none" | string[];
  /** The request's values do not come back. */
  redact?: boolean;
}

export interface RestoreRule {
  /** The tools that it is for; `*` stands for any characters. All when left out. */
  tool?: string | string[];
  /** The names on the way to the text, joined by dots. All when left out. */
  argument?: string;
  /** All when left out. */
  origin?: Origin | Origin[];
  /** `keep`: the token stays. `ask`: it stays, and the model reads an error in place of what the tool gave. */
  action: "allow" | "keep" | "ask";
}

/** A request that must not be forwarded, or settings that can't be used. The message never quotes it. */
export class Refused extends Error {
  /** The code of the proxy's error replies, such as `mask_invalid_request`. */
  readonly code: string;
}

/** What a token stands for. */
export interface Mapping {
  type: string;
  /** The last part of the token. */
  id: string;
  value: string;
  /** `user` when left out. */
  origin?: Origin;
}

/** The mappings of a conversation. Keep it for as long as the conversation lasts; its values are secret. */
export class Session {
  /** In the order in which they were issued. */
  readonly mappings: Mapping[];
  /** Takes in a mapping that was issued before: false when it contradicts another. */
  adopt(mapping: Mapping): boolean;
}

export interface Finding {
  type: string;
  /** Places in the text, as JavaScript counts them. */
  start: number;
  end: number;
  /** In percent. */
  score: number;
  rule: string;
}

export interface Request {
  /** `generic` when left out. */
  schema?: Schema;
  /** The path that the request goes to, with its query: it may name history. */
  path?: string;
  /** What rules call its route; the path without its query when left out. */
  route?: string;
  /** What rules call the client's key. */
  keys?: string[];
  /** The client's headers: they may name history, too. */
  headers?: HeadersInit;
  /** A new one when left out. */
  session?: Session;
  /** Which tokens the reply may bring back: all of the session, or those in this request. */
  scope?: "session" | "own-tokens";
}

/** A compiled configuration: keep it. */
export class Masker {
  /** @throws {Refused} when the options can't be used */
  constructor(options?: Options);
  /** What would be masked in a text, in order. */
  detect(text: string): Finding[];
  /** @throws {Refused} when the request can't be masked: forward nothing then */
  mask(body: string | Uint8Array, request?: Request): Masked;
}

/** A masked request. */
export interface Masked {
  /** What is sent to the provider. */
  readonly body: Uint8Array;
  readonly text: string;
  /** The query to send instead of the client's, where a value in it was masked. */
  readonly query?: string;
  /** How many values were masked, by type. */
  readonly counts: Record<string, number>;
  /** Restores a whole reply. `contentType` is `application/json` when left out. */
  restore(reply: string | Uint8Array, contentType?: string): string;
  /** Restores a reply while it arrives: `reply.body.pipeThrough(masked.restoring("text/event-stream"))`. */
  restoring(contentType?: string): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>;
  /** The same by hand. */
  restorer(contentType?: string): Restorer;
}

export interface Restorer {
  /** Takes the next bytes: what can be delivered now. */
  push(chunk: string | Uint8Array): Uint8Array;
  /** What was held back of a reply that came to its proper end. */
  finish(): Uint8Array;
  /** What was held back of a reply that broke off. Deliver it, then break the connection, too. */
  breakOff(): Uint8Array;
  /** How many tokens were restored so far. */
  readonly restored: number;
  /** How many tokens the rules of `restore` kept so far. */
  readonly kept: number;
}
