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
from toolcall_conformance.reports.changes.reasons import ChangeReason, ReportSides, Why
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
    def why(self) -> Why | None:
        """What made most of it new; a change of the translator before all others. None where nothing fails newly."""
        counts = Counter(reason.why for reason in self.reasons.values())
        return Why.TRANSLATOR if counts[Why.TRANSLATOR] else max(counts, key=lambda why: counts[why], default=None)

    @property
    def shown(self) -> RootCause:
        """The cause as far as it is to be told: of one that more items show now, only these."""
        nodeids = self.reasons or set(self.gained)
        occurrences, echoed = (
            [occurrence for occurrence in group if occurrence.item.nodeid in nodeids]
            for group in (self.root.seen, self.root.echoed)
        )
        if not nodeids or not (occurrences or echoed):
            return self.root
        return replace(self.root, seen=occurrences or echoed, echoed=echoed if occurrences else [])

    def told(self) -> list[tuple[str, int]]:
        """How it is known what made it new, with the number of items."""
        return Counter(reason.says for reason in self.reasons.values()).most_common()


@dataclass(frozen=True, slots=True)
class ReportDifference:
    """What changed from an old report to a new one."""

    sides: ReportSides
    changes: Sequence[CauseChange]

    def of_kind(self, kind: ChangeKind) -> list[CauseChange]:
        """The changes of a kind, in the order of their causes."""
        return [change for change in self.changes if change.kind is kind]

    @property
    def failures(self) -> Mapping[str, set[Why]]:
        """The items that fail newly, or for one more cause, each with what made it so; without those that only show
        what was hidden.
        """
        return {nodeid: whys for nodeid, whys in self._failing.items() if whys != {Why.HIDDEN}}

    @property
    def visible(self) -> list[str]:
        """The items that fail by what was hidden before, and by nothing else that is new."""
        return [nodeid for nodeid, whys in self._failing.items() if whys == {Why.HIDDEN}]

    @property
    def fixed(self) -> list[str]:
        """The items of which something failed, known or not, and nothing does any more."""
        old, new = self.sides.old, self.sides.new
        return [nodeid for nodeid in old.items if old.is_bad(nodeid) and new.judges(nodeid) and not new.is_bad(nodeid)]

    @property
    def _failing(self) -> Mapping[str, set[Why]]:
        reasons: dict[str, set[Why]] = {}
        for change in self.changes:
            for nodeid, reason in change.reasons.items():
                reasons.setdefault(nodeid, set()).add(reason.why)
        return reasons

    def exit_code(self, *, ignore_suite: bool = False) -> int:
        """1 if anything fails newly. ``ignore_suite``: what only the suite can have made new does not count."""
        counted = [whys for whys in self.failures.values() if not ignore_suite or whys != {Why.SUITE}]
        return 1 if counted else 0


def difference(old: RunRecord, new: RunRecord, corpus: Corpus) -> ReportDifference:
    """Compare two runs. ``corpus`` says since when there are rules, and which ids they had once."""
    sides = ReportSides(old, new, corpus.rules, corpus.retired, Harm.of(corpus).never_first)
    changes: list[CauseChange] = []
    covered: set[str] = set()
    for root in new_roots(new.roots):
        signatures = _signatures(root)
        covered |= signatures
        changes += _of_new(root, signatures, sides)
    for root in new_roots(old.roots):
        if covered.isdisjoint(_current(root, corpus)):
            changes += _of_old(root, sides)
    return ReportDifference(sides, changes)


def _signatures(root: RootCause) -> frozenset[str]:
    return frozenset(occurrence.signature for occurrence in root.seen)


def _current(root: RootCause, corpus: Corpus) -> frozenset[str]:
    """The signatures of a cause, under the ids too that its rules have by now."""
    names = {occurrence.rule: (occurrence.rule, *corpus.retired.get(occurrence.rule, ())) for occurrence in root.seen}
    return frozenset(
        f"{name}{occurrence.signature.removeprefix(occurrence.rule)}"
        for occurrence in root.seen
        for name in names[occurrence.rule]
    )


def _of_new(root: RootCause, signatures: frozenset[str], sides: ReportSides) -> list[CauseChange]:
    """What became of a cause that the new report has."""
    gained: dict[str, None] = {}
    reasons: dict[str, ChangeReason] = {}
    occurrences = [
        occurrence for occurrence in (*root.seen, *root.echoed) if is_counted(occurrence.item, occurrence.finding)
    ]
    for occurrence in occurrences:
        nodeid, fault = occurrence.item.nodeid, Fault.of(occurrence.finding)
        if not sides.old.like(nodeid, fault):
            gained[nodeid] = None
        if fault.fails and (reason := sides.reason(nodeid, fault)) is not None:
            gained[nodeid] = None
            reasons.setdefault(nodeid, reason)
    before, now = sides.old.with_any(signatures), set(sides.new.with_any(signatures))
    lost = [nodeid for nodeid in before if nodeid not in now and sides.new.judges(nodeid)]
    is_new = len(gained) == len({occurrence.item.nodeid for occurrence in occurrences}) and not before
    if not (gained or lost):
        return []
    return [CauseChange(ChangeKind.NEW if is_new else ChangeKind.CHANGED, root, list(gained), lost, reasons)]


def _of_old(root: RootCause, sides: ReportSides) -> list[CauseChange]:
    """What became of a cause that the new report does not have as such."""
    nodeids = [item.nodeid for item in root.items]
    judged = [nodeid for nodeid in nodeids if sides.new.judges(nodeid)]
    if not judged:
        return [CauseChange(ChangeKind.NOT_PLAYED, root)]
    still = {
        occurrence.item.nodeid
        for occurrence in root.seen
        if sides.new.like(occurrence.item.nodeid, Fault.of(occurrence.finding))
    }
    lost = [nodeid for nodeid in judged if nodeid not in still]
    return [CauseChange(ChangeKind.CHANGED if still else ChangeKind.FIXED, root, lost=lost)] if lost else []
