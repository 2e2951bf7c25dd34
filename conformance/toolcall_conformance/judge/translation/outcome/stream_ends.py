"""How the client's stream must end if the upstream's breaks off, fails, or reaches a limit, and what comes before."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import JSONError, TooMuchError, parse_arguments
from toolcall_conformance.basics.reading import Reading, Text
from toolcall_conformance.basics.reading.assembled import Assembled, StreamedCall
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.judge.translation.calls.call_arguments import holds_cut_text, inner_values, is_broken_json
from toolcall_conformance.library import Corpus

_WHOLE: Final = Words("the end of a whole reply")
_LIKE_WHOLE: Final = "ends like a whole reply"


def compare_stream_ends(
    corpus: Corpus, source: Assembled, client: Assembled, how: str, *, last_pointer: str = "", reason: str | None = None
) -> Iterator[Finding]:
    """Report the first fault in the end of a client's stream whose source broke off or failed.

    ``how`` says how the source ended (``breaks off``). ``last_pointer`` is the pointer of the client's last event,
    ``reason`` the neutral word for why the client's reply ended, if it has one.
    """
    may, got = _count_closed_calls(source, client)
    if source.end == "failed" and client.end == "whole":  # calls that its end closed are as whole as the end
        yield unreported_error(corpus, client, f"the upstream's stream {how}", last_pointer=last_pointer, reason=reason)
    elif got > may:
        closed = next((call.pointer for call in reversed(client.calls) if call.closed), last_pointer)
        cut = next((call.pointer for call in reversed(source.calls) if not call.closed), None)
        yield _cut_call_finding(corpus, (closed, cut), how, may, got)
    elif source.end == "failed" and client.end != "failed":
        yield unreported_error(corpus, client, f"the upstream's stream {how}", last_pointer=last_pointer)
    elif source.end == "open" and client.end == "whole":
        yield make_finding(
            corpus,
            "translation/stream-cut-end",
            last_pointer,
            f"the upstream's stream {how}, and the client's stream ends like a whole reply",
            want=MISSING,
            got=_WHOLE,
            element="finish",
        )


def compare_calls_at_limit(
    corpus: Corpus, source: Assembled, reading: Reading, client: Assembled, *, last_pointer: str = ""
) -> Iterator[Finding]:
    """Report a call that the limit of tokens cut, and that the client receives as a whole one.

    Both streams ended in order; ``reading`` is the reading of the ``source``. Some translators put the text of cut
    arguments into an object, however deep: no tool takes that for its arguments.
    """
    if reading.finish is None or reading.finish.reason != "length" or len(reading.calls) != len(source.calls):
        return
    calls = zip(reading.calls, source.calls, strict=True)
    cut = [streamed for call, streamed in calls if call.kind == "function" and is_broken_json(streamed.text)]
    may, texts = len(source.calls) - len(cut), {call.text for call in cut}
    runnable = [call for call in client.calls if _is_runnable(call, texts)]
    if cut and len(runnable) > may:
        places = runnable[-1].pointer or last_pointer, cut[-1].pointer
        yield _cut_call_finding(corpus, places, "was cut by the limit of tokens", may, len(runnable))


def _cut_call_finding(corpus: Corpus, places: tuple[str, str | None], how: str, may: int, got: int) -> Finding:
    """Return the finding at two ``places``: where the client receives the call, and where the source cuts it."""
    return make_finding(
        corpus,
        "translation/stream-cut-call",
        places[0],
        f"the upstream's stream {how} in the middle of a call, and the client receives it as a whole call",
        want=Words(_calls_in_words(may)),
        got=Words(_calls_in_words(got)),
        source=places[1],
        element="call",
    )


def _calls_in_words(count: int) -> str:
    return f"{count} whole call{'' if count == 1 else 's'}"


def _is_runnable(call: StreamedCall, cut: Collection[str] = ()) -> bool:
    """Whether a client may run a call of a reply that ended: its arguments are an object without a ``cut`` text."""
    try:
        arguments = parse_arguments(call.text)
    except TooMuchError:
        return True
    except JSONError:
        return False
    return isinstance(arguments, dict) and not any(
        holds_cut_text(text, inner) for inner in inner_values(arguments) for text in cut
    )


def compare_text_beginnings(
    corpus: Corpus, source: Reading, output: Reading, how: str, *, stops: bool, last_pointer: str = ""
) -> Iterator[Finding]:
    """Report the first text, of a source that did not end in order, that the client lacks after the others.

    There may be more text between them: what a translator adds by a convention. A client's stream that just ``stops``
    may stop earlier than its source.
    """
    text, at = "".join(item.text for item in _texts(output)), 0
    for source_text in _texts(source):
        words = source_text.text.strip()
        position = text.find(words, at)
        if position < 0 and not (stops and words.startswith(text[at:].strip())):
            yield make_finding(
                corpus,
                "translation/stream-cut-text",
                last_pointer,
                f"the upstream's stream {how}, and its earlier text does not arrive unchanged",
                want=Words(source_text.text),
                got=text or MISSING,
                source=source_text.pointer,
                element="text",
            )
        if position < 0:
            return
        at = position + len(words)


def _texts(reading: Reading) -> list[Text]:
    return [item for turn in reading.turns for item in turn.items if isinstance(item, Text)]


def unreported_error(
    corpus: Corpus, client: Assembled, how: str, *, last_pointer: str = "", reason: str | None = None
) -> Finding:
    """Return the finding for a stream that hides the upstream's failure: it ends like a whole reply, or stops.

    A ``reason`` after which no client goes on is not that of a whole reply: it hides only the error's message.
    """
    whole = corpus.equivalence("finish-next-best").parameters["whole"]
    if client.end == "whole" and (reason is None or reason in whole):
        return _unreported_finding(
            corpus, "translation/stream-error-told", last_pointer, f"{how}, and the client's stream {_LIKE_WHOLE}"
        )
    end = "just stops" if client.end != "whole" else "ends with a reason that says nothing of the error"
    error_finding = _unreported_finding(
        corpus, "translation/stream-error-as-break", last_pointer, f"{how}, and the client's stream {end}"
    )
    return error_finding if client.end == "whole" else replace(error_finding, got=MISSING)


def _unreported_finding(corpus: Corpus, rule: str, last_pointer: str, message: str) -> Finding:
    return make_finding(corpus, rule, last_pointer, message, want=Words("an error event"), got=_WHOLE, element="error")


def _count_closed_calls(source: Assembled, client: Assembled) -> tuple[int, int]:
    """Return how many calls the client may have closed, and how many it has; nobody can run a call without a name."""
    # Where the source says the whole text of the arguments, the call may be closed at once; so it may where they are an
    # object already, on which nothing can follow.
    may = sum(call.closed or call.whole_text is not None or _is_runnable(call) for call in source.calls)
    return may, sum(call.closed and call.name is not None for call in client.calls)
