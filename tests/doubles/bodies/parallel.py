"""Calls made at once and their results: merged, linked by something else than the call, or said at another time."""

from __future__ import annotations

import json
import re
from hashlib import sha1
from typing import Any

from doubles.bodies.results import words
from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, WITH_IDS, broken, need, warning
from doubles.draft import Draft

TWICE = ("parallel/same-arguments-twice", "ids/equal-calls")


def equal_calls(draft: Draft) -> list[Any]:
    """The first calls of one batch that have the same name and arguments."""
    for batch in draft.batches:
        ids_by_content: dict[str, Any] = {}
        for call in batch:
            key = json.dumps([call.name, call.arguments], sort_keys=True)
            if key in ids_by_content:
                return [ids_by_content[key], call]
            ids_by_content[key] = call
    need(False)
    raise AssertionError


@broken("translation/call-lost", cases=TWICE)
def equal_calls_made_one(draft: Draft) -> None:
    """Of two calls that are equal one is left, with its result."""
    second = equal_calls(draft)[1]
    place = [call.entry for call in draft.calls].index(second.entry)
    second.remove()
    if len(draft.results) > place:
        draft.results[place].remove()


@broken("translation/call-lost", check="response", cases=TWICE)
def reply_equal_calls_made_one(draft: Draft) -> None:
    """Of two calls of a reply that are equal one is left."""
    equal_calls(draft)[1].remove()


@broken("translation/ids-injective", target=WITH_IDS, check="response", cases=TWICE)
def reply_ids_from_arguments(draft: Draft) -> None:
    """The id of a call is a hash of what it says, so that equal calls have one id."""
    equal_calls(draft)
    for call in draft.calls:
        text = json.dumps([call.name, call.arguments], sort_keys=True)
        call.id = "call_" + sha1(text.encode()).hexdigest()[:24]


@broken(
    {
        ANTHROPIC: "anthropic/result-once",
        CHAT: "openai_chat/result-once",
        RESPONSES: ("openai_responses/call-answered", "translation/results-linked"),
    }
)
def results_linked_by_name(draft: Draft) -> None:
    """A result answers the last call of its tool, whichever it was given for."""
    for batch in draft.batches:
        last = {call.name: call.id for call in batch}
        names = {call.id: call.name for call in batch}
        if len(last) < len(names):
            for result in draft.results:
                result.id = last[names[result.id]] if result.id in names else result.id
            return
    need(False)


@broken("translation/results-linked", target=GEMINI, cases=("parallel/results-swapped", "parallel/late-results"))
def results_in_order_of_arrival(draft: Draft) -> None:
    """Results without ids stand in the order in which the client gave them."""
    source = Draft(draft.source, draft.source_format)
    calls = [call.id for call in source.calls]
    arrived = [calls.index(result.id) for result in need(source.results)]
    need(arrived != sorted(arrived))
    for handle in [*draft.calls, *draft.results]:
        handle.drop_id()
    entries = [result.entry for result in draft.results]
    for result, place in zip(draft.results, arrived, strict=True):
        result.holder[result.place] = {"place": place}
    for part in draft.messages[2]["parts"]:
        if "place" in part:
            part.update(entries[part.pop("place")])


@broken("translation/text-lost", target=(ANTHROPIC, RESPONSES, GEMINI), check="response")
def reply_text_behind_calls_lost(draft: Draft) -> None:
    """What the model says behind its last call is gone."""
    _behind(draft)[-1].remove()


@warning(
    "translation/text-moved-in-turn",
    target=(ANTHROPIC, RESPONSES),
    check="response",
    sources=(ANTHROPIC, RESPONSES, GEMINI),
    never="translation/text-moved",
)
def reply_text_between_calls_first(draft: Draft) -> None:
    """All that the model says stands before its calls."""
    texts = _behind(draft)
    entries = [text.holder if text.blocks is not None and draft.format != RESPONSES else text.message for text in texts]
    rows = draft.messages if draft.format == RESPONSES else texts[0].blocks
    for entry in entries:
        rows.remove(entry)
    first = min(call.place for call in draft.calls)
    rows[first:first] = entries


def _behind(draft: Draft) -> list[Any]:
    """The texts of the assistant that stand behind a call of their turn."""
    first = need(draft.calls)[0]
    texts = []
    for text in draft.texts_of("assistant"):
        rows = draft.messages if draft.format == RESPONSES else text.blocks
        entry = text.message if draft.format == RESPONSES else text.holder
        if rows is first.holder and rows.index(entry) > first.place:
            texts.append(text)
    return list(need(texts))


@broken("translation/text-moved", target=RESPONSES, sources=(ANTHROPIC, GEMINI), cases=("parallel/text-around",))
def text_between_calls_behind_results(draft: Draft) -> None:
    """What the model says between its calls stands behind their results."""
    text = _behind(draft)[0]
    draft.messages.remove(text.message)
    draft.messages.insert(draft.results[-1].place + 1, text.message)


@broken("translation/error-mark-invented", target=(ANTHROPIC, GEMINI), sources=(ANTHROPIC, GEMINI))
def failure_of_the_neighbour(draft: Draft) -> None:
    """Of two results the wrong one is marked as failed."""
    for batch in draft.result_batches:
        failed = [result for result in batch if result.failed]
        good = [result for result in batch if not result.failed and result.text]
        if failed and good and words(failed[0]) != words(good[0]):
            if draft.format == GEMINI:
                failed[0].content = {"output": next(iter(failed[0].content.values()))}
                good[0].content = {"error": next(iter(good[0].content.values()))}
            else:
                del failed[0].entry["is_error"]
                good[0].entry["is_error"] = True
            return
    need(False)


@broken("translation/calls-merged", target=(CHAT, GEMINI))
def rounds_made_one(draft: Draft) -> None:
    """The calls of two rounds stand in one turn, and all their results behind it."""
    first, second = need([batch for batch in draft.batches if batch] if len(draft.batches) > 1 else [])[:2]
    message = need(first[0].message)
    need(message is not second[0].message and not message.get("content"))
    key = "tool_calls" if draft.format == CHAT else "parts"
    moved = [call.entry for call in second]
    for call in second:
        call.remove()
    message[key].extend(moved)
    results = draft.results[: len(first) + len(second)]
    if draft.format == CHAT:
        rest = results[len(first) :]
        entries = [result.entry for result in rest]
        for result in rest:
            result.remove()
        at = results[len(first) - 1].place + 1
        draft.messages[at:at] = entries
    else:
        entries = [result.entry for result in results[len(first) :]]
        for result in results[len(first) :]:
            result.remove()
        results[0].holder.extend(entries)
    draft.tidy()


@warning("translation/call-order", check="response")
def calls_reordered(draft: Draft) -> None:
    """Parallel calls of a reply stand in another order."""
    batch = need([batch for batch in draft.batches if len(batch) > 1])[0]
    need(not re.search("ignature|encrypted_content", str(draft.body)))  # state has its place before a certain call
    need(batch[0].arguments != batch[-1].arguments and batch[-1].place == batch[0].place + len(batch) - 1)
    batch[0].holder[batch[0].place : batch[-1].place + 1] = [call.entry for call in reversed(batch)]


@warning("translation/calls-in-separate-messages", target=GEMINI)
def calls_in_contents_of_their_own(draft: Draft) -> None:
    """Parallel calls stand in contents of their own, one after the other."""
    batch = need([batch for batch in draft.batches if len(batch) > 1])[0]
    need("thoughtSignature" not in batch[0].entry)  # else each content needs one
    need(batch[-1].place - batch[0].place == len(batch) - 1 and batch[-1].entry is batch[-1].holder[-1])
    at = next(index for index, message in enumerate(draft.messages) if message is batch[0].message)
    rest = [call.entry for call in batch[1:]]
    for call in batch[1:]:
        call.remove()
    draft.messages[at + 1 : at + 1] = [{"role": "model", "parts": [entry]} for entry in rest]
