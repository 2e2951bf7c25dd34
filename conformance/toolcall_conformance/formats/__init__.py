"""The wire formats: one package each, discovered by being there.

A format package has ``read_request(body)``, ``read_response(body)`` and ``read_error(reply)`` (``{"status", "headers",
"body"}``), each returning a Reading and never raising whatever JSON it gets, and a module ``rules`` whose functions
register themselves. Everything that is special about a format is in its package and in its folder of the corpus; no
other code names a format.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from functools import cache, lru_cache
from typing import Any, Protocol, cast

from toolcall_conformance.jsonvalue import packed, unpacked
from toolcall_conformance.reading import Reading
from toolcall_conformance.reading.assembled import Assembled

LONGEST_KIND = 20
"""How long the text of an event may be that stands for itself (``[DONE]``)."""

MOST_REMEMBERED = 128
LONGEST_REMEMBERED = 100_000
"""How many readings are remembered, and of bodies of how many bytes at most."""


class FormatPackage(Protocol):
    """What a format package exports."""

    def read_request(self, body: Any, /) -> Reading: ...

    def read_response(self, body: Any, /) -> Reading: ...

    def read_error(self, reply: Any, /) -> Reading: ...


class ClientModule(Protocol):
    """What a format's module ``client`` exports: the ideal client of that API."""

    CONTAINER: str

    def entries(self, body: dict[str, Any], /) -> list[Any]: ...

    def as_history(self, reply: dict[str, Any], /, *, echo: bool) -> list[Any]: ...

    def relink(self, result: dict[str, Any], call: dict[str, Any], /) -> None: ...

    def swap(self, tail: list[Any], /) -> None: ...


class StreamModule(Protocol):
    """What a format's module ``stream`` exports; a stream is what ``streaming.parse`` makes of its bytes."""

    def assemble(self, stream: Any, /) -> Assembled: ...


class StoredModule(Protocol):
    """What a format's module ``stored`` exports, if its provider keeps conversations for its clients."""

    def continues(self, body: dict[str, Any], /) -> tuple[str, str] | None: ...

    def whole(self, body: dict[str, Any], history: list[Any], /) -> dict[str, Any]: ...

    def kept(self, body: dict[str, Any], reply: dict[str, Any], /) -> tuple[str, list[Any]] | None: ...

    def shortened(self, body: dict[str, Any], reply: dict[str, Any], told: int, /) -> dict[str, Any] | None: ...


@cache
def names() -> tuple[str, ...]:
    """The formats that have a package here, sorted."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


@cache
def package(name: str) -> FormatPackage:
    """The package of a format; LookupError for a name that has none."""
    if name not in names():
        raise LookupError(f"no such format: {name!r} (known: {', '.join(names())})")
    return cast(FormatPackage, importlib.import_module(f"{__name__}.{name}"))


@cache
def client(name: str) -> ClientModule:
    """The ideal client of a format."""
    package(name)
    return cast(ClientModule, importlib.import_module(f"{__name__}.{name}.client"))


@cache
def stored(name: str) -> StoredModule | None:
    """How a format's provider keeps conversations; None where it keeps none."""
    package(name)
    module = f"{__name__}.{name}.stored"
    return cast(StoredModule, importlib.import_module(module)) if importlib.util.find_spec(module) else None


@cache
def streams(name: str) -> StreamModule | None:
    """How a format streams its replies; None for one that we cannot read."""
    package(name)
    module = f"{__name__}.{name}.stream"
    return cast(StreamModule, importlib.import_module(module)) if importlib.util.find_spec(module) else None


def assembled(name: str, stream: Any) -> Assembled:
    """What a stream of format ``name`` amounts to. LookupError for a format whose streams we cannot read."""
    module = streams(name)
    if module is None:
        raise LookupError(f"the streams of {name} cannot be read")
    return module.assemble(stream)


@cache
def _kinds(name: str) -> Any:
    package(name)
    module = f"{__name__}.{name}.event_kinds"
    return importlib.import_module(module).kind_of if importlib.util.find_spec(module) else None


def event_kind(name: str, event: Any) -> str:
    """What kind of event of a stream this is: its ``type``, or in formats without types what it brings."""
    data = event.get("data") if isinstance(event, dict) else None
    if isinstance(data, str):
        return data if len(data) <= LONGEST_KIND else "text"
    if not isinstance(data, dict):
        return "no object"
    kind_of = _kinds(name)
    found = kind_of(data) if kind_of is not None else data.get("type")
    return found if isinstance(found, str) else "no type"


def load_rules(*wanted: str) -> None:
    """Import the rule modules of these formats, by default of all, so that their functions are registered."""
    for name in wanted or names():
        importlib.import_module(f"{__name__}.{name}.rules")


def read(name: str, direction: str, body: Any) -> Reading:
    """The reading of a ``request`` or ``response`` body, of an ``error`` reply, or of a ``stream``, of format ``name``.

    That of a stream is the reading of the reply that it amounts to.

    Equal bodies may get one and the same reading, which nobody changes.
    """
    try:
        data = packed(body)
    except ValueError:  # readers take anything
        return _read(name, direction, body)
    return _read(name, direction, body) if len(data) > LONGEST_REMEMBERED else remembered(name, direction, data)


@lru_cache(maxsize=MOST_REMEMBERED)
def remembered(name: str, direction: str, data: bytes) -> Reading:
    """The reading of a packed body. A run reads the same golden bodies for every route and variant."""
    return _read(name, direction, unpacked(data))


def _read(name: str, direction: str, body: Any) -> Reading:
    reader = package(name)
    if direction == "error":
        return reader.read_error(body)
    if direction == "stream":
        module = streams(name)
        return reader.read_response(module.assemble(body).body if module is not None else None)
    return reader.read_request(body) if direction == "request" else reader.read_response(body)
