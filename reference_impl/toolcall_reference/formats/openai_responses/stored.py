"""Conversations that a client expects to be kept for it: ``previous_response_id`` names the reply that it goes on from.

A session keeps those that it made itself, as OpenAI would: the input and output of each reply, unless the request said
``store: false``. Settings, instructions and tools are never kept
(https://platform.openai.com/docs/guides/conversation-state). A reference to a single item stands for the item of a kept
reply that has its id.
"""

from __future__ import annotations

from typing import Any

from toolcall_reference.errors import Refused
from toolcall_reference.intermediate import Body
from toolcall_reference.jsontext import as_list, copied


class Replies:
    """What one session has replied, by the id of the reply, and each item of it by its own id."""

    def __init__(self) -> None:
        self._kept: dict[str, list[Any]] = {}
        self._items: dict[str, Body] = {}
        self._asked: list[Any] | None = None

    def whole(self, body: Body) -> Body:
        """The request with everything before it; Refused where it goes on from a reply that is not kept here."""
        given = body.get("input")
        items = [{"role": "user", "content": given}] if isinstance(given, str) else as_list(given, "input")
        if any(named(item) in self._items for item in items):
            items = [copied(self._items.get(named(item) or "", item)) for item in items]
            body = {**body, "input": items}
        previous = body.get("previous_response_id")
        if previous is not None:
            if previous not in self._kept:
                raise Refused(f"the reply {previous} is not kept here; send the whole input instead of its id")
            items = [*copied(self._kept[previous]), *items]
            body = {key: value for key, value in body.items() if key != "previous_response_id"} | {"input": items}
        self._asked = None if body.get("store") is False else copied(items)
        return body

    def keep(self, reply: Body) -> None:
        """Remember the reply to the last request."""
        if self._asked is not None:
            self._kept[reply["id"]] = [*self._asked, *copied(reply["output"])]
            self._items |= {item["id"]: item for item in copied(reply["output"]) if "id" in item}


def named(item: Any) -> str | None:
    """The id of the item that a reference stands for; None for what is no reference. It may leave out its type."""
    if not isinstance(item, dict) or item.get("type") not in (None, "item_reference") or "role" in item:
        return None
    return item["id"] if isinstance(item.get("id"), str) else None


def refer(request: Body, replies: list[Body]) -> None:
    """Put references in the place of the items that ``replies`` gave, in a request that holds all of them in order."""
    given = [item for reply in replies for item in reply["output"]]
    own = [place for place, item in enumerate(request["input"]) if _is_model_s(item)]
    if len(own) != len(given):
        raise ValueError(f"{len(own)} items of the request are the model's, and its replies have {len(given)}")
    for place, item in zip(own, given, strict=True):
        request["input"][place] = {"type": "item_reference", "id": item["id"]}


def _is_model_s(item: Body) -> bool:
    if "role" in item:
        return bool(item["role"] == "assistant")
    return not str(item["type"]).endswith("_output")
