"""White space between chunks of text: when chunks, joined at their boundaries, are the same text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolcall_conformance.library import Corpus

_SPACE = re.compile(r"\s*")


def joined_equal(corpus: Corpus, left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether two lists of chunks are the same text and differ only in white space at chunk boundaries."""
    left = [chunk for chunk in left if chunk.strip()]
    right = [chunk for chunk in right if chunk.strip()]
    if left == right or "".join(left) == "".join(right):
        return True
    if len(left) <= 1 and len(right) <= 1:
        return False
    joints = corpus.equivalence("text-joined-by-whitespace").parameters["joints"]
    return _matches_joined(left, right, joints) or _matches_joined(right, left, joints)


def trimmed_equal(corpus: Corpus, left: Sequence[str], right: Sequence[str]) -> bool:
    """Like ``joined_equal``, but white space around the whole text does not count."""
    return joined_equal(corpus, left, right) or joined_equal(corpus, ["".join(left).strip()], ["".join(right).strip()])


def squeeze(text: str) -> str:
    """Return a text without its white space: equal for texts that differ only in it."""
    return "".join(text.split())


def _matches_joined(chunks: Sequence[str], other: Sequence[str], joints: Sequence[str]) -> bool:
    """Whether the chunks make up the other list's text, joined by one of the allowed joints."""
    pieces = [chunk.strip() for chunk in chunks]
    return any(_concatenates_to(pieces, joint.join(other).strip()) for joint in joints)


def _concatenates_to(pieces: Sequence[str], text: str) -> bool:
    """Whether the pieces, in order and with white space between them, make up the whole text.

    No piece begins or ends with white space, so skipping it never skips too much: one pass over the text decides.
    """
    place = 0
    for piece in pieces:
        blank = _SPACE.match(text, place)
        place = blank.end() if blank else place
        if not text.startswith(piece, place):
            return False
        place += len(piece)
    return place == len(text)
