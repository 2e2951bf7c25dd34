"""Prints our summary at the end of a run, in place of pytest's texts of our failures."""

from __future__ import annotations

import os
import shutil
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.engine import translator_comparison
from toolcall_conformance.engine.items.selection import PREFIX
from toolcall_conformance.engine.output.printing import print_annotation, print_line, print_pieces, print_title
from toolcall_conformance.engine.output.sanitizer import cut_captured
from toolcall_conformance.engine.settings import relative
from toolcall_conformance.reports.text import github, terminal
from toolcall_conformance.reports.text.blocks import WIDTH
from toolcall_conformance.trust.fuzz.cases import CHECK as DRAWN

if TYPE_CHECKING:
    from toolcall_conformance.engine.record_collector import RecordCollector
    from toolcall_conformance.engine.run import Run
    from toolcall_conformance.recording.cassettes.cases import Cassettes
    from toolcall_conformance.reports.item_record import ItemRecord

# Longer lines are hard to read.
_MAX_WIDTH = 120
# What pytest lists unless -r says otherwise.
_DEFAULT_REPORT_CHARS = "fE"
# The outcomes whose texts it can print, in its order.
_TEXT_OUTCOMES = ("error", "failed", "passed", "xpassed", "xfailed", "unstable")


def _is_ours(report: Any) -> bool:
    """Whether a report, of a failure or a warning, is of one of our items."""
    return (report.nodeid or "").startswith(f"{PREFIX}::")


def _comparison_lines(run: Run, items: Sequence[ItemRecord], *, everything: bool) -> Iterator[str]:
    """The lines on generated conversations, and on differences from another translator."""
    yield from dict.fromkeys(item.reason.partition("\n")[0] for item in items if item.check == DRAWN and item.reason)
    if run.other_run is not None:
        yield from translator_comparison.difference_lines(
            run.selected, run.other_run.driver, run.other_run.support, items, everything=everything
        )


def _width(terminalreporter: pytest.TerminalReporter) -> int:
    """The width of the summary: that of the terminal within limits; in pipes and files a fixed one."""
    if not terminalreporter.isatty:
        return WIDTH
    return min(max(shutil.get_terminal_size((WIDTH, 24)).columns, WIDTH), _MAX_WIDTH)


def drift_lines(cassettes: Cassettes, items: Sequence[ItemRecord], *, everything: bool) -> Iterator[str]:
    """A line for each host that is not the provider's own and drifts; with ``everything`` one a difference, too."""
    replies: Counter[str] = Counter()
    differing: Counter[str] = Counter()
    signatures: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for item in items:
        case = cassettes.cases.get(item.case)
        if case is None or item.check != "drift" or case.recorded.official:
            continue
        host = case.recorded.host or "no host"
        item_signatures = {finding["signature"] for finding in item.findings}
        replies[host] += 1
        differing[host] += bool(item_signatures)
        signatures[host].update(item_signatures)
    for host, count in differing.items():
        if not count:
            continue
        more = ":" if everything else "; -v lists how"
        drift = "drifts" if count == 1 else "drift"
        yield f"toolcall: note: {count} of {replies[host]} replies of {host} {drift}{more}"
        if everything:
            yield from (f"  {times:>3} × {signature}" for signature, times in signatures[host].most_common())


class TerminalSummary:
    """Prints the summary of the collected records, and hides our failures from pytest's own sections."""

    def __init__(self, collector: RecordCollector) -> None:
        self.collector = collector
        self.config = collector.config
        self._stats: dict[str, list[Any]] = {}
        self._is_reported = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generator[None]:
        """Wrap pytest's sections: first it prints the texts of failures, after all hooks the list of them."""
        # pytest 9 calls this hook despite --no-summary.
        if self.collector.run_record is None or self.config.option.no_summary:
            yield
            return
        self._stats = {name: terminalreporter.stats.get(name, []) for name in ("failed", "warnings")}
        verbose, alone = self.config.get_verbosity() > 0, len(self.collector.expected) == 1
        has_failures = any(report.nodeid in self.collector.expected for report in self._stats["failed"])
        self._is_reported = alone and has_failures and self.config.option.tbstyle != "no"
        cut_captured(
            report for name in _TEXT_OUTCOMES for report in terminalreporter.stats.get(name, ()) if _is_ours(report)
        )
        self._filter_stats(terminalreporter, "failed", ours=verbose or alone)
        self._filter_stats(terminalreporter, "warnings", ours=verbose)
        try:
            yield
        finally:
            for name, reports in self._stats.items():
                if reports:
                    terminalreporter.stats[name] = reports  # its last line counts them
        self._print_summary(terminalreporter)

    @pytest.hookimpl(trylast=True, specname="pytest_terminal_summary")
    def pytest_toolcall_between(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Run between pytest's texts of failures and its list of them."""
        self._filter_stats(terminalreporter, "failed", ours=self.config.option.reportchars != _DEFAULT_REPORT_CHARS)

    def _filter_stats(self, terminalreporter: pytest.TerminalReporter, name: str, *, ours: bool) -> None:
        """Let pytest's next section see the reports of the user's own tests, and ours if ``ours``."""
        if self._stats.get(name):
            reports = [report for report in self._stats[name] if ours or not _is_ours(report)]
            terminalreporter.stats[name] = reports

    def _print_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        collector, run = self.collector, self.collector.run
        assert collector.run_record is not None
        verbosity = self.config.get_verbosity()
        if verbosity >= -1:
            print_title(terminalreporter, "toolcall conformance")
            width = _width(terminalreporter)
            detail = terminal.Detail(verbosity)
            for pieces in terminal.summary_lines(
                collector.run_record,
                run.rules,
                run.settings.rerun_command,
                detail=detail,
                is_reported=self._is_reported,
                width=width,
            ):
                print_pieces(terminalreporter, pieces)
            self._print_recordings(terminalreporter, everything=verbosity > 0)
            for line in _comparison_lines(run, collector.run_record.items, everything=verbosity > 0):
                print_line(terminalreporter, f"toolcall: {line}")
            ours = sum(map(_is_ours, self._stats.get("warnings", ())))
            if ours and verbosity <= 0:
                print_line(
                    terminalreporter,
                    f"toolcall: the translator's code gave {pluralize(ours, 'warning')}; -v shows them",
                )
            for path in collector.written_reports:
                print_line(terminalreporter, f"toolcall: the report is {relative(path, run.settings.directory)}")
            for pieces in terminal.conclusion_lines(
                collector.run_record, run.rules, is_reported=self._is_reported, width=width
            ):
                print_pieces(terminalreporter, pieces)
        if os.environ.get("GITHUB_ACTIONS") == "true":
            for line in github.annotation_lines(collector.run_record, run.rules):
                print_annotation(terminalreporter, line)

    def _print_recordings(self, terminalreporter: pytest.TerminalReporter, *, everything: bool) -> None:
        """Print the summaries of the cassettes and of the pairs of golden files."""
        collector, run = self.collector, self.collector.run
        if run.cassettes is not None and collector.run_record is not None:
            print_line(terminalreporter, f"toolcall: {run.cassettes.summary}")
            for sentence in run.cassettes.damaged:
                print_line(terminalreporter, f"toolcall: damaged: {sentence}", "SHOULD")
            for line in drift_lines(run.cassettes, collector.run_record.items, everything=everything):
                print_line(terminalreporter, line)
        for sentence in () if run.pairs is None else (run.pairs.summary, *run.pairs.warnings):
            print_line(terminalreporter, f"toolcall: {sentence}")
