"""A stream that is given piece by piece says what one that is read in a loop says."""

from __future__ import annotations

import pytest

from reference.reference_bodies import open_way
from toolcall_conformance.library import Case, load_corpus
from toolcall_reference import Session, formats
from toolcall_reference.basics.errors import Refused

CASE = load_corpus().cases["parallel/seed"]
ROUTES = [(client, upstream) for client in formats.names() for upstream in formats.names()]


def session_and_pieces(case: Case, client: str, upstream: str) -> tuple[Session, list[bytes]]:
    """A session that has been asked, and the upstream's stream in odd pieces."""
    first, second = case.exchanges(client)[0], case.exchanges(upstream)[0]
    assert second.stream_path is not None
    stream = second.stream_path.read_bytes()
    session = open_way(client, upstream)
    session.request(first.request)
    return session, [stream[place : place + 97] for place in range(0, len(stream), 97)]


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_pieces_are_the_loop_s(client: str, upstream: str) -> None:
    session, chunks = session_and_pieces(CASE, client, upstream)
    whole = list(session.stream(chunks))
    session, chunks = session_and_pieces(CASE, client, upstream)
    pouring = session.stream_translator()
    pieces = [pouring.feed(chunk) for chunk in chunks]
    if not pouring.is_ended:
        pieces.append(pouring.end())
    assert [piece for piece in pieces if piece] == whole
    assert pouring.is_ended
    assert pouring.problem is None


@pytest.mark.parametrize(("client", "upstream"), [pair for pair in ROUTES if pair[0] != pair[1]])
def test_after_the_end_nothing_is_said(client: str, upstream: str) -> None:
    session, chunks = session_and_pieces(CASE, client, upstream)
    pouring = session.stream_translator()
    for chunk in chunks:
        pouring.feed(chunk)
    if not pouring.is_ended:
        pouring.end()
    assert pouring.feed(chunks[0] + chunks[1]) == b""
    assert pouring.end() == b""


def test_a_problem_comes_after_what_was_read() -> None:
    session, chunks = session_and_pieces(CASE, "openai_chat", "anthropic")
    start = b"".join(chunks).partition(b"\n\n")[0] + b"\n\n"
    pouring = session.stream_translator()
    output = pouring.feed(start + b'data: {"type": "content_block_start", "index": 0, "content_block": "none"}\n\n')
    assert b"chat.completion.chunk" in output
    assert isinstance(pouring.problem, Refused)
    assert pouring.is_ended
