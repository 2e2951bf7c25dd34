"""Writes the tables of `docs/clients.md`."""

from __future__ import annotations

import datetime as dt
import re
import textwrap
from collections.abc import Iterable
from pathlib import Path

from clients.catalogue import CLIENTS
from clients.client_runs import FORMATS, Played, count
from clients.comply import ComplianceResult
from clients.installing import COMPLY, versions
from clients.open_responses import SCRIPT, applies

PAGE = Path(__file__).resolve().parents[2] / "docs/clients.md"
_TABLES = re.compile(
    r"(?<=<!-- tables: made by python tests clients --write -->\n).*?(?=<!-- end of tables -->)", re.DOTALL
)


def write(played: list[Played], complied: list[ComplianceResult], opened: list[ComplianceResult]) -> None:
    """Put the tables of a run into the page."""
    text = PAGE.read_text(encoding="utf-8")
    content = "\n".join([*tables(played, complied), *_compliance_lines(opened)])
    PAGE.write_text(_TABLES.sub(lambda _: f"\n{content}\n", text), encoding="utf-8")


def tables(played: list[Played], complied: list[ComplianceResult]) -> Iterable[str]:
    """The lines of the tables."""
    version = versions()
    yield f"Run on {dt.datetime.now(dt.UTC):%d %B %Y}."
    yield ""
    yield "| Client | Its format | " + " | ".join(FORMATS) + " |"
    yield "|---" * (len(FORMATS) + 2) + "|"
    for name in dict.fromkeys(result.client for result in played):
        client, by_upstream = CLIENTS[name], {result.upstream: result for result in played if result.client == name}
        cells = [_cell(by_upstream[each]) if each in by_upstream else "" for each in FORMATS]
        yield f"| `{client.package}` {version[client.package]} | {client.format} | " + " | ".join(cells) + " |"
    yield ""
    yield f"`{COMPLY}` {version[COMPLY]}, tests passed:"
    yield ""
    yield "| Format | " + " | ".join(FORMATS) + " |"
    yield "|---" * (len(FORMATS) + 1) + "|"
    for name in dict.fromkeys(result.client for result in complied):
        passed = {result.upstream: result for result in complied if result.client == name}
        yield (
            f"| {name} | " + " | ".join(_result_cell(passed[each]) if each in passed else "" for each in FORMATS) + " |"
        )
    yield ""
    yield from _errors(complied)


def _compliance_lines(opened: list[ComplianceResult]) -> Iterable[str]:
    """What the tests of Open Responses say, before each provider."""
    if not opened:
        return
    yield ""
    yield f"`{SCRIPT}` of Open Responses, tests passed of those that apply:"
    yield ""
    for result in opened:
        fitting = [name for name in result.tests if applies(name)]
        passed = [name for name in result.passed if applies(name)]
        yield f"- {result.upstream}: {len(passed)} of {len(fitting)}; there are {len(result.tests)}."


def _cell(result: Played) -> str:
    words = ["completed" if result.completed else "not completed"]
    words += [f"lost {each}" for each in result.lost]
    words += [f"{level} `{rule}`" for level in ("MUST", "SHOULD") for rule in sorted(result.count(level))]
    return "; ".join(words)


def _result_cell(result: ComplianceResult) -> str:
    musts = sorted(count(result.findings, "MUST"))
    return "; ".join(
        [f"{len(result.tests) - len(result.failed)} of {len(result.tests)}", *(f"MUST `{each}`" for each in musts)]
    )


def _errors(complied: list[ComplianceResult]) -> Iterable[str]:
    """What the tests that fail miss, by format."""
    for name in dict.fromkeys(result.client for result in complied):
        errors = {
            error for result in complied if result.client == name for each in result.failed.values() for error in each
        }
        missing = sorted({match[1] for each in errors if (match := re.search(r"'(\w+)' is a required property", each))})
        others = sorted({each[:90] for each in errors if "is a required property" not in each})
        if missing:
            yield from textwrap.wrap(
                f"- {name}: its schema wants " + ", ".join(f"`{each}`" for each in missing) + ".",
                width=120,
                subsequent_indent="  ",
            )
        yield from (f"- {name}: `{each}`." for each in others)
