"""The texts of failing items for pytest's terminal."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from _pytest._code.code import TerminalRepr  # pytest has no public name for what repr_failure may return

from toolcall_conformance.checks import ItemResult
from toolcall_conformance.engine.crossing import fit
from toolcall_conformance.engine.settings import relative
from toolcall_conformance.findings import Finding
from toolcall_conformance.reports.failure import Line, ReportedItem, describe

if TYPE_CHECKING:
    from _pytest._io import TerminalWriter

    from toolcall_conformance.engine.nodes import ConformanceItem, HarnessError

_MARKUP = {
    "head": {"bold": True},
    "MUST": {"red": True, "bold": True},
    "SHOULD": {"yellow": True, "bold": True},
    "NOTE": {"cyan": True},
    "": {},
}


@dataclass(eq=False)
class Crash:
    """The line that pytest shows in its short summary."""

    path: str
    lineno: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.lineno}: {self.message}"


@dataclass(eq=False)
class FailureText(TerminalRepr):
    """Lines with a little colour."""

    lines: list[Line]
    reprcrash: Crash

    def __str__(self) -> str:
        return "\n".join(line.text for line in self.lines)

    def toterminal(self, tw: TerminalWriter) -> None:
        for line in self.lines:
            tw.line(line.text, **_MARKUP[line.kind])


def item_text(item: ConformanceItem, result: ItemResult) -> FailureText:
    """Why an item failed: its findings, and the translator's own traceback if it raised."""
    planned, run = item.planned, item.run
    failing = run.failing(result)
    subject = ReportedItem(
        case=planned.case.id,
        check=planned.check,
        client=planned.route.client,
        upstream=planned.route.upstream,
        variant=planned.variant,
        exchanges=len(planned.case.exchanges(planned.route.client)),
        again=run.settings.again(item.nodeid),
        files=None if item.files is None else relative(item.files, run.settings.directory),
        left_out=result.left_out,
        witnessed=[one.sentence for one in item.witnessed],
    )

    def known(finding: Finding) -> str | None:
        return run.known_reason(item.nodeid, finding)

    lines = describe(subject, result.findings, run.rules, failing=failing, known=known)
    standings = [run.standing(item.nodeid, one) for one in failing]
    told = dict.fromkeys(one.text for one in standings if one.text and not one.is_known)
    lines += [Line(f"    note  {sentence}", "SHOULD") for sentence in told]
    if result.traceback:
        lines += [Line(""), *(Line(line) for line in shown_traceback(result).splitlines())]
    rules = dict.fromkeys(finding.rule for finding in failing if known(finding) is None)
    return FailureText(lines, Crash(str(item.path), 1, ", ".join(rules)))


def shown_traceback(result: ItemResult) -> str:
    """The translator's own traceback, without the middle of a long one; the whole is among the item's files."""
    return fit(result.traceback)


def fault_text(item: ConformanceItem, fault: HarnessError) -> FailureText:
    """An error of this package: its place without a traceback, and what to do."""
    frames = traceback.extract_tb(fault.__cause__.__traceback__ if fault.__cause__ else None)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    lines = [
        Line(f"toolcall-conformance itself failed on this item: {_printable(str(fault))}{where}", "MUST"),
        Line("This says nothing about the translator. Please report it with the output of the next command."),
        Line(f"  again {item.run.settings.again(item.nodeid)} --full-trace"),
    ]
    return FailureText(lines, Crash(str(item.path), 1, f"the harness failed: {_printable(str(fault))}"))


def _printable(text: str) -> str:
    """Escape what terminals and worker channels cannot encode."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
