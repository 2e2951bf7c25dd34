"""Joins root causes by evidence that the findings share: a place in the source, a copied part, an id's pattern."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.reports.causes.occurrence import Occurrence
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.causes.sources import source_place

# The share of a root's findings that another root must cover.
_MIN_SHARE_COVERED = 0.75
# Words and numbers are compared as wholes: two faults may be at one place of the source.
_COMPARED_AS_WHOLE = ("finish", "usage")

_TRANSLATION = "translation/"
_NOT_OF_NAMES = re.compile(r"\W")
_NUMBER = re.compile(r"\d+")
_SNAKE = re.compile(r"_([a-z])")
_KEYWORDS_OF_VALUES = ("const", "enum")
# A value that is valid now, and that the source forbids by this keyword.
_FORBIDDEN_BY = "forbidden-by-"
# What is lost together with this keyword of the source.
_WITH = "with-"
_ALIAS = re.compile(r"says it as `(\w+)`")


def join_by_evidence(roots: Iterable[RootCause]) -> list[RootCause]:
    """Join roots that show the same fault, whatever their rules and the formats of their bodies."""
    causes = _absorb_covered(list(roots), _copied_part, _parts_around_loss)
    causes = _absorb_covered(causes, _lost_keyword, lambda occurrence: [_forbidding_keyword(occurrence)])
    causes = _absorb_covered(causes, _reader_and_place, lambda occurrence: [_reader_and_place(occurrence)])
    causes = _join_equal(causes, _id_pattern, share=_MIN_SHARE_COVERED)
    causes = _join_equal(causes, _other_name)
    return _join_notations(_join_equal(causes, _wrong_text))


_Key = Hashable | None
#: Instead of a key: the finding says nothing for or against.
_ANY: Final = "any"


def _absorb_covered(
    roots: list[RootCause], owned_key: Callable[[Occurrence], _Key], needed_keys: Callable[[Occurrence], Sequence[_Key]]
) -> list[RootCause]:
    """Let roots absorb smaller ones that are no graver, and most of whose direct findings need a key that they own."""
    owners: defaultdict[Hashable, dict[int, RootCause]] = defaultdict(dict)
    for root in roots:
        for occurrence in root.occurrences:
            key = owned_key(occurrence)
            if key is not None:
                owners[key][id(root)] = root
    absorbed: set[int] = set()
    for root in sorted(roots, key=lambda root: len(root.occurrences)):
        direct = [occurrence for occurrence in root.occurrences if not occurrence.is_conversation]
        counts: Counter[int] = Counter()
        candidates: dict[int, RootCause] = {}
        for occurrence in direct:
            covering = {
                number: owner
                for key in needed_keys(occurrence)
                if key is not None
                for number, owner in owners.get(key, {}).items()
            }
            counts.update(covering.keys())
            candidates |= covering
        fitting = [
            candidates[number]
            for number, count in counts.most_common()
            if count >= _MIN_SHARE_COVERED * len(direct)
            and candidates[number] is not root
            and number not in absorbed
            and (candidates[number].is_known, candidates[number].level_number) <= (root.is_known, root.level_number)
            and len(candidates[number].occurrences) >= len(root.occurrences)
            and not _is_of_other_writer(candidates[number], root)
        ]
        if fitting:
            _merge(fitting[0], root)
            absorbed.add(id(root))
    return [root for root in roots if id(root) not in absorbed]


def _is_of_other_writer(owner: RootCause, root: RootCause) -> bool:
    """Whether a cause is in the bodies of one format, from several others, and a root is in those of another format."""
    sources = {occurrence.source for occurrence in owner.occurrences if not occurrence.is_conversation}
    return len(owner.formats) == 1 < len(sources) and owner.formats != root.formats


def _join_equal(roots: list[RootCause], key_of: Callable[[Occurrence], _Key], *, share: float = 1) -> list[RootCause]:
    """Join roots whose findings have one key, the same: all, or a share of them."""
    joined: list[RootCause] = []
    first: dict[Hashable, RootCause] = {}
    for root in sorted(roots, key=_gravest_and_largest_first):
        keys = Counter(key for occurrence in root.occurrences if (key := key_of(occurrence)) != _ANY)
        key, count = keys.most_common(1)[0] if keys else (None, 0)
        if key is not None and count >= share * keys.total():
            other = first.setdefault((root.is_known, key), root)
            if other is not root:
                _merge(other, root)
                continue
        joined.append(root)
    return joined


def _join_notations(roots: list[RootCause]) -> list[RootCause]:
    """Join what a reader loses in snake_case with the same in camelCase, if that shows in all formats of the former."""
    camel: dict[Hashable, RootCause] = {}
    joined: list[RootCause] = []
    for root in sorted(roots, key=_gravest_and_largest_first):
        places = {
            (occurrence.rule, occurrence.element, occurrence.source, source_place(occurrence))
            for occurrence in root.occurrences
            if not occurrence.is_conversation
        }
        *kind, place = next(iter(places)) if len(places) == 1 else ("",)
        twin = camel.get((root.is_known, *kind, _SNAKE.sub(lambda match: match[1].upper(), place)))
        is_snake = _SNAKE.search(place) is not None
        if is_snake and twin is not None and set(root.formats) <= set(twin.formats):
            _merge(twin, root)
        else:
            joined.append(root)
            if place and not is_snake:
                camel.setdefault((root.is_known, *kind, place), root)
    return joined


def _gravest_and_largest_first(root: RootCause) -> tuple[bool, int, int]:
    return root.is_known, root.level_number, -len(root.occurrences)


def _merge(root: RootCause, other: RootCause) -> None:
    root.occurrences += other.occurrences
    root.absorb(other)


def _copied_part(occurrence: Occurrence) -> _Key:
    """Return the part of the source that a fault of the format's own was copied with."""
    if occurrence.rule.startswith(_TRANSLATION) or not occurrence.finding.get("source_pointer"):
        return None
    return occurrence.is_known, *occurrence.body_key, occurrence.finding["source_pointer"]


def _parts_around_loss(occurrence: Occurrence) -> list[_Key]:
    """Return the parts of the source that a loss may be in: a picture as another format's block is lost, too."""
    pointer = occurrence.finding.get("source_pointer")
    if not pointer or not occurrence.rule.startswith(_TRANSLATION) or occurrence.got is not MISSING:
        return []
    steps = pointer.split("/")
    return [
        (occurrence.is_known, *occurrence.body_key, "/".join(steps[:length])) for length in range(2, len(steps) + 1)
    ]


def _lost_keyword(occurrence: Occurrence) -> _Key:
    """Return the keyword of values that one format's bodies lose toward another."""
    keyword = str(occurrence.finding.get("source_pointer")).rpartition("/")[2]
    beside_another = occurrence.feature.startswith(_WITH)
    if keyword not in _KEYWORDS_OF_VALUES or beside_another or occurrence.is_conversation:
        return None
    return occurrence.is_known, occurrence.source, occurrence.finding["format"], keyword


def _forbidding_keyword(occurrence: Occurrence) -> _Key:
    """Return the keyword by which the source forbids what is valid in the output, or that is lost itself."""
    _, is_forbidden, keyword = occurrence.feature.partition(_FORBIDDEN_BY)
    if not is_forbidden or occurrence.is_conversation:
        return _lost_keyword(occurrence)
    return occurrence.is_known, occurrence.source, occurrence.finding["format"], keyword


def _reader_and_place(occurrence: Occurrence) -> _Key:
    """Return the place of a case's source that a finding is about, whatever format it was translated to.

    Of a format's own rules only those on the type of a part: the others are on what any source may have.
    """
    pointer = occurrence.finding.get("source_pointer")
    if (
        not pointer
        or occurrence.is_conversation
        or occurrence.element in _COMPARED_AS_WHOLE
        or not (occurrence.rule.startswith(_TRANSLATION) or occurrence.pointer.endswith("/type"))
    ):
        return None
    return (
        occurrence.is_known,
        occurrence.source,
        occurrence.item.case,
        occurrence.finding["body"].partition(",")[0],
        pointer,
    )


def _id_pattern(occurrence: Occurrence) -> _Key:
    """Return a wrong id with ``*`` for its call's name and ``#`` for numbers; None if the name is not in it."""
    wrong, name = occurrence.got, occurrence.subject.partition(", ")[2]
    if occurrence.element != "id":
        return _ANY
    if not isinstance(wrong, str) or not name:
        return None
    pattern = _NOT_OF_NAMES.sub("_", wrong).replace(_NOT_OF_NAMES.sub("_", name), "*")
    return (*_reader(occurrence), _NUMBER.sub("#", pattern)) if "*" in pattern else None


def _other_name(occurrence: Occurrence) -> _Key:
    """Return the other name by which a source has what is lost: who does not read it, loses all that has it."""
    match = _ALIAS.search(str(occurrence.finding["message"]))
    return (*_reader(occurrence), match[1]) if match is not None else None


def _wrong_text(occurrence: Occurrence) -> _Key:
    """Return the one wrong text that a reader makes of whatever it should read."""
    wrong = occurrence.got
    if not isinstance(wrong, str) or occurrence.element not in ("result", "text", "call"):
        return None
    return occurrence.rule, *_reader(occurrence), wrong


def _reader(occurrence: Occurrence) -> tuple[str, bool]:
    """Return the format from which a body was translated, and whether it is a request."""
    return occurrence.reader, occurrence.is_conversation or "request" in occurrence.finding["body"]
