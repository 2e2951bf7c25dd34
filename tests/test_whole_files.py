"""Files are written whole or not at all, in an order that outlives a power cut; and nothing is left for ever."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from toolcall_conformance.basics import atomic_files

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was done, in its order: which file or folder went to the disk, and which took its name."""
    done: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def record_sync(descriptor: int) -> None:
        fsync(descriptor)
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")

    def record_replace(self: Path, target: Path) -> Path:
        done.append(f"rename {target.name}")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", record_sync)
    monkeypatch.setattr(Path, "replace", record_replace)
    return done


def test_the_disk_has_the_content_before_the_name(tmp_path: Path, steps: list[str]) -> None:
    atomic_files.write(tmp_path / "a.json", "new \ud800")
    assert steps == ["file", "rename a.json", "folder"]
    assert (tmp_path / "a.json").read_bytes() == b"new \\ud800"


def test_several_go_to_the_disk_together(tmp_path: Path, steps: list[str]) -> None:
    names: list[str] = []
    files = [(tmp_path / folder / name, b"x") for folder in "ab" for name in ("1", "2")]
    atomic_files.write_all(files, on_renamed=lambda path: names.append(path.name))
    assert steps == [*["file"] * 4, *[f"rename {name}" for name in ("1", "2", "1", "2")], *["folder"] * 2]
    assert names == ["1", "2", "1", "2"]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["1", "1", "2", "2", "a", "b"]


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "Ctrl-C"])
def test_what_fails_leaves_the_old_file_alone(
    tmp_path: Path, step: str, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.json").write_text("old")

    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(step, fails)
    with pytest.raises(type(error)) as raised:
        atomic_files.write(tmp_path / "a.json", "new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.json", "old")]
    if step != "os.fsync" and isinstance(raised.value, OSError):
        assert raised.value.filename == str(tmp_path / "a.json")


def test_rights_links_and_long_names_stay(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    atomic_files.write(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o640
    long = tmp_path / ("ä" * 120)
    atomic_files.write(long, "new")
    assert long.read_text() == "new"


def test_a_circle_of_links_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("other")
    (tmp_path / "other").symlink_to("one")
    with pytest.raises(atomic_files.NotWrittenError, match="symbolic links") as raised:
        atomic_files.write(tmp_path / "one", "new")
    assert raised.value.filename == str(tmp_path / "one")
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_symlink()) == ["one", "other"]


def test_what_a_killed_run_left_is_taken_away_once_it_is_old(tmp_path: Path) -> None:
    names = {".a.json.0123abcd.tmp", ".a.json.0123abce.tmp", ".b.json.0123abcd.tmp", ".a.json.tmp", "a.json.tmp"}
    for name in names:
        (tmp_path / name).write_text("half")
        if name != ".a.json.0123abce.tmp":  # which a run at work may need
            os.utime(tmp_path / name, (1, 1))
    atomic_files.write(tmp_path / "a.json", "new")
    assert {path.name for path in tmp_path.iterdir()} == names - {".a.json.0123abcd.tmp"} | {"a.json"}


def test_runs_that_are_stopped_while_they_write() -> None:
    """A sample; ``python tests regeneration.killed`` takes 200 moments for each signal."""
    words = [sys.executable, str(ROOT / "tests" / "regeneration" / "killed.py"), "--moments", "3", "--seed", "7"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(", 0 faults") == 2


def test_the_harness_sees_a_torn_file(tmp_path: Path) -> None:
    from regeneration.killed import Outcome, Subject

    readers: Callable[[], object] = lambda: sorted(path.name for path in tmp_path.glob("*"))  # noqa: E731
    subject = Subject("x", tmp_path, {"a": b"old"}, {"a": b"new!"}, lambda name: name.endswith(".tmp"), readers)
    for content, extra, wrong in ((b"new!", "", 0), (b"new", "", 1), (b"old", "strange", 1), (b"old", ".b.tmp", 1)):
        outcome = Outcome()
        (tmp_path / "a").write_bytes(content)
        if extra:
            (tmp_path / extra).write_text("x")
        subject.look("then", outcome)
        assert len(outcome.wrong) == wrong, outcome
        subject.restore()
