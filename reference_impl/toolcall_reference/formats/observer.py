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


def _itself(body: Body, losses: Losses) -> Body:
    del losses
    return body


def _alone(body: Body) -> list[Body]:
    return [body]


def _event(body: Body) -> Body:
    return body


def _all_texts(body: Body, conversation: Conversation) -> int:
    del body
    return len(conversation.system)


def _whole_history(body: Body) -> bool:
    del body
    return False


def _foreign(definition: Body) -> Body | None:
    del definition
    return None


def _open(item: Hosted) -> bool:
    del item
    return False


def opaque_block(item: Hosted | Opaque) -> Block:
    """The item as a block that is neither call nor result."""
    members = {key: value for key, value in item.value.items() if key != "type"} if isinstance(item.value, dict) else {}
    return Block(item.type, members)


def _blocks(item: Hosted) -> list[Step]:
    return [opaque_block(item)]


def _none(steps: Sequence[Step]) -> Iterator[tuple[Step, Body]]:
    del steps
    yield from ()


def _no_thought(item: Opaque) -> list[str]:
    return [item.value] if isinstance(item.value, str) else []


@dataclass(frozen=True, slots=True)
class Observer:
    """How traces read a format's bodies. ``result_role`` is the role of a message that holds only results."""

    result_role: str = "user"

    prepare_request: Callable[[Body, Losses], Body] = _itself
    """Returns the request without references that only its provider can resolve, all items readable by its decoder."""

    split_choices: Callable[[Body], list[Body]] = _alone
    """Splits a reply with several choices into one reply each."""

    prepare_event: Callable[[Body], Body] = _event
    """Returns a stream's event in a form that its decoder reads."""

    count_system_texts: Callable[[Body, Conversation], int] = _all_texts
    """Counts the system texts that are outside of the messages; they come first."""

    continues_history: Callable[[Body], bool] = _whole_history
    """Whether the request holds only new items, because its provider stores the history."""

    decode_steps: Callable[[Hosted], list[Step]] = _blocks
    """Splits a provider-run step into server calls and results."""

    is_sealed: Callable[[Hosted], bool] = _open
    """Whether a step holds state that only its provider can read."""

    encode_steps: Callable[[Sequence[Step]], Iterator[tuple[Step, Body]]] = _none
    """Encodes steps as items, each with the first step that it expresses. A step without an item is left out."""

    encode_declaration: Callable[[Body], Body | None] = _foreign
    """The provider's declaration of a tool that it runs, from a tool definition; None for another provider's tool."""

    reasoning_texts: Callable[[Opaque], list[str]] = _no_thought
    """The human-readable texts of reasoning."""


__all__ = ["Block", "Observer", "ServerCall", "ServerResult", "Step", "opaque_block"]
