"""Failed tools: whether the message is there, alone or with words that say no more than "this failed"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from toolcall_conformance.findings import MISSING, Level
from toolcall_conformance.jsonvalue import canonical, equal
from toolcall_conformance.reading import Result, Text
from toolcall_conformance.reading.model import Value
from toolcall_conformance.translation.joining import squeezed, trimmed_equal
from toolcall_conformance.translation.payload import (
    Content,
    block_texts,
    compare_payload,
    parsed_text,
    telling,
    variants,
)

ERROR_WORDS = re.compile(
    r"error|exception|fail|fatal|traceback|denied|not found|no such|invalid|unable|cannot|could not|refused|abort|panic"
    r"|not permitted|timed? ?out",
    re.IGNORECASE,
)
# What a prefix may consist of; at least one word must tell the failure.
_FAILURE_WORD = re.compile(r"\w*(?:error|errors|exception|failed|failure|fail)", re.IGNORECASE)
_PREFIX_WORDS = re.compile(
    r"a|an|the|tool|tools|function|call|calls|execution|executing|calling|running|invoking|command|result|results|output|with|in"
    r"|of|from|by|while|during|was|has|message|status|occurred|unhandled|true|is|mcp|response|type|name|id|reported|returned"
)
_PREFIX_END = re.compile(r"[:\]\)>=—–-]+\s*|[.!]\s+|\n\s*|$")
LONGEST_PREFIX = 160
_CONTRADICTION = re.compile(
    r"\b(?:success\w*|succeeded|fine|ok|okay|good|passed|done|complete\w*|worked"
    r"|(?:no|not|without|never)\b[\w ]{0,12}\b(?:error|fail|failure|problem)\w*)\b",
    re.IGNORECASE,
)
_FLAGS: dict[str, tuple[Any, ...]] = {
    "is_error": (True,), "isError": (True,), "error": (True,), "failed": (True,), "success": (False,), "ok": (False,),
    "status": ("error", "failed", "failure"), "type": ("error", "tool_error", "text"),
}  # fmt: skip


def compare_failure(source: Content, output: Content, names: Sequence[str]) -> tuple[str, Level] | None:
    """The rule and level that the content of a failed result breaks, None if it carries the message and no more.

    ``names`` are words that may stand in a prefix or beside the message: the tool's name and the call's id.
    """
    level = compare_payload(source, output)
    if level is None:
        return None
    told = list(variants(source, output))
    for texts, value in told:
        if value is not MISSING and not any(text.strip() for text in texts) and _object_says(source, value, names):
            return None
        if value is MISSING and _texts_say(source, texts, names):
            return None
    if level is Level.SHOULD or source.blank:
        return "translation/result-content", level
    for texts, value in told:
        everything = "\n".join([*texts, *({} if value is MISSING else dict.fromkeys(strings_in(value)))])
        for want in _messages(source):
            around = _around(want, everything)
            if around is not None:
                grave = _CONTRADICTION.search(around) or not ERROR_WORDS.search(around)
                harmless = not grave and len(around) <= LONGEST_PREFIX
                return "translation/result-content", Level.SHOULD if harmless else Level.MUST
        for whole, _ in source.values:
            strings = strings_in(whole)
            if strings and _around(strings, everything) is not None:
                return "translation/result-content", Level.MUST  # the words are there, the rest of the object is not
    return "translation/error-message", Level.MUST


def _messages(source: Content) -> Iterator[list[str]]:
    """The texts that are the message: the result's own, or the only text of an error object."""
    yield from source.said or ([[""]] if source.blank else [])
    for value, _ in source.values:
        inner = value
        while isinstance(inner, dict) and len(inner := telling(inner, marked=True)) == 1:
            inner = next(iter(inner.values()))
        if isinstance(inner, str):
            yield [inner]


def _texts_say(source: Content, texts: Sequence[str], names: Sequence[str]) -> bool:
    chunks = [text for text in texts if text.strip()]
    ways = [chunks]
    if chunks:
        ways.extend([rest, *chunks[1:]] for rest in without_prefix(chunks[0], names))
    for way in ways:
        if any(trimmed_equal(want, way) for want in _messages(source)):
            return True
        parsed = parsed_text("".join(way).strip())
        if parsed is not None and isinstance(parsed[0], (dict, list)) and _object_says(source, parsed[0], names):
            return True
    return False


def _object_says(source: Content, value: Any, names: Sequence[str]) -> bool:
    """Whether each entry of an object is the message, a mark of failure, or names the call; one is the message."""
    if any(equal(value, expected) or equal(telling(value, marked=True), expected) for expected, _ in source.values):
        return True
    if isinstance(value, str):
        return _texts_say(source, [value], names)
    if isinstance(value, list):
        texts = block_texts(value, others=bool(source.media))
        return texts is not None and _texts_say(source, texts, names)
    if not isinstance(value, dict):
        return False
    rest = [
        entry
        for key, entry in value.items()
        if entry is not None
        and entry != ""
        and not any(entry is flag or (isinstance(flag, str) and entry == flag) for flag in _FLAGS.get(key, ()))
        and not (isinstance(entry, str) and entry in names)
    ]
    if not rest:
        return source.blank
    return all(_object_says(source, entry, names) for entry in rest)


def without_prefix(text: str, names: Sequence[str] = ()) -> Iterator[str]:
    """What follows a beginning that only says that something failed; nothing for any other text."""
    own = {word for name in names for word in re.findall(r"\w+", name.lower())}
    for end in _PREFIX_END.finditer(text, 0, min(len(text), LONGEST_PREFIX)):
        if end.end() > LONGEST_PREFIX - 1 and len(text) > LONGEST_PREFIX:
            return
        words = re.findall(r"\w+", text[: end.end()].lower())
        failure = [word for word in words if _FAILURE_WORD.fullmatch(word)]
        if any(word not in own and not _PREFIX_WORDS.fullmatch(word) and word not in failure for word in words):
            return
        if failure:
            rest = text[end.end() :]
            yield rest
            tag = re.fullmatch(r"(.*)</\w+>\s*", rest, re.DOTALL)
            if tag and text.lstrip().startswith("<"):
                yield tag[1]


def _around(chunks: Sequence[str], text: str) -> str | None:
    """What stands around a message of which every chunk is there whole and in order; None if it is not there."""
    place, between = 0, []
    for chunk in (chunk.strip() for chunk in chunks if chunk.strip()):
        found = re.compile(
            (r"(?<!\w)" if chunk[0].isalnum() else "") + re.escape(chunk) + (r"(?!\w)" if chunk[-1].isalnum() else "")
        ).search(text, place)
        if found is None:
            return None
        between.append(text[place : found.start()])
        place = found.end()
    between.append(text[place:])
    return " ".join(between)


def strings_in(value: Any) -> list[str]:
    """Every string inside a JSON value, in order; a string that is JSON itself is opened too."""
    found: list[str] = []
    open_values = [value]
    while open_values:
        item = open_values.pop()
        if isinstance(item, str):
            found.append(item)
            parsed = parsed_text(item) if item.lstrip()[:1] in ("{", "[") else None
            if parsed is not None:
                open_values.append(parsed[0])
        elif isinstance(item, dict):
            open_values.extend(reversed(list(item.values())))
        elif isinstance(item, list):
            open_values.extend(reversed(item))
    return found


def looks_like_error(result: Result) -> bool:
    """Whether a result without a native mark reads like a failure."""
    for part in result.parts:
        said = part.text if isinstance(part, Text) else part.value if isinstance(part, Value) else None
        if any(ERROR_WORDS.search(text) for text in strings_in(said)):
            return True
        if isinstance(said, dict) and said.get("error"):
            return True
    return False


def told_in_own_words(source: Content, output: Content, names: Sequence[str]) -> bool:
    """Whether the output says before the message that something failed, and the source leaves that to its mark."""
    known = fingerprints(source)
    strings = [*output.texts, *([] if output.value is MISSING else strings_in(output.value))]
    return any(
        squeezed([rest]) in known
        for text in strings
        if squeezed([text]) not in known
        for rest in without_prefix(text, names)
    )


def fingerprints(content: Content) -> set[str]:
    """Marks of a content: two contents that say the same, as messages or not, have one in common (unless blank)."""
    strings = [] if content.value is MISSING else strings_in(content.value)
    found: set[str] = set()
    for chunks in (content.texts, *content.said, strings, *([text] for text in (*content.texts, *strings))):
        if chunks:
            found.add(squeezed(chunks))
            found.update(squeezed([rest, *chunks[1:]]) for rest in without_prefix(chunks[0]))
    for value, _ in content.values:
        inner = telling(value)
        found.add(canonical(inner))
        while isinstance(inner, dict) and len(inner) == 1:
            inner = next(iter(inner.values()))
        found.add(inner if isinstance(inner, str) else canonical(inner))
    return found - {"", "{}", "null", '""'}
