"""The items of a body as the rules look at them: with type and pointer, whatever else is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading import Call
from toolcall_conformance.formats.openai_responses.conversation import item_type
from toolcall_conformance.formats.rule import Subject


@dataclass(frozen=True, slots=True)
class InputItem:
    """One item; ``kind`` is its type, also where a message or a reference leaves it out."""

    kind: str
    value: dict[str, Any]
    pointer: str

    def at(self, key: str) -> str:
        """The pointer of a member, or the item's own where it has none."""
        return join(self.pointer, key) if key in self.value else self.pointer


def entries(subject: Subject) -> list[InputItem]:
    """The items of ``input`` or ``output``; what is no object is left out."""
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
    """A member of what may be no object; None where there is none."""
    return value.get(key) if isinstance(value, dict) else None


def call_label(call: Call) -> str:
    """A call in words: its place among the calls and the tool's name."""
    return f"call {call.ordinal + 1}, {call.name}" if call.name else f"call {call.ordinal + 1}"
