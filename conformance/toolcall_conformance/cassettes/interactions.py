"""One HTTP exchange as a cassette holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


class CassetteError(Exception):
    """A cassette that cannot be used; the message says which file, what is wrong, and what to do."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """A request and its response. Bodies are the bytes that were meant: compression and base64 are undone.

    ``number`` counts from 1 and is the place in the cassette; ``recorded_at`` is the cassette's own word, None where it
    says nothing. The names of headers are in lower case. ``case`` is the case of the corpus that our recorder played.
    """

    number: int
    method: str
    url: str
    request_headers: Mapping[str, str]
    request_body: bytes
    status: int
    response_headers: Mapping[str, str]
    response_body: bytes
    recorded_at: str | None = None
    case: str | None = None
