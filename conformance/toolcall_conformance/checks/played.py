"""The bodies of one call that a check judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class PlayedBodies:
    """The bodies of one judged call. ``name`` is ``02-request``; ``produced`` is MISSING if nothing came.

    ``files`` are further ones by the ends of their names, bytes or JSON values: ``{"received.sse": b"data: …"}``.
    """

    name: str
    source: Any
    produced: Any
    golden: Any
    files: Mapping[str, Any] = field(default_factory=dict)
