"""Systems without the parts that only POSIX has: everything can be imported, and what cannot work says so."""

from __future__ import annotations

import select
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from toolcall_conformance.drivers import SpecError, load_driver
from toolcall_conformance.drivers.child import families, platforms

CHILD = Path(__file__).with_name("platforms_child.py")


def test_a_system_like_windows(tmp_path: Path) -> None:
    words = [sys.executable, str(CHILD), str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Traceback" not in done.stdout
    answers = dict(line.partition(" ")[::2] for line in done.stdout.splitlines())
    assert list(answers) == ["imported", "exec", "isolated", "list", "judge", "kept"]
    for kind in ("exec", "isolated"):
        assert answers[kind].startswith("4: toolcall-conformance smoke: ")
        assert (
            "are asked over pipes, which Windows cannot wait for; use Linux, macOS or WSL, or name a" in answers[kind]
        )
    assert answers["list"].startswith("0: ")
    assert answers["judge"].startswith("0: ")
    assert answers["kept"] == "whole"


@pytest.mark.parametrize(("system", "name"), [("win32", "Windows"), ("haiku", "haiku")])
def test_a_system_without_polls(system: str, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(platforms, "select", SimpleNamespace())
    monkeypatch.setattr(platforms, "sys", SimpleNamespace(platform=system))
    with pytest.raises(SpecError, match=rf"'exec:x': .* which {name} cannot wait for"):
        load_driver("exec:x", directory=tmp_path)


@pytest.mark.skipif(not hasattr(select, "poll"), reason="only POSIX has groups")
def test_a_system_without_subreapers_ends_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "sys", SimpleNamespace(platform="darwin", executable=sys.executable))
    family = families.start_family(["sh", "-c", "sleep 60 & echo $!; wait"], stdout=subprocess.PIPE)
    assert isinstance(family, families.GroupFamily)
    assert family.process.stdout is not None
    with family.process.stdout as pipe:
        assert int(pipe.readline()) > 1
        family.stop()
        assert pipe.read() == b"", "nobody holds the other end any more"
    assert family.exit_code() == -15
