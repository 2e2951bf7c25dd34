"""The client's side of a conversation: builds the next request from the reply that the client received."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import deep_copy, resolve
from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.checks.conversation.captions import rename_captions
from toolcall_conformance.library import Exchange


@dataclass(frozen=True, slots=True)
class ClientHabit:
    """The behaviour of a client.

    ``echo``: it sends back unknown keys. ``swap``: it sends results in the reverse order. ``stored``: it names the
    reply that it continues from and sends only the new entries. ``referring``: it sends a reference in the place of
    each item that it received.
    """

    echo: bool = True
    swap: bool = False
    stored: bool = False
    referring: bool = False

    @property
    def rests_on_memory(self) -> bool:
        """Whether its requests leave earlier items to the provider's memory."""
        return self.stored or self.referring


class UncontinuableError(Exception):
    """A reply that the conversation cannot continue from; ``want`` and ``got`` are those of the finding."""

    def __init__(self, message: str, want: Any, got: Any) -> None:
        super().__init__(message)
        self.want, self.got = want, got


def continue_from_reply(
    format_name: str, before: dict[str, Any], reply: dict[str, Any], following: Exchange, habit: ClientHabit
) -> dict[str, Any]:
    """The client's next request in the format ``format_name``.

    ``before`` is the request that was sent, ``reply`` what the translator returned. The user adds what the corpus's
    ``following`` request adds: the same results, now for the calls of ``reply`` in their order. ``following`` is whole:
    an entry that it only names stands in it. Raises UncontinuableError.
    """
    client = formats.get(format_name).client
    golden = formats.read(format_name, "request", following.request)
    # Only the conversation has calls; the rest of the request, such as all tools, takes longer to read.
    history = {client.CONTAINER: deep_copy(client.entries(before)) + client.as_history(reply, echo=habit.echo)}
    calls = formats.read(format_name, "request", history).calls
    if len(calls) != len(golden.calls):
        earlier_count = len(formats.read(format_name, "request", before).calls)
        want, got = len(golden.calls) - earlier_count, len(calls) - earlier_count
        raise UncontinuableError(
            f"the reply has {got} {'call' if got == 1 else 'calls'}, the provider's had {want}", want, got
        )
    start = start_of_tail(golden, client.CONTAINER)
    request = rename_captions(following.request, golden, {call.ordinal: call.id for call in calls})
    tail = deep_copy(client.entries(request)[start:])
    for result in golden.results:
        place = _entry(result.pointer, client.CONTAINER)
        if place is None or place[0] < start or result.call is None:
            continue
        call = calls[result.call]
        if not client.relink(resolve(tail[place[0] - start], place[1]), resolve(history, call.pointer)):
            message = f"the reply calls {call.name} in a form that the client cannot answer"
            raise UncontinuableError(message, golden.calls[result.call].kind, call.kind)
    if habit.swap:
        client.reverse_results(tail)
    body: dict[str, Any] = deep_copy({**following.request, client.CONTAINER: None})
    body[client.CONTAINER] = history[client.CONTAINER] + tail
    return body


def request_to_send(
    format_name: str, before: dict[str, Any], reply: dict[str, Any], following: dict[str, Any], habit: ClientHabit
) -> Any:
    """The part of the whole request ``following`` that the client sends: all, or what the provider has not stored.

    ``before`` is the whole request that ``reply`` answers. Raises UncontinuableError if the reply has no id.
    """
    keeper = formats.get(format_name).conversation_state
    if not habit.rests_on_memory or keeper is None:
        return following
    if habit.referring:
        return keeper.replace_items_by_references(following)
    client = formats.get(format_name).client
    earlier_count = len(client.entries(before)) + len(client.as_history(reply, echo=True))
    sent = keeper.shorten(following, reply, earlier_count)
    if sent is None:
        raise UncontinuableError(
            "the reply has no id from which the next request could continue", "an id", reply.get("id")
        )
    return sent


def start_of_tail(golden: Reading, container: str) -> int:
    """The index of the first entry after the assistant's last one in a golden request."""
    places = [
        place[0]
        for turn in golden.turns
        if turn.side == "assistant"
        for item in turn.items
        if (place := _entry(item.pointer, container)) is not None
    ]
    return max(places, default=-1) + 1


def _entry(pointer: str, container: str) -> tuple[int, str] | None:
    """The number of the conversation's entry in a pointer, and the pointer inside it; None if it is elsewhere."""
    parts = pointer.split("/")
    if len(parts) < 3 or parts[1] != container or not parts[2].isdigit():
        return None
    return int(parts[2]), "".join("/" + part for part in parts[3:])
