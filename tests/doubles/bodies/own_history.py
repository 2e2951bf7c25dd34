"""Histories that carry everything, but break a rule of their own format."""

from __future__ import annotations

import copy

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need
from doubles.draft import Draft

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@broken(
    {
        ANTHROPIC: "anthropic/call-ids-unique",
        CHAT: "openai_chat/call-ids-unique",
        RESPONSES: "openai_responses/call-id-unique",
        GEMINI: "gemini/call-ids-unique",
    }
)
def one_id_in_a_turn(draft: Draft) -> None:
    """All calls and results of the conversation share one id."""
    need([batch for batch in draft.batches if len(batch) > 1])
    for handle in [*draft.calls, *draft.results]:
        handle.id = "call_0"


@broken("{format}/result-once", target=(ANTHROPIC, CHAT, GEMINI), at_home=(ANTHROPIC, CHAT))
def call_answered_twice(draft: Draft) -> None:
    """A call is answered once with nothing and once with its result."""
    result = need(draft.results)[0]
    twin = copy.deepcopy(result.entry)
    result.holder.insert(result.place, twin)
    draft.results[0].content = {"output": "pending"} if draft.format == GEMINI else "pending"


@broken(
    {
        ANTHROPIC: "anthropic/calls-answered",
        CHAT: "openai_chat/calls-answered",
        RESPONSES: "openai_responses/call-answered",
        GEMINI: "gemini/results-complete",
    }
)
def call_not_answered(draft: Draft) -> None:
    """One of several calls has no result."""
    batch = need([batch for batch in draft.result_batches if len(batch) > 1])[0]
    need(len({str(result.id) for result in batch}) == len(batch))
    batch[-1].remove()


@broken(("gemini/result-answers-call", "gemini/result-id-matches-call"))
def answer_to_nobody(draft: Draft) -> None:
    """There is a response more than there were calls."""
    result = need(draft.results)[-1]
    result.holder.insert(result.place + 1, copy.deepcopy(result.entry))
    extra = draft.results[-1]
    extra.inner["name"], extra.content = "list_directory", {"output": "ok"}
    if extra.id is not None:
        extra.id = "call_nobody"


@broken("openai_chat/call-name")
def call_name_with_blank(draft: Draft) -> None:
    """Names of calls have a blank, where the declarations have an underscore."""
    for call in need(draft.calls):
        call.name = call.name.replace("_", " ")


@broken("openai_chat/tool-calls-not-empty")
def empty_list_of_calls(draft: Draft) -> None:
    """Messages without calls have an empty list of them."""
    for message in need([m for m in draft.messages if m["role"] == "assistant" and "tool_calls" not in m]):
        message["tool_calls"] = []


@broken("anthropic/result-error-flag")
def error_mark_as_text(draft: Draft) -> None:
    """The mark of failure is a text."""
    for result in need([result for result in draft.results if result.failed]):
        result.entry["is_error"] = "true"


@broken(
    {
        ANTHROPIC: "anthropic/result-blocks",
        CHAT: "openai_chat/result-text-only",
        RESPONSES: "openai_responses/result-part-type",
    }
)
def result_blocks_of_another_format(draft: Draft) -> None:
    """Results are lists of parts of a type that only another format has."""
    kind = {ANTHROPIC: "input_text", CHAT: "tool_result", RESPONSES: "text"}[draft.format]
    for result in need([result for result in draft.results if result.text and result.text.strip()]):
        result.content = [{"type": kind, "text": result.text}]


@broken("openai_chat/result-text-only")
def picture_in_tool_message(draft: Draft) -> None:
    """A tool message holds a picture."""
    result = need(draft.results)[0]
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}
    result.content = [{"type": "text", "text": result.text or "-"}, picture]


@broken("anthropic/error-result-text")
def picture_in_failure(draft: Draft) -> None:
    """A failed result holds a picture beside its text."""
    result = need([result for result in draft.results if result.failed and result.text])[0]
    source = {"type": "base64", "media_type": "image/png", "data": PICTURE}
    result.content = [{"type": "text", "text": result.text}, {"type": "image", "source": source}]


@broken("anthropic/media-raw-base64")
def picture_as_data_address(draft: Draft) -> None:
    """A picture's bytes are a data: address."""
    result = need([result for result in draft.results if result.text and not result.failed])[0]
    data = f"data:image/png;base64,{PICTURE}"
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    result.content = [{"type": "text", "text": result.text}, picture]


@broken("gemini/media-mime")
def picture_without_type(draft: Draft) -> None:
    """A picture does not say its media type."""
    draft.messages[-1]["parts"].append({"inlineData": {"data": PICTURE}})


@broken({GEMINI: "gemini/calls-in-model-turn", ANTHROPIC: "anthropic/blocks-in-role"})
def calls_in_user_turn(draft: Draft) -> None:
    """Calls stand in messages of the user."""
    for call in need(draft.calls):
        assert call.message is not None
        call.message["role"] = "user"


@broken("gemini/call-follows-user")
def history_begins_with_call(draft: Draft) -> None:
    """The user's text before a call is gone, so that the history begins with the call."""
    need(draft.calls and "functionCall" in str(draft.messages[1]))
    del draft.messages[0]


@broken("gemini/signature-on-part")
def signature_inside_call(draft: Draft) -> None:
    """A signature stands inside the call instead of beside it."""
    need(draft.calls)[0].inner["thoughtSignature"] = "c2lnbmF0dXJl"


@broken("gemini/signature-demanded", cases=("replace/recorded-shape", "write_file/recorded-shape"))
def signature_missing(draft: Draft) -> None:
    """A model that demands signatures gets a call of the turn in progress without one."""
    need("functionResponse" in str(draft.messages[-1]))
    signed = [call for call in draft.calls if "thoughtSignature" in call.entry]
    need(any(call.message is draft.messages[-2] for call in signed))
    for call in signed:
        del call.entry["thoughtSignature"]


@broken("gemini/signature-base64")
def signature_no_base64(draft: Draft) -> None:
    """A signature is no base64."""
    need(draft.calls)[0].entry["thoughtSignature"] = "not base64!"


@broken(
    {
        ANTHROPIC: "anthropic/content-shape",
        CHAT: "openai_chat/message-content",
        RESPONSES: ("openai_responses/message-content", "openai_responses/content-part", "openai_responses/shape"),
    }
)
def message_content_object(draft: Draft) -> None:
    """The content of a user's message is one object."""
    text = need(draft.texts_of("user"))[0]
    text.message["content"] = {"type": "text", "text": text.text}


@broken("openai_responses/item-id-unique")
def item_ids_shared(draft: Draft) -> None:
    """All calls have the same item id."""
    need(len(draft.calls) > 1)
    for call in draft.calls:
        call.entry["id"] = "fc_68f0c1d2e3a4b5c6"


@broken("openai_responses/item-status")
def item_status_success(draft: Draft) -> None:
    """Results say the status success."""
    for result in need(draft.results):
        result.entry["status"] = "success"


@broken("openai_responses/result-type-mirrors-call")
def output_of_another_type(draft: Draft) -> None:
    """Outputs of functions say that they are outputs of free-text tools."""
    for result in need(draft.results):
        result.entry["type"] = "custom_tool_call_output"


@broken("openai_responses/item-type")
def tool_use_items(draft: Draft) -> None:
    """Calls have Anthropic's type name."""
    for call in need(draft.calls):
        call.entry["type"] = "tool_use"


@broken("anthropic/caller-not-null")
def caller_null(draft: Draft) -> None:
    """A call says that its caller is null."""
    need(draft.calls)[0].inner["caller"] = None


@harmless(target=ANTHROPIC, beside="anthropic/caller-not-null")
def caller_direct(draft: Draft) -> None:
    """A call says that the model itself called."""
    need(draft.calls)[0].inner["caller"] = {"type": "direct"}
