"""Conversations that OpenAI stores: a request names an earlier reply and sends only the new items.

The input and the output of that reply precede the request's own input; settings, instructions and tools are those of
the request alone. A reply to a request with ``store: false`` is not stored
(https://platform.openai.com/docs/guides/conversation-state). A request may also name single items of earlier replies:
an ``item_reference`` stands for the item of that id
(https://github.com/openai/openai-python/blob/main/src/openai/types/responses/response_input_item_param.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcall_conformance.basics.jsonvalue import deep_copy, join
from toolcall_conformance.formats.openai_responses.client import CONTAINER, entries
from toolcall_conformance.formats.openai_responses.conversation import item_type


def is_stored(body: Any) -> bool:
    """Whether ``store`` is not false."""
    return not isinstance(body, dict) or body.get("store") is not False


def previous_reply(body: dict[str, Any]) -> tuple[str, str] | None:
    """Return ``previous_response_id`` and its pointer; None if the request has none."""
    reply_id = body.get("previous_response_id")
    return (reply_id, "/previous_response_id") if isinstance(reply_id, str) and reply_id else None


def expand(body: dict[str, Any], history: list[Any]) -> dict[str, Any]:
    """Return the request with the stored items before its own input, without ``previous_response_id``."""
    request: dict[str, Any] = deep_copy({key: value for key, value in body.items() if key != "previous_response_id"})
    request[CONTAINER] = deep_copy(history) + entries(request)
    return request


def item_references(body: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the id and the pointer of each ``item_reference`` in ``input``."""
    named = [(place, entry) for place, entry in enumerate(entries(body)) if item_type(entry) == "item_reference"]
    return [(entry["id"], join("", CONTAINER, place)) for place, entry in named if isinstance(entry.get("id"), str)]


def resolve_references(body: dict[str, Any], items: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Return the request with items in place of their references; the request itself if it has none."""
    named = {pointer: name for name, pointer in item_references(body)}
    input_items: list[Any] = []
    for place, entry in enumerate(entries(body)):
        name = named.get(join("", CONTAINER, place))
        input_items += [entry] if name is None else deep_copy(items[name])
    return {**body, CONTAINER: input_items} if named else body


def stored_items(body: dict[str, Any], reply: Any) -> dict[str, list[Any]]:
    """Return the output items of a stored reply that have an id, by id."""
    stored_reply = stored_history(body, reply)
    output = reply["output"] if stored_reply is not None else []
    return {
        item["id"]: [deep_copy(item)] for item in output if isinstance(item, dict) and isinstance(item.get("id"), str)
    }


def replace_items_by_references(body: dict[str, Any]) -> dict[str, Any]:
    """Return the request with references in place of the items that the provider made and gave an id."""
    input_items = [_reference(entry) if _is_provider_item(entry) else entry for entry in entries(body)]
    return {**body, CONTAINER: input_items}


def _is_provider_item(entry: Any) -> bool:
    """Whether an entry is an item that the provider made, with an id."""
    kind = item_type(entry)
    is_from_model = entry.get("role") == "assistant" if kind == "message" else kind and not kind.endswith("_output")
    return bool(is_from_model) and isinstance(entry.get("id"), str)


def _reference(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "item_reference", "id": item["id"]}


def stored_history(body: dict[str, Any], reply: Any) -> tuple[str, list[Any]] | None:
    """Return the id of a reply, and the input and output that the provider stores; None if it stores none."""
    if not isinstance(reply, dict):
        return None  # the provider answered with an error
    name, output = reply.get("id"), reply.get("output")
    if not is_stored(body) or not isinstance(name, str) or not isinstance(output, list):
        return None
    return name, deep_copy(entries(body)) + deep_copy(output)


def shorten(body: dict[str, Any], reply: dict[str, Any], count: int) -> dict[str, Any] | None:
    """Return the request with ``previous_response_id``, without its first ``count`` items."""
    name = reply.get("id")
    if not isinstance(name, str) or not name:
        return None
    return {**body, "previous_response_id": name, CONTAINER: entries(body)[count:]}
