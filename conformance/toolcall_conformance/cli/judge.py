"""``toolcall-conformance judge``: judge a captured pair of bodies or streams without any adapter."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from toolcall_conformance.basics.findings import Finding, Judgement, Verdict, verdict_of, worst_level
from toolcall_conformance.cli import captured, differing, guess, pairs, requests_before
from toolcall_conformance.cli.common import UsageError, did_you_mean
from toolcall_conformance.cli.console import say, say_json
from toolcall_conformance.cli.settings import CommandSettings
from toolcall_conformance.cli.tolerated import tolerated_json, tolerated_lines
from toolcall_conformance.cli.witnessed import witnessed
from toolcall_conformance.library import Corpus, load_corpus
from toolcall_conformance.reports.item_record import finding_json
from toolcall_conformance.reports.text.failure import ReportedItem, describe

if TYPE_CHECKING:
    from toolcall_conformance.judge import Ends, Judge
    from toolcall_conformance.trust.witnesses import Witnessed


def fill(parser: argparse.ArgumentParser) -> None:
    parser.description = "Judge a translator's output for one body or stream. Exits with 1 if a MUST rule is violated."
    parser.add_argument("source", metavar="SOURCE", nargs="?", help="the translator's input; - reads stdin")
    parser.add_argument(
        "output",
        metavar="OUTPUT",
        nargs="?",
        help="the translator's output; - reads stdin. Without it SOURCE alone is judged, by the rules of --client's "
        "format; a provider's output by those of --upstream's",
    )
    parser.add_argument("--client", metavar="FORMAT", help="the caller's format")
    parser.add_argument("--upstream", metavar="FORMAT", help="the provider's format")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--response",
        action="store_true",
        help="the bodies are replies: SOURCE in the upstream's format, OUTPUT in the client's",
    )
    kind.add_argument(
        "--error",
        action="store_true",
        help='the bodies are errors, each as {"status": 429, "headers": {…}, "body": {…}}; headers are optional',
    )
    kind.add_argument(
        "--stream",
        action="store_true",
        help="OUTPUT is the raw stream that the client received; SOURCE is the upstream's stream or whole reply",
    )
    requests_before.add_arguments(parser)
    parser.add_argument("--client-model", metavar="MODEL", help="the model that the caller named")
    parser.add_argument(
        "--upstream-model", metavar="MODEL", help="the model that receives the request, if its body does not name it"
    )
    parser.add_argument(
        "--strict", action=argparse.BooleanOptionalAction, help="exit with 1 for a SHOULD finding as well"
    )
    parser.add_argument(
        "--policy",
        metavar="FILE",
        help="a TOML file that lists what the translator does to tools on purpose, as for --toolcall-policy",
    )
    parser.add_argument(
        "--tolerated",
        action="store_true",
        help="also list each accepted difference and the equivalence that allows it",
    )
    parser.add_argument(
        "--witness",
        action=argparse.BooleanOptionalAction,
        help="also report what the official client of OUTPUT's format does with it; needs the extra `witnesses`",
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    differing.add_argument(parser)
    pairs.add_arguments(parser)
    parser.add_argument(
        "--only", metavar="N", type=int, help="of a list of exchanges, judge only the one with this number"
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="of many pairs, show a block for every cause, not only for the first ones",
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Print the findings; 1 if one of them fails the pair."""
    corpus, settings = load_corpus(), CommandSettings(parsed)
    parsed.strict, parsed.witness = settings.holds("strict"), settings.named("witness")
    parsed.policy = settings.named("policy")
    if parsed.pairs is not None:
        return pairs.run(parsed, corpus, settings)
    if parsed.source is None:
        raise UsageError("the following arguments are required: SOURCE; or --pairs FILE")
    if (code := _of_captures(parsed, corpus, settings)) is not None:
        return code
    sent = _sent_alone(parsed)
    if not sent:
        guess.complete(parsed, corpus)
    missing = [name for name, value in (("--upstream", parsed.upstream), ("OUTPUT", parsed.output)) if value is None]
    if not sent and len(missing) == 1 and not (parsed.stream and parsed.output is None):
        raise UsageError(f"the following arguments are required: {', '.join(missing)}")
    for name in (parsed.client, parsed.upstream):
        if name is not None and name not in corpus.formats:
            raise UsageError(f"there is no format {name!r}{did_you_mean(name, corpus.formats)}")
    if sent:
        requests_before.verify(parsed)
        return _judge_sent(parsed, corpus)
    if parsed.source == parsed.output == "-":
        raise UsageError("only one of the two bodies can be read from stdin")
    requests_before.verify(parsed)
    if parsed.stream:
        return _judge_streams(parsed, corpus)
    return _judge_alone(parsed, corpus) if parsed.output is None else _judge_pair(parsed, corpus)


def _of_captures(parsed: argparse.Namespace, corpus: Corpus, settings: CommandSettings) -> int | None:
    """Judge lists of exchanges; None where SOURCE is a body or a stream, or is said to be one."""
    if parsed.response or parsed.error or parsed.stream:
        return None
    from toolcall_conformance.cli import exchange_lists

    captures = [exchange_lists.read(corpus, name) for name in (parsed.source, parsed.output)]
    if captures[0] is None and captures[1] is None:
        return None
    if parsed.output is not None and None in captures:
        capture_name, other = (parsed.source, parsed.output) if captures[1] is None else (parsed.output, parsed.source)
        form = next(capture.form for capture in captures if capture is not None)
        raise UsageError(
            f"{capture_name} holds {form}, and {other} one body; give two lists of exchanges, or two bodies"
        )
    assert captures[0] is not None
    return exchange_lists.run(parsed, corpus, settings, captures[0], captures[1])


def _sent_alone(parsed: argparse.Namespace) -> bool:
    """Whether the one body is what a provider sent; UsageError where that is a request, which no provider sends."""
    if parsed.client is not None or parsed.upstream is None or parsed.output is not None:
        return False
    if not (parsed.response or parsed.error or parsed.stream):
        raise UsageError(
            "with only --upstream, SOURCE is what the provider sent: add --response, --error or --stream; "
            "a request is judged with --client"
        )
    return True


def _judge_sent(parsed: argparse.Namespace, corpus: Corpus) -> int:
    """Judge one body as what a provider sent to a translator."""
    from toolcall_conformance.cli.mistakes import verify_kind
    from toolcall_conformance.judge import Judge
    from toolcall_conformance.judge.streams.client_stream import finding_event

    name, direction = parsed.upstream, "stream" if parsed.stream else _direction(parsed)
    if parsed.stream:
        _, body = captured.stream(parsed.source)
    else:
        body = captured.body(parsed.source, None if parsed.error else corpus)
        if parsed.error:
            _verify_error(parsed.source, body)
        verify_kind(parsed, corpus, name, direction, body)
    judgement = Judge(corpus).sent(name, direction, body, model=parsed.upstream_model)
    subject = ReportedItem(parsed.source, direction, name, name, exchanges=1)
    extras = _Said(event_of=finding_event) if parsed.stream else _Said()
    return _report(parsed, corpus, subject, judgement, extras)


def _direction(parsed: argparse.Namespace) -> str:
    return "error" if parsed.error else "response" if parsed.response else "request"


def _judge_alone(parsed: argparse.Namespace, corpus: Corpus) -> int:
    """Judge one body by the rules of its format."""
    from toolcall_conformance.cli.mistakes import verify_kind
    from toolcall_conformance.judge import Judge

    direction, notes = _direction(parsed), list(parsed.guessed)
    body = captured.body(parsed.source, None if parsed.error else corpus, notes)
    if parsed.error:
        _verify_error(parsed.source, body)
    verify_kind(parsed, corpus, parsed.client, direction, body)
    judgement = Judge(corpus).body(parsed.client, direction, body, model=parsed.client_model)
    subject = ReportedItem(parsed.source, direction, parsed.client, parsed.client, exchanges=1)
    compared = [*differing.lines(parsed, corpus, direction, body)] if parsed.diff else []
    extras = _Said(notes, beside=witnessed(parsed, direction, body), compared=compared)
    return _report(parsed, corpus, subject, judgement, extras)


def _judge_pair(parsed: argparse.Namespace, corpus: Corpus) -> int:
    from toolcall_conformance.cli.mistakes import swapped, verify_kind, verify_same_kind

    direction = _direction(parsed)
    opens, notes = None if parsed.error else corpus, list(parsed.guessed)
    source, output = (captured.body(name, opens, notes) for name in (parsed.source, parsed.output))
    if parsed.error:
        for name, value in ((parsed.source, source), (parsed.output, output)):
            _verify_error(name, value)
    formats = (parsed.client, parsed.upstream) if direction == "request" else (parsed.upstream, parsed.client)
    verify_kind(parsed, corpus, formats[0], direction, source)
    if not parsed.error:
        verify_same_kind(corpus, (parsed.source, parsed.output), source, output)
    if parsed.source == parsed.output:
        notes.append("SOURCE and OUTPUT are the same file")
    judge, ends = _judge(parsed, corpus), _ends(parsed)
    if parsed.error:
        judgement = judge.error(source, output, ends)
    elif parsed.response:
        requests = requests_before.read(parsed, corpus, notes)
        judgement = judge.response(source, output, ends, requests=requests, captured=True)
    else:
        judgement = judge.request(source, output, ends, captured=True)
    subject = ReportedItem(parsed.output, direction, parsed.client, parsed.upstream, exchanges=1)
    if note := swapped(corpus, direction, source, output, formats):
        notes.insert(0, note)
    beside = witnessed(parsed, direction, output, source)
    compared = [*differing.lines(parsed, corpus, direction, output)] if parsed.diff else []
    return _report(parsed, corpus, subject, judgement, _Said(notes, beside=beside, compared=compared))


def _judge(parsed: argparse.Namespace, corpus: Corpus) -> Judge:
    """The judge of translations, with the policy that the user named."""
    from toolcall_conformance.judge import Judge, PoliciedJudge
    from toolcall_conformance.judge.policy import PolicyError, load_policy

    if parsed.policy is None:
        return Judge(corpus, tolerated=parsed.tolerated)
    try:
        policy = load_policy(corpus, parsed.policy.paths[0])
    except PolicyError as error:
        raise UsageError(str(error)) from None
    return PoliciedJudge(corpus, tolerated=parsed.tolerated, policy=policy)


def _ends(parsed: argparse.Namespace) -> Ends:
    from toolcall_conformance.judge import Ends

    return Ends(parsed.client, parsed.upstream or parsed.client, parsed.client_model, parsed.upstream_model)


def _judge_streams(parsed: argparse.Namespace, corpus: Corpus) -> int:
    from toolcall_conformance.judge.streams.client_stream import finding_event

    alone = parsed.output is None
    output_name = parsed.source if alone else parsed.output
    source = None if alone else captured.stream_or_reply(parsed.source, parsed.upstream, corpus)
    data, output = captured.stream(output_name)
    notes = [*parsed.guessed, *(captured.notes(parsed.source, parsed.upstream, source) if source is not None else [])]
    requests = requests_before.read(parsed, corpus, notes)
    judgement = _judge(parsed, corpus).stream(source, output, _ends(parsed), requests=requests, captured=True)
    upstream = parsed.client if alone else parsed.upstream
    subject = ReportedItem(output_name, "stream", parsed.client, upstream, exchanges=2)
    beside = witnessed(parsed, "stream", data, source)
    return _report(parsed, corpus, subject, judgement, _Said(notes, finding_event, beside))


@dataclass(frozen=True)
class _Said:
    """What is printed of a judgement besides its findings."""

    notes: Sequence[str] = ()
    event_of: Callable[[Finding], int | None] = lambda _: None
    beside: Witnessed | None = None
    compared: Sequence[str] = ()


def _report(
    parsed: argparse.Namespace, corpus: Corpus, subject: ReportedItem, judgement: Judgement, extras: _Said
) -> int:
    verdict = verdict_of(judgement.findings, strict=parsed.strict)
    if parsed.json:
        say_json(json.dumps(_document(parsed, judgement, extras), indent=1))
    else:
        _print(parsed, corpus, subject, judgement, extras)
    return 1 if verdict is Verdict.FAIL else 0


def _document(parsed: argparse.Namespace, judgement: Judgement, extras: _Said) -> dict[str, Any]:
    findings = [finding_json(finding, limit=None) for finding in judgement.findings]
    for plain, finding in zip(findings, judgement.findings, strict=True):
        if (number := extras.event_of(finding)) is not None:
            plain["event"] = number
    verdict = verdict_of(judgement.findings, strict=parsed.strict)
    document: dict[str, Any] = {
        "verdict": verdict,
        "findings": findings,
        "losses": [asdict(loss) for loss in judgement.losses],
    }
    if parsed.tolerated:
        document["tolerated"] = tolerated_json(judgement.tolerated)
    if extras.beside is not None:
        document["witness"] = asdict(extras.beside)
    document |= {key: [*lines] for key, lines in (("diff", extras.compared), ("notes", extras.notes)) if lines}
    return document


def _print(
    parsed: argparse.Namespace, corpus: Corpus, subject: ReportedItem, judgement: Judgement, extras: _Said
) -> None:
    findings = judgement.findings
    for note in extras.notes:
        say(f"note: {note}")
    for line in describe(subject, findings, corpus, failing=findings, known_reason=lambda _: None):
        say((line.text, line.kind))
    if extras.beside is not None:
        say(f"    {extras.beside.sentence}")
    if judgement.losses:
        say(f"permitted losses: {', '.join(f'{loss.element} ({loss.count})' for loss in judgement.losses)}")
        say(f"    see   toolcall-conformance losses {parsed.client}-to-{parsed.upstream}")
    for text in (*(tolerated_lines(judgement.tolerated) if parsed.tolerated else ()), *extras.compared):
        say(text)
    say(_verdict(len(findings), worst_level(findings)))


def _verify_error(name: str, value: Any) -> None:
    """Refuse an error without its HTTP status: the body alone cannot be judged."""
    if not isinstance(value, dict) or not {"status", "body"} <= value.keys():
        shape = '{"status": 429, "body": {…}}'
        raise UsageError(f"{'stdin' if name == '-' else name}: write the error as {shape}, with its HTTP status")


def _verdict(count: int, gravest: str | None) -> str:
    if gravest is None:
        return "no findings"
    return f"{count} finding{'s' if count != 1 else ''}, the gravest at level {gravest}"
