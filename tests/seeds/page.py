"""What the documents that the project implements say, and what holds each statement: the page docs/seeds.md.

``python tests seeds.page`` rewrites it.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from toolcall_conformance.library import default_root

PAGE = Path(__file__).resolve().parents[2] / "docs" / "seeds.md"
#: What may hold a statement, with the heading of its column of counts.
HOLDERS = {
    "case": "a case",
    "rule": "a rule",
    "function": "a function",
    "superseded": "superseded",
    "open": "open",
}
HEAD = """\
# The documents behind the project

Five documents describe tool calls between formats, a gateway, adapters and telemetry. This page takes each apart into
statements that a reader can check, and names what holds each one: cases, rules, public functions, or the official form
that says something else. The data are in
[corpus/seeds.json](../corpus/seeds.json); `python tests seeds.page` makes the page anew.

"""


def load() -> dict[str, Any]:
    """What ``corpus/seeds.json`` has."""
    seeds: dict[str, Any] = json.loads((default_root() / "seeds.json").read_bytes())
    return seeds


def holder(statement: dict[str, Any]) -> str:
    """Which of ``HOLDERS`` a statement has."""
    return next(kind for kind in HOLDERS if kind in statement)


def page(seeds: dict[str, Any]) -> str:
    """The whole page."""
    documents = list(dict.fromkeys(statement["document"] for statement in seeds["statements"]))
    return HEAD + _counts(documents, seeds) + "".join(_table(name, seeds) for name in documents) + _examples(seeds)


def _counts(documents: list[str], seeds: dict[str, Any]) -> str:
    text = f"| Document | Statements | {' | '.join(HOLDERS.values())} |\n|---|---|{'---|' * len(HOLDERS)}\n"
    for name in (*documents, None):
        counts = Counter(
            holder(statement) for statement in seeds["statements"] if name in (statement["document"], None)
        )
        numbers = " | ".join(str(counts[kind]) for kind in HOLDERS)
        text += f"| {f'`{name}`' if name else 'All'} | {counts.total()} | {numbers} |\n"
    return text


def _table(name: str, seeds: dict[str, Any]) -> str:
    text = f"\n## {name}\n\n| Line | It says | Held by |\n|---|---|---|\n"
    for statement in seeds["statements"]:
        if statement["document"] == name:
            text += f"| {statement['line']} | {_cell(statement['says'])} | {_cell(_holder_text(statement))} |\n"
    return text


def _holder_text(statement: dict[str, Any]) -> str:
    kind = holder(statement)
    if kind == "superseded":
        official = statement[kind]
        return f"superseded: {official['instead']} ([source]({official['url']}))"
    if kind == "open":
        return f"open: {statement[kind]}"
    return ", ".join(f"`{name}`" for name in statement[kind])


def _examples(seeds: dict[str, Any]) -> str:
    rows = "".join(
        f"| {example['document']}:{example['line']} | {_file(example.get('golden', example.get('like')))} | "
        f"{_cell(example.get('explained', ''))} |\n"
        for example in seeds["examples"]
    )
    count = sum("golden" in example for example in seeds["examples"])
    return (
        f"\n## The examples\n\nGoldens have {count} of {len(seeds['examples'])} JSON examples, except for ids and "
        "models. The others name the nearest\ngolden, and how it differs.\n\n"
        f"| Example | Golden | Why not |\n|---|---|---|\n{rows}"
    )


def _file(path: str) -> str:
    return f"[{path}](../corpus/{path})"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(load()), encoding="utf-8")
    print(f"{PAGE} is written")


if __name__ == "__main__":
    main()
