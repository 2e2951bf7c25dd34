"""A test class for a user's own test files: the rules as ordinary tests, and snapshots of the translator's output.

    from toolcall_conformance.suite import ConformanceSuite

    class TestMine(ConformanceSuite):
        translator = "my_package.my_module:MyTranslator"
        cases = ("shell", "parallel/seed")

``test_rules`` fails where ``pytest toolcall::…`` would, with the same settings and known failures. ``test_output``
compares the translator's output with a snapshot (syrupy, extra ``snapshots``), which shows its author changes that the
rules permit. ``pytest --snapshot-update`` writes the snapshots anew.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.basics.visible_text import shorten, visible

if TYPE_CHECKING:
    from toolcall_conformance.engine.items.plan import PlannedItem
    from toolcall_conformance.engine.items.repetition import RepeatedResult
    from toolcall_conformance.engine.run import Run

# What is tested where a class does not say; the loop and the round trip show little more, in more time.
CHECKED = ("request", "response", "stream")

# For each attribute that selects what is tested, one name.
_EXAMPLES = {"cases": "shell/seed", "routes": "anthropic-to-gemini", "checks": "request"}

# Cases may be named as pytest's arguments name them.
PREFIX = "toolcall::"

# Outcomes of an item that fails and does not fail the run.
EXPECTED = ("known", "unstable")

# Keys whose value is an id.
_IDS = re.compile(r"(^id|_id|Id)$")


class ConformanceSuite:
    """Subclass it in a test file; the attributes select what is tested.

    ``translator`` is a value of ``--toolcall-translator``, a translator, or a class or factory that makes one.
    ``cases`` are cases or families, ``routes`` as ``"anthropic-to-gemini"``; empty means all. ``checks`` are checks,
    or checks with a variant: ``"agent_loop-swapped"``; ``"agent_loop*"`` is the loop with all its variants.
    """

    translator: ClassVar[Any] = None
    cases: ClassVar[Sequence[str]] = ()
    routes: ClassVar[Sequence[str]] = ()
    checks: ClassVar[Sequence[str]] = CHECKED

    def normalise(self, body: Any, given: Any) -> Any:
        """A body for a snapshot: replaces times, and numbers the ids that are not in the translator's input."""
        return _Normaliser(given).plain(body)

    def test_rules(self, toolcall_item: PlayedItem, request: pytest.FixtureRequest) -> None:
        """The item violates no MUST rule, and what is recorded of it in the known failures is still true."""
        from toolcall_conformance.engine.output.sanitizing import sanitize

        if toolcall_item.stale:
            pytest.fail(sanitize("\n".join(toolcall_item.stale)), pytrace=False)
        outcome = toolcall_item.outcome
        if outcome == "failed" or (outcome in EXPECTED and request.config.option.runxfail):
            pytest.fail(sanitize(toolcall_item.faults(_again(request))), pytrace=False)
        if outcome in EXPECTED:
            pytest.xfail(visible(shorten(toolcall_item.reason)))
        if outcome == "skipped":
            pytest.skip(visible(shorten(toolcall_item.reason)))

    def test_output(self, toolcall_item: PlayedItem, snapshot: Any) -> None:
        """The translator's output is equal to the snapshot."""
        from syrupy.extensions.json import JSONSnapshotExtension

        outputs = {body.name: self.normalise(body.produced, body.source) for body in toolcall_item.bodies}
        assert outputs == snapshot(extension_class=JSONSnapshotExtension)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "toolcall_item" not in metafunc.fixturenames:
            return
        from toolcall_conformance.engine.output.sanitizing import sanitize

        owner = type(self)
        try:
            items = _items_for(metafunc, owner)
        except pytest.UsageError as mistake:  # of which pytest would print the way through its own code
            raise pytest.Collector.CollectError(sanitize(str(mistake))) from None
        # The scope lets all tests of an item run one after the other.
        metafunc.parametrize("toolcall_item", items, ids=[item.name for item in items], scope="class")


def _items_for(metafunc: pytest.Metafunc, owner: type[ConformanceSuite]) -> list[PlayedItem]:
    """The items of a class for one of its tests. Raises pytest.UsageError."""
    if "snapshot" in metafunc.fixturenames and not metafunc.config.pluginmanager.hasplugin("syrupy"):
        raise pytest.UsageError(
            f"{owner.__name__}: snapshots need syrupy, which is not installed: "
            "pip install 'toolcall-conformance[snapshots]', or set test_output = None to test only the rules"
        )
    return _Items.of(owner, metafunc.config)


@dataclass
class PlayedItem:
    """One case on one route in one check, played when first needed."""

    planned: PlannedItem
    run: Run
    _kept: RepeatedResult | None = None

    @property
    def name(self) -> str:
        """``shell.seed-request-anthropic-to-gemini``: safe as a part of a file name."""
        return f"{self.planned.case.id.replace('/', '.')}-{self.planned.check}-{self.planned.name}"

    @property
    def _tried(self) -> RepeatedResult:
        """The item as it was played: once for all its tests. The bodies of all items would fill the memory."""
        if _last and _last[0] is not self:
            _last.pop().forget()
        if self._kept is None:
            self._kept = self.run.play_repeatedly(self.planned)
            _last[:] = [self]
        return self._kept

    def forget(self) -> None:
        """Drop the result."""
        self._kept = None

    @property
    def bodies(self) -> list[Any]:
        """Input and output by exchange (``checks.base.PlayedBodies``), without those that have no output."""
        return [body for body in self._tried.result.played if body.produced is not MISSING]

    @property
    def _failing(self) -> list[Finding]:
        return self.run.failing_findings(self._tried.result)

    @property
    def outcome(self) -> str:
        """How it ended: ``passed``, ``failed``, ``known``, ``unstable`` or ``skipped``."""
        return self.run.outcome(self.planned.nodeid, self._tried)

    @property
    def stale(self) -> list[str]:
        """A sentence for each entry of the known failures that names just this item and no longer fails."""
        if self.outcome == "skipped":
            return []
        return self.run.known_failures.passing_messages(
            self.planned.nodeid, [(finding.rule, self.run.signature_details(finding)) for finding in self._failing]
        )

    @property
    def reason(self) -> str:
        """Why it is known, unstable or skipped."""
        if self.outcome == "unstable":
            return self._tried.sentence
        reasons = {finding.rule: self.run.known_reason(self.planned.nodeid, finding) for finding in self._failing}
        return "; ".join(f"{rule}: {reason}" for rule, reason in reasons.items()) or self._tried.result.reason

    def faults(self, again: str) -> str:
        """The plugin's failure text; ``again`` is the command that runs the item alone."""
        from toolcall_conformance.engine.output.failure_texts import traceback_excerpt
        from toolcall_conformance.reports.text.failure import ReportedItem, describe

        planned, exchanges = self.planned, self.planned.case.exchanges(self.planned.route.client)
        subject = ReportedItem(
            case=planned.case.id,
            check=planned.check,
            client=planned.route.client,
            upstream=planned.route.upstream,
            exchanges=len(exchanges),
            variant=planned.variant,
            command=again,
            client_notes=self._witnessed(),
        )

        def known(finding: Finding) -> str | None:
            return self.run.known_reason(planned.nodeid, finding)

        result = self._tried.result
        lines = describe(subject, result.findings, self.run.corpus, failing=self._failing, known_reason=known)
        return "\n".join([*(line.text for line in lines), traceback_excerpt(result)]).rstrip()

    def _witnessed(self) -> list[str]:
        """With ``--toolcall-witness`` what the official clients did with the bodies."""
        if not self.run.settings.witness:
            return []
        from toolcall_conformance.engine.witnessing import ask_clients

        return [body.sentence for body in ask_clients(self.run, self.planned, self._tried.result)]


def _again(request: pytest.FixtureRequest) -> str:
    """The command that runs a test alone, from the directory in which pytest was started."""
    path, _, rest = str(request.node.nodeid).partition("::")
    file = os.path.relpath(request.config.rootpath / path, request.config.invocation_params.dir)
    return f'pytest "{file}::{rest}"'


# The item that was played last: its tests run one after the other.
_last: list[PlayedItem] = []


class _Items:
    """The items of each class, found once: probing a translator may start a process."""

    _found: ClassVar[dict[type, list[PlayedItem]]] = {}

    @classmethod
    def of(cls, owner: type[ConformanceSuite], config: pytest.Config) -> list[PlayedItem]:
        if owner not in cls._found:
            cls._found[owner] = list(_items(owner, config))
        return cls._found[owner]


def _items(owner: type[ConformanceSuite], config: pytest.Config) -> Iterator[PlayedItem]:
    from toolcall_conformance.checks import CHECKS, WAYS
    from toolcall_conformance.engine.output.sanitizing import SuiteOutputSanitizer
    from toolcall_conformance.engine.setup import prepare_run

    if owner.translator is None:
        raise pytest.UsageError(
            f'{owner.__name__}: set the translator: translator = "my_package.my_module:MyTranslator", or an object'
        )
    cases, wanted_routes, checks = (_named(owner, what) for what in ("cases", "routes", "checks"))
    arguments = [f"{PREFIX}{case.removeprefix(PREFIX)}" for case in cases] or [PREFIX]
    if config.getoption("toolcall_known_failures_update"):
        raise pytest.UsageError(
            f"{owner.__name__}: --toolcall-known-failures-update is for arguments that start with toolcall::; "
            "run it without the test files, which only read the file"
        )
    run = prepare_run(config, arguments, translator=owner.translator, name=owner.__name__)
    config.add_cleanup(run.driver.close)
    if run.watchdog is not None:
        config.add_cleanup(run.watchdog.end_run)
    if not config.pluginmanager.hasplugin("toolcall-suite-output"):
        config.pluginmanager.register(SuiteOutputSanitizer(), "toolcall-suite-output")
    routes = {f"{client}-to-{upstream}" for client in run.corpus.formats for upstream in run.corpus.formats}
    ways = {f"{check}-{way}".rstrip("-") for check in CHECKS for way in WAYS.get(check, ("",))}
    for what, names, there in (("route", wanted_routes, routes), ("check", checks, ways)):
        if unknown := [name for name in names if not fnmatch.filter(there, name)]:
            raise pytest.UsageError(
                f"{owner.__name__}: there is no {what} {', '.join(map(repr, unknown))}; "
                f"there are {', '.join(sorted(there))}"
            )
    items = [PlayedItem(planned, run) for planned in run.selected if _selects(owner, planned)]
    if not items:
        raise pytest.UsageError(f"{owner.__name__}: there is nothing to test: {_lacking(owner, run)}")
    yield from items


def _named(owner: type[ConformanceSuite], what: str) -> Sequence[str]:
    """The names in an attribute of a class. A text is a sequence, too: of letters."""
    names = getattr(owner, what)
    if isinstance(names, Sequence) and not isinstance(names, str) and all(isinstance(name, str) for name in names):
        return names
    raise pytest.UsageError(f'{owner.__name__}: {what} must be a list of names: {what} = ("{_EXAMPLES[what]}",)')


def _selects(owner: type[ConformanceSuite], planned: PlannedItem) -> bool:
    return _is_wanted(f"{planned.check}-{planned.variant}".rstrip("-"), owner.checks) and (
        not owner.routes or _is_wanted(str(planned.route), owner.routes)
    )


def _lacking(owner: type[ConformanceSuite], run: Run) -> str:
    """Why a class selects no item: the translator does not do them, or there are none."""
    from toolcall_conformance.engine.items.empty_selection import unsupported_text

    lacking = [planned for planned in run.not_applicable if _selects(owner, planned)]
    if lacking:
        return unsupported_text(run, lacking)
    routes = f" on {' or '.join(owner.routes)}" if owner.routes else ""
    return f"no item of its cases is of the check {' or '.join(owner.checks)}{routes}"


def _is_wanted(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


class _Normaliser:
    """Replaces what differs from run to run."""

    def __init__(self, source: Any) -> None:
        self._known = set(_texts(source))
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
