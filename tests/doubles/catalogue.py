"""The catalogue of doubles: what a double is, how one gets in, and all of them.

A double is the reference with one fault, or one harmless habit, put into what it makes. Where it is put decides what
kind of :class:`Double` it is: ``doubles.body`` (one body, wherever the corpus has something to change),
``doubles.loop`` (what a session does in the course of a conversation), ``doubles.stream`` (the pieces of a stream).
Each offers the same three decorators, ``broken``, ``warning`` and ``harmless``. ``doubles.border`` enters pairs of
bodies that no translator made: at the border of one rule, and a notch past it.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal, TypedDict, TypeVar, overload

from toolcall_conformance.basics.findings import Finding, Level, Verdict
from toolcall_conformance.library import load_corpus
from toolcall_conformance.library.verdicts import verdict_lines

ANTHROPIC, CHAT, RESPONSES, GEMINI = "anthropic", "openai_chat", "openai_responses", "gemini"
FORMATS = (ANTHROPIC, CHAT, RESPONSES, GEMINI)
PREFIXES = {
    "bodies": "",
    "sessions": "loop-",
    "streams": "stream-",
    "borders": "border-",
    "otel": "otel-",
    "mcp": "mcp-",
}
"""The packages that doubles stand in, and how the names of their families begin."""

Kind = Literal["broken", "warning", "harmless"]
Rules = str | tuple[str, ...]
ByFormat = Rules | Mapping[str, Rules]
"""Rule ids: one, several any of which names the fault, or such by format. ``{format}`` stands for the format."""


@cache
def root() -> Path:
    """The folder of the verdicts."""
    return load_corpus().root / "verdicts"


def file_of(family: str) -> Path:
    """The file with the verdicts of a family."""
    return root() / f"{family}.jsonl"


@cache
def exported_lines(family: str) -> Mapping[str, bytes]:
    """The lines of a family's file by the names of the verdicts; none where there is no file."""
    path = file_of(family)
    return {json.loads(line)["name"]: line for line in verdict_lines(path)} if path.is_file() else {}


@dataclass(frozen=True, slots=True)
class PlayedDouble:
    """What was found where a double was played: at a body, or in an item, which has a verdict, too.

    ``spared`` says that the fault cannot show there; ``also`` are rules that name it there as well.
    """

    where: str
    findings: Sequence[Finding]
    verdict: Verdict | None = None
    reason: str = ""
    spared: bool = False
    also: frozenset[str] = frozenset()

    def named(self, level: Level) -> set[str]:
        """The rules named at a level."""
        return {finding.rule for finding in self.findings if finding.level is level}


@dataclass(frozen=True, slots=True, kw_only=True)
class Double(ABC):
    """One fault, or one harmless habit, in bodies of one format.

    ``kind`` says what a judge must say of it: of a broken one a MUST of ``rules``, of a warning one a SHOULD of
    ``rules`` and no MUST, of a harmless one no MUST, and no SHOULD but of ``warns``. ``beside`` are MUST rules that a
    harmless one comes near without breaking them. Where ``exact``, a broken one has a MUST of each of ``rules`` and of
    no other rule but ``follows``. ``never`` are rules that would be another diagnosis, of whatever level. ``thread`` is
    a public report of such a fault.
    """

    family: str
    fault: str
    format: str
    title: str
    kind: Kind
    rules: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    warns: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    thread: str = ""
    exact: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The name of its verdict."""
        return f"{self.family}/{self.fault}/{self.format}"

    def exported(self) -> dict[str, Any] | None:
        """Its verdict as its family's file says it; None if there is none."""
        line = exported_lines(self.family).get(self.name)
        return None if line is None else json.loads(line)

    @abstractmethod
    def played(self, day: int | None) -> Iterator[PlayedDouble]:
        """Where it must be seen, or pass: a few places, or one of them, another each day.

        The place of its verdict is none of them: that is judged from the verdict.
        """

    @abstractmethod
    def shown(self) -> dict[str, Any] | None:
        """The place that is exported: where it is, and the bodies there; the output of a stream is bytes.

        None if no body and no stream shows its fault.
        """

    def surprise(self, played: PlayedDouble) -> str:
        """What is wrong with the judge's word on it; empty if nothing is."""
        must, should = played.named(Level.MUST), played.named(Level.SHOULD)
        rules = {*self.rules, *played.also}
        if played.spared or self.kind == "harmless":
            right = not must and (played.spared or should <= set(self.warns))
            verdicts = [Verdict.PASS, Verdict.WARN] if played.spared or self.warns else [Verdict.PASS]
        elif self.kind == "broken":
            least = not must.isdisjoint(played.also) or set(self.rules) <= must
            right = least and must <= {*rules, *self.follows} if self.exact else bool(must & rules)
            verdicts = [Verdict.REFUSED if self.rules == ("translation/refused",) else Verdict.FAIL]
        else:
            right = not must and (rules <= should if self.exact else bool(rules & should))
            verdicts = [Verdict.WARN]
        right = right and not any(finding.rule in self.never for finding in played.findings)
        if right and not played.reason and played.verdict in (None, *verdicts):
            return ""
        levels = f"MUST {sorted(must)}, SHOULD {sorted(should)}"
        return f"{played.where}: {levels} {played.verdict.name if played.verdict else ''} {played.reason}".rstrip()


Entered = TypeVar("Entered", bound=Double)
_found: dict[str, Double] = {}


def enter(double: Double) -> None:
    """Put a double into the catalogue."""
    if double.name in _found:
        raise ValueError(f"two doubles are called {double.name}")
    _found[double.name] = double


class Heading(TypedDict):
    """What a double is called."""

    family: str
    title: str


def heading(mutant: Any, title: str = "") -> Heading:
    """The family of a double by the module of its function or class, and its title by the docstring."""
    _, package, module = mutant.__module__.split(".")
    text = " ".join((title or mutant.__doc__ or "").split()).rstrip(".")
    return {"family": PREFIXES[package] + module.replace("_", "-"), "title": text}


def formats_of(rule: ByFormat, stated: str | Sequence[str] | None) -> tuple[str, ...]:
    """The formats that a fault is in: those stated, else those that its rules are about, else all."""
    if stated is not None:
        return (stated,) if isinstance(stated, str) else tuple(stated)
    if isinstance(rule, Mapping):
        return tuple(rule)
    owners = {each.partition("/")[0] for each in rule_tuple(rule)} & set(FORMATS)
    return tuple(owners) if len(owners) == 1 else FORMATS


def rules_of(rule: ByFormat, format_name: str) -> tuple[str, ...]:
    """The rules for a format."""
    stated = rule.get(format_name, ()) if isinstance(rule, Mapping) else rule
    return tuple(each.format(format=format_name) for each in rule_tuple(stated))


def rule_tuple(rules: Rules) -> tuple[str, ...]:
    """Rules as a tuple."""
    return (rules,) if isinstance(rules, str) else tuple(rules)


@overload
def doubles(*, kind: Kind | None = None) -> tuple[Double, ...]: ...
@overload
def doubles(sort: type[Entered], kind: Kind | None = None) -> tuple[Entered, ...]: ...
def doubles(sort: type[Double] = Double, kind: Kind | None = None) -> tuple[Double, ...]:
    """All doubles, or those of one sort or kind, in the order of the modules."""
    return tuple(each for each in _all() if isinstance(each, sort) and kind in (None, each.kind))


@cache
def _all() -> tuple[Double, ...]:
    for package in PREFIXES:
        home = importlib.import_module(f"doubles.{package}")
        for module in sorted(entry.name for entry in pkgutil.iter_modules(home.__path__)):
            importlib.import_module(f"doubles.{package}.{module}")
    return tuple(_found.values())
