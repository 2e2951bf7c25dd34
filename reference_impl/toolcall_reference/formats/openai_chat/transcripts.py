"""A reply's ``content`` and its audio transcript: equal texts become one."""

from __future__ import annotations

from collections.abc import Iterable

from toolcall_reference.conversation.intermediate import Text

CONTENT, AUDIO = "content", "audio"

MAX_COMPARED = 65_536
"""The number of characters that a stream compares; after these both texts are passed on."""


def repeats_content(transcript: str, items: Iterable[object]) -> bool:
    """Whether a transcript equals the texts of a message's items, apart from white space."""
    written = "".join(item.text for item in items if isinstance(item, Text))
    return written.split() == transcript.split()


class TranscriptFilter:
    """Drops a repeated text from a stream.

    The text that begins first is passed on. The other is held until the end of the reply, and dropped if it is equal.
    """

    def __init__(self) -> None:
        self._pieces: dict[str, list[str]] = {}
        self._length = 0
        self._passes_both = False

    def add_piece(self, key: str, piece: str) -> list[tuple[str, str]]:
        """Add a piece of the text ``key``. Returns the pieces to pass on now, each with the key of its text."""
        if self._passes_both:
            return [(key, piece)]
        self._length += len(piece)
        self._pieces.setdefault(key, []).append(piece)
        first = next(iter(self._pieces))
        passed = [(key, piece)] if key == first else []
        return passed + self._release() if self._length > MAX_COMPARED else passed

    def release_rest(self) -> list[tuple[str, str]]:
        """The held text at the end of the reply; empty if it is equal."""
        texts = ["".join(pieces).split() for pieces in self._pieces.values()]
        return [] if texts[1:] == texts[:1] else self._release()

    def _release(self) -> list[tuple[str, str]]:
        waiting = [(key, "".join(pieces)) for key, pieces in [*self._pieces.items()][1:]]
        self._passes_both, self._pieces = True, {}
        return waiting
