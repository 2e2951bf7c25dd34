"""Result contents: which spellings of one result are the same result.

A text result stays that text, or the JSON value it spells, or either inside an object with one key where the target's
results are objects. An object result stays that object, as JSON text, or loses a wrapper that its own format gave it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from toolcall_conformance.findings import Level
from toolcall_conformance.jsonvalue import JSONError, equal, parse
from toolcall_conformance.reading import Media, Result, Text
from toolcall_conformance.reading.model import Value

JOINTS = ("", "\n", "\n\n", " ")
ERROR_WORDS = re.compile(
    r"error|exception|fail|fatal|traceback|denied|not found|no such|invalid|unable|cannot|could not|refused|abort|panic"
    r"|not permitted|timed? ?out",
    re.IGNORECASE,
)


def texts_of(parts: Iterable[Any]) -> list[str]:
    """The texts among a result's parts."""
    return [part.text for part in parts if isinstance(part, Text)]


def joined_equal(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether two lists of chunks are the same text, chunks joined by white space at their boundaries only."""
    left = [chunk for chunk in left if chunk.strip()]
    right = [chunk for chunk in right if chunk.strip()]
    if left == right or "".join(left) == "".join(right):
        return True
    if len(left) <= 1 and len(right) <= 1:
        return False
    return _spelt_by(left, right) or _spelt_by(right, left)


def _spelt_by(chunks: Sequence[str], other: Sequence[str]) -> bool:
    pattern = re.compile(r"\s*".join(re.escape(chunk.strip()) for chunk in chunks))
    return any(pattern.fullmatch(joint.join(other).strip()) for joint in JOINTS)


def trimmed_equal(left: Sequence[str], right: Sequence[str]) -> bool:
    """Like ``joined_equal``, blind to white space around the whole."""
    return joined_equal(left, right) or joined_equal(["".join(left).strip()], ["".join(right).strip()])


def compare_payload(source: Result, output: Result, wrappers: Sequence[str]) -> Level | None:
    """None if the contents are the same, else how grave the difference is.

    ``wrappers`` are the keys that the source's format is known to put around scalar results.
    """
    wanted = _candidates(source, wrappers)
    got = output.parts
    if any(isinstance(part, Media) for part in source.parts) and carries_message(source, output):
        return None  # media may stand elsewhere, or leave a visible placeholder: judged with the media
    texts = texts_of(got)
    values = [part.value for part in got if isinstance(part, Value)]
    if _blank(source):
        if any(_matches(want, texts, values) is None for want in wanted):
            return None
        if _blank(output) or (all(_blank_value(value) for value in values) and not texts):
            return None
        return Level.SHOULD  # a placeholder where some providers refuse the empty text
    best: Level | None = Level.MUST
    for want in wanted:
        level = _matches(want, texts, values)
        if level is None:
            return None
        if level is Level.SHOULD:
            best = Level.SHOULD
    return best


def _blank(result: Result) -> bool:
    return not any(
        (isinstance(part, Text) and part.text.strip())
        or (isinstance(part, Value) and not _blank_value(part.value))
        or not isinstance(part, (Text, Value))
        for part in result.parts
    )


def _blank_value(value: Any) -> bool:
    if value is None or value == "" or value == {} or value == []:
        return True
    return (isinstance(value, str) and not value.strip()) or (
        isinstance(value, dict) and all(map(_blank_value, value.values()))
    )


def _candidates(source: Result, wrappers: Sequence[str]) -> list[Any]:
    """The admissible values: lists of text chunks, or pairs of a JSON value and how grave it is to say it as text.

    Text that spells JSON may become the value where the target's results are objects; spelt anew as text it is only
    another text that says the same, which is told.
    """
    found: list[Any] = []
    texts = texts_of(source.parts)
    if texts:
        found.append(texts)
        parsed = _parsed("".join(texts))
        if parsed is not None and not isinstance(parsed[0], str):
            found.append((parsed[0], Level.SHOULD))
    for part in source.parts:
        if isinstance(part, Value):
            found.append((part.value, None))
            inner = unwrap(part.value, wrappers)
            if inner is not part.value:
                found.append([inner] if isinstance(inner, str) else (inner, None))
                parsed = _parsed(inner) if isinstance(inner, str) else None
                if parsed is not None and not isinstance(parsed[0], str):
                    found.append((parsed[0], Level.SHOULD))
    return found


def _parsed(text: str) -> tuple[Any] | None:
    try:
        return (parse(text),)
    except JSONError:
        return None


def unwrap(value: Any, wrappers: Sequence[str]) -> Any:
    """The inside of an object whose only telling key is a wrapper; anything else unchanged."""
    if isinstance(value, dict):
        telling = {key: entry for key, entry in value.items() if entry is not None and entry is not False}
        if len(telling) == 1 and next(iter(telling)) in wrappers:
            return next(iter(telling.values()))
    return value


def _matches(want: Any, texts: Sequence[str], values: Sequence[Any]) -> Level | None:
    """How an admissible value fits what was produced: None, SHOULD, or MUST for not at all."""
    if isinstance(want, list):
        if texts and not values:
            if joined_equal(want, texts):
                return None
            return Level.SHOULD if trimmed_equal(want, texts) else Level.MUST
        return _in_values(want, values)
    expected, as_text = want
    inside = [inner for value in values if (inner := _only_inner(value)) is not None]
    if any(equal(value, expected) for value in [*values, *inside]):
        return None
    spelt = ["".join(texts), *texts, *(inner for inner in inside if isinstance(inner, str))]
    if any(parsed is not None and equal(parsed[0], expected) for parsed in map(_parsed, filter(None, spelt))):
        return Level(as_text) if as_text is not None else None
    return Level.MUST


def _in_values(want: Sequence[str], values: Sequence[Any]) -> Level | None:
    best: Level | None = Level.MUST
    for value in values:
        inner = _only_inner(value)
        if isinstance(inner, str):
            if joined_equal(want, [inner]):
                return None
            if trimmed_equal(want, [inner]) or _as_text_blocks(inner, want):
                best = Level.SHOULD
        elif isinstance(inner, list):
            if _text_blocks(inner, want):
                best = Level.SHOULD
        elif _single_text(inner, want):
            return None
    return best


def _only_inner(value: Any) -> Any:
    """The inside of an object with one telling key; None for anything else."""
    if not isinstance(value, dict):
        return None
    inner = [entry for entry in value.values() if entry is not None and entry is not False]
    return inner[0] if len(inner) == 1 else None


def _single_text(value: Any, want: Sequence[str]) -> bool:
    return isinstance(value, dict) and any(
        isinstance(entry, str) and joined_equal(want, [entry]) for entry in value.values()
    )


def _as_text_blocks(text: str, want: Sequence[str]) -> bool:
    """A list of text blocks that was put into one string as JSON."""
    parsed = _parsed(text)
    return parsed is not None and isinstance(parsed[0], list) and _text_blocks(parsed[0], want)


def _text_blocks(blocks: Sequence[Any], want: Sequence[str]) -> bool:
    """A list of strings or of objects with a text, saying what is wanted."""
    entries = [entry.get("text") if isinstance(entry, dict) else entry for entry in blocks]
    chunks = [entry for entry in entries if isinstance(entry, str)]
    return len(chunks) == len(entries) and joined_equal(want, chunks)


def strings_in(value: Any) -> list[str]:
    """Every string inside a JSON value; a string that is JSON itself is opened too."""
    if isinstance(value, str):
        parsed = _parsed(value)
        inner = strings_in(parsed[0]) if parsed is not None and isinstance(parsed[0], (dict, list)) else []
        return [value, *inner]
    if isinstance(value, dict):
        return [text for entry in value.values() for text in strings_in(entry)]
    if isinstance(value, list):
        return [text for entry in value for text in strings_in(entry)]
    return []


def carries_message(source: Result, output: Result) -> bool:
    """Whether an error's message is found again, bare, prefixed, or inside an object."""
    said: list[str] = []
    for part in output.parts:
        said.extend(
            strings_in(part.text if isinstance(part, Text) else part.value if isinstance(part, Value) else None)
        )
    everything = "\n".join([*said, "".join(text for text in texts_of(output.parts))])
    wanted: list[str] = []
    for part in source.parts:
        if isinstance(part, Text):
            wanted.append(part.text)
        elif isinstance(part, Value):
            wanted.extend(text for text in strings_in(part.value))
    chunks = [chunk.strip() for chunk in wanted if chunk.strip()]
    if not chunks:
        return True
    if all(chunk in everything for chunk in chunks):
        return True
    objects = [part.value for part in source.parts if isinstance(part, Value)]
    return any(chunk in everything for chunk in chunks) and bool(objects) and _same_json(objects, output)


def _same_json(objects: Sequence[Any], output: Result) -> bool:
    for text in texts_of(output.parts):
        parsed = _parsed(text)
        if parsed is not None and any(equal(parsed[0], value) for value in objects):
            return True
    return False


def looks_like_error(result: Result) -> bool:
    """Whether a result without a native mark reads like a failure."""
    for part in result.parts:
        for text in strings_in(
            part.text if isinstance(part, Text) else part.value if isinstance(part, Value) else None
        ):
            if ERROR_WORDS.search(text):
                return True
        if isinstance(part, Value) and isinstance(part.value, dict) and part.value.get("error"):
            return True
    return False
