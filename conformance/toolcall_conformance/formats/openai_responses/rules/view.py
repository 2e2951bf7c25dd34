"""A view of bodies for rules: items with type and pointer, whatever else is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading import Call
from toolcall_conformance.formats.openai_responses.conversation import item_type
from toolcall_conformance.formats.rule import Subject


@dataclass(frozen=True, slots=True)
class InputItem:
    """An item; ``kind`` is its type, also if a message or a reference leaves it out."""

    kind: str
    value: dict[str, Any]
    pointer: str

    def member_pointer(self, key: str) -> str:
        """Return the pointer of a member, or the item's own if it has no such member."""
        return join(self.pointer, key) if key in self.value else self.pointer


def entries(subject: Subject) -> list[InputItem]:
    """Return the items of ``input`` or ``output`` that are objects."""
    return subject.derive(_input_items if subject.direction == "request" else _output_items)


def _input_items(body: Any) -> list[InputItem]:
    return _listed_items(body, "input")


def _output_items(body: Any) -> list[InputItem]:
    return _listed_items(body, "output")


def _listed_items(body: Any, key: str) -> list[InputItem]:
    items = member(body, key)
    indexed_items = enumerate(items) if isinstance(items, list) else ()
    return [
        InputItem(item_type(item), item, join("", key, index))
        for index, item in indexed_items
        if isinstance(item, dict)
    ]


def member(value: Any, key: str) -> Any:
    """Return a member of a value; None if it has none or is no object."""
    return value.get(key) if isinstance(value, dict) else None


def call_label(call: Call) -> str:
    """Return a call's label in reports: its number and the tool's name."""
    return f"call {call.ordinal + 1}, {call.name}" if call.name else f"call {call.ordinal + 1}"
