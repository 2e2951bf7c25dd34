"""The driver for a translator in any language: a child process that answers JSON Lines.

The protocol is described in ``protocol/PROTOCOL.md``, its messages in ``protocol/messages.schema.json``.
"""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers.answers import ExchangeOutcome, WholeAnswer
from toolcall_conformance.drivers.base import FORMAT_OPERATIONS, OPERATIONS, Opened, OpenOutcome, SessionDriver
from toolcall_conformance.drivers.child.answers import AnswerLosses, read_failure
from toolcall_conformance.drivers.child.child import Child, ChildFailure, RestartedChild, start_child
from toolcall_conformance.drivers.child.streams import Steps, play_interleaved, play_steps, play_to_end
from toolcall_conformance.drivers.errors import SpecError
from toolcall_conformance.drivers.outcomes import (
    BadOutput,
    Crashed,
    Outcome,
    Produced,
    ProtocolError,
    RefusedOutcome,
    TimedOut,
    TranslatorError,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.python.declarations import read_losses, read_made_up
from toolcall_conformance.drivers.python.error_result import copy_error
from toolcall_conformance.drivers.python.json_result import copy_list, copy_object
from toolcall_conformance.drivers.streams import Source, StreamOutcome, lead_count

PREFIX = "exec:"
# The command may compile or start a container first.
START_SECONDS = 30.0
CLOSE_SECONDS = 2.0
_DEFAULT_OPERATIONS = ("request", "response")


class ExecDriver:
    """A command that keeps running, and is started again after it fails; gives up after three failed starts.

    ``timeout`` limits every question, ``start_seconds`` a child's first answer, both in seconds. ``noise`` has the
    first lines of its standard output that are not answers. Raises SpecError.
    """

    carries = frozenset((*OPERATIONS, *FORMAT_OPERATIONS))

    def __init__(
        self, spec: str, *, directory: Path, timeout: float = 10.0, start_seconds: float | None = None
    ) -> None:
        self.spec = spec
        self.noise: list[str] = []
        self._command = _split_command(spec)
        self._directory = directory
        self.timeout = timeout
        self._start_seconds = START_SECONDS if start_seconds is None else start_seconds
        self._case = ""
        self._opened = 0
        self._sessions: list[ExecSession] = []
        # A fault after an item's verdict, which the next item reports.
        self._late_fault: ProtocolError | None = None
        self._closes = True
        started = self._start()
        if isinstance(started, str):
            raise SpecError(f"{spec!r}: {started}")
        child, hello = started
        self._restarted = RestartedChild(child, self._start)
        self.name: str = hello.get("name") or spec
        self.version: str | None = hello.get("version") or None

    def begin_item(self, case: str) -> None:
        """Put the id of the case into every message of the next sessions."""
        self._case = case

    def open(self, route: Route) -> OpenOutcome:
        """Open a session, in a new child if the last one failed."""
        late, self._late_fault = self._late_fault, None
        if late is not None:
            return late
        given_up = self._restarted.revive()
        if given_up is not None:
            return given_up
        self._opened += 1
        session = f"s{self._opened}"
        answer = self.ask(self._child, "open", session, {"route": asdict(route)})
        if not isinstance(answer, dict):
            return answer
        failure = read_failure(answer, lambda: self._child.last_output)
        if failure is not None:
            return failure
        opened_session = ExecSession(self, self._child, session, answer)
        if "exchange" in opened_session.operations and "request" not in opened_session.operations:
            # It needs a child for each exchange that is open, and an upstream.
            return UnsupportedOutcome("its session has only exchange, which exec: cannot play yet; give it request")
        self._sessions.append(opened_session)
        return Opened(opened_session)

    def ask(
        self, child: Child, operation: str, session: str, fields: dict[str, Any], timeout: float | None = None
    ) -> dict[str, Any] | ChildFailure:
        """Ask the child of a session; after the child has ended, its sessions cannot be asked."""
        if child.why_ended is not None:
            return Crashed(TranslatorError(f"could not be asked: its process {child.why_ended}"), child.last_output)
        return child.ask(operation, {"session": session, "case": self._case, **fields}, timeout or self.timeout)

    def end_item(self) -> None:
        """Close the sessions. A fault here does not fail the item, which has its verdict already.

        A line that does not answer the question is reported in the next item: it would spoil its first question.
        """
        sessions, self._sessions = self._sessions, []
        for session in sessions:
            if self._child.why_ended is None and session.child is self._child and self._closes:
                answer = self._child.ask(
                    "close", {"session": session.id, "case": self._case}, min(self.timeout, CLOSE_SECONDS)
                )
                if isinstance(answer, ProtocolError):
                    self._late_fault = answer
                elif isinstance(answer, TimedOut):
                    self._closes = False
                    self.noise.append("(close was not answered; it is not asked any more)")

    def close(self) -> None:
        self._sessions.clear()
        self._child.stop()

    @property
    def _child(self) -> Child:
        return self._restarted.child

    def _start(self) -> tuple[Child, dict[str, Any]] | str:
        return start_child(self._command, directory=self._directory, timeout=self._start_seconds, noise=self.noise)


class ExecSession:
    """A session that lives in a child."""

    costly_pieces = True

    def __init__(self, driver: ExecDriver, child: Child, session: str, answer: dict[str, Any]) -> None:
        self.id = session
        self.child = child
        self.operations = frozenset(answer.get("operations", _DEFAULT_OPERATIONS))
        self.own_history = "history" in answer
        self.made_up = read_made_up(answer.get("made_up"))
        self._driver = driver
        self._sources: list[Any] = []

    def request(self, body: dict[str, Any]) -> Outcome:
        return self._translate("request", body)

    def response(self, body: dict[str, Any]) -> Outcome:
        return self._translate("response", body)

    def error(self, reply: dict[str, Any]) -> Outcome:
        """Translate an error. The child always receives headers; it need not return any."""
        fields = {"status": reply["status"], "headers": reply.get("headers", {}), "body": reply["body"]}
        answer = self._ask("error", fields)
        if not isinstance(answer, dict):
            return answer
        returned = (int(answer["status"]), answer["body"], *([answer["headers"]] if "headers" in answer else []))
        value = copy_error(returned, headers="headers" in answer, sources=self._sources)
        return Produced(value) if isinstance(value, dict) else value

    def exchange(self, body: dict[str, Any], upstream_url: str) -> ExchangeOutcome:
        """Let the child translate, send and translate back, and return the answer.

        The child cannot be asked anything else during the call.
        """
        answer = self._ask("exchange", {"body": body, "upstream_url": upstream_url})
        if not isinstance(answer, dict):
            return answer
        headers = answer.get("headers")
        texts = {name: str(text) for name, text in headers.items()} if headers is not None else None
        return WholeAnswer(int(answer.get("status", 200)), texts, answer["body"])

    def stream(self, source: Source) -> StreamOutcome:
        """Send the pieces of the source one by one; the child answers each with its output."""
        if "stream" not in self.operations:
            return UnsupportedOutcome("the session has no operation stream")
        return self.end_stream(play_to_end(self.stream_steps(source, self._driver.timeout)))

    def stream_interleaved(
        self, source: Source, other: SessionDriver, other_source: Source
    ) -> tuple[StreamOutcome, StreamOutcome]:
        """Send the pieces of both sources in turns, each with the id of its session."""
        assert isinstance(other, ExecSession), "a session of the same driver"
        if not all("stream" in session.operations for session in (self, other)):
            return self.stream(source), other.stream(other_source)
        timeout = 2 * self._driver.timeout  # each takes the time of both
        steps = self.stream_steps(source, timeout), other.stream_steps(other_source, timeout)
        outcome, other_outcome = play_interleaved(*steps, lead_count(source))
        return self.end_stream(outcome), other.end_stream(other_outcome)

    def stream_steps(self, source: Source, timeout: float) -> Steps:
        """The steps of a stream, which may be interleaved with those of another; it may take ``timeout`` seconds."""
        driver, child = self._driver, self.child

        def ask(operation: str, fields: dict[str, Any], timeout: float) -> dict[str, Any] | ChildFailure:
            return driver.ask(child, operation, self.id, fields, timeout)

        return play_steps(ask, source, timeout=timeout, last_output=lambda: child.last_output)

    def end_stream(self, outcome: StreamOutcome) -> StreamOutcome:
        """End the child after bad output, when its stream is still open; returns the outcome."""
        if isinstance(outcome, BadOutput):
            self.child.kill("was ended in the middle of its stream")
        return outcome

    def call(self, operation: str, /, *arguments: Any) -> Outcome:
        """Ask for one of the operations within one format."""
        answer = self._ask(operation, {"arguments": list(arguments)})
        if not isinstance(answer, dict):
            return answer
        copy = copy_list if FORMAT_OPERATIONS[operation] is list else copy_object
        value = copy(answer["value"], operation, sources=self._sources)
        return value if isinstance(value, BadOutput) else Produced(value, losses=read_losses(AnswerLosses(answer)))

    def finish_exchange(self, reply: dict[str, Any]) -> None:
        """Do nothing: a translated request leaves nothing open."""

    def _translate(self, operation: str, body: dict[str, Any]) -> Outcome:
        answer = self._ask(operation, {"body": body})
        if not isinstance(answer, dict):
            return answer
        value = copy_object(answer["body"], operation, sources=self._sources)
        if not isinstance(value, dict):
            return value
        return Produced(value, losses=read_losses(AnswerLosses(answer)))

    def _ask(
        self, operation: str, fields: dict[str, Any]
    ) -> dict[str, Any] | ChildFailure | RefusedOutcome | UnsupportedOutcome:
        if operation not in self.operations:
            return UnsupportedOutcome(f"the session has no operation {operation}")
        self._sources += fields.values()
        answer = self._driver.ask(self.child, operation, self.id, fields)
        if isinstance(answer, dict):
            return read_failure(answer, lambda: self.child.last_output) or answer
        return answer


def _split_command(spec: str) -> list[str]:
    """Split the command into words. Raises SpecError."""
    example = 'write it as a shell would take it: "exec:node adapter.mjs"'
    try:
        words = shlex.split(spec.removeprefix(PREFIX))
    except ValueError as error:
        raise SpecError(f"{spec!r}: the command cannot be read ({error}); {example}") from None
    if not words or not words[0]:
        raise SpecError(f"{spec!r} names no command; {example}")
    return words
