"""What a reply repeats of its request, where its format does that: then it says what the request said.

Which members those are is data (``reply_echo`` in format.json): in recorded traffic the provider repeats them as they
came, and adds to objects what the request left open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.findings import MISSING, Finding, Words
from toolcall_conformance.jsonvalue import equal, join, resolve
from toolcall_conformance.translation.pair import Sides

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
    asked, told = (_entries(body, tools["at"]) for body in (request, reply))
    if any(one.get("type") in tools["unless"] for one in (*asked, *told, *_entries(request, tools["beside"]))):
        return
    names, said = ([tuple(str(one.get(key)) for key in tools["by"]) for one in some] for some in (asked, told))
    if sorted(names) != sorted(said):
        yield tools["at"], *(Words(", ".join(map(" ".join, each)) or "no tools") for each in (names, said))
        return
    compared = _Compared(tools["open"], tools["grows"])
    for one, name in zip(asked, names, strict=True):
        place = said.index(name)
        twin = told[place]
        for key in tools["members"]:
            if one.get(key) != "" and not compared.says(one.get(key), twin.get(key)):
                yield tools["at"], one.get(key), twin.get(key, MISSING)
        for key in sorted(one.keys() - {*tools["members"], *tools["redacted"]}):
            if twin.get(key) is not None and not compared.says(one[key], twin[key]):
                yield join(tools["at"], place, key), one[key], twin[key]


def _entries(body: Any, at: str) -> list[Mapping[str, Any]]:
    found = _at(body, at)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


@dataclass(frozen=True, slots=True)
class _Compared:
    """Whether a value says all that another one says. The keywords ``but`` say nothing, the lists ``grow``."""

    but: Sequence[str] = ()
    grow: Sequence[str] = ()

    def says(self, asked: Any, told: Any, deep: int = DEEPEST) -> bool:
        if asked is None or not deep:
            return True
        if isinstance(asked, dict):
            return isinstance(told, dict) and all(self._member(key, asked, told, deep) for key in asked)
        if isinstance(asked, list) and isinstance(told, list) and len(asked) == len(told):
            return all(self.says(one, other, deep - 1) for one, other in zip(asked, told, strict=True))
        return equal(asked, told)

    def _member(self, key: str, asked: Mapping[str, Any], told: Mapping[str, Any], deep: int) -> bool:
        want, got = asked[key], told.get(key)
        if key in self.grow and isinstance(want, list) and isinstance(got, list):
            return all(one in got for one in want)
        return key in self.but or self.says(want, got, deep - 1)


def _at(body: Any, pointer: str) -> Any:
    try:
        return resolve(body, pointer)
    except LookupError:
        return MISSING
