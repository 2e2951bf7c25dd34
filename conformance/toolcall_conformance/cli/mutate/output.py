"""What ``mutate`` prints of faults, legal notations and sources alike: tables, a JSON file of all, findings."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from toolcall_conformance.basics import atomic_files
from toolcall_conformance.cli.console import say, say_lines

if TYPE_CHECKING:
    from toolcall_conformance.basics.findings import Finding
    from toolcall_conformance.trust.matrix import Key
    from toolcall_conformance.trust.parallel import OutputSource
    from toolcall_conformance.trust.sources.runner import TrialSettings


def print_tables(items: Sequence[Any], kind_field: str, head: Sequence[str]) -> None:
    """Count the outcomes by cell, operator, the field ``kind_field``, direction and format, and in all."""
    from toolcall_conformance.trust.matrix import cell, count_outcomes, lines

    keys: dict[str, Key] = {
        "direction, format, element and operator": cell,
        "operator": lambda item: (item.operator,),
        kind_field: lambda item: (getattr(item, kind_field),),
        "direction and format": lambda item: (item.direction, item.format),
        "all": lambda _item: (),
    }
    for name, key in keys.items():
        say("")
        say((f"by {name}:" if name != "all" else "in all:", "head"))
        say_lines("\n".join(lines(count_outcomes(items, key), head)))


def write_results(
    source: OutputSource | TrialSettings,
    parsed: argparse.Namespace,
    kind: str,
    items: Sequence[Any],
    extra_members: Mapping[str, Any] | None = None,
) -> None:
    """Write all items to the file that ``--json`` names, if it does: under ``kind``, each with its name."""
    if not parsed.json:
        return
    settings = {"translator": source.translator, "count": parsed.count, "seed": parsed.seed}
    entries = [asdict(item) | {"name": item.name} for item in items]
    content = {**settings, **(extra_members or {}), kind: entries}
    atomic_files.write(parsed.json, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def print_findings(findings: Iterable[Finding]) -> None:
    """Print the findings, a line each."""
    say("")
    for finding in findings:
        say((finding.level, finding.level), f": {finding.rule} {finding.pointer}: {finding.message}")
