"""What a reply repeats of its request, where its format does that: then it says what the request said.

Which members those are is data (``reply_echo`` in format.json): in recorded traffic the provider repeats them as they
came, and adds to objects what the request left open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import equal, join, resolve
from toolcall_conformance.judge.translation.pair import Sides

DEEPEST = 40
"""How deep objects are compared; schemas of real tools are not half as deep."""


def compare_echo(sides: Sides, request: Any) -> Iterator[Finding]:
    """The first member that a reply repeats otherwise than the client's request has it."""
    echo = sides.target.get("reply_echo")
    if not isinstance(request, dict) or echo is None:
        return
    odd = next(_odd(request, sides.output.body, echo), None)
    if odd is not None:
        at, want, got = odd
        yield sides.finding("translation/reply-echo", at if got is not MISSING else "", want=want, got=got, subject=at)


def _odd(request: Any, reply: Any, echo: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """The members that are repeated otherwise: where they stand, what was asked, and what is told."""
    for at in echo["members"]:
        want, got = _at(request, at), _at(reply, at)
        if want is not MISSING and not _Compared().says(want, got):
            yield at, want, got
    for at, usual in echo["unasked"].items():
        got = _at(reply, at)
        if _at(request, at) in (MISSING, None) and got not in (MISSING, None) and not equal(usual, got):
            yield at, usual, got
    yield from _odd_tools(request, reply, echo["tools"])


def _odd_tools(request: Any, reply: Any, tools: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    request_tools, reply_tools = (_entries(body, tools["at"]) for body in (request, reply))
    if any(
        tool.get("type") in tools["unless"]
        for tool in (*request_tools, *reply_tools, *_entries(request, tools["beside"]))
    ):
        return
    names, reply_names = (
        [tuple(str(tool.get(key)) for key in tools["by"]) for tool in some] for some in (request_tools, reply_tools)
    )
    if sorted(names) != sorted(reply_names):
        yield tools["at"], *(Words(", ".join(map(" ".join, each)) or "no tools") for each in (names, reply_names))
        return
    compared = _Compared(tools["open"], tools["grows"])
    for tool, name in zip(request_tools, names, strict=True):
        place = reply_names.index(name)
        twin = reply_tools[place]
        for key in tools["members"]:
            if tool.get(key) != "" and not compared.says(tool.get(key), twin.get(key)):
                yield tools["at"], tool.get(key), twin.get(key, MISSING)
        for key in sorted(tool.keys() - {*tools["members"], *tools["redacted"]}):
            if twin.get(key) is not None and not compared.says(tool[key], twin[key]):
                yield join(tools["at"], place, key), tool[key], twin[key]


def _entries(body: Any, at: str) -> list[Mapping[str, Any]]:
    entries = _at(body, at)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


@dataclass(frozen=True, slots=True)
class _Compared:
    """Whether a value says all that another one says. The keywords ``but`` say nothing, the lists ``grow``."""

    but: Sequence[str] = ()
    grow: Sequence[str] = ()

    def says(self, expected: Any, actual: Any, deep: int = DEEPEST) -> bool:
        if expected is None or not deep:
            return True
        if isinstance(expected, dict):
            return isinstance(actual, dict) and all(self._member(key, expected, actual, deep) for key in expected)
        if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
            return all(self.says(left, other, deep - 1) for left, other in zip(expected, actual, strict=True))
        return equal(expected, actual)

    def _member(self, key: str, expected: Mapping[str, Any], actual: Mapping[str, Any], deep: int) -> bool:
        want, got = expected[key], actual.get(key)
        if key in self.grow and isinstance(want, list) and isinstance(got, list):
            return all(entry in got for entry in want)
        return key in self.but or self.says(want, got, deep - 1)


def _at(body: Any, pointer: str) -> Any:
    try:
        return resolve(body, pointer)
    except LookupError:
        return MISSING
