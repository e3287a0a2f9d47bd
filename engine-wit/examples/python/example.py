"""Masks a request, and restores the reply that streams in."""

import json
import re

from maskproxy import Masker, Refused, Session

masker = Masker(terms={"PROJECT": ["Bluebird"]}, anchor_secret=b"a secret of yours")
session = Session()
body = {
    "model": "m",
    "stream": True,
    "messages": [{"role": "user", "content": "Write to alice@example.com about Bluebird."}],
}
path = "/v1/chat/completions"
masked = masker.mask(json.dumps(body).encode(), schema="chat-style", path=path, session=session)
print("to the provider: ", masked.body.decode())
print("values masked:   ", masked.counts)

# A provider would send this. The token comes in pieces.
found = re.search(r"<MASK_EMAIL_\w+>", masked.body.decode())
token = found[0] if found else ""
pieces = ["Sent to ", token[:9], token[9:], "."]
events = ["data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": piece}}]}) + "\n\n" for piece in pieces]
chunks = [event.encode() for event in [*events, "data: [DONE]\n\n"]]
for delivered in masked.restored(chunks, "text/event-stream"):
    print("to the client:   ", delivered)
reply = {"choices": [{"message": {"content": token}}]}
print("to the client:   ", masked.restore(json.dumps(reply).encode()))
print("found:           ", masker.detect("É alice@example.com"))

try:
    masker.mask(b"{", schema="chat-style", path=path)
except Refused as refused:
    print("refused:         ", refused.code, "-", refused)
