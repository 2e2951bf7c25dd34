"""Conversations that a client expects to be kept for it: ``previous_response_id`` names the reply that it goes on from.

A session keeps those that it made itself, as OpenAI would: the input and output of each reply, unless the request said
``store: false``. Settings, instructions and tools are never kept
(https://platform.openai.com/docs/guides/conversation-state).
"""

from __future__ import annotations

from typing import Any

from toolcall_reference.errors import Refused
from toolcall_reference.intermediate import Body
from toolcall_reference.jsontext import as_list, copied


class Replies:
    """What one session has replied, by the id of the reply."""

    def __init__(self) -> None:
        self._kept: dict[str, list[Any]] = {}
        self._asked: list[Any] | None = None

    def whole(self, body: Body) -> Body:
        """The request with everything before it; Refused where it goes on from a reply that is not kept here."""
        given = body.get("input")
        items = [{"role": "user", "content": given}] if isinstance(given, str) else as_list(given, "input")
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
