"""A test class for one's own test files: the rules as ordinary tests, and snapshots of what one's translator makes.

    from toolcall_conformance.suite import ConformanceSuite

    class TestMine(ConformanceSuite):
        translator = "my_package.my_module:MyTranslator"
        cases = ("shell", "parallel/seed")

``test_rules`` fails where ``pytest toolcall::…`` would. ``test_output`` compares what the translator makes with the
snapshot of the last time (syrupy, extra ``snapshots``): changes that the rules permit and that its author wants to see.
``pytest --snapshot-update`` writes them anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from toolcall_conformance.findings import MISSING

if TYPE_CHECKING:
    from toolcall_conformance.checks import ItemResult
    from toolcall_conformance.engine.plan import Planned
    from toolcall_conformance.engine.run import Run

# The checks in which a translator makes something that can be kept.
CHECKED = ("request", "response", "stream")

# Keys under which an id stands.
_IDS = re.compile(r"(^id|_id|Id)$")


class ConformanceSuite:
    """Subclass it in a test file; the attributes say what is tested.

    ``translator`` is what ``--toolcall-translator`` takes, or a translator, or a class or factory that gives one.
    ``cases`` are cases or families, ``routes`` as ``"anthropic-to-gemini"``; empty means all.
    """

    translator: ClassVar[Any] = None
    cases: ClassVar[Sequence[str]] = ()
    routes: ClassVar[Sequence[str]] = ()
    checks: ClassVar[Sequence[str]] = CHECKED

    def normalise(self, body: Any, given: Any) -> Any:
        """A body as it is kept in a snapshot: times, and ids that no body given to the translator has, by a number."""
        return _Normalising(given).plain(body)

    def test_rules(self, toolcall_item: PlayedItem) -> None:
        """No MUST is broken."""
        if toolcall_item.faults:
            pytest.fail(toolcall_item.faults, pytrace=False)

    def test_output(self, toolcall_item: PlayedItem, snapshot: Any) -> None:
        """The translator makes what it made when the snapshot was taken."""
        from syrupy.extensions.json import JSONSnapshotExtension

        made = {one.name: self.normalise(one.produced, one.source) for one in toolcall_item.bodies}
        assert made == snapshot(extension_class=JSONSnapshotExtension)

    @pytest.fixture(scope="class")
    def toolcall_item(self, request: pytest.FixtureRequest) -> Iterator[PlayedItem]:
        """The item of this test, played once for all tests of it, which come one behind the other."""
        found: PlayedItem = request.param
        yield found
        found.forget()

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "toolcall_item" not in metafunc.fixturenames:
            return
        owner = type(self)
        if "snapshot" in metafunc.fixturenames and not metafunc.config.pluginmanager.hasplugin("syrupy"):
            raise pytest.UsageError(
                f"{owner.__name__}: snapshots are kept by syrupy, which is not installed: "
                "pip install 'toolcall-conformance[snapshots]', or set test_output = None to test the rules alone"
            )
        items = _Items.of(owner, metafunc.config)
        metafunc.parametrize("toolcall_item", items, ids=[item.name for item in items], indirect=True, scope="class")


@dataclass
class PlayedItem:
    """One case on one route in one check."""

    planned: Planned
    run: Run

    @property
    def name(self) -> str:
        """``shell.seed-request-anthropic-to-gemini``: a text that can be part of a file's name."""
        return f"{self.planned.case.id.replace('/', '.')}-{self.planned.check}-{self.planned.name}"

    @cached_property
    def _result(self) -> ItemResult:
        return self.run.execute(self.planned)

    def forget(self) -> None:
        """Let go of what came: the bodies of all items would fill the memory."""
        self.__dict__.pop("_result", None)

    @property
    def bodies(self) -> list[Any]:
        """What was given and what came, by exchange (``checks.base.PlayedBodies``); without what did not come."""
        return [one for one in self._result.played if one.produced is not MISSING]

    @property
    def faults(self) -> str:
        """What fails the item, in the words of the plugin; empty if nothing does."""
        from toolcall_conformance.reports.failure import ReportedItem, describe

        failing = self.run.failing(self._result)
        if not failing:
            return ""
        planned, exchanges = self.planned, self.planned.case.exchanges(self.planned.route.client)
        subject = ReportedItem(
            case=planned.case.id,
            check=planned.check,
            client=planned.route.client,
            upstream=planned.route.upstream,
            exchanges=len(exchanges),
            variant=planned.variant,
        )
        lines = describe(subject, self._result.findings, self.run.rules, failing=failing, known={})
        return "\n".join([*(line.text for line in lines), self._result.traceback]).rstrip()


class _Items:
    """The items of each class, found out once: to ask a translator what it does may start a process."""

    _found: ClassVar[dict[type, list[PlayedItem]]] = {}

    @classmethod
    def of(cls, owner: type[ConformanceSuite], config: pytest.Config) -> list[PlayedItem]:
        if owner not in cls._found:
            cls._found[owner] = list(_items(owner, config))
        return cls._found[owner]


def _items(owner: type[ConformanceSuite], config: pytest.Config) -> Iterator[PlayedItem]:
    from toolcall_conformance.engine.setup import prepare

    if owner.translator is None:
        raise pytest.UsageError(
            f'{owner.__name__}: say what is tested: translator = "my_package.my_module:MyTranslator", or an object'
        )
    wanted = [f"toolcall::{case}" for case in owner.cases] or ["toolcall::"]
    run = prepare(config, wanted, translator=_made(owner.translator), name=owner.__name__)
    config.add_cleanup(run.driver.close)
    known = {f"{client}-to-{upstream}" for client in run.corpus.formats for upstream in run.corpus.formats}
    for what, given, there in (("route", owner.routes, known), ("check", owner.checks, set(CHECKED))):
        if unknown := sorted(set(given) - there):
            raise pytest.UsageError(
                f"{owner.__name__}: there is no {what} {', '.join(map(repr, unknown))}; "
                f"there are {', '.join(sorted(there))}"
            )
    for planned in run.selected:
        if (
            planned.check in owner.checks
            and not planned.variant
            and (not owner.routes or str(planned.route) in owner.routes)
        ):
            yield PlayedItem(planned, run)


def _made(given: Any) -> Any:
    """The translator itself, where a class or a factory was given; a text stays what it is."""
    if isinstance(given, str) or (not isinstance(given, type) and callable(getattr(given, "open", None))):
        return given
    return given()


class _Normalising:
    """Numbers what differs from run to run."""

    def __init__(self, given: Any) -> None:
        self._known = set(_texts(given))
        self._numbers: dict[str, str] = {}
        self._times = _time_keys()

    def plain(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: self.plain(member, name) for name, member in value.items()}
        if isinstance(value, list):
            return [self.plain(entry, key) for entry in value]
        if key in self._times and isinstance(value, (int, float, str)) and not isinstance(value, bool):
            return "<time>"
        if isinstance(value, str) and value and _IDS.search(key) and value not in self._known:
            return self._numbers.setdefault(value, f"<id {len(self._numbers) + 1}>")
        return value


@cache
def _time_keys() -> frozenset[str]:
    """The keys under which a reply of any format says when it was made."""
    from toolcall_conformance.library import load_corpus

    corpus = load_corpus()
    return frozenset(key for name in corpus.formats for key in corpus.format(name)["time_keys"])


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _texts(member)
