"""Histories that carry everything, but break a rule of their own format."""

from __future__ import annotations

import copy

from doubles.catalogue import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need
from doubles.draft import Draft

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@broken("one-id-in-a-turn", rule={
    ANTHROPIC: "anthropic/call-ids-unique",
    CHAT: "openai_chat/call-ids-unique",
    RESPONSES: "openai_responses/call-id-unique",
    GEMINI: "gemini/call-ids-unique",
}, check="request")  # fmt: skip
def one_id_in_a_turn(draft: Draft) -> None:
    """All calls and results of the conversation share one id."""
    need([batch for batch in draft.batches if len(batch) > 1])
    for handle in [*draft.calls, *draft.results]:
        handle.id = "call_0"


@broken("call-answered-twice", rule={
    ANTHROPIC: "anthropic/result-once",
    CHAT: "openai_chat/result-once",
    GEMINI: "gemini/result-once",
}, check="request", target=(ANTHROPIC, CHAT, GEMINI))  # fmt: skip
def call_answered_twice(draft: Draft) -> None:
    """A call is answered once with nothing and once with its result."""
    result = need(draft.results)[0]
    twin = copy.deepcopy(result.entry)
    result.holder.insert(result.place, twin)
    draft.results[0].content = {"output": "pending"} if draft.format == GEMINI else "pending"


@broken("call-not-answered", rule={
    ANTHROPIC: "anthropic/calls-answered",
    CHAT: "openai_chat/calls-answered",
    RESPONSES: "openai_responses/call-answered",
    GEMINI: "gemini/results-complete",
}, check="request")  # fmt: skip
def call_not_answered(draft: Draft) -> None:
    """One of several calls has no result."""
    batch = need([batch for batch in draft.result_batches if len(batch) > 1])[0]
    need(len({str(result.id) for result in batch}) == len(batch))
    batch[-1].remove()


@broken(
    "answer-to-nobody",
    rule=("gemini/result-answers-call", "gemini/result-id-matches-call"),
    check="request",
    target=GEMINI,
)
def answer_to_nobody(draft: Draft) -> None:
    """There is a response more than there were calls."""
    result = need(draft.results)[-1]
    result.holder.insert(result.place + 1, copy.deepcopy(result.entry))
    extra = draft.results[-1]
    extra.inner["name"], extra.content = "list_directory", {"output": "ok"}
    if extra.id is not None:
        extra.id = "call_nobody"


@broken("call-name-with-blank", rule={CHAT: "openai_chat/call-name"}, check="request", target=(CHAT,))
def call_name_with_blank(draft: Draft) -> None:
    """Names of calls have a blank, where the declarations have an underscore."""
    for call in need(draft.calls):
        call.name = call.name.replace("_", " ")


@broken("empty-list-of-calls", rule="openai_chat/tool-calls-not-empty", check="request", target=CHAT)
def empty_list_of_calls(draft: Draft) -> None:
    """Messages without calls have an empty list of them."""
    for message in need([m for m in draft.messages if m["role"] == "assistant" and "tool_calls" not in m]):
        message["tool_calls"] = []


@broken("error-mark-as-text", rule="anthropic/result-error-flag", check="request", target=ANTHROPIC)
def error_mark_as_text(draft: Draft) -> None:
    """The mark of failure is a text."""
    for result in need([result for result in draft.results if result.failed]):
        result.entry["is_error"] = "true"


@broken("result-blocks-of-another-format", rule={
    ANTHROPIC: "anthropic/result-blocks",
    CHAT: "openai_chat/result-text-only",
    RESPONSES: "openai_responses/result-part-type",
}, check="request", target=(ANTHROPIC, CHAT, RESPONSES))  # fmt: skip
def result_blocks_of_another_format(draft: Draft) -> None:
    """Results are lists of parts of a type that only another format has."""
    kind = {ANTHROPIC: "input_text", CHAT: "tool_result", RESPONSES: "text"}[draft.format]
    for result in need([result for result in draft.results if result.text and result.text.strip()]):
        result.content = [{"type": kind, "text": result.text}]


@broken("picture-in-tool-message", rule="openai_chat/result-text-only", check="request", target=CHAT)
def picture_in_tool_message(draft: Draft) -> None:
    """A tool message holds a picture."""
    result = need(draft.results)[0]
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}
    result.content = [{"type": "text", "text": result.text or "-"}, picture]


@broken("picture-in-failure", rule="anthropic/error-result-text", check="request", target=ANTHROPIC)
def picture_in_failure(draft: Draft) -> None:
    """A failed result holds a picture beside its text."""
    result = need([result for result in draft.results if result.failed and result.text])[0]
    source = {"type": "base64", "media_type": "image/png", "data": PICTURE}
    result.content = [{"type": "text", "text": result.text}, {"type": "image", "source": source}]


@broken("picture-as-data-address", rule="anthropic/media-raw-base64", check="request", target=ANTHROPIC)
def picture_as_data_address(draft: Draft) -> None:
    """A picture's bytes are a data: address."""
    result = need([result for result in draft.results if result.text and not result.failed])[0]
    data = f"data:image/png;base64,{PICTURE}"
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    result.content = [{"type": "text", "text": result.text}, picture]


@broken("picture-without-type", rule="gemini/media-mime", check="request", target=GEMINI)
def picture_without_type(draft: Draft) -> None:
    """A picture does not say its media type."""
    draft.messages[-1]["parts"].append({"inlineData": {"data": PICTURE}})


@broken("calls-in-user-turn", rule={
    GEMINI: "gemini/calls-in-model-turn",
    ANTHROPIC: "anthropic/blocks-in-role",
}, check="request", target=(GEMINI, ANTHROPIC))  # fmt: skip
def calls_in_user_turn(draft: Draft) -> None:
    """Calls stand in messages of the user."""
    for call in need(draft.calls):
        assert call.message is not None
        call.message["role"] = "user"


@broken("history-begins-with-call", rule="gemini/call-follows-user", check="request", target=GEMINI)
def history_begins_with_call(draft: Draft) -> None:
    """The user's text before a call is gone, so that the history begins with the call."""
    need(draft.calls and "functionCall" in str(draft.messages[1]))
    del draft.messages[0]


@broken("signature-inside-call", rule="gemini/signature-on-part", check="request", target=GEMINI)
def signature_inside_call(draft: Draft) -> None:
    """A signature stands inside the call instead of beside it."""
    need(draft.calls)[0].inner["thoughtSignature"] = "c2lnbmF0dXJl"


@broken(
    "signature-missing",
    rule="gemini/signature-demanded",
    check="request",
    target=GEMINI,
    cases=("replace/recorded-shape", "write_file/recorded-shape"),
)
def signature_missing(draft: Draft) -> None:
    """A model that demands signatures gets a call of the turn in progress without one."""
    need("functionResponse" in str(draft.messages[-1]))
    signed = [call for call in draft.calls if "thoughtSignature" in call.entry]
    need(any(call.message is draft.messages[-2] for call in signed))
    for call in signed:
        del call.entry["thoughtSignature"]


@broken("signature-no-base64", rule="gemini/signature-base64", check="request", target=GEMINI)
def signature_no_base64(draft: Draft) -> None:
    """A signature is no base64."""
    need(draft.calls)[0].entry["thoughtSignature"] = "not base64!"


@broken("message-content-object", rule={
    ANTHROPIC: "anthropic/content-shape",
    CHAT: "openai_chat/message-content",
    RESPONSES: ("openai_responses/message-content", "openai_responses/content-part", "openai_responses/shape"),
}, check="request", target=(ANTHROPIC, CHAT, RESPONSES))  # fmt: skip
def message_content_object(draft: Draft) -> None:
    """The content of a user's message is one object."""
    text = need(draft.texts_of("user"))[0]
    text.message["content"] = {"type": "text", "text": text.text}


@broken("item-ids-shared", rule="openai_responses/item-id-unique", check="request", target=RESPONSES)
def item_ids_shared(draft: Draft) -> None:
    """All calls have the same item id."""
    need(len(draft.calls) > 1)
    for call in draft.calls:
        call.entry["id"] = "fc_68f0c1d2e3a4b5c6"


@broken("item-status-success", rule="openai_responses/item-status", check="request", target=RESPONSES)
def item_status_success(draft: Draft) -> None:
    """Results say the status success."""
    for result in need(draft.results):
        result.entry["status"] = "success"


@broken("output-of-another-type", rule="openai_responses/result-type-mirrors-call", check="request", target=RESPONSES)
def output_of_another_type(draft: Draft) -> None:
    """Outputs of functions say that they are outputs of free-text tools."""
    for result in need(draft.results):
        result.entry["type"] = "custom_tool_call_output"


@broken("tool-use-items", rule="openai_responses/item-type", check="request", target=RESPONSES)
def tool_use_items(draft: Draft) -> None:
    """Calls have Anthropic's type name."""
    for call in need(draft.calls):
        call.entry["type"] = "tool_use"
