"""Result contents: which spellings of one result are the same result.

A text stays that text, or becomes the JSON value that it spells; where the target's results are objects, either may be
the only member of one. An object stays that object, becomes its JSON text, or loses the wrapper of its own format.
Nothing else may stand beside it, and nothing of it may be missing.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import JSONError, begins_json, equal, parse
from toolcall_conformance.basics.reading import Media, Result, Text
from toolcall_conformance.basics.reading.model import Value
from toolcall_conformance.judge.translation.results.placeholders import (
    Described,
    says_nothing,
    without_placeholders,
    without_references,
)
from toolcall_conformance.judge.translation.texts.white_space import joined_equal, trimmed_equal
from toolcall_conformance.library import Corpus

#: The rules that a changed content breaks: it says something else, or the same in a way that no format asks for.
DIFFERENT = "translation/result-content"
TRIMMED = "translation/result-trimmed"
RESPELT = "translation/result-json-respelt"
PLACEHOLDER = "translation/result-placeholder"
WRAPPED = "translation/result-wrapped"


@dataclass(slots=True)
class Content:
    """What a result says, read once.

    ``value`` is the object of a result that is one (else MISSING). ``said`` are the texts that the result may be taken
    for, each a list of chunks, ``ways`` the equivalences by which (blank for its own); ``values`` the JSON values, each
    with the rule that spelling it anew as text breaks.
    ``bare`` are the texts without what points to media beside the result, which is needless where these are in it.
    ``granted`` collects the equivalences by which another content is the same; None where nobody asked for them.
    """

    corpus: Corpus
    texts: list[str]
    value: Any
    media: Described
    error: bool
    said: list[list[str]] = field(default_factory=list)
    ways: list[str] = field(default_factory=list)
    values: list[tuple[Any, str | None]] = field(default_factory=list)
    bare: list[str] | None = None
    granted: list[str] | None = None

    def grant(self, *names: str) -> None:
        """Note the equivalences by which another content was just taken for the same."""
        if self.granted is not None:
            self.granted += filter(None, names)

    @property
    def blank(self) -> bool:
        return is_blank(self.texts, self.unmarked)

    @property
    def unmarked(self) -> Any:
        return unmarked(self.corpus, self.value, marked=self.error)


def read_content(
    corpus: Corpus, result: Result, wrappers: Sequence[str] = (), beside: Described | None = None
) -> Content:
    """A result's content.

    ``wrappers`` are the keys that its format is known to put around scalar results, ``beside`` the media that stand
    next to it, which a text of the result may describe.
    """
    texts = [part.text for part in result.parts if isinstance(part, Text)]
    value = next((part.value for part in result.parts if isinstance(part, Value)), MISSING)
    media = [part for part in result.parts if isinstance(part, Media)]
    content = Content(corpus, texts, value, Described(media, beside), bool(result.error))
    if texts:
        _add_text(content, texts)
    if any(plain_text(corpus, part) is not None for part in media):
        opened = [
            plain_text(corpus, part) if isinstance(part, Media) else getattr(part, "text", None)
            for part in result.parts
        ]
        content.said.append([text for text in opened if text is not None])
        content.ways.append("text-document-as-text")
    if value is not MISSING:
        for whole in (value, without_references(value)) if media else (value,):
            content.values.append((whole, None))
            inner = _unwrapped(unmarked(corpus, whole, marked=content.error), wrappers)
            if isinstance(inner, str):
                _add_text(content, [inner], "result-wrapper")
            elif inner is not MISSING:
                content.values.append((inner, None))
    if beside:
        content.bare = without_placeholders(corpus, texts, beside)
    return content


def _add_text(content: Content, texts: list[str], way: str = "") -> None:
    """Text that spells JSON may become the value; spelt anew as text it is another text that says the same."""
    content.said.append(texts)
    content.ways.append(way)
    parsed = parsed_text("".join(texts))
    if parsed is not None and not isinstance(parsed[0], str):
        content.values.append((parsed[0], RESPELT))


def plain_text(corpus: Corpus, part: Media) -> str | None:
    """The text of a document that is plain text: where there are no documents it may stand as text."""
    types = corpus.equivalence("text-document-as-text").parameters["type_beginnings"]
    if part.data is None or not (part.mime or "").startswith(tuple(types)):
        return None
    try:
        return base64.b64decode(part.data, validate=True).decode("utf-8")
    except ValueError:
        return None


def parsed_text(text: str) -> tuple[Any] | None:
    """The JSON value that a text spells, in a tuple, as null is a value too; None for any other text."""
    if not begins_json(text):
        return None
    try:
        return (parse(text),)
    except JSONError:
        return None


def unmarked(corpus: Corpus, value: Any, *, marked: bool = False) -> Any:
    """An object without the marks that say "no failure", and if it is ``marked`` without those that say "failure".

    An only key is always kept: there it is the content.
    """
    if not isinstance(value, dict) or len(value) == 1:
        return value
    idle = (None, False, True) if marked else (None, False)
    marks = corpus.equivalence("error-false-absent").parameters["marks"]
    return {key: entry for key, entry in value.items() if not (key in marks and any(entry is mark for mark in idle))}


def _unwrapped(value: Any, wrappers: Sequence[str]) -> Any:
    if isinstance(value, dict) and len(value) == 1 and next(iter(value)) in wrappers:
        return next(iter(value.values()))
    return MISSING


def is_blank(texts: Sequence[str], value: Any) -> bool:
    """Whether neither texts nor value say anything; an object with one blank entry says nothing."""
    while isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    nothing = value is MISSING or value is None or value in ({}, [])
    return not any(text.strip() for text in texts) and (nothing or (isinstance(value, str) and not value.strip()))


def compare_payload(source: Content, output: Content) -> str | None:
    """The rule that the output's content breaks; None if the contents are the same."""
    if source.bare is not None and output.media:
        source = replace(source, said=[*source.said, source.bare], ways=[*source.ways, "media-beside-result"])
    best = DIFFERENT
    for texts, value in variants(source, output):
        rule = _compare(source, texts, value)
        if rule is None:
            return None
        best = best if rule == DIFFERENT else rule
    return best


def variants(source: Content, output: Content) -> Iterator[tuple[list[str], Any]]:
    """What the output says: as it stands, then without remarks about media that the source has in this result."""
    yield output.texts, output.unmarked
    if source.media:
        value = without_references(output.unmarked)
        source_lines = {line.strip() for texts in source.said for text in texts for line in text.split("\n")}
        if isinstance(value, dict) and len(value) == 1 and isinstance(inner := next(iter(value.values())), str):
            value = {
                next(iter(value)): "\n".join(without_placeholders(source.corpus, [inner], source.media, source_lines))
            }
        yield without_placeholders(source.corpus, output.texts, source.media, source_lines), value


def _compare(source: Content, texts: Sequence[str], value: Any) -> str | None:
    if value is not MISSING:
        rule = DIFFERENT if any(text.strip() for text in texts) else _match_value(source, value)
    else:
        rule = _match_texts(source, texts)
    if rule is None or not _says_nothing(source):
        return rule
    if is_blank(texts, value):
        return None
    while isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    text = value if isinstance(value, str) else "" if value is MISSING else None
    if text is not None and any(says_nothing(source.corpus, joint.join([*texts, text])) for joint in ("\n", "")):
        return PLACEHOLDER  # some providers refuse the empty text
    return rule


def _says_nothing(source: Content) -> bool:
    return source.blank or (bool(source.media) and is_blank(source.texts, without_references(source.unmarked)))


def _match_texts(source: Content, texts: Sequence[str]) -> str | None:
    best = DIFFERENT
    for want, way in zip(source.said, source.ways, strict=True):
        if joined_equal(source.corpus, want, texts):
            source.grant(way, "texts-as-joined-text" if len(want) != len(texts) else "")
            return None
        if trimmed_equal(source.corpus, want, texts):
            best = TRIMMED
    parsed = parsed_text("".join(texts)) if source.values else None
    for expected, spelt_anew in source.values:
        same = parsed is not None and equal(parsed[0], expected)
        if same or (
            parsed is not None and equal(unmarked(source.corpus, parsed[0]), unmarked(source.corpus, expected))
        ):
            if spelt_anew is None:
                source.grant("json-text-as-object", "" if same else "error-false-absent")
                return None
            best = TRIMMED if best == TRIMMED else spelt_anew
    return best


def _match_value(source: Content, value: Any, *, nested: bool = False) -> str | None:
    """How an object fits: it is the value itself, or one key around the value or the text."""
    corpus, marked = source.corpus, source.error
    for source_value, of_text in source.values:
        same = equal(value, source_value)
        if same or equal(value, unmarked(corpus, source_value, marked=marked)):
            source.grant("json-text-as-object" if of_text else "", "" if same else "error-false-absent")
            return None
    if not isinstance(value, dict) or len(value) != 1:
        return DIFFERENT
    inner = next(iter(value.values()))
    if isinstance(inner, str):
        rule = _match_texts(source, [inner])
        source.grant("result-wrapper" if rule != DIFFERENT else "")
        blocks = parsed_text(inner) if rule == DIFFERENT else None
        return WRAPPED if blocks is not None and _text_blocks(source, blocks[0]) else rule
    for expected, of_text in source.values:
        if equal(inner, expected):
            source.grant("result-wrapper", "json-text-as-object" if of_text else "")
            return None
    if _text_blocks(source, inner):
        return WRAPPED
    if isinstance(inner, dict) and not nested and _match_value(source, inner, nested=True) != DIFFERENT:
        return WRAPPED
    return DIFFERENT


def _text_blocks(source: Content, blocks: Any) -> bool:
    """Whether blocks are a list of strings or text objects that say what is wanted, media aside."""
    texts = block_texts(source.corpus, blocks, others=bool(source.media))
    return texts is not None and any(joined_equal(source.corpus, want, texts) for want in source.said)


def block_texts(corpus: Corpus, blocks: Any, *, others: bool = False) -> list[str] | None:
    """The texts of a list of strings or text objects; None for any other value, or for ``others`` among them."""
    if not isinstance(blocks, list):
        return None
    members = corpus.equivalence("texts-as-joined-text").parameters["block_members"]
    texts: list[str] = []
    for block in blocks:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, dict) and isinstance(block.get("text"), str) and all(key in members for key in block):
            texts.append(block["text"])
        elif not (others and isinstance(block, dict) and "type" in block):
            return None
    return texts


__all__ = [
    "Content",
    "block_texts",
    "compare_payload",
    "is_blank",
    "joined_equal",
    "parsed_text",
    "plain_text",
    "read_content",
    "trimmed_equal",
    "unmarked",
    "variants",
]
