"""What the end of a run says of recordings besides its findings: the drift at hosts that are not the provider's own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from toolcall_conformance.recording.cassettes.cases import Cassettes
from toolcall_conformance.reports.item_record import ItemRecord


def drift_lines(cassettes: Cassettes, items: Sequence[ItemRecord], *, everything: bool) -> Iterator[str]:
    """One line for each other host whose replies differ from the goldens; with ``everything`` one a difference, too."""
    replies: Counter[str] = Counter()
    differing: Counter[str] = Counter()
    signatures: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for item in items:
        case = cassettes.cases.get(item.case)
        if case is None or item.check != "drift" or case.recorded.official:
            continue
        host = case.recorded.host or "no host"
        item_signatures = {finding["signature"] for finding in item.findings}
        replies[host] += 1
        differing[host] += bool(item_signatures)
        signatures[host].update(item_signatures)
    for host, count in differing.items():
        if not count:
            continue
        more = ":" if everything else "; -v lists how"
        drift = "drifts" if count == 1 else "drift"
        yield f"toolcall: note: {count} of {replies[host]} replies of {host} {drift}{more}"
        if everything:
            yield from (f"  {times:>3} × {signature}" for signature, times in signatures[host].most_common())
