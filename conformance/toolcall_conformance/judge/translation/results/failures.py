"""Failed tools: whether the message arrived, alone or with words that only say that the tool failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import canonical, equal
from toolcall_conformance.basics.reading import Result, Text
from toolcall_conformance.basics.reading.model import Value
from toolcall_conformance.judge.translation.results.payload import (
    DIFFERENT,
    Content,
    block_texts,
    compare_payload,
    content_variants,
    parse_text,
    without_marks,
)
from toolcall_conformance.judge.translation.texts.white_space import squeeze, trimmed_equal
from toolcall_conformance.judge.translation.texts.words import WORD, words_of
from toolcall_conformance.library import Corpus
from toolcall_conformance.library.equivalences import Equivalence

_EQUIVALENCE = "error-as-text"
#: The rules that the content of a failed result may break in addition to those of any content.
MESSAGE_LOST = "translation/error-message"
MESSAGE_EXTENDED = "translation/error-message-extended"


def compare_failure(source: Content, output: Content, names: Sequence[str]) -> str | None:
    """Return the rule that the content of a failed result breaks; None if it carries the message and no more.

    ``names`` are words that may be in a prefix or next to the message: the tool's name and the call's id.
    """
    rule = compare_payload(source, output)
    if rule is None:
        return None
    forms = list(content_variants(source, output))
    for texts, value in forms:
        if (
            value is not MISSING
            and not any(text.strip() for text in texts)
            and _object_carries_message(source, value, names)
        ):
            source.grant("error-key" if _has_inner_object(source.value) != _has_inner_object(value) else _EQUIVALENCE)
            return None
        if value is MISSING and _texts_carry_message(source, texts, names):
            source.grant(_EQUIVALENCE)
            return None
    if rule != DIFFERENT or source.is_blank:
        return rule
    for texts, value in forms:
        everything = "\n".join([*texts, *({} if value is MISSING else dict.fromkeys(strings_in(value)))])
        for want in _message_texts(source):
            around = _text_around(want, everything)
            if around is not None:
                equivalence = source.corpus.equivalence(_EQUIVALENCE)
                grave = _says_success(equivalence, around) or not _reads_like_failure(equivalence, around)
                harmless = not grave and len(around) <= equivalence.parameters["longest_prefix"]
                return MESSAGE_EXTENDED if harmless else DIFFERENT
        for whole, _ in source.values:
            strings = strings_in(whole)
            if strings and _text_around(strings, everything) is not None:
                return DIFFERENT  # the words are there, the rest of the object is not
    return MESSAGE_LOST


def _has_inner_object(value: Any) -> bool:
    """Whether a value is an object with another one in it."""
    return isinstance(value, dict) and any(isinstance(entry, dict) for entry in value.values())


def _reads_like_failure(equivalence: Equivalence, text: str) -> bool:
    """Whether a text contains a sign of failure, even inside a word."""
    lower = text.lower()
    return any(sign in lower for sign in equivalence.words["failure_signs"])


def _says_success(equivalence: Equivalence, text: str) -> bool:
    """Whether a text says that the tool succeeded, or that nothing failed."""
    beginnings, denied = tuple(equivalence.words["success_beginnings"]), tuple(equivalence.words["denied_beginnings"])
    words = [(match[0].lower(), match.start(), match.end()) for match in WORD.finditer(text)]
    for number, (word, _, end) in enumerate(words):
        if word in equivalence.words["success"] or word.startswith(beginnings):
            return True
        if word not in equivalence.words["negations"]:
            continue
        for other, start, _ in words[number + 1 :]:
            between = text[end:start]
            if len(between) > equivalence.parameters["longest_negation"] or not all(
                char == " " or WORD.match(char) for char in between
            ):
                break
            if other.startswith(denied):
                return True
    return False


def _message_texts(source: Content) -> Iterator[list[str]]:
    """Yield the texts that are the message: the result's own, or the only text of an error object."""
    yield from source.text_forms or ([[""]] if source.is_blank else [])
    for value, _ in source.values:
        inner = value
        while isinstance(inner, dict) and len(inner := without_marks(source.corpus, inner, marked=True)) == 1:
            inner = next(iter(inner.values()))
        if isinstance(inner, str):
            yield [inner]


def _texts_carry_message(source: Content, texts: Sequence[str], names: Sequence[str]) -> bool:
    """Whether the texts are the message, perhaps after a prefix that says that the tool failed."""
    chunks = [text for text in texts if text.strip()]
    ways = [chunks]
    for parts in (chunks, ["".join(chunks)])[: len(chunks)]:  # the prefix may be spread over several
        ways.extend([rest, *parts[1:]] for rest in texts_after_prefix(source.corpus, parts[0], names))
    for way in ways:
        if any(trimmed_equal(source.corpus, want, way) for want in _message_texts(source)):
            return True
        parsed = parse_text("".join(way).strip())
        if (
            parsed is not None
            and isinstance(parsed[0], (dict, list))
            and _object_carries_message(source, parsed[0], names)
        ):
            return True
    return False


def _object_carries_message(source: Content, value: Any, names: Sequence[str], layers: int = 0) -> bool:
    """Whether each entry of an object is the message, a mark of failure, or names the call; one is the message.

    ``layers`` is how many objects surround this value.
    """
    if any(
        equal(value, expected) or equal(without_marks(source.corpus, value, marked=True), expected)
        for expected, _ in source.values
    ):
        return True
    if isinstance(value, str):
        return _texts_carry_message(source, [value], names)
    if isinstance(value, list):
        texts = block_texts(source.corpus, value, skips_other_blocks=bool(source.media))
        return texts is not None and _texts_carry_message(source, texts, names)
    parameters = source.corpus.equivalence(_EQUIVALENCE).parameters
    if not isinstance(value, dict) or layers == parameters["most_layers"]:
        return False
    marks = parameters["marks"]
    rest = [
        entry
        for key, entry in value.items()
        if entry is not None
        and entry != ""
        and not any(entry is flag or (isinstance(flag, str) and entry == flag) for flag in marks.get(key, ()))
        and not (isinstance(entry, str) and entry in names)
    ]
    if not rest:
        return source.is_blank
    return all(_object_carries_message(source, entry, names, layers + 1) for entry in rest)


def texts_after_prefix(corpus: Corpus, text: str, names: Sequence[str] = ()) -> Iterator[str]:
    """Yield what follows a prefix that only says that something failed; nothing if a text has no such prefix."""
    equivalence = corpus.equivalence(_EQUIVALENCE)
    longest, endings = equivalence.parameters["longest_prefix"], tuple(equivalence.words["failure_ends"])
    harmless = equivalence.words["prefix"].union(*map(words_of, names)) if names else equivalence.words["prefix"]
    last = min(len(text), longest)
    for end in [*(match.end() for match in equivalence.patterns["prefix_end"].matches(text, last)), last]:
        if end > longest - 1 and len(text) > longest:
            return
        words = words_of(text[:end])
        failed = [word for word in words if word.endswith(endings)]
        if any(word not in harmless and word not in failed for word in words):
            return
        if failed:
            rest = text[end:]
            yield rest
            tag = re.fullmatch(r"(.*)</\w+>\s*", rest, re.DOTALL)
            if tag and text.lstrip().startswith("<"):
                yield tag[1]


def _text_around(chunks: Sequence[str], text: str) -> str | None:
    """Return the text around a message, if it has every chunk of it whole and in order; else None."""
    place, between = 0, []
    for chunk in (chunk.strip() for chunk in chunks if chunk.strip()):
        match = re.compile(
            (r"(?<!\w)" if chunk[0].isalnum() else "") + re.escape(chunk) + (r"(?!\w)" if chunk[-1].isalnum() else "")
        ).search(text, place)
        if match is None:
            return None
        between.append(text[place : match.start()])
        place = match.end()
    between.append(text[place:])
    return " ".join(between)


def strings_in(value: Any) -> list[str]:
    """Return every string inside a JSON value, in order; a string that is JSON is parsed too."""
    texts: list[str] = []
    open_values = [value]
    while open_values:
        item = open_values.pop()
        if isinstance(item, str):
            texts.append(item)
            parsed = parse_text(item) if item.lstrip()[:1] in ("{", "[") else None
            if parsed is not None:
                open_values.append(parsed[0])
        elif isinstance(item, dict):
            open_values.extend(reversed(list(item.values())))
        elif isinstance(item, list):
            open_values.extend(reversed(item))
    return texts


def looks_like_error(corpus: Corpus, result: Result) -> bool:
    """Whether a result without a native mark reads like a failure."""
    equivalence = corpus.equivalence(_EQUIVALENCE)
    for part in result.parts:
        content = part.text if isinstance(part, Text) else part.value if isinstance(part, Value) else None
        if any(_reads_like_failure(equivalence, text) for text in strings_in(content)):
            return True
        if isinstance(content, dict) and content.get("error"):
            return True
    return False


def says_failure_in_words(source: Content, output: Content, names: Sequence[str]) -> bool:
    """Whether the output says in its text that something failed: before the message, or as the source does."""
    if _keeps_error_keys(source, output):
        return True
    source_marks = fingerprints(source)
    strings = [*output.texts, *([] if output.value is MISSING else strings_in(output.value))]
    return any(
        squeeze(rest) in source_marks
        for text in strings
        if squeeze(text) not in source_marks
        for rest in texts_after_prefix(source.corpus, text, names)
    )


def _keeps_error_keys(source: Content, output: Content) -> bool:
    """Whether the output has an object with the keys, such as ``error``, that mark the source's failure."""
    if not isinstance(source.value, dict):
        return False
    keys = source.corpus.equivalence("error-false-absent").parameters["marks"]
    marks = {key: source.value[key] for key in keys if source.value.get(key)}
    texts = (*output.texts, "".join(output.texts))
    output_values = [output.value, *(parsed[0] for text in texts if (parsed := parse_text(text.strip())) is not None)]
    return bool(marks) and any(
        isinstance(value, dict) and all(equal(value.get(key), mark) for key, mark in marks.items())
        for value in output_values
    )


def fingerprints(content: Content) -> set[str]:
    """Return marks of a content. Two contents that say the same share one, as messages or not (unless blank)."""
    strings = [] if content.value is MISSING else strings_in(content.value)
    marks: set[str] = set()
    alone = ((text,) for text in (*content.texts, *strings))
    for chunks in dict.fromkeys((*map(tuple, (content.texts, *content.text_forms, strings)), *alone)):
        if chunks:
            marks.add(squeeze("".join(chunks)))
            marks.update(
                squeeze("".join([rest, *chunks[1:]])) for rest in texts_after_prefix(content.corpus, chunks[0])
            )
    for value, _ in content.values:
        inner = without_marks(content.corpus, value)
        marks.add(canonical(inner))
        while isinstance(inner, dict) and len(inner) == 1:
            inner = next(iter(inner.values()))
        marks.add(inner if isinstance(inner, str) else canonical(inner))
    return marks - {"", "{}", "null", '""'}
