"""Rules on replies: the numbers of choices, and the token counts."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.rule import Subject, repeated_indexes, rule


@rule("openai_chat/usage-total", "response")
def usage_total(subject: Subject) -> Iterator[Breach]:
    usage = subject.reading.usage
    if {"input", "output", "total"} <= usage.keys() and usage["input"] + usage["output"] != usage["total"]:
        yield Breach(join("/usage", "total_tokens"), want=usage["input"] + usage["output"], got=usage["total"])


@rule("openai_chat/choice-once", "response")
def choice_once(subject: Subject) -> Iterator[Breach]:
    choices = subject.body.get("choices") if isinstance(subject.body, dict) else None
    for pointer, index in repeated_indexes(choices, "/choices"):
        yield Breach(pointer, f"a choice before this one has the index {index}", MISSING, index)
