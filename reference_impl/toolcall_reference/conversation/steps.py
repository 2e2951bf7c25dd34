"""Steps that a provider ran itself, apart from how it spells them: what it was to do, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolcall_reference.conversation.intermediate import Body


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
