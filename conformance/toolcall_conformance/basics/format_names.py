"""Which formats there are: the packages in ``formats``. To name them imports none of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def format_names() -> tuple[str, ...]:
    """The formats that have a package here, sorted."""
    folder = Path(__file__).parents[1] / "formats"
    return tuple(sorted(marker.parent.name for marker in folder.glob("*/__init__.py")))
