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
    """What became of a cause."""

    NEW = "new"
    CHANGED = "changed"
    FIXED = "fixed"
    NOT_PLAYED = "not_played"


@dataclass(frozen=True, slots=True)
class CauseChange:
    """What became of a cause: ``root`` is that of the new report, or of the old one where it is gone.

    ``gained`` are items that it fails, or warns in, and did not before; ``lost`` those that it no longer shows in.
    ``reasons`` says why, for each gained item that fails now.
    """

    kind: ChangeKind
    root: RootCause
    gained: Sequence[str] = ()
    lost: Sequence[str] = ()
    reasons: Mapping[str, ChangeReason] = field(default_factory=dict)

    @property
    def origin(self) -> Origin | None:
        """What made most of it new; a change of the translator before all others. None where nothing fails newly."""
        counts = Counter(reason.origin for reason in self.reasons.values())
        return (
            Origin.TRANSLATOR if counts[Origin.TRANSLATOR] else max(counts, key=lambda why: counts[why], default=None)
        )

    @property
    def reported_root(self) -> RootCause:
        """The cause as far as it is to be told: of one that more items show now, only these."""
        nodeids = self.reasons or set(self.gained)
        occurrences, echoed = (
            [occurrence for occurrence in group if occurrence.item.nodeid in nodeids]
            for group in (self.root.occurrences, self.root.echoes)
        )
        if not nodeids or not (occurrences or echoed):
            return self.root
        return replace(self.root, occurrences=occurrences or echoed, echoes=echoed if occurrences else [])

    def counted_reasons(self) -> list[tuple[str, int]]:
        """How it is known what made it new, with the number of items."""
        return Counter(reason.text for reason in self.reasons.values()).most_common()


@dataclass(frozen=True, slots=True)
class ReportDifference:
    """What changed from an old report to a new one."""

    sides: ReportSides
    changes: Sequence[CauseChange]

    def of_kind(self, kind: ChangeKind) -> list[CauseChange]:
        """The changes of a kind, in the order of their causes."""
        return [change for change in self.changes if change.kind is kind]

    @property
    def failures(self) -> Mapping[str, set[Origin]]:
        """The items that fail newly, or for one more cause, each with what made it so; without those that only show
        what was hidden.
        """
        return {nodeid: whys for nodeid, whys in self._origins_by_item.items() if whys != {Origin.HIDDEN}}

    @property
    def newly_visible(self) -> list[str]:
        """The items that fail by what was hidden before, and by nothing else that is new."""
        return [nodeid for nodeid, whys in self._origins_by_item.items() if whys == {Origin.HIDDEN}]

    @property
    def fixed(self) -> list[str]:
        """The items of which something failed, known or not, and nothing does any more."""
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
        """1 if anything fails newly. ``ignore_suite``: what only the suite can have made new does not count."""
        counted = [whys for whys in self.failures.values() if not ignore_suite or whys != {Origin.SUITE}]
        return 1 if counted else 0


def compare_runs(old: RunRecord, new: RunRecord, corpus: Corpus) -> ReportDifference:
    """Compare two runs. ``corpus`` says since when there are rules, and which ids they had once."""
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
    """The signatures of a cause, under the ids too that its rules have by now."""
    names = {
        occurrence.rule: (occurrence.rule, *corpus.retired.get(occurrence.rule, ())) for occurrence in root.occurrences
    }
    return frozenset(
        f"{name}{occurrence.signature.removeprefix(occurrence.rule)}"
        for occurrence in root.occurrences
        for name in names[occurrence.rule]
    )


def _compare_new_root(root: RootCause, signatures: frozenset[str], sides: ReportSides) -> list[CauseChange]:
    """What became of a cause that the new report has."""
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
    before, now = sides.old.items_with(signatures), set(sides.new.items_with(signatures))
    lost = [nodeid for nodeid in before if nodeid not in now and sides.new.is_judged(nodeid)]
    is_new = len(gained) == len({occurrence.item.nodeid for occurrence in occurrences}) and not before
    if not (gained or lost):
        return []
    return [CauseChange(ChangeKind.NEW if is_new else ChangeKind.CHANGED, root, list(gained), lost, reasons)]


def _compare_old_root(root: RootCause, sides: ReportSides) -> list[CauseChange]:
    """What became of a cause that the new report does not have as such."""
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
