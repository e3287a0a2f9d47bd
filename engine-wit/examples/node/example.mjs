// @ts-check
// Masks a request, and restores the reply that streams in.
import { Masker, Refused, Session } from "maskproxy";

const masker = new Masker({ terms: { PROJECT: ["Bluebird"] }, anchorSecret: "a secret of yours" });
const session = new Session();
const body = JSON.stringify({
  model: "m",
  stream: true,
  messages: [{ role: "user", content: "Write to alice@example.com about Bluebird." }],
});
/** @type {import("maskproxy").Request} */
const request = { schema: "chat-style", path: "/v1/chat/completions", session };
const masked = masker.mask(body, request);
console.log("to the provider: ", masked.text);
console.log("values masked:   ", JSON.stringify(masked.counts));

// A provider would send this. The token comes in pieces.
const [token] = masked.text.match(/<MASK_EMAIL_\w+>/) ?? [""];
const pieces = ["Sent to ", token.slice(0, 9), token.slice(9), "."];
const events = pieces.map((content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
const reply = new Blob([...events, "data: [DONE]\n\n"]).stream();
for await (const delivered of reply.pipeThrough(masked.restoring("text/event-stream")).pipeThrough(new TextDecoderStream())) {
  console.log("to the client:   ", JSON.stringify(delivered));
}
console.log("to the client:   ", masked.restore(`{"choices": [{"message": {"content": "${token}"}}]}`));
console.log("found:           ", JSON.stringify(masker.detect("É alice@example.com")));

try {
  masker.mask("{", request);
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.log("refused:         ", error.code, "-", error.message);
}
