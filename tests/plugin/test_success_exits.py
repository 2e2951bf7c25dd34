"""A translator that ends the process with exit code 0 makes no green run; no earlier report is taken for this one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.engine.ending.earlier_reports import EarlierReports

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the watcher needs POSIX")

OLD = {"footer": {"complete": True, "items": 1}}

MODULE = """
import os
from good import T as Good, Session

{at_import}

class T(Good):
    def __init__(self):
        {in_constructor}

    def open(self, route):
        {in_open}
        return Ending(route)

class Ending(Session):
    def request(self, body):
        {in_call}
        return super().request(body)
"""
PLACES = ("at_import", "in_constructor", "in_open", "in_call")


def run_ending(project: Any, place: str, *arguments: str, deed: str = "os._exit(0)") -> Any:
    project.write_module("ends", MODULE.format(**{name: deed if name == place else "pass" for name in PLACES}))
    report = project.path / "report.json"
    report.write_text(json.dumps(OLD), encoding="utf-8")
    return project.run_in_subprocess("toolcall::", "--toolcall-report", "report.json", *arguments, spec="ends:T")


def read_report(project: Any) -> Any:
    return json.loads((project.path / "report.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("place", PLACES)
def test_the_run_fails_and_its_report_is_incomplete(place: str, project: Any) -> None:
    result = run_ending(project, place)
    assert result.ret == 70
    assert "the process died in a call" in result.stderr.str()
    assert read_report(project)["footer"]["complete"] is False
    assert json.loads((project.path / "report.json.earlier").read_text(encoding="utf-8")) == OLD


def test_so_it_does_with_workers(project: Any) -> None:
    pytest.importorskip("xdist")
    assert run_ending(project, "at_import", "-n", "1").ret == 70
    assert read_report(project)["footer"]["complete"] is False


def test_another_exit_code_stays(project: Any) -> None:
    assert run_ending(project, "in_open", deed="os._exit(9)").ret == 9
    assert read_report(project)["footer"]["complete"] is False


def test_what_python_cannot_see_leaves_no_report_of_another_run(project: Any) -> None:
    deed = "__import__('ctypes').CDLL(None)._exit(0)"
    assert run_ending(project, "at_import", deed=deed).ret == 0
    report = project.path / "report.json"
    assert not report.exists() or read_report(project) != OLD


def test_a_function_at_exit_cannot_change_the_code(project: Any) -> None:
    project.write_module(
        "lost",
        "import atexit, os\nfrom good import T, Session\natexit.register(os._exit, 0)\n"
        "Session.request = lambda self, body: {}\n",
    )
    assert project.run_in_subprocess("toolcall::box/one", "-k", "request", spec="lost:T").ret == 1


def test_a_mistake_leaves_the_earlier_report(project: Any) -> None:
    report = project.path / "report.json"
    for arguments in (["--toolcall-translator", "nowhere:T"], ["--toolcall-translator", "good:T", "--collect-only"]):
        report.write_text("old", encoding="utf-8")
        project.run("toolcall::", "--toolcall-report", "report.json", *arguments, spec=None)
        assert report.read_text(encoding="utf-8") == "old"
        assert not list(project.path.glob("*.earlier"))


def test_a_run_that_plays_nothing_ends_as_its_process_does(project: Any) -> None:
    """Some projects end pytest so in a hook of theirs, for threads that do not end."""
    project.write_module("ender", "import os\ndef pytest_unconfigure():\n    os._exit(0)\n")
    result = project.run_in_subprocess("toolcall::", "--collect-only", "-p", "ender")
    assert result.ret == 0
    assert "no verdict" not in result.stderr.str()


def test_links_and_pipes_stay(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old", encoding="utf-8")
    (tmp_path / "link.json").symlink_to("real.json")
    os.mkfifo(tmp_path / "pipe.json")
    EarlierReports([tmp_path / "link.json", tmp_path / "pipe.json", tmp_path / "none.json"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.json", "pipe.json", "real.json"]


def test_a_copy_of_the_process_ends_as_it_likes(project: Any) -> None:
    deed = "os.waitpid(os.fork(), 0) if False else None; pid = os.fork(); pid or os._exit(0); os.waitpid(pid, 0)"
    project.write_module(
        "forks", MODULE.format(**{name: deed if name == "in_constructor" else "pass" for name in PLACES})
    )
    assert project.run_in_subprocess("toolcall::box/one", spec="forks:T").ret == 0
