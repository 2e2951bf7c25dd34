"""The bodies of one call that a check judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class PlayedBodies:
    """The bodies of one judged call: ``name`` is the label (``02-request``), ``produced`` the output, MISSING if none.

    ``files`` are further files by the ends of their names, bytes or JSON values: ``{"received.sse": b"data: …"}``.
    """

    name: str
    source: Any
    produced: Any
    golden: Any
    files: Mapping[str, Any] = field(default_factory=dict)
