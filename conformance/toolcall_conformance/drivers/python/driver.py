"""The driver for a translator in this interpreter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.jsonvalue import deep_copy, equal, pack, unpack
from toolcall_conformance.drivers.base import FORMAT_OPERATIONS, OPERATIONS, Opened, OpenOutcome, SessionDriver
from toolcall_conformance.drivers.library.fused import FusedLibraries, Transports
from toolcall_conformance.drivers.outcomes import (
    BadOutput,
    Crashed,
    Outcome,
    Produced,
    ProtocolError,
    RefusedOutcome,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.python.caller import Caller
from toolcall_conformance.drivers.python.declarations import MadeUp, made_up_breach, read_losses, read_made_up
from toolcall_conformance.drivers.python.error_result import copy_error, takes_headers
from toolcall_conformance.drivers.python.exception_outcomes import exception_outcome
from toolcall_conformance.drivers.python.foreign import PASSED_EXCEPTIONS, attribute_text, has_method, is_a
from toolcall_conformance.drivers.python.json_result import MAX_OUTPUT_BYTES, copy_list, copy_object
from toolcall_conformance.drivers.python.offline import watch_hosts
from toolcall_conformance.drivers.python.streams import collect_interleaved, collect_stream
from toolcall_conformance.drivers.streams import Source, Streamed, StreamOutcome


class PythonDriver:
    """A translator object in this interpreter; its methods are sync or async.

    ``timeout`` limits every call, in seconds; ``output_limit`` the JSON text of a returned body, in bytes. Only
    sessions with ``exchange`` need ``transports`` (by format, the content of ``transport.json``).
    """

    carries = frozenset((*OPERATIONS, *FORMAT_OPERATIONS))

    def __init__(
        self,
        translator: Any,
        spec: str,
        *,
        name: str | None = None,
        version: str | None = None,
        timeout: float = 10.0,
        output_limit: int = MAX_OUTPUT_BYTES,
        transports: Transports = dict,
    ) -> None:
        self.translator = translator
        self.spec = spec
        self.name = name or spec
        self.version = version
        self.output_limit = output_limit
        self._caller = Caller(timeout)
        self._fused = FusedLibraries(transports, timeout)

    def open(self, route: Route) -> OpenOutcome:
        """Open a session; ``NotImplementedError`` means the same as ``Unsupported`` here."""
        outcome = self._caller.call_and_read(lambda: self.translator.open(route), self._inspect_session)
        if isinstance(outcome, Crashed) and is_a(outcome.exception, NotImplementedError):
            return UnsupportedOutcome(outcome.exception_text or "")
        if not isinstance(outcome, _InspectedSession):
            return outcome
        if not isinstance(outcome.findings, tuple):
            return outcome.findings
        session, (traits, made_up) = outcome.session, outcome.findings
        if isinstance(made_up, ProtocolError):
            return made_up
        if "request" in traits.operations or not traits.exchanges:
            return Opened(PythonSession(self, session, self._caller, traits, made_up))
        return Opened(self._fused.session(session, route, own_history=traits.own_history, made_up=made_up))

    def _inspect_session(self, session: Any) -> _InspectedSession:
        """Inspect a session. Its attributes are the translator's, and may raise."""
        try:
            return _InspectedSession(session, (_Traits.of(session, self.translator), _read_declaration(session)))
        except PASSED_EXCEPTIONS:
            raise
        except BaseException as error:
            return _InspectedSession(session, exception_outcome(error))

    def begin_item(self, case: str) -> None:
        """Do nothing: a translator in this interpreter can look up the item itself."""

    def end_item(self) -> None:
        self._fused.end_item()

    def close(self) -> None:
        self._caller.close()
        self._fused.close()


def _read_declaration(session: Any) -> MadeUp | ProtocolError:
    """Read the ``made_up`` of a session."""
    declaration = getattr(session, "made_up", {})
    wrong = made_up_breach(declaration)
    return ProtocolError(wrong) if wrong is not None else read_made_up(declaration)


@dataclass(frozen=True, slots=True)
class _Traits:
    """The attributes of a session when it is opened. A method that raises when it is read counts: its call crashes."""

    operations: frozenset[str]
    own_history: bool
    exchanges: bool

    @classmethod
    def of(cls, session: Any, translator: Any) -> _Traits:
        return cls(
            frozenset(name for name in (*OPERATIONS, *FORMAT_OPERATIONS) if has_method(session, name)),
            "own" in (attribute_text(session, "history"), attribute_text(translator, "history")),
            has_method(session, "exchange"),
        )


@dataclass(frozen=True, slots=True)
class _InspectedSession:
    """An opened session, and its attributes or the outcome of reading them."""

    session: Any
    findings: tuple[_Traits, MadeUp | ProtocolError] | RefusedOutcome | UnsupportedOutcome | Crashed


class PythonSession:
    """A session object of a translator."""

    costly_pieces = False

    def __init__(self, driver: PythonDriver, session: Any, caller: Caller, traits: _Traits, made_up: MadeUp) -> None:
        self.object = session
        self.made_up = made_up
        self.operations = traits.operations
        self.own_history = traits.own_history
        self._driver = driver
        self._caller = caller
        self._sources: list[Any] = []

    def request(self, body: dict[str, Any]) -> Outcome:
        return self._translate("request", body)

    def response(self, body: dict[str, Any]) -> Outcome:
        return self._translate("response", body)

    def error(self, reply: dict[str, Any]) -> Outcome:
        """Call ``error``, with the reply's headers if it has a third positional parameter."""
        if "error" not in self.operations:
            return UnsupportedOutcome("the session has no method error")
        bodies = (reply["body"], reply.get("headers", {}))
        self._sources += bodies
        original, copies = _pack_and_copy(bodies)
        headers = False

        def call() -> Any:
            nonlocal headers
            method = self.object.error
            headers = takes_headers(method)
            return method(reply["status"], *copies[: 2 if headers else 1])

        def read(returned: Any) -> Outcome:
            value = copy_error(returned, headers=headers, limit=self._driver.output_limit, sources=self._sources)
            return (
                Produced(value, mutated=_is_changed(copies, [*bodies], original)) if isinstance(value, dict) else value
            )

        return self._caller.call_and_read(call, read)

    def stream(self, source: Source) -> StreamOutcome:
        """Call ``stream`` with an iterator of bytes, which ``for`` and ``async for`` can read, and read its output."""
        if "stream" not in self.operations:
            return UnsupportedOutcome("the session has no method stream")

        def collect() -> Any:
            return collect_stream(self.object.stream, source, self._driver.output_limit)

        return self._caller.call_and_read(collect, self.add_losses)

    def stream_interleaved(
        self, source: Source, other: SessionDriver, other_source: Source
    ) -> tuple[StreamOutcome, StreamOutcome]:
        """Call ``stream`` of both sessions, and read their outputs in turns, in this one thread."""
        assert isinstance(other, PythonSession), "a session of the same driver"
        if not all("stream" in session.operations for session in (self, other)):
            return self.stream(source), other.stream(other_source)

        def collect() -> Any:
            methods = self.object.stream, other.object.stream
            return collect_interleaved(methods, (source, other_source), self._driver.output_limit)

        def read(outcomes: tuple[StreamOutcome, StreamOutcome]) -> tuple[StreamOutcome, StreamOutcome]:
            return self.add_losses(outcomes[0]), other.add_losses(outcomes[1])

        outcomes = self._caller.call_and_read(collect, read)
        return outcomes if isinstance(outcomes, tuple) else (outcomes, outcomes)

    def add_losses(self, outcome: StreamOutcome) -> StreamOutcome:
        """Add the elements that the session reports as dropped to the outcome of a stream."""
        return replace(outcome, losses=self._read_losses()) if isinstance(outcome, Streamed) else outcome

    def call(self, operation: str, /, *arguments: Any) -> Outcome:
        return self._call(operation, arguments)

    def finish_exchange(self, reply: dict[str, Any]) -> None:
        """Do nothing: a translated request leaves nothing open."""

    def _translate(self, operation: str, body: dict[str, Any]) -> Outcome:
        return self._call(operation, (body,))

    def _call(self, operation: str, arguments: tuple[Any, ...]) -> Outcome:
        if operation not in self.operations:
            return UnsupportedOutcome(f"the session has no method {operation}")
        self._sources += arguments
        original, copies = _pack_and_copy(arguments)
        copy = copy_list if FORMAT_OPERATIONS.get(operation) is list else copy_object

        def read(returned: Any) -> Outcome:
            value = copy(returned, operation, self._driver.output_limit, self._sources)
            if isinstance(value, BadOutput):
                return value
            return Produced(value, mutated=_is_changed(copies, [*arguments], original), losses=self._read_losses())

        with watch_hosts(arguments, original) as watch:
            return watch.checked_outcome(
                self._caller.call_and_read(lambda: getattr(self.object, operation)(*copies), read)
            )

    def _read_losses(self) -> tuple[str, ...]:
        """The elements that the session reports as dropped in its last call; empty if it has no readable list.

        Runs within a time limit, and must not spoil the result of that call.
        """
        try:
            return read_losses(self.object)
        except KeyboardInterrupt:
            raise
        except BaseException:  # TimeIsUp included
            return ()


def _pack_and_copy(arguments: tuple[Any, ...]) -> tuple[bytes | None, list[Any]]:
    """Pack the arguments of a call, or None if that fails; and copy them for the translator."""
    try:
        data = pack([*arguments])
    except ValueError:  # a subclass of dict or the like
        return None, deep_copy([*arguments])
    return data, unpack(data)


def _is_changed(arguments: Any, original: Any, data: bytes | None) -> bool:
    """Whether the translator changed its arguments. ``data`` is the original, packed."""
    try:
        # First a comparison that walks no further than the original: an object that contains itself several times packs
        # into more than any memory. Equal bytes are equal values; different bytes may only be another order of keys.
        return bool(arguments != original) or (pack(arguments) != data and not equal(arguments, original))
    except KeyboardInterrupt:
        raise
    except BaseException:  # something that is not JSON was put into it; TimeIsUp included, as the call has returned
        return True
