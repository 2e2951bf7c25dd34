"""The report on a route: what works, what does not and what to do about it, and wrong translations."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolcall_conformance.drivers import (
    BadOutput,
    Crashed,
    FailedOutcome,
    Inapplicable,
    Misdirected,
    ProtocolError,
    RefusedOutcome,
    TimedOut,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.python.blame import blamed_line
from toolcall_conformance.drivers.python.tracebacks import error_line


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that does not work: ``sentence`` says what, ``where`` a place if known, ``hint`` what to do next.

    ``rule`` is the broken one if the adapter works and its output is wrong; ``check`` is the check that found it.
    """

    sentence: str
    where: str = ""
    hint: str = ""
    item: str = ""
    rule: str = ""
    check: str = ""


@dataclass(slots=True)
class RouteReport:
    """The result of a route. ``unsupported`` is the translator's reason if it does not support the route.

    ``wrong`` are wrong translations, though the adapter works.
    """

    route: str
    operations: tuple[str, ...] = ()
    own_history: bool = False
    unsupported: str | None = None
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    wrong: list[Problem] = field(default_factory=list)


def describe_problem(operation: str, failure: FailedOutcome, item: str) -> Problem:
    """Describe an outcome as a compiler would."""
    match failure:
        case RefusedOutcome(reason):
            problem_text = f"{operation} refused the plainest exchange: {reason or 'no reason given'}"
            return Problem(
                problem_text, hint="a route that is never done is refused when its session is opened", item=item
            )
        case UnsupportedOutcome(reason):
            return Problem(f"{operation} is not done: {reason}", item=item)
        case Crashed(_, traceback):
            lines = [line.strip() for line in traceback.splitlines() if line.strip()]
            frames = [line for line in lines if line.startswith("File ")]
            place = blamed_line(traceback)
            blamed_frames = [line for line in frames if place is not None and f'"{place[0]}", line {place[1]},' in line]
            where = blamed_frames[-1] if blamed_frames else error_line(traceback) if not frames else ""
            return Problem(
                f"{operation} {failure.sentence}", where, "its whole traceback is in the item's report", item
            )
        case TimedOut(timeout):
            hint = "raise --timeout if it is only slow; nothing more was tried"
            return Problem(f"{operation} did not return within {timeout:g} s", hint=hint, item=item)
        case BadOutput(sentence, pointer):
            return Problem(sentence, where=pointer, item=item)
        case ProtocolError(sentence, last_output):
            return Problem(f"{operation}: {sentence}", where=error_line(last_output), item=item)
        case Inapplicable(reason):
            return Problem(f"{operation} of the plainest exchange tells nothing: {reason}", item=item)
        case Misdirected(sentence):
            return Problem(sentence, hint="the upstream's URL, and the route of this adapter", item=item)
