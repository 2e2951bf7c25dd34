"""One HTTP exchange of a cassette."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


class CassetteError(Exception):
    """A cassette that cannot be used; the message says which file, what is wrong, and what to do."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """A request and its response. Bodies are decoded: without compression and base64.

    ``number`` is the place in the cassette, from 1; ``recorded_at`` is the cassette's date, or None. Header names are
    in lower case. ``case`` is the case of the corpus that our recorder played.
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
