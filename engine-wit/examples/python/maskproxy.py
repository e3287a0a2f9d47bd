"""The component's functions by name, with wasmtime."""

from types import SimpleNamespace

from wasmtime import Engine, Store
from wasmtime.component import Component, Linker, ResourceAny, ResultType, Variant

INTERFACE = "maskproxy:mask/engine@0.1.0"


class Failure(Exception):
    """A request that must not be forwarded, or a configuration that can't be used."""


class Maskproxy:
    """An instance of the component: `call("[method]session.mappings", session)`."""

    def __init__(self, path: str):
        engine = Engine()
        self._store = Store(engine)
        self._instance = Linker(engine).instantiate(self._store, Component.from_file(engine, path))
        self._interface = self._instance.get_export_index(self._store, INTERFACE)

    def call(self, name: str, *arguments):
        """Calls a function of the interface. A result that is an error is raised."""
        index = self._instance.get_export_index(self._store, name, self._interface)
        function = self._instance.get_func(self._store, index)
        result = function(self._store, *arguments)
        if not isinstance(function.type(self._store).result, ResultType):
            return result
        # The tag of a result is left out where what it holds tells: these hold a resource or a failure.
        if not isinstance(result, Variant):
            result = Variant("ok" if isinstance(result, ResourceAny) else "err", result)
        if result.tag == "err":
            raise Failure(result.payload)
        return result.payload

    def drop(self, resource: ResourceAny) -> None:
        """Frees what a resource holds."""
        resource.drop(self._store)


def record(**fields) -> SimpleNamespace:
    """A record; `_` stands for the `-` in its fields' names."""
    return SimpleNamespace(**{name.replace("_", "-"): value for name, value in fields.items()})
