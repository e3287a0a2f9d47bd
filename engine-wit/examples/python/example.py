"""Masks a request with the component, and restores the reply that streams in: example.py COMPONENT"""

import json
import re
import sys

from maskproxy import Failure, Maskproxy, record
from wasmtime.component import Variant

maskproxy = Maskproxy(sys.argv[1])
call = maskproxy.call

settings = call("default-settings")
settings.terms = [record(entity="PROJECT", words=["Bluebird"])]
settings.operator = Variant("anchored", b"a secret of yours")
engine = call("[static]engine.create", settings)

session = call("[constructor]session")
body = {
    "model": "m",
    "stream": True,
    "messages": [{"role": "user", "content": "Write to alice@example.com about Bluebird."}],
}


def request(body: bytes):
    path = "/v1/chat/completions"
    return record(schema="chat-style", path=path, headers=[], body=body, metadata_header=None, scope="session")


exchange = call("[method]engine.exchange", engine, request(json.dumps(body).encode()))
masked = call("[method]exchange.mask", exchange, session)
print("to the provider: ", masked.body.decode())

# A provider would send this. The token comes in pieces.
token = re.search(rb"<MASK_EMAIL_\w+>", masked.body)[0].decode()
pieces = ["Sent to ", token[:9], token[9:], "."]
events = ["data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": piece}}]}) + "\n\n" for piece in pieces]

restorer = call("[method]reply.begin", masked.reply, "text/event-stream")
for event in [*events, "data: [DONE]\n\n"]:
    print("to the client:   ", call("[method]restorer.push", restorer, event.encode()))
print("to the client:   ", call("[method]restorer.finish", restorer))
print("tokens restored: ", call("[method]restorer.summary", restorer).restored)

try:
    call("[method]engine.exchange", engine, request(b"{"))
except Failure as failure:
    print("refused:         ", failure.args[0].code, "-", failure.args[0].message)

for resource in (restorer, masked.reply, exchange, session, engine):
    maskproxy.drop(resource)
