"""State that a client of another format is shown, at the place where the provider itself would show it to that client.

A translator need not show it: it may remember it, or wrap it in a place of its own. But who knows the documented place
sends back what stands there, maybe past this translator.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.basics.reading import Opaque, Reading
from toolcall_conformance.judge.translation.media.media_identity import normal_base64
from toolcall_conformance.judge.translation.pair import Pair, describe_call

_RULE: Final = "translation/reply-state-shown"
_SHOWN: Final = 20


def compare_shown_state(pair: Pair) -> Iterator[Finding]:
    """Report state on a call that is not what the provider said there.

    A call that had none may have a value all the same: some providers document one that says so.
    """
    provider = pair.source.format
    if provider == pair.output.format:
        return
    notation = normal_base64 if pair.corpus.format(provider).get("opaque_as_bytes") else str
    sources = {
        pair.call_pairs[item.call]: item
        for item in _states(pair.source)
        if item.call is not None and item.call in pair.call_pairs
    }
    apart = {notation(item.value) for item in _states(pair.source) if item.call is None}
    outputs = {item.call: item for item in _states(pair.output) if item.origin == provider and item.call is not None}
    owners = {notation(item.value): call for call, item in sources.items()}
    arrived = {
        call
        for call, item in outputs.items()
        if call in sources and notation(item.value) == notation(sources[call].value)
    }
    for call, item in outputs.items():
        owner = owners.get(notation(item.value))
        # The same on a further call loses nothing, nor does what stood beside the calls.
        if (
            call in arrived
            or notation(item.value) in apart
            or (call not in sources and (owner is None or owner in arrived))
        ):
            continue
        yield pair.finding(
            _RULE,
            item.pointer,
            "" if owner is None else f"the state of {describe_call(pair.output.calls[owner])} is on another call",
            want=_short(sources[call].value) if call in sources else MISSING,
            got=_short(item.value),
            source=sources[call if owner is None else owner].pointer,
            subject=describe_call(pair.output.calls[call]),
        )


def _states(reading: Reading) -> Iterator[Opaque]:
    for turn in reading.turns:
        yield from (item for item in turn.items if isinstance(item, Opaque))


def _short(value: str) -> str:
    """Both ends of a state: what is changed is mostly cut."""
    return value if len(value) <= 2 * _SHOWN else f"{value[:_SHOWN]} … {value[-_SHOWN:]}, {len(value)} characters"
