"""Compares two reports of one translator, finding by finding: what a change in the judge changed.

``python tests comparison.compare_reports OLD.json NEW.json [--renamed FILE.json]``

A finding is its item, body, level, pointer and rule. FILE maps old rule ids to lists of new ones: a finding may then be
under another rule at the same place and level. Retired ids of the corpus count as renamed by themselves. Exits with 1
if a finding or a verdict differs in any other way.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from toolcall_conformance.library import load_corpus

EXAMPLES = 3


class Key(NamedTuple):
    """What makes two findings of an item the same."""

    body: str
    level: str
    pointer: str
    rule: str


@dataclass(slots=True)
class Comparison:
    """How the findings of two reports relate. ``lost`` and ``new`` hold (node id, finding)."""

    same: int = 0
    renamed: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    lost: list[tuple[str, Key]] = field(default_factory=list)
    new: list[tuple[str, Key]] = field(default_factory=list)
    verdicts: list[tuple[str, str, str]] = field(default_factory=list)
    items_lost: list[str] = field(default_factory=list)
    items_new: list[str] = field(default_factory=list)

    @property
    def differs(self) -> bool:
        return any((self.lost, self.new, self.verdicts, self.items_lost, self.items_new))


def compare(
    old: Mapping[str, Any], new: Mapping[str, Any], renamed: Mapping[str, Sequence[str]], *, partial: bool = False
) -> Comparison:
    """Compare two reports as JSON has them. ``partial``: NEW may lack items, since only some were run."""
    before, after = ({item["nodeid"]: item for item in report["items"]} for report in (old, new))
    comparison = Comparison(items_new=sorted(after.keys() - before.keys()))
    if not partial:
        comparison.items_lost = sorted(before.keys() - after.keys())
    for node in sorted(before.keys() & after.keys()):
        if before[node]["verdict"] != after[node]["verdict"]:
            comparison.verdicts.append((node, before[node]["verdict"], after[node]["verdict"]))
        _compare_item(comparison, node, keys(before[node]), keys(after[node]), renamed)
    return comparison


def keys(item: Mapping[str, Any]) -> Counter[Key]:
    """The findings of an item, as often as each is there."""
    return Counter(
        Key(finding["body"], finding["level"], finding["pointer"], finding["rule"]) for finding in item["findings"]
    )


def _compare_item(
    comparison: Comparison, node: str, old: Counter[Key], new: Counter[Key], renamed: Mapping[str, Sequence[str]]
) -> None:
    same = old & new
    comparison.same += same.total()
    left, rest = old - same, new - same
    for key in left.elements():
        names = (key._replace(rule=name) for name in renamed.get(key.rule, ()))
        now = next((name for name in names if rest[name] > 0), None)
        if now is None:
            comparison.lost.append((node, key))
        else:
            rest[now] -= 1
            comparison.renamed[key.rule, now.rule, key.level] += 1
    comparison.new += [(node, key) for key in rest.elements()]


def lines(comparison: Comparison) -> Iterator[str]:
    """The comparison as lines of text."""
    yield f"{comparison.same} findings are the same, {comparison.renamed.total()} have another rule id"
    yield from (f"  {count:6} {level}  {old} -> {new}" for (old, new, level), count in comparison.renamed.most_common())
    for title, findings in (("lost", comparison.lost), ("new", comparison.new)):
        yield f"{len(findings)} findings are {title}"
        for (rule, level), count in Counter((key.rule, key.level) for _, key in findings).most_common():
            yield f"  {count:6} {level}  {rule}"
            examples = [(node, key) for node, key in findings if (key.rule, key.level) == (rule, level)][:EXAMPLES]
            yield from (f"           {node}  {key.body} {key.pointer}" for node, key in examples)
    yield f"{len(comparison.verdicts)} verdicts differ"
    yield from (f"  {node}: {before} -> {after}" for node, before, after in comparison.verdicts[:20])
    yield f"{len(comparison.items_lost)} items are missing, {len(comparison.items_new)} are new"


def main(arguments: Sequence[str]) -> int:
    """Read the two reports, print the comparison."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--renamed", type=Path, help="JSON: old rule ids, each with the list of its new ones")
    parser.add_argument("--partial", action="store_true", help="NEW holds some of the items only")
    options = parser.parse_args(arguments)
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (options.old, options.new))
    renamed = {name: list(names) for name, names in load_corpus().retired.items()}
    if options.renamed:
        for name, names in json.loads(options.renamed.read_text(encoding="utf-8")).items():
            renamed[name] = [*renamed.get(name, ()), *names]
    comparison = compare(old, new, renamed, partial=options.partial)
    print("\n".join(lines(comparison)))
    return int(comparison.differs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
