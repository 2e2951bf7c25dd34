"""The child of ``--toolcall-isolated``: serves the driver of this interpreter over standard input and output.

Each question is a line of JSON, and so is its answer. What the translator prints goes to standard error.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import signal
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers.base import Driver, Opened, SessionDriver
from toolcall_conformance.drivers.errors import SpecError
from toolcall_conformance.drivers.isolated.messages import outcome_to_json, source_of_json
from toolcall_conformance.drivers.loading import load_driver
from toolcall_conformance.drivers.python.exception_outcomes import exception_outcome
from toolcall_conformance.drivers.upstream import MissingLibraryError

Question = dict[str, Any]


def main() -> None:
    """Answer until standard input ends."""
    answers = os.dup(1)
    os.dup2(2, 1)
    faulthandler.enable(all_threads=False)
    if hasattr(signal, "SIGUSR1"):
        faulthandler.register(signal.SIGUSR1, all_threads=False)  # sent before the child is killed: dumps its stack
    server = _Server()
    for line in _read_questions():
        question = json.loads(line)
        answer = json.dumps({**server.answer(question), "seq": question["seq"]}, separators=(",", ":")).encode()
        _write_all(answers, answer + b"\n")
    server.close()


def _read_questions() -> Iterator[bytes]:
    """Read the questions. The translator finds its standard input empty."""
    questions = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    yield from questions


def _write_all(to: int, data: bytes) -> None:
    while data:
        data = data[os.write(to, data) :]


class _Server:
    """Holds the driver and its sessions."""

    def __init__(self) -> None:
        self._driver: Driver | None = None
        self._sessions: dict[str, SessionDriver] = {}

    def answer(self, question: Question) -> dict[str, Any]:
        """The answer to a question, without its ``seq``."""
        if question["op"] == "hello":
            return self._load(question)
        if self._driver is None:
            return {"wrong": "there is no translator yet"}
        try:
            return self._open(self._driver, question) if question["op"] == "open" else self._play(question)
        except MissingLibraryError as error:
            return {"missing": str(error)}
        except KeyboardInterrupt as error:  # not Ctrl-C: the translator raised it
            return {"outcome": outcome_to_json(exception_outcome(error))}
        except Exception as error:
            return {"fault": "".join(traceback.format_exception(error))}

    def close(self) -> None:
        """Release what the driver holds."""
        self._sessions.clear()
        if self._driver is not None:
            self._driver.close()

    def _load(self, question: Question) -> dict[str, Any]:
        limit_memory(question["memory"])
        transports = question["transports"]
        try:
            self._driver = load_driver(
                question["spec"],
                directory=Path(question["directory"]),
                timeout=question["timeout"],
                transports=lambda: transports,
            )
        except SpecError as error:
            return {"wrong": str(error)}
        return {"name": self._driver.name, "version": self._driver.version}

    def _open(self, driver: Driver, question: Question) -> dict[str, Any]:
        if question["begins"]:
            self._sessions.clear()
            driver.end_item()
        _set_current_test(question["test"])
        opened = driver.open(Route(**question["route"]))
        if not isinstance(opened, Opened):
            return {"outcome": outcome_to_json(opened)}
        session = self._sessions[question["session"]] = opened.session
        return {
            "operations": sorted(session.operations),
            "own_history": session.own_history,
            "made_up": {name: list(places) for name, places in session.made_up.items()},
            "costly_pieces": session.costly_pieces,
        }

    def _play(self, question: Question) -> dict[str, Any]:
        operation, arguments = question["op"], question["arguments"]
        session = self._sessions[question["session"]]
        if operation == "stream_interleaved":
            source, other, other_source = arguments
            outcomes = session.stream_interleaved(
                source_of_json(source), self._sessions[other], source_of_json(other_source)
            )
            return {
                "outcome": outcome_to_json(outcomes[0]),
                "other_outcome": outcome_to_json(outcomes[1]),
                "has_children": _has_children(),
            }
        plays: dict[str, Callable[..., Any]] = {
            "request": session.request,
            "response": session.response,
            "error": session.error,
            "stream": lambda source: session.stream(source_of_json(source)),
            "finish_exchange": session.finish_exchange,
        }
        outcome = plays[operation](*arguments) if operation in plays else session.call(operation, *arguments)
        return (
            {}
            if operation == "finish_exchange"
            else {"outcome": outcome_to_json(outcome), "has_children": _has_children()}
        )


def _has_children() -> bool:
    """Whether processes that the translator started still run."""
    if not hasattr(os, "waitid"):
        return True
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _set_current_test(name: str | None) -> None:
    """Set the variable in which pytest has the running item, for translators that read it."""
    os.environ.pop("PYTEST_CURRENT_TEST", None)
    if name is not None:
        os.environ["PYTEST_CURRENT_TEST"] = name


def limit_memory(memory: float | None) -> None:
    """Limit the address space of this process to ``memory`` megabytes, where the system can."""
    if memory is None:
        return
    try:
        import resource
    except ImportError:  # Windows
        return
    size = int(memory * 1024 * 1024)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard != resource.RLIM_INFINITY:
        size = min(size, hard)
    with contextlib.suppress(ValueError, OSError):  # macOS takes no limit below what is in use
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
