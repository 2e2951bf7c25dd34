"""Which call a result answers: by id, in the latest batch that has the id."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class _Open:
    ordinal: int
    id: str | None
    name: str | None
    legacy: bool
    answered: bool = False


@dataclass(slots=True)
class ChatPairing:
    """The calls so far, batch by batch. Ids may come again in later batches, be empty or be absent."""

    _batches: list[list[_Open]] = field(default_factory=list)

    @property
    def batch(self) -> int:
        """The number that the next batch gets."""
        return len(self._batches)

    def start(self) -> None:
        """Begin a batch: the calls of one assistant message."""
        self._batches.append([])

    def call(self, ordinal: int, call_id: str | None, name: str | None, *, legacy: bool = False) -> None:
        """Add a call to the batch."""
        self._batches[-1].append(_Open(ordinal, call_id, name, legacy))

    def answer(self, call_id: str | None, name: str | None) -> int | None:
        """The ordinal of the call that a tool message answers.

        Of equal ids (empty ones, as some vendors send) the first unanswered one in order. Without an id a call that
        has none either, of that name if the message has one.
        """
        for batch in reversed(self._batches):
            fitting = [call for call in batch if not call.legacy and call.id == call_id]
            if call_id is None and name is not None:
                fitting = [call for call in fitting if call.name == name]
            if fitting:
                return _take(fitting)
        return None

    def answer_function(self, name: str | None) -> int | None:
        """The ordinal of the legacy ``function_call`` that a message of role ``function`` answers: by name."""
        for batch in reversed(self._batches):
            fitting = [call for call in batch if call.legacy and call.name == name]
            if fitting:
                return _take(fitting)
        return None


def _take(fitting: list[_Open]) -> int:
    call = next((call for call in fitting if not call.answered), fitting[0])
    call.answered = True
    return call.ordinal
