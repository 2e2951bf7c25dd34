"""Finds which of an upstream's exchanges belongs to which of a client's: by their texts, times and order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.recording.captures.exchanges import CapturedExchange

_LEAST = 0.2
"""The share of the texts of two requests that both must hold."""
_SHORT = 6
_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class MatchedExchange:
    """A client's exchange and the upstream's that belongs to it, None where there is none."""

    client: CapturedExchange
    upstream: CapturedExchange | None


def match_exchanges(client: Sequence[CapturedExchange], upstream: Sequence[CapturedExchange]) -> list[MatchedExchange]:
    """Match each exchange of the client with one of the upstream, which belongs to no other.

    Texts decide; of equal ones times, then the order.
    """
    texts = [frozenset(_conversation_texts(exchange.request)) for exchange in upstream]
    left = dict(enumerate(upstream))
    matches = []
    for number, exchange in enumerate(client):
        client_texts = frozenset(_conversation_texts(exchange.request))
        best = max(
            left,
            key=lambda place: (
                round(_likeness(client_texts, texts[place]), 2),
                (exchange.stream is None) == (upstream[place].stream is None),
                -_time_distance(exchange, upstream[place]),
                -abs(place - number),
                -place,
            ),
            default=None,
        )
        fits = best is not None and (
            _likeness(client_texts, texts[best]) >= _LEAST or (not client_texts and len(client) == len(upstream))
        )
        matches.append(MatchedExchange(exchange, left.pop(best) if best is not None and fits else None))
    return matches


def _likeness(texts: frozenset[str], other: frozenset[str]) -> float:
    """The share of all texts of two requests that both hold."""
    return len(texts & other) / len(texts | other) if texts | other else 0.0


def _time_distance(exchange: CapturedExchange, other: CapturedExchange) -> float:
    """The seconds between two beginnings; more, where the provider's request began before the client's."""
    if exchange.time is None or other.time is None:
        return _SECONDS
    return (
        abs(other.time - exchange.time)
        if other.time >= exchange.time - 1
        else _SECONDS + abs(other.time - exchange.time)
    )


def are_swapped(matches: Sequence[MatchedExchange]) -> bool:
    """Whether each upstream's exchange began before the client's: then the two lists are the other way round."""
    times = [
        (match.client.time, match.upstream.time)
        for match in matches
        if match.upstream is not None and match.client.time is not None and match.upstream.time is not None
    ]
    return bool(times) and all(theirs < ours for ours, theirs in times)


def _conversation_texts(request: Any) -> Iterator[str]:
    """The texts of a conversation; what tools are called and for is the same in all of an agent's conversations."""
    if isinstance(request, dict):
        yield from _texts({key: value for key, value in request.items() if key not in ("tools", "functions")})


def _texts(value: Any) -> Iterator[str]:
    """The texts of a body that are long enough to tell it by."""
    if isinstance(value, str):
        if len(value) >= _SHORT:
            yield value
    elif isinstance(value, (list, dict)):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _texts(entry)
