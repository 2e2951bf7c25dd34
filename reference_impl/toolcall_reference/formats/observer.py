"""Reading a format for traces: an observer refuses nothing, and reads what no other format can express."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from toolcall_reference.conversation.intermediate import Body, Conversation, Hosted, Opaque
from toolcall_reference.conversation.losses import Losses


@dataclass(slots=True)
class ServerCall:
    """A call of a provider-run tool. ``details`` has a ``type`` and the provider's own members of the call."""

    name: str
    details: Body
    id: str | None = None


@dataclass(slots=True)
class ServerResult:
    """The result of the server call with that id; ``details`` has a ``type`` and the provider's members."""

    details: Body
    id: str | None = None


@dataclass(slots=True)
class Block:
    """A provider's block that is neither call nor result: ``type`` as the provider names it, ``members`` the rest."""

    type: str
    members: Body = field(default_factory=dict)


Step = ServerCall | ServerResult | Block


def _unchanged_request(body: Body, losses: Losses) -> Body:
    del losses
    return body


def _single_choice(body: Body) -> list[Body]:
    return [body]


def _unchanged_event(body: Body) -> Body:
    return body


def _count_all_system_texts(body: Body, conversation: Conversation) -> int:
    del body
    return len(conversation.system)


def _never_continues(body: Body) -> bool:
    del body
    return False


def _no_declaration(definition: Body) -> Body | None:
    del definition
    return None


def _never_sealed(item: Hosted) -> bool:
    del item
    return False


def opaque_block(item: Hosted | Opaque) -> Block:
    """The item as a block that is neither call nor result."""
    members = {key: value for key, value in item.value.items() if key != "type"} if isinstance(item.value, dict) else {}
    return Block(item.type, members)


def _opaque_steps(item: Hosted) -> list[Step]:
    return [opaque_block(item)]


def _no_items(steps: Sequence[Step]) -> Iterator[tuple[Step, Body]]:
    del steps
    yield from ()


def _plain_reasoning_text(item: Opaque) -> list[str]:
    return [item.value] if isinstance(item.value, str) else []


@dataclass(frozen=True, slots=True)
class Observer:
    """How traces read a format's bodies. ``result_role`` is the role of a message that holds only results."""

    result_role: str = "user"

    prepare_request: Callable[[Body, Losses], Body] = _unchanged_request
    """Returns the request without references that only its provider can resolve, all items readable by its decoder."""

    split_choices: Callable[[Body], list[Body]] = _single_choice
    """Splits a reply with several choices into one reply each."""

    prepare_event: Callable[[Body], Body] = _unchanged_event
    """Returns a stream's event in a form that its decoder reads."""

    count_system_texts: Callable[[Body, Conversation], int] = _count_all_system_texts
    """Counts the system texts that are outside of the messages; they come first."""

    continues_history: Callable[[Body], bool] = _never_continues
    """Whether the request holds only new items, because its provider stores the history."""

    decode_steps: Callable[[Hosted], list[Step]] = _opaque_steps
    """Splits a provider-run step into server calls and results."""

    is_sealed: Callable[[Hosted], bool] = _never_sealed
    """Whether a step holds state that only its provider can read."""

    encode_steps: Callable[[Sequence[Step]], Iterator[tuple[Step, Body]]] = _no_items
    """Encodes steps as items, each with the first step that it expresses. A step without an item is left out."""

    encode_declaration: Callable[[Body], Body | None] = _no_declaration
    """The provider's declaration of a tool that it runs, from a tool definition; None for another provider's tool."""

    reasoning_texts: Callable[[Opaque], list[str]] = _plain_reasoning_text
    """The human-readable texts of reasoning."""


__all__ = ["Block", "Observer", "ServerCall", "ServerResult", "Step", "opaque_block"]
