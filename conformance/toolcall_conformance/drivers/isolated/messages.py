"""Converts outcomes to JSON and back, for the answers of the child of ``--toolcall-isolated``.

Not the protocol of ``exec:``: whole outcomes cross, so that the verdicts are by construction those of the driver in
this interpreter. The reader trusts no value of an answer: a translator could write to the channel.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import asdict, fields
from typing import Any

from toolcall_conformance.drivers.outcomes import (
    BadOutput,
    Crashed,
    Inapplicable,
    Misdirected,
    Outcome,
    Produced,
    ProtocolError,
    RaisedError,
    RefusedOutcome,
    RequestFlaw,
    TimedOut,
    TranslatorError,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.python.json_result import copy_list, copy_object
from toolcall_conformance.drivers.streams import OutputPiece, Source, Streamed, StreamOutcome

# Outcomes with only texts and numbers.
_SIMPLE_OUTCOMES: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        *(RefusedOutcome, UnsupportedOutcome, RaisedError, TimedOut, BadOutput, ProtocolError),
        *(Misdirected, Inapplicable),
    )
}
# The flags of a stream's outcome.
_STREAM_FLAGS = ("exact", "from_whole", "alone")


class MessageError(ValueError):
    """A message that no child of ours writes."""


def outcome_to_json(outcome: Outcome | StreamOutcome) -> dict[str, Any]:
    """Convert an outcome to JSON."""
    name = type(outcome).__name__
    match outcome:
        case Produced():
            return {"kind": name, **asdict(outcome)}
        case Crashed():
            return {
                "kind": name,
                "sentence": outcome.sentence,
                "traceback": outcome.traceback,
                "refuses": outcome.refuses,
            }
        case Streamed():
            pieces = [
                [b64encode(piece.data).decode(), piece.source_count, piece.is_after_end] for piece in outcome.pieces
            ]
            raised = outcome_to_json(outcome.raised) if outcome.raised is not None else None
            flags = {key: getattr(outcome, key) for key in _STREAM_FLAGS}
            return {"kind": name, "pieces": pieces, "raised": raised, "losses": outcome.losses, **flags}
    return {"kind": name, **asdict(outcome)}


def outcome_of_json(message: Any, operation: str) -> Any:
    """Read an outcome of JSON. Raises MessageError."""
    try:
        return _outcome_of_object(dict(message), operation)
    except (KeyError, TypeError, ValueError) as error:
        raise MessageError(f"{type(error).__name__}: {error}") from None


def _outcome_of_object(message: dict[str, Any], operation: str) -> Any:
    kind = message.pop("kind")
    if kind == Produced.__name__:
        return _produced_of_json(operation=operation, **message)
    if kind == Crashed.__name__:
        return _crashed_of_json(**message)
    if kind == Streamed.__name__:
        return _streamed_of_json(**message)
    outcome = _SIMPLE_OUTCOMES[kind](**message)
    for field in fields(outcome):
        _verify(getattr(outcome, field.name), float if field.name == "timeout" else str)
    return outcome


def _produced_of_json(
    *, operation: str, value: Any, mutated: bool, losses: list[str], flaws: list[Any]
) -> Produced | BadOutput:
    copy = copy_list if isinstance(value, list) else copy_object
    body = copy(value, operation, sources=[value])  # the child has checked halves of surrogate pairs
    if isinstance(body, BadOutput):
        return body
    request_flaws = tuple(RequestFlaw(**{**flaw, "models": tuple(flaw["models"])}) for flaw in flaws)
    for flaw in request_flaws:
        _verify((flaw.kind, flaw.sentence, *flaw.models), str)
    return Produced(body, mutated=_verify_flag(mutated), losses=_verify_texts(losses), flaws=request_flaws)


def _crashed_of_json(*, sentence: str, traceback: str, refuses: bool = False) -> Crashed:
    _verify((sentence, traceback), str)
    return Crashed(TranslatorError(sentence), traceback, refuses=_verify_flag(refuses))


def _streamed_of_json(*, pieces: list[Any], raised: Any, losses: list[str], **flags: bool) -> Streamed:
    why = _outcome_of_object(dict(raised), "stream") if raised is not None else None
    if why is not None and not isinstance(why, (RefusedOutcome, Crashed)):
        raise MessageError("a stream that broke off with neither")
    output_pieces = tuple(_piece_of_json(*piece) for piece in pieces)
    return Streamed(
        output_pieces, why, _verify_texts(losses), **{key: _verify_flag(flags[key]) for key in _STREAM_FLAGS}
    )


def _piece_of_json(data: str, source_count: int, is_after_end: bool) -> OutputPiece:
    _verify(source_count, int)
    return OutputPiece(b64decode(data, validate=True), source_count, _verify_flag(is_after_end))


def _verify_texts(value: list[str]) -> tuple[str, ...]:
    _verify(tuple(value), str)
    return tuple(value)


def _verify_flag(value: Any) -> bool:
    return bool(_verify(value, bool))


def _verify(value: Any, kind: type) -> Any:
    for item in value if isinstance(value, tuple) else (value,):
        if not isinstance(item, (int, float) if kind is float else kind):
            raise MessageError(f"{item!r:.60} is no {kind.__name__}")
    return value


def source_to_json(source: Source) -> dict[str, Any]:
    """Convert the stream of an upstream to JSON."""
    return {
        "pieces": [b64encode(piece).decode() for piece in source.pieces],
        "end": source.end,
        "watched": source.watched,
        "reply": source.reply,
    }


def source_of_json(message: dict[str, Any]) -> Source:
    """Read the stream of an upstream in a question."""
    pieces = tuple(b64decode(piece) for piece in message["pieces"])
    return Source(pieces, message["end"], message["watched"], message["reply"])
