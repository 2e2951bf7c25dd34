"""Waiting items of a stream are emitted in the order in which they would open, and looked at once."""

from __future__ import annotations

import cProfile
import pstats

from toolcall_reference.conversation.intermediate import Text
from toolcall_reference.streaming.deltas import Delta, ItemClosed, ItemOpened, ItemPiece
from toolcall_reference.streaming.filters import OneOpenItemFilter


def order_deltas(deltas: list[Delta]) -> list[Delta]:
    in_order = OneOpenItemFilter()
    return [item for delta in deltas for item in in_order(delta)]


def interleaved_texts(count: int) -> list[Delta]:
    """Texts that all open, then all grow, then all close, the last one first."""
    opened: list[Delta] = [ItemOpened(place, Text("")) for place in range(count)]
    grown: list[Delta] = [ItemPiece(place, str(place)) for place in range(count)]
    return opened + grown + [ItemClosed(place, Text("")) for place in reversed(range(count))]


def test_calls_after_one_another() -> None:
    deltas = interleaved_texts(4)
    assert order_deltas(deltas) == sorted(deltas, key=lambda delta: getattr(delta, "place", -1))


def test_each_is_looked_at_once() -> None:
    calls = []
    for count in (50, 200):
        deltas, profile = interleaved_texts(count), cProfile.Profile()
        profile.runcall(order_deltas, deltas)
        calls.append(int(pstats.Stats(profile).total_calls))  # type: ignore[attr-defined]
    assert calls[1] < 5 * calls[0]
