"""The nodes of pytest's collection: a virtual root, cases, checks, and one item per route.

All have the path of the folder where pytest was started, or of the root directory if that folder is outside it. So the
hooks of the conftest files there and above see our items, and may ask where in the project an item is. Reports show
the file of the case as an item's location.

The root is not a pytest.File, because ``--lf`` skips files by their path on disk. As a pytest.Directory it lets pytest
load the conftest files of its folder, which no other argument may lie in.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pluggy
import pytest

from toolcall_conformance.basics.visible_text import shorten, visible
from toolcall_conformance.drivers.python.foreign import text_of, type_name
from toolcall_conformance.drivers.python.tracebacks import traceback_of
from toolcall_conformance.engine.items.plan import PlannedItem
from toolcall_conformance.engine.items.repetition import RepeatedResult
from toolcall_conformance.engine.items.selection import PREFIX

# The folders of the code between a run and a user's hook: pytest, pluggy, and this package.
_MACHINERY_FOLDERS = (
    Path(inspect.getfile(pytest.Item)).parent,
    Path(pluggy.__file__).parent,
    Path(__file__).parents[2],
)

if TYPE_CHECKING:
    from toolcall_conformance.engine.client_reactions import ClientReaction
    from toolcall_conformance.engine.run import Run


class ItemFailedError(Exception):
    """Fails an item; the result gives its text."""


class HarnessError(Exception):
    """An error of this package, not of the translator."""


def _conftest_folder(config: pytest.Config) -> Path:
    """The folder whose conftest files see our items."""
    started_in = config.invocation_params.dir
    return started_in if started_in.is_relative_to(config.rootpath) else config.rootpath


class RootNode(pytest.Directory):
    """``toolcall``: all selected cases."""

    run: Run

    @classmethod
    def of(cls, session: pytest.Session, run: Run) -> RootNode:
        root: RootNode = cls.from_parent(session, name=PREFIX, nodeid=PREFIX, path=_conftest_folder(session.config))
        root.run = run
        return root

    def collect(self) -> Iterator[pytest.Collector]:
        for _, group in itertools.groupby(self.run.selected, key=lambda item: item.case.id):
            items = tuple(group)
            case = items[0].case
            yield CaseNode.from_parent(self, name=case.id, items=items, run=self.run)


class _Branch(pytest.Collector):
    def __init__(self, *, items: tuple[PlannedItem, ...], run: Run, **options: Any) -> None:
        super().__init__(**options)
        self.items = items
        self.run = run


class CaseNode(_Branch):
    """A case: its checks."""

    location_path: str | None = None
    """The path of its file as reports show it; set when the first item needs it."""

    def collect(self) -> Iterator[pytest.Collector]:
        for check, group in itertools.groupby(self.items, key=lambda item: item.check):
            yield CheckNode.from_parent(self, name=check, items=tuple(group), run=self.run)


class CheckNode(_Branch):
    """A check of a case: one item per route."""

    def collect(self) -> Iterator[pytest.Item]:
        for item in self.items:
            yield ConformanceItem.from_parent(self, name=item.name, planned=item, run=self.run)


class ConformanceItem(pytest.Item):
    """A case, played on a route in one check."""

    def __init__(self, *, planned: PlannedItem, run: Run, **options: Any) -> None:
        super().__init__(**options)
        self.planned = planned
        self.run = run
        self.repeated_result: RepeatedResult | None = None
        self.client_reactions: tuple[ClientReaction, ...] = ()
        self.files: Path | None = None
        case, route = planned.case, planned.route
        self.add_marker(
            pytest.mark.toolcall(
                case=case.id, family=case.family, check=planned.check, client=route.client, upstream=route.upstream
            )
        )
        # A check by its word alone would select formats, too: `response` is part of `openai_responses`.
        self.extra_keyword_matches |= {*case.features, f"check:{planned.check}"}

    def runtest(self) -> None:
        try:
            repeated_result = self.repeated_result = self.run.play_repeatedly(self.planned)
            outcome = self.run.outcome(self.nodeid, repeated_result)
        except Exception as error:
            raise HarnessError(f"{type_name(error)}: {text_of(error)}") from error
        if outcome == "skipped":
            pytest.skip(visible(shorten(repeated_result.result.reason)))
        if outcome == "unstable" and not self.config.option.runxfail:
            pytest.xfail(visible(shorten(repeated_result.sentence)))
        if outcome == "known" and not self.config.option.runxfail:
            pytest.xfail(visible(shorten("; ".join(self._known_reasons(repeated_result)))))
        if outcome != "passed":
            # With the translator's own traceback attached, --pdb stops where the translator raised.
            raise ItemFailedError(self.nodeid).with_traceback(
                traceback_of(repeated_result.result.exception) if repeated_result.result.exception is not None else None
            )

    def drop_result(self) -> None:
        """Drop the result: pytest keeps its items, and all their bodies would fill the memory."""
        self.repeated_result = None

    def _known_reasons(self, repeated_result: RepeatedResult) -> list[str]:
        """The reasons of its known failures, in the order of the findings."""
        reasons = [
            (finding.rule, self.run.known_reason(self.nodeid, finding))
            for finding in self.run.failing_findings(repeated_result.result)
        ]
        return list(dict.fromkeys(f"{rule}: {reason}" for rule, reason in reasons))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The text of a failure: a string, or an object that pytest prints by its ``toterminal``."""
        from toolcall_conformance.engine.output.failure_texts import failed_item_text, harness_error_text

        if isinstance(excinfo.value, ItemFailedError) and self.repeated_result is not None:
            return failed_item_text(self, self.repeated_result.result)
        if isinstance(excinfo.value, HarnessError) and not self.config.option.fulltrace:
            return harness_error_text(self, excinfo.value)
        if isinstance(excinfo.value, pytest.xfail.Exception) and self.repeated_result is not None:
            # A traceback through pytest says nothing of a known failure, and is slow to format.
            return (
                failed_item_text(self, self.repeated_result.result)
                if self.config.option.xfail_tb
                else str(excinfo.value)
            )
        return super().repr_failure(excinfo, style)

    def _traceback_filter(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:
        """Keep the user's own lines in the traceback of an exception of the user's hooks; ``--full-trace`` shows all.

        pytest calls this private method, and has no public one that decides which lines it shows.
        ``tests/plugin/test_user_conftest.py`` raises in each phase.
        """
        return excinfo.traceback.filter(_is_users) or excinfo.traceback

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Raise AttributeError with advice for a hook that takes each item for a test function."""
            raise AttributeError(
                f"no attribute {name!r}: an item of toolcall:: is no test function; "
                "in a hook for functions write `if not isinstance(item, pytest.Function): return`",
                name=name,
                obj=self,
            )

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.planned.case.file, 0, self.nodeid

    @functools.cached_property
    def location(self) -> tuple[str, int | None, str]:
        """The location as pytest computes it, but once for each case: it looks up the path for each item."""
        case = self.getparent(CaseNode)
        assert case is not None
        if case.location_path is None:
            case.location_path = super().location[0]
        return case.location_path, 0, self.nodeid


def _is_users(entry: Any) -> bool:
    return is_users_file(entry.path)


def is_users_file(path: Path | str) -> bool:
    """Whether the file of a frame is neither pytest's nor ours."""
    return not any(Path(path).is_relative_to(folder) for folder in _MACHINERY_FOLDERS)
