"""Whether a request asks for the token counts of its stream, where an API sends them only to those who ask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.translation.settings.stream_flag import asks
from toolcall_conformance.library import Corpus

RULE = "translation/usage-not-requested"
SETTING = "stream_counts"


def must_ask(corpus: Corpus, format_name: str) -> str | None:
    """Where a format's request asks for the counts of its stream; None where they always come."""
    pointer = corpus.transports[format_name]["stream"].get("counts_asked")
    return None if pointer is None else str(pointer)


def streams_uncounted(corpus: Corpus, format_name: str, body: Any) -> bool:
    """Whether the API answers a request by a stream without token counts."""
    pointer = must_ask(corpus, format_name)
    return pointer is not None and asks(body) and _value(body, pointer) is not True


def find_not_requested(sides: Sides) -> Iterator[Finding]:
    """The request for a stream without counts, where the client's API would have counted."""
    pointer = must_ask(sides.corpus, sides.output.format)
    source, output = sides.source.settings, sides.output.settings
    if pointer is None or not _is_true(output.get("stream")) or _is_true(output.get(SETTING)):
        return
    if (
        must_ask(sides.corpus, sides.source.format) is not None
        and _is_true(source.get("stream"))
        and not _is_true(source.get(SETTING))
    ):
        return
    setting = source.get(SETTING) or source.get("stream")
    got = output.get(SETTING)
    yield sides.finding(
        RULE,
        "" if got is None else got.pointer,
        f"{pointer} does not ask for the token counts of the stream",
        want=True,
        got=MISSING if got is None else got.value,
        source="" if setting is None else setting.pointer,
    )


def _is_true(setting: Any) -> bool:
    return setting is not None and setting.value is True


def _value(body: Any, pointer: str) -> Any:
    try:
        return resolve(body, pointer)
    except LookupError:
        return MISSING
