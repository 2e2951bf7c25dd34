"""Workers of xdist collect the same items, whatever their own translators would say of themselves."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("xdist")

from toolcall_conformance import jsonvalue
from toolcall_conformance.engine import sent_events
from toolcall_conformance.engine.spreading import CasesTogether

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


CASES = [
    "a.py::one",
    *(f"toolcall::{case}::request::{n}" for case in ("x/seed", "y/seed") for n in range(4)),
    "b.py::two",
    *(f"toolcall::fuzz/drawn::conversations::{n}" for n in range(3)),
]


@pytest.mark.parametrize(
    ("asked", "sent"),
    [(1, 1), (2, 5), (5, 5), (6, 9), (11, 11), (13, 13), (0, 0), (99, 13)],
    ids=[
        "another test",
        "first of a case",
        "last of a case",
        "second case",
        "a route of drawn conversations",
        "all",
        "nothing",
        "more than there are",
    ],
)
def test_a_chunk_ends_where_a_case_ends(asked: int, sent: int) -> None:
    """Other tests of the user's are spread as they always were."""
    told: list[int] = []
    node: Any = type("Node", (), {"send_runtest_some": staticmethod(told.extend)})()
    scheduler = object.__new__(CasesTogether)
    scheduler.collection, scheduler.pending, scheduler.node2pending = CASES, list(range(len(CASES))), {node: []}
    scheduler._send_tests(node, asked)
    assert told == list(range(sent))
    assert scheduler.pending == list(range(sent, len(CASES)))


class Interactor:
    """Both ends of a worker, as xdist has them: what is sent on the channel is received at once."""

    def __init__(self) -> None:
        self.workerinput: dict[str, Any] = {}
        self.sent: list[Any] = []
        self.came: list[Any] = []

    def process_from_remote(self, told: Any) -> None:
        self.came.append(told)

    def sendevent(self, name: str, **said: Any) -> None:
        self.channel.send((name, said))

    def receive(self, told: Any) -> None:
        self.sent.append(told)
        self.process_from_remote(told)

    def connect(self) -> Any:
        """Make the channel, as is done behind `pytest_configure_node`, and return the worker's configuration."""
        self.channel = SimpleNamespace(send=self.receive)
        manager = SimpleNamespace(get_plugins=lambda: [object(), self])
        return SimpleNamespace(workerinput=self.workerinput, pluginmanager=manager)


OURS = {"nodeid": "toolcall::x/seed::request::a-to-b"}
EVENTS: list[tuple[str, dict[str, Any]]] = [
    ("logstart", {"nodeid": "a.py::one", "location": ("a.py", 1, "one")}),
    ("runtest_protocol_complete", {"item_index": 0, "duration": 0.5}),
    ("logstart", {**OURS, "location": ("x", 0, "x")}),
    ("testreport", {"data": {**OURS, "user_properties": [("a", "b")]}}),
    ("runtest_protocol_complete", {"item_index": 1, "duration": 0.5}),
    ("logstart", dict(OURS)),
    ("warning_recorded", dict(OURS)),
    ("logfinish", dict(OURS)),
    ("runtest_protocol_complete", {"item_index": 2, "duration": 0.5}),
    ("testreport", {"data": {**OURS, "odd": object}}),
    ("runtest_protocol_complete", {"item_index": 3, "duration": 0.5}),
]


def test_the_events_of_an_item_cross_in_one_message_and_in_their_order() -> None:
    """What cannot be packed, and all that is not of an item of ours, crosses as it always did."""
    ends = Interactor()
    sent_events.receive_together(ends)
    sent_events.send_together(ends.connect())
    for name, said in EVENTS:
        ends.sendevent(name, **said)
    assert ends.came == EVENTS
    together = [told for told in ends.sent if told[0] == sent_events.TOGETHER]
    assert len(together) == 2
    assert len(ends.sent) == 2 + 2 + 2


class Loop:
    """The controller's loop, as xdist has it, and the node of one worker in it."""

    def __init__(self) -> None:
        self.turns: list[list[Any]] = []
        self.node = LoopsNode(self)

    def get_plugin(self, name: str) -> Any:
        assert name == "dsession"
        return self

    def worker_logstart(self, **said: Any) -> None:
        self.turns[-1].append(("logstart", said))

    def worker_testreport(self, **said: Any) -> None:
        self.turns[-1].append(("testreport", said))


class LoopsNode:
    def __init__(self, loop: Loop) -> None:
        self.loop, self.workerinput = loop, dict[str, Any]()
        self.config = SimpleNamespace(pluginmanager=loop)

    def process_from_remote(self, told: Any) -> None:
        self.notify_inproc(told[0], node=self, **told[1])

    def notify_inproc(self, name: str, **said: Any) -> None:
        self.loop.turns.append([])
        getattr(self.loop, f"worker_{name}")(**said)


def test_the_controller_takes_the_events_of_an_item_in_one_turn() -> None:
    loop = Loop()
    sent_events.receive_together(loop.node)
    events = [("logstart", {"nodeid": "x"}), ("testreport", {"rep": "y"}), ("testreport", {"rep": "z"})]
    loop.node.process_from_remote((sent_events.TOGETHER, jsonvalue.packed(events)))
    loop.node.process_from_remote(events[0])
    wanted = [(name, {"node": loop.node, **said}) for name, said in events]
    assert loop.turns == [wanted, wanted[:1]]


def test_a_controller_that_may_listen_already_is_sent_each_event_by_itself() -> None:
    ends = Interactor()
    config = ends.connect()
    sent_events.receive_together(ends)
    sent_events.send_together(config)
    ends.sendevent("logstart", **OURS)
    assert ends.sent == [("logstart", OURS)]


# What a worker does, by its name, when it makes its translator and when it plays its second item.
LONE = """
import os, good
HERE = os.environ.get("PYTEST_XDIST_WORKER", "")
def fails(): raise RuntimeError("no licence \\x1b[2J for a second one")
class T:
    def __init__(self):
        if HERE: {makes}
    def open(self, route):
        if HERE and route.upstream == "beta": {plays}
        return good.Session(route)
"""


def ran_with(project: Any, *arguments: str, makes: str = "pass", plays: str = "pass") -> pytest.RunResult:
    project.module("lone", LONE.format(makes=makes, plays=plays))
    result: pytest.RunResult = project.run_apart("toolcall::box", *arguments, spec="lone:T")
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    return result


def test_a_worker_that_cannot_make_the_translator_is_one_usage_error(project: Any) -> None:
    result = ran_with(project, "-n", "2", makes="fails()")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = [line for line in result.stderr.str().splitlines() if line.startswith("ERROR: gw")]
    assert len(said) == 1, result.stderr.str()
    assert "a worker of `-n`, cannot prepare the run" in said[0]
    assert "'lone:T': calling it without arguments raised RuntimeError: no licence" in said[0]
    assert "run without `-n`" in result.stderr.str()
    assert "\x1b[2J" not in result.stderr.str()
    assert "nothing was judged" not in result.stdout.str()


def test_a_worker_that_cannot_take_the_place_of_another_leaves_a_report(project: Any) -> None:
    dies = 'HERE == "gw0" and os._exit(3)'
    result = ran_with(
        project, "-n", "1", "--toolcall-report", "report.json", makes='HERE == "gw1" and fails()', plays=dies
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    assert not report["footer"]["complete"]
    assert {item["verdict"] for item in report["items"]} == {"pass", "fail"}


def test_workers_that_die_while_they_begin_are_told_as_that(project: Any) -> None:
    result = ran_with(project, "-n", "1", "--max-worker-restart", "0", makes="os._exit(3)")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["toolcall: nothing was judged: no worker of `-n` lived until *--toolcall-isolated"])
