"""``toolcall-conformance judge``: judge a captured pair of bodies without any adapter."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from toolcall_conformance.cli.common import UsageError, perhaps
from toolcall_conformance.findings import Level, worst
from toolcall_conformance.jsonvalue import JSONError, parse
from toolcall_conformance.library import load_corpus
from toolcall_conformance.reports.failure import Subject, describe
from toolcall_conformance.reports.model import finding_json

_COLOURS = {"head": "1", "MUST": "31;1", "SHOULD": "33;1", "NOTE": "36"}


def add_parser(commands: argparse._SubParsersAction[Any]) -> None:
    parser = commands.add_parser(
        "judge",
        help="judge a captured body and its translation",
        description="Judge what a translator made of a body. Exits with 1 if a MUST rule is violated.",
    )
    parser.add_argument("source", metavar="SOURCE.json", help="the body that the translator was given; - reads stdin")
    parser.add_argument("output", metavar="OUTPUT.json", help="the body that it made of it; - reads stdin")
    parser.add_argument("--client", required=True, metavar="FORMAT", help="the format that the caller speaks")
    parser.add_argument("--upstream", required=True, metavar="FORMAT", help="the format that the provider speaks")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--response",
        action="store_true",
        help="the bodies are replies: SOURCE in the upstream's format, OUTPUT in the client's",
    )
    kind.add_argument(
        "--error",
        action="store_true",
        help='the same for errors, both as {"status": 429, "headers": {…}, "body": {…}}; headers may be left out',
    )
    parser.add_argument("--client-model", metavar="MODEL", help="the model that the caller named")
    parser.add_argument(
        "--upstream-model", metavar="MODEL", help="the model that the request goes to, if not in its body"
    )
    parser.add_argument("--strict", action="store_true", help="exit with 1 for a SHOULD finding as well")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Print the findings; 1 if one of them fails the pair."""
    from toolcall_conformance.judge import judge

    corpus = load_corpus()
    for name in (parsed.client, parsed.upstream):
        if name not in corpus.formats:
            raise UsageError(f"there is no format {name!r}{perhaps(name, corpus.formats)}")
    if parsed.source == parsed.output == "-":
        raise UsageError("only one of the two bodies can come from stdin")
    direction = "error" if parsed.error else "response" if parsed.response else "request"
    source, output = _read(parsed.source), _read(parsed.output)
    if parsed.error:
        for name, value in ((parsed.source, source), (parsed.output, output)):
            _verify_error(name, value)
    findings = judge(
        source,
        output,
        client=parsed.client,
        upstream=parsed.upstream,
        direction=direction,
        client_model=parsed.client_model,
        upstream_model=parsed.upstream_model,
        captured=True,
        corpus=corpus,
    )
    gravest = worst(findings)
    failed = gravest is Level.MUST or (parsed.strict and gravest is Level.SHOULD)
    if parsed.json:
        verdict = "fail" if failed else "warn" if gravest is Level.SHOULD else "pass"
        told = {
            "verdict": verdict,
            "findings": [finding_json(finding, limit=None) for finding in findings],
            "losses": [asdict(loss) for loss in findings.losses],
        }
        print(json.dumps(told, indent=1))
    else:
        subject = Subject(parsed.output, direction, parsed.client, parsed.upstream, exchanges=1)
        for line in describe(subject, findings, corpus.rules, failing=findings, known={}):
            print(_coloured(line.text, line.kind))
        if findings.losses:
            print(f"lost, as it may be: {', '.join(f'{loss.element} ({loss.count})' for loss in findings.losses)}")
            print(f"    see   toolcall-conformance losses {parsed.client}-to-{parsed.upstream}")
        print(_verdict(len(findings), gravest))
    return 1 if failed else 0


def _read(name: str) -> Any:
    try:
        return parse(sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes())
    except OSError as error:
        raise UsageError(f"{name}: cannot be read ({error.strerror})") from None
    except JSONError as error:
        raise UsageError(f"{'stdin' if name == '-' else name}: not JSON: {error}") from None


def _verify_error(name: str, value: Any) -> None:
    """An error is more than its body: without the HTTP status there is nothing to judge."""
    if not isinstance(value, dict) or not {"status", "body"} <= value.keys():
        shape = '{"status": 429, "body": {…}}'
        raise UsageError(f"{'stdin' if name == '-' else name}: an error is given as {shape}, the HTTP status beside it")


def _verdict(count: int, gravest: Level | None) -> str:
    if gravest is None:
        return "no findings"
    return f"{count} finding{'s' if count != 1 else ''}, the gravest at level {gravest}"


def _coloured(text: str, kind: str) -> str:
    plain = not sys.stdout.isatty() or bool(os.environ.get("NO_COLOR"))
    return text if plain or kind not in _COLOURS else f"\x1b[{_COLOURS[kind]}m{text}\x1b[0m"
