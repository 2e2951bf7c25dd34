"""Workers of xdist collect the same items, whatever their own translators would say of themselves."""

from __future__ import annotations

import errno
import io
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("xdist")

from toolcall_conformance.engine.distributed import event_writer
from toolcall_conformance.engine.distributed.distribution import CasesTogether
from toolcall_conformance.engine.distributed.event_reader import EventReader

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
def outside_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs of these tests are none of a worker, wherever the tests themselves are run."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)


def run_workers(project: Any, *arguments: str, spec: str) -> pytest.RunResult:
    """A run with the controller inside this process."""
    project.pytester.syspathinsert()
    result: pytest.RunResult = project.run(*arguments, spec=spec)
    output = result.stdout.str() + result.stderr.str()
    assert "INTERNALERROR" not in output
    assert "Traceback" not in output
    return result


@pytest.mark.parametrize(("first_process", "workers"), [("HERE == 'gw0'", "2"), ("HERE", "1"), ("not HERE", "1")])
def test_all_collect_what_the_first_process_found(project: Any, first_process: str, workers: str) -> None:
    project.write_module("moody", MOODY.format(here=first_process))
    alone = project.run_report("toolcall::", spec="good:T" if first_process.startswith("HERE") else "moody:T")
    (project.path / "report.json").unlink()
    result = run_workers(project, "toolcall::", "-n", workers, "--toolcall-report", "report.json", spec="moody:T")
    assert "Different tests were collected" not in result.stdout.str()
    together = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    assert [item["nodeid"] for item in together["items"]] == [item["nodeid"] for item in alone["items"]]
    assert together["footer"]["complete"]


def test_an_item_that_only_a_worker_has_does_not_end_the_run(project: Any) -> None:
    """Its record is at the end of the report."""
    project.write_module("moody", MOODY.format(here="not HERE"))
    project.write_module(
        "forgetful",
        "import pytest\n"
        "@pytest.hookimpl(trylast=True)\n"
        "def pytest_configure_node(node): del node.workerinput['toolcall_support']\n",
    )
    run_workers(project, "toolcall::", "-n", "1", "-p", "forgetful", "--toolcall-report", "report.json", spec="moody:T")
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
    ("count", "sent"),
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
def test_a_chunk_ends_where_a_case_ends(count: int, sent: int) -> None:
    """Other tests of the user's are spread as they always were."""
    indexes: list[int] = []
    node: Any = type("Node", (), {"send_runtest_some": staticmethod(indexes.extend)})()
    scheduler = object.__new__(CasesTogether)
    scheduler.collection, scheduler.pending, scheduler.node2pending = CASES, list(range(len(CASES))), {node: []}
    scheduler._send_tests(node, count)
    assert indexes == list(range(sent))
    assert scheduler.pending == list(range(sent, len(CASES)))


class Interactor:
    """Both ends of a worker, as xdist has them: what is sent on the channel is received at once."""

    def __init__(self) -> None:
        self.workerinput: dict[str, Any] = {}
        self.gateway = SimpleNamespace(spec=SimpleNamespace(popen=True))
        self.sent: list[Any] = []
        self.came: list[Any] = []

    def process_from_remote(self, message: Any) -> None:
        self.came.append(message)

    def notify_inproc(self, name: str, **arguments: Any) -> None:
        raise AssertionError(name, arguments)

    def sendevent(self, name: str, **arguments: Any) -> None:
        self.channel.send((name, arguments))

    def receive(self, message: Any) -> None:
        self.sent.append(message)
        self.process_from_remote(message)

    def connect(self) -> Any:
        """Make the channel, as is done after `pytest_configure_node`, and return the worker's configuration."""
        self.channel = SimpleNamespace(send=self.receive)
        manager = SimpleNamespace(get_plugins=lambda: [object(), self])
        return SimpleNamespace(workerinput=self.workerinput, pluginmanager=manager, add_cleanup=[].append)


@pytest.fixture
def reader() -> Iterator[EventReader]:
    """A reader that looks only when a message comes."""
    ends: list[Any] = []
    reader = EventReader(cast("Any", SimpleNamespace(add_cleanup=ends.append)))
    reader._stopped.set()
    yield reader
    for end in ends:
        end()


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
END: Any = "the end of the worker"


def test_the_events_of_items_cross_in_a_file_and_in_their_order(reader: EventReader) -> None:
    """What cannot be packed, and all that is not of an item of ours, crosses as it always did."""
    ends = Interactor()
    reader.attach_worker(ends)
    event_writer.batch_events(ends.connect())
    for name, arguments in EVENTS:
        ends.sendevent(name, **arguments)
    ends.receive(END)
    assert ends.came == [*EVENTS, END]
    assert ends.sent == [*EVENTS[:2], *EVENTS[-2:], END]


def test_what_is_read_before_a_message_that_was_sent_before_it_waits(reader: EventReader) -> None:
    """The reader may look between the two: the message is on its way still."""
    ends = Interactor()
    reader.attach_worker(ends)
    event_writer.batch_events(ends.connect())
    late: list[Any] = []
    ends.channel.send = late.append
    for name, arguments in EVENTS[:5]:
        ends.sendevent(name, **arguments)
    (worker,) = reader._workers
    worker.read_new()
    assert ends.came == []
    for message in late:
        ends.receive(message)
    assert ends.came == EVENTS[:2]
    worker.read_new()
    assert ends.came == EVENTS[:5]


@pytest.mark.parametrize("fault", ["short", "raises", "too large"])
def test_what_the_file_does_not_take_crosses_as_messages(
    reader: EventReader, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = Interactor()
    reader.attach_worker(ends)
    config = ends.connect()
    path = Path(ends.workerinput[event_writer.EVENTS_FILE_KEY])

    if fault == "too large":
        monkeypatch.setattr(event_writer, "_MAX_FILE_BYTES", 400)

    class Full(io.FileIO):
        left = 1

        def write(self, data: Any) -> int:
            self.left -= 1
            if self.left >= 0 or fault == "too large":
                return super().write(data)
            if fault == "raises":
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(bytes(data)[:10])

    monkeypatch.setattr(Path, "open", lambda self, mode, **_: Full(self, mode))
    event_writer.batch_events(config)
    for name, arguments in [*EVENTS[:9], *EVENTS[:9]]:
        ends.sendevent(name, **arguments)
    ends.receive(END)
    assert ends.came == [*EVENTS[:9], *EVENTS[:9], END]
    assert ends.sent == [*EVENTS[:2], *EVENTS[5:9], *EVENTS[:9], END]
    assert not path.exists()


class Loop:
    """The controller's loop, as xdist has it, and the node of one worker in it."""

    def __init__(self) -> None:
        self.turns: list[list[Any]] = []
        self.node = LoopsNode(self)

    def get_plugin(self, name: str) -> Any:
        assert name == "dsession"
        return self

    def worker_logstart(self, **arguments: Any) -> None:
        self.turns[-1].append(("logstart", arguments))

    def worker_testreport(self, **arguments: Any) -> None:
        self.turns[-1].append(("testreport", arguments))

    def worker_runtest_protocol_complete(self, **arguments: Any) -> None:
        self.turns[-1].append(("runtest_protocol_complete", arguments))


class LoopsNode(Interactor):
    def __init__(self, loop: Loop) -> None:
        super().__init__()
        self.loop = loop
        self.config = SimpleNamespace(pluginmanager=loop)

    def process_from_remote(self, message: Any) -> None:
        self.notify_inproc(message[0], node=self, **message[1])

    def notify_inproc(self, name: str, **arguments: Any) -> None:
        self.loop.turns.append([])
        getattr(self.loop, f"worker_{name}")(**arguments)


def test_the_controller_takes_the_events_of_all_items_in_one_turn(reader: EventReader) -> None:
    loop = Loop()
    reader.attach_worker(loop.node)
    event_writer.batch_events(loop.node.connect())
    events = [*EVENTS[2:5], *EVENTS[2:5]]
    for name, arguments in events:
        loop.node.sendevent(name, **arguments)
    loop.node.process_from_remote(EVENTS[0])
    expected = [(name, {"node": loop.node, **arguments}) for name, arguments in [*events, EVENTS[0]]]
    assert loop.turns == [expected[:-1], expected[-1:]]


@pytest.mark.parametrize("reason", ["may listen already", "is on another machine"])
def test_a_worker_without_a_file_sends_each_event_by_itself(reader: EventReader, reason: str) -> None:
    ends = Interactor()
    if reason == "may listen already":
        config = ends.connect()
    ends.gateway.spec.popen = reason == "may listen already"
    reader.attach_worker(ends)
    if reason == "is on another machine":
        config = ends.connect()
    event_writer.batch_events(config)
    ends.sendevent("logstart", **OURS)
    assert ends.sent == [("logstart", OURS)]
    assert ends.workerinput == {}


@pytest.mark.parametrize("end", ["controller", "worker"])
def test_where_a_file_cannot_be_had_each_event_is_sent_by_itself(
    reader: EventReader, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker may have another file system than its controller."""
    ends = Interactor()
    if end == "controller":
        monkeypatch.setattr(tempfile, "mkstemp", fails)
    reader.attach_worker(ends)
    if end == "worker":
        Path(ends.workerinput[event_writer.EVENTS_FILE_KEY]).unlink()
    event_writer.batch_events(ends.connect())
    for name, arguments in EVENTS:
        ends.sendevent(name, **arguments)
    assert ends.sent == ends.came == EVENTS


def fails(**_: object) -> None:
    raise OSError(errno.EROFS, "Read-only file system")


def test_a_worker_that_never_began_leaves_no_file() -> None:
    ends: list[Any] = []
    reader = EventReader(cast("Any", SimpleNamespace(add_cleanup=ends.append)))
    node = Interactor()
    reader.attach_worker(node)
    path = Path(node.workerinput[event_writer.EVENTS_FILE_KEY])
    assert path.exists()
    for end in ends:
        end()
    assert not path.exists()


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


def run_lone_worker(project: Any, *arguments: str, makes: str = "pass", plays: str = "pass") -> pytest.RunResult:
    project.write_module("lone", LONE.format(makes=makes, plays=plays))
    return run_workers(project, "toolcall::box", *arguments, spec="lone:T")


def test_a_worker_that_cannot_make_the_translator_is_one_usage_error(project: Any) -> None:
    result = run_lone_worker(project, "-n", "2", makes="fails()")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    errors = [line for line in result.stderr.str().splitlines() if line.startswith("ERROR: gw")]
    assert len(errors) == 1, result.stderr.str()
    assert "a worker of `-n`, cannot prepare the run" in errors[0]
    assert "'lone:T': calling it without arguments raised RuntimeError: no licence" in errors[0]
    assert "run without `-n`" in result.stderr.str()
    assert "\x1b[2J" not in result.stderr.str()
    assert "nothing was judged" not in result.stdout.str()


def test_a_worker_that_cannot_take_the_place_of_another_leaves_a_report(project: Any) -> None:
    dies = 'HERE == "gw0" and os._exit(3)'
    result = run_lone_worker(
        project, "-n", "1", "--toolcall-report", "report.json", makes='HERE == "gw1" and fails()', plays=dies
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    assert not report["footer"]["complete"]
    assert {item["verdict"] for item in report["items"]} == {"pass", "fail"}


def test_workers_that_die_while_they_begin_are_reported_so(project: Any) -> None:
    result = run_lone_worker(project, "-n", "1", "--max-worker-restart", "0", makes="os._exit(3)")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["toolcall: nothing was judged: no worker of `-n` lived until *--toolcall-isolated"])


def test_records_that_a_worker_sent_before_it_died_are_kept(project: Any) -> None:
    """Only the item that it died in fails, though it died within the time between two looks at its file."""
    dies = 'HERE == "gw0" and os._exit(3)'
    run_lone_worker(project, "-n", "1", "--toolcall-report", "report.json", plays=dies)
    items = json.loads((project.path / "report.json").read_text(encoding="utf-8"))["items"]
    died = [item["nodeid"] for item in items if item["verdict"] != "pass"]
    assert died == [next(item["nodeid"] for item in items if item["nodeid"].endswith("-to-beta"))]
    assert items[0]["nodeid"] != died[0]
