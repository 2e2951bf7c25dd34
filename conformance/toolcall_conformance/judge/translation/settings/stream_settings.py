"""Whether a request asks for a stream, and for the stream's token counts, which some APIs send only on request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.library import Corpus

STREAM_RULE = "translation/stream-lost"


def has_stream_flag(corpus: Corpus, format_name: str) -> bool:
    """Whether a format's requests ask for a stream in their body; others do so by their address."""
    return corpus.transports[format_name]["stream"].get("body", {}).get("stream") is True


def requests_stream(body: Any) -> bool:
    """Whether a body has the flag that asks for a stream."""
    return isinstance(body, dict) and body.get("stream") is True


def report_lost_stream(pair: Pair) -> Iterator[Finding]:
    """Report a lost wish for a stream, where both bodies can express it."""
    before, after = pair.source.settings.get("stream"), pair.output.settings.get("stream")
    wished = before is not None and before.value is True and has_stream_flag(pair.corpus, pair.output.format)
    if before is not None and wished and (after is None or after.value is not True):
        got = MISSING if after is None else after.value
        pointer = "" if after is None else after.pointer
        counts = pair.corpus.transports[pair.output.format]["stream"].get("counts_asked")
        # A request for a stream has to ask for its token counts as well.
        want = True if counts is None or pair.value_at(counts, MISSING) is True else Words(f"true, and so at {counts}")
        yield pair.finding(STREAM_RULE, pointer, want=want, got=got, source=before.pointer)


COUNTS_RULE = "translation/usage-not-requested"
COUNTS_SETTING = "stream_counts"


def counts_flag_pointer(corpus: Corpus, format_name: str) -> str | None:
    """Return where a format's request asks for the counts of its stream; None if the API always sends them."""
    pointer = corpus.transports[format_name]["stream"].get("counts_asked")
    return None if pointer is None else str(pointer)


def is_uncounted_stream(corpus: Corpus, format_name: str, body: Any) -> bool:
    """Whether the API answers a request by a stream without token counts."""
    pointer = counts_flag_pointer(corpus, format_name)
    return pointer is not None and requests_stream(body) and _value_at(body, pointer) is not True


def report_uncounted_stream(sides: Sides) -> Iterator[Finding]:
    """Report a request for a stream without counts, where the client's API would have counted."""
    pointer = counts_flag_pointer(sides.corpus, sides.output.format)
    source, output = sides.source.settings, sides.output.settings
    if pointer is None or not _is_true(output.get("stream")) or _is_true(output.get(COUNTS_SETTING)):
        return
    if (
        counts_flag_pointer(sides.corpus, sides.source.format) is not None
        and _is_true(source.get("stream"))
        and not _is_true(source.get(COUNTS_SETTING))
    ):
        return
    setting = source.get(COUNTS_SETTING) or source.get("stream")
    got = output.get(COUNTS_SETTING)
    yield sides.finding(
        COUNTS_RULE,
        "" if got is None else got.pointer,
        f"{pointer} does not ask for the token counts of the stream",
        want=True,
        got=MISSING if got is None else got.value,
        source="" if setting is None else setting.pointer,
    )


def _is_true(setting: Any) -> bool:
    return setting is not None and setting.value is True


def _value_at(body: Any, pointer: str) -> Any:
    try:
        return resolve(body, pointer)
    except LookupError:
        return MISSING
