"""Faults of the loop that go with the client's format, not with the provider's: one cause for all providers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable

from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.causes.seen import Seen

# So many of the cases and variants must be the same.
_SAME_TRIES = 0.75


def join_clients(roots: Iterable[RootCause]) -> list[RootCause]:
    """Part roots of the loop by client where that explains them: the same client fails alike with several providers.

    What a loop lost may have gone on the way down or up. If the clients of one provider fail in other cases and
    variants, and one of them fails with another provider in the same ones, its format is misread.
    """
    root_causes: list[RootCause] = []
    alike: defaultdict[Hashable, list[RootCause]] = defaultdict(list)
    for root in roots:
        root_causes.append(root)
        if all(occurrence.whole and not occurrence.key.way_back for occurrence in root.seen):
            alike[root.known, root.rule, root.element, root.seen[0].difference].append(root)
    for same in alike.values():
        for client in sorted({occurrence.source for root in same for occurrence in root.seen}):
            root_causes += _of_client(same, client)
    return [root for root in root_causes if root.seen]


def _of_client(roots: list[RootCause], client: str) -> list[RootCause]:
    """Take what one client shows with several providers out of their roots, as one root; none if it shows nothing."""
    parts = [
        (root, part)
        for root in roots
        if (part := [occurrence for occurrence in root.seen if occurrence.source == client])
    ]
    parts = [(root, part) for root, part in parts if len(part) == len(root.seen) or not _is_like_the_rest(root, part)]
    fitting = [(root, part) for root, part in parts if _are_same(parts[0][1], part)]
    if len(fitting) < 2:
        return []
    client_root = RootCause([])
    for root, part in fitting:
        part_ids = set(map(id, part))
        client_root.seen += part
        client_root.others |= root.others
        root.seen = [occurrence for occurrence in root.seen if id(occurrence) not in part_ids]
    return [client_root]


def _is_like_the_rest(root: RootCause, part: list[Seen]) -> bool:
    inside = set(map(id, part))
    return _are_same(part, [occurrence for occurrence in root.seen if id(occurrence) not in inside])


def _are_same(left: list[Seen], other: list[Seen]) -> bool:
    """Whether findings are of the same cases and variants."""
    here, there = ({(each.item.case, each.item.variant) for each in occurrences} for occurrences in (left, other))
    return len(here & there) >= _SAME_TRIES * len(here | there)
