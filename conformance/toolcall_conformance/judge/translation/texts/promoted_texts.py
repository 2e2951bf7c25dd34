"""Words of the user's that a request gives out as instructions.

Instructions amid a conversation may become words of the user's (``late-system-text``), so texts of both are compared as
of one side. The other way round the model obeys what it was only told.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.reading import Reading, Text
from toolcall_conformance.judge.translation.pair import Pair


def compare_roles(pair: Pair) -> Iterator[Finding]:
    """Report every text amid the output's conversation that is of the system there and of the user in the source."""
    raised = _texts(pair.output, "system")
    if not raised:
        return
    orders = "\0".join(text.text for text in (*pair.source.system, *_texts(pair.source, "system")))
    user_texts = _texts(pair.source, "user")
    roles = pair.words["roles"]
    for text in raised:
        words = text.text.strip()
        origin = next((text for text in user_texts if words in text.text), None) if words not in orders else None
        if origin is not None:
            want, got = roles["user"], roles["system"]
            yield pair.finding(
                "translation/text-role",
                text.pointer,
                f"text of {want} is text of {got}",
                want=want,
                got=got,
                source=origin.pointer,
            )


def _texts(reading: Reading, side: str) -> list[Text]:
    return [item for turn in reading.turns if turn.side == side for item in turn.items if isinstance(item, Text)]
