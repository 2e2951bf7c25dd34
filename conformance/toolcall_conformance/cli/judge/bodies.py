"""``judge`` of one exchange's bodies: one body alone, what a provider sent, a translation, a stream."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from toolcall_conformance.cli.judge import earlier_requests, input_files
from toolcall_conformance.cli.judge.details import Details, client_result, difference_lines, report
from toolcall_conformance.cli.parser import UsageError
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.text.failure import ReportedItem

if TYPE_CHECKING:
    from toolcall_conformance.judge import Ends, Judge


def judge_provider_body(parsed: argparse.Namespace, corpus: Corpus) -> int:
    """Judge one body as what a provider sent to a translator."""
    from toolcall_conformance.cli.judge.guesses import verify_kind
    from toolcall_conformance.judge import Judge
    from toolcall_conformance.judge.streams.client_stream import finding_event

    name, direction = parsed.upstream, "stream" if parsed.stream else _direction(parsed)
    if parsed.stream:
        _, body = input_files.stream(parsed.source)
    else:
        body = input_files.body(parsed.source, None if parsed.error else corpus)
        if parsed.error:
            _verify_error(parsed.source, body)
        verify_kind(parsed, corpus, name, direction, body)
    judgement = Judge(corpus).sent(name, direction, body, model=parsed.upstream_model)
    subject = ReportedItem(parsed.source, direction, name, name, exchanges=1)
    details = Details(event_of=finding_event) if parsed.stream else Details()
    return report(parsed, corpus, subject, judgement, details)


def _direction(parsed: argparse.Namespace) -> str:
    return "error" if parsed.error else "response" if parsed.response else "request"


def judge_body(parsed: argparse.Namespace, corpus: Corpus) -> int:
    """Judge one body by the rules of its format."""
    from toolcall_conformance.cli.judge.guesses import verify_kind
    from toolcall_conformance.judge import Judge

    direction, notes = _direction(parsed), list(parsed.guessed)
    body = input_files.body(parsed.source, None if parsed.error else corpus, notes)
    if parsed.error:
        _verify_error(parsed.source, body)
    verify_kind(parsed, corpus, parsed.client, direction, body)
    judgement = Judge(corpus).body(parsed.client, direction, body, model=parsed.client_model)
    subject = ReportedItem(parsed.source, direction, parsed.client, parsed.client, exchanges=1)
    differences = [*difference_lines(parsed, corpus, direction, body)] if parsed.diff else []
    details = Details(notes, client_result=client_result(parsed, direction, body), differences=differences)
    return report(parsed, corpus, subject, judgement, details)


def judge_translation(parsed: argparse.Namespace, corpus: Corpus) -> int:
    """Judge a request, reply or error and its translation. Raises UsageError."""
    from toolcall_conformance.cli.judge.guesses import swap_note, verify_kind, verify_same_kind

    direction = _direction(parsed)
    opens, notes = None if parsed.error else corpus, list(parsed.guessed)
    source, output = (input_files.body(name, opens, notes) for name in (parsed.source, parsed.output))
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
        requests = earlier_requests.read(parsed, corpus, notes)
        judgement = judge.response(source, output, ends, requests=requests, captured=True)
    else:
        judgement = judge.request(source, output, ends, captured=True)
    subject = ReportedItem(parsed.output, direction, parsed.client, parsed.upstream, exchanges=1)
    if note := swap_note(corpus, direction, source, output, formats):
        notes.insert(0, note)
    official = client_result(parsed, direction, output, source)
    differences = [*difference_lines(parsed, corpus, direction, output)] if parsed.diff else []
    return report(parsed, corpus, subject, judgement, Details(notes, client_result=official, differences=differences))


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


def judge_stream(parsed: argparse.Namespace, corpus: Corpus) -> int:
    """Judge the stream that a client received, with the upstream's if there is one. Raises UsageError."""
    from toolcall_conformance.judge.streams.client_stream import finding_event

    alone = parsed.output is None
    output_name = parsed.source if alone else parsed.output
    source = None if alone else input_files.stream_or_reply(parsed.source, parsed.upstream, corpus)
    data, output = input_files.stream(output_name)
    notes = list(parsed.guessed)
    if source is not None:
        notes += input_files.stream_notes(parsed.source, parsed.upstream, source)
    requests = earlier_requests.read(parsed, corpus, notes)
    judgement = _judge(parsed, corpus).stream(source, output, _ends(parsed), requests=requests, captured=True)
    upstream = parsed.client if alone else parsed.upstream
    subject = ReportedItem(output_name, "stream", parsed.client, upstream, exchanges=2)
    official = client_result(parsed, "stream", data, source)
    return report(parsed, corpus, subject, judgement, Details(notes, finding_event, official))


def _verify_error(name: str, value: Any) -> None:
    """Refuse an error without its HTTP status: the body alone cannot be judged."""
    if not isinstance(value, dict) or not {"status", "body"} <= value.keys():
        shape = '{"status": 429, "body": {…}}'
        raise UsageError(f"{'stdin' if name == '-' else name}: write the error as {shape}, with its HTTP status")
