"""Which case of the corpus is played on a route: the plainest one."""

from __future__ import annotations

from toolcall_conformance.jsonvalue import canonical
from toolcall_conformance.library import Case, Corpus


def plainest(corpus: Corpus, client: str, upstream: str, *, failing: bool) -> Case | None:
    """Return the plainest case that has a call and its result or, if ``failing``, an error of the provider."""
    fitting = [
        case
        for case in corpus.cases.values()
        if {client, upstream} <= set(case.formats)
        and not case.dialects
        and failing == (case.exchanges(upstream)[0].error is not None)
        and (failing or _has_calls(corpus, case))
    ]

    def oddity(case: Case) -> tuple[bool, int, int]:
        # The first case of a family is a plain one; the others have something odd about them.
        return not case.id.endswith("/seed"), len(case.features), len(canonical(case.exchanges(client)[0].request))

    return min(fitting, key=oddity, default=None)


def _has_calls(corpus: Corpus, case: Case) -> bool:
    """Whether a case that every format can say has a call with arguments, and goes on behind it."""
    plain = set(case.formats) == set(corpus.formats) and not {"no-call", "empty-arguments"} & set(case.features)
    return plain and all(len(case.exchanges(name)) > 1 for name in case.formats)
