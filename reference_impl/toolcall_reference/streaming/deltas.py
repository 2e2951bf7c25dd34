"""The form between two streams: what happens to a reply while it is being written.

A reply is started; its texts and calls are opened, grow and are closed, several at a time if the source has it so; all
other items come whole. It ends, or it fails. ``place`` numbers what is opened, in the order of opening.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolcall_reference.conversation.failures import Failure
from toolcall_reference.conversation.intermediate import Item, Reply, Text, UniversalToolCall


@dataclass(slots=True)
class Started:
    """``reply`` has its key, and as much else as is known; its items stay empty."""

    reply: Reply


@dataclass(slots=True)
class Opened:
    """A text that is to grow, its ``text`` empty, or a call whose arguments are to come."""

    place: int
    item: Text | UniversalToolCall


@dataclass(slots=True)
class Grown:
    """A piece of a text, or of a call's argument text."""

    place: int
    text: str


@dataclass(slots=True)
class Closed:
    """The item is complete: a call with its arguments, a text with its state (its ``text`` stays empty)."""

    place: int
    item: Text | UniversalToolCall


@dataclass(slots=True)
class Whole:
    """An item that does not grow: opaque state, a step that the provider ran itself, media."""

    item: Item


@dataclass(slots=True)
class Ended:
    """The normal end; the reply has its finish and usage."""

    reply: Reply


@dataclass(slots=True)
class Failed:
    """The end of a reply that the provider broke off. What is open stays open."""

    failure: Failure


Delta = Started | Opened | Grown | Closed | Whole | Ended | Failed
END = (Ended, Failed)
