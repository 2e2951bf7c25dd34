"""A test class for a user's own test files: the rules as ordinary tests, and snapshots of the translator's output.

    from toolcall_conformance.suite import ConformanceSuite

    class TestMine(ConformanceSuite):
        translator = "my_package.my_module:MyTranslator"
        cases = ("shell", "parallel/seed")

``test_rules`` fails where ``pytest toolcall::…`` would. ``test_output`` compares the translator's output with a
snapshot (syrupy, extra ``snapshots``), which shows its author changes that the rules permit.
``pytest --snapshot-update`` writes the snapshots anew.
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

# The checks in which a translator has output for snapshots.
CHECKED = ("request", "response", "stream")

# Keys whose value is an id.
_IDS = re.compile(r"(^id|_id|Id)$")


class ConformanceSuite:
    """Subclass it in a test file; the attributes select what is tested.

    ``translator`` is a value of ``--toolcall-translator``, a translator, or a class or factory that makes one.
    ``cases`` are cases or families, ``routes`` as ``"anthropic-to-gemini"``; empty means all.
    """

    translator: ClassVar[Any] = None
    cases: ClassVar[Sequence[str]] = ()
    routes: ClassVar[Sequence[str]] = ()
    checks: ClassVar[Sequence[str]] = CHECKED

    def normalise(self, body: Any, given: Any) -> Any:
        """A body for a snapshot: replaces times, and numbers the ids that are not in the translator's input."""
        return _Normaliser(given).plain(body)

    def test_rules(self, toolcall_item: PlayedItem) -> None:
        """The item violates no MUST rule."""
        if toolcall_item.faults:
            pytest.fail(toolcall_item.faults, pytrace=False)

    def test_output(self, toolcall_item: PlayedItem, snapshot: Any) -> None:
        """The translator's output is equal to the snapshot."""
        from syrupy.extensions.json import JSONSnapshotExtension

        made = {one.name: self.normalise(one.produced, one.source) for one in toolcall_item.bodies}
        assert made == snapshot(extension_class=JSONSnapshotExtension)

    @pytest.fixture(scope="class")
    def toolcall_item(self, request: pytest.FixtureRequest) -> Iterator[PlayedItem]:
        """The item of this test, played once for all its tests, which run one after the other."""
        found: PlayedItem = request.param
        yield found
        found.forget()

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "toolcall_item" not in metafunc.fixturenames:
            return
        owner = type(self)
        if "snapshot" in metafunc.fixturenames and not metafunc.config.pluginmanager.hasplugin("syrupy"):
            raise pytest.UsageError(
                f"{owner.__name__}: snapshots need syrupy, which is not installed: "
                "pip install 'toolcall-conformance[snapshots]', or set test_output = None to test the rules alone"
            )
        items = _Items.of(owner, metafunc.config)
        metafunc.parametrize("toolcall_item", items, ids=[item.name for item in items], indirect=True, scope="class")


@dataclass
class PlayedItem:
    """One case on one route in one check, played when first needed."""

    planned: Planned
    run: Run

    @property
    def name(self) -> str:
        """``shell.seed-request-anthropic-to-gemini``: safe as a part of a file name."""
        return f"{self.planned.case.id.replace('/', '.')}-{self.planned.check}-{self.planned.name}"

    @cached_property
    def _result(self) -> ItemResult:
        return self.run.execute(self.planned)

    def forget(self) -> None:
        """Drop the result: the bodies of all items would fill the memory."""
        self.__dict__.pop("_result", None)

    @property
    def bodies(self) -> list[Any]:
        """Input and output by exchange (``checks.base.PlayedBodies``), without those that have no output."""
        return [one for one in self._result.played if one.produced is not MISSING]

    @property
    def faults(self) -> str:
        """The plugin's failure text; empty if the item does not fail."""
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
        lines = describe(subject, self._result.findings, self.run.rules, failing=failing, known=lambda _: None)
        return "\n".join([*(line.text for line in lines), self._result.traceback]).rstrip()


class _Items:
    """The items of each class, found once: probing a translator may start a process."""

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
            f'{owner.__name__}: set the translator: translator = "my_package.my_module:MyTranslator", or an object'
        )
    wanted = [f"toolcall::{case}" for case in owner.cases] or ["toolcall::"]
    run = prepare(config, wanted, translator=_make_translator(owner.translator), name=owner.__name__)
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


def _make_translator(given: Any) -> Any:
    """Make the translator if a class or a factory was given; a text stays unchanged."""
    if isinstance(given, str) or (not isinstance(given, type) and callable(getattr(given, "open", None))):
        return given
    return given()


class _Normaliser:
    """Replaces what differs from run to run."""

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
    """The keys of all formats whose value is the time of a reply."""
    from toolcall_conformance.library import load_corpus

    corpus = load_corpus()
    return frozenset(key for name in corpus.formats for key in corpus.format(name)["time_keys"])


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _texts(member)
