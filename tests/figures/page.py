"""Writes docs/trust.md and some lines of the README from docs/figures: ``python tests figures.page``."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.atomic_files import write as write_whole
from toolcall_conformance.library import read_json

DOCS = Path(__file__).resolve().parents[2] / "docs"
FIGURES = DOCS / "figures"
PAGE = DOCS / "trust.md"
FORMATS = ("anthropic", "openai_chat", "openai_responses", "gemini")
README = DOCS.parent / "README.md"
BEGINNING = "How far can you trust it?"
_OWN = re.compile(rf"^{re.escape(BEGINNING)}.*?\n(?=\n)", re.MULTILINE | re.DOTALL)
NONE = "–"
WIDTH = 120
SECTIONS = ("fresh", "quick", "alarms", "clients", "drawn", "published", "recorded")
"""Where a single figure may stand."""

Counts = Mapping[str, int]


def write() -> None:
    """Write the page, and the lines of the README."""
    write_whole(PAGE, page())
    text = README.read_text(encoding="utf-8")
    write_whole(README, _OWN.sub(lambda _match: summary(), text, count=1))


def summary() -> str:
    """The lines of the README."""
    whole = _sum(read_json(FIGURES / "faults.json")["rows"])
    rows = _sum(read_json(FIGURES / "quick.json")["rows"])
    paragraph = (
        f"{BEGINNING} Of {_real(whole):,} faults that a machine put into what the reference makes, "
        f"{_share(whole['killed'] + whole['beside'], _real(whole))} fail a run, "
        f"{_share(whole['warned'], _real(whole))} are warned of, and {_unseen_share(whole)} go unseen. "
        f"`toolcall::@quick`, for a hook before each commit, finds "
        f"{_share(rows['faults'] - rows['missed'], rows['faults'])} of those that all cases find "
        "([figures](docs/trust.md))."
    )
    return textwrap.fill(paragraph, WIDTH, break_long_words=False, break_on_hyphens=False) + "\n"


def page() -> str:
    """The page as it must be."""
    parts = {
        "faults": _faults(read_json(FIGURES / "faults.json")),
        "equivalents": _equivalents(read_json(FIGURES / "equivalents.json")),
        "quick": _quick(read_json(FIGURES / "quick.json")),
    }
    notes = read_json(FIGURES / "notes.json")
    for name in SECTIONS:
        parts["quick_notes" if name == "quick" else name] = _notes(
            note for note in notes.values() if note["section"] == name
        )
    text = (Path(__file__).parent / "trust.md.in").read_text(encoding="utf-8")
    for name, lines in parts.items():
        text = text.replace(f"{{{{{name}}}}}\n", "".join(f"{line}\n" for line in lines))
    return text


def _item(text: str) -> Iterator[str]:
    """An entry of a list; words in backticks are not broken."""
    line = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(
        line, WIDTH, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    yield from (line.replace("\0", " ") for line in lines)


def _origin(raw: Mapping[str, Any]) -> str:
    return f"`{raw['command']}`, {raw['date']}."


def _faults(raw: Mapping[str, Any]) -> Iterator[str]:
    rows = raw["rows"]
    whole = _sum(rows)
    yield _origin(raw)
    yield ""
    yield from _outcomes(whole)
    yield ""
    yield from (
        "Killed, of the faults that are some and that somebody need see, by element and format of the body:",
        "",
    )
    yield f"| Element | {' | '.join(FORMATS)} | all |"
    yield f"|---|{'---|' * (len(FORMATS) + 1)}"
    for element in sorted({row["element"] for row in rows}):
        own = [row for row in rows if row["element"] == element]
        cells = [_rate(_sum(row for row in own if row["format"] == name)) for name in FORMATS]
        yield f"| {element} | {' | '.join(cells)} | {_rate(_sum(own))} |"
    yield ""
    yield "| Direction | killed | warned | unseen |"
    yield "|---|---|---|---|"
    for direction in dict.fromkeys(row["direction"] for row in rows):
        counts = _sum(row for row in rows if row["direction"] == direction)
        yield f"| {direction} | {_rate(counts)} | {_share(counts['warned'], _real(counts))} | {_unseen(counts)} |"


def _outcomes(counts: Counts) -> Iterator[str]:
    total = sum(counts.values())
    yield "| Faults made | killed | killed by another | warned of | none | by design | open | new | judge failed |"
    yield f"|{'---|' * 9}"
    columns = ("killed", "beside", "warned", "equivalent", "design", "open", "new", "raised")
    yield f"| {total:,} | {' | '.join(f'{counts[name]:,}' for name in columns)} |"


def _sum(rows: Iterable[Mapping[str, Any]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for row in rows:
        total.update({key: value for key, value in row.items() if isinstance(value, int)})
    return total


def _real(counts: Counts) -> int:
    """The faults that a check must find."""
    return sum(counts[name] for name in ("killed", "beside", "warned", "open", "new", "raised"))


def _unseen(counts: Counts) -> str:
    return _share(sum(counts[name] for name in ("open", "new", "raised")), _real(counts))


def _unseen_share(counts: Counts) -> str:
    """What goes unseen; its survivors are sorted by hand, so that none left does not mean none."""
    share = _unseen(counts)
    return "fewer than one in a thousand" if share == "0.0 %" else share


def _rate(counts: Counts) -> str:
    real = _real(counts)
    return f"{_share(counts['killed'] + counts['beside'], real)} of {real:,}" if real else NONE


def _share(part: int, total: int) -> str:
    return f"{100 * part / total:.1f} %" if total else NONE


def _equivalents(raw: Mapping[str, Any]) -> Iterator[str]:
    for run in raw["runs"]:
        read, wrong = (sum(row[key] for row in run["operators"].values()) for key in ("read", "wrong"))
        yield from _item(f"{run['about']} {read} read, {wrong} wrong: {_share(wrong, read)}. {_origin(run)}")
    yield ""
    yield "| Operator | " + " | ".join(f"read, {run['name']} | wrong" for run in raw["runs"]) + " |"
    yield f"|---|{'---|---|' * len(raw['runs'])}"
    for name in sorted({name for run in raw["runs"] for name in run["operators"]}):
        cells = [run["operators"].get(name, {"read": 0, "wrong": 0}) for run in raw["runs"]]
        yield f"| {name} | " + " | ".join(f"{cell['read']} | {cell['wrong']}" for cell in cells) + " |"
    yield ""
    for line in raw["wrong"]:
        yield from _item(line)


def _quick(raw: Mapping[str, Any]) -> Iterator[str]:
    rows = raw["rows"]
    yield _origin(raw)
    yield ""
    yield "| Route | faults killed by all | classes of them killed by `@quick` | cells | killed by `@quick` |"
    yield "|---|---|---|---|---|"
    routes = dict.fromkeys((row["client"], row["upstream"]) for row in rows)
    for client, upstream in routes:
        own = [row for row in rows if (row["client"], row["upstream"]) == (client, upstream)]
        yield _quick_row(f"{client}-to-{upstream}", _sum(own))
    for direction in dict.fromkeys(row["direction"] for row in rows):
        yield _quick_row(f"all, {direction}", _sum(row for row in rows if row["direction"] == direction))
    yield _quick_row("all", _sum(rows))


def _quick_row(name: str, counts: Counts) -> str:
    killed = counts["faults"] - counts["missed"]
    shares = (_share(killed, counts["faults"]), f"{counts['cells']:,}", _share(counts["quick_cells"], counts["cells"]))
    return f"| {name} | {counts['faults']:,} | {' | '.join(shares)} |"


def _notes(notes: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for note in notes:
        yield from _item(f"{note['text']} {_origin(note)}")


if __name__ == "__main__":
    write()
