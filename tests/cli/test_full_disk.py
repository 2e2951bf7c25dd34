"""Standard output and reports on a full device: an exit code and a sentence; and a device stays a device."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.basics import atomic_files
from toolcall_conformance.library import default_root

FULL = Path("/dev/full")
pytestmark = pytest.mark.skipif(not FULL.is_char_device(), reason="there is no /dev/full")
COMMAND = (sys.executable, "-m", "toolcall_conformance")


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("words", ["--version", "--help", "list formats", "explain blocked", "schema", "judge --help"])
def test_what_cannot_be_printed_is_reported(words: str, unbuffered: str) -> None:
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with FULL.open("w") as full:
        done = subprocess.run(
            [*COMMAND, *words.split()], stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False
        )
    assert done.returncode == 4
    [message] = done.stderr.splitlines()
    assert message.endswith(": standard output could not be written (No space left on device); free some space")


@pytest.mark.parametrize("words", ["--version", "--help", "list formats", "judge a b"])
def test_a_closed_output_is_reported(words: str) -> None:
    command = ["sh", "-c", '"$@" >&-', "sh", *COMMAND, *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    [message] = done.stderr.splitlines()
    assert message.endswith(": standard output could not be written (it is closed); send it to a file, or to /dev/null")


def test_a_verdict_is_not_lost_where_nobody_reads_the_lines() -> None:
    body = str(default_root() / "scenarios" / "shell" / "seed" / "anthropic" / "01-request.json")
    judged = [*COMMAND, "judge", "--client", "anthropic", "--upstream", "gemini", body, body]
    with subprocess.Popen(judged, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == ""
    assert child.returncode == 1


def test_a_report_to_a_full_device_is_reported(project: Any) -> None:
    link = project.path / "report.json"
    link.symlink_to(FULL)
    result = project.run("toolcall::box/one", "--toolcall-report", "report.json")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["toolcall: --toolcall-report: * could not be written (No space left on device)"])
    assert FULL.is_char_device()


def test_a_device_and_a_pipe_take_what_is_written_and_stay(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left"):
        atomic_files.write(FULL, "a" * 100_000)
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        atomic_files.write(pipe, "a" * 100_000)
        assert reader.stdout is not None
        assert reader.stdout.read() == b"a" * 100_000
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert FULL.is_char_device()
