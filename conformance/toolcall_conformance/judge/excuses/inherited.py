"""A fault that the source has already, at the same place, is not the translator's: it becomes a note.

Places are compared, not counts: a bad tool of the source excuses that tool and no other. Calls, results, tools, texts
and settings of the two bodies are known to be the same; a fault at what holds several of them, a message or the body,
is at all of them.
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

_NOTHING = object()


@dataclass(frozen=True, slots=True)
class _Twin:
    """A part of the source and the part of the output that it became; ``members`` are pointers to parts of these."""

    source: str
    output: str
    members: tuple[tuple[str | None, str | None], ...] = ()


def excused(
    corpus: Corpus, own: Sequence[Finding], broken: Sequence[Finding], pair: Pair, source: Any, output: Any
) -> list[Finding]:
    """Make a note of each finding of ``own`` that the source's own findings, ``broken``, have at its place."""
    causes = [finding for finding in broken if not finding.is_note]
    if not causes:
        return list(own)
    places = _Places(_twins(pair))
    left = _Causes(places, causes)
    findings = []
    for finding in own:
        if not finding.is_note:
            among = left.near(finding.pointer)
            number = next((at for at in among if _explains(places, causes[at], finding, source, output)), None)
            if number is not None:
                cause = causes[number]
                alike = cause.is_must or not finding.is_must
                because = Because(cause.rule, cause.pointer, in_source=True)
                finding = replace(finding, because=because)
                finding = apply_circumstances(corpus, finding, ["source-breaks-it" if alike else "source-says-it"])
                if not places.of_source(cause.pointer):
                    left.remove(number)  # that no place is known for it makes it weaker: it excuses once
        findings.append(finding)
    return findings


def passed_on(corpus: Corpus, own: Sequence[Finding], texts: Mapping[int, str], pair: Pair) -> list[Finding]:
    """Make a note of each finding of a stream about arguments that are the same, and as odd, in the source.

    ``texts`` are the arguments of the output's calls as the stream spelt them, by the ordinals of the calls.
    """
    sources = {right: pair.source.calls[left] for left, right in pair.call_pairs.items()}
    odd = {
        text: sources[ordinal]
        for ordinal, text in texts.items()
        if ordinal in sources
        and has_odd_arguments(sources[ordinal])
        and is_same_json(readable_arguments(sources[ordinal]), text)
    }
    findings = []
    for finding in own:
        if finding.element == "call" and isinstance(finding.got, str) and finding.got in odd:
            call = odd[finding.got]
            because = Because(finding.rule, call.arguments_pointer or call.pointer, in_source=True)
            finding = apply_circumstances(corpus, replace(finding, because=because), ["source-breaks-it"])
        findings.append(finding)
    return findings


def _explains(places: _Places, cause: Finding, finding: Finding, source: Any, output: Any) -> bool:
    if cause.element != finding.element:
        return False
    if not (cause.is_must or _same_value(source, cause.pointer, output, finding.pointer)):
        return False
    return places.agree(cause.pointer, finding.pointer) and not places.lost_member(finding.pointer)


def _same_value(source: Any, left: str, output: Any, right: str) -> bool:
    """Whether the value that breaks a rule here is the one that breaks one there, or its JSON text."""
    try:
        return is_same_json(resolve(source, left), resolve(output, right))
    except LookupError:
        return False


class _Places:
    """The known parts of both bodies."""

    def __init__(self, twins: Iterable[_Twin]) -> None:
        self.twins = tuple(twins)
        self._source = PlacesByPointer(twin.source for twin in self.twins)
        self._output = PlacesByPointer(twin.output for twin in self.twins)

    def of_source(self, pointer: str) -> bool:
        """Whether a place in the source is at a known part of it."""
        return bool(self.at_source(pointer))

    def at_source(self, pointer: str) -> Sequence[int]:
        """The numbers of the parts of the source that a place is in, or that are in it."""
        return self._source.touching(pointer)

    def at_output(self, pointer: str) -> Sequence[int]:
        """The same of the output."""
        return self._output.touching(pointer)

    def agree(self, left: str, right: str) -> bool:
        """Whether a place in the source and one in the output are the same, or one holds the other.

        Two places that no known part is at agree as well: nothing tells them apart.
        """
        here, there = self.at_source(left), self.at_output(right)
        if not here or not there:
            return not here and not there
        return any(_members_agree(self.twins[at], left, right) for at in set(here).intersection(there))

    def lost_member(self, pointer: str) -> bool:
        """Whether a place is a known part as a whole that lacks a member, while the source's part lacks none.

        Then what the source breaks there is something else.
        """
        whole = [twin.members for twin in (self.twins[at] for at in self.at_output(pointer)) if twin.output == pointer]
        return any(
            all(source for source, _ in members) and not all(output for _, output in members) for members in whole
        )


class _Causes:
    """The findings of the source by the known parts that they are at; those at none are their own group."""

    def __init__(self, places: _Places, causes: Sequence[Finding]) -> None:
        self._places = places
        self._nowhere: dict[int, None] = {}
        self._at: dict[int, list[int]] = {}
        for number, cause in enumerate(causes):
            parts = places.at_source(cause.pointer)
            for part in parts:
                self._at.setdefault(part, []).append(number)
            if not parts:
                self._nowhere[number] = None

    def near(self, pointer: str) -> Sequence[int]:
        """The numbers of the findings that may be at this place of the output, in order."""
        parts = self._places.at_output(pointer)
        return sorted({number for part in parts for number in self._at.get(part, ())}) if parts else [*self._nowhere]

    def remove(self, number: int) -> None:
        """Take out a finding that is at no known part."""
        self._nowhere.pop(number, None)


def _members_agree(twin: _Twin, left: str, right: str) -> bool:
    """Whether two places at one part are not in different members of it, nor apart inside one."""
    first, second = _member(twin, left, 0), _member(twin, right, 1)
    if first is None or second is None:
        return True
    return first[0] == second[0] and all(
        _NOTHING in (a, b) or a == b for a, b in zip_longest(first[1], second[1], fillvalue=_NOTHING)
    )


def _member(twin: _Twin, pointer: str, side: int) -> tuple[int, list[str]] | None:
    """The number of the member that a place is in, and the way to it from there."""
    for number, member in enumerate(twin.members):
        start = member[side]
        if start is not None and _within(pointer, start):
            return number, pointer[len(start) :].split("/")[1:]
    return None


def _within(pointer: str, holder: str) -> bool:
    return f"{pointer}/".startswith(f"{holder}/")


def _twins(pair: Pair) -> Iterator[_Twin]:
    yield from (_twin(tool, twin, "name", "description", "schema") for tool, twin in pair.tool_pairs)
    ours, theirs = _results_by_call(pair.source), _results_by_call(pair.output)
    for left, right in pair.call_pairs.items():
        yield _twin(pair.source.calls[left], pair.output.calls[right], "name", "arguments", "id")
        both = zip(ours.get(left, ()), theirs.get(right, ()), strict=False)
        yield from (_twin(source, output, "name", "content", "id") for source, output in both)
    texts: list[list[Text]] = [
        [*side.system, *(item for turn in side.turns for item in turn.items if isinstance(item, Text))]
        for side in (pair.source, pair.output)
    ]
    alike: dict[str, list[Text]] = {}
    for text in texts[1]:
        alike.setdefault(text.text, []).append(text)
    for source_text in texts[0]:
        yield from (_Twin(source_text.pointer, output_text.pointer) for output_text in alike.get(source_text.text, ()))
    for name, setting in pair.source.settings.items():
        if name in pair.output.settings:
            yield _Twin(setting.pointer, pair.output.settings[name].pointer)


def _results_by_call(reading: Reading) -> Mapping[int | None, Sequence[Result]]:
    results_by_call: dict[int | None, list[Result]] = {}
    for result in reading.results:
        results_by_call.setdefault(result.call, []).append(result)
    return results_by_call


def _twin(source: Tool | Call | Result, output: Tool | Call | Result, *members: str) -> _Twin:
    """A part of both bodies with its members, each of which a reading has a pointer to: ``name_pointer`` and so on."""
    pointers = [(getattr(source, f"{name}_pointer"), getattr(output, f"{name}_pointer")) for name in members]
    return _Twin(source.pointer, output.pointer, (*_media(source, output), *pointers))


def _media(source: Tool | Call | Result, output: Tool | Call | Result) -> Iterator[tuple[str, str]]:
    """The pictures and files of two results, in order: texts among them may be in more parts, or in fewer."""
    ours, theirs = (
        [part.pointer for part in side.parts if isinstance(part, Media)] if isinstance(side, Result) else []
        for side in (source, output)
    )
    yield from zip(ours, theirs, strict=False)
