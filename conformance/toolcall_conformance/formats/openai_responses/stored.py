"""Conversations that OpenAI keeps: a request names an earlier reply and sends only the new entries.

The input and the output of that reply go before the request's own input; settings, instructions and tools are those of
the request alone. A reply to a request with ``store: false`` is not kept
(https://platform.openai.com/docs/guides/conversation-state).
"""

from __future__ import annotations

from typing import Any

from toolcall_conformance.formats.openai_responses.client import CONTAINER, entries
from toolcall_conformance.jsonvalue import copied


def continues(body: dict[str, Any]) -> tuple[str, str] | None:
    """The id of the reply that a request continues from, and its pointer; None if the request is complete."""
    found = body.get("previous_response_id")
    return (found, "/previous_response_id") if isinstance(found, str) and found else None


def whole(body: dict[str, Any], history: list[Any]) -> dict[str, Any]:
    """The request as it would be with the kept ``history`` in it."""
    found: dict[str, Any] = copied({key: value for key, value in body.items() if key != "previous_response_id"})
    found[CONTAINER] = copied(history) + entries(found)
    return found


def kept(body: dict[str, Any], reply: dict[str, Any]) -> tuple[str, list[Any]] | None:
    """The id of a reply and the entries that the provider keeps; ``body`` is a whole request. None if it keeps none."""
    name, output = reply.get("id"), reply.get("output")
    if body.get("store") is False or not isinstance(name, str) or not isinstance(output, list):
        return None
    return name, copied(entries(body)) + copied(output)


def shortened(body: dict[str, Any], reply: dict[str, Any], told: int) -> dict[str, Any] | None:
    """A whole request as one that continues from ``reply``, without the first ``told`` entries; None without an id."""
    name = reply.get("id")
    if not isinstance(name, str) or not name:
        return None
    return {**body, "previous_response_id": name, CONTAINER: entries(body)[told:]}
