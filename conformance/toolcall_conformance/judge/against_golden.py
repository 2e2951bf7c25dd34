"""Where a body differs from a golden one of its format, without what the law accepts."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.differences import ValueDifference, find_differences
from toolcall_conformance.judge.bodies import judge_body
from toolcall_conformance.judge.given import Ends
from toolcall_conformance.library import Corpus


def differing(corpus: Corpus, name: str, direction: str, golden: Any, output: Any) -> list[ValueDifference]:
    """Where two bodies of a format differ, but for what each provider makes anew, and what equivalences allow."""
    format_facts = corpus.format(name)
    new = {f"/{key}" for key in (*format_facts.get("generated_keys", ()), *format_facts.get("time_keys", ()))}
    accepted = judge_body(corpus, golden, output, Ends(name, name), direction, captured=True, tolerated=True).tolerated
    places = {place for tolerance in accepted for place in (tolerance.pointer, tolerance.source_pointer) if place}
    return [
        difference
        for difference in find_differences(golden, output)
        if difference.pointer not in new and not any(_overlap(difference.pointer, place) for place in places)
    ]


def _overlap(pointer: str, other: str) -> bool:
    """Whether one of two places is the other, or inside it."""
    return pointer == other or pointer.startswith(f"{other}/") or other.startswith(f"{pointer}/")
