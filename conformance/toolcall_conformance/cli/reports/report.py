"""``toolcall-conformance report``: another kind of report, made of a stored one."""

from __future__ import annotations

import argparse
from pathlib import Path

from toolcall_conformance.cli.console import say
from toolcall_conformance.cli.parser import UsageError
from toolcall_conformance.cli.settings import add_corpus, load_named_corpus
from toolcall_conformance.reports import files, writers
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.run_record import run_from_report
from toolcall_conformance.reports.writers import json_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Make another kind of report of one that --toolcall-report wrote as JSON; nothing is run."
    parser.add_argument("file", metavar="FILE.json", type=Path, help="the report to read")
    ends = ", ".join(writers.writers_by_suffix())
    parser.add_argument("out", metavar="OUT", type=Path, help=f"the report to write; its name ends in {ends}")
    add_corpus(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Read the one and write the other."""
    corpus = load_named_corpus(parsed)
    try:
        files.verify_writable(parsed.out)
        report = json_report.read(parsed.file)
        files.write(run_from_report(report, Harm.of(corpus)), parsed.out, corpus)
    except files.ReportError as error:
        raise UsageError(str(error).removeprefix("--toolcall-report: ")) from None
    say(f"the report is {parsed.out}")
    return 0
