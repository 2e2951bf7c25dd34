"""Repeats an item, and finds failures that only some of the tries show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from toolcall_conformance.basics.findings import Finding, Verdict
from toolcall_conformance.checks import ItemResult


@dataclass(frozen=True, slots=True)
class RepeatedResult:
    """The tries of an item: ``repeat`` of them, with their ``verdicts``.

    ``result`` is the one to show. ``counts`` has, by signature of a failing finding, the number of tries that show it.
    """

    result: ItemResult
    repeat: int = 1
    counts: Mapping[str, int] = field(default_factory=dict)
    verdicts: Sequence[Verdict] = ()

    def is_unstable(self, signature: str) -> bool:
        """Whether some tries show a failure and others do not."""
        return 0 < self.counts.get(signature, self.repeat) < self.repeat

    @property
    def differs(self) -> bool:
        """Whether the tries differ in their verdicts or failures."""
        return len(set(self.verdicts)) > 1 or any(count < self.repeat for count in self.counts.values())

    @property
    def sentence(self) -> str:
        """A sentence on how the tries differ."""
        verdicts = ", ".join(f"{word} {times} of {self.repeat} times" for word, times in Counter(self.verdicts).items())
        rules = ", ".join(
            f"{signature.split(' ')[0]} {times} of {self.repeat} times"
            for signature, times in self.counts.items()
            if times < self.repeat
        )
        return f"unstable: {verdicts}" + (f": {rules}" if rules else "")


def play_repeatedly(
    play: Callable[[], ItemResult],
    repeat: int,
    failing_findings: Callable[[ItemResult], Iterable[Finding]],
    signature: Callable[[Finding], str],
) -> RepeatedResult:
    """Play an item ``repeat`` times. The result to show is the first with the most kinds of failures."""
    results = [play()]
    results += [play() for _ in range(repeat - 1)]
    kinds = [frozenset(map(signature, failing_findings(result))) for result in results]
    index = max(range(repeat), key=lambda number: (len(kinds[number]), -number))
    counts = Counter(kind for signatures in kinds for kind in sorted(signatures))
    return RepeatedResult(results[index], repeat, counts, tuple(result.verdict for result in results))
