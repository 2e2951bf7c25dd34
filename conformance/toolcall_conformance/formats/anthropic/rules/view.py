"""A view of a request for rules: messages and their blocks with pointers, whatever is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ContentBlock:
    """A content block; string content counts as one text block at the pointer of ``content``."""

    type: str
    value: dict[str, Any]
    pointer: str
    is_string: bool = False

    def text(self, key: str) -> str | None:
        """Return the member ``key`` if it is a string, else None."""
        value = self.value.get(key)
        return value if isinstance(value, str) else None

    def member_pointer(self, key: str) -> str:
        """Return the pointer of the member ``key``, or the block's own if it has no such member."""
        return f"{self.pointer}/{key}" if key in self.value and not self.is_string else self.pointer


@dataclass(frozen=True, slots=True)
class Message:
    """An entry of ``messages``."""

    role: str
    pointer: str
    content: Any
    blocks: list[ContentBlock] = field(default_factory=list)

    def blocks_of_type(self, *types: str) -> list[ContentBlock]:
        """Return the blocks of these types, in order."""
        return [block for block in self.blocks if block.type in types]


def messages(body: Any) -> list[Message]:
    """Return the messages of a request; entries that are no objects are left out."""
    conversation = []
    for place, entry in _objects(_member(body, "messages")):
        role, content, pointer = entry.get("role"), entry.get("content"), f"/messages/{place}"
        blocks = blocks_of(content, f"{pointer}/content")
        if isinstance(content, str) and content:
            blocks = [ContentBlock("text", {"type": "text", "text": content}, f"{pointer}/content", is_string=True)]
        conversation.append(Message(role if isinstance(role, str) else "", pointer, content, blocks))
    return conversation


def blocks_of(content: Any, pointer: str) -> list[ContentBlock]:
    """Return the blocks of the content at ``pointer``; empty if it is no array."""
    return [ContentBlock(_type_text(entry), entry, f"{pointer}/{place}") for place, entry in _objects(content)]


def turns(body: Any) -> list[list[Message]]:
    """Return the user and assistant messages in turns: neighbours of one role together, as the API joins them."""
    runs: list[list[Message]] = []
    for message in messages(body):
        if message.role not in ("user", "assistant"):
            continue
        if runs and runs[-1][0].role == message.role:
            runs[-1].append(message)
        else:
            runs.append([message])
    return runs


def calls(turn: list[Message]) -> list[ContentBlock]:
    """Return the calls of the client's tools in a turn."""
    return [block for message in turn for block in message.blocks_of_type("tool_use")]


def results(turn: list[Message]) -> list[ContentBlock]:
    """Return the tool results of a turn."""
    return [block for message in turn for block in message.blocks_of_type("tool_result")]


def tools(body: Any) -> list[ContentBlock]:
    """Return the declared tools as blocks; a client tool may have an empty ``type``."""
    return blocks_of(_member(body, "tools"), "/tools")


def system(body: Any) -> list[ContentBlock]:
    """Return the blocks of the system prompt."""
    return blocks_of(_member(body, "system"), "/system")


def is_client_tool(tool: ContentBlock) -> bool:
    """Whether a declared tool is the client's own and not defined by Anthropic."""
    return tool.value.get("type") in (None, "custom")


def _member(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _objects(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of an array with their indexes."""
    for place, entry in enumerate(value if isinstance(value, list) else ()):
        if isinstance(entry, dict):
            yield place, entry


def _type_text(entry: dict[str, Any]) -> str:
    kind = entry.get("type")
    return kind if isinstance(kind, str) else ""


def continues_thread(body: Any) -> bool:
    """Whether a request continues a message thread, whose earlier messages it does not hold."""
    return bool(_member(_member(body, "thread"), "type") == "continue")
