"""The bodies of one call that a check judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class PlayedBodies:
    """The bodies of one judged call. ``body_label`` is like ``02-request``; ``output`` is MISSING if there is none.

    ``files`` are further files by the ends of their names, bytes or JSON values: ``{"received.sse": b"data: …"}``.
    """

    body_label: str
    source: Any
    output: Any
    golden: Any
    files: Mapping[str, Any] = field(default_factory=dict)
