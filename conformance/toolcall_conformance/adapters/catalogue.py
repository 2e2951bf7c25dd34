"""Lists the published translators with an adapter, from ``adapters.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
CATALOGUE = FOLDER / "adapters.json"


@dataclass(frozen=True, slots=True)
class Adapter:
    """One published translator.

    The adapter was written for ``version`` of ``package``. ``translator`` is the value of ``--toolcall-translator``,
    with ``{directory}`` for the environment's folder. ``environment`` says what to install there: this package with an
    ``extra``; or the files of ``folder``, with the packages of its ``package.json`` (``npm``) or a virtual environment
    of ``requirements``. ``mode`` says how it is set up, where it can be set up otherwise: above all whether it refuses
    what the target cannot say, or drops it. ``cannot`` says why it cannot be run, if it cannot.
    """

    name: str
    what: str
    kind: str
    url: str
    package: str
    version: str
    routes: str
    translator: str
    mode: str
    environment: Mapping[str, Any]
    note: str | None = None
    cannot: str | None = None


def adapters() -> dict[str, Adapter]:
    """Read all adapters, by name in the order of the file."""
    return {entry["name"]: Adapter(**entry) for entry in json.loads(CATALOGUE.read_text(encoding="utf-8"))}


def mode_of(spec: str, name: str) -> str | None:
    """In which mode a run has judged a published translator by its adapter here; None for any other translator.

    ``spec`` is the value of ``--toolcall-translator``; one with a folder of its own goes by its ``name``, too.
    """
    for adapter in adapters().values():
        before, folder, after = adapter.translator.partition("{directory}")
        fits = re.fullmatch(f"{re.escape(before)}.+{re.escape(after)}", spec) if folder else spec == before
        if fits and name == adapter.name:
            return adapter.mode
    return None
