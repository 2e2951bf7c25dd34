"""What came of one call into a translator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolcall_conformance.drivers.base import SessionDriver


@dataclass(frozen=True, slots=True)
class Produced:
    """A body, as plain JSON and nobody else's object. ``mutated`` says that the translator changed its input.

    ``losses`` are the elements that the translator itself says it could not carry, if it says so; ``beside`` is what a
    medium saw of the call that is no part of the body.
    """

    value: dict[str, Any]
    mutated: bool = False
    losses: tuple[str, ...] = ()
    flaws: tuple[RequestFlaw, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestFlaw:
    """Something wrong about how a body was sent. ``kind`` is ``key``, ``header`` or ``model``; ``sentence`` says it."""

    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Opened:
    """A session on a route."""

    session: SessionDriver


@dataclass(frozen=True, slots=True)
class RefusedOutcome:
    """The translator does not take this input; ``reason`` is its own sentence."""

    reason: str


@dataclass(frozen=True, slots=True)
class UnsupportedOutcome:
    """The translator does not do this route or this operation."""

    reason: str


@dataclass(frozen=True, slots=True)
class Crashed:
    """The translator raised, or its process died. ``traceback`` is its own text: its frames, what it printed last.

    Of a translator elsewhere ``exception`` is a :class:`TranslatorError` with the whole sentence. ``died``: its process
    went down with it, and whatever else that did.
    """

    exception: BaseException = field(compare=False)
    traceback: str
    died: bool = False

    @property
    def sentence(self) -> str:
        """What happened in one line, to follow the name of the operation."""
        text = str(self.exception).strip().splitlines()
        if isinstance(self.exception, TranslatorError):
            return text[0] if text else "failed and said nothing"
        name = type(self.exception).__name__
        return f"raised {name}: {text[0]}" if text else f"raised {name}"


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The translator did not return within ``seconds``. ``words`` is what its process printed last."""

    seconds: float
    words: str = ""


@dataclass(frozen=True, slots=True)
class BadOutput:
    """The translator returned something that is no JSON object; ``sentence`` says what, where, and what to do.

    ``words`` is what its process printed last.
    """

    sentence: str
    pointer: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class ProtocolError:
    """What came over the wire is no message of the driver's protocol. ``tail`` is what the process printed last."""

    sentence: str
    tail: str = ""


@dataclass(frozen=True, slots=True)
class Misdirected:
    """The translator called the provider by another method or path than its API has."""

    sentence: str


class TranslatorError(Exception):
    """Stands for what happened in another process: its own words, as it sent or printed them."""


Outcome = Produced | RefusedOutcome | UnsupportedOutcome | Crashed | TimedOut | BadOutput | ProtocolError | Misdirected
OpenOutcome = Opened | RefusedOutcome | UnsupportedOutcome | Crashed | TimedOut | ProtocolError
