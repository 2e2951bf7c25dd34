"""Hostile Python objects: of wrong types, endless, huge, deep, self-containing, and with methods that lie.

Each has a name, so that a combination can be made again. Lying ones are named ``dict.__len__.raises``.
"""

from __future__ import annotations

import array
import datetime as dt
import decimal
import functools
import io
import itertools
import pathlib
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any
from unittest.mock import MagicMock

HALF = "\ud800 half a pair"
INJECTED = "\x1b[2J\u202e\n::error file=x::pwned\n##[error]pwned | <b>"
LONG = 2_000_000


class MuteError(Exception):
    """Has no text."""

    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


class Weird(BaseException):
    """Is no Exception."""

    def __str__(self) -> str:
        raise SystemExit("no words")


class Meta(type):
    """Gives its classes no name."""

    def __getattribute__(cls, name: str) -> Any:
        raise ValueError(HALF)


class NamelessError(Exception, metaclass=Meta):
    """Its class answers nothing."""


def _chain(length: int) -> BaseException:
    error: BaseException = ValueError("the first")
    for _ in range(length):
        other = ValueError("another")
        other.__cause__ = error
        error = other
    return error


def _circle() -> BaseException:
    first, second = ValueError("one"), ValueError("two")
    first.__cause__, second.__context__ = second, first
    return first


ERRORS: Mapping[str, Callable[[], BaseException]] = {
    "half": lambda: ValueError(HALF),
    "injected": lambda: ValueError(INJECTED),
    "long": lambda: ValueError("long " * (LONG // 5)),
    "mute": MuteError,
    "weird": Weird,
    "exit": lambda: SystemExit(INJECTED),
    "exit-0": lambda: SystemExit(0),
    "generator-exit": GeneratorExit,
    "stop": lambda: StopIteration(3),
    "stop-async": StopAsyncIteration,
    "nameless": lambda: NamelessError("x"),
    "recursion": RecursionError,
    "memory": MemoryError,
    "chain": lambda: _chain(3_000),
    "circle": _circle,
    "group": lambda: ExceptionGroup(HALF, [ValueError(INJECTED), MuteError()]),
    "unicode": lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, HALF),
    "syntax": lambda: SyntaxError(HALF, ("x.py", 10**10, 5, "text", 1, 1)),
    "arguments": lambda: ValueError(object(), {}, 10**5000),
}


def _deep_list(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def _deep_dict(depth: int) -> Any:
    value: Any = {}
    for _ in range(depth):
        value = {"a": value}
    return value


def _itself() -> Any:
    value: dict[str, Any] = {}
    value["a"] = value["b"] = [value, value]
    return value


def _endless() -> Iterator[bytes]:
    while True:
        yield b"data: {}\n\n"


async def _coroutine() -> Any:
    raise ValueError(HALF)


async def _endless_async() -> Any:
    while True:
        yield b"data: {}\n\n"


def _proxy() -> Any:
    return types.MappingProxyType({"a": 1})


PLAIN: Mapping[str, Callable[[], Any]] = {
    "none": lambda: None,
    "true": lambda: True,
    "number": lambda: -3,
    "nan": lambda: {"a": float("nan")},
    "infinity": lambda: {"a": [float("inf"), float("-inf")]},
    "digits": lambda: {"a": 10**10_000},
    "big-float": lambda: {"a": 1e308},
    "text": lambda: "{}",
    "half": lambda: {HALF: HALF},
    "injected": lambda: {INJECTED: INJECTED, "text": INJECTED},
    "nul": lambda: {"\0": "\0"},
    "huge-text": lambda: {"text": "x" * LONG},
    "huge-list": lambda: {"a": [0] * (LONG // 4)},
    "huge-keys": lambda: {f"k{at}": at for at in range(LONG // 20)},
    "very-large": lambda: {"text": "x" * 50_000_000},
    "deep-list": lambda: {"a": _deep_list(100_000)},
    "deep-dict": lambda: _deep_dict(100_000),
    "deep-900": lambda: _deep_dict(900),
    "itself": _itself,
    "bytes": lambda: b"{}",
    "bytes-key": lambda: {b"a": 1},
    "number-key": lambda: {1: 2, None: 3, 1.5: 4},
    "tuple-key": lambda: {(1, 2): 3},
    "tuple": lambda: (200, {}),
    "pair-odd": lambda: ("200", {}, {}, {}),
    "set": lambda: {"a": {1, 2}},
    "generator": lambda: iter([{}]),
    "endless": _endless,
    "endless-async": _endless_async,
    "endless-list": lambda: {"a": itertools.count()},
    "coroutine": _coroutine,
    "class": lambda: dict,
    "function": lambda: len,
    "module": lambda: itertools,
    "error": lambda: ValueError(HALF),
    "mock": MagicMock,
    "mock-dict": lambda: MagicMock(spec=dict),
    "mock-inside": lambda: {"a": MagicMock(spec=str), "b": [MagicMock(spec=dict)]},
    "proxy": _proxy,
    "partial": lambda: functools.partial(dict),
    "lock": threading.Lock,
    "file": lambda: io.BytesIO(b"{}"),
    "path": lambda: {"a": pathlib.Path("x")},
    "date": lambda: {"a": dt.datetime(2020, 1, 1, tzinfo=dt.UTC)},
    "decimal": lambda: {"a": decimal.Decimal("NaN")},
    "complex": lambda: {"a": 1j},
    "array": lambda: {"a": array.array("d", [1.0])},
    "memory": lambda: memoryview(b"{}"),
    "range": lambda: {"a": range(10**9)},
    "pieces-of-text": lambda: ["data: {}\n\n"],
    "pieces-of-rubbish": lambda: [b"\xff\xfe\0", b"data: " + b"[" * 100_000 + b"\n\n"],
    "pieces-huge": lambda: [b"data: " + b"x" * 20_000_000 + b"\n\n"],
    "pieces-many": lambda: [b"data: {}\n\n"] * 200_000,
}


def _forever(*_: Any, **__: Any) -> Any:
    while True:
        pass


def _recursion(*_: Any, **__: Any) -> Any:
    return _deeper()


def _deeper() -> Any:  # CPython 3.13.0 sets no limit to the recursion of functions that take ``*arguments``
    return _deeper()


def _raises(make: Callable[[], BaseException]) -> Callable[..., Any]:
    def deed(*_: Any, **__: Any) -> Any:
        raise make()

    return deed


DEEDS: Mapping[str, Callable[..., Any]] = {
    "raises": _raises(ERRORS["half"]),
    "raises-mute": _raises(MuteError),
    "raises-weird": _raises(Weird),
    "exits": _raises(ERRORS["exit"]),
    "recursion": _recursion,
    "forever": _forever,
    "itself": lambda self, *_, **__: self,
    "none": lambda *_, **__: None,
    "true": lambda *_, **__: True,
    "text": lambda *_, **__: HALF,
    "number": lambda *_, **__: 10**30,
    "negative": lambda *_, **__: -1,
    "endless": lambda *_, **__: _endless(),
    "list": lambda *_, **__: [1, {}],
}
"""What a method does that lies."""

METHODS = (
    *("__eq__", "__len__", "__iter__", "__str__", "__repr__", "__hash__", "__bool__", "__getattr__", "__dir__"),
    *("__getattribute__", "__contains__", "__getitem__", "__index__", "__int__", "__float__", "__call__", "__await__"),
    *("__aiter__", "__anext__", "__next__", "__format__", "__deepcopy__", "__reduce_ex__", "__class__", "__dict__"),
    *("__instancecheck__", "__set_name__", "__fspath__", "__length_hint__", "__bytes__", "__buffer__", "__enter__"),
    *("keys", "items", "values", "get", "copy", "encode", "strip", "split", "close", "aclose", "throw", "send"),
)
BASES: Mapping[str, tuple[type, tuple[Any, ...]]] = {
    "object": (object, ()),
    "dict": (dict, ({"a": 1},)),
    "list": (list, ([{}],)),
    "str": (str, ("x",)),
    "int": (int, (429,)),
    "float": (float, (1.5,)),
    "bytes": (bytes, (b"data: {}\n\n",)),
    "tuple": (tuple, ((429, {}),)),
    "ValueError": (ValueError, ("x",)),
}


def liar(name: str) -> Any:
    """An object of a class of its own, one method of which lies: ``dict.__len__.raises``."""
    base, method, deed = name.split(".")
    kind, arguments = BASES[base]
    does = DEEDS[deed]
    member: Any = property(does) if method in ("__class__", "__dict__") else does
    liar_type = type("Liar", (kind,), {} if method == "__getattribute__" else {method: member})
    value = liar_type(*arguments)
    if method == "__getattribute__":
        liar_type.__getattribute__ = does  # type: ignore[method-assign]
    return value


def names() -> list[str]:
    """Of all plain values."""
    return [*PLAIN]


def draw_value(draw: Random) -> str:
    """The name of a value: a plain one, or a liar, alone or within others."""
    if draw.random() < 0.45:
        return draw.choice(names())
    name = ".".join(draw.choice([*each]) for each in (BASES, METHODS, DEEDS))
    return f"inside:{name}" if draw.random() < 0.3 else name


def value(name: str) -> Any:
    """The value of a name."""
    if name.startswith("inside:"):
        hostile = liar(name.removeprefix("inside:"))
        return {"text": hostile, "messages": [hostile], "a": {"b": hostile}}
    return PLAIN[name]() if name in PLAIN else liar(name)
