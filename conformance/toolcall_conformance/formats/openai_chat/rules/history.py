"""Rules on calls and the tool messages that answer them, in requests and, of calls alone, in replies."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.findings import MISSING, Words, one_of
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.reading import Call, Unreadable
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.expected_values import (
    ANOTHER_CALL,
    intended_json_text,
    json_fault,
    object_with_values,
)
from toolcall_conformance.formats.openai_chat.rules.view import read_history
from toolcall_conformance.formats.rule import Subject, duplicate_ids_in_batches, rule, wrong_id_message


@rule("openai_chat/calls-answered", "request")
def calls_answered(subject: Subject) -> Iterator[Breach]:
    """The provider refuses a history with an unanswered call, even at its end."""
    history = subject.derive(read_history)
    # A result with an id that no call has answers some call: one fault, reported at the id.
    strays = sum(answer.placement == "orphan" for answer in history.answers)
    for call in history.unanswered[: max(0, len(history.unanswered) - strays)]:
        want = object_with_values(role="tool", tool_call_id=call.id)
        message = f"a tool message after {call.message_pointer} must answer this call"
        yield Breach(call.pointer, message, want, MISSING, subject=f"call {call.id}, {call.name}")


@rule("openai_chat/result-answers-call", "request")
def result_answers_call(subject: Subject) -> Iterator[Breach]:
    history = subject.derive(read_history)
    waiting = dict.fromkeys(call.id for call in history.unanswered)
    message = wrong_id_message(waiting) if waiting else "an earlier assistant message must have a call of this id"
    for answer in history.answers:
        if answer.placement == "orphan":
            want = one_of(waiting, object_with_values(id=answer.id))
            got = answer.id if waiting else MISSING
            yield Breach(answer.pointer, message, want, got, subject=f"result of {answer.id}")


@rule("openai_chat/result-once", "request")
def result_once(subject: Subject) -> Iterator[Breach]:
    message = "the call of this id has its answer already; this one must answer another, or be left out"
    for answer in subject.derive(read_history).answers:
        if answer.placement == "again":
            yield Breach(answer.pointer, message, ANOTHER_CALL, answer.id, subject=f"result of {answer.id}")


@rule("openai_chat/results-follow-calls", "request")
def results_follow_calls(subject: Subject) -> Iterator[Breach]:
    for answer in subject.derive(read_history).answers:
        if answer.placement == "late":
            message = (
                f"other messages are between this result and its call; it must be right after {answer.call_pointer}"
            )
            want, got = Words(f"right after {answer.call_pointer}"), Words("behind other messages")
            yield Breach(answer.pointer, message, want, got, subject=f"result of {answer.id}")


@rule("openai_chat/call-ids-unique", "request", "response")
def call_ids_unique(subject: Subject) -> Iterator[Breach]:
    """Ids must differ within one message only: they may come back in later turns. Another rule reports empty ids."""
    yield from duplicate_ids_in_batches(
        call for call in subject.reading.calls if call.id and call.id_pointer is not None
    )


@rule("openai_chat/call-arguments-json", "request", "response")
def call_arguments_json(subject: Subject) -> Iterator[Breach]:
    """The schema reports arguments that are no string; the input of custom tools is free text."""
    finish = subject.reading.finish
    calls = subject.reading.calls
    if finish is not None and finish.reason == "length":
        # The reply was cut, and its last call with it.
        calls = calls[:-1]
    for call in calls:
        if call.kind != "function" or call.arguments_pointer is None:
            continue
        if isinstance(call.arguments, dict) and call.arguments:
            continue  # an object, or the text of one
        raw = resolve(subject.body, call.arguments_pointer)
        if not isinstance(raw, str):
            continue
        if not raw.strip():
            yield Breach(
                call.arguments_pointer, "a call without arguments must have {}", "{}", raw, subject=_call_label(call)
            )
        elif isinstance(call.arguments, Unreadable):
            if call.arguments.is_json:
                continue
            message = json_fault(raw, "arguments must be JSON")
            yield Breach(call.arguments_pointer, message, intended_json_text(raw), raw, subject=_call_label(call))
        elif not isinstance(call.arguments, dict):
            want = intended_json_text(raw)
            yield Breach(
                call.arguments_pointer, "arguments must be a JSON object", want, raw, subject=_call_label(call)
            )


def _call_label(call: Call) -> str:
    return f"call {call.ordinal + 1}, {call.name}"
