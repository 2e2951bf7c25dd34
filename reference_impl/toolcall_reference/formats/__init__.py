"""The wire formats: one package each, found by being here.

All that is special about a format is in its package; no other module names one.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Protocol, cast

from toolcall_reference.failures import Failure
from toolcall_reference.intermediate import Body, Conversation, Reply
from toolcall_reference.losses import Losses
from toolcall_reference.streams import Decoder, Encoder
from toolcall_reference.target import Target


class Format(Protocol):
    """What a format package offers."""

    MODEL_KEYS: tuple[str | None, str]
    """Where the model is named: the request's key (None: not in the body) and the reply's."""

    STREAM_MODEL: tuple[str, ...]
    """Where the events of a stream name the model."""

    NEWLINE: str
    """How lines of a stream end."""

    SPELLINGS: frozenset[str]
    """The words that :attr:`Target.spelling` may hold."""

    def decode_request(self, body: Body, losses: Losses, /) -> Conversation: ...

    def encode_request(self, conversation: Conversation, target: Target, /) -> Body: ...

    def decode_response(self, body: Body, losses: Losses, /) -> Reply: ...

    def encode_response(self, reply: Reply, target: Target, /) -> Body: ...

    def decode_error(self, status: int, body: Body, headers: Mapping[str, str], losses: Losses, /) -> Failure: ...

    def encode_error(self, failure: Failure, /) -> tuple[int, Body]: ...

    def StreamDecoder(self, losses: Losses, /) -> Decoder: ...  # noqa: N802 - a class

    def StreamEncoder(self, target: Target, /) -> Encoder: ...  # noqa: N802 - a class


class Memory(Protocol):
    """What the clients of a format expect to be remembered from one request to the next."""

    def whole(self, body: Body, /) -> Body: ...

    def keep(self, reply: Body, /) -> None: ...


class _Nothing:
    """Clients of most formats say everything again."""

    def whole(self, body: Body, /) -> Body:
        return body

    def keep(self, reply: Body, /) -> None:
        del reply


@cache
def names() -> tuple[str, ...]:
    """The formats that have a package here, sorted."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


@cache
def get(name: str) -> Format:
    """The format of that name; LookupError where there is none."""
    if name not in names():
        raise LookupError(f"no such format: {name!r} (known: {', '.join(names())})")
    return cast(Format, importlib.import_module(f"{__name__}.{name}"))


def memory(name: str) -> Memory:
    """A new memory for one client of a format."""
    return cast(Memory, getattr(get(name), "Replies", _Nothing)())
