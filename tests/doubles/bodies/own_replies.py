"""Replies that carry everything, but break a rule of their own format."""

from __future__ import annotations

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need, warning
from doubles.draft import Draft


@broken(
    {
        ANTHROPIC: "anthropic/call-shape",
        CHAT: "openai_chat/call-shape",
        RESPONSES: "openai_responses/call-complete",
        GEMINI: "gemini/call-name",
    },
    check="response",
)
def call_without_name(draft: Draft) -> None:
    """A call of a reply has no name."""
    del need(draft.calls)[0].inner["name"]


@broken(
    {
        ANTHROPIC: ("anthropic/block-type", "anthropic/shape"),
        CHAT: "openai_chat/call-type",
        RESPONSES: ("openai_responses/item-type", "openai_responses/shape"),
    },
    check="response",
)
def call_without_type(draft: Draft) -> None:
    """A call of a reply does not say its type."""
    del need(draft.calls)[0].entry["type"]


@broken(
    {ANTHROPIC: "anthropic/call-shape", CHAT: "openai_chat/call-shape", RESPONSES: "openai_responses/call-complete"},
    check="response",
)
def call_without_arguments(draft: Draft) -> None:
    """A call without arguments leaves the key out."""
    # A compatible vendor that leaves them out itself has excused it.
    need(all(call.raw is not None for call in Draft(draft.source, draft.source_format).calls))
    for call in need([call for call in draft.calls if not call.arguments]):
        call.drop_arguments()


@broken({ANTHROPIC: "anthropic/finish-agrees-with-calls", CHAT: "openai_chat/finish-without-calls"}, check="response")
def stop_reason_without_call(draft: Draft) -> None:
    """A reply without calls says that it has some."""
    need(not draft.calls)
    if draft.format == ANTHROPIC:
        draft.body["stop_reason"] = "tool_use"
    else:
        draft.body["choices"][0]["finish_reason"] = "tool_calls"


@broken("openai_responses/finish-agrees", check="response")
def completed_in_progress(draft: Draft) -> None:
    """A completed reply has calls that are in progress."""
    for call in need(draft.calls):
        call.entry["status"] = "in_progress"


@broken("openai_responses/finish-incomplete-reason", check="response", cases=("shell/length-cut",))
def incomplete_without_reason(draft: Draft) -> None:
    """An incomplete reply does not say why."""
    draft.body["incomplete_details"] = None


@broken("openai_responses/finish-incomplete-details", check="response", cases=("shell/length-cut",))
def incomplete_in_foreign_words(draft: Draft) -> None:
    """An incomplete reply gives Chat's reason."""
    draft.body["incomplete_details"] = {"reason": "length"}


@broken(
    {
        CHAT: "openai_chat/reply-role",
        GEMINI: "gemini/reply-role",
        ANTHROPIC: ("anthropic/shape", "anthropic/roles"),
        RESPONSES: "openai_responses/reply-message",
    },
    check="response",
)
def reply_role_wrong(draft: Draft) -> None:
    """The message of a reply is the user's."""
    holder = next((m for m in draft.messages if "role" in m), None)
    need(holder is not None)
    assert holder is not None
    holder["role"] = "user"


@broken("openai_chat/reply-content", check="response")
def reply_content_as_object(draft: Draft) -> None:
    """The content of a reply is a list of parts, which only requests may have."""
    text = need(draft.texts)[0]
    text.message["content"] = [{"type": "text", "text": text.text}]


@broken("openai_responses/reply-content-part", check="response")
def reply_part_of_request(draft: Draft) -> None:
    """The text of a reply has the type that only requests have."""
    for text in need(draft.texts):
        text.holder["type"] = "input_text"


@broken(("gemini/candidates-or-feedback", "translation/target-format"), check="response")
def reply_without_candidates(draft: Draft) -> None:
    """A reply has no candidates."""
    draft.body["candidates"] = []


@broken("{format}/reply-envelope", target=(CHAT, RESPONSES), check="response")
def reply_envelope_missing(draft: Draft) -> None:
    """A reply has no id."""
    del draft.body["id"]


@broken(
    {ANTHROPIC: "anthropic/usage-shape", CHAT: "openai_chat/usage-counts", RESPONSES: "openai_responses/usage-shape"},
    check="response",
)
def usage_under_foreign_names(draft: Draft) -> None:
    """Token counts have another format's names."""
    names = {ANTHROPIC: ("prompt_tokens", "completion_tokens"), CHAT: ("input_tokens", "output_tokens")}
    input_key, output_key = names.get(draft.format, ("prompt_tokens", "completion_tokens"))
    draft.body["usage"] = {input_key: 12, output_key: 3}


@broken("anthropic/usage-shape", check="response")
def usage_missing(draft: Draft) -> None:
    """A reply has no token counts, which clients of this format read unasked."""
    del draft.body["usage"]


@broken("gemini/usage-counts", check="response")
def usage_as_text(draft: Draft) -> None:
    """Token counts are texts."""
    draft.body["usageMetadata"] = {key: f"{value} tokens" for key, value in draft.body["usageMetadata"].items()}


@warning("gemini/reply-camel-case", check="response")
def reply_in_snake_case(draft: Draft) -> None:
    """Keys of a reply are spelt in snake_case, which replies of the API never are."""
    for call in need(draft.calls):
        call.entry["function_call"] = call.entry.pop("functionCall")
