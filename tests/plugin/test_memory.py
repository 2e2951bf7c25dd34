"""Memory stays flat: what a run remembers is bounded, and an item that is over holds no bodies."""

from __future__ import annotations

import gc
import itertools
import tracemalloc
from types import SimpleNamespace
from typing import Any, cast

import pytest

from miniature import CONFTEST
from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Judgement
from toolcall_conformance.checks import CHECKS
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.engine import gc_tuning as cycles
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.judge import CachingJudge, Ends, Judge
from toolcall_conformance.judge.judge_variants import MAX_CACHED_JUDGEMENTS
from toolcall_conformance.library import Corpus
from toolcall_reference import ReferenceTranslator

pytestmark = pytest.mark.any_python

# What 128 readings may differ in, from one pass to the next; readings that are never dropped are three times as much.
MAX_GROWTH = 1_000_000
# What an item that fails may leave behind of records and words; its bodies are several times as much.
MAX_LEFT = 50_000


class Restless:
    """The reference, with other words in every request, so that no body comes twice."""

    def __init__(self) -> None:
        self.numbers = itertools.count()

    def open(self, route: Route, /) -> Any:
        return RestlessSession(self, route)


class RestlessSession:
    def __init__(self, translator: Restless, route: Route) -> None:
        self._numbers = translator.numbers
        self._session = ReferenceTranslator().open(route)

    def request(self, body: dict[str, Any], /) -> Any:
        output = self._session.request(body)
        output["messages"].insert(0, {"role": "user", "content": f"{next(self._numbers)} {'x' * 5_000}"})
        return output

    def response(self, body: dict[str, Any], /) -> Any:
        return self._session.response(body)


def test_what_a_run_remembers_is_bounded(corpus: Corpus) -> None:
    driver, harness = PythonDriver(Restless(), "restless"), make_harness(corpus)
    case = corpus.cases["grep/two-rounds"]

    def play() -> int:
        """A pass of some 200 bodies that were never seen before; the bytes in use after it."""
        for _ in range(8):
            for client in ("anthropic", "openai_responses", "gemini"):
                route = Route(client, "openai_chat", case.model(client), case.model("openai_chat"))
                for check in ("request", "agent_loop"):
                    CHECKS[check](case, route, driver.open, harness, "", None)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        play()
        before = play()
        grown = play() - before
    finally:
        tracemalloc.stop()
        driver.close()
    assert grown < MAX_GROWTH, f"{grown:,} bytes more after a pass of bodies that nobody needs any longer"
    assert formats.cached_reading.cache_info().currsize <= formats.MAX_CACHED_READINGS


def test_judgements_are_requested_once_and_only_so_many_are_kept(
    monkeypatch: pytest.MonkeyPatch, corpus: Corpus
) -> None:
    requests: list[int] = []

    def history(_judge: Judge, *bodies: Any, **_rest: Any) -> Judgement:
        requests.append(bodies[1])
        return Judgement()

    monkeypatch.setattr(Judge, "history", history)
    judge = CachingJudge(corpus)
    for output in (1, 1, True, 2, *range(3 * MAX_CACHED_JUDGEMENTS)):
        judge.history({}, output, Ends("a", "b"), request=None)
    assert requests[:3] == [1, True, 2]
    assert 3 * MAX_CACHED_JUDGEMENTS <= len(requests) <= 3 * MAX_CACHED_JUDGEMENTS + 3
    assert len(judge) <= MAX_CACHED_JUDGEMENTS


def test_an_item_that_is_over_holds_no_result(project: Any, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        def pytest_sessionfinish(session):
            nodeids = [item.nodeid for item in session.items if item.repeated_result is not None]
            print(f"{len(session.items)} items, {len(nodeids)} of them hold their results")
        """
    )
    spec = project.write_translator("    def request(self, body):\n        return {'text': 'lost'}")
    result = project.run("toolcall::", "-s", spec=spec)
    result.stdout.fnmatch_lines(["*24 items, 0 of them hold their results*"])


FROZEN = """
import gc


class Watch:
    def __init__(self):
        self.found = set()

    def pytest_runtest_logfinish(self):
        self.found.add(gc.get_freeze_count() > 0)

    def pytest_sessionfinish(self):
        print("kept from the collector:", self.found)


def pytest_configure(config):
    config.pluginmanager.register(Watch())
"""


@pytest.mark.parametrize(("own", "expected"), [((), "{True}"), (("test_own.py",), "{False}")])
def test_the_collector_of_cycles_walks_no_items_where_all_are_ours(
    project: Any, pytester: pytest.Pytester, own: tuple[str, ...], expected: str
) -> None:
    pytester.makeconftest(FROZEN)
    pytester.makepyfile(test_own="def test_own(): pass")
    result = project.run("toolcall::", *own, "-s")
    result.stdout.fnmatch_lines([f"*kept from the collector: {expected}"])
    assert gc.get_freeze_count() == 0


def test_what_items_leave_is_kept_from_the_collector_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cycles, "_ITEMS_BETWEEN_COLLECTIONS", 2)
    monkeypatch.setattr(cycles, "ends_with_run", lambda: False)  # the one of this test does not
    plugin = cycles.GcTuning(
        cast("pytest.Config", SimpleNamespace(args=["test_own.py"], add_cleanup=lambda _end: None))
    )
    thresholds = gc.get_threshold()
    plugin.pytest_runtestloop(cast("pytest.Session", SimpleNamespace(items=[])))
    try:
        assert gc.get_threshold() == (10_000, *thresholds[1:])
        before = gc.get_freeze_count()
        left: list[list[Any]] = [[] for _ in range(1_000)]
        plugin.pytest_runtest_logfinish()
        assert gc.get_freeze_count() <= before
        plugin.pytest_runtest_logfinish()
        assert gc.get_freeze_count() > before + len(left) // 2
    finally:
        plugin.restore()
    assert gc.get_freeze_count() == 0
    assert gc.get_threshold() == thresholds


WORKING = """
import gc


class Watch:
    def __init__(self):
        self.seen = set()

    def pytest_collection_finish(self):
        self.collecting = gc.isenabled()

    def pytest_runtest_logreport(self):
        self.seen.add(gc.isenabled())

    def pytest_sessionfinish(self):
        print(f"the collector works: {self.collecting}, in items {sorted(self.seen)}")


def pytest_configure(config):
    config.pluginmanager.register(Watch())
"""


@pytest.mark.parametrize(("own", "works"), [((), "False"), (("test_own.py",), "True")])
def test_the_collector_of_cycles_rests_until_there_are_items(
    project: Any, pytester: pytest.Pytester, own: tuple[str, ...], works: str
) -> None:
    pytester.makeconftest(WORKING)
    pytester.makepyfile(test_own="def test_own(): pass")
    result = project.run("toolcall::", *own, "-s")
    result.stdout.fnmatch_lines([f"*the collector works: {works}, in items [[]True[]]"])
    assert gc.isenabled()


def test_the_collector_of_cycles_works_again_after_a_mistake_of_the_user(project: Any) -> None:
    result = project.run("toolcall::no/case")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert gc.isenabled()


WATCH = """
import gc, itertools, pytest, statistics, tracemalloc


class Watch:
    def __init__(self):
        self.seen, self.kept = [], []

    def pytest_sessionstart(self):
        tracemalloc.start()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        if call.when == "call" and len(self.seen) > 13:
            self.kept.append(item.repeated_result)

    def pytest_runtest_logfinish(self):
        gc.collect()
        self.seen.append(tracemalloc.get_traced_memory()[0])

    def pytest_sessionfinish(self, session):
        # The median: once in a while Python enlarges its table of interned strings by two megabytes at one go.
        left = [after - before for before, after in itertools.pairwise(self.seen)]
        print("left behind:", session.testsfailed, *(int(statistics.median(some)) for some in (left[3:13], left[16:])))


def pytest_configure(config):
    config.pluginmanager.register(Watch())
"""


def test_what_a_failing_item_leaves_behind_does_not_grow_with_its_bodies(
    project: Any, pytester: pytest.Pytester
) -> None:
    """Of bodies of 200 KB each. In the second half a plugin keeps what was tried: that is seen."""
    pytester.makeconftest(CONFTEST + WATCH)
    spec = project.write_translator(
        "    def request(self, body):\n        return {'text': 'lost ' * 40_000}\n\n    response = request"
    )
    result = project.run_in_subprocess(
        "toolcall::", "-s", spec=spec
    )  # within this process pytester would keep the frames
    [line] = [line for line in result.outlines if "left behind:" in line]
    failed, left, kept_size = map(int, line.partition("left behind:")[2].split())
    assert failed == 24
    assert left < MAX_LEFT < kept_size
