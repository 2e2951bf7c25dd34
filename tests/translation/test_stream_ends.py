"""A call that its source had not closed: only where something could still follow may the client not have it."""

from __future__ import annotations

from typing import Literal

import pytest

from toolcall_conformance.basics.reading.assembled import Assembled, StreamedCall
from toolcall_conformance.judge.translation.outcome.stream_ends import compare_stream_ends
from toolcall_conformance.library import load_corpus

End = Literal["whole", "failed", "open"]


@pytest.mark.parametrize(
    ("fragments", "expected"),
    [
        (('{"city": ', '"Lyon"}'), []),
        (('{"city": ', '"Ly'), ["translation/stream-cut-call"]),
        ((), ["translation/stream-cut-call"]),
        (("4",), ["translation/stream-cut-call"]),
    ],
)
def test_an_object_that_is_complete_may_be_closed(fragments: tuple[str, ...], expected: list[str]) -> None:
    source = Assembled(None, "open", calls=(StreamedCall("/events/0", "a", "f", fragments),))
    client = Assembled(None, "open", calls=(StreamedCall("/events/0", "a", "f", fragments, closed=True),))
    assert [finding.rule for finding in compare_stream_ends(load_corpus(), source, client, "breaks off")] == expected


@pytest.mark.parametrize(
    ("source", "client", "rule"),
    [
        ("failed", "whole", "translation/stream-error-told"),
        ("failed", "open", "translation/stream-cut-call"),
        ("failed", "failed", "translation/stream-cut-call"),
        ("open", "whole", "translation/stream-cut-call"),
    ],
)
def test_an_error_that_is_passed_over_is_that_whatever_the_stream_closed(source: End, client: End, rule: str) -> None:
    sent = Assembled(None, source, calls=(StreamedCall("/events/0", "a", "f", ('{"city": ', '"Ly')),))
    closed = StreamedCall("/events/0", "a", "f", ('{"city": ', '"Ly'), closed=True)
    received = Assembled(None, client, calls=(closed,))
    assert [finding.rule for finding in compare_stream_ends(load_corpus(), sent, received, "failed")] == [rule]


def test_a_closed_call_without_a_name_is_none_that_a_client_can_run() -> None:
    cut = StreamedCall("/events/0", "a", "f", ('{"city": ', '"Ly'))
    source = Assembled(None, "open", calls=(cut,))
    nameless = StreamedCall("/events/1", None, None, ("{}",), closed=True)
    assert (
        list(compare_stream_ends(load_corpus(), source, Assembled(None, "open", calls=(nameless, cut)), "breaks off"))
        == []
    )
