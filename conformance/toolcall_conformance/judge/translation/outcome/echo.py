"""Parts of the request that a reply repeats, where its format does that: they must be what the client requested.

``reply_echo`` in format.json lists these members: in recorded traffic the provider repeats them unchanged, and adds to
objects what the request left open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import equal, join, resolve
from toolcall_conformance.judge.translation.pair import Sides

MAX_DEPTH = 40
"""How deep objects are compared; schemas of real tools are less than half as deep."""


def compare_echo(sides: Sides, request: Any) -> Iterator[Finding]:
    """Report the first member that a reply repeats otherwise than the client's request has it."""
    echo = sides.target.get("reply_echo")
    if not isinstance(request, dict) or echo is None:
        return
    change = next(_changed_members(request, sides.output.body, echo), None)
    if change is not None:
        pointer, want, got = change
        yield sides.finding(
            "translation/reply-echo", pointer if got is not MISSING else "", want=want, got=got, subject=pointer
        )


def _changed_members(request: Any, reply: Any, echo: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield (pointer, requested value, repeated value) of the members that are repeated otherwise."""
    for pointer in echo["members"]:
        want, got = _value_at(request, pointer), _value_at(reply, pointer)
        if want is not MISSING and not _Coverage().covers(want, got):
            yield pointer, want, got
    for pointer, default in echo["unasked"].items():
        got = _value_at(reply, pointer)
        if _value_at(request, pointer) in (MISSING, None) and got not in (MISSING, None) and not equal(default, got):
            yield pointer, default, got
    yield from _changed_tools(request, reply, echo["tools"])


def _changed_tools(request: Any, reply: Any, tools_echo: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield (pointer, requested value, repeated value) of changed members of tools, or of all tools at once.

    All at once if other tools are repeated than were requested. ``tools_echo`` says how the format repeats them.
    """
    request_tools, reply_tools = (_objects_at(body, tools_echo["at"]) for body in (request, reply))
    if any(
        tool.get("type") in tools_echo["unless"]
        for tool in (*request_tools, *reply_tools, *_objects_at(request, tools_echo["beside"]))
    ):
        return
    names, reply_names = (
        [tuple(str(tool.get(key)) for key in tools_echo["by"]) for tool in some]
        for some in (request_tools, reply_tools)
    )
    if sorted(names) != sorted(reply_names):
        yield (
            tools_echo["at"],
            *(Words(", ".join(map(" ".join, tool_names)) or "no tools") for tool_names in (names, reply_names)),
        )
        return
    compared = _Coverage(tools_echo["open"], tools_echo["grows"])
    for tool, name in zip(request_tools, names, strict=True):
        place = reply_names.index(name)
        twin = reply_tools[place]
        for key in tools_echo["members"]:
            if tool.get(key) != "" and not compared.covers(tool.get(key), twin.get(key)):
                yield tools_echo["at"], tool.get(key), twin.get(key, MISSING)
        for key in sorted(tool.keys() - {*tools_echo["members"], *tools_echo["redacted"]}):
            if twin.get(key) is not None and not compared.covers(tool[key], twin[key]):
                yield join(tools_echo["at"], place, key), tool[key], twin[key]


def _objects_at(body: Any, pointer: str) -> list[Mapping[str, Any]]:
    entries = _value_at(body, pointer)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


@dataclass(frozen=True, slots=True)
class _Coverage:
    """Whether a value covers another one. ``ignored_keys`` never count, ``growing_keys`` are lists that may grow."""

    ignored_keys: Sequence[str] = ()
    growing_keys: Sequence[str] = ()

    def covers(self, expected: Any, actual: Any, deep: int = MAX_DEPTH) -> bool:
        if expected is None or not deep:
            return True
        if isinstance(expected, dict):
            return isinstance(actual, dict) and all(
                self._covers_member(key, expected, actual, deep) for key in expected
            )
        if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
            return all(self.covers(left, other, deep - 1) for left, other in zip(expected, actual, strict=True))
        return equal(expected, actual)

    def _covers_member(self, key: str, expected: Mapping[str, Any], actual: Mapping[str, Any], deep: int) -> bool:
        want, got = expected[key], actual.get(key)
        if key in self.growing_keys and isinstance(want, list) and isinstance(got, list):
            return all(entry in got for entry in want)
        return key in self.ignored_keys or self.covers(want, got, deep - 1)


def _value_at(body: Any, pointer: str) -> Any:
    try:
        return resolve(body, pointer)
    except LookupError:
        return MISSING
