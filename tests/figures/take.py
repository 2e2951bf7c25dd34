"""Takes figures from a result file into docs/figures, with the command that made it and the date; then the page.

``python tests figures.take faults FILE --command TEXT``: FILE is what ``mutate --json`` wrote. ``quick``
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
from toolcall_conformance.basics import jsonstyle
from toolcall_conformance.basics.atomic_files import write as write_whole
from toolcall_conformance.library import load_corpus, read_json
from toolcall_conformance.trust.matrix import hole, reason
from toolcall_conformance.trust.mutation import Mutation
from toolcall_conformance.trust.table import MutationTable


def faults(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """The faults by direction, format and element, between two formats; survivors by whether they are sorted."""
    table = MutationTable(load_corpus())
    rows: dict[tuple[str, str, str], Counter[str]] = {}
    for mutation in _mutations(raw):
        if _crosses(mutation):
            counts = rows.setdefault((mutation.direction, mutation.format, mutation.element), Counter())
            counts[_mutation_class(mutation, table)] += 1
    summaries = [
        {"direction": key[0], "format": key[1], "element": key[2], **dict(sorted(counts.items()))}
        for key, counts in sorted(rows.items())
    ]
    return {"seed": raw["seed"], "rows": summaries}


def quick(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """What ``@quick`` kills of what all kill, by route and direction."""
    rows = [{**{key: share[key] for key in _ROUTE}, "missed": len(share["missed"])} for share in raw["shares"]]
    return {"seed": raw["seed"], "rows": rows}


_ROUTE = ("direction", "client", "upstream", "faults", "cells", "quick_cells")


def _mutations(raw: Mapping[str, Any]) -> Iterable[Mutation]:
    for mutation in raw["mutations"]:
        yield Mutation(**{key: value for key, value in mutation.items() if key != "name"})


def _crosses(mutation: Mutation) -> bool:
    client, _, upstream = mutation.place.split("::")[2].partition("-to-")
    return client != upstream


def _mutation_class(mutation: Mutation, table: MutationTable) -> str:
    """What became of a fault; a survivor is so by design, an open hole, or new."""
    if mutation.outcome != "survived":
        return mutation.outcome
    return "design" if reason(mutation, table) else "open" if hole(mutation, table) else "new"


def keep(name: str, content: Mapping[str, Any]) -> None:
    """Write a file of figures."""
    write_whole(FIGURES / f"{name}.json", jsonstyle.dump(content))


def main(arguments: Sequence[str]) -> int:
    """Take figures, and write the page again."""
    parser = argparse.ArgumentParser(description="take figures into docs/figures, and write docs/trust.md")
    parser.add_argument("kind", choices=("faults", "quick", "note"))
    parser.add_argument("what", help="the result file; of a note, its id")
    parser.add_argument("--command", required=True, help="what made them")
    parser.add_argument("--date", default=dt.datetime.now(dt.UTC).date().isoformat())
    parser.add_argument("--section", choices=SECTIONS)
    parser.add_argument("--text", default="")
    options = parser.parse_args(arguments)
    origin = {"command": options.command, "date": options.date}
    if options.kind == "note":
        if not options.section or not options.text:
            parser.error("a note needs --section and --text")
        notes = dict(read_json(FIGURES / "notes.json")) | {
            options.what: {"section": options.section, "text": options.text, **origin}
        }
        keep("notes", notes)
    else:
        raw = json.loads(Path(options.what).read_text(encoding="utf-8"))
        keep(options.kind, {**origin, **{"faults": faults, "quick": quick}[options.kind](raw)})
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
