"""Rules on the history: calls and their outputs, reasoning and what follows it, ids of calls and items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Form, Words, one_of
from toolcall_conformance.basics.reading import Call, Unreadable
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.expected_values import (
    ANOTHER_CALL,
    another_text,
    first_choices,
    intended_json_text,
    json_fault,
    object_of_type,
    object_with_values,
)
from toolcall_conformance.formats.openai_responses.conversation import OUTPUT_TYPES, is_hosted
from toolcall_conformance.formats.openai_responses.rules.view import InputItem, call_label, entries, member
from toolcall_conformance.formats.rule import Subject, duplicate_ids_in_batches, rule, wrong_id_message

#: Types of items whose content is at the provider: the history before them is hidden.
_HIDDEN_HISTORY_TYPES = frozenset({"item_reference", "compaction"})


@rule("openai_responses/call-answered", "request")
def call_answered(subject: Subject) -> Iterator[Breach]:
    answered = {result.call for result in subject.reading.results}
    items = {entry.pointer: entry for entry in entries(subject)}
    early = {result.id for result in subject.reading.results if result.call is None}
    called = {call.id for call in subject.reading.calls} | _hosted_ids(subject)
    # An output without an id, or with one that no call has, answers some call: one fault, reported at the id.
    nameless = sum(result.id is None or result.id not in called for result in subject.reading.results)
    for call in subject.reading.calls:
        # An asynchronous call may be answered in a later request. Result-after-call reports an output before its call;
        # result-names-call and result-has-call report one without a call.
        waits = member(items[call.pointer].value, "async") is True
        if call.ordinal in answered or call.id is None or call.id in early or waits:
            continue
        if nameless:
            nameless -= 1
        else:
            want = object_of_type(OUTPUT_TYPES[items[call.pointer].kind], call_id=call.id)
            message = f"an output must answer the call {call.id}; there is none in input"
            yield Breach(call.id_pointer or call.pointer, message, want, MISSING, subject=call_label(call))


@rule("openai_responses/result-has-call", "request")
def result_has_call(subject: Subject) -> Iterator[Breach]:
    if _has_hidden_history(subject):
        return
    called = {call.id for call in subject.reading.calls} | _hosted_ids(subject)
    nameless = sum(call.id is None for call in subject.reading.calls)
    answered = {result.call for result in subject.reading.results}
    waiting = dict.fromkeys(call.id for call in subject.reading.calls if call.id and call.ordinal not in answered)
    for result in subject.reading.results:
        if result.call is not None or result.id is None or result.id in called:
            continue
        # call-complete reports a call without call_id; this may well be its output.
        if nameless:
            nameless -= 1
        else:
            message = "a call with this call_id must precede its output; there is none"
            if waiting:
                message = wrong_id_message(waiting)
            want = one_of(waiting, object_of_type("function_call", call_id=result.id))
            yield Breach(result.id_pointer or result.pointer, message, want, result.id if waiting else MISSING)


@rule("openai_responses/result-after-call", "request")
def result_after_call(subject: Subject) -> Iterator[Breach]:
    if _has_hidden_history(subject):
        return
    called: dict[str | None, Call] = {}
    for call in subject.reading.calls:
        called.setdefault(call.id, call)
    for result in subject.reading.results:
        if result.call is None and result.id in called:
            call = called[result.id]
            message = f"this output must be after its call, {call.pointer}"
            want, got = Words(f"after {call.pointer}"), Words(f"before {call.pointer}")
            yield Breach(result.pointer, message, want, got, subject=call_label(call))


@rule("openai_responses/result-once", "request")
def result_once(subject: Subject) -> Iterator[Breach]:
    ordinals: set[int] = set()
    for result in subject.reading.results:
        if result.call is None:
            continue
        if result.call in ordinals:
            call = subject.reading.calls[result.call]
            message = f"{result.id} has its output already; this one must answer another call, or be left out"
            yield Breach(result.pointer, message, ANOTHER_CALL, result.id, subject=call_label(call))
        ordinals.add(result.call)


@rule("openai_responses/result-type-mirrors-call", "request")
def result_type_mirrors_call(subject: Subject) -> Iterator[Breach]:
    kinds = {entry.pointer: entry.kind for entry in entries(subject)}
    for result in subject.reading.results:
        if result.call is None:
            continue
        call = subject.reading.calls[result.call]
        output_type = OUTPUT_TYPES[kinds[call.pointer]]
        if (kinds[call.pointer], kinds[result.pointer]) == ("tool_search_call", "function_call_output"):
            continue  # the API accepts it: pydantic-ai's recorded test_tool_availability_portability_matrix has one
        kind = kinds[result.pointer]
        if kind == output_type:
            continue
        # A tool search has its output under another key: to change the type alone would not mend it.
        whole = "tool_search_output" in (kind, output_type)
        yield Breach(
            result.pointer if whole else f"{result.pointer}/type",
            f"a {kinds[call.pointer]} is answered by a {output_type}",
            want=object_of_type(output_type, call_id=result.id) if whole else output_type,
            got=Words(kind) if whole else kind,
            subject=call_label(call),
        )


@rule("openai_responses/hosted-call-has-no-result", "request")
def hosted_call_has_no_result(subject: Subject) -> Iterator[Breach]:
    hosted = _hosted_ids(subject)
    for result in subject.reading.results:
        if result.call is None and result.id in hosted:
            message = "the API ran this call itself and has its result; no output may answer it"
            yield Breach(result.pointer, message, MISSING, result.id)


@rule("openai_responses/reasoning-has-follower", "request")
def reasoning_has_follower(subject: Subject) -> Iterator[Breach]:
    items = entries(subject)
    for index, entry in enumerate(items):
        if entry.kind != "reasoning":
            continue
        following = next((later for later in items[index + 1 :] if later.kind != "additional_tools"), None)
        if following is None or not _is_model_item(following):
            got = MISSING if following is None else _author_member(following)
            want = Form({"anyOf": [object_with_values(role="assistant").schema, object_of_type(*OUTPUT_TYPES).schema]})
            message = "the message or call that the model made with this reasoning must follow it"
            yield Breach(entry.pointer, message, want, got)


@rule("openai_responses/reasoning-stateless", "request")
def reasoning_stateless(subject: Subject) -> Iterator[Breach]:
    if member(subject.body, "store") is not False:
        return
    for entry in entries(subject):
        if entry.kind == "reasoning" and isinstance(entry.value.get("id"), str):
            state = entry.value.get("encrypted_content")
            if not (isinstance(state, str) and state):
                message = "with store: false this item must have its encrypted_content, or be left out"
                yield Breach(entry.member_pointer("id"), message, MISSING, entry.value["id"])


@rule("openai_responses/arguments-json")
def arguments_json(subject: Subject) -> Iterator[Breach]:
    items = {entry.pointer: entry for entry in entries(subject)}
    cut = member(subject.body, "status") == "incomplete"
    for call in subject.reading.calls:
        status = member(items[call.pointer].value, "status")
        unfinished = status == "incomplete" or (cut and status is None)
        broken = isinstance(call.arguments, Unreadable) and not call.arguments.is_json
        if call.kind == "function" and broken and not unfinished:
            raw, pointer = call.arguments.raw, call.arguments_pointer or call.pointer
            message = json_fault(raw, "arguments must be JSON")
            yield Breach(pointer, message, intended_json_text(raw), raw, subject=call_label(call))


@rule("openai_responses/arguments-object")
def arguments_object(subject: Subject) -> Iterator[Breach]:
    items = {entry.pointer: entry for entry in entries(subject)}
    for call in subject.reading.calls:
        raw = member(items[call.pointer].value, "arguments")
        if call.kind != "function" or not isinstance(raw, str) or isinstance(call.arguments, Unreadable):
            continue
        unfinished = member(items[call.pointer].value, "status") == "incomplete"
        if not isinstance(call.arguments, dict) or (not raw.strip() and not unfinished):
            want = intended_json_text(raw) if raw.strip() else "{}"
            yield Breach(call.arguments_pointer or call.pointer, "", want, raw, subject=call_label(call))


def _has_hidden_history(subject: Subject) -> bool:
    """Whether the provider stores earlier items: then an output may answer a call outside this body."""
    chained = any(member(subject.body, key) is not None for key in ("previous_response_id", "conversation"))
    return chained or any(entry.kind in _HIDDEN_HISTORY_TYPES for entry in entries(subject))


def _hosted_ids(subject: Subject) -> set[str]:
    """Return the item ids of hosted calls, with which a client might answer them."""
    ids = set()
    for entry in entries(subject):
        item_id = entry.value.get("id")
        if is_hosted(entry.kind, entry.value) and entry.kind != "item_reference" and isinstance(item_id, str):
            ids.add(item_id)
    return ids


def _author_member(entry: InputItem) -> dict[str, Any]:
    """Return the member that shows whose item it is: the role of a message, the type of any other item."""
    key = "role" if entry.kind == "message" else "type"
    return {key: entry.value.get(key)}


def _is_model_item(entry: InputItem) -> bool:
    if entry.kind == "message":
        return entry.value.get("role") == "assistant"
    return entry.kind not in OUTPUT_TYPES.values() and entry.kind not in ("mcp_approval_response", "compaction_trigger")


@rule("openai_responses/call-id-unique")
def call_id_unique(subject: Subject) -> Iterator[Breach]:
    # Later turns may use an id again: an output then answers the latest unanswered call. Within a batch it is
    # unknown which call an output answers.
    yield from duplicate_ids_in_batches(subject.reading.calls)


@rule("openai_responses/item-id-unique")
def item_id_unique(subject: Subject) -> Iterator[Breach]:
    first_entries: dict[str, InputItem] = {}
    ids = first_choices(_item_id(entry) for entry in entries(subject))
    for entry in entries(subject):
        item_id = _item_id(entry)
        # Outputs are left out: local shell outputs carry the call's id there.
        if item_id is None or entry.kind.endswith("_output") or entry.kind == "item_reference":
            continue
        if (first := first_entries.setdefault(item_id, entry)) is not entry:
            message = f"the {first.kind} at {first.pointer} has this id already; it must be another, or be left out"
            want = another_text(item_id, ids)
            yield Breach(entry.member_pointer("id"), message, want, item_id, subject=entry.kind)


def _item_id(entry: InputItem) -> str | None:
    item_id = entry.value.get("id")
    return item_id if isinstance(item_id, str) else None


@rule("openai_responses/item-id-is-not-call-id", "response")
def item_id_is_not_call_id(subject: Subject) -> Iterator[Breach]:
    for entry in entries(subject):
        if entry.kind in ("function_call", "custom_tool_call"):
            item_id = _item_id(entry)
            if item_id is not None and item_id == entry.value.get("call_id"):
                yield Breach(entry.member_pointer("id"), want=another_text(item_id, ()), got=item_id)
