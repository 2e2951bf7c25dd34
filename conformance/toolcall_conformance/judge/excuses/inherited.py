"""Turns faults that are inherited from the source, at the same place, into notes: they are not the translator's.

Places are compared, not counts: a bad tool of the source excuses that tool and no other. Calls, results, tools, texts
and settings of the two bodies are matched; a fault at a message or the body that holds several of them is at all of
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from toolcall_conformance.basics.findings import Because, Finding
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.reading import Call, Media, Reading, Result, Text, Tool
from toolcall_conformance.judge.levels import apply_circumstances
from toolcall_conformance.judge.places import PlacesByPointer
from toolcall_conformance.judge.translation.calls.call_arguments import (
    has_odd_arguments,
    is_same_json,
    readable_arguments,
)
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.library import Corpus

_NO_STEP = object()


@dataclass(frozen=True, slots=True)
class _MatchedPart:
    """A part of the source and its translation in the output; ``members`` are pairs of pointers to parts of these."""

    source: str
    output: str
    members: tuple[tuple[str | None, str | None], ...] = ()


def excuse_inherited(
    corpus: Corpus,
    output_findings: Sequence[Finding],
    source_findings: Sequence[Finding],
    pair: Pair,
    source: Any,
    output: Any,
) -> list[Finding]:
    """The output's findings; those that the source's own findings have at the same place are notes."""
    causes = [finding for finding in source_findings if not finding.is_note]
    if not causes:
        return list(output_findings)
    places = _MatchedParts(_match_parts(pair))
    left = _Causes(places, causes)
    findings = []
    for finding in output_findings:
        if not finding.is_note:
            among = left.candidates(finding.pointer)
            number = next((at for at in among if _explains(places, causes[at], finding, source, output)), None)
            if number is not None:
                cause = causes[number]
                alike = cause.is_must or not finding.is_must
                because = Because(cause.rule, cause.pointer, in_source=True)
                finding = replace(finding, because=because)
                finding = apply_circumstances(corpus, finding, ["source-breaks-it" if alike else "source-says-it"])
                if not places.is_in_source(cause.pointer):
                    left.remove(number)  # that no place is known for it makes it weaker: it excuses once
        findings.append(finding)
    return findings


def excuse_inherited_arguments(
    corpus: Corpus, stream_findings: Sequence[Finding], raw_arguments: Mapping[int, str], pair: Pair
) -> list[Finding]:
    """A stream's findings; those on arguments that are equal in the source, and as odd there, are notes.

    ``raw_arguments`` are the unparsed arguments of the output's calls, by the ordinals of the calls.
    """
    sources = {right: pair.source.calls[left] for left, right in pair.call_pairs.items()}
    nonstandard = {
        text: sources[ordinal]
        for ordinal, text in raw_arguments.items()
        if ordinal in sources
        and has_odd_arguments(sources[ordinal])
        and is_same_json(readable_arguments(sources[ordinal]), text)
    }
    findings = []
    for finding in stream_findings:
        if finding.element == "call" and isinstance(finding.got, str) and finding.got in nonstandard:
            call = nonstandard[finding.got]
            because = Because(finding.rule, call.arguments_pointer or call.pointer, in_source=True)
            finding = apply_circumstances(corpus, replace(finding, because=because), ["source-breaks-it"])
        findings.append(finding)
    return findings


def _explains(places: _MatchedParts, cause: Finding, finding: Finding, source: Any, output: Any) -> bool:
    if cause.element != finding.element:
        return False
    if not (cause.is_must or _same_value(source, cause.pointer, output, finding.pointer)):
        return False
    return places.is_same_place(cause.pointer, finding.pointer) and not places.lacks_member(finding.pointer)


def _same_value(source: Any, left: str, output: Any, right: str) -> bool:
    """Whether the wrong value of the output is that of the source, or its JSON text."""
    try:
        return is_same_json(resolve(source, left), resolve(output, right))
    except LookupError:
        return False


class _MatchedParts:
    """The matched parts of both bodies."""

    def __init__(self, twins: Iterable[_MatchedPart]) -> None:
        self.twins = tuple(twins)
        self._source = PlacesByPointer(twin.source for twin in self.twins)
        self._output = PlacesByPointer(twin.output for twin in self.twins)

    def is_in_source(self, pointer: str) -> bool:
        """Whether a place in the source is at a matched part."""
        return bool(self.source_parts(pointer))

    def source_parts(self, pointer: str) -> Sequence[int]:
        """The numbers of the parts that enclose a place in the source, or are inside it."""
        return self._source.numbers_touching(pointer)

    def output_parts(self, pointer: str) -> Sequence[int]:
        """The numbers of the parts that enclose a place in the output, or are inside it."""
        return self._output.numbers_touching(pointer)

    def is_same_place(self, left: str, right: str) -> bool:
        """Whether a place in the source and one in the output correspond, or one encloses the other.

        Two places without a matched part correspond as well: nothing distinguishes them.
        """
        source_parts, output_parts = self.source_parts(left), self.output_parts(right)
        if not source_parts or not output_parts:
            return not source_parts and not output_parts
        return any(_members_agree(self.twins[at], left, right) for at in set(source_parts).intersection(output_parts))

    def lacks_member(self, pointer: str) -> bool:
        """Whether the output's part at this place lacks a member, while the source's part has all.

        Then the source's fault is another one.
        """
        whole = [
            twin.members for twin in (self.twins[at] for at in self.output_parts(pointer)) if twin.output == pointer
        ]
        return any(
            all(source for source, _ in members) and not all(output for _, output in members) for members in whole
        )


class _Causes:
    """The findings of the source by the matched parts that they are at; those at none are a group of their own."""

    def __init__(self, places: _MatchedParts, causes: Sequence[Finding]) -> None:
        self._places = places
        self._nowhere: dict[int, None] = {}
        self._at: dict[int, list[int]] = {}
        for number, cause in enumerate(causes):
            parts = places.source_parts(cause.pointer)
            for part in parts:
                self._at.setdefault(part, []).append(number)
            if not parts:
                self._nowhere[number] = None

    def candidates(self, pointer: str) -> Sequence[int]:
        """The numbers of the findings that may be at this place of the output, in order."""
        parts = self._places.output_parts(pointer)
        return sorted({number for part in parts for number in self._at.get(part, ())}) if parts else [*self._nowhere]

    def remove(self, number: int) -> None:
        """Remove a finding that is at no matched part."""
        self._nowhere.pop(number, None)


def _members_agree(twin: _MatchedPart, left: str, right: str) -> bool:
    """Whether two places at one matched part may be the same: not in different members, nor apart inside one."""
    first, second = _enclosing_member(twin, left, 0), _enclosing_member(twin, right, 1)
    if first is None or second is None:
        return True
    return first[0] == second[0] and all(
        _NO_STEP in (a, b) or a == b for a, b in zip_longest(first[1], second[1], fillvalue=_NO_STEP)
    )


def _enclosing_member(twin: _MatchedPart, pointer: str, side: int) -> tuple[int, list[str]] | None:
    """The number of the member that a place is in, and the steps from the member to the place; None if in none."""
    for number, member in enumerate(twin.members):
        start = member[side]
        if start is not None and _is_within(pointer, start):
            return number, pointer[len(start) :].split("/")[1:]
    return None


def _is_within(pointer: str, holder: str) -> bool:
    return f"{pointer}/".startswith(f"{holder}/")


def _match_parts(pair: Pair) -> Iterator[_MatchedPart]:
    yield from (_match_members(tool, twin, "name", "description", "schema") for tool, twin in pair.tool_pairs)
    ours, theirs = _results_by_call(pair.source), _results_by_call(pair.output)
    for left, right in pair.call_pairs.items():
        yield _match_members(pair.source.calls[left], pair.output.calls[right], "name", "arguments", "id")
        both = zip(ours.get(left, ()), theirs.get(right, ()), strict=False)
        yield from (_match_members(source, output, "name", "content", "id") for source, output in both)
    texts: list[list[Text]] = [
        [*side.system, *(item for turn in side.turns for item in turn.items if isinstance(item, Text))]
        for side in (pair.source, pair.output)
    ]
    alike: dict[str, list[Text]] = {}
    for text in texts[1]:
        alike.setdefault(text.text, []).append(text)
    for source_text in texts[0]:
        yield from (
            _MatchedPart(source_text.pointer, output_text.pointer) for output_text in alike.get(source_text.text, ())
        )
    for name, setting in pair.source.settings.items():
        if name in pair.output.settings:
            yield _MatchedPart(setting.pointer, pair.output.settings[name].pointer)


def _results_by_call(reading: Reading) -> Mapping[int | None, Sequence[Result]]:
    results_by_call: dict[int | None, list[Result]] = {}
    for result in reading.results:
        results_by_call.setdefault(result.call, []).append(result)
    return results_by_call


def _match_members(source: Tool | Call | Result, output: Tool | Call | Result, *members: str) -> _MatchedPart:
    """A matched part with its members, whose pointers are the readings' ``name_pointer`` and so on."""
    pointers = [(getattr(source, f"{name}_pointer"), getattr(output, f"{name}_pointer")) for name in members]
    return _MatchedPart(source.pointer, output.pointer, (*_media_pointers(source, output), *pointers))


def _media_pointers(source: Tool | Call | Result, output: Tool | Call | Result) -> Iterator[tuple[str, str]]:
    """The pairs of pointers to the media of two results, in order: their texts may be in more or fewer parts."""
    ours, theirs = (
        [part.pointer for part in side.parts if isinstance(part, Media)] if isinstance(side, Result) else []
        for side in (source, output)
    )
    yield from zip(ours, theirs, strict=False)
