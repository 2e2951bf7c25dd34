"""What ``judge`` prints of a judgement: its findings and losses, and what the user asked for in addition.

That is the accepted differences (``--tolerated``), the places that differ from a golden file (``--diff``), and what the
official client does with the output (``--witness``).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import (
    MISSING,
    Finding,
    Judgement,
    Tolerated,
    Verdict,
    verdict_of,
    worst_level,
)
from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.cli.console import say, say_json
from toolcall_conformance.cli.judge import input_files
from toolcall_conformance.cli.parser import UsageError
from toolcall_conformance.judge.bodies import find_golden_differences
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.item_record import finding_json
from toolcall_conformance.reports.text.failure import ReportedItem, describe, short_value

if TYPE_CHECKING:
    from toolcall_conformance.basics.reading import Reading
    from toolcall_conformance.trust.witnesses import ClientResult

_MAX_LENGTH = 60


@dataclass(frozen=True)
class Details:
    """What is printed of a judgement in addition to its findings. ``event_of`` gives the event's number in a stream."""

    notes: Sequence[str] = ()
    event_of: Callable[[Finding], int | None] = lambda _: None
    client_result: ClientResult | None = None
    differences: Sequence[str] = ()


def report(
    parsed: argparse.Namespace, corpus: Corpus, subject: ReportedItem, judgement: Judgement, details: Details
) -> int:
    """Print a judgement, as text or JSON, and return the exit code: 1 if a finding fails the pair."""
    verdict = verdict_of(judgement.findings, strict=parsed.strict)
    if parsed.json:
        say_json(json.dumps(_document(parsed, judgement, details), indent=1))
    else:
        _print(parsed, corpus, subject, judgement, details)
    return 1 if verdict is Verdict.FAIL else 0


def _document(parsed: argparse.Namespace, judgement: Judgement, details: Details) -> dict[str, Any]:
    findings = [finding_json(finding, limit=None) for finding in judgement.findings]
    for plain, finding in zip(findings, judgement.findings, strict=True):
        if (number := details.event_of(finding)) is not None:
            plain["event"] = number
    verdict = verdict_of(judgement.findings, strict=parsed.strict)
    document: dict[str, Any] = {
        "verdict": verdict,
        "findings": findings,
        "losses": [asdict(loss) for loss in judgement.losses],
    }
    if parsed.tolerated:
        document["tolerated"] = tolerated_json(judgement.tolerated)
    if details.client_result is not None:
        document["witness"] = asdict(details.client_result)
    document |= {key: [*lines] for key, lines in (("diff", details.differences), ("notes", details.notes)) if lines}
    return document


def _print(
    parsed: argparse.Namespace, corpus: Corpus, subject: ReportedItem, judgement: Judgement, details: Details
) -> None:
    findings = judgement.findings
    for note in details.notes:
        say(f"note: {note}")
    for line in describe(subject, findings, corpus, failing=findings, known_reason=lambda _: None):
        say((line.text, line.kind))
    if details.client_result is not None:
        say(f"    {details.client_result.sentence}")
    if judgement.losses:
        say(f"permitted losses: {', '.join(f'{loss.element} ({loss.count})' for loss in judgement.losses)}")
        say(f"    see   toolcall-conformance losses {parsed.client}-to-{parsed.upstream}")
    for text in (*(tolerated_lines(judgement.tolerated) if parsed.tolerated else ()), *details.differences):
        say(text)
    say(_verdict(len(findings), worst_level(findings)))


def _verdict(count: int, gravest: str | None) -> str:
    if gravest is None:
        return "no findings"
    return f"{count} finding{'s' if count != 1 else ''}, the gravest at level {gravest}"


def tolerated_lines(tolerated: Iterable[Tolerated]) -> Iterator[str]:
    """The accepted differences, a line each, by name."""
    tolerances = sorted(tolerated, key=lambda tolerance: tolerance.name)
    yield f"tolerated: {len(tolerances) or 'nothing'}"
    width = max((len(tolerance.name) for tolerance in tolerances), default=0)
    for tolerance in tolerances:
        source = "" if tolerance.source_pointer is None else f"  (source {tolerance.source_pointer or 'as a whole'})"
        yield f"    {tolerance.name:<{width}}  {tolerance.pointer or 'absent'}{source}{_values(tolerance)}"
    if tolerances:
        yield "    see   toolcall-conformance explain NAME"


def _values(tolerance: Tolerated) -> str:
    if tolerance.want is MISSING and tolerance.got is MISSING:
        return ""
    return f": {_short(tolerance.want)} → {_short(tolerance.got)}"


def _short(value: Any) -> str:
    text = " ".join(short_value(value).split())
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}…"


def tolerated_json(tolerated: Iterable[Tolerated]) -> list[dict[str, Any]]:
    """The accepted differences as JSON; values that are absent are left out."""
    return [
        {"name": tolerance.name, "pointer": tolerance.pointer, "source_pointer": tolerance.source_pointer}
        | {key: value for key, value in (("want", tolerance.want), ("got", tolerance.got)) if value is not MISSING}
        for tolerance in tolerated
    ]


def add_diff_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--diff",
        metavar="GOLDEN",
        help="also print where OUTPUT differs from GOLDEN, a body of its format: by path, without accepted differences",
    )


def difference_lines(parsed: argparse.Namespace, corpus: Corpus, direction: str, output: Any) -> Iterator[str]:
    """The differences, a line each. Raises UsageError where the golden cannot be read."""
    if direction == "error" or parsed.stream:
        raise UsageError("--diff compares requests and whole replies; leave it out for errors and streams")
    name = parsed.client if direction == "response" or parsed.output is None else parsed.upstream
    differences = find_golden_differences(corpus, name, direction, input_files.body(parsed.diff, corpus), output)
    where = f"in {pluralize(len(differences), 'place')}" if differences else "in nothing that counts"
    yield f"differs from {parsed.diff}: {where}"
    yield from (f"    {difference}" for difference in differences)


def client_result(parsed: argparse.Namespace, direction: str, output: Any, source: Any = None) -> ClientResult | None:
    """What the official client does with the output, compared with the source; None without ``--witness``.

    Without a source the output is a body of the format that ``--client`` names. Raises UsageError.
    """
    if parsed.witness is None or not parsed.witness.value:
        return None
    from toolcall_conformance.trust.witnesses import MissingSDKError, witness

    name, reading = parsed.client, None
    if source is not None and direction == "request":
        name = parsed.upstream
    elif source is not None:
        reading = _expected_reading(parsed.upstream, direction, source)
    try:
        return witness(name, direction, output, expected=reading)
    except MissingSDKError as error:
        raise UsageError(f"{parsed.witness.where}: {error}") from None


def _expected_reading(upstream: str, direction: str, source: Any) -> Reading | None:
    """What the client should read; None where the upstream's stream is not whole."""
    if direction == "stream" and "events" in source:
        reply = formats.assemble(upstream, source).as_sent
        return formats.read(upstream, "response", reply.body) if reply.end == "whole" else None
    return formats.read(upstream, "error" if direction == "error" else "response", source)
