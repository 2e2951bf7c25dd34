"""The content of one result in other words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.findings import MISSING
from toolcall_conformance.jsonvalue import equal
from toolcall_conformance.reading import Media, Result
from toolcall_conformance.translation.joining import joined_equal, trimmed_equal
from toolcall_conformance.translation.payload import Content, is_blank, parsed_text, plain_text, read_content
from toolcall_conformance.translation.placeholders import says_nothing
from toolcall_conformance.translation.tolerances.registry import Place, Seen, tolerance


@dataclass(frozen=True, slots=True)
class Answer:
    """The same call's result on both sides."""

    before: Result
    after: Result
    want: Content
    got: Content

    def place(self, want: Any = MISSING, got: Any = MISSING) -> Place:
        """Where the two contents stand."""
        before, after = self.before, self.after
        return Place(after.content_pointer or after.pointer, before.content_pointer or before.pointer, want, got)


def _answers(seen: Seen) -> Iterator[Answer]:
    output = {result.call: result for result in seen.pair.output.results if result.call is not None}
    for before in seen.pair.source.results:
        after = output.get(seen.pair.calls.get(before.call, -1)) if before.call is not None else None
        if after is not None:
            corpus = seen.pair.corpus
            yield Answer(before, after, read_content(corpus, before), read_content(corpus, after))


def _shown(content: Content) -> Any:
    return content.texts if content.value is MISSING else content.value


@tolerance("texts-as-joined-text")
def texts_as_joined_text(seen: Seen) -> Iterator[Place]:
    """A result of several texts is one text, or the reverse."""
    for answer in _answers(seen):
        old, new = answer.want.texts, answer.got.texts
        if old and old != new and joined_equal(seen.pair.corpus, old, new):
            yield answer.place(old, new)


@tolerance("text-document-as-text")
def text_document_as_text(seen: Seen) -> Iterator[Place]:
    """A document of plain text in a result is text of the result."""
    corpus = seen.pair.corpus
    for answer in _answers(seen):
        documents = [part for part in answer.before.parts if isinstance(part, Media)]
        opened = [text for part in documents if (text := plain_text(corpus, part)) is not None]
        said = "\n".join(text for texts in _as_texts(answer.got) for text in texts)
        if opened and not answer.got.media and all(text.strip() in said for text in opened):
            yield answer.place(opened, said)


@tolerance("result-trimmed")
def result_trimmed(seen: Seen) -> Iterator[Place]:
    """White space at the ends of a result is gone, or came."""
    for answer in _answers(seen):
        for old, new in ((one, two) for one in _as_texts(answer.want) for two in _as_texts(answer.got)):
            corpus = seen.pair.corpus
            if any(old) and trimmed_equal(corpus, old, new) and not joined_equal(corpus, old, new):
                yield answer.place(old, new)


def _as_texts(content: Content) -> Iterator[list[str]]:
    """A content as texts: those that it has, or the only entry of its object."""
    inner = _only(content.value)
    if content.texts:
        yield content.texts
    elif isinstance(inner, str):
        yield [inner]


def _only(value: Any) -> Any:
    """The only entry of an object; MISSING for any other value."""
    return next(iter(value.values())) if isinstance(value, Mapping) and len(value) == 1 else MISSING


@tolerance("result-wrapper")
def result_wrapper(seen: Seen) -> Iterator[Place]:
    """A text is the only entry of an object on one side, under one of the keys that a format puts around results."""
    keys = [*seen.pair.origin.get("result_wrappers", []), *seen.pair.target.get("result_wrappers", [])]
    for answer in _answers(seen):
        for wrapped, plain in ((answer.want, answer.got), (answer.got, answer.want)):
            inner = _only(wrapped.value)
            if isinstance(inner, str) and next(iter(wrapped.value)) in keys and plain.value is MISSING:
                yield answer.place(_shown(answer.want), _shown(answer.got))


@tolerance("json-text-as-object")
def json_text_as_object(seen: Seen) -> Iterator[Place]:
    """A text that spells JSON on one side is an object on the other."""
    for answer in _answers(seen):
        for text, value in ((answer.want, answer.got), (answer.got, answer.want)):
            if not text.texts or value.value is MISSING:
                continue
            parsed = parsed_text("".join(text.texts))
            inner = _only(value.value)
            spelt = isinstance(inner, str) and parsed_text(inner) is not None
            if (
                parsed
                and not isinstance(parsed[0], str)
                and (spelt or any(equal(parsed[0], one) for one in (value.value, inner)))
            ):
                yield answer.place(_shown(answer.want), _shown(answer.got))


@tolerance("error-as-text")
def error_as_text(seen: Seen) -> Iterator[Place]:
    """A tool failed, and the output's format has no mark for it: the words tell."""
    for answer in _answers(seen):
        if answer.before.error and not answer.after.error and not seen.pair.both("error-mark"):
            yield answer.place(_shown(answer.want), _shown(answer.got))


@tolerance("error-key")
def error_key(seen: Seen) -> Iterator[Place]:
    """The message of a failure is an object under the format's key for failures, and not its text."""
    keys = [*seen.pair.origin.get("error_keys", []), *seen.pair.target.get("error_keys", [])]
    for answer in _answers(seen):
        if answer.before.error and answer.after.error:
            objects = [
                any(isinstance(content.value, dict) and isinstance(content.value.get(key), dict) for key in keys)
                for content in (answer.want, answer.got)
            ]
            if objects[0] != objects[1]:
                yield answer.place(_shown(answer.want), _shown(answer.got))


@tolerance("error-false-absent")
def error_false_absent(seen: Seen) -> Iterator[Place]:
    """One side says that a tool did not fail, the other says nothing of it."""
    for answer in _answers(seen):
        if {answer.before.error, answer.after.error} == {False, None}:
            yield Place(answer.after.pointer, answer.before.pointer, answer.before.error, answer.after.error)


@tolerance("placeholder-for-empty")
def placeholder_for_empty(seen: Seen) -> Iterator[Place]:
    """An empty result became a few words that say so."""
    for answer in _answers(seen):
        for texts in _as_texts(answer.got):
            said = "\n".join(texts)
            if answer.want.blank and not is_blank(texts, MISSING) and says_nothing(seen.pair.corpus, said):
                yield answer.place(_shown(answer.want), said)
