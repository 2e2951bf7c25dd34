"""Conversations that a client expects to be kept for it: ``previous_response_id`` names the reply that it goes on from.

Kept are those that were made here, as OpenAI would: the input and output of each reply, unless the request said
``store: false``. Settings, instructions and tools are never kept
(https://platform.openai.com/docs/guides/conversation-state). A reference to a single item stands for the item of a kept
reply that has its id. Each reply is kept once, with the id of the one that it goes on from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import as_list, copied
from toolcall_reference.basics.store import Shelf
from toolcall_reference.conversation.intermediate import Body


@dataclass(frozen=True, slots=True)
class _Kept:
    """A reply: what it goes on from, and all items since then. ``outputs`` are the last ones, which it said itself."""

    before: str | None
    items: list[Any]
    outputs: int

    @property
    def output(self) -> list[Any]:
        return self.items[len(self.items) - self.outputs :]


class StoredReplies:
    """What one client was replied, by the id of the reply, and of which reply an item is, by the item's id."""

    def __init__(self, shelf: Shelf) -> None:
        self._kept = shelf

    def needs_conversation(self, request: Body, /) -> bool:
        """Whether the conversation is needed when its reply is there: unless the client says that nothing be kept."""
        return request.get("store") is not False

    def complete_request(self, body: Body) -> Body:
        """The request with everything before it; Refused where it goes on from a reply that is not kept here.

        What is kept is in it as it is: decoders change nothing.
        """
        previous = body.get("previous_response_id")
        items = self._items(body)
        if previous is None:
            return body if isinstance(body.get("input"), str) else body | {"input": items}
        body = {key: value for key, value in body.items() if key != "previous_response_id"}
        return body | {"input": [*self._until(previous), *items]}

    def keep_reply(self, request: Body, reply: Body) -> None:
        """Remember the reply to a request, which nobody else has."""
        if request.get("store") is False:
            return
        output = copied(reply["output"])
        items = [*self._items(request), *output]
        entry = _Kept(request.get("previous_response_id"), items, len(output))
        self._kept.put(_key("reply", reply["id"]), entry, items)
        for item in output:
            if "id" in item:
                self._kept.put(_key("item", item["id"]), reply["id"], reply["id"])

    def _items(self, body: Body) -> list[Any]:
        """The input of a request as items, with those that it only names."""
        request_input = body.get("input")
        items = (
            [{"role": "user", "content": request_input}]
            if isinstance(request_input, str)
            else as_list(request_input, "input")
        )
        return [self._named(item) for item in items] if len(self._kept) else items

    def _named(self, item: Any) -> Any:
        """The item that a reference stands for; any other as it is."""
        name = named(item)
        reply = None if name is None else self._kept.get(_key("item", name))
        entry: _Kept | None = None if reply is None else self._kept.get(_key("reply", reply))
        return (
            item
            if entry is None
            else next(output_item for output_item in entry.output if output_item.get("id") == name)
        )

    def _until(self, reply: Any) -> list[Any]:
        """All items up to the end of a reply."""
        parts: list[list[Any]] = []
        following: Any = reply
        while following is not None:
            entry: _Kept | None = self._kept.get(_key("reply", str(following)))
            if entry is None:
                raise Refused(f"the reply {reply} is not kept here; send the whole input instead of its id")
            parts.insert(0, entry.items)
            following = entry.before
        return [item for part in parts for item in part]


def _key(kind: str, id: str) -> str:
    return f"{kind} {id}"


def named(item: Any) -> str | None:
    """The id of the item that a reference stands for; None for what is no reference. It may leave out its type."""
    if not isinstance(item, dict) or item.get("type") not in (None, "item_reference") or "role" in item:
        return None
    return item["id"] if isinstance(item.get("id"), str) else None


def refer(request: Body, replies: list[Body]) -> None:
    """Put references in the place of the items that ``replies`` gave, in a request that holds all of them in order.

    What the client brought along stands before them, and stays. A message of several parts is as many in the request.
    """
    items = [item for reply in replies for item in reply["output"]]
    sizes = [max(len(item["content"]), 1) if item["type"] == "message" else 1 for item in items]
    own = [place for place, item in enumerate(request["input"]) if _is_model_s(item)]
    if len(own) < sum(sizes):
        raise ValueError(f"{len(own)} items of the request are the model's, and its replies have {sum(sizes)}")
    own = own[len(own) - sum(sizes) :]
    for item, size in zip(items, sizes, strict=True):
        first, *others = own[:size]
        own = own[size:]
        request["input"][first] = {"type": "item_reference", "id": item["id"]}
        for place in others:
            request["input"][place] = None
    request["input"] = [item for item in request["input"] if item is not None]


def _is_model_s(item: Body) -> bool:
    if "role" in item:
        return bool(item["role"] == "assistant")
    return not str(item["type"]).endswith("_output")
