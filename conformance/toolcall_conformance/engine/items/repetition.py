"""An item played several times: what came in each try, and what only in some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from toolcall_conformance.basics.findings import Finding, Verdict
from toolcall_conformance.checks import ItemResult


@dataclass(frozen=True, slots=True)
class RepeatedResult:
    """The tries of one item. ``result`` is the one to show, ``counts`` says in how many tries each signature fails it.

    ``verdicts`` are those of all tries.
    """

    result: ItemResult
    count: int = 1
    counts: Mapping[str, int] = field(default_factory=dict)
    verdicts: Sequence[Verdict] = ()

    def is_unstable(self, signature: str) -> bool:
        """Whether a failure came in some tries and not in others."""
        return 0 < self.counts.get(signature, self.count) < self.count

    @property
    def differs(self) -> bool:
        """Whether the verdict, or what fails the item, was not the same in all tries."""
        return len(set(self.verdicts)) > 1 or any(count < self.count for count in self.counts.values())

    @property
    def sentence(self) -> str:
        """How the tries differed."""
        verdicts = ", ".join(f"{word} {times} of {self.count} times" for word, times in Counter(self.verdicts).items())
        rules = ", ".join(
            f"{signature.split(' ')[0]} {times} of {self.count} times"
            for signature, times in self.counts.items()
            if times < self.count
        )
        return f"unstable: {verdicts}" + (f": {rules}" if rules else "")


def repeat(
    once: Callable[[], ItemResult],
    count: int,
    failing: Callable[[ItemResult], Iterable[Finding]],
    signature: Callable[[Finding], str],
) -> RepeatedResult:
    """Play an item ``count`` times. Shown is the first result with the most kinds of failures."""
    results = [once()]
    results += [once() for _ in range(count - 1)]
    kinds = [frozenset(map(signature, failing(result))) for result in results]
    index = max(range(count), key=lambda number: (len(kinds[number]), -number))
    counts = Counter(kind for signatures in kinds for kind in sorted(signatures))
    return RepeatedResult(results[index], count, counts, tuple(result.verdict for result in results))
