"""The texts of failing items for pytest's terminal."""

from __future__ import annotations

import itertools
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.visible_text import shorten, visible
from toolcall_conformance.checks import ItemResult
from toolcall_conformance.engine.output.printing import LineWriter, write_lines
from toolcall_conformance.engine.output.sanitizer import MAX_TEXT, MAX_TRACEBACK, sanitize
from toolcall_conformance.engine.settings import relative
from toolcall_conformance.reports.text.failure import Line, ReportedItem, describe
from toolcall_conformance.trust.fuzz.cases import AllGenerated

if TYPE_CHECKING:
    from toolcall_conformance.engine.client_reactions import ClientReaction
    from toolcall_conformance.engine.items.plan import PlannedItem
    from toolcall_conformance.engine.run import Run


class FailedItem(Protocol):
    """The attributes of an item that its failure text needs."""

    planned: PlannedItem
    run: Run
    client_reactions: tuple[ClientReaction, ...]
    files: Path | None

    @property
    def nodeid(self) -> str: ...


@dataclass(eq=False)
class CrashLine:
    """The line that pytest shows in its short summary."""

    path: str
    lineno: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.lineno}: {self.message}"


@dataclass(eq=False)
class FailureText:
    """The text of a failure for pytest's ``repr_failure``: ``lines`` are shown; ``all_lines`` if those are cut."""

    lines: list[Line]
    reprcrash: CrashLine
    all_lines: list[Line] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n".join(line.text for line in self.lines)

    def toterminal(self, tw: LineWriter) -> None:
        """Write the text; pytest calls this with its terminal writer."""
        write_lines(tw, self.lines)

    @classmethod
    def of(cls, lines: Sequence[Line], reprcrash: CrashLine) -> Self:
        """Sanitize lines, and cut the middle of a long text."""
        all_lines = [Line(visible(shorten(line.text)), line.kind) for line in lines]
        excerpt = _cut_middle(all_lines)
        return cls(excerpt, reprcrash, [] if excerpt is all_lines else all_lines)


# Characters for the line that says how many are left out.
_NOTICE_ROOM = 100


def _cut_middle(lines: list[Line]) -> list[Line]:
    ends = list(itertools.accumulate(len(line.text) + 1 for line in lines))
    if not lines or ends[-1] <= MAX_TEXT:
        return lines
    half = (MAX_TEXT - _NOTICE_ROOM) // 2
    first = sum(end <= half for end in ends)
    last = sum(end > ends[-1] - half for end in ends)
    notice = f"    … {len(lines) - first - last} lines are left out; findings.txt among the item's files has all"
    return [*lines[:first], Line(notice), *lines[-last:]]


def failed_item_text(item: FailedItem, result: ItemResult) -> FailureText:
    """Why an item failed: its findings, and the translator's traceback if it raised."""
    planned, run = item.planned, item.run
    failing = run.failing_findings(result)
    subject = ReportedItem(
        case=planned.case.id,
        check=planned.check,
        client=planned.route.client,
        upstream=planned.route.upstream,
        variant=planned.variant,
        exchanges=len(planned.case.exchanges(planned.route.client)),
        command=run.settings.rerun_command(item.nodeid),
        folder=None if item.files is None else relative(item.files, run.settings.directory),
        left_out=result.left_out,
        client_notes=[body.sentence for body in item.client_reactions],
    )

    def known(finding: Finding) -> str | None:
        return run.known_reason(item.nodeid, finding)

    lines = describe(subject, result.findings, run.corpus, failing=failing, known_reason=known)
    standings = [run.known_status(item.nodeid, finding) for finding in failing]
    notes = dict.fromkeys(status.text for status in standings if status.text and not status.is_known)
    lines += [Line(f"    note  {sentence}", "SHOULD") for sentence in notes]
    if result.traceback:
        lines += [Line(""), *(Line(line) for line in traceback_excerpt(result).split("\n"))]
    if isinstance(planned.case, AllGenerated):
        lines += [Line(f"  {line}") for line in result.reason.split("\n")]
    rules = dict.fromkeys(finding.rule for finding in failing if known(finding) is None)
    return FailureText.of(lines, CrashLine(visible(str(item.planned.case.file)), 1, visible(", ".join(rules))))


def traceback_excerpt(result: ItemResult) -> str:
    """The translator's traceback, without its middle if it is long; the item's files have the whole."""
    return sanitize(result.traceback, MAX_TRACEBACK)


def harness_error_text(item: FailedItem, fault: Exception) -> FailureText:
    """The text of an error of this package: its place, and what to do."""
    frames = traceback.extract_tb(fault.__cause__.__traceback__ if fault.__cause__ else None)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    lines = [
        Line(f"toolcall-conformance itself failed on this item: {fault}{where}", "MUST"),
        Line("This is no statement about the translator. Please report it with the output of the next command."),
        Line(f"  again {item.run.settings.rerun_command(item.nodeid)} --full-trace"),
    ]
    return FailureText.of(
        lines, CrashLine(visible(str(item.planned.case.file)), 1, visible(f"the harness failed: {fault}"))
    )
