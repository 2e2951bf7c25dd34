"""A call that its source had not closed: only where something could still follow may the client not have it."""

from __future__ import annotations

import pytest

from toolcall_conformance.library import load_corpus
from toolcall_conformance.reading.assembled import Assembled, StreamedCall
from toolcall_conformance.translation.stream_ends import compare_ends


@pytest.mark.parametrize(
    ("fragments", "told"),
    [
        (('{"city": ', '"Lyon"}'), []),
        (('{"city": ', '"Ly'), ["translation/stream-cut-call"]),
        ((), ["translation/stream-cut-call"]),
        (("4",), ["translation/stream-cut-call"]),
    ],
)
def test_an_object_that_is_complete_may_be_closed(fragments: tuple[str, ...], told: list[str]) -> None:
    source = Assembled(None, "open", calls=(StreamedCall("/events/0", "a", "f", fragments),))
    client = Assembled(None, "open", calls=(StreamedCall("/events/0", "a", "f", fragments, closed=True),))
    assert [finding.rule for finding in compare_ends(load_corpus(), source, client, "breaks off")] == told
