"""When chunks of text are the same text: joined by white space at their boundaries, changed nowhere else."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolcall_conformance.library import Corpus

_SPACE = re.compile(r"\s*")


def joined_equal(corpus: Corpus, left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether two lists of chunks are the same text, chunks joined by white space at their boundaries only."""
    left = [chunk for chunk in left if chunk.strip()]
    right = [chunk for chunk in right if chunk.strip()]
    if left == right or "".join(left) == "".join(right):
        return True
    if len(left) <= 1 and len(right) <= 1:
        return False
    joints = corpus.equivalence("text-joined-by-whitespace").parameters["joints"]
    return _spelt_by(left, right, joints) or _spelt_by(right, left, joints)


def trimmed_equal(corpus: Corpus, left: Sequence[str], right: Sequence[str]) -> bool:
    """Like ``joined_equal``, without white space around the whole text."""
    return joined_equal(corpus, left, right) or joined_equal(corpus, ["".join(left).strip()], ["".join(right).strip()])


def squeezed(chunks: Sequence[str]) -> str:
    """The text without any white space: equal for all chunks that ``trimmed_equal`` takes for the same."""
    return "".join("".join(chunks).split())


def _spelt_by(chunks: Sequence[str], other: Sequence[str], joints: Sequence[str]) -> bool:
    pieces = [chunk.strip() for chunk in chunks]
    return any(_in_order(pieces, joint.join(other).strip()) for joint in joints)


def _in_order(pieces: Sequence[str], text: str) -> bool:
    """Whether the pieces, none of which begins or ends blank, make up the text with white space between them.

    As no piece begins with white space, skipping it never skips too much: one pass over the text decides.
    """
    place = 0
    for piece in pieces:
        blank = _SPACE.match(text, place)
        place = blank.end() if blank else place
        if not text.startswith(piece, place):
            return False
        place += len(piece)
    return place == len(text)
