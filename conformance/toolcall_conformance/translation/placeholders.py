"""Text that stands for something a format cannot say: an empty result, a picture in a place for text only."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from toolcall_conformance.reading import Media

_EMPTY = frozenset(
    {"", "empty", "success", "successful", "succeeded", "ok", "okay", "done", "completed", "null", "none", "nil", "n/a"}
    | {f"{word} {what}" for word in ("no", "empty") for what in ("output", "result", "content", "response", "text")}
    | {"no output produced", "no content returned", "no output returned", "empty string", "no data"}
)
_AROUND = " \t\r\n.!…()[]{}<>*_`'\"-"
_BRACKETS = re.compile(r"\[[^\[\]\n]{1,400}\]|\([^()\n]{1,400}\)|<[^<>\n]{1,400}>")
_MEDIA_WORD = r"(?:image|picture|photo|screenshot|document|pdf|file|audio|sound|video|media|attachment)s?"
_NAMED = re.compile(
    rf"^\W*(?:(?:see|an?|the|attached|returned|omitted|unsupported|{_MEDIA_WORD})\W+)*"
    rf"(?:{_MEDIA_WORD}\b|(?:image|audio|video|application|text)/[\w.+-]+)",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:attached|omitted|see|next|following|below|above|returned|provided|included|shown|message|removed"
    r"|unavailable|supported|unsupported|processed)\b",
    re.IGNORECASE,
)
_SPOKEN = re.compile(rf"\b(?:{_MEDIA_WORD}|binary)\b", re.IGNORECASE)
LONGEST_LINE = 160


def says_nothing(text: str) -> bool:
    """Whether text is a short stand-in for no output: blank, ``(no output)``, ``success``, ``{}`` and the like."""
    return " ".join(text.lower().split()).strip(_AROUND) in _EMPTY


def without_placeholders(chunks: Sequence[str], media: Sequence[Media], said: Collection[str] = ()) -> list[str]:
    """The chunks without what only says that media belong here: a remark in brackets, or a line that points to them.

    No more remarks are taken out than there are media, and no line that is ``said`` by somebody.
    """
    left = len(media)
    kept: list[str] = []
    for chunk in chunks:
        lines: list[str] = []
        for line in chunk.split("\n"):
            rest = line
            if line.strip() in said:
                lines.append(line)
                continue
            for remark in _BRACKETS.findall(line):
                if left and _tells_of(remark[1:-1], media):
                    rest, left = rest.replace(remark, "", 1), left - 1
            if left and rest == line and _points(line):
                rest, left = "", left - 1
            if rest.strip() or rest == line:
                lines.append(rest)
        text = "\n".join(lines)
        kept.append(chunk if text == chunk else text.strip("\n"))
    return [chunk for chunk in kept if chunk.strip()]


def _tells_of(remark: str, media: Sequence[Media]) -> bool:
    known = [word for item in media for word in (item.mime, item.url, item.file_id) if word]
    return _NAMED.match(remark) is not None or any(remark.startswith(word) for word in known)


def _points(line: str) -> bool:
    return len(line) <= LONGEST_LINE and bool(_SPOKEN.search(line)) and bool(_POINTING.search(line))


def without_references(value: Any) -> Any:
    """An object without the entries that only refer to media beside it (``{"$ref": "name"}``)."""
    if not isinstance(value, dict):
        return value
    return {
        key: entry
        for key, entry in value.items()
        if not (isinstance(entry, dict) and list(entry) == ["$ref"] and isinstance(entry["$ref"], str))
    }
