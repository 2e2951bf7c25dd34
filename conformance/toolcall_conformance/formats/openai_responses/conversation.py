"""Reads the items of ``input`` and ``output`` into turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.reading import (
    Call,
    Hosted,
    Media,
    Node,
    Opaque,
    Reading,
    Reasoning,
    Result,
    Stored,
    Text,
    Turn,
    Unknown,
    Value,
)
from toolcall_conformance.basics.reading.arguments import read_arguments
from toolcall_conformance.basics.reading.model import Item
from toolcall_conformance.formats.openai_responses.pairing import ResponsesPairing
from toolcall_conformance.formats.openai_responses.parts import read_content
from toolcall_conformance.formats.openai_responses.tools import read_tools

#: Calls of tools that OpenAI defines and the client runs: by item type, the key with the arguments.
BUILTIN_CALL_KEYS = {
    "local_shell_call": "action",
    "shell_call": "action",
    "computer_call": "action",
    "apply_patch_call": "operation",
    "tool_search_call": "arguments",
}

#: The type of the output item, by the type of the call that it answers.
OUTPUT_TYPES = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    **{call: f"{call}_output" for call in BUILTIN_CALL_KEYS},
    "tool_search_call": "tool_search_output",
}

_TOOL_SEARCH_TYPES = frozenset({"tool_search_call", "tool_search_output"})

#: Types of steps that OpenAI runs, or that concern no tools; a tool search is one unless the client runs it.
HOSTED_TYPES = frozenset(
    {
        *("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"),
        *("mcp_call", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response"),
        *("tool_search_call", "tool_search_output", "program", "program_output", "item_reference"),
    }
)

#: Types of items without content.
SILENT_TYPES = frozenset({"configuration_update"})

_SIDES = {"assistant": "assistant", "system": "system", "developer": "system"}


def is_hosted(kind: str, item: Any) -> bool:
    """Whether an item is a step that OpenAI runs; a tool search says in ``execution`` who runs it.

    https://github.com/openai/openai-python/blob/main/src/openai/types/responses/response_tool_search_call.py
    """
    return kind in HOSTED_TYPES and not (
        kind in _TOOL_SEARCH_TYPES and isinstance(item, dict) and item.get("execution") == "client"
    )


def item_type(item: Any) -> str:
    """Return an item's type, which a message or a reference may leave out; empty for what is no item."""
    if not isinstance(item, dict):
        return ""
    kind = item.get("type")
    if isinstance(kind, str):
        return kind
    if kind is None and isinstance(item.get("role"), str):
        return "message"
    return "item_reference" if kind is None and isinstance(item.get("id"), str) else ""


class ItemReader:
    """Reads items one by one into the turns of a reading."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._pairing = ResponsesPairing()
        self._hosted_ids: set[str] = set()
        self._search_ids: set[str] = set()
        self._calls = 0
        self._batch = -1
        self._in_batch = False
        self._groups = -1

    def read(self, items: Node) -> None:
        """Read a list of items in order."""
        for node in items.each():
            kind = item_type(node.value)
            _READERS.get(kind, ItemReader._read_unknown)(self, node, kind)

    def add_item(self, side: str, item: Item) -> None:
        """Add an item to the side's current turn, or to a new one."""
        self._current_turn(side, item.pointer).items.append(item)

    def _current_turn(self, side: str, pointer: str) -> Turn:
        turns = self.reading.turns
        if not turns or turns[-1].side != side:
            turns.append(Turn(side, pointer))
            self._groups += side == "user"
        self._in_batch = self._in_batch and side == "assistant"
        return turns[-1]

    def _read_message(self, node: Node, _: str) -> None:
        node.ignore("type", "id", "status", "phase")
        side = _SIDES.get(node.text("role") or "", "user")
        phase_pointer = _member_pointer(node, "phase") if node.text("phase") and side == "assistant" else None
        for item in read_content(node.child("content"), self.reading.residue):
            if phase_pointer is not None and isinstance(item, Text):
                item = replace(item, phase_pointer=phase_pointer)
            if side == "system" and not self.reading.turns and isinstance(item, Text):
                self.reading.system.append(item)
            else:
                self.add_item(side, item)
        node.close(self.reading.residue)

    def _read_function_call(self, node: Node, _: str) -> None:
        node.ignore("type", "id", "status", "namespace", "caller", "async")
        self._add_call(node, "function", read_arguments(node.get("arguments")), "arguments")

    def _read_custom_call(self, node: Node, _: str) -> None:
        node.ignore("type", "id", "status", "namespace", "caller", "async")
        self._add_call(node, "custom", node.get("input"), "input")

    def _read_builtin_call(self, node: Node, kind: str) -> None:
        place = node.child("environment")
        if is_hosted(kind, node.value) or (kind == "shell_call" and place.text("type") == "container_reference"):
            self._read_hosted(node, kind)
            return
        node.ignore(*node.value)
        if kind in _TOOL_SEARCH_TYPES:
            self._search_ids.add(node.text("call_id") or "")
        key = "actions" if kind == "computer_call" and "actions" in node else BUILTIN_CALL_KEYS[kind]
        self._add_call(node, "builtin", node.get(key), key, name=kind.removesuffix("_call"))

    def _add_call(self, node: Node, kind: str, arguments: Any, key: str, name: str | None = None) -> None:
        if not self._in_batch:
            self._batch += 1
        call = Call(
            self._calls,
            self._batch,
            name or node.text("name"),
            arguments,
            node.text("call_id"),
            node.pointer,
            name_pointer=_member_pointer(node, "type" if name else "name"),
            arguments_pointer=_member_pointer(node, key),
            id_pointer=_member_pointer(node, "call_id"),
            kind=kind,
            namespace=node.text("namespace"),
        )
        self._calls += 1
        self._pairing.add_call(call.id, call.ordinal, call.batch)
        self.add_item("assistant", call)
        self._in_batch = True
        node.close(self.reading.residue)

    def _read_output(self, node: Node, kind: str) -> None:
        """Read the output of a call; that of a hosted call is a hosted step."""
        call_id = node.text("call_id")
        # An output that does not say who ran its search answers the client's search of its id, if there is one.
        is_clients = call_id is not None and call_id in self._search_ids
        if (is_hosted(kind, node.value) and not is_clients) or (call_id is not None and call_id in self._hosted_ids):
            self._read_hosted(node, kind)
            return
        if kind == "local_shell_call_output" and call_id is None:
            call_id = node.text("id")
        node.ignore("type", "id", "status", "namespace", "caller", "created_by")
        node.ignore("max_output_length", "acknowledged_safety_checks")
        content = "tools" if kind == "tool_search_output" else "output"
        if kind == "tool_search_output":
            node.ignore("execution")
            self.reading.loaded_tools.extend(read_tools(node.child(content), []))
        call = self._pairing.answered_call(call_id)
        parts = _read_output_parts(node.child(content), kind, self.reading)
        turn = self._current_turn("user", node.pointer)
        turn.items.append(
            Result(
                call,
                call_id,
                node.text("name"),
                parts,
                _output_failed(node, kind),
                node.pointer,
                group=self._groups,
                content_pointer=_member_pointer(node, content),
                id_pointer=_member_pointer(node, "call_id"),
                name_pointer=_member_pointer(node, "name"),
            )
        )
        node.close(self.reading.residue)

    def _read_reasoning(self, node: Node, _: str) -> None:
        node.ignore("type", "id", "status")
        for key in ("summary", "content"):
            for part in node.child(key).each():
                part.ignore("type")
                text = part.child("text")
                if isinstance(text.value, str) and text.value.strip():
                    self.add_item("assistant", Reasoning(text.value, text.pointer))
                part.close(self.reading.residue)
        self._add_sealed_state(node)

    def _read_compaction(self, node: Node, kind: str) -> None:
        node.ignore("type", "id", "created_by")
        if self.reading.direction != "request":
            self._add_sealed_state(node)
            return
        state = node.text("encrypted_content")
        if state:
            self.reading.stored.append(Stored("compaction", state, node.pointer))
        self.add_item("assistant", Hosted(kind, kind, node.text("id"), node.value, node.pointer))
        node.close(self.reading.residue)

    def _read_compaction_trigger(self, node: Node, _: str) -> None:
        self.reading.compacts = node.pointer

    def _add_sealed_state(self, node: Node) -> None:
        """Add the ``encrypted_content`` of an item as opaque state."""
        state = node.child("encrypted_content")
        if isinstance(state.value, str) and state.value:
            self.add_item(
                "assistant",
                Opaque(
                    state.value,
                    state.pointer,
                    "openai_responses",
                    sealed_id=node.text("id"),
                    id_pointer=_member_pointer(node, "id") or "",
                ),
            )
        node.close(self.reading.residue)

    def _read_hosted(self, node: Node, kind: str) -> None:
        """Read a step that OpenAI runs, with the tools or the image that it brings."""
        node.ignore(*node.value)
        call_id = node.text("call_id")
        if call_id is not None:
            self._hosted_ids.add(call_id)
        ours = kind == "mcp_approval_response"
        if kind == "tool_search_output":
            self.reading.loaded_tools.extend(read_tools(node.child("tools"), []))
        name = node.text("name") or kind.removesuffix("_call")
        link = call_id or node.text("approval_request_id") or node.text("id")
        result = node.child("result") if kind == "image_generation_call" else None
        drawn = Media("image", None, result.pointer, data=result.value) if result and result.value else None
        self.add_item("user" if ours else "assistant", Hosted(kind, name, link, node.value, node.pointer, drawn))

    def _read_reference(self, node: Node, kind: str) -> None:
        name = node.text("id")
        if name:
            self.reading.stored.append(Stored("item", name, node.pointer))
        self._read_hosted(node, kind)

    def _read_tools(self, node: Node, _: str) -> None:
        node.ignore("type", "id", "role")
        tools = read_tools(node.child("tools"), self.reading.residue)
        self.reading.tools.extend(replace(tool, in_history=True) for tool in tools)
        node.close(self.reading.residue)

    def _skip_item(self, node: Node, _: str) -> None:
        """Skip configuration within a conversation: it has no content."""

    def _read_unknown(self, node: Node, kind: str) -> None:
        side = "user" if kind.endswith("_output") else "assistant"
        self.add_item(side, Unknown(kind, node.pointer))


_READERS: dict[str, Callable[[ItemReader, Node, str], None]] = {
    "message": ItemReader._read_message,
    "function_call": ItemReader._read_function_call,
    "custom_tool_call": ItemReader._read_custom_call,
    "reasoning": ItemReader._read_reasoning,
    "compaction": ItemReader._read_compaction,
    "compaction_trigger": ItemReader._read_compaction_trigger,
    "additional_tools": ItemReader._read_tools,
    **dict.fromkeys(HOSTED_TYPES, ItemReader._read_hosted),
    **dict.fromkeys(BUILTIN_CALL_KEYS, ItemReader._read_builtin_call),
    **dict.fromkeys(OUTPUT_TYPES.values(), ItemReader._read_output),
    "item_reference": ItemReader._read_reference,
    **dict.fromkeys(SILENT_TYPES, ItemReader._skip_item),
}


def _member_pointer(node: Node, key: str) -> str | None:
    return node.child(key).pointer if key in node else None


def _output_failed(node: Node, kind: str) -> bool | None:
    """Return whether a patch failed; None for other outputs, whose ``status`` is the progress of the item."""
    if kind != "apply_patch_call_output":
        return None
    return {"failed": True, "completed": False}.get(node.text("status") or "")


def _read_output_parts(node: Node, kind: str, reading: Reading) -> tuple[Any, ...]:
    if kind == "tool_search_output":
        return (Value(node.value, node.pointer),) if isinstance(node.value, list) else ()
    if kind == "shell_call_output" and isinstance(node.value, list):
        return (Value(node.value, node.pointer),) if node.value else ()
    if node.is_object and kind != "computer_call_output":
        return (Value(node.value, node.pointer),)
    parts = read_content(node, reading.residue)
    return tuple(part if isinstance(part, (Text, Media)) else _unknown_part_value(part, node) for part in parts)


def _unknown_part_value(part: Item, output: Node) -> Value:
    """Return an unknown part as a Value, so that its content is not lost."""
    if part.pointer == output.pointer or not isinstance(output.value, list):
        return Value(output.value, output.pointer)
    tail = part.pointer[len(output.pointer) + 1 :].split("/")[0]
    return Value(output.value[int(tail)], f"{output.pointer}/{tail}")
