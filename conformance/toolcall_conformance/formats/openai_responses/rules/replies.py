"""Rules on replies: the status, what has to agree with it, and the token counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Form
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.expected_values import TEXT, object_with
from toolcall_conformance.formats.openai_responses.rules.view import entries, member
from toolcall_conformance.formats.rule import Subject, rule

_CALL_TYPES = frozenset({"function_call", "custom_tool_call"})
_COMPLETED_TYPES = _CALL_TYPES | {"message"}


@rule("openai_responses/finish-agrees", "response")
def finish_agrees(subject: Subject) -> Iterator[Breach]:
    if member(subject.body, "status") != "completed":
        return
    if isinstance(member(member(subject.body, "incomplete_details"), "reason"), str):
        message = "the reply is completed and has a reason for being incomplete"
        yield Breach("/incomplete_details", message, None, subject.body["incomplete_details"])
    if member(subject.body, "error") is not None:
        yield Breach("/error", "the reply is completed and has an error", None, subject.body["error"])
    for entry in entries(subject):
        status = entry.value.get("status")
        running = status == "in_progress" and _is_program_call(entry.value)
        if entry.kind in _COMPLETED_TYPES and status in ("in_progress", "incomplete") and not running:
            message = f"the reply is completed and this {entry.kind} is not"
            yield Breach(entry.member_pointer("status"), message, want="completed", got=status)


def _is_program_call(call: dict[str, Any]) -> bool:
    """Whether a hosted program made the call: both are in progress until the client answers."""
    return member(call.get("caller"), "type") == "program" and call.get("type") in _CALL_TYPES


@rule("openai_responses/finish-incomplete-reason", "response")
def finish_incomplete_reason(subject: Subject) -> Iterator[Breach]:
    if member(subject.body, "status") != "incomplete":
        return
    if not isinstance(member(member(subject.body, "incomplete_details"), "reason"), str):
        message = "incomplete_details.reason must give the reason why the reply is incomplete"
        got = subject.body.get("incomplete_details", MISSING)
        want = object_with(reason=Form({"enum": ["max_output_tokens", "content_filter"]}))
        yield Breach("/incomplete_details" if "incomplete_details" in subject.body else "", message, want, got)


@rule("openai_responses/finish-failed-error", "response")
def finish_failed_error(subject: Subject) -> Iterator[Breach]:
    if member(subject.body, "status") != "failed":
        return
    error = member(subject.body, "error")
    if not isinstance(error, dict):
        message = "error must be an object with code and message"
        want, got = object_with(code=TEXT, message=TEXT), subject.body.get("error", MISSING)
        yield Breach("/error" if "error" in subject.body else "", message, want, got)
    elif not isinstance(error.get("message"), str):
        message = "message must be a text that describes what happened"
        at = "/error/message" if "message" in error else "/error"
        yield Breach(at, message, TEXT, error.get("message", MISSING))
    elif "code" not in error:
        message = "the key 'code' is missing, by which clients choose what to do"
        yield Breach("/error", message, object_with(code=TEXT), error)


@rule("openai_responses/usage-sum", "response")
def usage_sum(subject: Subject) -> Iterator[Breach]:
    usage = subject.reading.usage
    if {"input", "output", "total"} <= usage.keys() and usage["total"] != usage["input"] + usage["output"]:
        yield Breach("/usage/total_tokens", want=usage["input"] + usage["output"], got=usage["total"])
