"""What replies are known to have beside what the goldens show: ``drift/known/<format>.json`` of the corpus.

A golden shows what it asks for at the provider's own host. What another setting brings, what a cloud that hosts the
same API adds, and what is documented as optional is no news.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from toolcall_conformance.library import Corpus, read_json
from toolcall_conformance.recording.cassettes.identify import Recorded

Known = Callable[[str, str], bool]
"""Whether a difference is known: the word for it in the corpus (``new``, ``gone``, ``types``, ``order``), its place."""


def known_of(corpus: Corpus, recorded: Recorded) -> Known:
    """What is known of replies to such a request, at such a host."""
    request_places = frozenset(_said(recorded.request))
    entries = [entry for entry in _entries(corpus, recorded.format) if _holds(entry, request_places, recorded.host)]
    patterns: dict[str, list[str]] = {}
    for entry in entries:
        for word, places in entry["places"].items():
            patterns.setdefault(word, []).extend(places)
    return lambda word, place: any(re.fullmatch(pattern, place) for pattern in patterns.get(word, ()))


@cache
def _entries(corpus: Corpus, format_name: str) -> tuple[Mapping[str, Any], ...]:
    path = corpus.root / "drift" / "known" / f"{format_name}.json"
    return tuple(read_json(path)["known"]) if path.is_file() else ()  # a small corpus may do without


def _holds(entry: Mapping[str, Any], request_places: frozenset[str], host: str) -> bool:
    def says(key: str) -> bool:
        return any(re.fullmatch(pattern, place) for pattern in entry[key] for place in request_places)

    return (
        any(fnmatch.fnmatch(host, pattern) for pattern in entry.get("hosts", ("*",)))
        and ("asked" not in entry or says("asked"))
        and ("unasked" not in entry or not says("unasked"))
    )


def _said(value: Any, place: str = "") -> Iterator[str]:
    """Every place of a request; of an entry with a type, and of a text or a truth value, also with what it is."""
    yield place
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _said(member, f"{place}/{key}")
    elif isinstance(value, list):
        for entry in value:
            kind = entry.get("type") if isinstance(entry, dict) else entry
            yield from _said(entry, f"{place}/*={kind}" if isinstance(kind, str) else f"{place}/*")
    elif isinstance(value, bool):
        yield f"{place}={str(value).lower()}"
