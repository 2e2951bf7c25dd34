"""How the client's stream must end where the upstream's breaks off, fails, or reaches a limit; what it says before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcall_conformance.findings import MISSING, Finding
from toolcall_conformance.jsonvalue import JSONError, TooMuchError, parse_arguments
from toolcall_conformance.levels import finding
from toolcall_conformance.library import Corpus
from toolcall_conformance.reading import Reading, Text
from toolcall_conformance.reading.assembled import Assembled, StreamedCall

_WHOLE: Final = "the end of a whole reply"


def compare_ends(
    corpus: Corpus,
    source: Assembled,
    client: Assembled,
    how: str,
    *,
    calls: tuple[int, int] | None = None,
    last: str = "",
) -> Iterator[Finding]:
    """The first fault of the end of the client's stream.

    ``how`` says how the source ended (``breaks off``). ``calls`` are how many calls the source finished, and how many
    the client takes for finished; by default, how many each of the two closed. ``last`` is the pointer of the client's
    last event.
    """
    had, got = calls or _closed(source, client)
    if got > had:
        yield finding(
            corpus,
            "translation/stream-cut-call",
            next((call.pointer for call in reversed(client.calls) if call.closed), last),
            f"the upstream's stream {how} in the middle of a call, and the client receives it as a whole call",
            want=had,
            got=got,
            source=next((call.pointer for call in reversed(source.calls) if not call.closed), None),
            element="call",
        )
    elif source.end == "failed" and client.end != "failed":
        yield unreported_error(corpus, client, f"the upstream's stream {how}", last=last)
    elif source.end == "open" and client.end == "whole":
        yield finding(
            corpus,
            "translation/stream-cut-end",
            last,
            f"the upstream's stream {how}, and the client's stream ends like a whole reply",
            want=MISSING,
            got=_WHOLE,
            element="finish",
        )


def compare_beginnings(
    corpus: Corpus, said: Reading, told: Reading, how: str, *, stops: bool, last: str = ""
) -> Iterator[Finding]:
    """The first text of a source that did not end in order which the client has not, behind those before it.

    More may stand between them: what a translator says by a convention. Where the client's stream just ``stops``, it
    may stop earlier than its source.
    """
    text, at = "".join(one.text for one in _texts(told)), 0
    for one in _texts(said):
        words = one.text.strip()
        found = text.find(words, at)
        if found < 0 and not (stops and words.startswith(text[at:].strip())):
            yield finding(
                corpus,
                "translation/stream-cut-text",
                last,
                f"the upstream's stream {how}, and what it said before does not arrive as it was said",
                want=one.text,
                got=text or MISSING,
                source=one.pointer,
                element="text",
            )
        if found < 0:
            return
        at = found + len(words)


def _texts(reading: Reading) -> list[Text]:
    return [item for turn in reading.turns for item in turn.items if isinstance(item, Text)]


def unreported_error(corpus: Corpus, client: Assembled, how: str, *, last: str = "") -> Finding:
    """The finding for a stream that hides the upstream's failure: it ends like a whole reply, or just stops."""
    if client.end == "whole":
        rule, end = "translation/stream-error-told", "ends like a whole reply"
    else:
        rule, end = "translation/stream-error-as-break", "just stops"
    got = _WHOLE if client.end == "whole" else MISSING
    said = f"{how}, and the client's stream {end}"
    return finding(corpus, rule, last, said, want="an error event", got=got, element="error")


def _closed(source: Assembled, client: Assembled) -> tuple[int, int]:
    """How many calls the client may have closed, and how many it has."""
    # Where the source says the whole text of the arguments, the call may be closed at once; so it may where they are an
    # object already, on which nothing can follow.
    may = sum(call.closed or call.whole is not None or _is_object(call) for call in source.calls)
    return may, sum(call.closed for call in client.calls)


def _is_object(call: StreamedCall) -> bool:
    try:
        return isinstance(parse_arguments("".join(call.fragments)), dict)
    except TooMuchError:
        return True
    except JSONError:
        return False
