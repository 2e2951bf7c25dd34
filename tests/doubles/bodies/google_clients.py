"""What Google's clients send: a turn a streamed call, empty texts after them, results without ids, stand-ins."""

from __future__ import annotations

import copy

from doubles.body import ANTHROPIC, CHAT, GEMINI, broken, harmless, need
from doubles.draft import Draft

TURNS = ("parallel/turn-for-each-call",)
STAND_IN = ("history/signature-stand-in",)


def _two_calls(draft: Draft, key: str) -> int:
    """The place of the message with both calls, which the client sent in a turn each."""
    places = [place for place, message in enumerate(draft.body["messages"]) if _calls(message.get(key)) == 2]
    return int(need(places)[0])


def _calls(entries: object) -> int:
    listed = entries if isinstance(entries, list) else []
    return sum(block.get("type") in ("function", "tool_use") for block in listed)


@broken("openai_chat/results-follow-calls", target=CHAT, sources=(GEMINI,), cases=TURNS)
def turn_for_each_call_kept(draft: Draft) -> None:
    """Each call stays in the turn of its own in which the client sent it, and the results follow the last."""
    place = _two_calls(draft, "tool_calls")
    both = draft.body["messages"][place]
    apart = [{**both, "tool_calls": [call]} for call in both["tool_calls"]]
    draft.body["messages"][place : place + 1] = apart


@broken("translation/results-linked", target=CHAT, sources=(GEMINI,), cases=TURNS)
def results_without_ids_from_the_end(draft: Draft) -> None:
    """Results without ids are given to the calls in the reverse order."""
    place = _two_calls(draft, "tool_calls")
    first, second = draft.body["messages"][place + 1 : place + 3]
    first["tool_call_id"], second["tool_call_id"] = second["tool_call_id"], first["tool_call_id"]


@broken("anthropic/text-not-blank", target=ANTHROPIC, sources=(GEMINI,), cases=TURNS)
def turn_of_empty_text_kept(draft: Draft) -> None:
    """The model's turn of empty text is sent on."""
    place = _two_calls(draft, "content")
    draft.body["messages"].insert(place + 1, {"role": "assistant", "content": [{"type": "text", "text": ""}]})


@harmless(target=ANTHROPIC, sources=(GEMINI,), cases=TURNS, beside="anthropic/calls-answered")
def message_for_each_call(draft: Draft) -> None:
    """Each call stands in a message of its own; to Anthropic neighbours of one role are one turn."""
    place = _two_calls(draft, "content")
    both = draft.body["messages"][place]
    draft.body["messages"][place : place + 1] = [{**both, "content": [block]} for block in copy.copy(both["content"])]


@broken("translation/state-to-stranger", target=ANTHROPIC, sources=(GEMINI,), cases=STAND_IN)
def stand_in_as_a_signature(draft: Draft) -> None:
    """The stand-in for a signature of Gemini is sent to Anthropic as a signature of its own."""
    block = {"type": "thinking", "thinking": "", "signature": "skip_thought_signature_validator"}
    draft.body["messages"][1]["content"].insert(0, block)
