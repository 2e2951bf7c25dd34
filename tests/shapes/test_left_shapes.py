"""What real bodies show and no golden does has a reason each, and each reason has something to explain."""

from __future__ import annotations

import re

import pytest

from formats.test_traffic import TRAFFIC
from shapes import foreign, unseen
from toolcall_conformance import formats

pytestmark = pytest.mark.skipif(
    not (TRAFFIC.is_dir() and foreign.FOLDER.is_dir()),
    reason="the recorded traffic and the bodies of clients are not beside this checkout",
)

HOSTS = pytest.mark.parametrize("compatible", [False, True], ids=["own hosts", "compatible hosts"])


@HOSTS
@pytest.mark.parametrize("name", formats.names())
def test_every_shape_is_shown_or_explained(name: str, compatible: bool) -> None:
    paths_by_shape = unseen.unseen_shapes(name, compatible=compatible)
    print(f"\n{name}: {len(paths_by_shape)} shapes left", *unseen.lines(paths_by_shape), sep="\n  ")
    unexplained = unseen.shapes_without_reason(name, paths_by_shape, compatible=compatible)
    assert not unexplained, "a case should show it, or reasons.json say why none does"


def test_every_reason_is_narrow_and_explains_something() -> None:
    format_shapes = [
        (name, shape, compatible)
        for compatible in (False, True)
        for name in formats.names()
        for shape in unseen.unseen_shapes(name, compatible=compatible)
    ]
    assert list(unseen.faults(unseen.reasons(), unseen.max_shapes_per_reason(), format_shapes)) == []


@pytest.mark.parametrize("name", formats.names())
def test_no_reason_swallows_what_goldens_have(name: str) -> None:
    """A pattern that fits shapes next to those that it is for would swallow the next unknown one, too."""
    corpus_shapes = unseen.of_corpus(name)
    swallowed = corpus_shapes - {*unseen.shapes_without_reason(name, corpus_shapes, compatible=True)}
    assert swallowed == set(), "cases show these: take them out of the pattern in reasons.json"


@pytest.mark.parametrize(
    ("text", "pattern", "limit", "fault"),
    [
        ("", "beta request /a: .*", 2, "no text for"),
        ("why", "beta request /z: .*", 2, "nothing fits"),
        ("why", "beta request /.*", 1, "2 shapes, not 1"),
        ("why", "beta request /a: .*", 1, None),
    ],
)
def test_a_bad_reason_is_refused(text: str, pattern: str, limit: int, fault: str | None) -> None:
    format_shapes = [("beta", "request /a: number", False), ("beta", "request /b: number", False)]
    faults = list(unseen.faults([unseen.Reason((re.compile(pattern),), text, compatible=False)], limit, format_shapes))
    assert [each.startswith(fault or "") for each in faults] == [True] * (fault is not None)
