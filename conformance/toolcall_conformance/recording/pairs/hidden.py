"""What a golden file hides: a text such as ``[id]`` stands for a value that changes from run to run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.findings import Finding, Judgement, OneOf
from toolcall_conformance.basics.jsonvalue import enclosing_pointers, resolve


class Hidden:
    """The texts that hide a value. What such a place should hold is unknown, and so is what follows from it."""

    def __init__(self, patterns: Sequence[re.Pattern[str]]) -> None:
        self._patterns = patterns

    def hides(self, value: Any) -> bool:
        """Whether a value stands for another one."""
        return isinstance(value, str) and any(pattern.fullmatch(value) for pattern in self._patterns)

    def count(self, body: Any) -> int:
        """How many places of a body hide a value."""
        if isinstance(body, (list, dict)):
            return sum(map(self.count, body.values() if isinstance(body, dict) else body))
        return int(self.hides(body))

    def judged(self, judgement: Judgement, source: Any, output: Any) -> Judgement:
        """A judgement without the findings that are about hidden values."""
        if not self._patterns:
            return judgement
        findings = tuple(finding for finding in judgement.findings if not self._is_about(finding, source, output))
        return replace(judgement, findings=findings)

    def _is_about(self, finding: Finding, source: Any, output: Any) -> bool:
        values = [*_told(finding.want), *_told(finding.got), *_on_the_way(output, finding.pointer)]
        if finding.source_pointer:
            values += _on_the_way(source, finding.source_pointer)
        return any(map(self.hides, values))


def _told(value: Any) -> Iterable[Any]:
    """A wanted or found value, and the entries of a list or a choice."""
    if isinstance(value, OneOf):
        return value.values
    return value if isinstance(value, list) else [value]


def _on_the_way(body: Any, pointer: str) -> Iterator[Any]:
    """The values at each step of a pointer, as far as they are there."""
    for place in enclosing_pointers(pointer):
        try:
            yield resolve(body, place)
        except LookupError:
            return
