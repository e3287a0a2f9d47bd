// Examples of what is sent, and the reply that a provider would give.

const TEXT = `Hi, I am Mira Holt (mira.holt@northwind.example, +1 415-555-0132).
Our deploy fails, please help:

export GITHUB_TOKEN=ghp_1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S
DATABASE_URL=postgres://orders:Tr0ub4dor-x@db.internal:5432/orders
password: hunter2-Kx9

The card 4242 4242 4242 4242 was charged twice; please refund to DE89 3704 0044 0532 0130 00.
The address is 12 Baker Street, London NW1 6XE (born 12 March 1980, passport C01X00T47).
`;

const FORMATS = {
  text: { sample: (text) => text, reply: (text) => text },
  chat_style: {
    sample: (text) => body({ messages: [{ role: "system", content: "Be brief." }, { role: "user", content: text }] }),
    reply: (text) =>
      events(pieces(text).map((content) => ({ choices: [{ index: 0, delta: { content } }] }))) + "data: [DONE]\n\n",
  },
  messages_style: {
    sample: (text) => body({ max_tokens: 1000, system: "Be brief.", messages: [{ role: "user", content: text }] }),
    reply: (text) =>
      events([
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        ...pieces(text).map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
        { type: "content_block_stop", index: 0 },
        { type: "message_stop" },
      ]),
  },
  responses: {
    sample: (text) => body({ instructions: "Be brief.", input: [{ role: "user", content: text }] }),
    reply: (text) =>
      events([
        ...pieces(text).map((delta) => ({
          type: "response.output_text.delta",
          item_id: "msg_1",
          output_index: 0,
          content_index: 0,
          delta,
        })),
        { type: "response.output_text.done", item_id: "msg_1", output_index: 0, content_index: 0, text },
      ]),
  },
  generic: {
    sample: (text) => body({ contents: [{ role: "user", parts: [{ text }] }] }),
    reply: (text) => body({ candidates: [{ content: { role: "model", parts: [{ text }] } }] }),
  },
};

/** An input in this form, with a text or the example. */
export const sample = (form, text = TEXT) => FORMATS[form].sample(text);

/** Characters of a masked request that are searched for tokens. */
const SEARCHED = 20_000;

/** A reply to a masked request that says its tokens. */
export function echo(form, masked) {
  const tokens = [...new Set(masked.slice(0, SEARCHED).match(/<MASK_\w+_[0-9A-F]+>/g))].slice(0, 6);
  const text = tokens.length === 0 ? "Thank you, I have all I need." : `Thank you. I noted ${tokens.join(", ")}.`;
  return FORMATS[form].reply(text);
}

const body = (members) => JSON.stringify({ model: "example", stream: true, ...members }, null, 2);

/** Cut so that tokens are split. */
const pieces = (text) => text.match(/[^]{1,7}/g);

const events = (list) =>
  list.map((event) => (event.type ? `event: ${event.type}\n` : "") + `data: ${JSON.stringify(event)}\n\n`).join("");
