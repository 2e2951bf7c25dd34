"""Bodies that carry everything, but break a rule of their own format."""

from __future__ import annotations

import copy
import json

from doubles.broken.choice import choice, mode, settings
from doubles.catalogue import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need
from doubles.draft import Draft
from doubles.wire import walk

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


@broken("call-without-name", rule={
    ANTHROPIC: "anthropic/call-shape",
    CHAT: "openai_chat/call-shape",
    RESPONSES: "openai_responses/call-complete",
    GEMINI: "gemini/call-name",
}, check="response")  # fmt: skip
def call_without_name(draft: Draft) -> None:
    """A call of a reply has no name."""
    del need(draft.calls)[0].inner["name"]


@broken("call-without-type", rule={
    ANTHROPIC: ("anthropic/block-type", "anthropic/shape"),
    CHAT: "openai_chat/call-type",
    RESPONSES: ("openai_responses/item-type", "openai_responses/shape"),
}, check="response", target=(ANTHROPIC, CHAT, RESPONSES))  # fmt: skip
def call_without_type(draft: Draft) -> None:
    """A call of a reply does not say its type."""
    del need(draft.calls)[0].entry["type"]


@broken("call-without-arguments", rule={
    ANTHROPIC: "anthropic/call-shape",
    CHAT: "openai_chat/call-shape",
    RESPONSES: "openai_responses/call-complete",
}, check="response", target=(ANTHROPIC, CHAT, RESPONSES))  # fmt: skip
def call_without_arguments(draft: Draft) -> None:
    """A call without arguments leaves the key out."""
    for call in need([call for call in draft.calls if not call.arguments]):
        call.drop_arguments()


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


@broken("empty-list-of-tools", rule="openai_chat/tools-not-empty", check="request", target=CHAT)
def empty_list_of_tools(draft: Draft) -> None:
    """The list of tools is empty."""
    need(draft.tools)
    draft.body["tools"] = []


@broken("choice-without-tools", rule="openai_chat/tool-choice-needs-tools", check="request", target=CHAT)
def choice_without_tools(draft: Draft) -> None:
    """Tools are gone, the choice stays."""
    need(choice(draft) is not None)
    del draft.body["tools"]


@broken("parallel-flag-without-tools", rule="openai_chat/parallel-flag-needs-tools", check="request", target=CHAT)
def parallel_flag_without_tools(draft: Draft) -> None:
    """Tools are gone, the parallel flag stays."""
    need("parallel_tool_calls" in draft.body)
    del draft.body["tools"]
    draft.body.pop("tool_choice", None)


@broken("choice-of-undeclared", rule={
    RESPONSES: "openai_responses/tool-choice-declared",
    GEMINI: "gemini/allowed-names-declared",
}, check="request", target=(RESPONSES, GEMINI))  # fmt: skip
def choice_of_undeclared(draft: Draft) -> None:
    """A tool is forced that is not declared."""
    need(mode(draft) == "named")
    if draft.format == GEMINI:
        choice(draft)["allowedFunctionNames"] = ["list_directory"]
    else:
        choice(draft)["name"] = "list_directory"


@broken("choice-without-name", rule={
    ANTHROPIC: "anthropic/tool-choice-name",
    CHAT: "openai_chat/tool-choice-named",
    RESPONSES: ("openai_responses/tool-choice-form", "openai_responses/tool-choice-flat"),
}, check="request", target=(ANTHROPIC, CHAT, RESPONSES))  # fmt: skip
def choice_without_name(draft: Draft) -> None:
    """A tool is forced, but not named."""
    need(mode(draft) == "named")
    stated = choice(draft)
    del (stated["function"] if draft.format == CHAT else stated)["name"]


@broken("subset-without-mode", rule={
    CHAT: "openai_chat/tool-choice-allowed",
    RESPONSES: "openai_responses/tool-choice-subset",
}, check="request", target=(CHAT, RESPONSES))  # fmt: skip
def subset_without_mode(draft: Draft) -> None:
    """Some tools are allowed, but whether one must be called is not said."""
    need(mode(draft) == "subset")
    stated = choice(draft)
    del (stated["allowed_tools"] if draft.format == CHAT else stated)["mode"]


@broken("subset-in-other-shape", rule={
    CHAT: "openai_chat/tool-choice-allowed",
    RESPONSES: ("openai_responses/tool-choice-subset", "openai_responses/tool-choice-flat"),
}, check="request", target=(CHAT, RESPONSES))  # fmt: skip
def subset_in_other_shape(draft: Draft) -> None:
    """The choice of some tools has the shape of the other OpenAI format."""
    need(mode(draft) == "subset")
    stated = choice(draft)
    if draft.format == CHAT:
        inner = stated.pop("allowed_tools")
        stated |= inner
    else:
        stated["allowed_tools"] = {key: stated.pop(key) for key in ("mode", "tools")}


@broken("parallel-flag-as-text", rule="openai_responses/parallel-flag", check="request", target=RESPONSES)
def parallel_flag_as_text(draft: Draft) -> None:
    """The parallel flag is a text."""
    need("parallel_tool_calls" in draft.body)
    draft.body["parallel_tool_calls"] = str(draft.body["parallel_tool_calls"]).lower()


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


@broken("schema-array-without-items", rule={
    CHAT: "openai_chat/tool-schema-items",
    RESPONSES: "openai_responses/tool-schema-items",
}, check="request", target=(CHAT, RESPONSES))  # fmt: skip
def schema_array_without_items(draft: Draft) -> None:
    """Arrays in schemas have no items."""
    for schema in need([schema for tool in draft.tools for schema in walk(tool.schema) if "items" in schema]):
        del schema["items"]


@broken("schema-root-composed", rule={
    ANTHROPIC: "anthropic/tool-schema-root-plain",
    CHAT: "openai_chat/tool-schema-plain-root",
    RESPONSES: "openai_responses/tool-schema-combinators",
}, check="request", target=(ANTHROPIC, CHAT, RESPONSES))  # fmt: skip
def schema_root_composed(draft: Draft) -> None:
    """The root of a schema is a union."""
    for tool in need(draft.tools):
        tool.schema = {"type": "object", "anyOf": [tool.schema]}


@broken("schema-without-properties", rule="openai_chat/tool-schema-properties", check="request", target=CHAT)
def schema_without_properties(draft: Draft) -> None:
    """The root of a schema has no properties."""
    for tool in need(draft.tools):
        tool.schema = {"type": "object"}


@broken("schema-root-as-list", rule={
    ANTHROPIC: "anthropic/tool-schema-object",
    CHAT: "openai_chat/tool-schema-root",
    RESPONSES: "openai_responses/tool-schema-root",
    GEMINI: "gemini/json-schema-root",
}, check="request")  # fmt: skip
def schema_root_as_list(draft: Draft) -> None:
    """The root of a schema is an array of the arguments."""
    for tool in need([tool for tool in draft.tools if tool.schema]):
        tool.schema = {"type": "array", "items": tool.schema}


@broken("schema-required-unknown", rule="gemini/schema-required-defined", check="request", target=GEMINI)
def schema_required_unknown(draft: Draft) -> None:
    """Parameters require a property that they do not have."""
    _as_parameters(draft)
    for tool in draft.tools:
        tool.inner["parameters"]["required"] = ["nothing"]


@broken("schema-array-bare", rule="gemini/schema-array-items", check="request", target=GEMINI)
def schema_array_bare(draft: Draft) -> None:
    """Arrays in parameters have no items."""
    need('"items"' in json.dumps(draft.body.get("tools")))
    _as_parameters(draft)
    for tool in draft.tools:
        for schema in walk(tool.inner["parameters"]):
            schema.pop("items", None)


@broken("schema-enum-of-numbers", rule="gemini/schema-enum-strings", check="request", target=GEMINI)
def schema_enum_of_numbers(draft: Draft) -> None:
    """An enum in parameters holds numbers."""
    _as_parameters(draft)
    hit = False
    for tool in draft.tools:
        for schema in walk(tool.inner["parameters"]):
            if schema["type"] == "integer":
                schema["enum"], hit = [1, 2], True
    need(hit)


def _as_parameters(draft: Draft) -> None:
    """Put schemas under parameters; only such as fit there without a change."""
    plain = {
        "type",
        "description",
        "properties",
        "required",
        "items",
        "enum",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
    }
    for tool in need(draft.tools):
        schema = tool.inner.pop(tool.schema_key, None)
        need(schema and all(set(entry) <= plain and isinstance(entry["type"], str) for entry in walk(schema)))
        tool.inner["parameters"] = schema


@broken("strict-but-open", rule={
    ANTHROPIC: "anthropic/tool-strict-closed",
    CHAT: "openai_chat/strict-schema",
    RESPONSES: "openai_responses/strict-schema",
}, check="request", target=(ANTHROPIC, CHAT, RESPONSES))  # fmt: skip
def strict_but_open(draft: Draft) -> None:
    """A tool is declared strict with a schema that strict mode does not take."""
    for tool in need([tool for tool in draft.tools if tool.schema and "additionalProperties" not in tool.schema]):
        tool.inner["strict"] = True


@broken("strict-as-text", rule="openai_responses/tool-strict", check="request", target=RESPONSES)
def strict_as_text(draft: Draft) -> None:
    """The mark strict is a text."""
    for tool in need(draft.tools):
        tool.inner["strict"] = "false"


@broken("temperature-out-of-range", rule={
    ANTHROPIC: "anthropic/temperature-range",
    CHAT: "openai_chat/setting-range",
    RESPONSES: "openai_responses/sampling-range",
    GEMINI: "gemini/temperature-range",
}, check="request")  # fmt: skip
def temperature_out_of_range(draft: Draft) -> None:
    """The temperature is in per cent."""
    holder = settings(draft)
    need("temperature" in holder and holder["temperature"] not in (0, 0.0))
    holder["temperature"] = holder["temperature"] * 100


@broken("too-many-stop-sequences", rule={
    CHAT: "openai_chat/stop-limit",
    GEMINI: "gemini/stop-limit",
}, check="request", target=(CHAT, GEMINI))  # fmt: skip
def too_many_stop_sequences(draft: Draft) -> None:
    """More stop sequences are sent than the provider takes."""
    key = "stop" if draft.format == CHAT else "stopSequences"
    need(settings(draft).get(key))
    settings(draft)[key] = ["a", "b", "c", "d", "e", "f"]


@broken("settings-unknown-to-chat", rule="openai_chat/unknown-parameter", check="request", target=CHAT)
def settings_unknown_to_chat(draft: Draft) -> None:
    """The setting top_k stands in a format that does not have it."""
    need("top_k" in str(draft.source) or "topK" in str(draft.source))
    draft.body["top_k"] = 40


@broken("system-as-list-of-texts", rule={
    ANTHROPIC: "anthropic/system-shape",
    RESPONSES: "openai_responses/instructions-string",
    GEMINI: "gemini/system-instruction",
}, check="request", target=(ANTHROPIC, RESPONSES, GEMINI))  # fmt: skip
def system_as_list_of_texts(draft: Draft) -> None:
    """The system prompt is a list of plain texts."""
    key = {ANTHROPIC: "system", RESPONSES: "instructions", GEMINI: "systemInstruction"}[draft.format]
    need(draft.system)
    draft.body[key] = draft.system


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


@broken("stop-reason-without-call", rule={
    ANTHROPIC: "anthropic/finish-agrees-with-calls",
    CHAT: "openai_chat/finish-without-calls",
}, check="response", target=(ANTHROPIC, CHAT))  # fmt: skip
def stop_reason_without_call(draft: Draft) -> None:
    """A reply without calls says that it has some."""
    need(not draft.calls)
    if draft.format == ANTHROPIC:
        draft.body["stop_reason"] = "tool_use"
    else:
        draft.body["choices"][0]["finish_reason"] = "tool_calls"


@broken("completed-in-progress", rule="openai_responses/finish-agrees", check="response", target=RESPONSES)
def completed_in_progress(draft: Draft) -> None:
    """A completed reply has calls that are in progress."""
    for call in need(draft.calls):
        call.entry["status"] = "in_progress"


@broken(
    "incomplete-without-reason",
    rule="openai_responses/finish-incomplete-reason",
    check="response",
    target=RESPONSES,
    cases=("shell/length-cut",),
)
def incomplete_without_reason(draft: Draft) -> None:
    """An incomplete reply does not say why."""
    draft.body["incomplete_details"] = None


@broken(
    "incomplete-in-foreign-words",
    rule="openai_responses/finish-incomplete-details",
    check="response",
    target=RESPONSES,
    cases=("shell/length-cut",),
)
def incomplete_in_foreign_words(draft: Draft) -> None:
    """An incomplete reply gives Chat's reason."""
    draft.body["incomplete_details"] = {"reason": "length"}


@broken("reply-role-wrong", rule={
    CHAT: "openai_chat/reply-role",
    GEMINI: "gemini/reply-role",
    ANTHROPIC: ("anthropic/shape", "anthropic/roles"),
    RESPONSES: "openai_responses/reply-message",
}, check="response")  # fmt: skip
def reply_role_wrong(draft: Draft) -> None:
    """The message of a reply is the user's."""
    holder = next((m for m in draft.messages if "role" in m), None)
    need(holder is not None)
    assert holder is not None
    holder["role"] = "user"


@broken("reply-content-as-object", rule="openai_chat/reply-content", check="response", target=CHAT)
def reply_content_as_object(draft: Draft) -> None:
    """The content of a reply is a list of parts, which only requests may have."""
    text = need(draft.texts)[0]
    text.message["content"] = [{"type": "text", "text": text.text}]


@broken("reply-part-of-request", rule="openai_responses/reply-content-part", check="response", target=RESPONSES)
def reply_part_of_request(draft: Draft) -> None:
    """The text of a reply has the type that only requests have."""
    for text in need(draft.texts):
        text.holder["type"] = "input_text"


@broken(
    "reply-without-candidates",
    rule=("gemini/candidates-or-feedback", "translation/target-format"),
    check="response",
    target=GEMINI,
)
def reply_without_candidates(draft: Draft) -> None:
    """A reply has no candidates."""
    draft.body["candidates"] = []


@broken("reply-envelope-missing", rule={
    CHAT: "openai_chat/reply-envelope",
    RESPONSES: "openai_responses/reply-envelope",
}, check="response", target=(CHAT, RESPONSES))  # fmt: skip
def reply_envelope_missing(draft: Draft) -> None:
    """A reply has no id."""
    del draft.body["id"]


@broken("usage-under-foreign-names", rule={
    ANTHROPIC: "anthropic/usage-shape",
    CHAT: "openai_chat/usage-counts",
    RESPONSES: "openai_responses/usage-shape",
}, check="response", target=(ANTHROPIC, CHAT, RESPONSES))  # fmt: skip
def usage_under_foreign_names(draft: Draft) -> None:
    """Token counts have another format's names."""
    names = {ANTHROPIC: ("prompt_tokens", "completion_tokens"), CHAT: ("input_tokens", "output_tokens")}
    one, two = names.get(draft.format, ("prompt_tokens", "completion_tokens"))
    draft.body["usage"] = {one: 12, two: 3}


@broken("usage-missing", rule="anthropic/usage-shape", check="response", target=ANTHROPIC)
def usage_missing(draft: Draft) -> None:
    """A reply has no token counts, which clients of this format read unasked."""
    del draft.body["usage"]


@broken("usage-as-text", rule="gemini/usage-counts", check="response", target=GEMINI)
def usage_as_text(draft: Draft) -> None:
    """Token counts are texts."""
    draft.body["usageMetadata"] = {key: f"{value} tokens" for key, value in draft.body["usageMetadata"].items()}
