"""Results that are lost, doubled, swapped, damaged or stand at the wrong place; marks of failure that are lost."""

from __future__ import annotations

import copy
import json
from typing import Any

from doubles.catalogue import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need
from doubles.draft import Draft
from doubles.wire import Result

NOTHING = "Tool execution failed."


@broken("results-swapped", rule="translation/results-linked", check="request")
def results_swapped(draft: Draft) -> None:
    """Two parallel results stand at each other's call."""
    one, two = _two_that_differ(draft)
    one.content, two.content = two.content, one.content


def _two_that_differ(draft: Draft) -> tuple[Result, Result]:
    for batch in draft.result_batches:
        good = [result for result in batch if not result.failed and not _sounds_bad(result)]
        if len(good) > 1 and json.dumps(good[0].content) != json.dumps(good[1].content):
            return good[0], good[1]
    need(False)
    raise AssertionError


def _sounds_bad(result: Result) -> bool:
    """Whether the text itself tells a failure: a format without a mark cannot say it otherwise."""
    return "rror" in json.dumps(result.content)


@broken("results-out-of-order", rule="translation/results-linked", check="request", target=GEMINI)
def results_out_of_order(draft: Draft) -> None:
    """Results without ids stand in another order than the calls of the same tool that they answer."""
    for handle in [*draft.calls, *draft.results]:
        handle.drop_id()
    for batch in draft.result_batches:
        first, last = batch[0], batch[-1]
        if len({result.inner["name"] for result in batch}) == 1 and first.content != last.content:
            need(not any(result.failed for result in batch))
            batch[0].holder[: len(batch)] = [result.entry for result in reversed(batch)]
            return
    need(False)


@broken("result-dropped", rule="translation/result-lost", check="request")
def result_dropped(draft: Draft) -> None:
    """The last result is gone, its call stays."""
    need(draft.results)[-1].remove()
    draft.tidy()


@broken("results-all-dropped", rule="translation/result-lost", check="request")
def results_all_dropped(draft: Draft) -> None:
    """All results are gone."""
    for result in need(draft.results):
        result.remove()
    draft.tidy()


@broken("result-only-first", rule="translation/result-lost", check="request")
def result_only_first(draft: Draft) -> None:
    """Of parallel results only the first is sent on."""
    for result in need([batch for batch in draft.result_batches if len(batch) > 1])[0][1:]:
        result.remove()


@broken("result-doubled", rule="translation/result-duplicated", check="request")
def result_doubled(draft: Draft) -> None:
    """A call is answered twice with the same result."""
    result = need(draft.results)[-1]
    result.holder.insert(result.place + 1, copy.deepcopy(result.entry))


@broken("result-invented", rule="translation/result-invented", check="request")
def result_invented(draft: Draft) -> None:
    """There is a result for a call that does not exist."""
    result = need(draft.results)[-1]
    result.holder.insert(result.place + 1, copy.deepcopy(result.entry))
    extra = draft.results[-1]
    extra.content = {"output": "ok"} if draft.format == GEMINI else "ok"
    if draft.format == GEMINI:
        extra.inner["name"] = "list_directory"
    if draft.format != GEMINI or extra.id is not None:
        extra.id = "call_nobody"


@broken("results-as-user-text", rule="translation/result-lost", check="request")
def results_as_user_text(draft: Draft) -> None:
    """Results are told as text of the user."""
    for result in need(draft.results):
        told = json.dumps(result.content)
        if draft.format == GEMINI:
            entry: Any = {"text": told}
        elif draft.format == ANTHROPIC:
            entry = {"type": "text", "text": told}
        else:
            entry = {"role": "user", "content": told}
        result.holder[result.place] = entry


def _texts(draft: Draft) -> list[Result]:
    """The results that are one text, are no failures, and say something."""
    return [result for result in draft.results if result.text and result.text.strip() and not result.failed]


@broken("result-emptied", rule="translation/result-content", check="request")
def result_emptied(draft: Draft) -> None:
    """A result lost its text."""
    good = [result for result in _texts(draft) if not _sounds_bad(result)]
    need(good)[0].text = ""


@broken("result-cut", rule="translation/result-content", check="request")
def result_cut(draft: Draft) -> None:
    """A result breaks off in the middle."""
    result = need(
        [result for result in _texts(draft) if len(str(result.text).strip()) > 3 and not _sounds_bad(result)]
    )[0]
    text = str(result.text)
    result.text = text[: len(text) // 2]


@broken("result-encoded-twice", rule="translation/result-content", check="request")
def result_encoded_twice(draft: Draft) -> None:
    """A text result was encoded as JSON once more."""
    result = need([result for result in _texts(draft) if not _sounds_bad(result)])[0]
    result.text = json.dumps(result.text)


@broken(
    "result-object-stringified", rule="translation/result-content", check="request", target=(ANTHROPIC, CHAT, RESPONSES)
)
def result_object_stringified(draft: Draft) -> None:
    """An object was turned to text by a language's own print, not as JSON."""
    result = need([result for result in _texts(draft) if _is_object(result.text) and not _sounds_bad(result)])[0]
    result.text = "[object Object]"


@broken(
    "result-object-in-python-spelling",
    rule="translation/result-content",
    check="request",
    target=(ANTHROPIC, CHAT, RESPONSES),
)
def result_object_in_python_spelling(draft: Draft) -> None:
    """An object came out in Python's spelling: single quotes, True, None."""
    result = need([result for result in _texts(draft) if _is_object(result.text) and not _sounds_bad(result)])[0]
    result.text = str(json.loads(str(result.text)))


def _is_object(text: str | None) -> bool:
    try:
        return isinstance(json.loads(text or ""), dict)
    except ValueError:
        return False


@broken("result-key-output-only", rule="translation/result-content", check="request", cases=("shell/json-result",))
def result_key_output_only(draft: Draft) -> None:
    """Of an object with several keys only ``output`` is left."""
    for result in need(draft.results):
        if draft.format == GEMINI:
            inner = result.content
            value = inner if "exit_code" in inner else json.loads(next(iter(inner.values())))
            result.content = {"output": value["output"]}
        else:
            result.text = json.loads(str(result.text))["output"]


@broken(
    "result-key-lost",
    rule="translation/result-content",
    check="request",
    cases=("shell/json-result", "read_file/big-integers"),
)
def result_key_lost(draft: Draft) -> None:
    """One key of an object is gone."""
    for result in need(draft.results):
        if draft.format == GEMINI:
            result.content.pop(need(list(result.content))[-1])
        else:
            value = json.loads(str(result.text))
            value.popitem()
            result.text = json.dumps(value)


@broken(
    "result-only-first-block",
    rule="translation/result-content",
    check="request",
    cases=("read_many_files/result-blocks",),
)
def result_only_first_block(draft: Draft) -> None:
    """Of a result of several texts only the first is left."""
    for result in need(draft.results):
        if isinstance(result.content, list):
            result.content = result.content[:1]
        else:
            lines = need(str(result.text)).splitlines(keepends=True)
            need(len(lines) > 1)
            result.text = lines[0]


@broken("result-indent-lost", rule="translation/result-content", check="request")
def result_indent_lost(draft: Draft) -> None:
    """White space inside a result was collapsed."""
    for result in _texts(draft):
        text = str(result.text).strip()
        if " ".join(text.split()) != text and not _sounds_bad(result):
            result.text = " ".join(text.split())
            return
    need(False)


@broken("result-decorated", rule="translation/result-content", check="request")
def result_decorated(draft: Draft) -> None:
    """A sentence was put before the result."""
    result = need([result for result in _texts(draft) if not _sounds_bad(result)])[0]
    result.text = f"Tool result: {result.text}"


@broken("error-mark-lost", rule="translation/error-mark", check="request", target=ANTHROPIC, sources=(GEMINI,))
def error_mark_lost(draft: Draft) -> None:
    """A failed tool is not marked as failed any more."""
    for result in need([result for result in draft.results if result.failed]):
        del result.entry["is_error"]


@broken("error-as-output", rule="translation/error-mark", check="request", target=GEMINI, sources=(ANTHROPIC,))
def error_as_output(draft: Draft) -> None:
    """A failed tool's message stands under ``output``, prefixed, as if the tool had said it."""
    for result in need(
        [result for result in draft.results if result.failed and isinstance(result.content["error"], str)]
    ):
        result.content = {"output": "Error: " + result.content["error"]}


@broken("error-mark-turned", rule="translation/error-mark", check="request", target=ANTHROPIC, sources=(GEMINI,))
def error_mark_turned(draft: Draft) -> None:
    """A failed tool is marked as successful."""
    for result in need([result for result in draft.results if result.failed]):
        result.entry["is_error"] = False


@broken(
    "success-marked-as-error",
    rule="translation/error-mark-invented",
    check="request",
    target=(ANTHROPIC, GEMINI),
    sources=(ANTHROPIC, GEMINI),
)
def success_marked_as_error(draft: Draft) -> None:
    """Results that are good are marked as failed."""
    for result in need([result for result in _texts(draft) if not _sounds_bad(result)]):
        if draft.format == GEMINI:
            result.content = {"error": result.text}
        else:
            result.entry["is_error"] = True


@broken("error-message-replaced", rule="translation/error-message", check="request", sources=(ANTHROPIC, GEMINI))
def error_message_replaced(draft: Draft) -> None:
    """A failed tool's message was replaced by a general one."""
    _replace_errors(draft, NOTHING)


@broken("error-message-emptied", rule="translation/error-message", check="request", sources=(ANTHROPIC, GEMINI))
def error_message_emptied(draft: Draft) -> None:
    """A failed tool's message is gone."""
    _replace_errors(draft, "")


def _replace_errors(draft: Draft, text: str) -> None:
    before = [result.failed for result in Draft(draft.source, draft.source_format).results]
    need(any(before))
    for failed, result in zip(before, draft.results, strict=True):
        if failed:
            result.content = {"error": text} if draft.format == GEMINI else text


@broken(
    "result-object-for-text",
    rule={
        ANTHROPIC: "anthropic/result-content",
        CHAT: "openai_chat/result-content",
        RESPONSES: "openai_responses/result-output",
    },
    check="request",
    target=(ANTHROPIC, CHAT, RESPONSES),
)
def result_object_for_text(draft: Draft) -> None:
    """The content of a result is an object where text or parts belong."""
    for result in need(draft.results):
        result.content = {"output": result.content}


@broken("result-text-for-object", rule="gemini/result-response-object", check="request", target=GEMINI)
def result_text_for_object(draft: Draft) -> None:
    """The response of a function is text where an object belongs."""
    for result in need(draft.results):
        result.content = json.dumps(result.content)


@broken("result-list-for-object", rule="gemini/result-response-object", check="request", target=GEMINI)
def result_list_for_object(draft: Draft) -> None:
    """The response of a function is a list where an object belongs."""
    for result in need(draft.results):
        result.content = [result.content]


@broken(
    "result-null",
    rule={
        CHAT: "openai_chat/result-content",
        RESPONSES: "openai_responses/result-output",
        GEMINI: "gemini/result-response-object",
    },
    check="request",
    target=(CHAT, RESPONSES, GEMINI),
)
def result_null(draft: Draft) -> None:
    """The content of a result is null."""
    for result in need(draft.results):
        result.content = None


@broken("result-name-missing", rule="gemini/result-names-call", check="request", target=GEMINI)
def result_name_missing(draft: Draft) -> None:
    """Responses do not name their function."""
    for result in need(draft.results):
        del result.inner["name"]


@broken("result-name-unknown", rule="gemini/result-names-call", check="request", target=GEMINI)
def result_name_unknown(draft: Draft) -> None:
    """Responses name a function called unknown."""
    for result in need(draft.results):
        result.inner["name"] = "unknown"


@broken("result-name-is-id", rule="gemini/result-names-call", check="request", target=GEMINI)
def result_name_is_id(draft: Draft) -> None:
    """Responses name the call's id instead of the function."""
    for number, result in enumerate(need(draft.results)):
        result.inner["name"] = f"call_9i4k1Kv00n4fXtNyI68ukXl{number}"


@broken("result-name-of-first-call", rule="gemini/result-names-call", check="request", target=GEMINI)
def result_name_of_first_call(draft: Draft) -> None:
    """All responses name the first function that was ever called."""
    for result in need(draft.results):
        result.inner["name"] = draft.calls[0].name


@broken("results-in-model-turn", rule="gemini/results-in-user-turn", check="request", target=GEMINI)
def results_in_model_turn(draft: Draft) -> None:
    """Responses stand in a content of the model."""
    for result in need(draft.results):
        (result.message or {})["role"] = "model"


@broken("results-in-assistant-message", rule="anthropic/blocks-in-role", check="request", target=ANTHROPIC)
def results_in_assistant_message(draft: Draft) -> None:
    """Results stand in the assistant's message, right behind their calls."""
    for batch in need(draft.batches):
        answers = draft.results_of(batch)
        entries = [answer.entry for answer in answers]
        for answer in answers:
            answer.remove()
        batch[-1].holder.extend(entries)
    draft.tidy()


@broken("results-with-role-tool", rule="anthropic/roles", check="request", target=ANTHROPIC)
def results_with_role_tool(draft: Draft) -> None:
    """Results stand in messages of the role tool."""
    for result in need(draft.results):
        (result.message or {})["role"] = "tool"


@broken("results-before-calls", rule="translation/results-linked", check="request", target=RESPONSES)
def results_before_calls(draft: Draft) -> None:
    """A result stands before its call."""
    call, result = need(draft.calls)[0], need(draft.results)[0]
    need(result.content)  # an empty one says nothing by which it could be known
    result.holder.remove(result.entry)
    call.holder.insert(call.place, result.entry)


@broken(
    "result-as-tool-message",
    rule=("openai_responses/result-is-item", "openai_responses/message-role"),
    check="request",
    target=RESPONSES,
)
def result_as_tool_message(draft: Draft) -> None:
    """Results stand in tool messages as in Chat Completions."""
    for result in need(draft.results):
        result.holder[result.place] = {"role": "tool", "tool_call_id": result.id, "content": result.content}


@broken(
    "calls-inside-message",
    rule=("openai_responses/call-is-item", "openai_responses/foreign-key"),
    check="request",
    target=RESPONSES,
)
def calls_inside_message(draft: Draft) -> None:
    """Calls stand in the assistant's message as in Chat Completions."""
    for call in need(draft.calls):
        function = {"name": call.name, "arguments": call.raw}
        inner = [{"id": call.id, "type": "function", "function": function}]
        call.holder[call.place] = {"role": "assistant", "content": "", "tool_calls": inner}


@broken("user-message-between-call-and-result", rule="openai_chat/results-follow-calls", check="request", target=CHAT)
def user_message_between_call_and_result(draft: Draft) -> None:
    """The user's text stands between a call and its result."""
    batch = need(draft.result_batches)[0]
    after = batch[-1].place + 1
    need(after < len(draft.messages) and draft.messages[after]["role"] == "user")
    message = draft.messages.pop(after)
    draft.messages.insert(batch[0].place, message)


@broken("results-far-from-calls", rule="openai_chat/results-follow-calls", check="request", target=CHAT)
def results_far_from_calls(draft: Draft) -> None:
    """Results stand at the end of the conversation instead of behind their calls."""
    batch = need(draft.result_batches)[0]
    need(batch[-1].place + 1 < len(draft.messages))
    ids = [call.id for call in draft.calls]
    need(len(set(ids)) == len(ids))  # else they stand behind another call of that id
    entries = [result.entry for result in batch]
    for result in batch:
        result.remove()
    draft.messages.extend(entries)


@broken("text-before-results", rule="anthropic/results-first", check="request", target=ANTHROPIC)
def text_before_results(draft: Draft) -> None:
    """The user's text stands before the results in their message."""
    for batch in draft.result_batches:
        holder = batch[0].holder
        if len(holder) > len(batch):
            holder.sort(key=lambda block: block["type"] == "tool_result")
            return
    need(False)


@broken("placeholder-before-results", rule="anthropic/results-first", check="request", target=ANTHROPIC)
def placeholder_before_results(draft: Draft) -> None:
    """A made-up text stands before the results in their message."""
    need(draft.results)[0].holder.insert(0, {"type": "text", "text": "Tool results:"})
