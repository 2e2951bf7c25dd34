"""Rules on calls and the tool messages that answer them, in requests and, of calls alone, in replies."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.formats.openai_chat.rules.view import ToolMessage, walk
from toolcall_conformance.formats.rule import Subject, rule
from toolcall_conformance.jsonvalue import resolve
from toolcall_conformance.reading import Call, Unreadable
from toolcall_conformance.reading.breach import Breach


@rule("openai_chat/calls-answered", "request")
def calls_answered(subject: Subject) -> Iterator[Breach]:
    """The provider refuses a history with an open call, wherever the history ends."""
    for call in walk(subject.body).unanswered:
        yield Breach(call.pointer, got=call.id, subject=f"call {call.id}, {call.name}")


@rule("openai_chat/result-answers-call", "request")
def result_answers_call(subject: Subject) -> Iterator[Breach]:
    yield from _standing(subject, "orphan", "no earlier assistant message has a call with this id")


@rule("openai_chat/result-once", "request")
def result_once(subject: Subject) -> Iterator[Breach]:
    yield from _standing(subject, "again", "the call with this id has been answered before")


@rule("openai_chat/results-follow-calls", "request")
def results_follow_calls(subject: Subject) -> Iterator[Breach]:
    yield from _standing(subject, "late", "other messages stand between this result and its call")


def _standing(subject: Subject, standing: str, message: str) -> Iterator[Breach]:
    found: list[ToolMessage] = [answer for answer in walk(subject.body).answers if answer.standing == standing]
    for answer in found:
        yield Breach(answer.pointer, message, got=answer.id, subject=f"result of {answer.id}")


@rule("openai_chat/call-ids-unique", "request", "response")
def call_ids_unique(subject: Subject) -> Iterator[Breach]:
    """Within one message only: ids may come again in a later turn. Empty ids are another rule's."""
    seen: set[tuple[int, str]] = set()
    for call in subject.reading.calls:
        if not call.id or call.id_pointer is None:
            continue
        if (call.batch, call.id) in seen:
            yield Breach(call.id_pointer, got=call.id, subject=_words(call))
        seen.add((call.batch, call.id))


@rule("openai_chat/call-arguments-json", "request", "response")
def call_arguments_json(subject: Subject) -> Iterator[Breach]:
    """Arguments that are no string at all are the schema's; so is custom tools' input, which is free text."""
    finish = subject.reading.finish
    calls = subject.reading.calls
    if finish is not None and finish.reason == "length":
        # The reply was cut, and its last call with it.
        calls = calls[:-1]
    for call in calls:
        if call.kind != "function" or call.arguments_pointer is None:
            continue
        raw = resolve(subject.body, call.arguments_pointer)
        if not isinstance(raw, str):
            continue
        if not raw.strip():
            yield Breach(call.arguments_pointer, "a call without arguments has {}", "{}", raw, subject=_words(call))
        elif isinstance(call.arguments, Unreadable):
            if call.arguments.is_json:
                continue
            yield Breach(call.arguments_pointer, "arguments are not JSON", got=raw, subject=_words(call))
        elif not isinstance(call.arguments, dict):
            yield Breach(call.arguments_pointer, "arguments are not a JSON object", got=raw, subject=_words(call))


def _words(call: Call) -> str:
    return f"call {call.ordinal + 1}, {call.name}"
