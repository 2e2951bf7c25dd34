"""``judge`` of lists of exchanges: a client's and an upstream's, or one list alone."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Judgement, worst_level
from toolcall_conformance.basics.foreign_files import read_bytes
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.cli.console import say
from toolcall_conformance.cli.judge.summary import JudgedPair, print_summary, run_record
from toolcall_conformance.cli.parser import UsageError
from toolcall_conformance.cli.settings import CommandSettings
from toolcall_conformance.judge import CachingJudge, Ends
from toolcall_conformance.judge.context import Requests
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.captures.exchanges import (
    Capture,
    CapturedExchange,
    UnreadableCaptureError,
    format_of,
)
from toolcall_conformance.recording.captures.files import read_capture, unpack
from toolcall_conformance.recording.captures.pairing import MatchedExchange, are_swapped, match_exchanges

_MANY = {"exchange": "exchanges", "reply": "replies"}


def read(corpus: Corpus, name: str | None) -> Capture | None:
    """The exchanges in a file; None where it holds a body or a stream, and for standard input. Raises UsageError."""
    path = Path(name or "-")
    if not name or name == "-" or not path.is_file():
        return None
    try:
        return read_capture(corpus, path, unpack(read_bytes(path)))
    except OSError:
        return None  # reading it as a body reports why
    except UnreadableCaptureError as error:
        raise UsageError(f"{name}: {error}") from None


def run(
    parsed: argparse.Namespace, corpus: Corpus, settings: CommandSettings, client: Capture, upstream: Capture | None
) -> int:
    """Judge the exchanges, and print a line for each and the causes of what fails; 1 if one fails."""
    judge = CachingJudge(corpus)
    alone = upstream is None
    pairs: list[JudgedPair] = []
    lines: list[list[str]] = []
    matches = _matches(client, upstream)
    for number, match in enumerate(matches, 1):
        formats = _formats(parsed, corpus, match, alone=alone)
        if alone:
            judged = [*_judge_bodies(judge, number, match.client, formats[0])]
        else:
            judged = [*_judge_match(judge, number, match, formats)]
        lines.append(_line(number, match, formats, judged, alone=alone))
        pairs += judged if parsed.only in (None, number) else []
    if parsed.only is not None and not 1 <= parsed.only <= len(matches):
        raise UsageError(f"--only {parsed.only}: there are exchanges 1 to {len(matches)}")
    if not pairs:
        raise UsageError(_empty_reason(parsed, client, upstream, lines))
    again = ["toolcall-conformance", "judge", parsed.source, *([parsed.output] if parsed.output else []), "--only"]
    record = run_record(corpus, pairs, {"command": shlex.join(again)}, strict=bool(settings.is_on("strict")))
    if parsed.json:
        return print_summary(record, corpus, verbose=parsed.verbose, as_json=True)
    if upstream is not None and are_swapped(matches):
        say("note: each exchange of OUTPUT began before its partner of SOURCE: are the two files swapped?")
    for line in _table(lines if parsed.only is None else [lines[parsed.only - 1]]):
        say(line)
    say("")
    code = print_summary(record, corpus, verbose=parsed.verbose, as_json=False, again=_ExchangeCommand(again))
    for name, capture in ((parsed.source, client), (parsed.output, upstream)):
        if capture is not None:
            say(_summary(name, capture))
    for sentence in _unjudged_counts(lines):
        say(sentence)
    partners = sum(match.upstream is not None for match in matches)
    if upstream is not None and (rest := len(upstream.exchanges) - partners):
        say(f"{parsed.output}: {rest} exchange{'s' if rest > 1 else ''} belong to none of {parsed.source}")
    say(f"{shlex.join(again)} N judges only exchange N")
    return code


def _unjudged_counts(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """How many exchanges, and how many replies of others, the table shows as not judged."""
    for words, noun in (("not judged", "exchange"), ("reply not judged", "reply")):
        count = sum(line[3].split(", ")[-1].partition(":")[0] == words for line in lines)
        if count:
            yield f"not judged: {count} {noun if count == 1 else _MANY[noun]}; the table shows which"


def _matches(client: Capture, upstream: Capture | None) -> list[MatchedExchange]:
    if upstream is None:
        return [MatchedExchange(exchange, None) for exchange in client.exchanges]
    return match_exchanges(client.exchanges, upstream.exchanges)


class _ExchangeCommand:
    """Makes the command that judges one exchange."""

    one_by_one = True

    def __init__(self, beginning: Sequence[str]) -> None:
        self._beginning = shlex.join(beginning)

    def __call__(self, nodeid: str) -> str:
        return f"{self._beginning} {nodeid.split('::')[1].rpartition('/')[2]}"


def _formats(
    parsed: argparse.Namespace, corpus: Corpus, match: MatchedExchange, *, alone: bool
) -> tuple[str | None, str | None]:
    client = parsed.client or format_of(corpus, match.client)
    if alone:
        return client, client
    return client, parsed.upstream or (format_of(corpus, match.upstream) if match.upstream is not None else None)


def _judge_bodies(
    judge: CachingJudge, number: int, exchange: CapturedExchange, name: str | None
) -> Iterator[JudgedPair]:
    """Each body by the rules of its own format."""
    if name is None:
        return
    bodies: list[tuple[str, str, Any]] = []
    if exchange.request is not None:
        bodies.append(("request", "request", exchange.request))
    if exchange.stream is not None:
        bodies.append(("stream", "stream", parse(exchange.stream)))
    elif exchange.reply is not None:
        bodies.append(
            ("response", "error", exchange.error) if exchange.is_error else ("response", "response", exchange.reply)
        )
    for check, direction, body in bodies:
        yield JudgedPair(f"captured/{number}", check, name, name, MISSING, body, judge.body(name, direction, body))


def _judge_match(
    judge: CachingJudge, number: int, match: MatchedExchange, formats: tuple[str | None, str | None]
) -> Iterator[JudgedPair]:
    """The request that the translator made of the client's, and the reply that it made of the upstream's."""
    client_exchange, sent, (client, upstream) = match.client, match.upstream, formats
    if sent is None or client is None or upstream is None:
        return
    name, ends = f"captured/{number}", Ends(client, upstream)
    if client_exchange.request is not None and sent.request is not None:
        judgement = judge.request(client_exchange.request, sent.request, ends, captured=True)
        yield JudgedPair(name, "request", client, upstream, client_exchange.request, sent.request, judgement)
    if sent.is_error and client_exchange.status is not None:
        judgement = judge.error(sent.error, client_exchange.error, ends)
        yield JudgedPair(name, "response", client, upstream, sent.error, client_exchange.error, judgement)
    elif client_exchange.is_error and not sent.is_error and sent.status is not None:
        yield JudgedPair(
            name,
            "response",
            client,
            upstream,
            sent.reply,
            client_exchange.error,
            _error_judgement(judge, client_exchange, sent, client),
        )
    elif client_exchange.stream is not None:
        source = parse(sent.stream) if sent.stream is not None else sent.reply
        if isinstance(source, dict):
            output = parse(client_exchange.stream)
            judgement = judge.stream(
                source, output, ends, requests=Requests(client_exchange.request, sent.request), captured=True
            )
            yield JudgedPair(name, "stream", client, upstream, source, output, judgement)
    elif isinstance(client_exchange.reply, dict) and isinstance(sent.reply, dict):
        requests = Requests(client_exchange.request, sent.request)
        judgement = judge.response(sent.reply, client_exchange.reply, ends, requests=requests, captured=True)
        yield JudgedPair(name, "response", client, upstream, sent.reply, client_exchange.reply, judgement)


def _error_judgement(
    judge: CachingJudge, client_exchange: CapturedExchange, sent: CapturedExchange, client: str
) -> Judgement:
    """The judgement of an error that the client gets where the provider has answered."""
    message = f"the client gets status {client_exchange.status}, and the provider answered with {sent.status}"
    wrong = make_finding(
        judge.corpus,
        "translation/target-format",
        "/status",
        message,
        want=sent.status,
        got=client_exchange.status,
        element="body",
    )
    return Judgement((wrong,)).in_format(client)


def _unjudged_reply(match: MatchedExchange, judged: Sequence[JudgedPair]) -> str:
    """What was not judged of two exchanges that belong together, and why; empty for nothing."""
    if match.upstream is None:
        return ""
    if all(pair.check == "request" for pair in judged):
        sides = (("client", match.client), ("upstream", match.upstream))
        lacking = [word for word, side in sides if side.reply is None and side.stream is None]
        return f"reply not judged: no body on the {' and '.join(lacking) or 'same'} side"
    return ""


def _line(
    number: int, match: MatchedExchange, formats: Sequence[str | None], judged: Sequence[JudgedPair], *, alone: bool
) -> list[str]:
    client, upstream = (name or "no known format" for name in formats)
    where = (
        match.client.name if alone else f"{match.client.name} → {match.upstream.name if match.upstream else 'nothing'}"
    )
    verdicts = [f"{pair.check} {_gravest_count(pair)}" for pair in judged] or ["not judged"]
    if not alone and judged and (unjudged_reply := _unjudged_reply(match, judged)):
        verdicts.append(unjudged_reply)
    return [str(number), where, client if alone else f"{client} → {upstream}", ", ".join(verdicts)]


def _gravest_count(pair: JudgedPair) -> str:
    """How many findings have the worst level, in words."""
    findings = [finding for finding in pair.judgement.findings if not finding.is_note]
    level = worst_level(findings)
    return "ok" if level is None else f"{sum(finding.level == level for finding in findings)} {level}"


def _table(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    for line in lines:
        yield "  ".join([line[0].rjust(widths[0]), line[1].ljust(widths[1]), line[2].ljust(widths[2]), line[3]])


def _summary(name: str, capture: Capture) -> str:
    count = len(capture.exchanges)
    summary = f"{name}: {capture.form}, {count} exchange{'' if count == 1 else 's'}"
    skipped = ", ".join(f"{count} × {reason}" for reason, count in capture.skipped.items())
    return f"{summary}; skipped: {skipped}" if skipped else summary


def _empty_reason(
    parsed: argparse.Namespace, client: Capture, upstream: Capture | None, lines: Sequence[Sequence[str]]
) -> str:
    summaries = [
        _summary(parsed.source, client),
        *([_summary(parsed.output, upstream)] if upstream is not None else []),
    ]
    if lines and upstream is not None:
        return (
            f"no exchange of the two files belongs to one of the other: {'; '.join(summaries)}; were they "
            "recorded at the same time?"
        )
    if not any(capture.exchanges for capture in (client, upstream) if capture is not None):
        return f"nothing to judge: {'; '.join(summaries)}; export it with the contents of requests and replies"
    return f"nothing to judge: {'; '.join(summaries)}; name the format with --client if the bodies do not show it"
