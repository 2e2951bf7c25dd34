"""The difference of two reports, cause by cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.changes.faults import Fault, is_counted
from toolcall_conformance.reports.changes.reasons import ChangeReason, Origin, ReportSides
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.blocks import new_roots


class ChangeKind(StrEnum):
    """The kind of a cause's change."""

    NEW = "new"
    CHANGED = "changed"
    FIXED = "fixed"
    NOT_PLAYED = "not_played"


@dataclass(frozen=True, slots=True)
class CauseChange:
    """The change of a cause: ``root`` is that of the new report, or of the old one if it is gone.

    ``gained`` are the items in which it is new; ``lost`` those in which it no longer occurs. ``reasons`` are the
    reasons for each gained item that fails now.
    """

    kind: ChangeKind
    root: RootCause
    gained: Sequence[str] = ()
    lost: Sequence[str] = ()
    reasons: Mapping[str, ChangeReason] = field(default_factory=dict)

    @property
    def origin(self) -> Origin | None:
        """The origin of most new failures, or the translator if it made any; None if nothing fails newly."""
        counts = Counter(reason.origin for reason in self.reasons.values())
        return (
            Origin.TRANSLATOR if counts[Origin.TRANSLATOR] else max(counts, key=lambda why: counts[why], default=None)
        )

    @property
    def reported_root(self) -> RootCause:
        """The cause with its new items only; the whole cause if it has none."""
        nodeids = self.reasons or set(self.gained)
        occurrences, echoed = (
            [occurrence for occurrence in group if occurrence.item.nodeid in nodeids]
            for group in (self.root.occurrences, self.root.echoes)
        )
        if not nodeids or not (occurrences or echoed):
            return self.root
        return replace(self.root, occurrences=occurrences or echoed, echoes=echoed if occurrences else [])

    def counted_reasons(self) -> list[tuple[str, int]]:
        """Return the texts of its reasons, each with the number of items, the most frequent first."""
        return Counter(reason.text for reason in self.reasons.values()).most_common()


@dataclass(frozen=True, slots=True)
class ReportDifference:
    """The difference of an old and a new report."""

    sides: ReportSides
    changes: Sequence[CauseChange]

    def of_kind(self, kind: ChangeKind) -> list[CauseChange]:
        """Return the changes of a kind, in the order of their causes."""
        return [change for change in self.changes if change.kind is kind]

    @property
    def failures(self) -> Mapping[str, set[Origin]]:
        """The items with a new failure, each with its origins; without those where it only was hidden before."""
        return {nodeid: whys for nodeid, whys in self._origins_by_item.items() if whys != {Origin.HIDDEN}}

    @property
    def newly_visible(self) -> list[str]:
        """The items whose new failures were all hidden before."""
        return [nodeid for nodeid, whys in self._origins_by_item.items() if whys == {Origin.HIDDEN}]

    @property
    def fixed(self) -> list[str]:
        """The items that failed, known or not, and no longer do."""
        old, new = self.sides.old, self.sides.new
        return [
            nodeid
            for nodeid in old.items
            if old.has_failure(nodeid) and new.is_judged(nodeid) and not new.has_failure(nodeid)
        ]

    @property
    def _origins_by_item(self) -> Mapping[str, set[Origin]]:
        reasons: dict[str, set[Origin]] = {}
        for change in self.changes:
            for nodeid, reason in change.reasons.items():
                reasons.setdefault(nodeid, set()).add(reason.origin)
        return reasons

    def exit_code(self, *, ignore_suite: bool = False) -> int:
        """Return 1 if anything fails newly, else 0. ``ignore_suite``: what only the suite caused does not count."""
        counted = [whys for whys in self.failures.values() if not ignore_suite or whys != {Origin.SUITE}]
        return 1 if counted else 0


def compare_runs(old: RunRecord, new: RunRecord, corpus: Corpus) -> ReportDifference:
    """Compare two runs. ``corpus`` has the ages and former ids of rules."""
    sides = ReportSides(old, new, corpus.rules, corpus.retired, Harm.of(corpus).never_first)
    changes: list[CauseChange] = []
    covered: set[str] = set()
    for root in new_roots(new.roots):
        signatures = _signatures(root)
        covered |= signatures
        changes += _compare_new_root(root, signatures, sides)
    for root in new_roots(old.roots):
        if covered.isdisjoint(_current_signatures(root, corpus)):
            changes += _compare_old_root(root, sides)
    return ReportDifference(sides, changes)


def _signatures(root: RootCause) -> frozenset[str]:
    return frozenset(occurrence.signature for occurrence in root.occurrences)


def _current_signatures(root: RootCause, corpus: Corpus) -> frozenset[str]:
    """Return the signatures of a cause, also under the current ids of its rules."""
    names = {
        occurrence.rule: (occurrence.rule, *corpus.retired.get(occurrence.rule, ())) for occurrence in root.occurrences
    }
    return frozenset(
        f"{name}{occurrence.signature.removeprefix(occurrence.rule)}"
        for occurrence in root.occurrences
        for name in names[occurrence.rule]
    )


def _compare_new_root(root: RootCause, signatures: frozenset[str], sides: ReportSides) -> list[CauseChange]:
    """Return the change of a cause of the new report; empty if it is unchanged."""
    gained: dict[str, None] = {}
    reasons: dict[str, ChangeReason] = {}
    occurrences = [
        occurrence
        for occurrence in (*root.occurrences, *root.echoes)
        if is_counted(occurrence.item, occurrence.finding)
    ]
    for occurrence in occurrences:
        nodeid, fault = occurrence.item.nodeid, Fault.of(occurrence.finding)
        if not sides.old.matching(nodeid, fault):
            gained[nodeid] = None
        if fault.fails and (reason := sides.change_reason(nodeid, fault)) is not None:
            gained[nodeid] = None
            reasons.setdefault(nodeid, reason)
    before, after = sides.old.items_with(signatures), set(sides.new.items_with(signatures))
    lost = [nodeid for nodeid in before if nodeid not in after and sides.new.is_judged(nodeid)]
    is_new = len(gained) == len({occurrence.item.nodeid for occurrence in occurrences}) and not before
    if not (gained or lost):
        return []
    return [CauseChange(ChangeKind.NEW if is_new else ChangeKind.CHANGED, root, list(gained), lost, reasons)]


def _compare_old_root(root: RootCause, sides: ReportSides) -> list[CauseChange]:
    """Return the change of a cause that the new report does not have; empty if its items fail still."""
    nodeids = [item.nodeid for item in root.items]
    judged = [nodeid for nodeid in nodeids if sides.new.is_judged(nodeid)]
    if not judged:
        return [CauseChange(ChangeKind.NOT_PLAYED, root)]
    still = {
        occurrence.item.nodeid
        for occurrence in root.occurrences
        if sides.new.matching(occurrence.item.nodeid, Fault.of(occurrence.finding))
    }
    lost = [nodeid for nodeid in judged if nodeid not in still]
    return [CauseChange(ChangeKind.CHANGED if still else ChangeKind.FIXED, root, lost=lost)] if lost else []
