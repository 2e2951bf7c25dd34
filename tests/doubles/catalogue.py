"""The catalogue: what a double is, and the three decorators that put one into it.

A double is one small function that gets a :class:`~doubles.draft.Draft` (a copy of the body that the reference
produced) and puts one fault, or one harmless difference, into it. It raises Skip, mostly through ``need``, where a body
has nothing to put it into; so a body that it did change is one in which every honest judge sees the fault.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from doubles.draft import Draft, Skip

ANTHROPIC, CHAT, RESPONSES, GEMINI = "anthropic", "openai_chat", "openai_responses", "gemini"
FORMATS = (ANTHROPIC, CHAT, RESPONSES, GEMINI)
WITH_IDS = (ANTHROPIC, CHAT, RESPONSES)
TEXT_ARGUMENTS = (CHAT, RESPONSES)
OBJECT_ARGUMENTS = (ANTHROPIC, GEMINI)
SAME = ("same",)
"""As ``sources``: bodies of the target's own format, which have to come through as they are."""

Change = Callable[[Draft], Any]
Rules = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Double:
    """One fault, or one harmless difference, in bodies of one format.

    ``kind`` is broken (a MUST finding of one of ``rules`` everywhere), warning (a SHOULD finding of one of ``rules``
    everywhere, no MUST finding), or harmless (nothing, but SHOULD findings of ``warns`` where they come). ``sources``
    are the formats that the body may come from; ``cases``, if any, the only cases it is tried on.
    """

    family: str
    fault: str
    title: str
    kind: str
    check: str
    target: str
    sources: tuple[str, ...]
    change: Change
    rules: tuple[str, ...] = ()
    warns: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Where its verdict stands, from ``corpus/verdicts/``."""
        return f"{self.family}/{self.fault}/{self.target}"

    def takes(self, case: str, source: str) -> bool:
        """Whether this double is tried on a case that comes from a format."""
        return source in self.sources and (not self.cases or case in self.cases)

    def apply(self, draft: Draft) -> Any:
        """The changed body; Skip where there is nothing to change."""
        returned = self.change(draft)
        return draft.body if returned is None else returned


_found: dict[str, Double] = {}


def broken(
    name: str,
    *,
    rule: Rules | Mapping[str, Rules],
    check: str,
    target: str | Sequence[str] = FORMATS,
    sources: Sequence[str] | None = None,
    cases: Sequence[str] = (),
) -> Callable[[Change], Change]:
    """A double with a fault that ``rule`` names, in each format of ``target``.

    ``rule`` is one rule id; a tuple where a fault truly is several and any of them names it; or such by target.
    ``check`` is request, response or error. ``sources`` are by default all formats; the target is never among them,
    but for SAME.
    """
    return _enter("broken", name, check, target, sources, cases, rule=rule)


def warning(
    name: str,
    *,
    rule: Rules | Mapping[str, Rules],
    check: str,
    target: str | Sequence[str] = FORMATS,
    sources: Sequence[str] | None = None,
    cases: Sequence[str] = (),
) -> Callable[[Change], Change]:
    """Like ``broken``, for a fault that is only told: a SHOULD."""
    return _enter("warning", name, check, target, sources, cases, rule=rule)


def harmless(
    name: str,
    *,
    check: str,
    target: str | Sequence[str] = FORMATS,
    sources: Sequence[str] | None = None,
    cases: Sequence[str] = (),
    warns: Rules = (),
) -> Callable[[Change], Change]:
    """A double that no judge may fail. ``warns`` are the rules that may be told as a SHOULD."""
    return _enter("harmless", name, check, target, sources, cases, warns=warns)


def _enter(
    kind: str,
    name: str,
    check: str,
    target: str | Sequence[str],
    sources: Sequence[str] | None,
    cases: Sequence[str],
    rule: Rules | Mapping[str, Rules] = (),
    warns: Rules = (),
) -> Callable[[Change], Change]:
    targets = (target,) if isinstance(target, str) else tuple(target)

    def decorate(change: Change) -> Change:
        for one in targets:
            double = Double(
                family=change.__module__.rpartition(".")[-1].replace("_", "-"),
                fault=name,
                title=" ".join((change.__doc__ or "").split()).rstrip("."),
                kind=kind,
                check=check,
                target=one,
                sources=(one,) if sources == SAME else tuple(f for f in sources or FORMATS if f != one),
                change=change,
                rules=_tuple(rule[one] if isinstance(rule, Mapping) else rule),
                warns=_tuple(warns),
                cases=tuple(cases),
            )
            if double.name in _found:
                raise ValueError(f"two doubles are called {double.name}")
            _found[double.name] = double
        return change

    return decorate


def _tuple(rules: Rules) -> tuple[str, ...]:
    return (rules,) if isinstance(rules, str) else tuple(rules)


def need(value: Any) -> Any:
    """``value``, if there is any; else there is nothing here to change."""
    if not value:
        raise Skip
    return value


def doubles(kind: str | None = None) -> Iterator[Double]:
    """All doubles, or those of one kind, in the order of the modules."""
    for package in ("broken", "warnings", "harmless"):
        home = importlib.import_module(f"doubles.{package}")
        for module in sorted(entry.name for entry in pkgutil.iter_modules(home.__path__)):
            importlib.import_module(f"doubles.{package}.{module}")
    for double in _found.values():
        if kind in (None, double.kind):
            yield double
