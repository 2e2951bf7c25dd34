"""Faults that are easily taken for others: what must be named, and in ``never`` what would be another diagnosis."""

from __future__ import annotations

import json
from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, WITH_IDS, broken, need
from doubles.draft import Draft
from doubles.wire import Call, Result

EQUAL = ("ids/equal-calls", "parallel/two-rounds", "parallel/recorded-shape")
"""Cases in which several results say the same."""

NOT_GIVEN = ("translation/result-invented", "translation/result-lost", "translation/result-duplicated")


@broken("translation/call-lost", target=WITH_IDS, cases=EQUAL, never=NOT_GIVEN)
def call_lost_among_equal_results(draft: Draft) -> None:
    """A call is gone, its result stays, and another result says the same."""
    texts = [json.dumps(result.content) for result in draft.results]
    twin = need([place for place, each in enumerate(texts) if texts.count(each) > 1])[0]
    _drop_call_of(draft, draft.results[twin])


@broken("translation/call-lost", target=WITH_IDS, never=NOT_GIVEN)
def call_lost_result_changed(draft: Draft) -> None:
    """A call is gone, its result stays and says something else."""
    called = {call.id for call in draft.calls}
    result = need([each for each in draft.results if each.text and not each.failed and each.id in called])[-1]
    result.text = "It is done."
    _drop_call_of(draft, result)


def _drop_call_of(draft: Draft, result: Result) -> None:
    next(call for call in draft.calls if call.id == result.id).remove()
    draft.tidy()


@broken("translation/call-lost", target=WITH_IDS, cases=EQUAL, never=NOT_GIVEN)
def all_calls_lost_results_kept(draft: Draft) -> None:
    """All calls of the history are gone, and their results stay."""
    for call in need(draft.calls):
        call.remove()
    draft.tidy()


@broken("translation/results-linked", target=WITH_IDS, cases=EQUAL, never=NOT_GIVEN)
def result_ids_of_their_own(draft: Draft) -> None:
    """Results have ids that no call has, and some of them say the same."""
    for number, result in enumerate(need(draft.results)):
        result.id = f"call_Vd3kQxT9mLrZ8uWbYc5HnP{number:02}"


@broken("translation/result-lost", never=("translation/text-invented", "translation/text-changed"))
def results_as_transcript(draft: Draft) -> None:
    """Results are told in the user's text, under a heading with the name of the tool."""
    names = {call.id: call.name for call in draft.calls}
    for result in need(draft.results):
        name = result.inner["name"] if draft.format == GEMINI else names.get(result.id, "a tool")
        result.holder[result.place] = _text(draft, "user", f"[Result of {name}]\n{json.dumps(result.content)}")


@broken("translation/call-lost", never="translation/text-invented")
def calls_as_text(draft: Draft) -> None:
    """Calls and results are told as text, as for a model that has no tools."""
    for result in need(draft.results):
        result.holder[result.place] = _text(draft, "user", f"{result.id}: {json.dumps(result.content)}")
    for call in need([call for call in draft.calls if call.id]):
        call.holder[call.place] = _text(draft, "assistant", json.dumps(_said(call)))
    if draft.format == CHAT:
        for message in draft.messages:
            need(not any("custom" in call for call in message.get("tool_calls", [])))
            calls = message.pop("tool_calls", [])
            if calls:
                message["content"] = "\n".join([*filter(None, [message["content"]]), *(part["text"] for part in calls)])


@broken(
    "translation/call-lost",
    target=GEMINI,
    cases=("ids/equal-calls",),
    never=(*NOT_GIVEN, "translation/calls-split", "translation/text-moved", "translation/text-moved-in-turn"),
)
def equal_calls_made_one(draft: Draft) -> None:
    """Of equal calls of a turn one is left, so that those of later turns are to be told from the lost ones."""
    batch = need([batch for batch in draft.batches if len(batch) > 1] if len(draft.batches) > 1 else [])[0]
    for call in batch[1:]:
        call.remove()
    for handle in [*draft.calls, *draft.results]:
        handle.drop_id()


@broken("translation/call-lost", target=WITH_IDS, never=("translation/call-name", "translation/arguments"))
def id_of_a_lost_call(draft: Draft) -> None:
    """A call is lost, and another one, which is whole, has its id."""
    first, second = need([batch for batch in draft.batches if len(batch) > 1])[0][:2]
    need((first.name, first.arguments) != (second.name, second.arguments))
    need(len({call.id for call in draft.calls}) == len(draft.calls))
    second.id = first.id
    first.remove()


@broken(
    "translation/call-lost", target=WITH_IDS, check="response", never=("translation/call-name", "translation/arguments")
)
def reply_id_of_a_lost_call(draft: Draft) -> None:
    """Of a reply's calls one is lost, and another one, which is whole, has its id."""
    first, second = need(draft.calls if len(draft.whole_calls) > 1 else [])[:2]
    need((first.name, first.arguments) != (second.name, second.arguments))
    second.id = first.id
    first.remove()


def _said(call: Call) -> dict[str, Any]:
    return {"tool": call.name, "id": call.id, "arguments": call.arguments}


def _text(draft: Draft, side: str, text: str) -> dict[str, Any]:
    """A text at the place of a call or a result."""
    if draft.format == GEMINI:
        return {"text": text}
    if draft.format == ANTHROPIC or (draft.format == CHAT and side == "assistant"):
        return {"type": "text", "text": text}
    if draft.format == RESPONSES and side == "assistant":
        return {"role": side, "content": [{"type": "output_text", "text": text}]}
    return {"role": side, "content": text}
