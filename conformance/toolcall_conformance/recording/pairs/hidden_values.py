"""The judgement of a pair of golden files, without findings about hidden values.

A text such as ``[id]`` in a golden file is in place of a value that changes from run to run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.findings import Finding, Judgement, OneOf
from toolcall_conformance.basics.jsonvalue import enclosing_pointers, resolve
from toolcall_conformance.judge.context import Ends
from toolcall_conformance.judge.judge import Judge


class HiddenValues:
    """The texts that hide a value. What such a place should hold is unknown, and so is what follows from it."""

    def __init__(self, patterns: Sequence[re.Pattern[str]]) -> None:
        self._patterns = patterns

    def hides(self, value: Any) -> bool:
        """Whether a value is in place of another one."""
        return isinstance(value, str) and any(pattern.fullmatch(value) for pattern in self._patterns)

    def count(self, body: Any) -> int:
        """How many places of a body hide a value."""
        if isinstance(body, (list, dict)):
            return sum(map(self.count, body.values() if isinstance(body, dict) else body))
        return int(self.hides(body))

    def drop_hidden(self, judgement: Judgement, source: Any, output: Any) -> Judgement:
        """A judgement without the findings that are about hidden values."""
        if not self._patterns:
            return judgement
        findings = tuple(finding for finding in judgement.findings if not self._is_about(finding, source, output))
        return replace(judgement, findings=findings)

    def _is_about(self, finding: Finding, source: Any, output: Any) -> bool:
        values = [*_alternatives(finding.want), *_alternatives(finding.got), *_values_along(output, finding.pointer)]
        if finding.source_pointer:
            values += _values_along(source, finding.source_pointer)
        return any(map(self.hides, values))


def _alternatives(value: Any) -> Iterable[Any]:
    """A value, or the entries of a list or a choice."""
    if isinstance(value, OneOf):
        return value.values
    return value if isinstance(value, list) else [value]


def _values_along(body: Any, pointer: str) -> Iterator[Any]:
    """The values at each step of a pointer, as far as they are there."""
    for place in enclosing_pointers(pointer):
        try:
            yield resolve(body, place)
        except LookupError:
            return


def judge_pair(judge: Judge, direction: str, source: Any, output: Any, ends: Ends, hidden: HiddenValues) -> Judgement:
    """Judge a pair; of a stream both sides are as ``streaming.parse`` has them, or the source is a unary reply."""
    if direction == "stream":
        judgement = judge.stream(source, output, ends, captured=True)
    elif direction == "error":
        judgement = judge.error(source, output, ends)
    elif direction == "response":
        judgement = judge.response(source, output, ends, captured=True)
    else:
        judgement = judge.request(source, output, ends, captured=True)
    return hidden.drop_hidden(judgement, source, output)
