"""The engine of maskproxy: masks requests to language models, and restores their replies.

>>> masker = Masker()
>>> masked = masker.mask(b'{"input": "Write to alice@example.com."}', schema="responses", path="/v1/responses")
>>> masked.body
b'{"input": "Write to <MASK_EMAIL_1>."}'
>>> masked.restore(b'{"text": "Sent to <MASK_EMAIL_1>."}')
b'{"text": "Sent to alice@example.com."}'
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping as Map, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from wasmtime.component import Variant

from ._component import Component, Failure, record

__all__ = ["Finding", "Mapping", "Masked", "Masker", "PolicyRule", "Refused", "RestoreRule", "Restorer", "Session"]

_STARTING = threading.Lock()

Origin = Literal["user", "system", "tool"]
Schema = Literal["chat-style", "messages-style", "responses", "generic"]


class Refused(Exception):
    """A request that must not be forwarded, or settings that can't be used. The message never quotes it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Mapping:
    """What a token stands for."""

    type: str
    id: str
    value: str
    origin: Origin = "user"


@dataclass(frozen=True)
class Finding:
    """A value that would be masked: its place in the text, and how sure that is, in percent."""

    type: str
    start: int
    end: int
    score: int
    rule: str


@dataclass(frozen=True)
class PolicyRule:
    """What a rule is for, all of it when left out, and what it does. `*` stands for any characters.

    `keys` are names of the client's key, `roles` say who wrote a text, and `tools` whose result it is. `mask` lists the
    types that are masked; with `redact` the request's values do not come back.
    """

    name: str
    routes: Sequence[str] = ()
    models: Sequence[str] = ()
    headers: Map[str, Sequence[str]] = field(default_factory=dict)
    keys: Sequence[str] = ()
    schemas: Sequence[Schema] = ()
    roles: Sequence[Origin] = ()
    tools: Sequence[str] = ()
    mask: Literal["all", "none"] | Sequence[str] | None = None
    redact: bool = False


@dataclass(frozen=True)
class RestoreRule:
    """What comes back into arguments of tools: `*` in a tool or an argument stands for any characters.

    An argument is the names on the way to the text, joined by dots. `keep` leaves the token where it is.
    `ask` does, too, and gives the model an error in place of what the tool gave.
    """

    action: Literal["allow", "keep", "ask"]
    tools: Sequence[str] = ()
    argument: str | None = None
    origins: Sequence[Origin] = ()


class Session:
    """The mappings of a conversation. Keep it for as long as the conversation lasts; its values are secret."""

    def __init__(self) -> None:
        self._resource = _component().own(self, _call("[constructor]session"))

    @property
    def mappings(self) -> list[Mapping]:
        """In the order in which they were issued."""
        issued = _call("[method]session.mappings", self._resource)
        return [Mapping(issue.entity, issue.id, issue.value, issue.origin) for issue in issued]

    def adopt(self, mapping: Mapping) -> bool:
        """Takes in a mapping that was issued before: false when it contradicts another."""
        fields = record(entity=mapping.type, id=mapping.id, value=mapping.value, origin=mapping.origin)
        return bool(_call("[method]session.adopt", self._resource, fields))


class Masker:
    """A compiled configuration: keep it.

    `types` switches built-in types on or off, `names` says how eagerly names are looked for, `patterns` and `terms` are
    regular expressions and words of your own by type. `allow` has values that are never masked: a text, or a mapping
    with `value` or `pattern`, and `type` if you like. `policy` lists the types that are masked, all when left out. With
    `anchor_secret` a value has the same token in every session; with `surrogate_key`, secret as well, it becomes a plausible
    value of the same kind, where its type is one of `surrogate_types`, or has some; with `redact` it is not restored.
    `rules` go before `policy`, for some requests or texts: the first that is for one decides.
    `restore` says which values come back into the arguments of tools, by the first rule that is for a call, all without one.
    `history_key` is 32 secret bytes, for requests that lean on history which the provider holds.

    Raises `Refused` when these can't be used.
    """

    def __init__(
        self,
        *,
        built_in: bool = True,
        types: Map[str, bool] | None = None,
        names: Literal["off", "careful", "eager"] = "careful",
        patterns: Map[str, str] | None = None,
        terms: Map[str, Sequence[str]] | None = None,
        allow: Iterable[str | Map[str, str]] = (),
        min_score: int = 0,
        policy: Sequence[str] | None = None,
        rules: Iterable[PolicyRule] = (),
        anchor_secret: bytes | None = None,
        surrogate_key: bytes | None = None,
        surrogate_types: Sequence[str] = (),
        redact: bool = False,
        restore: Iterable[Literal["guard"] | RestoreRule] = (),
        history_key: bytes | None = None,
    ) -> None:
        settings = _call("default-settings")
        setattr(settings, "built-in", built_in)
        settings.types = [record(entity=entity, on=on) for entity, on in (types or {}).items()]
        settings.names = names
        settings.patterns = [record(entity=entity, regex=regex) for entity, regex in (patterns or {}).items()]
        settings.terms = [record(entity=entity, words=list(words)) for entity, words in (terms or {}).items()]
        settings.allow = [_allowed(given) for given in allow]
        setattr(settings, "min-score", min_score)
        if policy is not None:
            # Its tag is left out: what it holds tells it.
            settings.policy = list(policy)
        settings.rules = [_policy_rule(rule) for rule in rules]
        if anchor_secret is not None:
            settings.operator = Variant("anchored", anchor_secret)
        if surrogate_key is not None:
            surrogates = record(key=surrogate_key, types=list(surrogate_types))
            settings.operator = Variant("surrogate", surrogates)
        if redact:
            settings.operator = Variant("redact")
        settings.restore = [_restore_entry(entry) for entry in restore]
        setattr(settings, "history-key", history_key)
        self._resource = _component().own(self, _call("[static]engine.create", settings))

    def detect(self, text: str) -> list[Finding]:
        """What would be masked in a text, in order."""
        whole = text.encode()

        def place(at: int) -> int:
            return len(whole[:at].decode())

        def finding(found: Any) -> Finding:
            detection = found.detection
            start, end = place(detection.start), place(detection.end)
            return Finding(detection.entity, start, end, detection.score, found.rule)

        return [finding(found) for found in _call("[method]engine.detect", self._resource, text)]

    def mask(
        self,
        body: bytes,
        *,
        schema: Schema = "generic",
        path: str = "",
        route: str | None = None,
        keys: Iterable[str] = (),
        headers: Iterable[tuple[str, str]] = (),
        session: Session | None = None,
        scope: Literal["session", "own-tokens"] = "session",
    ) -> Masked:
        """Masks a request. Raises `Refused` when it can't be masked: forward nothing then.

        `route` and `keys` are what rules call its route, the path when left out, and the client's key.
        `path`, with its query, and `headers` may name history that the provider holds. `scope` says which tokens the
        reply may bring back: all of the session, or those in this request.
        """
        request = record(
            schema=schema,
            path=path,
            route=path.split("?")[0] if route is None else route,
            keys=list(keys),
            headers=[(name.lower(), value.encode()) for name, value in headers],
            body=body,
            metadata_header=None,
            scope=scope,
        )
        session = session or Session()
        exchange = _call("[method]engine.exchange", self._resource, request)
        masked = _call("[method]exchange.mask", exchange, session._resource)
        return Masked(masked, exchange)


class Masked:
    """A masked request: `body` is what is sent to the provider, and `query`, where there is one, instead of the client's.

    `counts` says how many values were masked, by type.
    """

    def __init__(self, masked: Any, exchange: Any) -> None:
        self.body: bytes = masked.body
        self.query: str | None = masked.query
        counts = getattr(masked.summary, "entity-counts")
        self.counts: dict[str, int] = {counted.entity: counted.count for counted in counts}
        self._reply = _component().own(self, masked.reply)
        _component().own(self, exchange)

    def restorer(self, content_type: str | None = None) -> Restorer:
        """Begins a reply, once its head is known."""
        return Restorer(_call("[method]reply.begin", self._reply, content_type))

    def restore(self, reply: bytes, content_type: str = "application/json") -> bytes:
        """Restores a whole reply."""
        return b"".join(self.restored([reply], content_type))

    def restored(self, chunks: Iterable[bytes], content_type: str | None = None) -> Iterator[bytes]:
        """Restores a reply while it arrives."""
        restorer = self.restorer(content_type)
        for chunk in chunks:
            yield restorer.push(chunk)
        yield restorer.finish()


class Restorer:
    """Turns tokens back into values while a reply arrives."""

    def __init__(self, resource: Any) -> None:
        self._resource = _component().own(self, resource)

    def push(self, chunk: bytes) -> bytes:
        """Takes the next bytes: what can be delivered now."""
        return bytes(_call("[method]restorer.push", self._resource, chunk))

    def finish(self) -> bytes:
        """What was held back of a reply that came to its proper end."""
        return bytes(_call("[method]restorer.finish", self._resource))

    def break_off(self) -> bytes:
        """What was held back of a reply that broke off. Deliver it, then break the connection, too."""
        return bytes(_call("[method]restorer.break-off", self._resource))

    @property
    def tokens(self) -> int:
        """How many tokens were restored so far."""
        return int(_call("[method]restorer.summary", self._resource).restored)

    @property
    def kept(self) -> int:
        """How many tokens the rules of `restore` kept so far."""
        return int(_call("[method]restorer.summary", self._resource).kept)


def _component() -> Component:
    with _STARTING:
        return _started()


@cache
def _started() -> Component:
    return Component()


def _call(name: str, *arguments: Any) -> Any:
    try:
        return _component().call(name, *arguments)
    except Failure as failure:
        (why,) = failure.args
        if isinstance(why, str):
            raise Refused("mask_invalid_settings", why) from None
        raise Refused(why.code, why.message) from None


def _policy_rule(rule: PolicyRule) -> Any:
    match rule.mask:
        case None:
            mask = Variant("inherited")
        case "all":
            mask = Variant("all")
        case "none":
            mask = Variant("only", [])
        case types:
            mask = Variant("only", list(types))
    headers = [(name.lower(), list(values)) for name, values in rule.headers.items()]
    of_request = {"routes": list(rule.routes), "models": list(rule.models), "keys": list(rule.keys)}
    of_texts = {"schemas": list(rule.schemas), "roles": list(rule.roles), "tools": list(rule.tools)}
    return record(name=rule.name, headers=headers, mask=mask, redact=rule.redact, **of_request, **of_texts)


def _restore_entry(entry: Literal["guard"] | RestoreRule) -> Any:
    if not isinstance(entry, RestoreRule):
        return None
    fields = {"tools": list(entry.tools), "argument": entry.argument, "origins": list(entry.origins)}
    return record(action=entry.action, **fields)


def _allowed(given: str | Map[str, str]) -> Any:
    if isinstance(given, str):
        return record(entity=None, values=Variant("exact", given))
    if "value" in given:
        return record(entity=given.get("type"), values=Variant("exact", given["value"]))
    return record(entity=given.get("type"), values=Variant("pattern", given["pattern"]))
