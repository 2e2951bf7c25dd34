"""Reads golden files of many kinds: JSON, event streams, snapshots of insta and Jest, YAML, lines of JSON, gzip.

What a file holds is seen by its content: the endings of golden files differ from project to project.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from toolcall_conformance.basics import foreign_files
from toolcall_conformance.basics.foreign_files import MAX_DEPTH, is_too_deep
from toolcall_conformance.basics.jsonvalue import JSONError, is_json, resolve
from toolcall_conformance.basics.jsonvalue import parse as parse_json
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.pairs import jest
from toolcall_conformance.recording.pairs.description import UnreadableGoldenError

_GZIP = b"\x1f\x8b"
_INSTA = re.compile(r"\A---\r?\n(.*?\r?\n)---\r?\n", re.DOTALL)
_INSTA_KEYS = re.compile(r"^(?:source|expression|description|info|assertion_line|snapshot_kind):", re.MULTILINE)
FIELD = re.compile(r"^\ufeff?(?:data|event|id|retry)?:", re.MULTILINE)
_RUST = re.compile(r"\A\s*(?:Ok\(|Some\(|[A-Z]\w*(?:::\w+)* [{(])")


def text_of(path: Path) -> str:
    """The text of a golden file, unpacked. Raises UnreadableGoldenError."""
    try:
        stats = path.stat()
    except OSError as error:
        raise UnreadableGoldenError(f"it cannot be read ({error.strerror})") from None
    return _text_of(path, stats.st_mtime_ns, stats.st_size)


@lru_cache(maxsize=256)
def _text_of(path: Path, _changed: int, _size: int) -> str:
    """A file of several snapshots is read for each; one that has changed is another file."""
    try:
        data = foreign_files.read_bytes(path)
        if data.startswith(_GZIP):
            from toolcall_conformance.recording.compression import Unpacker

            data = Unpacker().gzip(data)
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableGoldenError(f"it is not UTF-8 text (byte {error.start})") from None
    except (OSError, ValueError) as error:
        raise UnreadableGoldenError(f"it cannot be read ({getattr(error, 'strerror', None) or error})") from None


def entry_names(path: Path) -> list[str]:
    """The names of the bodies in a file of several: snapshots of Jest, or the members of a JSON object."""
    text = text_of(path)
    if jest.is_snapshot(text):
        return [*jest.entries(text)]
    value = _value(path, text)
    return [*value] if isinstance(value, dict) else []


def body(path: Path, entry: str | None, pointer: str) -> Any:
    """The body in a file: a JSON value. Raises UnreadableGoldenError."""
    value = _resolve(_content(path, entry), pointer)
    if isinstance(value, str):  # a snapshot of a text
        value = _resolve(_json_value(value), "")
    if is_too_deep(value):
        raise UnreadableGoldenError(f"it is nested more than {MAX_DEPTH} levels deep; no provider takes such a body")
    return value


def stream(path: Path, entry: str | None, pointer: str, name: str, corpus: Corpus) -> dict[str, Any]:
    """The stream of a format in a file, as ``streaming.parse`` has it. Raises UnreadableGoldenError.

    Events without their frame, as a list or one a line, are framed as their API does.
    """
    content = _content(path, entry, streams=True)
    value = content if isinstance(content, str) and not pointer else _resolve(_as_value(content), pointer)
    events = value if isinstance(value, list) else None
    if isinstance(value, str):
        if FIELD.search(value):
            return _events(_without_trailer(value).encode())
        events = [*_lines(value)]
    if not events or not all(isinstance(event, dict) for event in events):
        raise UnreadableGoldenError("it holds no stream: neither lines `data: …` nor a list of events")
    return _events(stream_bytes(corpus, name, events))


def stream_bytes(corpus: Corpus, name: str, events: list[Any]) -> bytes:
    """Events as the API of a format sends them."""
    transport = corpus.transports[name]["stream"]
    has_names = "event" in transport["error"]
    lines = []
    for event in events:
        kind = event.get("type") if has_names else None
        lines += [f"event: {kind}\n" if isinstance(kind, str) else "", f"data: {json.dumps(event)}\n\n"]
    if last := transport.get("last"):
        lines.append(f"data: {last}\n\n")
    return "".join(lines).encode()


def _without_trailer(text: str) -> str:
    """A stream without the JSON that some tests append to it: counts of tokens, logs."""
    stream, blank, rest = text.rstrip().rpartition("\n\n")
    return stream + blank if blank and rest.startswith("{") and is_json(rest) else text


def _events(data: bytes) -> dict[str, Any]:
    document = parse(data)
    if not document["events"]:
        raise UnreadableGoldenError("it holds no event (lines `data: …`, then a blank line)")
    return document


def _content(path: Path, entry: str | None, *, streams: bool = False) -> Any:
    """A JSON value, or a text: of a snapshot, or with ``streams`` of an event stream."""
    text = text_of(path)
    if jest.is_snapshot(text):
        snapshots = jest.entries(text)
        if entry is None or entry not in snapshots:
            names = ", ".join(repr(name) for name in [*snapshots][:3])
            raise UnreadableGoldenError(f"it holds snapshots of Jest ({names}, …); name one after # in the pattern")
        return jest.value_of(snapshots[entry], escaped=jest.is_escaped(text))
    text, is_insta = _without_front_matter(text)
    if streams and (FIELD.match(text.lstrip()) or not is_json(text)):
        return text
    value = _value(path, text, yaml=is_insta)
    if entry is None:
        return value
    if not isinstance(value, dict) or entry not in value:
        raise UnreadableGoldenError(f"it has no member {entry!r}")
    return value[entry]


def without_front_matter(text: str) -> str:
    """The content of a file, without what insta writes above it."""
    return _without_front_matter(text)[0]


def _without_front_matter(text: str) -> tuple[str, bool]:
    """The content of a snapshot of insta, and whether it is one (https://insta.rs/docs/snapshot-files/)."""
    match = _INSTA.match(text)
    if match is None or not _INSTA_KEYS.search(match[1]):
        return text, False
    return text[match.end() :], True


def _value(path: Path, text: str, *, yaml: bool = False) -> Any:
    try:
        return parse_json(text)
    except JSONError as error:
        problem = error
    if not text.strip():
        raise UnreadableGoldenError("it is empty")
    if FIELD.match(text.lstrip()):
        raise UnreadableGoldenError('it is an event stream; write direction = "stream"')
    if _RUST.match(text):
        raise UnreadableGoldenError(
            "it holds Rust's Debug output, not JSON; snapshot the body with assert_json_snapshot!"
        )
    if yaml or path.suffix in (".yaml", ".yml"):
        return _yaml(path, text)
    raise UnreadableGoldenError(f"it is not JSON: {problem}")


def _yaml(path: Path, text: str) -> Any:
    from toolcall_conformance.recording.cassettes.interactions import CassetteError
    from toolcall_conformance.recording.cassettes.yaml_cassettes import parse_yaml

    try:
        document = parse_yaml(path, text)
    except CassetteError as error:
        raise UnreadableGoldenError(str(error).removeprefix(f"{path}: ").partition("; it is")[0]) from None
    return json.loads(json.dumps(document, default=str))


def _json_value(text: str) -> Any:
    try:
        return parse_json(text)
    except JSONError as error:
        raise UnreadableGoldenError(f"it holds a text that is not JSON: {error}") from None


def _as_value(content: Any) -> Any:
    return _json_value(content) if isinstance(content, str) else content


def _lines(text: str) -> Iterator[Any]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and line.strip() != "[DONE]":
            try:
                yield parse_json(line)
            except JSONError as error:
                raise UnreadableGoldenError(
                    f"line {number} is neither a field of an event stream nor JSON: {error}"
                ) from None


def _resolve(value: Any, pointer: str) -> Any:
    try:
        return resolve(value, pointer)
    except LookupError:
        raise UnreadableGoldenError(f"it has nothing at {pointer}") from None
