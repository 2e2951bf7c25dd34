"""``toolcall-conformance diff``: what changed from one report to another, and whether anything fails newly."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from toolcall_conformance.cli.console import say_json, say_lines
from toolcall_conformance.cli.parser import CommandParser
from toolcall_conformance.cli.reports.merge import verify_versions
from toolcall_conformance.cli.settings import add_corpus, load_named_corpus
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.changes import difference, rendering
from toolcall_conformance.reports.run_record import run_from_report
from toolcall_conformance.reports.writers import json_report

# As of diff(1): 1 is a difference, 2 is trouble.
USAGE = 2


def add_arguments(parser: CommandParser) -> None:
    parser.description = (
        "Compares two reports in JSON, cause by cause. Separates causes that are new because the translator "
        "changed from those that are new because the suite changed. Exits with 0 if there is no new failure, "
        "with 1 if there is one, and with 2 for wrong usage. What only becomes visible, because a crash or a blocked "
        "call hid it, is no new failure."
    )
    parser.add_argument("old", metavar="OLD.json", type=Path, help="the earlier report")
    parser.add_argument("new", metavar="NEW.json", type=Path, help="the later report")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--md", action="store_true", help="print Markdown, for a pull request")
    kinds.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--all", action="store_true", help="print every cause, not the first ten of each kind")
    parser.add_argument(
        "--ignore-suite",
        action="store_true",
        help="exit with 0, too, if every new failure can only be due to the suite",
    )
    add_corpus(parser)
    parser.code = USAGE
    parser.set_defaults(run=run, usage=USAGE)


def run(parsed: argparse.Namespace) -> int:
    """Print the difference; 1 if something fails newly."""
    corpus = load_named_corpus(parsed)
    harm = Harm.of(corpus)
    documents = {str(path): json_report.read(path) for path in (parsed.old, parsed.new)}
    verify_versions(documents, corpus)
    old, new = (run_from_report(documents[str(path)], harm) for path in (parsed.old, parsed.new))
    comparison = difference.compare_runs(old, new, corpus)
    if parsed.json:
        say_json(json.dumps(rendering.json_document(comparison), indent=1, ensure_ascii=True))
    elif parsed.md:
        say_lines(rendering.markdown_text(comparison, corpus.rules).removesuffix("\n"))
    else:
        say_lines("\n".join(rendering.text_lines(comparison, corpus.rules, everything=parsed.all)))
    return comparison.exit_code(ignore_suite=parsed.ignore_suite)
