"""The component's functions by name, with wasmtime."""

from __future__ import annotations

import threading
import weakref
from importlib.resources import as_file, files
from typing import Any

from wasmtime import Config, Engine, Store
from wasmtime.component import Component as Compiled
from wasmtime.component import Linker, Record, ResourceAny, ResultType, Variant

INTERFACE = "maskproxy:mask/engine@0.1.0"


class Failure(Exception):
    """A result that is an error."""


class Component:
    """An instance of the component. It runs one call at a time, whichever thread it comes from."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._functions: dict[str, tuple[Any, bool]] = {}
        # A collector may run at any moment, so what it finds is freed before the next call.
        self._unused: list[ResourceAny] = []
        configuration = Config()
        # What is compiled is kept in the user's cache: the first process takes seconds, the next ones none.
        configuration.cache = True
        engine = Engine(configuration)
        self._store = Store(engine)
        with as_file(files(__package__) / "maskproxy.wasm") as path:
            compiled = Compiled.from_file(engine, str(path))
        self._instance = Linker(engine).instantiate(self._store, compiled)
        self._interface = self._instance.get_export_index(self._store, INTERFACE)

    def call(self, name: str, *arguments: Any) -> Any:
        """Calls a function of the interface. A result that is an error is raised."""
        with self._lock:
            while self._unused:
                self._unused.pop().drop(self._store)
            function, has_result = self._function(name)
            result = function(self._store, *arguments)
        if not has_result:
            return result
        # The tag of a result is left out where what it holds tells: these hold a resource or a failure.
        if not isinstance(result, Variant):
            is_failure = isinstance(result, str) or hasattr(result, "code")
            result = Variant("err" if is_failure else "ok", result)
        if result.tag == "err":
            raise Failure(result.payload)
        return result.payload

    def _function(self, name: str) -> tuple[Any, bool]:
        known = self._functions.get(name)
        if known is None:
            index = self._instance.get_export_index(self._store, name, self._interface)
            function = self._instance.get_func(self._store, index) if index else None
            if function is None:
                raise RuntimeError(f"this component has no {name}")
            known = (function, isinstance(function.type(self._store).result, ResultType))
            self._functions[name] = known
        return known

    def own(self, owner: object, resource: ResourceAny) -> ResourceAny:
        """Frees a resource after its owner is gone."""
        weakref.finalize(owner, self._unused.append, resource).atexit = False
        return resource


def record(**fields: Any) -> Record:
    """A record; `_` stands for the `-` in its fields' names."""
    made = Record()
    for name, value in fields.items():
        setattr(made, name.replace("_", "-"), value)
    return made
