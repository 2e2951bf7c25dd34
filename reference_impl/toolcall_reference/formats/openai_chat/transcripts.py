"""What the model says as ``content`` and as the transcript of its audio: the same sentence is one text, not two."""

from __future__ import annotations

from collections.abc import Iterable

from toolcall_reference.conversation.intermediate import Text

CONTENT, AUDIO = "content", "audio"

LONGEST = 65_536
"""Characters of both texts that are kept for the comparison in a stream; behind them both are passed on."""


def is_repeated(transcript: str, items: Iterable[object]) -> bool:
    """Whether a transcript says what the texts among a message's items say, but for white space."""
    written = "".join(item.text for item in items if isinstance(item, Text))
    return written.split() == transcript.split()


class SaidOnce:
    """The pieces of both texts in a stream.

    The text that begins first passes. The other one waits for the end of the reply, and never passes if it is the same.
    """

    def __init__(self) -> None:
        self._pieces: dict[str, list[str]] = {}
        self._length = 0
        self._passes_both = False

    def add(self, key: str, piece: str) -> list[tuple[str, str]]:
        """Take a piece of the text ``key``; the pieces to pass on now, each with the key of its text."""
        if self._passes_both:
            return [(key, piece)]
        self._length += len(piece)
        self._pieces.setdefault(key, []).append(piece)
        first = next(iter(self._pieces))
        passed = [(key, piece)] if key == first else []
        return passed + self._release() if self._length > LONGEST else passed

    def rest(self) -> list[tuple[str, str]]:
        """At the end of the reply: the text that waited, if it is not the same."""
        texts = ["".join(pieces).split() for pieces in self._pieces.values()]
        return [] if texts[1:] == texts[:1] else self._release()

    def _release(self) -> list[tuple[str, str]]:
        waiting = [(key, "".join(pieces)) for key, pieces in [*self._pieces.items()][1:]]
        self._passes_both, self._pieces = True, {}
        return waiting
