"""Marks for the cache of prompts: they stay where they are, as far as the target has room for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.reading import CacheMark
from toolcall_conformance.judge.translation.nearest import nearest_place
from toolcall_conformance.judge.translation.pair import Pair

_ON_BODY = "body"


def compare_cache_marks(pair: Pair) -> Iterator[Finding]:
    """Report the marks that are gone from tools, the system prompt, results or messages.

    A target without such marks, or with a convention only, need not have them; if the format between is such a one,
    they cannot come back. A target with a limit need not have more marks, and a mark on the whole body replaces all
    others.
    """
    way = (pair.through, pair.output.format)
    if any(pair.corpus.expresses(name, "cache-control") != "native" for name in way if name is not None):
        return
    if not pair.source.cache_marks:
        return
    output_counts = Counter(mark.on for mark in pair.output.cache_marks)
    if output_counts[_ON_BODY] or output_counts.total() >= pair.target["cache_marks"]:
        return
    missing = Counter(mark.on for mark in pair.source.cache_marks) - output_counts
    for on in missing:
        first = next(mark for mark in pair.source.cache_marks if mark.on == on)
        yield pair.finding(
            "translation/cache-mark",
            _expected_pointer(pair, first),
            f"of the marks for the cache {missing[on]} on {on} did not arrive",
            want=_expected_mark(pair, first),
            got=MISSING,
            source=first.pointer,
            subject=on,
        )


def _expected_mark(pair: Pair, mark: CacheMark) -> Any:
    """Return a mark as its body has it; in words for another format, which has one of its own."""
    stands = resolve(pair.source.body, mark.pointer)
    if pair.source.format == pair.output.format:
        return stands
    return Words(str(pair.corpus.expression(pair.output.format, "cache-control")["as"]))


def _expected_pointer(pair: Pair, mark: CacheMark) -> str:
    """Return what in the output should hold a mark, or else the list that this would be in."""
    if mark.on == "tool" and pair.output.tools:
        return pair.output.tools[-1].pointer
    if mark.on == "system" and pair.output.system:
        return pair.output.system[-1].pointer.removesuffix("/text")
    return nearest_place(pair, mark.pointer)
