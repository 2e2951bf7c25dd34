"""Steps that a provider ran itself, in the history for another provider: rendered as text, or declared as lost."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.reading import Hosted, Text
from toolcall_conformance.judge.translation.calls.unpaired_calls import steps_as_calls
from toolcall_conformance.judge.translation.nearest import nearest_place
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.texts.text_chunks import is_phrase
from toolcall_conformance.judge.translation.texts.white_space import squeeze
from toolcall_conformance.judge.translation.tools.own_tools import HOSTED_TOOL


def compare_hosted_steps(pair: Pair) -> Iterator[Finding]:
    """Report each step of which no readable text arrived, unless the translator declares the loss.

    A step that became a call of the client's is reported as that.
    """
    if pair.is_same_format or HOSTED_TOOL in pair.declared or _steps_of(pair, output=True):
        return
    words = squeeze("\n".join(item.text for turn in pair.output.turns for item in turn.items if isinstance(item, Text)))
    steps: dict[str, list[Hosted]] = {}
    for step in _steps_of(pair, output=False):
        steps.setdefault(step.id or step.pointer, []).append(step)
    unread = frozenset(pair.corpus.equivalence("hosted-call-as-text").parameters["unread_members"])
    calls = {step.pointer for step in pair.view(steps_as_calls).values()}
    for group in steps.values():
        if any(step.pointer in calls for step in group):
            continue
        texts = [text for step in group for text in _readable_texts(step.value, unread) if is_phrase(pair.corpus, text)]
        if texts and not any(squeeze(text) in words for text in texts):
            yield pair.finding(
                "translation/hosted-step-lost",
                nearest_place(pair, group[0].pointer),
                want=Words(texts[0]),
                got=MISSING,
                source=group[0].pointer,
                subject=f"step {group[0].name or group[0].type}",
            )


def _steps_of(pair: Pair, *, output: bool) -> list[Hosted]:
    """Return the hosted steps in the assistant's turns."""
    turns = pair.output.turns if output else pair.source.turns
    items = chain.from_iterable(turn.items for turn in turns if turn.side == "assistant")
    return [item for item in items if isinstance(item, Hosted)]


def _readable_texts(value: Any, unread: frozenset[str]) -> Iterator[str]:
    """Yield the texts of a step that people can read."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        entries = [entry for key, entry in value.items() if key not in unread] if isinstance(value, dict) else value
        for entry in entries:
            yield from _readable_texts(entry, unread)
