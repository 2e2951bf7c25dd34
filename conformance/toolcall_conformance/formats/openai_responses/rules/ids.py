"""Ids: of a call, which its output repeats, and of an item, which nothing repeats."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.formats.openai_responses.rules.view import entries, name_of
from toolcall_conformance.formats.rule import Subject, rule
from toolcall_conformance.reading.breach import Breach


@rule("openai_responses/call-id-unique")
def call_id_unique(subject: Subject) -> Iterator[Breach]:
    # Later turns may use an id again: an output then answers the latest unanswered call. Within a batch it is
    # unknown which of the two an output answers.
    seen: set[tuple[int, str]] = set()
    for call in subject.reading.calls:
        if call.id is None:
            continue
        if (call.batch, call.id) in seen:
            yield Breach(call.id_pointer or call.pointer, got=call.id, subject=name_of(call))
        seen.add((call.batch, call.id))


@rule("openai_responses/item-id-unique")
def item_id_unique(subject: Subject) -> Iterator[Breach]:
    seen: set[str] = set()
    for entry in entries(subject):
        item_id = entry.value.get("id")
        # Outputs are left out: local shell outputs carry the call's id there.
        if not isinstance(item_id, str) or entry.kind.endswith("_output") or entry.kind == "item_reference":
            continue
        if item_id in seen:
            yield Breach(entry.at("id"), got=item_id)
        seen.add(item_id)


@rule("openai_responses/item-id-is-not-call-id", "response")
def item_id_is_not_call_id(subject: Subject) -> Iterator[Breach]:
    for entry in entries(subject):
        if entry.kind in ("function_call", "custom_tool_call"):
            item_id = entry.value.get("id")
            if isinstance(item_id, str) and item_id == entry.value.get("call_id"):
                yield Breach(entry.at("id"), got=item_id)
