"""Workers of xdist collect the same items, whatever their own translators would say of themselves."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("xdist")

pytestmark = pytest.mark.any_python

# Each process says something else of what it supports, as a slow machine makes a library seem to.
MOODY = """
import os, good
Unsupported = good.Unsupported
HERE = os.environ.get("PYTEST_XDIST_WORKER", "")
class T:
    def open(self, route):
        if {here} and route.upstream == "beta": raise Unsupported("not here")
        return good.Session(route)
"""


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs of these tests are none of a worker, wherever the tests themselves are run."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)


@pytest.mark.parametrize("here", ["HERE == 'gw0'", "HERE", "not HERE"])
def test_all_collect_what_the_first_process_found(project: Any, here: str) -> None:
    project.module("moody", MOODY.format(here=here))
    alone = project.report("toolcall::", spec="good:T" if here.startswith("HERE") else "moody:T")
    (project.path / "report.json").unlink()
    result = project.run_apart("toolcall::", "-n", "2", "--toolcall-report", "report.json", spec="moody:T")
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()
    assert "Different tests were collected" not in result.stdout.str()
    together = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    assert [item["nodeid"] for item in together["items"]] == [item["nodeid"] for item in alone["items"]]
    assert together["footer"]["complete"]


def test_an_item_that_only_a_worker_has_does_not_end_the_run(project: Any) -> None:
    """Its record stands at the end of the report."""
    project.module("moody", MOODY.format(here="not HERE"))
    project.module(
        "forgetful",
        "import pytest\n"
        "@pytest.hookimpl(trylast=True)\n"
        "def pytest_configure_node(node): del node.workerinput['toolcall_support']\n",
    )
    result = project.run_apart(
        "toolcall::", "-n", "2", "-p", "forgetful", "--toolcall-report", "report.json", spec="moody:T"
    )
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()
    items = [item["nodeid"] for item in json.loads((project.path / "report.json").read_text(encoding="utf-8"))["items"]]
    beta = [item for item in items if item.endswith("to-beta")]
    assert beta
    assert items[-len(beta) :] == sorted(beta)
