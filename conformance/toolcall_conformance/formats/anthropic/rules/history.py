"""Rules on the conversation of a request: calls and their results, roles, texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Form, Words, one_of
from toolcall_conformance.basics.reading import Call
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.anthropic.parts import is_hosted
from toolcall_conformance.formats.anthropic.rules.view import (
    ContentBlock,
    Message,
    blocks_of,
    calls,
    continues_thread,
    messages,
    results,
    tools,
    turns,
)
from toolcall_conformance.formats.expected_values import ANOTHER_CALL, first_choices, object_of_type
from toolcall_conformance.formats.rule import Subject, duplicate_id_breach, rule, wrong_id_message

#: A text or a list of blocks that is not empty.
_NONEMPTY_CONTENT = Form({"type": ["string", "array"], "minLength": 1, "minItems": 1})


@rule("anthropic/calls-answered", "request")
def calls_answered(subject: Subject) -> Iterator[Breach]:
    all_turns = subject.derive(turns)
    for place, turn in enumerate(all_turns):
        if turn[0].role != "assistant":
            continue
        answers = all_turns[place + 1] if place + 1 < len(all_turns) else []
        answered = {block.text("tool_use_id") for block in results(answers)}
        where = f"the next user message, {answers[0].pointer}," if answers else "a user message after this one"
        turn_calls = calls(turn)
        unanswered = [call for call in turn_calls if (identity := call.text("id")) and identity not in answered]
        # A result without an id, or with one that no call has, answers some call: one fault, reported at the id.
        strays = answered - {call.text("id") for call in turn_calls} - subject.derive(_hosted_ids)
        astray = sum(block.text("tool_use_id") in strays for block in results(answers))
        for call in unanswered[: max(0, len(unanswered) - astray)]:
            message = f"{where} must answer this call with a tool_result"
            yield Breach(call.pointer, message, _result_form(call.text("id") or ""), MISSING, subject=_call_label(call))


@rule("anthropic/results-in-one-message", "request")
def results_in_one_message(subject: Subject) -> Iterator[Breach]:
    for turn in subject.derive(turns):
        holders = [message for message in turn if message.blocks_of_type("tool_result")]
        for message in holders[1:]:
            reason = f"the results of one batch of calls must be in one message, {holders[0].pointer}"
            yield Breach(message.pointer, reason)


@rule("anthropic/results-first", "request")
def results_first(subject: Subject) -> Iterator[Breach]:
    for block, before in _after_other_content(subject):
        message = f"this tool_result must be before the {before.type} block at {before.pointer}"
        yield Breach(block.pointer, message, Words(f"before {before.pointer}"), Words(f"after {before.pointer}"))


def _after_other_content(subject: Subject) -> Iterator[tuple[ContentBlock, ContentBlock]]:
    """Yield each result that follows other content of its user turn, with the first block of that content."""
    for turn in subject.derive(turns):
        other = None
        for block in (block for message in turn for block in message.blocks if message.role == "user"):
            if block.type != "tool_result":
                other = other or block
            elif other is not None:
                yield block, other


@rule("anthropic/text-after-results", "request")
def text_after_results(subject: Subject) -> Iterator[Breach]:
    for message in subject.derive(messages):
        has_result = False
        for block in message.blocks:
            has_result = has_result or block.type == "tool_result"
            if has_result and block.type == "text":
                yield Breach(block.pointer)


@rule("anthropic/result-of-known-call", "request")
def result_of_known_call(subject: Subject) -> Iterator[Breach]:
    hosted = subject.derive(_hosted_ids)
    call_ids: list[str] = []
    all_turns = subject.derive(turns)
    # The calls that the first message of a continued thread answers are in the thread.
    for turn in all_turns[1:] if subject.derive(continues_thread) else all_turns:
        result_ids = {result.text("tool_use_id") for result in results(turn)}
        waiting = dict.fromkeys(identity for identity in call_ids if identity not in result_ids)
        ids = {*call_ids, *hosted}
        for result in results(turn):
            identity = result.text("tool_use_id")
            if identity and identity not in ids:
                message = f"a call with the id {identity} must be in the assistant message before this result"
                if waiting:
                    message = wrong_id_message(waiting)
                want = one_of(waiting, object_of_type("tool_use", id=identity))
                yield Breach(result.member_pointer("tool_use_id"), message, want, identity if waiting else MISSING)
        turn_calls = calls(turn) if turn[0].role == "assistant" else []
        call_ids = [identity for call in turn_calls if (identity := call.text("id"))]


@rule("anthropic/result-once", "request")
def result_once(subject: Subject) -> Iterator[Breach]:
    for turn in subject.derive(turns):
        pointers: dict[str, str] = {}
        for result in results(turn):
            identity = result.text("tool_use_id")
            if identity in pointers:
                message = f"{identity} has its result already, at {pointers[identity]}"
                message += "; this one must answer another call, or be left out"
                yield Breach(result.pointer, message, ANOTHER_CALL, identity)
            elif identity:
                pointers[identity] = result.pointer


@rule("anthropic/call-ids-unique", "request", "response")
def call_ids_unique(subject: Subject) -> Iterator[Breach]:
    calls_by_id: dict[str, Call] = {}
    ids = first_choices(call.id for call in subject.reading.calls)
    for call in subject.reading.calls:
        if call.id is not None and call.id_pointer is not None and call is not calls_by_id.setdefault(call.id, call):
            yield duplicate_id_breach(call, calls_by_id[call.id], ids)


@rule("anthropic/error-result-text", "request")
def error_result_text(subject: Subject) -> Iterator[Breach]:
    for message in subject.derive(messages):
        for result in message.blocks_of_type("tool_result"):
            if result.value.get("is_error") is True:
                for part in blocks_of(result.value.get("content"), f"{result.pointer}/content"):
                    if part.type != "text":
                        reason = "a result with is_error may hold text blocks only"
                        yield Breach(part.pointer, reason, object_of_type("text"), part.type)


@rule("anthropic/tools-declared", "request")
def tools_declared(subject: Subject) -> Iterator[Breach]:
    if subject.derive(continues_thread):
        return  # its tools are those of the thread
    if subject.derive(tools):
        return
    for message in subject.derive(messages):
        for block in message.blocks_of_type("tool_use", "tool_result"):
            yield Breach(block.pointer, f"a {block.type} block is in a request that declares no tools")
            return


@rule("anthropic/hosted-result-linked", "request")
def hosted_result_linked(subject: Subject) -> Iterator[Breach]:
    for turn in subject.derive(turns):
        call_ids: dict[str | None, None] = {}
        for block in (block for message in turn for block in message.blocks):
            if block.type in ("server_tool_use", "mcp_tool_use"):
                call_ids[block.text("id")] = None
            elif _is_hosted_result(block) and (identity := block.text("tool_use_id")) not in call_ids:
                message = "a server tool's call with this id must precede its result; there is none"
                yield Breach(
                    block.member_pointer("tool_use_id"), message, one_of(filter(None, call_ids), MISSING), identity
                )


@rule("anthropic/hosted-not-answered", "request")
def hosted_not_answered(subject: Subject) -> Iterator[Breach]:
    hosted = subject.derive(_hosted_ids)
    for message in subject.derive(messages):
        for result in message.blocks_of_type("tool_result"):
            if (identity := result.text("tool_use_id")) in hosted:
                reason = f"{identity} is a server tool's call, whose result the API has: no tool_result may answer it"
                yield Breach(result.pointer, reason, MISSING, identity)


@rule("anthropic/content-not-empty", "request")
def content_not_empty(subject: Subject) -> Iterator[Breach]:
    all_messages = subject.derive(messages)
    for message in all_messages:
        is_prefill = message is all_messages[-1] and message.role == "assistant"
        if message.content in ("", []) and not is_prefill:
            reason = "this message must hold some text or a block"
            yield Breach(f"{message.pointer}/content", reason, _NONEMPTY_CONTENT, message.content)


@rule("anthropic/prefill-trailing-space", "request")
def prefill_trailing_space(subject: Subject) -> Iterator[Breach]:
    last = _last_message(subject.derive(messages))
    if last is not None and last.role == "assistant" and last.blocks:
        block = last.blocks[-1]
        text = block.text("text")
        if block.type == "text" and text is not None and text != text.rstrip():
            message = "the final assistant message must not end with white space"
            yield Breach(block.member_pointer("text"), message, text[-20:].rstrip(), text[-20:])


@rule("anthropic/system-at-top", "request")
def system_at_top(subject: Subject) -> Iterator[Breach]:
    first = subject.derive(messages)[:1]
    for message in first:
        if message.role == "system":
            reason = "the system prompt must be in the key system, not first in messages"
            yield Breach(message.pointer, reason, Words("in system"), Words("in messages"))


@rule("anthropic/system-mid-conversation", "request")
def system_mid_conversation(subject: Subject) -> Iterator[Breach]:
    for message in subject.derive(messages)[1:]:
        if message.role == "system" and message.blocks_of_type("text"):
            yield Breach(message.pointer)


def _result_form(identity: str) -> Form:
    """Return the form of the block that answers a call."""
    return object_of_type("tool_result", tool_use_id=identity)


def _call_label(call: ContentBlock) -> str:
    return f"call {call.text('id')}, {call.text('name')}"


def _last_message(turn_messages: list[Message]) -> Message | None:
    return turn_messages[-1] if turn_messages else None


def _is_hosted_result(block: ContentBlock) -> bool:
    return is_hosted(block.type) and block.type.endswith("_tool_result")


def _hosted_ids(body: Any) -> set[str | None]:
    """Return the ids of the calls of the provider's own tools."""
    hosted = ("server_tool_use", "mcp_tool_use")
    ids = {block.text("id") for message in messages(body) for block in message.blocks_of_type(*hosted)}
    return ids - {None}
