"""Rule functions for streams: a format's grammar finds everything in one pass, and each rule tells its own part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from toolcall_conformance.reading.assembled import Assembled
from toolcall_conformance.rules.registry import Breach, RuleFunction, Subject, rule


def register(assemble: Callable[[Any], Assembled], rule_ids: Iterable[str]) -> None:
    """Register every rule that the grammar in ``assemble`` may complain by; it runs once a stream."""
    for rule_id in rule_ids:
        rule(rule_id, "stream")(_telling(assemble, rule_id))


def _telling(assemble: Callable[[Any], Assembled], rule_id: str) -> RuleFunction:
    def told(subject: Subject) -> Iterator[Breach]:
        return (breach for found, breach in subject.view(assemble).breaches if found == rule_id)

    return told
