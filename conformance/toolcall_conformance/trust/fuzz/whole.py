"""What stands for all drawn conversations among the cases of a run: one case, with one check."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from toolcall_conformance.library import Case, Exchange

FAMILY = "fuzz"
CHECK = "conversations"
CASE = f"{FAMILY}/drawn"


class AllDrawn(Case):
    """The case ``fuzz/drawn``: all drawn conversations together, in all formats; it has no bodies of its own."""

    def __init__(self, formats: Sequence[str], root: Path) -> None:
        title = "generated conversations"
        super().__init__(root, {"id": CASE, "title": title, "features": [], "models": {}})
        self._formats = tuple(formats)

    @property
    def file(self) -> Path:
        return self.path

    @cached_property
    def formats(self) -> tuple[str, ...]:
        return self._formats

    def exchanges(self, format_name: str) -> tuple[Exchange, ...]:
        del format_name
        return ()
