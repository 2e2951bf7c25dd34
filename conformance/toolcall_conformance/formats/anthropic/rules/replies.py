"""Rules on replies: the stop reason, and the calls and stop sequence that go with it."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.reading import Hosted, Node
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.anthropic.parts import waiting_calls
from toolcall_conformance.formats.expected_values import TEXT
from toolcall_conformance.formats.rule import Subject, rule


@rule("anthropic/finish-agrees-with-calls", "response")
def finish_agrees_with_calls(subject: Subject) -> Iterator[Breach]:
    """A reply may be cut, refused or paused within its calls: only the two normal stop reasons have to fit."""
    reason = Node(subject.body).child("stop_reason")
    calls = subject.reading.calls
    content = Node(subject.body).get("content")
    waiting = waiting_calls(content) if isinstance(content, list) else ()
    hosted = any(isinstance(item, Hosted) for turn in subject.reading.turns for item in turn.items)
    if waiting and reason.value == "end_turn":
        yield Breach(reason.pointer, "the reply has tool calls, but ended its turn", want="tool_use", got="end_turn")
    if not calls and not hosted and reason.value == "tool_use":
        message = "the reply has no tool call, so it must not end with tool_use"
        yield Breach(reason.pointer, message, want="end_turn", got="tool_use")


@rule("anthropic/stop-sequence-agrees", "response")
def stop_sequence_agrees(subject: Subject) -> Iterator[Breach]:
    root = Node(subject.body)
    reason, sequence = root.get("stop_reason"), root.child("stop_sequence")
    if reason == "stop_sequence" and not isinstance(sequence.value, str):
        yield Breach(sequence.pointer, "stop_sequence must name the stop sequence that was met", TEXT, sequence.value)
    if isinstance(reason, str) and reason != "stop_sequence" and isinstance(sequence.value, str):
        message = f"a stop sequence is named, but the reply ended with {reason}"
        yield Breach(sequence.pointer, message, None, sequence.value)
