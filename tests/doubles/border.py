"""Doubles at the border of one rule: a legal body as near to it as can be, and the same body a notch further.

Both are the obeying example of the rule with a few members changed. The first is harmless and stands ``beside`` the
rule, the second is broken: so the first is provably near. They are judged by the rules of their format alone; the
broken one also as what a translator made of the example. Of a SHOULD the second is a warning.

>>> border = borders(__name__)
>>> border(
...     "openai_chat/stop-limit",
...     "four-stop-sequences",
...     "There are four stop sequences, as many as there may be",
...     {"/stop": ["a", "b", "c", "d"]},
...     past={"/stop/-": "e"},
... )

puts ``four-stop-sequences`` and ``past-four-stop-sequences`` into the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from doubles.catalogue import PREFIXES, Double, PlayedDouble, Rules, enter, rule_tuple
from doubles.draft import copied
from doubles.places import default_model
from toolcall_conformance.basics.findings import Finding, Level
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.judge import Ends, Judge
from toolcall_conformance.library import load_corpus

NOTHING_LEFT = "translation/target-format"
CALL_LOST = "translation/call-lost"
"""What is said of a translation that has lost all that makes it a body of its format."""

GONE = object()
"""As the value of an edit: the member goes."""

Edits = Mapping[str, Any]
"""JSON Pointers with the values that come there, in order. ``-`` is the place behind the last entry of a list, an
empty pointer the body; a function gets the value that was there. At :data:`BYTES` it gets the bytes of a stream, as
they are when all events are mended."""

BYTES = "bytes"


@dataclass(frozen=True, slots=True, kw_only=True)
class BorderDouble(Double):
    """A double of one body that is on its own: the example of ``example``, changed by ``edits``."""

    example: str
    edits: tuple[Edits, ...]
    exact: ClassVar[bool] = True

    @property
    def direction(self) -> str:
        """What its body is: request, response or stream."""
        return str(self._rule["direction"])

    @property
    def _rule(self) -> Mapping[str, Any]:
        return load_corpus().rules[self.example].raw

    @property
    def before(self) -> Any:
        """The example that it is made of."""
        return self._rule["obeys"]

    @property
    def body(self) -> Any:
        """The body; the edits must change the example."""
        return self._made() if self.direction != "stream" else parse(self.stream)

    @property
    def stream(self) -> bytes:
        """The bytes of a stream."""
        stream_bytes = dump(self._made()["events"])
        for edits in self.edits:
            if BYTES in edits:
                stream_bytes = edits[BYTES](stream_bytes)
        return stream_bytes

    def _made(self) -> Any:
        body = copied(self.before)
        for edits in self.edits:
            for pointer, value in edits.items():
                if pointer != BYTES:
                    body = edit_member(body, pointer, value)
        return body

    @property
    def model(self) -> str:
        """The model that the body is for; some rules depend on it."""
        named = self.body.get("model") if isinstance(self.body, dict) else None
        return str(self._rule.get("model") or named or default_model(self.format))

    def played(self, day: int | None) -> Iterator[PlayedDouble]:
        """The body alone; of a broken one also as the translation of the example, where others may be named too."""
        del day
        body = self.body
        same = self.stream == dump(self.before["events"]) if self.direction == "stream" else equal(body, self.before)
        if same:
            raise AssertionError(f"{self.name} is the example itself")
        yield PlayedDouble(f"{self.direction} alone", judge_body(self.format, self.direction, body, self.model))
        if self.kind == "broken" and self.direction != "stream":
            judge, ends = Judge(load_corpus()), Ends(self.format, self.format, self.model, self.model)
            of_both = judge.request if self.direction == "request" else judge.response
            findings = of_both(self.before, body, ends).findings
            named = [finding for finding in findings if finding.rule in (*self.rules, NOTHING_LEFT)]
            # Of a call of which nothing arrived but an empty one, that is said and nothing else.
            if not any(finding.rule == CALL_LOST and isinstance(finding.got, dict) for finding in findings):
                yield PlayedDouble("of the example", named, also=frozenset({NOTHING_LEFT}))

    def shown(self) -> dict[str, Any] | None:
        """The body, without a source."""
        body = self.body
        content = {
            "direction": self.direction,
            "client": self.format,
            "upstream": self.format,
            "client_model": self.model,
            "upstream_model": self.model,
            "case": self.example,
            "exchange": 1,
        }
        if self.direction == "stream":
            return content | {"output": self.stream}
        return content | {"output": body}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDouble(BorderDouble):
    """A double of a translation: the example of a rule between formats, source and output, changed by ``edits``."""

    @property
    def direction(self) -> str:
        """What its bodies are: request, response or loop."""
        return "loop" if self._rule["check"] == "loop" else str(self._rule["direction"])

    def played(self, day: int | None) -> Iterator[PlayedDouble]:
        """The pair."""
        del day
        if equal(self.body, self.before):
            raise AssertionError(f"{self.name} is the example itself")
        yield PlayedDouble(self.direction, self._findings())

    def _findings(self) -> tuple[Finding, ...]:
        judge, pair = Judge(load_corpus()), self.body
        ends = Ends(pair["client"], pair["upstream"], *self._models())
        if self.direction == "loop":
            return judge.history(pair["source"], pair["output"], ends).findings
        of_both = judge.request if self.direction == "request" else judge.response
        return of_both(pair["source"], pair["output"], ends).findings

    def _models(self) -> tuple[str, str]:
        return default_model(self.before["client"]), default_model(self.before["upstream"])

    def shown(self) -> dict[str, Any] | None:
        """The pair."""
        pair = self.body
        ends = dict(zip(("client_model", "upstream_model"), self._models(), strict=True))
        variant = {"variant": ""} if self.direction == "loop" else {}
        return {"direction": self.direction, **pair, **ends, **variant, "case": self.example, "exchange": 1}


def judge_body(format_name: str, direction: str, body: Any, model: str) -> tuple[Finding, ...]:
    """The findings on a body on its own; of a stream also those on its assembled reply."""
    judge = Judge(load_corpus())
    if direction == "stream":
        return judge.stream(None, body, Ends(format_name, format_name, model, model)).findings
    return judge.body(format_name, direction, body, model=model).findings


def edit_member(body: Any, pointer: str, value: Any) -> Any:
    """A body with one member changed, in place."""
    if not pointer:
        return value(body) if callable(value) else copied(value)
    *way, last = (part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/"))
    holder = body
    for part in way:
        holder = holder[int(part)] if isinstance(holder, list) else holder[part]
    if isinstance(holder, list) and last == "-":
        holder.append(copied(value))
        return body
    key: Any = int(last) if isinstance(holder, list) else last
    if value is GONE:
        del holder[key]
    else:
        holder[key] = value(holder[key]) if callable(value) else copied(value)
    return body


Border = Callable[..., None]


def borders(module: str) -> Border:
    """What enters a pair of doubles for a module: see the head of this module for an example.

    Of a rule between formats the example is a translation, and edits begin with ``/source`` or ``/output``.

    ``at`` are the edits of the example (that of ``example`` if it is not the rule's own) that lead to the border,
    ``past`` those that lead from there over it. ``says`` is the title of the broken one, by default what the rule says
    of a breach. ``beside`` are more MUST rules that the harmless one is near to, ``follows`` more that the broken one
    breaks.
    """
    _, package, name = module.split(".")
    family = PREFIXES[package] + name.replace("_", "-")

    def border(
        rule: str,
        fault: str,
        title: str,
        at: Edits,
        *,
        past: Edits,
        says: str = "",
        example: str = "",
        beside: Rules = (),
        warns: Rules = (),
        follows: Rules = (),
    ) -> None:
        place = example or rule
        common: dict[str, Any] = {"family": family, "format": _format_of(place), "example": place}
        grave = load_corpus().rules[rule].level is Level.MUST
        near = (rule, *rule_tuple(beside)) if grave else rule_tuple(beside)
        sort = PairDouble if rule.startswith("translation/") else BorderDouble
        enter(
            sort(**common, fault=fault, kind="harmless", title=title, edits=(at,), beside=near, warns=rule_tuple(warns))
        )
        breach = load_corpus().rules[rule].raw["breach"]
        enter(
            sort(
                **common,
                fault=f"past-{fault}",
                kind="broken" if grave else "warning",
                title=says or breach[0].upper() + breach[1:],
                edits=(at, past),
                rules=(rule,),
                follows=rule_tuple(follows),
            )
        )

    return border


def _format_of(rule: str) -> str:
    """The format that the example of a rule, or its output, is in."""
    raw = load_corpus().rules[rule].raw
    if not rule.startswith("translation/"):
        return rule.partition("/")[0]
    return str(raw["obeys"]["upstream" if raw["direction"] == "request" else "client"])
