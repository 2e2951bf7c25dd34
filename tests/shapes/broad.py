"""The shapes that real exchanges have and no case had: which of them some case of the corpus has now.

``broad.json`` says of each by which shapes of a body it is known, as patterns. ``python tests
shapes.broad`` prints how many are met and in how many cases, and which are not.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from shapes import facts, listing
from toolcall_conformance import Judge
from toolcall_conformance.library import Case, Corpus, load_corpus

PATTERNS: dict[str, list[str]] = json.loads(Path(__file__).with_name("broad.json").read_bytes())


def of_body(name: str, kind: str, body: Any) -> frozenset[str]:
    """Which of the shapes a request or a reply of a format has."""
    return among(listing.of_body(kind, body) | facts.of_body(name, kind, body))


def among(shapes: Iterable[str]) -> frozenset[str]:
    """Which of them the shapes of a body amount to."""
    return frozenset().union(*(_broad_shapes(shape) for shape in shapes))


@cache
def _broad_shapes(shape: str) -> frozenset[str]:
    return frozenset(broad for broad, pattern in _patterns().items() if pattern.fullmatch(shape))


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {broad: re.compile("|".join(patterns)) for broad, patterns in PATTERNS.items()}


def of_case(case: Case) -> frozenset[str]:
    """Which of the shapes the bodies of a case have, in whichever format."""
    shapes: set[str] = set()
    for name in case.formats:
        for exchange in case.exchanges(name):
            shapes |= of_body(name, "request", exchange.request)
            if exchange.response is not None:
                shapes |= of_body(name, "response", exchange.response)
    return frozenset(shapes)


def cases_by_shape(corpus: Corpus) -> dict[str, dict[str, bool]]:
    """The cases by the shape that they have, in whichever format; a shape without cases is there, too.

    Of each case whether a translator that raises on the shape fails there. It does not where an error may take the
    place of the reply.
    """
    judge = Judge(corpus)
    cases_by_shape: dict[str, dict[str, bool]] = {broad: {} for broad in PATTERNS}
    for case in corpus.cases.values():
        for name in case.formats:
            for exchange in case.exchanges(name):
                _enter(cases_by_shape, case.id, of_body(name, "request", exchange.request), fails=True)
                if exchange.response is not None:
                    shapes = of_body(name, "response", exchange.response)
                    _enter(cases_by_shape, case.id, shapes, fails=not judge.may_fail(name, exchange.response))
    return cases_by_shape


def _enter(cases_by_shape: dict[str, dict[str, bool]], case: str, shapes: Iterable[str], *, fails: bool) -> None:
    for shape in shapes:
        cases_by_shape[shape][case] = fails or cases_by_shape[shape].get(case, False)


def table(cases_by_shape: Mapping[str, Mapping[str, bool]]) -> str:
    """What is met, with the number of cases and one of them, and what is not."""
    fatal = [broad for broad, cases in cases_by_shape.items() if any(cases.values())]
    lines = [f"{len(cases):5} {broad:40} {min(cases)}" for broad, cases in cases_by_shape.items() if cases]
    lines.append(f"met {len(fatal)} of {len(cases_by_shape)}")
    lines += [
        f"met only where an error may come: {each}"
        for each, cases in cases_by_shape.items()
        if cases and each not in fatal
    ]
    return "\n".join([*lines, *(f"not met: {each}" for each, cases in cases_by_shape.items() if not cases)])


if __name__ == "__main__":
    print(table(cases_by_shape(load_corpus())))
    sys.exit()
