"""Nothing that descends from a command outlives it, whatever session, group or parent it has by then."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.drivers.child import families, supervisor
from toolcall_conformance.drivers.child.process import ChildProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has subreapers and /proc")

FUGITIVES = Path(__file__).with_name("fugitives.py")
KINDS = ("setsid", "daemon", "deaf", "nameless", "hopping", "orphaning", "stopped")


@pytest.fixture
def token() -> Iterator[str]:
    mark = f"fugitive-{secrets.token_hex(8)}"
    yield mark
    for process in living_processes(mark):  # where a test has failed
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGKILL)


def living_processes(token: str) -> list[int]:
    """The living processes with the token among their arguments."""
    pids = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if token.encode() in (folder / "cmdline").read_bytes():
                pids.append(int(folder.name))
    return pids


def wait_until_gone(token: str, seconds: float = 5) -> bool:
    end = time.monotonic() + seconds
    while living_processes(token) and time.monotonic() < end:
        time.sleep(0.01)
    return not living_processes(token)


def wait_until_started(token: str, number: int, seconds: float = 5) -> bool:
    """Whether so many processes are seen; one that executes another program has no arguments for a moment."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if len(living_processes(token)) >= number:
            return True
        time.sleep(0.01)
    return False


def start_child(kind: str, token: str, folder: Path) -> ChildProcess:
    child = ChildProcess([sys.executable, "-I", "-S", str(FUGITIVES), kind, token], directory=folder, piped=True)
    assert child.stdout is not None
    assert child.stdout.readline() == b"they run\n"
    return child


@pytest.mark.parametrize("kind", KINDS)
def test_what_flees_is_ended(kind: str, token: str, tmp_path: Path) -> None:
    child = start_child(kind, token, tmp_path)
    if kind == "orphaning":
        assert child.wait(5) == 0
    if kind != "hopping":  # which are seldom seen while they exist
        assert wait_until_started(token, 4), "the supervisor, which has the token, too, and its three"
    child.stop()
    assert not any(living_processes(token) for _ in range(9 if kind == "hopping" else 1))
    assert child.exit_code() == {"orphaning": 0, "deaf": -signal.SIGKILL}.get(kind, -signal.SIGTERM)


@pytest.mark.parametrize("kind", ["daemon", "hopping"])
def test_what_flees_is_ended_when_the_runner_is_killed(kind: str, token: str, tmp_path: Path) -> None:
    text = (
        "import os, signal, sys; sys.path[:0] = sys.argv[4:]; from pathlib import Path\n"
        "from drivers.test_families import start_child\n"
        "start_child(*sys.argv[1:3], Path(sys.argv[3]))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    words = [sys.executable, "-c", text, kind, token, str(tmp_path), *sys.path]
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL
    assert wait_until_gone(token)


def test_a_child_that_kills_its_supervisor_is_ended_with_its_group(token: str, tmp_path: Path) -> None:
    text = "import os, signal, time; os.kill(os.getppid(), signal.SIGKILL); print('alone', flush=True); time.sleep(60)"
    child = ChildProcess([sys.executable, "-c", text, token], directory=tmp_path, piped=True)
    assert child.stdout is not None
    assert child.stdout.readline() == b"alone\n"
    assert child.wait(5) == -signal.SIGKILL
    child.stop()
    assert wait_until_gone(token)


SHOWN = """
grep -E 'Sig(Ign|Blk)' /proc/self/status
ls /proc/self/fd; pwd; echo "$X $#"; printf %s "$1" | od -c
[ "$(cut -d ' ' -f 5,6 /proc/$$/stat)" = "$$ $$" ] && echo leads
"""


@pytest.mark.parametrize("handler", [signal.SIG_DFL, signal.SIG_IGN])
def test_the_command_has_what_it_would_have_without_a_supervisor(handler: Any, tmp_path: Path) -> None:
    """With what nohup ignores, too."""
    before = signal.signal(signal.SIGHUP, handler)
    try:
        _say_what_the_command_has(tmp_path)
    finally:
        signal.signal(signal.SIGHUP, before)


def _say_what_the_command_has(tmp_path: Path) -> None:
    outputs = []
    for start in (families.SupervisedFamily, families.GroupFamily):
        family = start(
            ["sh", "-c", SHOWN, "sh", "ä\udcff", ""],
            cwd=tmp_path,
            env={**os.environ, "X": "é"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        assert family.process.stdout is not None
        with family.process.stdout:
            outputs.append(family.process.stdout.read())
        family.stop()
        assert family.exit_code() == 0
    assert outputs[0] == outputs[1]
    assert outputs[0].endswith(b"leads\n")


@pytest.mark.parametrize("start", [families.SupervisedFamily, families.GroupFamily])
@pytest.mark.parametrize(
    ("word", "options", "error"),
    [
        ("no-such-command", {}, FileNotFoundError),
        (__file__, {}, PermissionError),
        (sys.executable, {"cwd": "/no/such/folder"}, FileNotFoundError),
        ("zero\0byte", {}, ValueError),
    ],
)
def test_a_command_that_cannot_be_executed(start: Any, word: str, options: dict[str, Any], error: Any) -> None:
    with pytest.raises(error) as raised:
        start([word], stdout=subprocess.PIPE, **options)
    if word == "no-such-command":
        assert (raised.value.filename, raised.value.strerror) == (word, "No such file or directory")


def test_children_are_found_without_the_kernel_s_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / ") S 1 (x"  # a name that looks like the fields behind it
    program.write_text("#!/bin/sh\nsleep 60\n")
    program.chmod(0o755)
    child = subprocess.Popen([str(program)])
    try:
        pids = supervisor.child_pids(os.getpid())
        assert child.pid in pids

        def without_list(path: str, *more: Any) -> Any:
            if path.endswith("/children"):
                raise FileNotFoundError
            return open(path, *more)  # noqa: PTH123

        monkeypatch.setattr(supervisor, "open", without_list, raising=False)
        assert set(pids) <= set(supervisor.child_pids(os.getpid()))
    finally:
        child.kill()
        child.wait()


def test_a_gateway_that_flees(token: str, tmp_path: Path) -> None:
    """Its server is a daemon; the command that started it stays in the foreground."""
    from drivers.gateway_project import free_port, listens
    from toolcall_conformance.drivers.gateway.config import load_config
    from toolcall_conformance.drivers.gateway.process import GatewayProcess

    port = free_port()
    text = (
        "import os, sys, time, http.server as h\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork(): os._exit(0)\n"
        "    os.closerange(0, 256)\n"
        "    h.HTTPServer(('127.0.0.1', int(sys.argv[1])), h.SimpleHTTPRequestHandler).serve_forever()\n"
        "time.sleep(60)\n"
    )
    (tmp_path / "server.py").write_text(text)
    words = ", ".join(f'"{word}"' for word in (sys.executable, "server.py", "{port}", token))
    tables = "[ready]\n[client.anthropic]\n[upstream.anthropic]\n"
    path = tmp_path / "gateway.toml"
    path.write_text(f'name = "fleeing"\nport = {port}\ncommand = [{words}]\n{tables}')
    process = GatewayProcess(load_config(path, ["anthropic"]), "http://127.0.0.1:9")
    process.start()
    assert len(living_processes(token)) == 3, "the supervisor, the command, the server"
    process.stop()
    assert living_processes(token) == []
    assert not listens(port)
