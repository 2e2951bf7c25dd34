"""Finds the plainest case of the corpus for a route."""

from __future__ import annotations

from itertools import groupby

from toolcall_conformance.basics.jsonvalue import canonical
from toolcall_conformance.library import Case, Corpus


def find_plainest(corpus: Corpus, client: str, upstream: str, *, failing: bool) -> Case | None:
    """Return the plainest case that has a call and its result or, if ``failing``, an error of the provider."""
    # By the scenarios first: the bodies of most cases are not read from the disk at all.
    for _, alike in groupby(sorted(corpus.cases.values(), key=_oddity), key=_oddity):
        fitting = [
            case
            for case in alike
            if {client, upstream} <= set(case.formats)
            and not case.dialects
            and failing == (case.exchanges(upstream)[0].error is not None)
            and (failing or _has_calls(corpus, case))
        ]
        if fitting:
            return min(fitting, key=lambda case: len(canonical(case.exchanges(client)[0].request)))
    return None


def _oddity(case: Case) -> tuple[bool, int]:
    # The first case of a family is a plain one; the others have something odd about them.
    return not case.id.endswith("/seed"), len(case.features)


def _has_calls(corpus: Corpus, case: Case) -> bool:
    """Whether a case that every format can express has a call with arguments, and continues after it."""
    plain = set(case.formats) == set(corpus.formats) and not {"no-call", "empty-arguments"} & set(case.features)
    return plain and all(len(case.exchanges(name)) > 1 for name in case.formats)
