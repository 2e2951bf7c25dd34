"""The counts of a run: a matrix of formats for each check, and the losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.reports.item_record import ItemRecord
from toolcall_conformance.reports.run_record import NotApplicable, RunRecord
from toolcall_conformance.reports.vocabulary import WORDS

COUNTS = ("passed", "warned", "failed", "known", "unstable", "refused", "blocked", "error", "not_applicable")
_COUNTS_BY_VERDICT = {"fail": "failed", "refused": "refused", "blocked": "blocked", "not applicable": "not_applicable"}

# The reason for blocked items: of one, and of several.
_BLOCKED_REASONS = (" (a call before it failed)", " (a call before them failed)")


def count_name(item: ItemRecord) -> str:
    """Return the name of the count that an item adds to."""
    if item.outcome in ("known", "unstable"):
        return item.outcome
    if item.verdict == "pass":
        return "passed"
    if item.verdict == "warn":
        return "warned" if item.passed else "failed"
    return _COUNTS_BY_VERDICT.get(item.verdict, "error")


def counts_in_words(counts: Mapping[str, int]) -> str:
    """Return the counts that are not zero: ``129 passed, 2,559 not applicable``."""
    verdicts = WORDS["verdicts"]
    return ", ".join(f"{counts[name]:,} {verdicts[name]['word']}" for name in COUNTS if counts.get(name))


def count_matrix(run: RunRecord) -> dict[str, dict[str, dict[str, dict[str, int]]]]:
    """Return the counts of a run by check, client and upstream."""
    rows_by_check: dict[str, dict[str, dict[str, dict[str, int]]]] = {}

    def add(check: str, client: str, upstream: str, count: str) -> None:
        cell = rows_by_check.setdefault(check, {}).setdefault(client, {}).setdefault(upstream, dict.fromkeys(COUNTS, 0))
        cell[count] += 1

    for item in run.items:
        add(item.check, item.client, item.upstream, count_name(item))
    for skipped in run.not_applicable:
        add(skipped.check, skipped.client, skipped.upstream, "not_applicable")
    return {
        check: {client: dict(sorted(row.items())) for client, row in sorted(rows.items())}
        for check, rows in sorted(rows_by_check.items())
    }


def run_in_words(run: RunRecord) -> str:
    """Return ``94 passed, 7 blocked (a call before them failed), 27,863 not applicable: 14 of 16 routes …``."""
    counts = Counter(count_name(item) for item in run.items)
    skipped = counts.pop("not_applicable", 0) + len(run.not_applicable)
    blocked = counts_in_words({"blocked": counts["blocked"]})
    sentence = (
        counts_in_words(counts).replace(blocked, f"{blocked}{_BLOCKED_REASONS[counts['blocked'] > 1]}")
        if blocked
        else ""
    )
    return ", ".join(
        [*filter(None, [sentence or counts_in_words(counts)]), *([not_applicable_text(run)] if skipped else [])]
    )


def not_applicable_text(run: RunRecord) -> str:
    """Return how many items do not apply, and why: by route, or by what the translator does not support."""
    skipped = [item for item in run.items if count_name(item) == "not_applicable"]
    played = {(item.client, item.upstream) for item in run.items}
    all_routes = played | {(item.client, item.upstream) for item in run.not_applicable}
    others = len(all_routes) - len(played)
    left: list[ItemRecord | NotApplicable] = [
        *skipped,
        *(item for item in run.not_applicable if (item.client, item.upstream) in played),
    ]
    reasons = []
    if others:
        reasons.append(f"{others} of {pluralize(len(all_routes), 'route')} {'is' if others == 1 else 'are'} not yours")
    if left:
        checks = Counter(item.check for item in left).most_common()
        named = ", ".join(f"{name} {count:,}" for name, count in checks)
        subject = f"{len(left):,} more need" if others else "they need" if left[1:] else "it needs"
        reasons.append(f"{subject} what you do not do ({named})")
    total = len(run.not_applicable) + len(skipped)
    return f"{total:,} not applicable: {'; '.join(reasons)}"


def made_up_text(items: Iterable[ItemRecord]) -> str:
    """Return how many findings are about what the adapter made up itself; empty if none is."""
    counts = [sum("made_up" in finding for finding in item.findings) for item in items]
    finding_count, item_count = sum(counts), sum(map(bool, counts))
    if not finding_count:
        return ""
    counted = f"{pluralize(finding_count, 'finding')} in {pluralize(item_count, 'item')}"
    return f"{counted} about what the adapter made up (made_up): they fail nothing"


@dataclass(frozen=True, slots=True)
class LossRow:
    """The losses of an element on a route in one check, with the numbers of items and cases.

    ``kind`` is the kind of the losses, ``example`` the first item with one.
    """

    check: str
    client: str
    upstream: str
    element: str
    kind: str
    items: int
    cases: int
    example: str


def loss_rows(items: Iterable[ItemRecord]) -> list[LossRow]:
    """Return the losses grouped by check, route, element and kind."""
    groups: dict[tuple[str, str, str, str, str], list[ItemRecord]] = {}
    for item in items:
        for loss in item.losses:
            key = item.check, item.client, item.upstream, loss["element"], loss["kind"]
            groups.setdefault(key, []).append(item)
    return [
        LossRow(*key, items=len(group), cases=len({item.case for item in group}), example=group[0].nodeid)
        for key, group in sorted(groups.items())
    ]
