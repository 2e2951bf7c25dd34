"""Faults of a schema that was copied: they stand in the source at the same place, and one repair mends them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.judge.translation.pair import Pair


def with_origins(own: Sequence[Finding], pair: Pair, source: Any, output: Any) -> list[Finding]:
    """The findings of a body's own format; those at a part of a schema that is the source's part name its place there.

    No finding of a format's own rules has a ``source_pointer`` otherwise.
    """
    schemas = [
        (twin.schema_pointer, tool.schema_pointer)
        for tool, twin in pair.tool_pairs
        if twin.schema_pointer is not None and tool.schema_pointer is not None
    ]
    return [_with_origin(finding, schemas, source, output) for finding in own] if schemas else list(own)


def _with_origin(finding: Finding, schemas: Sequence[tuple[str, str]], source: Any, output: Any) -> Finding:
    if finding.source_pointer is not None:
        return finding
    for there, here in schemas:
        if f"{finding.pointer}/".startswith(f"{there}/"):
            origin = here + finding.pointer[len(there) :]
            try:
                same = resolve(source, origin) == resolve(output, finding.pointer)
            except LookupError:
                return finding
            return replace(finding, source_pointer=origin) if same else finding
    return finding
