"""Our stream machines against the official accumulators, on streams with a fault each.

    python tests witnesses.damaged --count 20000 --seed 1

prints how many were read alike, and every difference that is in no entry of ``damaged.json``. Recorded streams are
damaged, too, where there are any (``formats.test_traffic`` says where they are looked for). Needs the extra
``witnesses``. The exit code is 1 where a difference is unexplained.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from toolcall_conformance import Judge, formats
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.table import MutationTable
from witnesses.damage_comparison import DIFFERENCES, KINDS, Comparison, agrees, compare_stream
from witnesses.damage_generator import DamagedBody, Source, draw_damaged
from witnesses.damaged_streams import sources
from witnesses.known_differences import STREAMS, entries, unexplained_differences

SHOWN = 40


@dataclass(frozen=True)
class Difference:
    """A damaged stream that is read in two ways."""

    fault: DamagedBody
    found: Comparison

    def __str__(self) -> str:
        ours, theirs = _around(self.found.ours, self.found.theirs)
        sentence = f"we put together …{ours}…, the SDK …{theirs}…"
        if self.found.kind == "unseen":
            sentence = f"the SDK raises {self.found.theirs}"
        return f"{self.found.kind} {self.fault.format} {self.fault.pattern}: {self.fault.name}\n    {sentence}"


def _around(ours: str, theirs: str) -> tuple[str, str]:
    """Both texts from shortly before they differ."""
    pairs = zip(ours, theirs, strict=False)
    at = next((place for place, (left, right) in enumerate(pairs) if left != right), min(len(ours), len(theirs)))
    return ours[max(0, at - 30) : at + 60], theirs[max(0, at - 30) : at + 60]


def find_differences(judge: Judge, faults: Iterable[DamagedBody], counts: Counter[str]) -> Iterator[Difference]:
    """The differences among faults; ``counts`` gets how many there are of each kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # words that an SDK does not know
        for fault in faults:
            comparison = compare_stream(judge, fault)
            counts[comparison.kind] += 1
            if comparison.kind in DIFFERENCES:
                yield Difference(fault, comparison)


def usable(judge: Judge, candidates: Iterable[Source]) -> list[Source]:
    """The streams that both read alike, and at which we find no fault."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # see above
        return [source for source in candidates if agrees(judge, source)]


def main(argv: list[str]) -> int:
    """Damage, compare and print."""
    parser = argparse.ArgumentParser(prog="python tests witnesses.damaged", description="Damaged streams, read twice.")
    parser.add_argument("--count", type=int, default=20_000, help="how many faults, over all formats")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--formats", nargs="+", choices=formats.names(), default=list(formats.names()))
    options = parser.parse_args(argv)
    corpus = load_corpus()
    judge, table, listed = Judge(corpus), MutationTable(corpus), entries(STREAMS)
    left: list[Difference] = []
    for name in options.formats:
        began = time.monotonic()
        candidates = sources(corpus, name, corpus.cases, recorded=True)
        right = usable(judge, candidates)
        kinds: Counter[str] = Counter()
        reasons: Counter[str] = Counter()
        faults = draw_damaged(table, right, options.count // len(options.formats), options.seed)
        new = unexplained_differences(listed, find_differences(judge, faults, kinds), reasons)
        left += new
        print(
            f"{name}: {kinds.total()} faults in {len(right)} streams ({len(candidates) - len(right)} are read otherwise"
        )
        print(f"  without any fault), {time.monotonic() - began:.0f} s")
        for kind, meaning in KINDS.items():
            print(f"  {kinds[kind]:6} {kind}: {meaning}")
        for reason, count in reasons.most_common():
            print(f"  {count:6} explained: {reason}")
        print(f"  {len(new):6} unexplained", flush=True)
    for difference in left[:SHOWN]:
        print(difference)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
