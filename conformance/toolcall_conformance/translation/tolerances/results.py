"""The content of one result in other words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.findings import MISSING
from toolcall_conformance.jsonvalue import equal
from toolcall_conformance.reading import Media, Result, Text
from toolcall_conformance.translation.joining import joined_equal, trimmed_equal
from toolcall_conformance.translation.payload import Content, is_blank, parsed_text, plain_text, read_content
from toolcall_conformance.translation.placeholders import says_nothing
from toolcall_conformance.translation.told_documents import telling_documents
from toolcall_conformance.translation.tolerances.registry import Bodies, Occurrence, tolerance


@dataclass(frozen=True, slots=True)
class ResultPair:
    """The same call's result on both sides."""

    before: Result
    after: Result
    want: Content
    got: Content

    def place(self, want: Any = MISSING, got: Any = MISSING) -> Occurrence:
        """Where the two contents stand."""
        before, after = self.before, self.after
        return Occurrence(after.content_pointer or after.pointer, before.content_pointer or before.pointer, want, got)


def _result_pairs(bodies: Bodies) -> Iterator[ResultPair]:
    output = {result.call: result for result in bodies.pair.output.results if result.call is not None}
    for before in bodies.pair.source.results:
        after = output.get(bodies.pair.calls.get(before.call, -1)) if before.call is not None else None
        if after is not None:
            corpus = bodies.pair.corpus
            yield ResultPair(before, after, read_content(corpus, before), read_content(corpus, after))


def _shown(content: Content) -> Any:
    return content.texts if content.value is MISSING else content.value


@tolerance("texts-as-joined-text")
def texts_as_joined_text(bodies: Bodies) -> Iterator[Occurrence]:
    """A result of several texts is one text, or the reverse."""
    for pair in _result_pairs(bodies):
        old, new = pair.want.texts, pair.got.texts
        if old and old != new and joined_equal(bodies.pair.corpus, old, new):
            yield pair.place(old, new)


@tolerance("text-document-as-text")
def text_document_as_text(bodies: Bodies) -> Iterator[Occurrence]:
    """A document of plain text is text: of the result that it is in, or of the user."""
    corpus = bodies.pair.corpus
    texts = [item for turn in bodies.pair.output.turns for item in turn.items if isinstance(item, Text)]
    told = telling_documents(bodies.pair, [text.text for text in texts])
    yield from (Occurrence(text.pointer, None, MISSING, text.text) for text in texts if text.text in told)
    for pair in _result_pairs(bodies):
        documents = [part for part in pair.before.parts if isinstance(part, Media)]
        opened = [text for part in documents if (text := plain_text(corpus, part)) is not None]
        said = "\n".join(text for texts in _as_texts(pair.got) for text in texts)
        if opened and not pair.got.media and all(text.strip() in said for text in opened):
            yield pair.place(opened, said)


@tolerance("result-trimmed")
def result_trimmed(bodies: Bodies) -> Iterator[Occurrence]:
    """White space at the ends of a result is lost or new."""
    for pair in _result_pairs(bodies):
        for old, new in ((one, two) for one in _as_texts(pair.want) for two in _as_texts(pair.got)):
            corpus = bodies.pair.corpus
            if any(old) and trimmed_equal(corpus, old, new) and not joined_equal(corpus, old, new):
                yield pair.place(old, new)


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
def result_wrapper(bodies: Bodies) -> Iterator[Occurrence]:
    """A text became the only member of an object, or an object with one of its format's own keys became that text."""
    keys = bodies.pair.origin.get("result_wrappers", [])
    for pair in _result_pairs(bodies):
        for wrapped, plain in ((pair.want, pair.got), (pair.got, pair.want)):
            inner = _only(wrapped.value)
            allowed = isinstance(inner, str) and (wrapped is pair.got or next(iter(wrapped.value)) in keys)
            if allowed and plain.value is MISSING:
                yield pair.place(_shown(pair.want), _shown(pair.got))


@tolerance("json-text-as-object")
def json_text_as_object(bodies: Bodies) -> Iterator[Occurrence]:
    """A text that spells JSON on one side is an object on the other."""
    for pair in _result_pairs(bodies):
        for text, value in ((pair.want, pair.got), (pair.got, pair.want)):
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
                yield pair.place(_shown(pair.want), _shown(pair.got))


@tolerance("error-as-text")
def error_as_text(bodies: Bodies) -> Iterator[Occurrence]:
    """A tool failed, and the output's format has no mark for it: the words say it."""
    for pair in _result_pairs(bodies):
        if pair.before.error and not pair.after.error and not bodies.pair.both("error-mark"):
            yield pair.place(_shown(pair.want), _shown(pair.got))


@tolerance("error-key")
def error_key(bodies: Bodies) -> Iterator[Occurrence]:
    """The message of a failure is an object under the format's key for failures, and not its text."""
    keys = [*bodies.pair.origin.get("error_keys", []), *bodies.pair.target.get("error_keys", [])]
    for pair in _result_pairs(bodies):
        if pair.before.error and pair.after.error:
            objects = [
                any(isinstance(content.value, dict) and isinstance(content.value.get(key), dict) for key in keys)
                for content in (pair.want, pair.got)
            ]
            if objects[0] != objects[1]:
                yield pair.place(_shown(pair.want), _shown(pair.got))


@tolerance("error-false-absent")
def error_false_absent(bodies: Bodies) -> Iterator[Occurrence]:
    """One side says that a tool did not fail, the other says nothing of it."""
    for pair in _result_pairs(bodies):
        if {pair.before.error, pair.after.error} == {False, None}:
            yield Occurrence(pair.after.pointer, pair.before.pointer, pair.before.error, pair.after.error)


@tolerance("placeholder-for-empty")
def placeholder_for_empty(bodies: Bodies) -> Iterator[Occurrence]:
    """An empty result became a few words that say so."""
    for pair in _result_pairs(bodies):
        for texts in _as_texts(pair.got):
            said = "\n".join(texts)
            if pair.want.blank and not is_blank(texts, MISSING) and says_nothing(bodies.pair.corpus, said):
                yield pair.place(_shown(pair.want), said)
