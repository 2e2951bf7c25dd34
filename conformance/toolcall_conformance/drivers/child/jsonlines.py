"""Sends a child lines and reads its answers, within a time limit and a size limit."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable

from toolcall_conformance.drivers.child.process import ChildProcess
from toolcall_conformance.drivers.python.json_result import MAX_OUTPUT_BYTES

_PIECE_BYTES = 64 * 1024
# How often to check whether a silent child still lives.
_POLL_SECONDS = 0.1
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class NoAnswerError(Exception):
    """The time was up before an answer."""


class EndedError(Exception):
    """The child's output ended; ``unfinished_line`` is its unfinished last line."""

    def __init__(self, unfinished_line: bytes) -> None:
        super().__init__()
        self.unfinished_line = unfinished_line


class TooLongError(Exception):
    """A line did not end within the limit; ``beginning`` is how it starts."""

    def __init__(self, beginning: bytes) -> None:
        super().__init__()
        self.beginning = beginning


class LineChannel:
    """Exchanges lines with a child over its standard input and output.

    ``on_noise`` receives each line that cannot be an object, such as a banner. Holds at most one line of ``limit``
    bytes. POSIX only: other systems cannot poll pipes.
    """

    def __init__(self, child: ChildProcess, on_noise: Callable[[bytes], None], limit: int = MAX_OUTPUT_BYTES) -> None:
        assert child.stdin is not None
        assert child.stdout is not None
        self._input, self._output = child.stdin.fileno(), child.stdout.fileno()
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)
        self._child = child
        self._on_noise = on_noise
        self._limit = limit
        self._buffer = bytearray()
        self._searched = 0
        self._ended = False
        self._input_closed = False

    def ask(self, line: bytes, timeout: float) -> bytes:
        """Send a line and wait for one that begins with ``{``. Raises NoAnswerError, EndedError, TooLongError."""
        end = time.monotonic() + timeout
        unsent = memoryview(line + b"\n")
        while True:
            unsent = self._send(unsent)
            if not unsent:
                answer = self._take_answer()
                if answer is not None:
                    return answer
                if self._ended:
                    raise EndedError(bytes(self._buffer))
            left = end - time.monotonic()
            if left <= 0:
                raise NoAnswerError
            self._wait_and_read(bool(unsent), left)

    def _send(self, unsent: memoryview) -> memoryview:
        # A child that closed its input may still send something, or its death may still be found.
        if not unsent or self._input_closed:
            return unsent[:0]
        try:
            return unsent[os.write(self._input, unsent) :]
        except BlockingIOError:
            return unsent
        except OSError:
            self._input_closed = True
            return unsent[:0]

    def _take_answer(self) -> bytes | None:
        while (at := self._buffer.find(b"\n", self._searched)) >= 0:
            line = bytes(self._buffer[:at]).removeprefix(_BYTE_ORDER_MARK).strip()
            del self._buffer[: at + 1]
            self._searched = 0
            if line.startswith(b"{"):
                return line
            if line:
                self._on_noise(line)
        self._searched = len(self._buffer)
        if self._searched > self._limit:
            raise TooLongError(bytes(self._buffer[:1000]))
        return None

    def _wait_and_read(self, to_send: bool, timeout: float) -> None:
        """Wait until something can be read or written, and read it."""
        poll = select.poll()
        # Reads also while it sends, up to the limit, so that neither side blocks the other.
        to_read = not self._ended and len(self._buffer) <= self._limit
        if to_read:
            poll.register(self._output, select.POLLIN)
        if to_send:
            poll.register(self._input, select.POLLOUT)
        ready = dict(poll.poll(max(min(timeout, _POLL_SECONDS) * 1000, 1)))
        if not ready and self._child.exit_code() is not None:
            # Its own children may keep its output open; what it wrote itself is in the pipe by now.
            ready = dict(poll.poll(0))
            self._ended = not ready
        if not to_read or self._output not in ready:
            return
        try:
            piece = os.read(self._output, _PIECE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        self._buffer += piece
        self._ended = not piece
