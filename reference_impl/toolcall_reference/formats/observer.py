"""What an observer needs of a format: it may refuse nothing, and reads what no other format can say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from toolcall_reference.conversation.intermediate import Body, Conversation, Hosted, Opaque
from toolcall_reference.conversation.losses import Losses


@dataclass(slots=True)
class ServerCall:
    """A tool that the provider runs. ``details`` has a ``type``, and what the provider says of the call."""

    name: str
    details: Body
    id: str | None = None


@dataclass(slots=True)
class ServerResult:
    """What came of the call of that id; ``details`` as there."""

    details: Body
    id: str | None = None


@dataclass(slots=True)
class Block:
    """A block of the provider's that is neither: ``type`` is its own word, ``members`` all else that it says."""

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


def as_block(item: Hosted | Opaque) -> Block:
    """A block that nothing else is known of."""
    members = {key: value for key, value in item.value.items() if key != "type"} if isinstance(item.value, dict) else {}
    return Block(item.type, members)


def _blocks(item: Hosted) -> list[Step]:
    return [as_block(item)]


def _none(steps: Sequence[Step]) -> Iterator[tuple[Step, Body]]:
    del steps
    yield from ()


def _no_thought(item: Opaque) -> list[str]:
    return [item.value] if isinstance(item.value, str) else []


@dataclass(frozen=True, slots=True)
class Observed:
    """How the bodies of a format are observed. ``result_role`` is the role of a message that holds results alone."""

    result_role: str = "user"

    request: Callable[[Body, Losses], Body] = _itself
    """The request without what only its provider can look up, and with all items in a form that its decoder reads."""

    choices: Callable[[Body], list[Body]] = _alone
    """A reply with several answers as several replies."""

    event: Callable[[Body], Body] = _event
    """An event of a stream in a form that the stream's decoder reads."""

    separate: Callable[[Body, Conversation], int] = _all_texts
    """How many of the texts of the system stand outside of the messages; they come first."""

    goes_on: Callable[[Body], bool] = _whole_history
    """Whether the request brings only what is new, because its provider has kept the rest."""

    steps: Callable[[Hosted], list[Step]] = _blocks
    """What the provider ran itself, as calls and what came of them."""

    sealed: Callable[[Hosted], bool] = _open
    """Whether a step holds what only its provider reads."""

    hosted: Callable[[Sequence[Step]], Iterator[tuple[Step, Body]]] = _none
    """The way back: each item with the first of the steps that it says; steps that are not named have no item."""

    declaration: Callable[[Body], Body | None] = _foreign
    """How the provider declares a tool that it runs, by its tool definition; None for another provider's tool."""

    thoughts: Callable[[Opaque], list[str]] = _no_thought
    """What a person can read of reasoning."""


__all__ = ["Block", "Observed", "ServerCall", "ServerResult", "Step", "as_block"]
