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

# The checks of a class that names none. The agent loop and the round trip show little more, and take longer.
DEFAULT_CHECKS = ("request", "response", "stream")

# An example of a name for each attribute that selects items.
_EXAMPLES = {"cases": "shell/seed", "routes": "anthropic-to-gemini", "checks": "request"}

# The names of cases may begin as pytest's arguments do.
PREFIX = "toolcall::"

# Outcomes of items that fail without failing the run.
EXPECTED_OUTCOMES = ("known", "unstable")

# Keys whose value is an id.
_ID_KEY = re.compile(r"(^id|_id|Id)$")


class ConformanceSuite:
    """Subclass it in a test file; the attributes select what is tested.

    ``translator`` is a value of ``--toolcall-translator``, a translator, or a class or factory that makes one.
    ``cases`` are cases or families, ``routes`` as ``"anthropic-to-gemini"``; empty means all. ``checks`` are checks,
    or checks with a variant: ``"agent_loop-swapped"``; ``"agent_loop*"`` is the loop with all its variants.
    """

    translator: ClassVar[Any] = None
    cases: ClassVar[Sequence[str]] = ()
    routes: ClassVar[Sequence[str]] = ()
    checks: ClassVar[Sequence[str]] = DEFAULT_CHECKS

    def normalise(self, body: Any, given: Any) -> Any:
        """A body for a snapshot: replaces times, and numbers the ids that are not in the translator's input."""
        return _Normaliser(given).normalise(body)

    def test_rules(self, toolcall_item: PlayedItem, request: pytest.FixtureRequest) -> None:
        """The item breaks no MUST rule, and its entries in the known failures still match."""
        from toolcall_conformance.engine.output.sanitizer import sanitize

        if toolcall_item.stale:
            pytest.fail(sanitize("\n".join(toolcall_item.stale)), pytrace=False)
        outcome = toolcall_item.outcome
        if outcome == "failed" or (outcome in EXPECTED_OUTCOMES and request.config.option.runxfail):
            pytest.fail(sanitize(toolcall_item.failure_text(_rerun_command(request))), pytrace=False)
        if outcome in EXPECTED_OUTCOMES:
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
        from toolcall_conformance.engine.output.sanitizer import sanitize

        owner = type(self)
        try:
            items = _items_for(metafunc, owner)
        except pytest.UsageError as mistake:  # pytest would print a traceback through its own code
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
    return _ItemCache.of(owner, metafunc.config)


@dataclass
class PlayedItem:
    """One case on one route in one check, played when first needed."""

    planned: PlannedItem
    run: Run
    _result: RepeatedResult | None = None

    @property
    def name(self) -> str:
        """``shell.seed-request-anthropic-to-gemini``: safe as a part of a file name."""
        return f"{self.planned.case.id.replace('/', '.')}-{self.planned.check}-{self.planned.name}"

    @property
    def _repeated_result(self) -> RepeatedResult:
        """The result, played once for all tests of the item. Only the last item keeps its result, to save memory."""
        if _last_played and _last_played[0] is not self:
            _last_played.pop().drop_result()
        if self._result is None:
            self._result = self.run.play_repeatedly(self.planned)
            _last_played[:] = [self]
        return self._result

    def drop_result(self) -> None:
        """Drop the result."""
        self._result = None

    @property
    def bodies(self) -> list[Any]:
        """The exchanges that have an output (``checks.base.PlayedBodies``)."""
        return [body for body in self._repeated_result.result.played if body.produced is not MISSING]

    @property
    def _failing_findings(self) -> list[Finding]:
        return self.run.failing_findings(self._repeated_result.result)

    @property
    def outcome(self) -> str:
        """One of ``passed``, ``failed``, ``known``, ``unstable`` and ``skipped``."""
        return self.run.outcome(self.planned.nodeid, self._repeated_result)

    @property
    def stale(self) -> list[str]:
        """A sentence for each entry of the known failures that names only this item and matches no failure any more."""
        if self.outcome == "skipped":
            return []
        return self.run.known_failures.passing_messages(
            self.planned.nodeid,
            [(finding.rule, self.run.signature_details(finding)) for finding in self._failing_findings],
        )

    @property
    def reason(self) -> str:
        """Why the item is known, unstable or skipped."""
        if self.outcome == "unstable":
            return self._repeated_result.sentence
        reasons = {
            finding.rule: self.run.known_reason(self.planned.nodeid, finding) for finding in self._failing_findings
        }
        return "; ".join(f"{rule}: {reason}" for rule, reason in reasons.items()) or self._repeated_result.result.reason

    def failure_text(self, rerun_command: str) -> str:
        """The plugin's failure text; ``rerun_command`` runs the item alone."""
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
            command=rerun_command,
            client_notes=self._client_sentences(),
        )

        def known(finding: Finding) -> str | None:
            return self.run.known_reason(planned.nodeid, finding)

        result = self._repeated_result.result
        lines = describe(subject, result.findings, self.run.corpus, failing=self._failing_findings, known_reason=known)
        return "\n".join([*(line.text for line in lines), traceback_excerpt(result)]).rstrip()

    def _client_sentences(self) -> list[str]:
        """With ``--toolcall-witness``: what the official clients do with the bodies."""
        if not self.run.settings.witness:
            return []
        from toolcall_conformance.engine.client_reactions import ask_clients

        return [body.sentence for body in ask_clients(self.run, self.planned, self._repeated_result.result)]


def _rerun_command(request: pytest.FixtureRequest) -> str:
    """The command that runs a test alone, in the directory where pytest was started."""
    path, _, rest = str(request.node.nodeid).partition("::")
    file = os.path.relpath(request.config.rootpath / path, request.config.invocation_params.dir)
    return f'pytest "{file}::{rest}"'


# The item that was played last. The tests of an item run one after the other.
_last_played: list[PlayedItem] = []


class _ItemCache:
    """The items of each class, planned once: to probe a translator may start a process."""

    _items_by_class: ClassVar[dict[type, list[PlayedItem]]] = {}

    @classmethod
    def of(cls, owner: type[ConformanceSuite], config: pytest.Config) -> list[PlayedItem]:
        if owner not in cls._items_by_class:
            cls._items_by_class[owner] = list(_plan_class(owner, config))
        return cls._items_by_class[owner]


def _plan_class(owner: type[ConformanceSuite], config: pytest.Config) -> Iterator[PlayedItem]:
    """Plan the items of a class. Raises pytest.UsageError."""
    from toolcall_conformance.checks import CHECKS, VARIANTS_BY_CHECK
    from toolcall_conformance.engine.output.sanitizer import SuiteOutputSanitizer
    from toolcall_conformance.engine.setup import prepare_run

    if owner.translator is None:
        raise pytest.UsageError(
            f'{owner.__name__}: set the translator: translator = "my_package.my_module:MyTranslator", or an object'
        )
    cases, routes, checks = (_names_in(owner, attribute) for attribute in ("cases", "routes", "checks"))
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
    all_routes = {f"{client}-to-{upstream}" for client in run.corpus.formats for upstream in run.corpus.formats}
    all_checks = {
        f"{check}-{variant}".rstrip("-") for check in CHECKS for variant in VARIANTS_BY_CHECK.get(check, ("",))
    }
    for noun, patterns, names in (("route", routes, all_routes), ("check", checks, all_checks)):
        if unknown := [pattern for pattern in patterns if not fnmatch.filter(names, pattern)]:
            raise pytest.UsageError(
                f"{owner.__name__}: there is no {noun} {', '.join(map(repr, unknown))}; "
                f"there are {', '.join(sorted(names))}"
            )
    items = [PlayedItem(planned, run) for planned in run.selected if _selects(owner, planned)]
    if not items:
        raise pytest.UsageError(f"{owner.__name__}: there is nothing to test: {_no_items_text(owner, run)}")
    yield from items


def _names_in(owner: type[ConformanceSuite], attribute: str) -> Sequence[str]:
    """The names in an attribute of a class. Refuses a single text, which is a sequence of letters."""
    names = getattr(owner, attribute)
    if isinstance(names, Sequence) and not isinstance(names, str) and all(isinstance(name, str) for name in names):
        return names
    raise pytest.UsageError(
        f'{owner.__name__}: {attribute} must be a list of names: {attribute} = ("{_EXAMPLES[attribute]}",)'
    )


def _selects(owner: type[ConformanceSuite], planned: PlannedItem) -> bool:
    return _is_wanted(f"{planned.check}-{planned.variant}".rstrip("-"), owner.checks) and (
        not owner.routes or _is_wanted(str(planned.route), owner.routes)
    )


def _no_items_text(owner: type[ConformanceSuite], run: Run) -> str:
    """Why a class has no items: the translator supports none, or none exist."""
    from toolcall_conformance.engine.items.empty_selection import unsupported_text

    lacking = [planned for planned in run.not_applicable if _selects(owner, planned)]
    if lacking:
        return unsupported_text(run, lacking)
    routes = f" on {' or '.join(owner.routes)}" if owner.routes else ""
    return f"no item of its cases is of the check {' or '.join(owner.checks)}{routes}"


def _is_wanted(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


class _Normaliser:
    """Replaces values that differ from run to run."""

    def __init__(self, source: Any) -> None:
        self._source_texts = set(_texts_in(source))
        self._id_labels: dict[str, str] = {}
        self._times = _time_keys()

    def normalise(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: self.normalise(member, name) for name, member in value.items()}
        if isinstance(value, list):
            return [self.normalise(entry, key) for entry in value]
        if key in self._times and isinstance(value, (int, float, str)) and not isinstance(value, bool):
            return "<time>"
        if isinstance(value, str) and value and _ID_KEY.search(key) and value not in self._source_texts:
            return self._id_labels.setdefault(value, f"<id {len(self._id_labels) + 1}>")
        return value


@cache
def _time_keys() -> frozenset[str]:
    """The keys of all formats whose value is the time of a reply."""
    from toolcall_conformance.library import load_corpus

    corpus = load_corpus()
    return frozenset(key for name in corpus.formats for key in corpus.format(name)["time_keys"])


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(member)
