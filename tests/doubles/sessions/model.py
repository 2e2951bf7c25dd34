"""Session doubles: translators with a fault, or a harmless habit, that lives in a conversation and not in one body.

A double is a subclass of :class:`DoubledSession`, put into the catalogue by one of the three decorators:

>>> @broken("swapped", rule="translation/results-linked", case="shell/same-tool-twice", client=CHAT, upstream=ANTHROPIC)
... class ResultsByPosition(DoubledSession):
...     '''Attaches results to calls in the order in which they come.'''
...
...     def after_request(self, body):
...         ...
...         return body

It is played through every check on its case and route. A broken one has to fail in the variant of the agent loop that
it names (``""`` is the plain one), on one of its rules; a warning one to be told there; a harmless one to pass all.
One whose fault shows in the streams themselves names variants of the check ``stream`` instead (``check="stream"``).
A double is asked for streams if it is a :class:`StreamingSession`.
"""

from __future__ import annotations

import copy
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from doubles.events import Event, changed_in, changed_out
from toolcall_conformance.contract import Route
from toolcall_reference import ReferenceTranslator

ANTHROPIC, CHAT, RESPONSES, GEMINI = "anthropic", "openai_chat", "openai_responses", "gemini"


class DoubledSession:
    """The reference's session with hooks.

    ``asked`` is the client's last request, ``answered`` the provider's last reply; ``shared`` is one dict for all
    sessions of the translator, where a fault keeps what should belong to one conversation.
    """

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        self.route = route
        self.shared = shared
        self.inner = ReferenceTranslator().open(route)
        self.asked: dict[str, Any] = {}
        self.answered: dict[str, Any] = {}

    def request(self, body: dict[str, Any], /) -> dict[str, Any]:
        self.asked = body
        return self.after_request(copy.deepcopy(self.inner.request(self.before_request(copy.deepcopy(body)))))

    def response(self, body: dict[str, Any], /) -> dict[str, Any]:
        self.answered = body
        return self.after_response(copy.deepcopy(self.inner.response(self.before_response(copy.deepcopy(body)))))

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        """The client's request as the reference gets it."""
        return body

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        """The upstream request that the reference made."""
        return body

    def before_response(self, body: dict[str, Any]) -> dict[str, Any]:
        """The provider's reply as the reference gets it."""
        return body

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        """The client's reply that the reference made."""
        return body


class StreamingSession(DoubledSession):
    """A session that streams, too, with a hook on each event: what it becomes, none, one or several."""

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        if type(self).before_event is not StreamingSession.before_event:  # else they come as they were cut
            chunks = changed_in(chunks, self.before_event, self.route.upstream)
        made = self.inner.stream(chunks)
        if type(self).after_event is StreamingSession.after_event:
            return made
        return changed_out(made, self.after_event, self.route.client)

    def before_event(self, event: Event) -> Iterable[Event]:
        """An event of the provider as the reference gets it."""
        yield event

    def after_event(self, event: Event) -> Iterable[Event]:
        """An event for the client that the reference made."""
        yield event


@dataclass(frozen=True, slots=True)
class SessionDouble:
    """A session with a fault (``broken``), a fault that is only told (``warning``), or a ``harmless`` habit.

    ``variants`` are those of ``check`` that have to see it; for a harmless one those in which a SHOULD of ``warns`` may
    be told.
    """

    family: str
    fault: str
    title: str
    kind: str
    session: type[DoubledSession]
    case: str
    client: str
    upstream: str
    variants: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    warns: tuple[str, ...] = ()
    check: str = "agent_loop"

    @property
    def name(self) -> str:
        """Where its verdict stands, from ``corpus/verdicts/``; what it sends upstream is judged."""
        return f"{self.family}/{self.fault}/{self.upstream}"

    @property
    def streams(self) -> bool:
        """Whether its sessions have ``stream``."""
        return issubclass(self.session, StreamingSession)

    def open(self, shared: dict[str, Any], route: Route) -> DoubledSession:
        return self.session(route, shared)


class Doubled:
    """A translator that opens a double's sessions."""

    def __init__(self, double: SessionDouble) -> None:
        self._double = double
        self._shared: dict[str, Any] = {}

    def open(self, route: Route, /) -> DoubledSession:
        return self._double.open(self._shared, route)


Put = Callable[[type[DoubledSession]], type[DoubledSession]]
_found: dict[str, SessionDouble] = {}


def broken(
    *variants: str, rule: str | tuple[str, ...], case: str, client: str, upstream: str, check: str = "agent_loop"
) -> Put:
    """A fault that a MUST of ``rule`` names in each of the check's ``variants`` (the plain one if none is given)."""
    return _enter("broken", variants or ("",), case, client, upstream, rules=rule, check=check)


def warning(
    *variants: str, rule: str | tuple[str, ...], case: str, client: str, upstream: str, check: str = "agent_loop"
) -> Put:
    """A fault that is only told: a SHOULD of ``rule`` in each of ``variants``, and no MUST."""
    return _enter("warning", variants or ("",), case, client, upstream, rules=rule, check=check)


def harmless(case: str, client: str, upstream: str, warns: str | tuple[str, ...] = ()) -> Put:
    """A habit that no check may fail, in no variant; SHOULDs of ``warns`` may be told."""
    return _enter("harmless", (), case, client, upstream, warns=warns)


def _enter(
    kind: str,
    variants: tuple[str, ...],
    case: str,
    client: str,
    upstream: str,
    rules: str | tuple[str, ...] = (),
    warns: str | tuple[str, ...] = (),
    check: str = "agent_loop",
) -> Put:
    def decorate(session: type[DoubledSession]) -> type[DoubledSession]:
        family = "loop-" + session.__module__.rpartition(".")[-1].replace("_", "-")
        fault = re.sub(r"(?<!^)(?=[A-Z])", "-", session.__name__).lower()
        title = " ".join((session.__doc__ or "").split()).rstrip(".")
        double = SessionDouble(
            family, fault, title, kind, session, case, client, upstream, variants, _tuple(rules), _tuple(warns), check
        )
        if double.name in _found:
            raise ValueError(f"two session doubles are called {double.name}")
        _found[double.name] = double
        return session

    return decorate


def _tuple(rules: str | tuple[str, ...]) -> tuple[str, ...]:
    return (rules,) if isinstance(rules, str) else rules


def session_doubles() -> Iterator[SessionDouble]:
    """All session doubles, in the order of the modules."""
    home = importlib.import_module("doubles.sessions")
    for module in sorted(entry.name for entry in pkgutil.iter_modules(home.__path__)):
        importlib.import_module(f"doubles.sessions.{module}")
    yield from _found.values()
