"""Ids: of a call, which its output repeats, and of an item, which nothing repeats."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.openai_responses.rules.view import InputItem, entries
from toolcall_conformance.formats.rule import Subject, ids_once_in_batch, rule
from toolcall_conformance.formats.wanted import another, first_of


@rule("openai_responses/call-id-unique")
def call_id_unique(subject: Subject) -> Iterator[Breach]:
    # Later turns may use an id again: an output then answers the latest unanswered call. Within a batch it is
    # unknown which of the two an output answers.
    yield from ids_once_in_batch(subject.reading.calls)


@rule("openai_responses/item-id-unique")
def item_id_unique(subject: Subject) -> Iterator[Breach]:
    first_entries: dict[str, InputItem] = {}
    ids = first_of(_id_of(entry) for entry in entries(subject))
    for entry in entries(subject):
        item_id = _id_of(entry)
        # Outputs are left out: local shell outputs carry the call's id there.
        if item_id is None or entry.kind.endswith("_output") or entry.kind == "item_reference":
            continue
        if (first := first_entries.setdefault(item_id, entry)) is not entry:
            message = f"the {first.kind} at {first.pointer} has this id already; it must be another, or be left out"
            want = another(item_id, ids)
            yield Breach(entry.at("id"), message, want, item_id, subject=entry.kind)


def _id_of(entry: InputItem) -> str | None:
    item_id = entry.value.get("id")
    return item_id if isinstance(item_id, str) else None


@rule("openai_responses/item-id-is-not-call-id", "response")
def item_id_is_not_call_id(subject: Subject) -> Iterator[Breach]:
    for entry in entries(subject):
        if entry.kind in ("function_call", "custom_tool_call"):
            item_id = _id_of(entry)
            if item_id is not None and item_id == entry.value.get("call_id"):
                yield Breach(entry.at("id"), want=another(item_id, ()), got=item_id)
