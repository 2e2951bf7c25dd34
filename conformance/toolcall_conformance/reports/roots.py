"""The root causes of a run: its findings, grouped by what they have in common.

Findings with one signature (``causes.Cause``) are one root. Then roots are joined that are one fault seen twice:

- a finding of the loop or a round trip that a request, reply or stream of the same case and route shows already;
- two rules that are broken by one wrong value, or that say the same by ``translation/harm.json``;
- what is wrong with the reply of a stream, where events that are mixed up bring it;
- what shows at the same places of the same sources, in the bodies of several formats.
"""

from __future__ import annotations

from collections.abc import Iterable

from toolcall_conformance.reports.harm import Harm
from toolcall_conformance.reports.joined import join_formats, join_places, join_streams
from toolcall_conformance.reports.model import ItemRecord
from toolcall_conformance.reports.repeated import fold_loops, without_repetitions
from toolcall_conformance.reports.root_cause import Key, RootCause
from toolcall_conformance.reports.seen import LEVELS, Seen


def root_causes(items: Iterable[ItemRecord], harm: Harm) -> list[RootCause]:
    """Group findings by their cause: the gravest, most harmful and most frequent first, known ones last.

    What fails an item in some tries only, and so does not fail the run, is no cause of it.
    """
    groups: dict[Key, RootCause] = {}
    counted = [
        Seen(item, finding)
        for item in items
        for finding in item.findings
        if item.outcome == "failed" or "unstable" not in finding
    ]
    kept = without_repetitions(counted, harm)
    for one, others in kept:
        root = groups.setdefault((one.known, one.finding["signature"]), RootCause([]))
        root.seen.append(one)
        root.others |= others
    fold_loops(groups, harm)
    roots = join_formats(join_streams(join_places(groups.values(), harm), harm))
    for root in roots:
        root.others.pop(root.rule, None)
        root.place = root.seen[0].place
        root.harm = min(harm.rank(*rule) for rule in [(root.rule, root.element), *root.others.items()])
    return sorted(
        roots, key=lambda root: (root.known, LEVELS.index(root.level), root.harm, -len(root.items), root.rule)
    )
