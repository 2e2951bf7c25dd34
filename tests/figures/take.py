"""Takes figures from a result file into docs/figures, with the command that made it and the date; then the page.

``python -m figures.take faults FILE --command TEXT`` in ``tests/``: FILE is what ``mutate --json`` wrote. ``quick``
takes those of ``mutate --shares --json``. ``note ID --section S --text TEXT --command TEXT`` keeps any other figure.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from figures.page import FIGURES, SECTIONS, write
from toolcall_conformance import jsonstyle
from toolcall_conformance.library import load_corpus, read_json
from toolcall_conformance.trust.matrix import hole, reason
from toolcall_conformance.trust.mutation import Mutation
from toolcall_conformance.trust.table import Table
from toolcall_conformance.whole_files import write as write_whole


def faults(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """The faults by direction, format and element, between two formats; survivors by whether they are sorted."""
    table = Table(load_corpus())
    rows: dict[tuple[str, str, str], Counter[str]] = {}
    for one in _mutations(raw):
        if _crosses(one):
            counts = rows.setdefault((one.direction, one.format, one.element), Counter())
            counts[_sorted(one, table)] += 1
    found = [
        {"direction": key[0], "format": key[1], "element": key[2], **dict(sorted(counts.items()))}
        for key, counts in sorted(rows.items())
    ]
    return {"seed": raw["seed"], "rows": found}


def quick(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """What ``@quick`` kills of what all kill, by route and direction."""
    rows = [{**{key: one[key] for key in _ROUTE}, "missed": len(one["missed"])} for one in raw["shares"]]
    return {"seed": raw["seed"], "rows": rows}


_ROUTE = ("direction", "client", "upstream", "faults", "cells", "quick_cells")


def _mutations(raw: Mapping[str, Any]) -> Iterable[Mutation]:
    for one in raw["mutations"]:
        yield Mutation(**{key: value for key, value in one.items() if key != "name"})


def _crosses(one: Mutation) -> bool:
    client, _, upstream = one.place.split("::")[2].partition("-to-")
    return client != upstream


def _sorted(one: Mutation, table: Table) -> str:
    """What became of a fault; a survivor is so by design, an open hole, or new."""
    if one.outcome != "survived":
        return one.outcome
    return "design" if reason(one, table) else "open" if hole(one, table) else "new"


def keep(name: str, content: Mapping[str, Any]) -> None:
    """Write a file of figures."""
    write_whole(FIGURES / f"{name}.json", jsonstyle.written(content))


def main(arguments: Sequence[str]) -> int:
    """Take figures, and write the page anew."""
    parser = argparse.ArgumentParser(description="take figures into docs/figures, and write docs/trust.md")
    parser.add_argument("kind", choices=("faults", "quick", "note"))
    parser.add_argument("what", help="the result file; of a note, its id")
    parser.add_argument("--command", required=True, help="what made them")
    parser.add_argument("--date", default=dt.datetime.now(dt.UTC).date().isoformat())
    parser.add_argument("--section", choices=SECTIONS)
    parser.add_argument("--text", default="")
    given = parser.parse_args(arguments)
    made = {"command": given.command, "date": given.date}
    if given.kind == "note":
        if not given.section or not given.text:
            parser.error("a note needs --section and --text")
        notes = dict(read_json(FIGURES / "notes.json")) | {
            given.what: {"section": given.section, "text": given.text, **made}
        }
        keep("notes", notes)
    else:
        raw = json.loads(Path(given.what).read_text(encoding="utf-8"))
        keep(given.kind, {**made, **{"faults": faults, "quick": quick}[given.kind](raw)})
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
