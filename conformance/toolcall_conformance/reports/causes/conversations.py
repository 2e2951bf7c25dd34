"""Joins what only whole conversations show with the fault of a single reply that explains it."""

from __future__ import annotations

from collections.abc import Iterable

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.occurrence import Occurrence
from toolcall_conformance.reports.causes.root_cause import RootCause

_LOOP_BROKEN = "translation/loop-broken"
# What the judge says of a difference that came about on the way to the client.
_ON_THE_WAY_DOWN = "(on the way down, in "


def join_conversations(roots: Iterable[RootCause], harm: Harm) -> list[RootCause]:
    """Let faults of replies absorb what only whole conversations show, if just one fault explains it.

    A sample of the corpus may play a case as a conversation on a route, and not its reply alone.
    """
    root_causes = list(roots)
    kept = []
    for root in root_causes:
        explaining = _explaining_roots(root, root_causes, harm) if _is_of_replies(root) else []
        if len(explaining) == 1:
            explaining[0].occurrences += root.occurrences
            explaining[0].absorb(root)
        else:
            kept.append(root)
    return kept


def _is_of_replies(root: RootCause) -> bool:
    return all(
        occurrence.is_conversation
        and (occurrence.rule == _LOOP_BROKEN or _ON_THE_WAY_DOWN in str(occurrence.finding["message"]))
        for occurrence in root.occurrences
    )


def _explaining_roots(root: RootCause, roots: list[RootCause], harm: Harm) -> list[RootCause]:
    """Return the roots of replies that explain a root of conversations: of its routes, else of its upstreams."""
    routes = {(occurrence.item.client, occurrence.item.upstream) for occurrence in root.occurrences}
    upstreams = {upstream for _, upstream in routes}
    causes = {rule for rule, _ in harm.consequences.causes_of(root.rule, way_back=False)}
    grave = [
        other
        for other in roots
        if other is not root
        and (other.is_known, other.level_number) <= (root.is_known, root.level_number)
        and (root.rule != _LOOP_BROKEN or _changes_calls_alike(root, other))
        and upstreams <= {reply.item.upstream for reply in _replies(other)}
    ]
    on_route = [
        other for other in grave if routes <= {(reply.item.client, reply.item.upstream) for reply in _replies(other)}
    ]
    choices = [
        [other for other in others if rules & {other.rule, *other.other_rules}]
        for others in (on_route, grave)
        for rules in ({root.rule}, causes)
    ]
    return next(filter(None, choices), [])


def _replies(root: RootCause) -> list[Occurrence]:
    return [
        occurrence
        for occurrence in root.occurrences
        if not occurrence.is_conversation and "response" in occurrence.finding["body"]
    ]


def _changes_calls_alike(broken: RootCause, other: RootCause) -> bool:
    """Whether a loop is broken by calls too many and the other root adds some, or by too few and it lost some."""
    counts = [(occurrence.want, occurrence.got) for occurrence in broken.occurrences]
    if not all(isinstance(number, int) for pair in counts for number in pair):
        return False
    lead = other.occurrences[0]
    added, lost = lead.want is MISSING, lead.got is MISSING
    return all((got > want and added) or (got < want and lost) for want, got in counts)
