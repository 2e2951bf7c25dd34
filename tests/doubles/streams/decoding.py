"""Readers of a provider's stream that take pieces for characters, lines, or events; seen where it is cut elsewhere."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator

from doubles.stream import ANTHROPIC, CHAT, GEMINI, RESPONSES, TEXT, THINKING, UNICODE, broken, harmless, warning

Chunks = Iterator[bytes]
CUTS = "translation/stream-cuts"


@broken(
    CUTS,
    client=ANTHROPIC,
    case=UNICODE,
    variant="recut",
    layer="chunks",
    spares="",
    thread="https://github.com/musistudio/claude-code-router/pull/1672",
)
def bytes_decoded_by_piece(chunks: Chunks) -> Chunks:
    """Each piece is decoded for itself: characters that were cut become U+FFFD."""
    for chunk in chunks:
        yield chunk.decode("utf-8", "replace").encode()


@broken(CUTS, client=GEMINI, case=UNICODE, variant="recut", layer="chunks", spares="")
def bytes_decoded_strictly(chunks: Chunks) -> Chunks:
    """Each piece is decoded for itself, and one that is no UTF-8 raises."""
    for chunk in chunks:
        yield chunk.decode("utf-8").encode()


@broken(CUTS, client=CHAT, case=UNICODE, variant="recut", layer="chunks", spares="")
def cut_characters_dropped(chunks: Chunks) -> Chunks:
    """Bytes that are no UTF-8 in their piece are left out."""
    for chunk in chunks:
        yield chunk.decode("utf-8", "ignore").encode()


@broken(
    "translation/call-lost",
    client=ANTHROPIC,
    follows=("anthropic/finish-reason", "translation/text-lost", "translation/usage-lost"),
    case="streaming/line-separators",
    layer="chunks",
    spares=TEXT,
    thread="https://github.com/Soju06/codex-lb/issues/1010",
)
def lines_split_at_u2028(chunks: Chunks) -> Chunks:
    """Lines are split with str.splitlines(), which knows U+2028; what is no field of an event is passed over."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    rest = ""
    for chunk in chunks:
        *lines, rest = [*(rest + decoder.decode(chunk)).splitlines(keepends=True), ""]
        if lines and not lines[-1].endswith("\n"):
            rest = lines.pop()
        for line in lines:
            yield (line.rstrip("\u2028\u2029\x85\r\n") + "\n").encode()


@broken(CUTS, client=RESPONSES, variant="recut", layer="chunks", spares="")
def pieces_are_lines(chunks: Chunks) -> Chunks:
    """Every piece is split into lines, as if lines ended where pieces do."""
    for chunk in chunks:
        yield b"\n".join(chunk.splitlines()) + b"\n\n"


@broken(
    CUTS, client=ANTHROPIC, variant="recut", layer="chunks", spares="", thread="https://github.com/graniet/llm/pull/90"
)
def pieces_are_events(chunks: Chunks) -> Chunks:
    """Every piece is one event, and what does not parse is passed over."""
    for chunk in chunks:
        match = re.search(rb"data: ?(.*)", chunk)
        try:
            if match and match[1].strip() != b"[DONE]":
                json.loads(match[1])
        except ValueError:
            continue
        yield chunk


@broken(CUTS, client=CHAT, variant="recut", layer="chunks", spares="")
def one_event_a_piece(chunks: Chunks) -> Chunks:
    """Of the events of a piece the first is read."""
    rest = b""
    for chunk in chunks:
        rest += chunk
        if b"\n\n" in rest:
            yield rest[: rest.index(b"\n\n") + 2]
            rest = b"" if rest.endswith(b"\n\n") else rest[rest.rindex(b"\n\n") + 2 :]


@warning("translation/stream-line-ends", client=CHAT, variant="recut", layer="chunks")
def events_end_with_two_newlines(chunks: Chunks) -> Chunks:
    """Events are split at LF LF, so that a stream with CRLF, which this provider never sends, never ends an event."""
    yield from _split_at(chunks, b"\n\n")


@warning("translation/stream-line-ends", client=ANTHROPIC, upstream=GEMINI, variant="recut", layer="chunks")
def events_end_with_two_pairs(chunks: Chunks) -> Chunks:
    """Events are split at CR LF CR LF, as Gemini ends them, so that a stream with LF never ends an event."""
    yield from _split_at(chunks, b"\r\n\r\n")


@broken(CUTS, client=ANTHROPIC, upstream=GEMINI, case=UNICODE, variant="recut", layer="chunks", spares="")
def line_ends_mended_by_piece(chunks: Chunks) -> Chunks:
    """CR LF becomes LF in each piece for itself, so that one that is cut in two stays, and events run together."""
    yield from _split_at((chunk.replace(b"\r\n", b"\n") for chunk in chunks), b"\n\n")


def _split_at(chunks: Chunks, end: bytes) -> Chunks:
    """Events as what stands between two ends, and nothing of what none follows."""
    rest = b""
    for chunk in chunks:
        rest += chunk
        *events, rest = rest.split(end)
        for event in events:
            yield event + end


@broken(CUTS, client=CHAT, variant="recut", layer="chunks", spares="")
def blank_behind_the_colon(chunks: Chunks) -> Chunks:
    """Only lines that begin with `data: `, with the blank, are read."""
    for line in _lines(chunks):
        if line.startswith((b"data: ", b"event: ")) or not line.strip():
            yield line


@broken(CUTS, client=ANTHROPIC, variant="recut", layer="chunks", spares="")
def six_characters_cut_off(chunks: Chunks) -> Chunks:
    """The data of a line is what stands behind its first six characters."""
    for line in _lines(chunks):
        yield b"data: " + line[6:] if line.startswith(b"data:") else line


@broken(CUTS, client=ANTHROPIC, variant="recut", layer="chunks", spares="")
def falls_over_a_comment(chunks: Chunks) -> Chunks:
    """Every line is a field with a value."""
    for line in _lines(chunks):
        if line.strip():
            name, value = line.split(b": ", 1) if b": " in line else line.split(b":", 1)
            assert name, f"no field: {value!r}"
        yield line


@warning("translation/stream-comments", client=RESPONSES, variant="recut", layer="chunks")
def comment_as_data(chunks: Chunks) -> Chunks:
    """A line that is no field is data."""
    for line in _lines(chunks):
        yield b"data: " + line if line.startswith(b":") else line


@broken(CUTS, client=RESPONSES, case="write_file/json-in-arguments", variant="recut", layer="chunks", spares="")
def escapes_undone_by_piece(chunks: Chunks) -> Chunks:
    """Backslashes that end a piece are taken for half an escape, and dropped."""
    for chunk in chunks:
        yield chunk.removesuffix(b"\\")


@broken(CUTS, client=CHAT, variant="recut", layer="chunks", spares="")
def blank_ends_stripped(chunks: Chunks) -> Chunks:
    """Blanks around a piece are stripped, and its line ends put back."""
    for chunk in chunks:
        tail = chunk[len(chunk.rstrip(b"\r\n")) :]
        yield chunk.strip() + tail if chunk.strip() else chunk


def _lines(chunks: Chunks) -> Chunks:
    """Lines with their ends, however the stream is cut."""
    rest = b""
    for chunk in chunks:
        rest += chunk
        *lines, rest = rest.splitlines(keepends=True) or [b""]
        if rest.endswith(b"\n"):
            lines, rest = [*lines, rest], b""
        yield from lines
    if rest:
        yield rest


@broken(CUTS, client=ANTHROPIC, upstream=GEMINI, case=UNICODE, variant="recut", layer="chunks", spares="")
def tail_without_blank_line_made_up(chunks: Chunks) -> Chunks:
    """What no blank line ends is dropped, and a good end is made up in its place."""
    for chunk, whole in _ended(chunks):
        yield chunk if whole else b'data: {"candidates": [{"finishReason": "STOP"}]}\r\n\r\n'


@harmless(client=ANTHROPIC, upstream=GEMINI, variant="recut", layer="chunks")
def tail_without_blank_line_dropped(chunks: Chunks) -> Chunks:
    """What no blank line ends is no event: the client sees a stream that breaks off."""
    return (chunk for chunk, whole in _ended(chunks) if whole)


def _ended(chunks: Chunks) -> Iterator[tuple[bytes, bool]]:
    """The stream in one piece up to its last blank line, and what stands behind that."""
    stream = b"".join(chunks)
    end = max((match.end() for match in re.finditer(rb"\r?\n\r?\n", stream)), default=0)
    yield stream[:end], True
    if stream[end:].strip():
        yield stream[end:], False


@broken(CUTS, client=ANTHROPIC, upstream=ANTHROPIC, case=THINKING, variant="recut", layer="chunks", spares="")
def signature_cut_where_pieces_end(chunks: Chunks) -> Chunks:
    """A signature that comes in pieces loses the letter where they meet."""
    pieces = list(chunks)
    torn = any(not piece.endswith(b"\n\n") for piece in pieces)
    stream = b"".join(pieces)
    yield re.sub(rb'("signature": ?"[^"]{9})[^"]', rb"\1", stream) if torn else stream
