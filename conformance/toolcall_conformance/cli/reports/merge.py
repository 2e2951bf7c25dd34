"""``toolcall-conformance merge``: the reports of a run's parts as one, of any kind."""

from __future__ import annotations

import argparse
from pathlib import Path

from toolcall_conformance.checks import CHECKS, VARIANTS_BY_CHECK
from toolcall_conformance.cli.console import say
from toolcall_conformance.cli.parser import UsageError
from toolcall_conformance.cli.settings import add_corpus, load_named_corpus
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports import files, merge
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.writers import json_report

_OPTION = "--output"
# Those of recordings come before those that need a translator.
_CHECKS = ("wire", "drift", *CHECKS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Reads reports in JSON and writes what a run of all their items would have written. Reports of "
        "different translators, suites or policies are refused. The end of an output's name chooses its kind, as for "
        "pytest --toolcall-report."
    )
    parser.add_argument("reports", metavar="REPORT.json", nargs="+", type=Path, help="the reports of the parts")
    parser.add_argument(
        "-o",
        _OPTION,
        metavar="FILE",
        type=Path,
        action="append",
        required=True,
        help="where to write the whole; may be given several times",
    )
    add_corpus(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Read the parts, write the whole, and say what it holds."""
    for path in parsed.output:
        files.verify_writable(path, _OPTION)
    names = [str(path) for path in parsed.reports]
    if len(set(names)) < len(names):
        raise UsageError(f"{next(name for name in names if names.count(name) > 1)} is named twice")
    corpus = load_named_corpus(parsed)
    documents = {name: json_report.read(Path(name)) for name in names}
    verify_versions(documents, corpus)
    order = merge.nodeid_order(_CHECKS, VARIANTS_BY_CHECK, corpus.formats)
    merged = merge.merge_reports(documents, Harm.of(corpus), order)
    for path in parsed.output:
        files.write(merged, path, corpus, _OPTION)
    for line in (*merge.summary_lines(merged, len(names)), *(f"the report is {path}" for path in parsed.output)):
        say(line)
    return 0


def verify_versions(documents: merge.Documents, corpus: Corpus) -> None:
    """Print a note where another corpus wrote a report: this corpus then groups its causes."""
    others = {str(document["corpus"]["version"]) for document in documents.values()} - {corpus.version}
    if others:
        note = f"note: corpus {', '.join(sorted(others))} judged, and {corpus.version} groups the causes"
        say(note, error=True)
