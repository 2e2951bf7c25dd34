"""The outcomes of one call into a translator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.basics.visible_text import one_line
from toolcall_conformance.drivers.python.foreign import is_a, text_of, type_name


@dataclass(frozen=True, slots=True)
class Produced:
    """What was returned, copied as plain JSON: a body, or the list of an operation within one format.

    ``mutated`` says that the translator changed its input. ``losses`` are the elements that the translator itself
    reports as dropped; ``flaws`` are what is wrong about the request outside its body.
    """

    value: Any
    mutated: bool = False
    losses: tuple[str, ...] = ()
    flaws: tuple[RequestFlaw, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestFlaw:
    """A flaw in how a body was sent. ``kind`` is ``key``, ``header`` or ``model``; ``sentence`` describes it.

    ``models``, of a ``model``, are the route's and the one that was asked; they may be two names of one.
    """

    kind: str
    sentence: str
    models: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class RefusedOutcome:
    """The translator refuses this input; ``reason`` is its own sentence."""

    reason: str

    @property
    def sentence(self) -> str:
        """Say in one line what happened, to follow the name of the operation."""
        return f"refused this input: {one_line(self.reason) or 'no reason given'}"


@dataclass(frozen=True, slots=True)
class UnsupportedOutcome:
    """The translator does not support this route or this operation."""

    reason: str

    @property
    def sentence(self) -> str:
        """Say in one line what happened, to follow the name of the operation."""
        return f"is not supported for this input ({one_line(self.reason) or 'no reason given'})"


@dataclass(frozen=True, slots=True)
class NoRoute(UnsupportedOutcome):
    """A gateway says that it has nothing at the address where its file says that the route is; ``hint``: what to do.

    ``may_lack`` says that the route is there, and that the gateway itself says that it does not do this part of it.
    """

    hint: str = ""
    may_lack: bool = False


@dataclass(frozen=True, slots=True)
class RaisedError(UnsupportedOutcome):
    """The translator raises where the upstream fails, so that there is no error body; that is a way to report it."""


@dataclass(frozen=True, slots=True)
class Crashed:
    """The translator raised, or its process died. ``traceback`` has its own frames, or what it printed last.

    For a translator in another process ``exception`` is a :class:`TranslatorError` with the whole sentence. ``died``:
    its process ended, with all that it was doing. ``exception_text`` is the exception's text, if it was read already.
    ``refuses``: the exception is a library's refusal of the input, such as one with a 4xx status.
    """

    exception: BaseException = field(compare=False)
    traceback: str
    died: bool = False
    exception_text: str | None = None
    refuses: bool = False

    @property
    def sentence(self) -> str:
        """Say in one line what happened, to follow the name of the operation."""
        text = one_line(self.exception_text if self.exception_text is not None else text_of(self.exception))
        if is_a(self.exception, TranslatorError):
            return text or "failed without a message"
        name = type_name(self.exception)
        return f"raised {name}: {text}" if text else f"raised {name}"


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The translator did not return within ``timeout`` seconds. ``last_output`` is what its process printed last."""

    timeout: float
    last_output: str = ""


@dataclass(frozen=True, slots=True)
class BadOutput:
    """The translator returned something other than a JSON object; ``sentence`` says what, where, and what to do.

    ``last_output`` is what its process printed last.
    """

    sentence: str
    pointer: str = ""
    last_output: str = ""


@dataclass(frozen=True, slots=True)
class ProtocolError:
    """The translator's process broke the driver's protocol. ``last_output`` is what the process printed last."""

    sentence: str
    last_output: str = ""


@dataclass(frozen=True, slots=True)
class Misdirected:
    """The translator sent its request to a method or path that the provider's API does not have.

    ``api`` is the format whose API is there, if one of the corpus's formats has it.
    """

    sentence: str
    api: str = ""


@dataclass(frozen=True, slots=True)
class Inapplicable:
    """The call proves nothing about the translator; ``reason`` says why."""

    reason: str


class TranslatorError(Exception):
    """Represents an exception in another process; its text is what the process sent or printed."""


FailedOutcome = (
    RefusedOutcome | UnsupportedOutcome | Crashed | TimedOut | BadOutput | ProtocolError | Misdirected | Inapplicable
)
"""The outcomes without a body."""

Outcome = Produced | FailedOutcome
