// Masks a request with the component, and restores the reply that streams in.
import { engine } from "./generated/maskproxy.js";

const settings = engine.defaultSettings();
settings.terms = [{ entity: "PROJECT", words: ["Bluebird"] }];
settings.operator = { tag: "anchored", val: new TextEncoder().encode("a secret of yours") };
const maskproxy = engine.Engine.create(settings);

const session = new engine.Session();
const body = JSON.stringify({
  model: "m",
  stream: true,
  messages: [{ role: "user", content: "Write to alice@example.com about Bluebird." }],
});
const request = maskproxy.exchange({
  schema: "chat-style",
  path: "/v1/chat/completions",
  headers: [],
  body: new TextEncoder().encode(body),
  scope: "session",
});
const masked = request.mask(session);
console.log("to the provider: ", new TextDecoder().decode(masked.body));

// A provider would send this. The token comes in pieces.
const token = new TextDecoder().decode(masked.body).match(/<MASK_EMAIL_\w+>/)[0];
const pieces = ["Sent to ", token.slice(0, 9), token.slice(9), "."];
const events = pieces.map((content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);

const restorer = masked.reply.begin("text/event-stream");
const text = new TextDecoder();
for (const event of [...events, "data: [DONE]\n\n"]) {
  const delivered = restorer.push(new TextEncoder().encode(event));
  console.log("to the client:   ", JSON.stringify(text.decode(delivered, { stream: true })));
}
console.log("to the client:   ", JSON.stringify(text.decode(restorer.finish())));
console.log("tokens restored: ", restorer.summary().restored);

try {
  maskproxy.exchange({ schema: "chat-style", path: "/v1/chat/completions", headers: [], body: new TextEncoder().encode("{"), scope: "session" });
} catch (error) {
  console.log("refused:         ", error.code, "-", error.message);
}
