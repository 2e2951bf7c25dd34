"""Whether the client gets to read thoughts: where it asks for them, the request upstream asks for them, too."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.wire_words import setting_as_written


def compare_shown_thoughts(pair: Pair) -> Iterator[Finding]:
    """Report thoughts that the client asks for, and the output does not: it turns them off, or says how to think alone.

    Between two ends of one format other comparisons see it.
    """
    before, after, word = pair.source.thoughts, pair.output.thoughts, pair.wire_words.get("thoughts")
    if before is None or before.value is not True or word is None or pair.is_same_format:
        return
    if pair.through is not None and "thoughts" not in pair.corpus.format(pair.through)["wire_words"]:
        return  # the format between has no word for it
    if after is None:
        unsaid = pair.output.settings.get("reasoning") if pair.target["thoughts_shown"] is False else None
        place = None if unsaid is None else word["place"].rpartition("/")[0]
    else:
        place = after.pointer if after.value is False else None
    if place is not None:
        yield pair.finding(
            "translation/thoughts-not-shown",
            place,
            want=word["shown"],
            got=MISSING if after is None else setting_as_written(pair.output, after),
            source=before.pointer,
            subject=word["place"].rpartition("/")[2],
        )
