"""Opens what a body is wrapped in: ``{"request": {…}}``, ``{"body": "…"}``, a list of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.formats.recognition import DIRECTIONS, has_container, recognise_body
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.captured.exchanges import body_of

_DEPTH = 3
_MOST = 30


def opened(corpus: Corpus, value: Any) -> tuple[Any, str] | None:
    """The one body inside a value that is none itself, and the pointer to it; None where there is none, or several."""
    if recognise_body(corpus, value):
        return None
    bodies = [*_inside(corpus, value, "", 0)]
    return bodies[0] if len(bodies) == 1 else None


def bodies_in(corpus: Corpus, value: Any) -> list[str]:
    """The pointers to all bodies inside a value that is none itself."""
    return [] if recognise_body(corpus, value) else [pointer for _, pointer in _inside(corpus, value, "", 0)]


def _inside(corpus: Corpus, value: Any, pointer: str, depth: int) -> Iterator[tuple[Any, str]]:
    kinds = recognise_body(corpus, value, DIRECTIONS) if depth else []
    if kinds and has_container(corpus, kinds[0], value):
        yield value, pointer
    elif depth < _DEPTH:
        entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, entry in [*entries][:_MOST]:
            inner = body_of(entry) if isinstance(entry, str) and entry.lstrip()[:1] == "{" else entry
            yield from _inside(corpus, inner, join(pointer, key), depth + 1)
