"""Contents of results: which notations of one content say the same.

A text stays that text, or becomes the JSON value that it spells; where the target's results are objects, either may be
the only member of one. An object stays that object, becomes its JSON text, or loses the wrapper of its own format.
Nothing else may be added, and nothing of it may be missing.
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
    ReferencedMedia,
    is_empty_placeholder,
    without_placeholders,
    without_references,
)
from toolcall_conformance.judge.translation.texts.white_space import joined_equal, trimmed_equal
from toolcall_conformance.library import Corpus

#: The rules that a changed content breaks: it says something else, or the same in a way that no format requires.
DIFFERENT = "translation/result-content"
TRIMMED = "translation/result-trimmed"
REWRITTEN_JSON = "translation/result-json-respelt"
PLACEHOLDER = "translation/result-placeholder"
WRAPPED = "translation/result-wrapped"


@dataclass(slots=True)
class Content:
    """The content of a result, read once.

    ``value`` is the object of a result that is one (else MISSING). ``text_forms`` are the texts that the content may be
    taken for, each a list of chunks, and ``form_equivalences`` the equivalences that allow them (blank for its own
    texts). ``values`` are the JSON values that it may be taken for, each with the rule that rewriting it as text
    breaks. ``bare_texts`` are the texts without remarks about media next to the result, which are needless if these are
    in it. ``granted`` collects the equivalences by which another content is the same; None if nobody asks for them.
    """

    corpus: Corpus
    texts: list[str]
    value: Any
    media: ReferencedMedia
    is_failure: bool
    text_forms: list[list[str]] = field(default_factory=list)
    form_equivalences: list[str] = field(default_factory=list)
    values: list[tuple[Any, str | None]] = field(default_factory=list)
    bare_texts: list[str] | None = None
    granted: list[str] | None = None

    def grant(self, *names: str) -> None:
        """Record the equivalences by which another content was taken for the same."""
        if self.granted is not None:
            self.granted += filter(None, names)

    @property
    def is_blank(self) -> bool:
        return is_content_blank(self.texts, self.unmarked_value)

    @property
    def unmarked_value(self) -> Any:
        return without_marks(self.corpus, self.value, marked=self.is_failure)


def read_content(
    corpus: Corpus, result: Result, wrappers: Sequence[str] = (), neighbours: ReferencedMedia | None = None
) -> Content:
    """Read the content of a result.

    ``wrappers`` are the keys that its format is known to put around scalar results, ``neighbours`` the media next to
    it, which a text of the result may describe.
    """
    texts = [part.text for part in result.parts if isinstance(part, Text)]
    value = next((part.value for part in result.parts if isinstance(part, Value)), MISSING)
    media = [part for part in result.parts if isinstance(part, Media)]
    content = Content(corpus, texts, value, ReferencedMedia(media, neighbours), bool(result.error))
    if texts:
        _add_text(content, texts)
    if any(document_text(corpus, part) is not None for part in media):
        texts_and_documents = [
            document_text(corpus, part) if isinstance(part, Media) else getattr(part, "text", None)
            for part in result.parts
        ]
        content.text_forms.append([text for text in texts_and_documents if text is not None])
        content.form_equivalences.append("text-document-as-text")
    if value is not MISSING:
        for whole in (value, without_references(value)) if media else (value,):
            content.values.append((whole, None))
            inner = _unwrap(without_marks(corpus, whole, marked=content.is_failure), wrappers)
            if isinstance(inner, str):
                _add_text(content, [inner], "result-wrapper")
            elif inner is not MISSING:
                content.values.append((inner, None))
    if neighbours:
        content.bare_texts = without_placeholders(corpus, texts, neighbours)
    return content


def _add_text(content: Content, texts: list[str], equivalence_id: str = "") -> None:
    """Add a text that the content may be taken for, and the JSON value that it spells."""
    content.text_forms.append(texts)
    content.form_equivalences.append(equivalence_id)
    parsed = parse_text("".join(texts))
    if parsed is not None and not isinstance(parsed[0], str):
        content.values.append((parsed[0], REWRITTEN_JSON))


def document_text(corpus: Corpus, part: Media) -> str | None:
    """Return the text of a plain-text document, else None: formats without documents may have it as text."""
    types = corpus.equivalence("text-document-as-text").parameters["type_beginnings"]
    if part.data is None or not (part.mime or "").startswith(tuple(types)):
        return None
    try:
        return base64.b64decode(part.data, validate=True).decode("utf-8")
    except ValueError:
        return None


def parse_text(text: str) -> tuple[Any] | None:
    """Return the JSON value that a text spells, in a tuple, as null is a value too; None for any other text."""
    if not begins_json(text):
        return None
    try:
        return (parse(text),)
    except JSONError:
        return None


def without_marks(corpus: Corpus, value: Any, *, marked: bool = False) -> Any:
    """Return an object without marks of success and, if it is ``marked`` as a failure, without marks of failure.

    An only key is always kept: there it is the content.
    """
    if not isinstance(value, dict) or len(value) == 1:
        return value
    idle = (None, False, True) if marked else (None, False)
    marks = corpus.equivalence("error-false-absent").parameters["marks"]
    return {key: entry for key, entry in value.items() if not (key in marks and any(entry is mark for mark in idle))}


def _unwrap(value: Any, wrappers: Sequence[str]) -> Any:
    if isinstance(value, dict) and len(value) == 1 and next(iter(value)) in wrappers:
        return next(iter(value.values()))
    return MISSING


def is_content_blank(texts: Sequence[str], value: Any) -> bool:
    """Whether texts and value are both empty; an object with one blank entry is empty."""
    while isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    nothing = value is MISSING or value is None or value in ({}, [])
    return not any(text.strip() for text in texts) and (nothing or (isinstance(value, str) and not value.strip()))


def compare_payload(source: Content, output: Content) -> str | None:
    """Return the rule that the output's content breaks; None if the contents are the same."""
    if source.bare_texts is not None and output.media:
        source = replace(
            source,
            text_forms=[*source.text_forms, source.bare_texts],
            form_equivalences=[*source.form_equivalences, "media-beside-result"],
        )
    best = DIFFERENT
    for texts, value in content_variants(source, output):
        rule = _compare_variant(source, texts, value)
        if rule is None:
            return None
        best = best if rule == DIFFERENT else rule
    return best


def content_variants(source: Content, output: Content) -> Iterator[tuple[list[str], Any]]:
    """Yield the output's content as it is, then without remarks about media that the source has in this result."""
    yield output.texts, output.unmarked_value
    if source.media:
        value = without_references(output.unmarked_value)
        source_lines = {line.strip() for texts in source.text_forms for text in texts for line in text.split("\n")}
        if isinstance(value, dict) and len(value) == 1 and isinstance(inner := next(iter(value.values())), str):
            value = {
                next(iter(value)): "\n".join(without_placeholders(source.corpus, [inner], source.media, source_lines))
            }
        yield without_placeholders(source.corpus, output.texts, source.media, source_lines), value


def _compare_variant(source: Content, texts: Sequence[str], value: Any) -> str | None:
    """Return the rule that one variant of the output's content breaks; None if it says the same."""
    if value is not MISSING:
        rule = DIFFERENT if any(text.strip() for text in texts) else _match_value(source, value)
    else:
        rule = _match_texts(source, texts)
    if rule is None or not _has_no_content(source):
        return rule
    if is_content_blank(texts, value):
        return None
    while isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    text = value if isinstance(value, str) else "" if value is MISSING else None
    if text is not None and any(
        is_empty_placeholder(source.corpus, joint.join([*texts, text])) for joint in ("\n", "")
    ):
        return PLACEHOLDER  # some providers refuse the empty text
    return rule


def _has_no_content(source: Content) -> bool:
    """Whether the source's content is empty but for references to its media."""
    return source.is_blank or (
        bool(source.media) and is_content_blank(source.texts, without_references(source.unmarked_value))
    )


def _match_texts(source: Content, texts: Sequence[str]) -> str | None:
    """Return the rule that texts break which should be the content."""
    best = DIFFERENT
    for want, way in zip(source.text_forms, source.form_equivalences, strict=True):
        if joined_equal(source.corpus, want, texts):
            source.grant(way, "texts-as-joined-text" if len(want) != len(texts) else "")
            return None
        if trimmed_equal(source.corpus, want, texts):
            best = TRIMMED
    parsed = parse_text("".join(texts)) if source.values else None
    for expected, spelt_anew in source.values:
        same = parsed is not None and equal(parsed[0], expected)
        if same or (
            parsed is not None
            and equal(without_marks(source.corpus, parsed[0]), without_marks(source.corpus, expected))
        ):
            if spelt_anew is None:
                source.grant("json-text-as-object", "" if same else "error-false-absent")
                return None
            best = TRIMMED if best == TRIMMED else spelt_anew
    return best


def _match_value(source: Content, value: Any, *, nested: bool = False) -> str | None:
    """Return the rule that an object breaks that should be the value itself, or have one key around value or text."""
    corpus, marked = source.corpus, source.is_failure
    for source_value, of_text in source.values:
        same = equal(value, source_value)
        if same or equal(value, without_marks(corpus, source_value, marked=marked)):
            source.grant("json-text-as-object" if of_text else "", "" if same else "error-false-absent")
            return None
    if not isinstance(value, dict) or len(value) != 1:
        return DIFFERENT
    inner = next(iter(value.values()))
    if isinstance(inner, str):
        rule = _match_texts(source, [inner])
        source.grant("result-wrapper" if rule != DIFFERENT else "")
        blocks = parse_text(inner) if rule == DIFFERENT else None
        return WRAPPED if blocks is not None and _are_text_blocks(source, blocks[0]) else rule
    for expected, of_text in source.values:
        if equal(inner, expected):
            source.grant("result-wrapper", "json-text-as-object" if of_text else "")
            return None
    if _are_text_blocks(source, inner):
        return WRAPPED
    if isinstance(inner, dict) and not nested and _match_value(source, inner, nested=True) != DIFFERENT:
        return WRAPPED
    return DIFFERENT


def _are_text_blocks(source: Content, blocks: Any) -> bool:
    """Whether blocks are a list of strings or text objects that are the content, media aside."""
    texts = block_texts(source.corpus, blocks, skips_other_blocks=bool(source.media))
    return texts is not None and any(joined_equal(source.corpus, want, texts) for want in source.text_forms)


def block_texts(corpus: Corpus, blocks: Any, *, skips_other_blocks: bool = False) -> list[str] | None:
    """Return the texts of a list of strings or text objects; None for any other value.

    ``skips_other_blocks``: it may have blocks of other types, too.
    """
    if not isinstance(blocks, list):
        return None
    members = corpus.equivalence("texts-as-joined-text").parameters["block_members"]
    texts: list[str] = []
    for block in blocks:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, dict) and isinstance(block.get("text"), str) and all(key in members for key in block):
            texts.append(block["text"])
        elif not (skips_other_blocks and isinstance(block, dict) and "type" in block):
            return None
    return texts
