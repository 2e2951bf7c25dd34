"""Calls that are lost, doubled, made up, split, merged or renamed."""

from __future__ import annotations

import copy
import json
from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need
from doubles.draft import Draft
from doubles.wire import Call, Result

FRESH = {
    ANTHROPIC: "toolu_01Vd3kQxT9mLrZ8uWbYc5HnP",
    CHAT: "call_Vd3kQxT9mLrZ8uWbYc5HnPeA",
    RESPONSES: "call_Vd3kQxT9mLrZ8uWbYc5HnPeA",
    GEMINI: "vd3kqxt9",
}


@broken("translation/call-lost")
def call_dropped(draft: Draft) -> None:
    """The first call of the history is gone, with its result."""
    batch = need(draft.batches)[0]
    need(draft.results_of(batch))[0].remove()
    batch[0].remove()
    draft.tidy()


@broken("translation/call-lost", never="translation/result-invented")
def call_dropped_result_kept(draft: Draft) -> None:
    """The first call of the history is gone, its result stays."""
    need(draft.calls)[0].remove()
    draft.tidy()


@broken("translation/call-lost", target=RESPONSES, never="translation/text-moved")
def calls_as_braces(draft: Draft) -> None:
    """Each call of the history is a text of the user that says nothing but {}; the results stay."""
    for call in need(draft.calls):
        draft.messages[call.place] = {"role": "user", "content": "{}"}


@broken("translation/call-lost")
def history_of_tools_dropped(draft: Draft) -> None:
    """All calls and results of the history are gone."""
    need(draft.calls)
    for handle in [*draft.results, *draft.calls]:
        handle.remove()
    draft.tidy()


@broken("translation/call-lost", check="response")
def reply_call_dropped(draft: Draft) -> None:
    """A reply comes without its calls."""
    for call in need(draft.calls):
        call.remove()
    draft.tidy()


@broken("translation/call-lost", check="response")
def reply_only_first_call(draft: Draft) -> None:
    """Of parallel calls only the first comes through."""
    need(draft.whole_calls[1:])
    for call in draft.calls[1:]:
        call.remove()


@broken("translation/call-lost")
def only_first_call(draft: Draft) -> None:
    """Of parallel calls in the history only the first is sent on, with its result."""
    batch = need([batch for batch in draft.batches if len(batch) > 1])[0]
    answers = draft.results_of(batch)
    need(len(answers) == len(batch))
    for handle in [*answers[1:], *batch[1:]]:
        handle.remove()


@broken("translation/call-duplicated")
def call_doubled(draft: Draft) -> None:
    """A call of the history stands there twice, each with the result."""
    batch = need(draft.batches)[0]
    answer = need(draft.results_of(batch))[0]
    for handle in (answer, batch[0]):
        twin = copy.deepcopy(handle.entry)
        handle.holder.insert(handle.place + 1, twin)
    call, result = draft.calls[1], draft.results_of(draft.batches[0])[1]
    if call.id is not None:
        call.id = result.id = FRESH[draft.format]


@broken("translation/call-duplicated", check="response")
def reply_call_doubled(draft: Draft) -> None:
    """A reply makes one call twice, under two ids."""
    call = need(draft.calls)[-1]
    call.holder.insert(call.place + 1, copy.deepcopy(call.entry))
    twin = draft.calls[-1]
    if twin.id is not None:
        twin.id = FRESH[draft.format]
    if draft.format == RESPONSES:
        twin.entry["id"] = "fc_0d5e7c91a2b34f6880c7d1e2f3a4b5c6d7e8f90a1b2c3d4e5f"


@broken("translation/call-invented", check="response")
def reply_call_invented(draft: Draft) -> None:
    """A reply makes a call that the model did not make."""
    call = need(draft.calls)[-1]
    call.holder.insert(call.place + 1, copy.deepcopy(call.entry))
    extra = draft.calls[-1]
    extra.name, extra.arguments = "list_directory", {"path": "/"}
    if extra.id is not None:
        extra.id = FRESH[draft.format]


@broken("translation/call-invented")
def call_invented(draft: Draft) -> None:
    """The history has a call, and a result, that nobody made."""
    batch = need(draft.batches)[-1]
    answer = need(draft.results_of(batch))[-1]
    for handle in (answer, batch[-1]):
        handle.holder.insert(handle.place + 1, copy.deepcopy(handle.entry))
    extra, result = draft.calls[-1], draft.results[-1]
    extra.name, extra.arguments = "list_directory", {"path": "/"}
    if extra.id is not None:
        extra.id = result.id = FRESH[draft.format]
    if draft.format == GEMINI:
        result.inner["name"] = "list_directory"


@broken("translation/call-name")
def call_name_changed(draft: Draft) -> None:
    """The history calls a tool by another name than its declaration."""
    call = need(draft.calls)[0]
    call.name += "_v2"


@broken("translation/call-name", check="response")
def reply_call_name_changed(draft: Draft) -> None:
    """A reply calls a tool by a name that the client did not declare."""
    call = need(draft.calls)[0]
    call.name = "default_api." + call.name if draft.format == GEMINI else "mcp__fs__" + call.name


@broken("translation/call-name")
def call_name_empty(draft: Draft) -> None:
    """A call of the history has an empty name."""
    need(draft.calls)[0].name = ""


@broken("translation/call-name", check="response")
def reply_call_name_missing(draft: Draft) -> None:
    """A call of a reply has no name."""
    del need(draft.calls)[0].inner["name"]


@broken("translation/call-name")
def name_prefixed_in_declaration_only(draft: Draft) -> None:
    """Tools are declared under a prefixed name, and the history goes on with the bare one."""
    need(draft.calls)
    for tool in need(draft.tools):
        tool.inner["name"] = "fs_" + tool.inner["name"]
    need(not {"tool_choice", "toolConfig"} & draft.body.keys() or draft.body.get("tool_choice") in ("auto", "none"))


@broken("translation/calls-split")
def calls_one_by_one(draft: Draft) -> None:
    """Parallel calls are told as if each had been made after the result of the one before."""
    batch = need([batch for batch in draft.batches if len(batch) > 1])[0]
    answers = draft.results_of(batch)
    need(len(answers) == len(batch))
    if draft.format == RESPONSES:
        start = batch[0].place
        entries = [entry for call, answer in zip(batch, answers, strict=True) for entry in (call.entry, answer.entry)]
        batch[0].holder[start : start + len(entries)] = entries
        return
    at = next(index for index, message in enumerate(draft.messages) if message is batch[0].message)
    pairs = list(zip([call.entry for call in batch], [answer.entry for answer in answers], strict=True))
    for call in batch[1:]:
        call.remove()
    for answer in answers[1:]:
        answer.remove()
    if draft.format == GEMINI:
        turns: list[dict[str, Any]] = [
            turn for call, answer in pairs[1:]
            for turn in ({"role": "model", "parts": [call]}, {"role": "user", "parts": [answer]})
        ]  # fmt: skip
    elif draft.format == CHAT:
        turns = [
            turn for call, answer in pairs[1:]
            for turn in ({"role": "assistant", "content": None, "tool_calls": [call]}, answer)
        ]  # fmt: skip
    else:
        turns = [
            turn for call, answer in pairs[1:]
            for turn in ({"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]})
        ]  # fmt: skip
    draft.messages[at + 2 : at + 2] = turns


@broken("openai_chat/results-follow-calls")
def calls_in_messages_of_their_own(draft: Draft) -> None:
    """Parallel calls stand in assistant messages of their own, one after the other, before all results."""
    batch = need([batch for batch in draft.batches if len(batch) > 1])[0]
    at = next(index for index, message in enumerate(draft.messages) if message is batch[0].message)
    rest = [call.entry for call in batch[1:]]
    for call in batch[1:]:
        call.remove()
    draft.messages[at + 1 : at + 1] = [{"role": "assistant", "content": None, "tool_calls": [entry]} for entry in rest]


@broken("translation/calls-merged")
def rounds_merged(draft: Draft) -> None:
    """Calls of two rounds are told as one parallel batch, with all results behind."""
    need(len(draft.batches) > 1)
    first, second = draft.batches[:2]
    first_results, second_results = draft.results_of(first), draft.results_of(second)
    need(len(first_results) == len(first) and len(second_results) == len(second))
    calls, answers = [call.entry for call in second], [answer.entry for answer in second_results]
    last, last_result = first[-1], first_results[-1]
    if draft.format in (RESPONSES, CHAT):
        # Only where the second round follows the first at once; a text between would be another fault.
        gap: dict[str, Any] = draft.messages[last_result.place + 1]
        need(gap is (second[0].message if draft.format == CHAT else second[0].entry) and not gap.get("content"))
    else:
        need(len(second[0].holder) == len(second) and _next_to(draft, first_results, second))
    for handle in [*second, *second_results]:
        handle.remove()
    last_result.holder[last_result.place + 1 : last_result.place + 1] = answers
    last.holder[last.place + 1 : last.place + 1] = calls
    draft.tidy()
    if draft.format == CHAT:
        draft.messages[:] = [
            message for message in draft.messages if message.get("content") is not None or "tool_calls" in message
        ]


def _next_to(draft: Draft, results: list[Result], calls: list[Call]) -> bool:
    """Whether the message of some calls follows that of some results, which has nothing else."""
    messages = [id(message) for message in draft.messages]
    here, there = messages.index(id(results[0].message)), messages.index(id(calls[0].message))
    return there == here + 1 and len(results[0].holder) == len(results)


@broken("translation/call-lost")
def calls_as_text(draft: Draft) -> None:
    """A call of the history is told as text."""
    call = need(draft.calls)[0]
    need(len(call.holder) > 0)
    text = f"[called {call.name} with {json.dumps(call.arguments)}]"
    if draft.format in (ANTHROPIC, GEMINI):
        place = call.place
        block = {"type": "text", "text": text} if draft.format == ANTHROPIC else {"text": text}
        call.holder[place] = block
    elif draft.format == RESPONSES:
        call.holder[call.place] = {"role": "assistant", "content": text}
    else:
        message = call.message or {}
        message["content"] = "\n".join(filter(None, [message.get("content"), text]))
        call.remove()
        draft.tidy()


@broken("translation/server-call-as-client-call", target=(CHAT, RESPONSES, GEMINI), check="response")
def hosted_step_as_call(draft: Draft) -> None:
    """A step that the provider ran itself is handed to the client as a call to run."""
    hosted = [
        (
            item.get("id"),
            item.get("name") or item["type"].removesuffix("_call"),
            item.get("input") or item.get("action"),
        )
        for item in [*(draft.source.get("content") or []), *(draft.source.get("output") or [])]
        if item.get("type") == "server_tool_use" or str(item.get("type")).endswith("search_call")
    ]
    identity, name, arguments = need(hosted)[0]
    text = json.dumps(arguments or {})
    if draft.format == CHAT:
        call = {"id": identity, "type": "function", "function": {"name": name, "arguments": text}}
        draft.messages[0].setdefault("tool_calls", []).append(call)
        draft.body["choices"][0]["finish_reason"] = "tool_calls"
    elif draft.format == RESPONSES:
        call = {"type": "function_call", "id": "fc_5a", "call_id": identity, "name": name, "arguments": text}
        draft.body["output"].append(call | {"status": "completed"})
    else:
        part = {"functionCall": {"id": identity, "name": name, "args": arguments or {}}}
        draft.messages[0].setdefault("parts", []).append(part)
