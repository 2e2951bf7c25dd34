"""Doubles of a bridge to MCP servers: the reference's, with one fault, or one harmless habit, in what it does.

>>> @broken("translation/error-mark", at="result", target="anthropic")
... def failures_unread(seen):
...     '''Nobody looks at isError.'''

``at`` says what the function gets to change as ``seen.body``: what the bridge is given, the ``listed`` tools, a
``call`` or a ``result``, or what it makes of them, ``tools`` and ``entries``. It raises Skip where there is nothing to
change.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import islice
from typing import Any, ClassVar, Literal

from doubles.catalogue import FORMATS, Double, Kind, PlayedDouble, Rules, enter, heading, rule_tuple
from doubles.day import PLACES, day_number
from doubles.draft import Skip, copied, need
from doubles.harness import HARNESS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.checks import CHECKS, ItemResult
from toolcall_conformance.checks.mcp import variants
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.library import Case, load_corpus
from toolcall_reference import ReferenceTranslator

__all__ = ["FORMATS", "BridgeDouble", "Seen", "Skip", "broken", "harmless", "need", "text_block", "warning"]

At = Literal["listed", "tools", "call", "result", "entries"]


@dataclass(slots=True)
class Seen:
    """``body`` is to be changed, in place or by another; ``given`` is what the bridge was given.

    ``calls`` are all calls so far.
    """

    body: Any
    given: Any
    format: str
    calls: list[Any] = field(default_factory=list)

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """The content of a result."""
        blocks: list[dict[str, Any]] = self.body["content"]
        return blocks

    def kinds(self, *kinds: str) -> list[dict[str, Any]]:
        """The blocks of these types; Skip where there is none."""
        return need([block for block in self.blocks if block["type"] in kinds])

    def drop(self, block: dict[str, Any]) -> None:
        """Take a block out of a result."""
        self.body["content"] = [other for other in self.blocks if other is not block]

    def instead(self, block: dict[str, Any], text: str) -> None:
        """Say a text in the place of a block."""
        self.body["content"] = [text_block(text) if entry is block else entry for entry in self.blocks]


def text_block(text: str) -> dict[str, Any]:
    """A block with a text."""
    return {"type": "text", "text": text}


Change = Callable[[Seen], Any]


class Changed:
    """The reference, with what it is given or makes changed at one place."""

    name, version = "changed", "1"

    def __init__(self, change: Change, at: At) -> None:
        self._change, self._at = change, at
        self.changed = False

    def open(self, route: Route, /) -> Changed:
        self._session: Any = ReferenceTranslator().open(route)
        self._format, self._calls = route.client, list[Any]()
        return self

    def mcp_tools(self, listed: Any, /) -> Any:
        output = self._session.mcp_tools(self._seen("listed", listed, listed))
        return self._seen("tools", output, listed)

    def mcp_result(self, call: Any, result: Any, /) -> Any:
        self._calls.append(call)
        output = self._session.mcp_result(self._seen("call", call, result), self._seen("result", result, result))
        return self._seen("entries", output, result)

    def _seen(self, at: At, body: Any, source: Any) -> Any:
        if at != self._at:
            return body
        output = apply_change(self._change, Seen(body, source, self._format, self._calls))
        self.changed = self.changed or output is not None
        return body if output is None else output


class Noting(Changed):
    """The reference, with notes of what it is given and makes at all places."""

    def __init__(self) -> None:
        super().__init__(lambda _draft: None, "listed")
        self.notes: dict[At, list[Seen]] = defaultdict(list)

    def _seen(self, at: At, body: Any, source: Any) -> Any:
        self.notes[at].append(Seen(copied(body), copied(source), self._format, list(self._calls)))
        return body


def apply_change(change: Change, draft: Seen) -> Any:
    """What a change makes of the body that is seen; None where it changes nothing."""
    fresh = replace(draft, body=copied(draft.body))
    try:
        change(fresh)
    except Skip:
        return None
    return None if json.dumps(fresh.body) == json.dumps(draft.body) else fresh.body


@cache
def _reference_views(name: str, case: Case) -> dict[At, list[Seen]]:
    """What the reference is given and makes in a case: until a change comes, the same as with it."""
    noting = Noting()
    _run(name, case, noting)
    return noting.notes


def _run(name: str, case: Case, translator: Changed) -> ItemResult:
    model = case.model(name)
    route = Route(name, name, model, model)
    return CHECKS["mcp"](case, route, PythonDriver(translator, "double").open, HARNESS, "", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeDouble(Double):
    """A double of a bridge."""

    change: Change
    at: At
    exact: ClassVar[bool] = True

    def played(self, day: int | None) -> Iterator[PlayedDouble]:
        """In three cases of servers, or in one of them."""
        cases = list(islice(filter(self._changes, _cases(self.format)), PLACES))
        for case in cases if day is None or not cases else [cases[day_number(self.name, day) % len(cases)]]:
            result = self.told(case)
            if result is not None:
                yield PlayedDouble(f"{case.id} {self.format}", result.findings, result.verdict, result.reason)

    def _changes(self, case: Case) -> bool:
        """Whether it changes anything of what the reference is given and makes in a case."""
        return any(
            apply_change(self.change, draft) is not None for draft in _reference_views(self.format, case)[self.at]
        )

    def told(self, case: Case) -> ItemResult | None:
        """What the check says of it in a case; None where it changes nothing."""
        double = Changed(self.change, self.at)
        result = _run(self.format, case, double)
        return result if double.changed else None

    def shown(self) -> None:
        """No file: what a server sends is in none of the formats."""
        return


@cache
def _cases(name: str) -> tuple[Case, ...]:
    return tuple(case for case in load_corpus().cases.values() if name in case.formats and variants(case, name))


def _enter_double(
    change: Change, kind: Kind, rules: Rules, at: At, stated: str | Sequence[str], more: dict[str, Any]
) -> Change:
    for name in [stated] if isinstance(stated, str) else stated:
        fault = getattr(change, "__name__", "").replace("_", "-")
        words: dict[str, Any] = {**more, **heading(change), "rules": rule_tuple(rules)}
        enter(BridgeDouble(fault=fault, format=name, kind=kind, change=change, at=at, **words))
    return change


def broken(rules: Rules, at: At, target: str | Sequence[str] = FORMATS, **more: Any) -> Callable[[Change], Change]:
    """A fault that breaks these MUST rules, and no other."""
    return partial(_enter_double, kind="broken", rules=rules, at=at, stated=target, more=more)


def warning(rules: Rules, at: At, target: str | Sequence[str] = FORMATS, **more: Any) -> Callable[[Change], Change]:
    """A fault that breaks these SHOULD rules, and no MUST."""
    return partial(_enter_double, kind="warning", rules=rules, at=at, stated=target, more=more)


def harmless(
    at: At, target: str | Sequence[str] = FORMATS, *, beside: Rules = (), **more: Any
) -> Callable[[Change], Change]:
    """A difference that breaks nothing; ``beside`` are MUST rules that it comes near."""
    more = {"beside": rule_tuple(beside), **more}
    return partial(_enter_double, kind="harmless", rules=(), at=at, stated=target, more=more)
