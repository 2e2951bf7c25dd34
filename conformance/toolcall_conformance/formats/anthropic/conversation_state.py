"""Conversations that Anthropic stores: message threads.

The conversation of a request with ``thread: {"type": "create"}`` is stored under the id of the reply. A request with
``continue`` names that reply and sends only the new messages; system prompt and tools are those of the thread, and may
not be sent again (https://platform.claude.com/docs/en/build-with-claude/message-threads).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolcall_conformance.basics.jsonvalue import deep_copy
from toolcall_conformance.formats.anthropic.client import CONTAINER, entries

THREAD_KEYS: Final = ("system", "tools")
"""The keys that a request that continues a thread may not send again."""


def is_stored(body: Any) -> bool:
    """Whether a request creates or continues a thread."""
    thread = body.get("thread") if isinstance(body, dict) else None
    return isinstance(thread, dict) and thread.get("type") in ("create", "continue")


def previous_reply(body: dict[str, Any]) -> tuple[str, str] | None:
    """Return the ``previous_message_id`` of a thread that continues, and its pointer."""
    thread = body.get("thread")
    if not isinstance(thread, dict) or thread.get("type") != "continue":
        return None
    reply_id = thread.get("previous_message_id")
    return (reply_id, "/thread/previous_message_id") if isinstance(reply_id, str) and reply_id else None


def expand(body: dict[str, Any], history: list[Any]) -> dict[str, Any]:
    """Return the request that creates a thread with the stored messages and the new ones."""
    return {**deep_copy(body), "thread": {"type": "create"}, CONTAINER: deep_copy(history) + deep_copy(entries(body))}


def stored_history(body: dict[str, Any], reply: Any) -> tuple[str, list[Any]] | None:
    """Return the id of a reply and the messages of its thread; None if the request has no thread."""
    if not is_stored(body) or not isinstance(reply, dict):
        return None
    name, content = reply.get("id"), reply.get("content")
    if not isinstance(name, str) or not isinstance(content, list):
        return None
    return name, [*deep_copy(entries(body)), {"role": "assistant", "content": deep_copy(content)}]


def shorten(body: dict[str, Any], reply: dict[str, Any], count: int) -> dict[str, Any] | None:
    """Return a request that continues the thread of ``reply``, without the keys that the thread has."""
    name = reply.get("id")
    if not isinstance(name, str) or not name:
        return None
    rest = {key: value for key, value in body.items() if key not in THREAD_KEYS}
    return {**rest, "thread": {"type": "continue", "previous_message_id": name}, CONTAINER: entries(body)[count:]}


def item_references(body: dict[str, Any]) -> list[tuple[str, str]]:
    """Return an empty list: no request names a single block."""
    del body
    return []


def resolve_references(body: dict[str, Any], items: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Return the request itself: it has no references."""
    del items
    return body


def stored_items(body: dict[str, Any], reply: Any) -> dict[str, list[Any]]:
    """Return an empty mapping: no block can be sent by its id."""
    del body, reply
    return {}


def replace_items_by_references(body: dict[str, Any]) -> dict[str, Any]:
    """Return the request itself: no block can be sent by its id."""
    return body
