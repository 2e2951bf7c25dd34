"""The driver of ``--toolcall-isolated``: a Python translator in a child process of this interpreter.

If the child dies or does not answer, only the current item fails: another child plays the next.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers.base import FORMAT_OPERATIONS, OPERATIONS, Opened, OpenOutcome, SessionDriver
from toolcall_conformance.drivers.child.child import Child, ChildFailure, RestartedChild
from toolcall_conformance.drivers.errors import SpecError
from toolcall_conformance.drivers.isolated.messages import MessageError, outcome_of_json, source_to_json
from toolcall_conformance.drivers.library.fused import Transports
from toolcall_conformance.drivers.outcomes import Crashed, Outcome, ProtocolError, TimedOut, TranslatorError
from toolcall_conformance.drivers.python.declarations import made_up_breach, read_made_up
from toolcall_conformance.drivers.python.json_result import MAX_OUTPUT_BYTES
from toolcall_conformance.drivers.python.tracebacks import reorder_dump
from toolcall_conformance.drivers.streams import Source, StreamOutcome
from toolcall_conformance.drivers.upstream import MissingLibraryError

# Megabytes of address space. Large libraries map one or two thousand, most of which they never touch.
DEFAULT_MEMORY = 4096.0
_CHILD_CODE = "import sys; sys.path[:] = {path!r}; from toolcall_conformance.drivers.isolated.child import main; main()"
_OPERATIONS = (*OPERATIONS, *FORMAT_OPERATIONS)
# A stream may be of 16 MiB, and is sent in base64 with its places.
_MAX_LINE_BYTES = 4 * MAX_OUTPUT_BYTES
# The child applies the time limit of a call itself, and first. Then both need time for the answer.
_EXTRA_SECONDS, _EXTRA_SHARE = 0.5, 0.5
# `open` is two calls. An exchange waits twice within a call, and then its answer is read.
_OPEN_CALLS, _EXCHANGE_CALLS = 2, 3
_DUMP_SECONDS = 0.1


class ChildFaultError(Exception):
    """An error of this package in the child; the text is its traceback."""


class IsolatedDriver:
    """A Python translator, named by ``spec``, in a child process.

    ``load_seconds`` limits importing and making it, ``timeout`` every call, both in seconds; ``memory`` is the address
    space that the child may have, in megabytes, or None. Raises SpecError.
    """

    carries = frozenset(_OPERATIONS)

    def __init__(
        self,
        spec: str,
        *,
        directory: Path,
        timeout: float,
        load_seconds: float,
        memory: float | None = DEFAULT_MEMORY,
        transports: Transports = dict,
    ) -> None:
        self.spec = spec
        self.timeout = timeout
        self._directory = directory
        self._load_seconds = load_seconds
        self._memory = memory
        self._transports = transports
        self._begins = True
        self._opened = 0
        started = self._start()
        if isinstance(started, str):
            raise SpecError(started)
        child, hello = started
        self._restarted = RestartedChild(child, self._start)
        self.name = str(hello.get("name") or spec)
        self.version = str(hello["version"]) if hello.get("version") else None

    def begin_item(self, case: str) -> None:
        """Do nothing: as in this interpreter, a translator can look up the item itself."""

    def open(self, route: Route) -> OpenOutcome:
        """Open a session, in a new child if the last one ended. Raises MissingLibraryError, ChildFaultError."""
        given_up = self._restarted.revive()
        if given_up is not None:
            return given_up
        self._opened += 1
        session, child = f"s{self._opened}", self._restarted.child
        test = os.environ.get("PYTEST_CURRENT_TEST")
        fields = {"route": asdict(route), "begins": self._begins, "test": test}
        self._begins = False
        answer = self.ask(child, "open", {"session": session, **fields}, _OPEN_CALLS)
        if not isinstance(answer, dict):
            return answer
        if "outcome" in answer:
            return cast("OpenOutcome", self._read_outcome(child, answer, "open"))
        wrong = _session_breach(answer)
        if wrong is not None:
            return ProtocolError(wrong)
        return Opened(IsolatedSession(self, child, session, answer))

    def ask(
        self, child: Child, operation: str, fields: dict[str, Any], calls: int = 1
    ) -> dict[str, Any] | ChildFailure:
        """Ask a question that takes ``calls`` calls of the translator. Raises MissingLibraryError, ChildFaultError."""
        if child.why_ended is not None:
            return Crashed(
                TranslatorError(f"could not be asked: its process {child.why_ended}"), child.last_output, died=True
            )
        answer = child.ask(operation, fields, _answer_seconds(calls * self.timeout))
        if isinstance(answer, TimedOut):
            return TimedOut(self.timeout, answer.last_output)
        if isinstance(answer, dict) and "missing" in answer:
            raise MissingLibraryError(str(answer["missing"]))
        if isinstance(answer, dict) and "fault" in answer:
            raise ChildFaultError(str(answer["fault"]))
        return answer

    def play(self, child: Child, operation: str, fields: dict[str, Any], calls: int) -> Outcome | StreamOutcome:
        """Play an operation of a session.

        After a call that took too long, a child with processes of its own is ended, with all of them. Others stay: a
        large library that imports in its first call would be too slow again.
        """
        answer = self.ask(child, operation, fields, calls)
        return self._read_outcome(child, answer, operation) if isinstance(answer, dict) else answer

    def play_interleaved(self, child: Child, fields: dict[str, Any], calls: int) -> tuple[StreamOutcome, StreamOutcome]:
        """Play two interleaved streams."""
        answer = self.ask(child, "stream_interleaved", fields, calls)
        if not isinstance(answer, dict):
            return answer, answer
        other_answer = {**answer, "outcome": answer.get("other_outcome")}
        return self._read_outcome(child, answer, "stream"), self._read_outcome(child, other_answer, "stream")

    def _read_outcome(self, child: Child, answer: dict[str, Any], operation: str) -> Any:
        try:
            outcome = outcome_of_json(answer.get("outcome"), operation)
        except MessageError as error:
            child.kill("was ended after an invalid answer")
            return ProtocolError(
                f"its process did not answer as ours do ({error}); the translator wrote to its channel"
            )
        if isinstance(outcome, TimedOut) and answer.get("has_children") is not False:
            child.kill(f"was ended when {operation} took more than {outcome.timeout:g} s")
        return outcome

    def end_item(self) -> None:
        """End the item: the next ``open`` tells the child."""
        self._begins = True

    def close(self) -> None:
        self._restarted.child.stop()

    def _start(self) -> tuple[Child, dict[str, Any]] | str:
        """Start a child and load the translator in it; or return why that failed."""
        path = [entry for entry in sys.path if isinstance(entry, str)]
        command = [sys.executable, "-P", "-c", _CHILD_CODE.format(path=path)]
        try:
            child = _DumpingChild(
                command, directory=self._directory, noise=[], breach=_accept_any, limit=_MAX_LINE_BYTES
            )
        except OSError as error:
            return f"{self.spec!r}: no process can be started for it ({error.strerror})"
        self._begins = True
        question = {
            "spec": self.spec,
            "directory": str(self._directory),
            "timeout": self.timeout,
            "memory": self._memory,
            "transports": self._transports(),
        }
        answer = child.ask("hello", question, _answer_seconds(self._load_seconds))
        return (
            (child, answer) if isinstance(answer, dict) and "wrong" not in answer else self._load_error(child, answer)
        )

    def _load_error(self, child: Child, answer: dict[str, Any] | ChildFailure) -> str:
        match answer:
            case dict():
                child.stop()
                return str(answer["wrong"])
            case Crashed(traceback=last_output):
                problem = answer.sentence
            case TimedOut(last_output=last_output):
                problem = f"did not end within {self._load_seconds:g} s"
            case ProtocolError(sentence, last_output):
                problem = sentence
        return f"{self.spec!r}: its process, which imports and makes it, {problem}" + (
            f"\n{last_output}" if last_output else ""
        )


class IsolatedSession:
    """A session that lives in a child; ``drivers.base.SessionDriver`` describes the methods."""

    def __init__(self, driver: IsolatedDriver, child: Child, name: str, answer: dict[str, Any]) -> None:
        self.operations = frozenset(answer["operations"])
        self.own_history: bool = answer["own_history"]
        self.made_up = read_made_up(answer["made_up"])
        self.costly_pieces: bool = answer["costly_pieces"]
        self._driver = driver
        self._child = child
        self.name = name

    def request(self, body: dict[str, Any]) -> Outcome:
        return self.call("request", body)

    def response(self, body: dict[str, Any]) -> Outcome:
        return self.call("response", body)

    def error(self, reply: dict[str, Any]) -> Outcome:
        return self.call("error", reply)

    def stream(self, source: Source) -> StreamOutcome:
        """Send the whole source and get the whole output; the child counts the pieces read before each piece."""
        return cast("StreamOutcome", self._play("stream", source_to_json(source)))

    def stream_interleaved(
        self, source: Source, other: SessionDriver, other_source: Source
    ) -> tuple[StreamOutcome, StreamOutcome]:
        """Let the child play both."""
        assert isinstance(other, IsolatedSession), "a session of the same driver"
        fields = self._question_fields(source_to_json(source), other.name, source_to_json(other_source))
        return self._driver.play_interleaved(self._child, fields, 2 * self._calls)

    def call(self, operation: str, /, *arguments: Any) -> Outcome:
        return cast("Outcome", self._play(operation, *arguments))

    def finish_exchange(self, reply: dict[str, Any]) -> None:
        if self.costly_pieces:  # only an exchange stays open
            self._driver.ask(self._child, "finish_exchange", self._question_fields(reply), self._calls)

    def _play(self, operation: str, *arguments: Any) -> Outcome | StreamOutcome:
        return self._driver.play(self._child, operation, self._question_fields(*arguments), self._calls)

    def _question_fields(self, *arguments: Any) -> dict[str, Any]:
        return {"session": self.name, "arguments": list(arguments)}

    @property
    def _calls(self) -> int:
        return _EXCHANGE_CALLS if self.costly_pieces else 1


class _DumpingChild(Child):
    """A child that dumps its stack before it is killed."""

    @property
    def last_output(self) -> str:
        return reorder_dump(super().last_output)

    def _end_late(self, operation: str, timeout: float) -> TimedOut:
        if hasattr(signal, "SIGUSR1"):
            with contextlib.suppress(OSError):  # it has just ended
                os.kill(self._process.pid, signal.SIGUSR1)
            time.sleep(_DUMP_SECONDS)
        return super()._end_late(operation, timeout)


def _answer_seconds(timeout: float) -> float:
    """The time limit of an answer whose calls may take ``timeout`` seconds."""
    return timeout + _EXTRA_SECONDS + _EXTRA_SHARE * timeout


def _accept_any(_operation: str, _answer: dict[str, Any]) -> None:
    """Accept any answer: its values are checked where they are read."""


def _session_breach(answer: dict[str, Any]) -> str | None:
    """Say why an answer describes no session; None if it does."""
    operations, made_up = answer.get("operations"), answer.get("made_up", {})
    fits = (
        isinstance(operations, list)
        and all(name in _OPERATIONS for name in operations)
        and isinstance(answer.get("own_history"), bool)
        and isinstance(answer.get("costly_pieces"), bool)
    )
    return made_up_breach(made_up) if fits else "its process did not answer open as ours do"
