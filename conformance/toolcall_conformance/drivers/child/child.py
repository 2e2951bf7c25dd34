"""One process of the user's command. It answers one question at a time; after a failure it is not asked again."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from toolcall_conformance.basics.jsonvalue import JSONError, equal, parse
from toolcall_conformance.drivers.child.answers import PROTOCOL_VERSION, find_breach
from toolcall_conformance.drivers.child.jsonlines import EndedError, LineChannel, NoAnswerError, TooLongError
from toolcall_conformance.drivers.child.process import ChildProcess
from toolcall_conformance.drivers.outcomes import Crashed, ProtocolError, TimedOut, TranslatorError
from toolcall_conformance.drivers.python.json_result import MAX_OUTPUT_BYTES

ChildFailure = Crashed | TimedOut | ProtocolError
"""The outcomes of a question that a child does not answer properly."""

_MAX_FAILED_STARTS = 3

_MAX_SHOWN = 120
_MAX_NOISE = 20
_EXIT_SECONDS = 1.0
_LEAVE_SECONDS = 2.0
# Without this Python buffers thousands of bytes before it writes a line.
_ENVIRONMENT = {"PYTHONUNBUFFERED": "1"}
_ADVICE = "write one JSON object a line to standard output, and everything else to standard error"


class Child:
    """A running process. ``why_ended`` says why it cannot be asked any more; None while it can.

    ``noise`` collects, shortened, the first lines of its standard output that are not answers. ``breach`` says what is
    wrong with an answer to an operation, ``limit`` is the largest line in bytes. Raises OSError.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        directory: Path,
        noise: list[str],
        breach: Callable[[str, dict[str, Any]], str | None] = find_breach,
        limit: int = MAX_OUTPUT_BYTES,
    ) -> None:
        self._process = ChildProcess(command, directory=directory, environment=_ENVIRONMENT, piped=True)
        self._lines = LineChannel(self._process, self._add_noise, limit)
        self._breach = breach
        self._limit = limit
        self._noise = noise
        self._seq = 0
        self.why_ended: str | None = None

    def ask(self, operation: str, fields: dict[str, Any], timeout: float) -> dict[str, Any] | ChildFailure:
        """Ask a question and return its valid answer. Ends the process after a fault."""
        self._seq += 1
        question = {"op": operation, "seq": self._seq, **fields}
        try:
            line = self._lines.ask(_encode_question(question), timeout)
        except NoAnswerError:
            return self._end_late(operation, timeout)
        except EndedError as ended:
            return self._read_end(operation, ended.unfinished_line)
        except TooLongError as error:
            problem = (
                f"it wrote a line of more than {self._limit:,} bytes, which starts with {line_excerpt(error.beginning)}"
            )
            return self._end_with_breach(f"{problem}; {_ADVICE}")
        except BaseException:  # an interrupt: a late answer would be read as that of the next question
            self._end("was interrupted")
            raise
        try:
            answer: dict[str, Any] = parse(line)
        except JSONError as error:
            return self._end_with_breach(f"the line {line_excerpt(line)} is not JSON: {error}; {_ADVICE}")
        if "seq" not in answer:
            return self._end_with_breach(
                f"the line {line_excerpt(line)} has no seq; every answer repeats the seq of its question"
            )
        if not equal(answer["seq"], self._seq):
            return self._end_with_breach(
                f"the answer {line_excerpt(line)} has seq {answer['seq']!r:.40} and not {self._seq}; "
                "answer each question once, in order, with its own seq"
            )
        wrong = self._breach(operation, answer)
        if wrong is not None:
            return self._end_with_breach(
                f"{wrong}; the line is {line_excerpt(line)}, and `toolcall-conformance schema` has the rules"
            )
        return answer

    def stop(self) -> None:
        """End the process; it has a moment to exit by itself."""
        self.why_ended = self.why_ended or "had ended"
        self._process.stop(grace=_LEAVE_SECONDS)

    def kill(self, why: str) -> None:
        """End the process at once; ``why`` follows "its process" in a sentence."""
        self._end(why)

    @property
    def last_output(self) -> str:
        """What the process printed last, after a line that says so; empty if it printed nothing."""
        tail = self._process.tail
        return f"The last that the process printed:\n{tail}" if tail else ""

    def _add_noise(self, line: bytes) -> None:
        self._process.add_to_tail(line[:1000])
        if len(self._noise) < _MAX_NOISE:
            self._noise.append(line_excerpt(line))

    def _end_late(self, operation: str, timeout: float) -> TimedOut:
        last_output = self.last_output
        self._end(f"was killed when {operation} took more than {round(timeout, 2):g} s")
        return TimedOut(timeout, last_output)

    def _read_end(self, operation: str, unfinished_line: bytes) -> ChildFailure:
        code = self._process.wait(_EXIT_SECONDS)
        how, last_output = _exit_text(code), self.last_output
        self._end(f"{how} when it was asked {operation}")
        if unfinished_line.strip():
            return ProtocolError(
                f"its output ended in the middle of the line {line_excerpt(unfinished_line)}; it {how}", last_output
            )
        return Crashed(TranslatorError(how), last_output, died=True)

    def _end_with_breach(self, sentence: str) -> ProtocolError:
        last_output = self.last_output
        self._end("was ended after an invalid answer")
        return ProtocolError(sentence, last_output)

    def _end(self, why: str) -> None:
        self.why_ended = why
        self._process.stop()


def start_child(
    command: Sequence[str], *, directory: Path, timeout: float, noise: list[str]
) -> tuple[Child, dict[str, Any]] | str:
    """Start a child and return it with its answer to ``hello``; or a sentence that says why it failed."""
    program = command[0]
    try:
        child = Child(command, directory=directory, noise=noise)
    except FileNotFoundError:
        return f"there is no program {program!r} {_path_hint(program, directory)}"
    except PermissionError:
        return f"{program!r} may not be executed; `chmod +x` it, or write its interpreter first (exec:python {program})"
    except OSError as error:
        return f"{program!r} cannot be executed ({error.strerror}); write its interpreter first (exec:python {program})"
    answer = child.ask("hello", {"protocol": PROTOCOL_VERSION}, timeout)
    match answer:
        case Crashed():
            problem = f"it {answer.sentence} before it answered hello; run the command by hand to see why"
            last_output = answer.traceback
        case TimedOut(last_output=last_output):
            problem = (
                f"it did not answer hello within {timeout:g} s; read a line from standard input, answer it on standard "
                "output, and flush"
            )
        case ProtocolError(sentence, last_output):
            problem = f"hello: {sentence}"
        case _:
            failure = next(
                (f"{key}: {answer[key]}" for key in ("refused", "unsupported", "failed") if key in answer), None
            )
            if failure is None:
                return child, answer
            child.stop()
            problem = f"it answered hello with {failure}"
            last_output = str(answer.get("traceback", "")) or child.last_output
    return f"{problem}\n{last_output}" if last_output else problem


C = TypeVar("C", bound=Child)
Start = Callable[[], tuple[C, dict[str, Any]] | str]
"""Starts a child and returns it with its answer to ``hello``; or a sentence on why it failed."""


class RestartedChild(Generic[C]):
    """A child that :meth:`revive` starts again. ``start`` started the first one, too."""

    def __init__(self, child: C, start: Start[C]) -> None:
        self.child = child
        self._start = start
        self._failed_starts = 0
        self._start_error = ""

    def revive(self) -> Crashed | None:
        """Start another child if this one has ended; say why there is none."""
        if self.child.why_ended is None:
            return None
        why_not = self._restart()
        if not why_not:
            return None
        sentence, _, last_output = why_not.partition("\n")
        return Crashed(TranslatorError(f"could not be asked: {sentence}"), last_output)

    def _restart(self) -> str:
        """Start another child; return why it failed, or an empty string."""
        if self._failed_starts >= _MAX_FAILED_STARTS:
            return f"it did not start again, {self._failed_starts} times: {self._start_error}"
        started = self._start()
        if isinstance(started, str):
            self._failed_starts += 1
            self._start_error = started
            return f"it did not start again: {started}"
        self._failed_starts = 0
        self.child = started[0]
        return ""


def _path_hint(program: str, directory: Path) -> str:
    if "/" in program:
        return f"(seen from {directory}); start pytest in the directory from which the path starts"
    path = directory / program
    if path.exists():
        return f"on the PATH; write `./{program}`, or its interpreter first (exec:python {program})"
    return "on the PATH; install it, or write its path"


def _exit_text(code: int | None) -> str:
    if code is None:
        return "closed its output and kept running without an answer"
    if code == 0:
        return "ended with exit code 0 and no answer"
    if code > 0:
        return f"died with exit code {code}"
    try:
        name = f" ({signal.Signals(-code).name})"
    except ValueError:
        name = ""
    return f"was killed by signal {-code}{name}"


def _encode_question(question: dict[str, Any]) -> bytes:
    # ASCII: some programs read their input in the locale's encoding, and some end a line at U+2028 as well.
    return json.dumps(question, separators=(",", ":")).encode()


def line_excerpt(line: bytes) -> str:
    """Shorten a line and make it printable, for a sentence."""
    text = line[: 4 * _MAX_SHOWN].decode("utf-8", "backslashreplace")
    text = "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text)
    return f"{text[:_MAX_SHOWN]}…" if len(text) > _MAX_SHOWN or len(line) > 4 * _MAX_SHOWN else text
