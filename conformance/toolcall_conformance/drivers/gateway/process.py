"""Starts the gateway with its files and variables, waits until it is ready, and restarts it if it died."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from toolcall_conformance.basics import foreign_files
from toolcall_conformance.drivers.child.process import ChildProcess, call_at_exit, cancel_at_exit
from toolcall_conformance.drivers.errors import SpecError
from toolcall_conformance.drivers.gateway.config import GatewayConfig, fill_template
from toolcall_conformance.drivers.gateway.readiness import ProbeAnswer, is_listening, send_probe
from toolcall_conformance.drivers.upstream.server import LOOPBACK

_POLL_SECONDS = 0.05
_PROBE_SECONDS = 2.0
# The gateway's output comes through a pipe, and may arrive later than its answer.
_OUTPUT_SECONDS = 0.05
MAX_FAILED_STARTS = 3
# The times of a notice about a slow start.
_NOTICE_SECONDS = (2.0, 10.0, 30.0)


class StartError(SpecError):
    """The gateway did not become ready; the text is a sentence, and what it printed last."""

    def __init__(self, sentence: str, last_output: str | None) -> None:
        printed = (
            ""
            if last_output is None
            else f"; it printed last:\n{last_output}"
            if last_output
            else "; it printed nothing"
        )
        super().__init__(f"{sentence}{printed}")
        self.sentence = sentence


class GatewayProcess:
    """A gateway that is started for the run, or one that runs already and is not stopped.

    ``upstream`` is the root of the scripted upstream; ``notify`` gets sentences on a slow start. ``url`` is where the
    gateway listens, without a slash at the end.
    """

    def __init__(
        self, config: GatewayConfig, upstream: str, notify: Callable[[str], None] = lambda _sentence: None
    ) -> None:
        self.config = config
        self._notify = notify
        self.url = config.url or ""
        self.upstream_key = f"upstream-key-{secrets.token_hex(8)}"
        self._upstream = upstream
        self._child: ChildProcess | None = None
        self._folder: Path | None = None
        self._failures = 0
        self._last_output = ""
        self._answer: ProbeAnswer | None = None

    @property
    def tail(self) -> str:
        """What it printed last; an empty string if we did not start it."""
        if self._child is None:
            return self._last_output
        time.sleep(_OUTPUT_SECONDS)
        return self._child.tail

    def start(self) -> None:
        """Start it and wait until it is ready. Raises SpecError; nothing is left running then."""
        if not self.config.command:
            self._wait_until_ready()
            return
        port = self.config.port or _free_port()
        if self.config.port and _is_port_taken(port):
            raise SpecError(
                f"{self.config.path}: port {port} is in use, by another program or by a gateway that a former "
                "run left running; stop it, or leave out `port` and write {port} in the command"
            )
        values = {
            "port": str(port),
            "upstream": self._upstream,
            "upstream_key": self.upstream_key,
            "directory": str(self.config.directory),
        }
        values["files"] = str(self._make_files(values))
        command = [fill_template(word, values) for word in self.config.command]
        try:
            self._child = ChildProcess(
                command,
                directory=self.config.directory,
                environment={name: fill_template(text, values) for name, text in self.config.environment.items()},
                piped=False,
            )
        except (OSError, ValueError) as error:  # a zero byte is a ValueError
            self.stop()
            raise SpecError(
                f"{self.config.path}: {command[0]} cannot be started ({getattr(error, 'strerror', None) or error}); "
                "install it, or correct the first word of `command`"
            ) from None
        self.url = fill_template(self.config.url or f"http://{LOOPBACK}:{{port}}", values)
        try:
            self._wait_until_ready()
        except SpecError:
            self.stop()
            raise

    def describe_death(self) -> str | None:
        """Say how it died, to follow its name in a sentence; None while it runs, or if we did not start it."""
        if self._child is None:
            return None
        code = self._child.wait(0.3)
        if code is None:
            return None
        return f"died with exit code {code}" if code >= 0 else f"was killed by signal {-code}"

    def restart_if_dead(self) -> str | None:
        """Start it again if it died; return why that failed, or None. Gives up after three failed starts."""
        if not self.config.command or (self._child is not None and self._child.exit_code() is None):
            return None
        if self._failures >= MAX_FAILED_STARTS:
            return f"the gateway does not start any more ({self._failures} times in a row)"
        self.stop()
        try:
            self.start()
        except SpecError as error:
            self._failures += 1
            return error.sentence if isinstance(error, StartError) else str(error)
        self._failures = 0
        return None

    def stop_if_hung(self) -> None:
        """Stop it after a call that did not return, unless it still answers its readiness probe.

        An open port is not enough: the system accepts connections for a process that hangs.
        """
        if self._child is not None and (self.config.ready.path is None or not self._is_ready(_PROBE_SECONDS)):
            self.stop()

    def stop(self) -> None:
        """End it, if we started it, and delete its files."""
        if self._child is not None:
            self._last_output = self._child.tail
            self._child.stop()
            self._child = None
        self._delete_files()

    def _delete_files(self) -> None:
        cancel_at_exit(self._delete_files)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _make_files(self, values: dict[str, str]) -> Path:
        self._folder = Path(tempfile.mkdtemp(prefix="toolcall-gateway-"))
        call_at_exit(self._delete_files)
        values = {**values, "files": str(self._folder)}
        for name, template in self.config.files.items():
            try:
                text = fill_template(foreign_files.read_text(template), values)
                (self._folder / name).write_text(text, encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                self.stop()
                raise SpecError(f"{self.config.path}: files: {name!r} cannot be made of {template} ({error})") from None
        return self._folder

    def _wait_until_ready(self) -> None:
        started, notice_count = time.monotonic(), 0
        until = started + self.config.ready.seconds
        # Checks first whether it died: another process may answer on its port.
        while (died := self._child is not None and self._child.exit_code() is not None) or not self._is_ready(
            max(min(_PROBE_SECONDS, until - time.monotonic()), _POLL_SECONDS)
        ):
            if died or time.monotonic() >= until:
                raise self._start_error()
            if notice_count < len(_NOTICE_SECONDS) and time.monotonic() - started > _NOTICE_SECONDS[notice_count]:
                self._notify(self._waiting_text(again=notice_count > 0))
                notice_count += 1
            time.sleep(max(min(_POLL_SECONDS, until - time.monotonic()), 0))

    def _waiting_text(self, *, again: bool) -> str:
        """The notice about a slow start."""
        if not again:
            limit = self.config.ready.seconds
            return f"waiting for the gateway {self.config.name} ({self._probe_text}), at most {limit:g} s"
        wants = f"it listens, but does not answer as [ready] of {self.config.path.name} wants"
        state = self._port_hint() or wants + (f": {self._answer}" if self._answer is not None else "")
        return f"still waiting for the gateway {self.config.name}; {state}"

    @property
    def _probe_text(self) -> str:
        ready = self.config.ready
        return f"GET {self.url}{ready.path}" if ready.path else f"a connection to {self.url}"

    def _port_hint(self) -> str:
        """Why nothing listens where the gateway should; empty if it listens."""
        host, port = self._address
        if is_listening(host, port, _PROBE_SECONDS):
            return ""
        if not self.config.knows_port:
            return (
                f"nothing listens on port {port}, and the gateway cannot know it: write {{port}} in `command`, "
                "`environment` or a template of `files`"
            )
        return f"nothing listens on port {port}: see that the gateway takes its port from there"

    @property
    def _address(self) -> tuple[str, int]:
        address = urlsplit(self.url)
        return address.hostname or LOOPBACK, address.port or (443 if address.scheme == "https" else 80)

    def _start_error(self) -> StartError:
        """The error of a gateway that did not become ready, with a hint at the cause."""
        ready = self.config.ready
        failure = self.describe_death() or f"was not ready after {ready.seconds:g} s (`seconds` of [ready])"
        probe = self._probe_text + (f": {self._answer}" if self._answer is not None else "")
        if not self.config.command:
            hint = f"it is to be running already: start it, or give a `command` ({probe})"
            return StartError(f"the gateway {self.config.name} {failure}; {hint}", None)
        if failure.endswith("exit code 0"):
            failure += " before it was ready (it must stay in the foreground)"
        port = self._port_hint() if self.describe_death() is None else ""
        hint = f"the command and [ready] in {self.config.path} determine how it starts ({probe})"
        hint = f"{port}; {hint}" if port else hint
        return StartError(f"the gateway {self.config.name} {failure}; {hint}", self.tail)

    def _is_ready(self, seconds: float) -> bool:
        ready = self.config.ready
        if ready.path is None:
            return is_listening(*self._address, seconds)
        answer = self._answer = send_probe(f"{self.url}{ready.path}", seconds)
        if answer.status is None:
            return False
        return answer.status == ready.status if ready.status is not None else answer.status < 500


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def _is_port_taken(port: int) -> bool:
    """Whether the port is in use."""
    with socket.socket() as probe:
        if os.name == "posix":  # what is left of closed connections does not count
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return True
    return False
