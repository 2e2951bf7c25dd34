"""``toolcall-conformance badge``: a report as a badge."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from toolcall_conformance.cli.console import say
from toolcall_conformance.cli.parser import UsageError
from toolcall_conformance.reports.files import write_text
from toolcall_conformance.reports.text.badge import Badge
from toolcall_conformance.reports.writers import json_report

_KINDS = {".svg": Badge.svg, ".json": Badge.endpoint}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Writes how many of the judged items passed. A name that ends in .svg becomes a picture, one that "
        "ends in .json the answer of an endpoint for shields.io."
    )
    parser.add_argument("report", metavar="REPORT.json", type=Path, help="the report in JSON")
    parser.add_argument("badges", metavar="BADGE", type=Path, nargs="+", help="badge.svg, badge.json")
    parser.add_argument("--label", default="tool calls", help="the left half (default: tool calls)")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Write the badges and print their sentence."""
    for path in parsed.badges:
        if path.suffix.lower() not in _KINDS:
            raise UsageError(f"a badge cannot be named {path.name}; end its name in {' or '.join(_KINDS)}")
        if os.path.realpath(path) == os.path.realpath(parsed.report):
            raise UsageError(f"{path} is the report itself; give the badge another name")
    badge = Badge.of(json_report.read(parsed.report), parsed.label)
    for path in parsed.badges:
        write_text(path, _KINDS[path.suffix.lower()](badge), "badge")
    say(badge.sentence)
    return 0
