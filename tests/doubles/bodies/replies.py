"""Replies with other generated values, with keys more or less, and bodies that come through unchanged."""

from __future__ import annotations

import copy

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, SAME, harmless, need, warning
from doubles.draft import Draft


@harmless(check="response", beside="translation/foreign-key")
def reply_unknown_keys(draft: Draft) -> None:
    """A reply has keys that nobody documents; providers add such."""
    draft.body["x_trace"] = {"region": "eu-7", "attempt": 1}
    message = draft.messages[0] if draft.messages else {}
    message["x_note"] = "beta"


@harmless(check="response")
def reply_generated_values(draft: Draft) -> None:
    """A reply has another id and time."""
    if draft.format == GEMINI:
        draft.body["responseId"] = f"{draft.body.get('responseId', '')}Zm9v"
        draft.body["createTime"] = "2026-11-21T08:00:00Z"
    else:
        draft.body["id"] += "X1"  # each reply its own
        for key in ("created", "created_at"):
            if key in draft.body:
                draft.body[key] = 1790000000


@harmless(check="response")
def reply_another_model(draft: Draft) -> None:
    """A reply names the model under another name."""
    draft.body["modelVersion" if draft.format == GEMINI else "model"] = "proxy/large-latest"


@harmless(target=CHAT, check="response", beside=("openai_chat/refusal-text", "openai_chat/reply-choice"))
def reply_optional_nulls(draft: Draft) -> None:
    """A message says refusal null and no annotations."""
    draft.messages[0] |= {"refusal": None, "annotations": []}
    draft.body["choices"][0]["logprobs"] = None
    draft.body |= {"service_tier": "default", "system_fingerprint": "fp_6a6019249c"}


@harmless(target=CHAT, check="response", beside=("openai_chat/reply-choice", "openai_chat/reply-envelope"))
def reply_optional_keys_absent(draft: Draft) -> None:
    """A message has no refusal key and a choice no logprobs."""
    draft.messages[0].pop("refusal", None)
    draft.body["choices"][0].pop("logprobs", None)
    for key in ("prompt_tokens_details", "completion_tokens_details"):
        draft.body["usage"].pop(key, None)


@harmless(
    target=GEMINI,
    check="response",
    beside=("gemini/part-one-field", "gemini/call-args-object", "gemini/signature-base64", "gemini/usage-counts"),
)
def reply_gemini_nulls(draft: Draft) -> None:
    """What a Gemini reply may leave out is null, as the mapping of protocol buffers to JSON takes it."""
    candidate = draft.body["candidates"][0]
    for key in ("text", "functionCall", "inlineData", "executableCode", "thought", "thoughtSignature"):
        for part in need(candidate.get("content", {}).get("parts")):
            part.setdefault(key, None)
    for key in ("index", "finishMessage", "groundingMetadata"):
        candidate.setdefault(key, None)
    for key in ("thoughtsTokenCount", "cachedContentTokenCount", "toolUsePromptTokenCount"):
        draft.body.setdefault("usageMetadata", {}).setdefault(key, None)
    for key in ("promptFeedback", "error", "responseId"):
        draft.body.setdefault(key, None)


@harmless(target=ANTHROPIC, check="response", beside=("anthropic/usage-shape", "translation/foreign-key"))
def reply_anthropic_extras(draft: Draft) -> None:
    """A reply has the newer keys of the API: caller, container, service tier."""
    for call in draft.calls:
        call.entry["caller"] = {"type": "direct"}
    draft.body["container"] = None
    draft.body["usage"] |= {"service_tier": "standard", "inference_geo": "not_available"}


@harmless(target=GEMINI, check="response", beside=("gemini/finish-reason", "translation/finish-reason"))
def reply_gemini_extras(draft: Draft) -> None:
    """A reply has ratings, probabilities and a finish message."""
    candidate = draft.body["candidates"][0]
    candidate["avgLogprobs"] = -0.013
    candidate["safetyRatings"] = [{"category": "HARM_CATEGORY_HARASSMENT", "probability": "NEGLIGIBLE"}]
    if draft.calls:
        candidate["finishMessage"] = "Model generated function call(s)."


@harmless(target=GEMINI, check="response", beside="gemini/candidates-or-feedback")
def reply_gemini_index_absent(draft: Draft) -> None:
    """A candidate has no index: proto-JSON leaves zeros out."""
    draft.body["candidates"][0].pop("index", None)


@harmless(
    target=RESPONSES, check="response", beside=("openai_responses/reply-message", "openai_responses/call-complete")
)
def reply_item_ids(draft: Draft) -> None:
    """Items have other ids, with the prefix of their type."""
    for number, item in enumerate(draft.body["output"]):
        prefix = {"function_call": "fc", "message": "msg"}.get(item["type"])
        if prefix:
            item["id"] = f"{prefix}_0c9d8e7f6a5b4c3d{number:02}"


@harmless(target=RESPONSES, check="response", beside="translation/state-invented")
def reply_reasoning_before_calls(draft: Draft) -> None:
    """An empty reasoning item stands before the calls, as reasoning models send it."""
    need(draft.calls)
    draft.body["output"].insert(0, {"id": "rs_0c9d8e7f6a5b4c3d", "type": "reasoning", "summary": []})


@harmless(target=ANTHROPIC, check="response", sources=(CHAT,), beside="translation/text-moved")
def reply_text_and_calls_apart(draft: Draft) -> None:
    """Where the source does not keep the order, the text stands behind the calls."""
    need(draft.calls and draft.texts)
    draft.body["content"].sort(key=lambda block: block["type"] == "text")


@harmless(
    check="response",
    sources=SAME,
    beside="translation/reply-state",
    fault="same-reply",
    title="On A→A the reply is written anew with its keys in another order",
)
@harmless(sources=SAME, beside="translation/text-changed")
def same_body(draft: Draft) -> None:
    """On A→A the body is written anew with its keys in another order."""
    draft.body = dict(reversed(copy.deepcopy(draft.body).items()))


@warning("translation/model-alias", target=(ANTHROPIC, CHAT, RESPONSES), sources=SAME)
def same_body_another_model(draft: Draft) -> None:
    """On A→A only the model differs, and the route names another."""
    draft.body["model"] = "another-model"


@warning("anthropic/reply-id-blank", check="response", target=ANTHROPIC)
def reply_id_blank(draft: Draft) -> None:
    """A reply has an empty id, as a vendor's own may be."""
    draft.body["id"] = ""


@warning("translation/reply-echo", target=RESPONSES, check="response", at_home=())
def tools_of_no_request(draft: Draft) -> None:
    """A reply repeats no tools, though the request declared some."""
    need(draft.body["tools"])
    draft.body["tools"] = []


@warning("translation/reply-echo", target=RESPONSES, check="response", at_home=())
def instructions_of_another(draft: Draft) -> None:
    """A reply repeats other instructions than the client's."""
    need(draft.body["instructions"])
    draft.body["instructions"] = "You are a gateway."


@harmless(target=RESPONSES, check="response")
def tools_repeated_with_defaults(draft: Draft) -> None:
    """A reply repeats the tools in another order, with what the request left open filled in."""
    for tool in draft.body["tools"]:
        tool["x_loaded"] = True
    draft.body["tools"].reverse()
