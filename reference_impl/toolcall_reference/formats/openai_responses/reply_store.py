"""Stored conversations: ``previous_response_id`` names the reply that a request continues.

As at OpenAI, the input and output of each reply are stored, unless the request has ``store: false``. Settings,
instructions and tools are never stored (https://platform.openai.com/docs/guides/conversation-state). An item reference
stands for the item with its id in a stored reply. Each reply is stored once, with the id of the one that it continues.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import as_list, copy_json
from toolcall_reference.basics.store import Shelf
from toolcall_reference.conversation.intermediate import Body


@dataclass(frozen=True, slots=True)
class _StoredReply:
    """A reply: the id of the reply that it continues, and all items since; the last ``output_count`` are its output."""

    previous_id: str | None
    items: list[Any]
    output_count: int

    @property
    def output(self) -> list[Any]:
        return self.items[len(self.items) - self.output_count :]


class StoredReplies:
    """One client's replies by their id, and the reply of each item by the item's id."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def needs_conversation(self, request: Body, /) -> bool:
        """Whether the request's conversation is needed to store its reply: unless it has ``store: false``."""
        return request.get("store") is not False

    def complete_request(self, body: Body) -> Body:
        """The request with its whole history. Raises Refused if it continues an unknown reply.

        The stored items are not copied: decoders change nothing.
        """
        previous = body.get("previous_response_id")
        items = self._input_items(body)
        if previous is None:
            return body if isinstance(body.get("input"), str) else body | {"input": items}
        body = {key: value for key, value in body.items() if key != "previous_response_id"}
        return body | {"input": [*self._items_until(previous), *items]}

    def keep_reply(self, request: Body, reply: Body) -> None:
        """Store the reply to a request, unless it has ``store: false``."""
        if request.get("store") is False:
            return
        output = copy_json(reply["output"])
        items = [*self._input_items(request), *output]
        entry = _StoredReply(request.get("previous_response_id"), items, len(output))
        self._shelf.put(_shelf_key("reply", reply["id"]), entry, items)
        for item in output:
            if "id" in item:
                self._shelf.put(_shelf_key("item", item["id"]), reply["id"], reply["id"])

    def _input_items(self, body: Body) -> list[Any]:
        """The input of a request as items, references resolved."""
        request_input = body.get("input")
        items = (
            [{"role": "user", "content": request_input}]
            if isinstance(request_input, str)
            else as_list(request_input, "input")
        )
        return [self._resolve_reference(item) for item in items] if len(self._shelf) else items

    def _resolve_reference(self, item: Any) -> Any:
        """The item of a reference; any other item unchanged."""
        name = reference_id(item)
        reply = None if name is None else self._shelf.get(_shelf_key("item", name))
        entry: _StoredReply | None = None if reply is None else self._shelf.get(_shelf_key("reply", reply))
        return (
            item
            if entry is None
            else next(output_item for output_item in entry.output if output_item.get("id") == name)
        )

    def _items_until(self, reply: Any) -> list[Any]:
        """All items up to and including a reply's output."""
        parts: list[list[Any]] = []
        following: Any = reply
        while following is not None:
            entry: _StoredReply | None = self._shelf.get(_shelf_key("reply", str(following)))
            if entry is None:
                raise Refused(f"the reply {reply} is not kept here; send the whole input instead of its id")
            parts.insert(0, entry.items)
            following = entry.previous_id
        return [item for part in parts for item in part]


def _shelf_key(kind: str, id: str) -> str:
    return f"{kind} {id}"


def reference_id(item: Any) -> str | None:
    """The item id of a reference, which may omit its type; None for any other item."""
    if not isinstance(item, dict) or item.get("type") not in (None, "item_reference") or "role" in item:
        return None
    return item["id"] if isinstance(item.get("id"), str) else None


def put_references(request: Body, replies: list[Body]) -> None:
    """Replace the items of ``replies`` by references in a request that holds all of them in order.

    Items that the client brought are before them, and stay. A message of several parts is as many items in the request.
    """
    items = [item for reply in replies for item in reply["output"]]
    sizes = [max(len(item["content"]), 1) if item["type"] == "message" else 1 for item in items]
    places = [place for place, item in enumerate(request["input"]) if _is_from_model(item)]
    if len(places) < sum(sizes):
        raise ValueError(f"{len(places)} items of the request are the model's, and its replies have {sum(sizes)}")
    places = places[len(places) - sum(sizes) :]
    for item, size in zip(items, sizes, strict=True):
        first, *others = places[:size]
        places = places[size:]
        request["input"][first] = {"type": "item_reference", "id": item["id"]}
        for place in others:
            request["input"][place] = None
    request["input"] = [item for item in request["input"] if item is not None]


def _is_from_model(item: Body) -> bool:
    if "role" in item:
        return bool(item["role"] == "assistant")
    return not str(item["type"]).endswith("_output")
