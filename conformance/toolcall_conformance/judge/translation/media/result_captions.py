"""Whose media are next to results: the call that a caption right before them names, or whose result they follow.

A caption names the call by its id, by the name of a tool that only one of the results has, by the number of the result,
or by a label that the result's own text has ("See file 241a70.", "This is file 241a70:").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from toolcall_conformance.basics.reading import Media, Result, Text, Turn
from toolcall_conformance.basics.reading.model import Call, Value
from toolcall_conformance.judge.translation.texts.words import NameMentions, name_tokens
from toolcall_conformance.library import Corpus

_EQUIVALENCE = "media-beside-result"


class Neighbours:
    """The neighbours of the media of one turn: its results, and what is before each row of media."""

    def __init__(self, turn: Turn) -> None:
        self.results = [item for item in turn.items if isinstance(item, Result)]
        self._result_counts = [0, *accumulate(isinstance(item, Result) for item in turn.items)]
        self._items = turn.items
        self._indices_before: list[int | None] = []
        self._marks: dict[str, _Marks] = {}
        self._first_answers: dict[int | None, int] = {}
        for place, result in enumerate(self.results):
            self._first_answers.setdefault(result.call, place)
        ahead: int | None = None
        for place, item in enumerate(turn.items):
            self._indices_before.append(ahead)
            ahead = ahead if isinstance(item, Media) else place

    def item_before(self, index: int, passing: Callable[[Text], bool] = lambda _text: False) -> object:
        """Return the item before the row of media that contains the item at ``index``; None if there is none.

        Texts for which ``passing`` holds are part of the row, in place of media.
        """
        place = self._indices_before[index]
        while place is not None and isinstance(text := self._items[place], Text) and passing(text):
            place = self._indices_before[place]
        return None if place is None else self._items[place]

    def results_before(self, index: int) -> int:
        """Return how many results come before the item at ``index``."""
        return self._result_counts[index]

    def has_answer(self, call: int, count: int) -> bool:
        """Whether one of the first ``count`` results answers a call."""
        return self._first_answers.get(call, count) < count

    def result_marks(self, kind: str, words_of: Callable[[Result], Iterable[str | None]]) -> _Marks:
        """Return the words that distinguish the results, as ``words_of`` gives them; cached by ``kind``."""
        if kind not in self._marks:
            self._marks[kind] = _Marks(map(words_of, self.results))
        return self._marks[kind]


class _Marks:
    """Words that distinguish results. Of results with one word only the first two are kept: a third adds nothing."""

    def __init__(self, words: Iterable[Iterable[str | None]]) -> None:
        self._places: dict[str, list[int]] = {}
        for place, result_words in enumerate(words):
            for word in result_words:
                if word and len(places := self._places.setdefault(word, [])) < 2:
                    places.append(place)
        self.names = NameMentions(self._places)

    def only_result_with(self, words: Iterable[str], count: int) -> int | None:
        """Return which one of the first ``count`` results has one of the words; None if not exactly one has."""
        places = {place for word in words for place in self._places.get(word, ()) if place < count}
        return places.pop() if len(places) == 1 else None


def find_owner(corpus: Corpus, neighbours: Neighbours, index: int, calls: Sequence[Call]) -> tuple[int | None, bool]:
    """Return the ordinal of the call that media next to results come from, and whether that is unclear.

    ``index`` is the place of the media in their turn, ``calls`` are all calls of the body. A caption right before them
    decides; else the result that they follow, if others follow them; else the only result.
    """
    if not neighbours.results_before(index):
        return None, False
    named = captioned_call(corpus, neighbours, index, calls)
    if named is not None:
        return named, False
    ahead, results = neighbours.item_before(index), neighbours.results
    if isinstance(ahead, Result) and (ahead is not results[-1] or len(results) == 1):
        return ahead.call, False
    return None, len(results) > 1


class ExtraCallIds:
    """Further ids by which texts may name calls, with the calls' ordinals."""

    def __init__(self, called: Mapping[str, int]) -> None:
        self._called = called
        self._names = NameMentions(called)

    def calls_named_in(self, text: str) -> set[int]:
        """Return the ordinals of the calls that a text names."""
        return {self._called[name] for name in self._names.names_in(text)}


def captioned_call(
    corpus: Corpus, neighbours: Neighbours, index: int, calls: Sequence[Call], called: ExtraCallIds | None = None
) -> int | None:
    """Return the ordinal of the call that the caption of media names, perhaps by an extra id; None if none does."""
    count = neighbours.results_before(index)
    if not count:
        return None
    ids = _id_marks(neighbours, calls)
    ahead = neighbours.item_before(
        index, lambda text: _is_media_remark(corpus, text.text) and not ids.names.names_in(text.text)
    )
    if not isinstance(ahead, Text):
        return None
    mentions = called.calls_named_in(ahead.text) if called is not None else set()
    others = {call for call in mentions if neighbours.has_answer(call, count)}
    return others.pop() if len(others) == 1 else _call_named_by(corpus, ahead.text, neighbours, count, calls)


def _id_marks(neighbours: Neighbours, calls: Sequence[Call]) -> _Marks:
    return neighbours.result_marks("id", lambda result: [] if result.call is None else [calls[result.call].id])


def _is_media_remark(corpus: Corpus, text: str) -> bool:
    """Whether a text is a remark in brackets about media that could not go there: ``[text/plain: notes.txt]``."""
    equivalence = corpus.equivalence("media-placeholder")
    remark = equivalence.patterns["remark"]
    if not any(match[0] == text.strip() for match in remark.matches(text)):
        return False
    kind, slash, _ = text.strip()[1:].partition("/")
    return bool(slash) and kind in equivalence.words["type_beginnings"]


def _call_named_by(
    corpus: Corpus, caption: str, neighbours: Neighbours, count: int, calls: Sequence[Call]
) -> int | None:
    """Return the call that a caption names, if it names exactly one that the first ``count`` results answer."""
    results = neighbours.results
    for marks in (
        _id_marks(neighbours, calls),
        neighbours.result_marks("name", lambda result: [] if result.call is None else [calls[result.call].name]),
    ):
        result_number = marks.only_result_with(marks.names.names_in(caption), count)
        if result_number is not None:
            return results[result_number].call
    numbers = {int(match[1]) for match in corpus.equivalence(_EQUIVALENCE).patterns["number"].matches(caption)}
    if len(numbers) == 1 and 1 <= (number := numbers.pop()) <= count:
        return results[number - 1].call
    mentioned_labels = labels_in(corpus, caption)
    if not mentioned_labels:
        return None
    marks = neighbours.result_marks(
        "label", lambda result: [] if result.call is None else result_labels(corpus, result)
    )
    result_number = marks.only_result_with(mentioned_labels, count)
    return None if result_number is None else results[result_number].call


def result_labels(corpus: Corpus, result: Result) -> set[str]:
    """Return the labels in the texts of a result."""
    return {label for text in _result_texts(result) for label in labels_in(corpus, text)}


def labels_in(corpus: Corpus, text: str) -> set[str]:
    """Return words with a digit that are no mere numbers: words of a language have no digits."""
    return {label for match in name_tokens(text) if (label := label_of(corpus, match[0]))}


def label_of(corpus: Corpus, name: str) -> str:
    """Return the label that a run of a name's characters is; blank if it is none."""
    bounds = corpus.equivalence(_EQUIVALENCE).parameters
    if not any(map(str.isdecimal, name)) or not any(char.isascii() and char.isalpha() for char in name):
        return ""
    label = name[: bounds["longest_label"]].rstrip(".-")
    return label if len(label) >= bounds["shortest_label"] else ""


def _result_texts(result: Result) -> Iterator[str]:
    """Yield all texts of a result, those inside JSON values too."""
    values = []
    for part in result.parts:
        if isinstance(part, Text):
            yield part.text
        elif isinstance(part, Value):
            values.append(part.value)
    while values:
        value = values.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, (dict, list)):
            values.extend(value.values() if isinstance(value, dict) else value)
