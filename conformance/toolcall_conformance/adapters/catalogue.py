"""Which published translators have an adapter here, from ``adapters.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
CATALOGUE = FOLDER / "adapters.json"


@dataclass(frozen=True, slots=True)
class Adapter:
    """One published translator.

    ``version`` of ``package`` is what the adapter was written for. ``translator`` is what ``--toolcall-translator``
    takes, with ``{directory}`` for the environment's folder. ``environment`` says what that holds: this package with an
    ``extra``; or the files of ``folder``, with what its ``package.json`` names (``npm``) or with a virtual environment
    of ``requirements`` in it. ``cannot`` is why it cannot be run, if so.
    """

    name: str
    what: str
    kind: str
    url: str
    package: str
    version: str
    routes: str
    translator: str
    environment: Mapping[str, Any]
    note: str | None = None
    cannot: str | None = None


def adapters() -> dict[str, Adapter]:
    """All adapters by name, in the order of the file."""
    return {said["name"]: Adapter(**said) for said in json.loads(CATALOGUE.read_text(encoding="utf-8"))}
