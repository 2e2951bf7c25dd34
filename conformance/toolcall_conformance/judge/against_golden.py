"""Where a body differs from a golden one of its format, without what the law accepts."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.differences import Difference, all_differences
from toolcall_conformance.judge.bodies import judge_body
from toolcall_conformance.judge.given import Ends
from toolcall_conformance.library import Corpus


def differing(corpus: Corpus, name: str, direction: str, golden: Any, output: Any) -> list[Difference]:
    """Where two bodies of a format differ, but for what each provider makes anew, and what equivalences allow."""
    told = corpus.format(name)
    new = {f"/{key}" for key in (*told.get("generated_keys", ()), *told.get("time_keys", ()))}
    accepted = judge_body(corpus, golden, output, Ends(name, name), direction, captured=True, tolerated=True).tolerated
    places = {place for one in accepted for place in (one.pointer, one.source_pointer) if place}
    return [
        one
        for one in all_differences(golden, output)
        if one.pointer not in new and not any(_overlap(one.pointer, place) for place in places)
    ]


def _overlap(one: str, other: str) -> bool:
    """Whether one of two places is the other, or inside it."""
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")
