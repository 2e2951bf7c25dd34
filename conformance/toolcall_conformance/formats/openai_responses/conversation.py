"""Items: the steps of a conversation, in ``input`` and in ``output`` alike, gathered into turns."""

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
from toolcall_conformance.formats.openai_responses.pairing import Ledger
from toolcall_conformance.formats.openai_responses.parts import read_content
from toolcall_conformance.formats.openai_responses.tools import read_tools

#: Calls that OpenAI defines and the client carries out: item type -> the key that says what to do.
BUILTIN_CALLS = {
    "local_shell_call": "action",
    "shell_call": "action",
    "computer_call": "action",
    "apply_patch_call": "operation",
    "tool_search_call": "arguments",
}

#: What the client sends back, by the type of the call that it answers.
OUTPUT_OF = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    **{call: f"{call}_output" for call in BUILTIN_CALLS},
    "tool_search_call": "tool_search_output",
}

_SEARCHES = frozenset({"tool_search_call", "tool_search_output"})

#: Steps that OpenAI carries out, or that concern no tools. A search for tools is one unless the client carries it out.
HOSTED = frozenset(
    {
        *("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"),
        *("mcp_call", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response"),
        *("tool_search_call", "tool_search_output", "program", "program_output", "item_reference"),
    }
)

#: Items without content of their own.
SILENT = frozenset({"configuration_update"})

_SIDES = {"assistant": "assistant", "system": "system", "developer": "system"}


def is_hosted(kind: str, item: Any) -> bool:
    """Whether an item is a step that OpenAI carries out; a search for tools says who carries it out.

    https://github.com/openai/openai-python/blob/main/src/openai/types/responses/response_tool_search_call.py
    """
    return kind in HOSTED and not (kind in _SEARCHES and isinstance(item, dict) and item.get("execution") == "client")


def kind_of(item: Any) -> str:
    """An item's type; a message and a reference may leave it out. ``""`` for what is no item at all."""
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
        self._ledger = Ledger()
        self._hosted_ids: set[str] = set()
        self._search_ids: set[str] = set()
        self._calls = 0
        self._batch = -1
        self._in_batch = False
        self._groups = -1

    def read(self, items: Node) -> None:
        """Read a list of items in order."""
        for node in items.each():
            kind = kind_of(node.value)
            _READERS.get(kind, ItemReader._unknown)(self, node, kind)

    def say(self, side: str, item: Item) -> None:
        """Add an item to the side's current turn, or to a new one."""
        self._turn(side, item.pointer).items.append(item)

    def _turn(self, side: str, pointer: str) -> Turn:
        turns = self.reading.turns
        if not turns or turns[-1].side != side:
            turns.append(Turn(side, pointer))
            self._groups += side == "user"
        self._in_batch = self._in_batch and side == "assistant"
        return turns[-1]

    def _message(self, node: Node, _: str) -> None:
        node.ignore("type", "id", "status", "phase")
        side = _SIDES.get(node.text("role") or "", "user")
        for item in read_content(node.child("content"), self.reading.residue):
            if side == "system" and not self.reading.turns and isinstance(item, Text):
                self.reading.system.append(item)
            else:
                self.say(side, item)
        node.close(self.reading.residue)

    def _function_call(self, node: Node, _: str) -> None:
        node.ignore("type", "id", "status", "namespace", "caller", "async")
        self._call(node, "function", read_arguments(node.get("arguments")), "arguments")

    def _custom_call(self, node: Node, _: str) -> None:
        node.ignore("type", "id", "status", "namespace", "caller", "async")
        self._call(node, "custom", node.get("input"), "input")

    def _builtin_call(self, node: Node, kind: str) -> None:
        place = node.child("environment")
        if is_hosted(kind, node.value) or (kind == "shell_call" and place.text("type") == "container_reference"):
            self._hosted(node, kind)
            return
        node.ignore(*node.value)
        if kind in _SEARCHES:
            self._search_ids.add(node.text("call_id") or "")
        key = "actions" if kind == "computer_call" and "actions" in node else BUILTIN_CALLS[kind]
        self._call(node, "builtin", node.get(key), key, name=kind.removesuffix("_call"))

    def _call(self, node: Node, kind: str, arguments: Any, key: str, name: str | None = None) -> None:
        if not self._in_batch:
            self._batch += 1
        call = Call(
            self._calls,
            self._batch,
            name or node.text("name"),
            arguments,
            node.text("call_id"),
            node.pointer,
            name_pointer=_place(node, "type" if name else "name"),
            arguments_pointer=_place(node, key),
            id_pointer=_place(node, "call_id"),
            kind=kind,
            namespace=node.text("namespace"),
        )
        self._calls += 1
        self._ledger.enter(call.id, call.ordinal, call.batch)
        self.say("assistant", call)
        self._in_batch = True
        node.close(self.reading.residue)

    def _output(self, node: Node, kind: str) -> None:
        call_id = node.text("call_id")
        # An output that does not say who ran its search answers the client's own, if that has its id.
        is_clients = call_id is not None and call_id in self._search_ids
        if (is_hosted(kind, node.value) and not is_clients) or (call_id is not None and call_id in self._hosted_ids):
            self._hosted(node, kind)
            return
        if kind == "local_shell_call_output" and call_id is None:
            call_id = node.text("id")
        node.ignore("type", "id", "status", "namespace", "caller", "created_by")
        node.ignore("max_output_length", "acknowledged_safety_checks")
        content = "tools" if kind == "tool_search_output" else "output"
        if kind == "tool_search_output":
            node.ignore("execution")
            self.reading.loaded_tools.extend(read_tools(node.child(content), []))
        call = self._ledger.answer(call_id)
        parts = _output_parts(node.child(content), kind, self.reading)
        turn = self._turn("user", node.pointer)
        turn.items.append(
            Result(
                call,
                call_id,
                node.text("name"),
                parts,
                _failed(node, kind),
                node.pointer,
                group=self._groups,
                content_pointer=_place(node, content),
                id_pointer=_place(node, "call_id"),
                name_pointer=_place(node, "name"),
            )
        )
        node.close(self.reading.residue)

    def _reasoning(self, node: Node, _: str) -> None:
        node.ignore("type", "id", "status")
        for key in ("summary", "content"):
            for part in node.child(key).each():
                part.ignore("type")
                text = part.child("text")
                if isinstance(text.value, str) and text.value.strip():
                    self.say("assistant", Reasoning(text.value, text.pointer))
                part.close(self.reading.residue)
        self._sealed(node)

    def _compaction(self, node: Node, kind: str) -> None:
        node.ignore("type", "id", "created_by")
        if self.reading.direction != "request":
            self._sealed(node)
            return
        state = node.text("encrypted_content")
        if state:
            self.reading.stored.append(Stored("compaction", state, node.pointer))
        self.say("assistant", Hosted(kind, kind, node.text("id"), node.value, node.pointer))
        node.close(self.reading.residue)

    def _trigger(self, node: Node, _: str) -> None:
        self.reading.compacts = node.pointer

    def _sealed(self, node: Node) -> None:
        state = node.child("encrypted_content")
        if isinstance(state.value, str) and state.value:
            self.say(
                "assistant",
                Opaque(
                    state.value,
                    state.pointer,
                    "openai_responses",
                    sealed_id=node.text("id"),
                    id_pointer=_place(node, "id") or "",
                ),
            )
        node.close(self.reading.residue)

    def _hosted(self, node: Node, kind: str) -> None:
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
        self.say("user" if ours else "assistant", Hosted(kind, name, link, node.value, node.pointer, drawn))

    def _reference(self, node: Node, kind: str) -> None:
        name = node.text("id")
        if name:
            self.reading.stored.append(Stored("item", name, node.pointer))
        self._hosted(node, kind)

    def _tools(self, node: Node, _: str) -> None:
        node.ignore("type", "id", "role")
        tools = read_tools(node.child("tools"), self.reading.residue)
        self.reading.tools.extend(replace(tool, in_history=True) for tool in tools)
        node.close(self.reading.residue)

    def _silent(self, node: Node, _: str) -> None:
        """Configuration in the middle of a conversation: nothing that anybody said."""

    def _unknown(self, node: Node, kind: str) -> None:
        side = "user" if kind.endswith("_output") else "assistant"
        self.say(side, Unknown(kind, node.pointer))


_READERS: dict[str, Callable[[ItemReader, Node, str], None]] = {
    "message": ItemReader._message,
    "function_call": ItemReader._function_call,
    "custom_tool_call": ItemReader._custom_call,
    "reasoning": ItemReader._reasoning,
    "compaction": ItemReader._compaction,
    "compaction_trigger": ItemReader._trigger,
    "additional_tools": ItemReader._tools,
    **dict.fromkeys(HOSTED, ItemReader._hosted),
    **dict.fromkeys(BUILTIN_CALLS, ItemReader._builtin_call),
    **dict.fromkeys(OUTPUT_OF.values(), ItemReader._output),
    "item_reference": ItemReader._reference,
    **dict.fromkeys(SILENT, ItemReader._silent),
}


def _place(node: Node, key: str) -> str | None:
    return node.child(key).pointer if key in node else None


def _failed(node: Node, kind: str) -> bool | None:
    """Only a patch's output can say that it failed; a ``status`` elsewhere tells how far an item got."""
    if kind != "apply_patch_call_output":
        return None
    return {"failed": True, "completed": False}.get(node.text("status") or "")


def _output_parts(node: Node, kind: str, reading: Reading) -> tuple[Any, ...]:
    if kind == "tool_search_output":
        return (Value(node.value, node.pointer),) if isinstance(node.value, list) else ()
    if kind == "shell_call_output" and isinstance(node.value, list):
        return (Value(node.value, node.pointer),) if node.value else ()
    if node.is_object and kind != "computer_call_output":
        return (Value(node.value, node.pointer),)
    parts = read_content(node, reading.residue)
    return tuple(part if isinstance(part, (Text, Media)) else _kept(part, node) for part in parts)


def _kept(part: Item, output: Node) -> Value:
    """A part of no known kind as it stands, so that what it says is not lost."""
    if part.pointer == output.pointer or not isinstance(output.value, list):
        return Value(output.value, output.pointer)
    tail = part.pointer[len(output.pointer) + 1 :].split("/")[0]
    return Value(output.value[int(tail)], f"{output.pointer}/{tail}")
