"""What came of one call into a translator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolcall_conformance.drivers.base import SessionDriver


@dataclass(frozen=True, slots=True)
class Produced:
    """A body, as plain JSON and nobody else's object. ``mutated`` says that the translator changed its input.

    ``losses`` are the elements that the translator itself says it could not carry, if it says so.
    """

    value: dict[str, Any]
    mutated: bool = False
    losses: tuple[str, ...] = ()


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
    """The translator raised. ``traceback`` is text and holds its own frames only."""

    exception: BaseException = field(compare=False)
    traceback: str

    @property
    def sentence(self) -> str:
        """The exception in one line."""
        text = str(self.exception).strip().splitlines()
        return f"{type(self.exception).__name__}: {text[0]}" if text else type(self.exception).__name__


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The translator did not return within ``seconds``."""

    seconds: float


@dataclass(frozen=True, slots=True)
class BadOutput:
    """The translator returned something that is no JSON object; ``sentence`` says what, where, and what to do."""

    sentence: str
    pointer: str = ""


Outcome = Produced | RefusedOutcome | UnsupportedOutcome | Crashed | TimedOut | BadOutput
OpenOutcome = Opened | RefusedOutcome | UnsupportedOutcome | Crashed | TimedOut
