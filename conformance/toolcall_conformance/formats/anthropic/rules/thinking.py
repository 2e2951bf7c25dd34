"""Rules on extended thinking, and on what it excludes."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.findings import Form, Words
from toolcall_conformance.basics.reading import Node
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.anthropic.rules.view import calls, messages, results, turns
from toolcall_conformance.formats.expected_values import object_of_type
from toolcall_conformance.formats.rule import Subject, rule

THOUGHT_TYPES = ("thinking", "redacted_thinking")


def _has_thinking(subject: Subject, *kinds: str) -> bool:
    return Node(subject.body).child("thinking").text("type") in kinds


@rule("anthropic/thinking-forced-choice", "request")
def thinking_forced_choice(subject: Subject) -> Iterator[Breach]:
    kind = Node(subject.body).child("tool_choice").child("type")
    if _has_thinking(subject, "enabled") and kind.value in ("any", "tool"):
        yield Breach(kind.pointer, want=Words("auto, or no thinking"), got=kind.value)


@rule("anthropic/thinking-temperature", "request")
def thinking_temperature(subject: Subject) -> Iterator[Breach]:
    temperature = Node(subject.body).child("temperature")
    if _has_thinking(subject, "enabled", "adaptive") and temperature.value not in (None, 1):
        yield Breach(temperature.pointer, want=1, got=temperature.value)


@rule("anthropic/thinking-budget-fits", "request")
def thinking_budget_fits(subject: Subject) -> Iterator[Breach]:
    root = Node(subject.body)
    budget, limit = root.child("thinking").child("budget_tokens"), root.get("max_tokens")
    both = isinstance(budget.value, int) and isinstance(limit, int)
    if _has_thinking(subject, "enabled") and both and budget.value >= limit:
        want = Form({"type": "integer", "maximum": limit - 1})
        yield Breach(budget.pointer, f"the budget must be below max_tokens, {limit}", want, budget.value)


@rule("anthropic/thinking-first", "request")
def thinking_first(subject: Subject) -> Iterator[Breach]:
    """The rule holds for the turn whose tool results the request sends: earlier turns may lack their thoughts.

    A turn may have several steps with results between them; mostly the model thinks before the first step only.
    """
    all_turns = subject.derive(turns)
    place = len(all_turns)
    while place >= 2 and results(all_turns[place - 1]) and all_turns[place - 2][0].role == "assistant":
        if not calls(all_turns[place - 2]):
            break
        place -= 2
    if not _has_thinking(subject, "enabled") or place == len(all_turns):
        return
    first = next(block for message in all_turns[place] for block in message.blocks)
    if first.type not in THOUGHT_TYPES:
        message = f"the turn starts with {first.type}; the model's thoughts must come first, or thinking must be off"
        yield Breach(first.pointer, message, want=object_of_type("thinking", "redacted_thinking"), got=first.type)


@rule("anthropic/thinking-not-last", "request")
def thinking_not_last(subject: Subject) -> Iterator[Breach]:
    for message in subject.derive(messages):
        if message.role == "assistant" and message.blocks and message.blocks[-1].type in THOUGHT_TYPES:
            reason = "a text or tool_use block must follow the thinking that ends this message"
            yield Breach(
                message.blocks[-1].pointer, reason, object_of_type("text", "tool_use"), message.blocks[-1].type
            )
