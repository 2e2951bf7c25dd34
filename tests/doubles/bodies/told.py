"""Faults that providers or clients bear: told as a SHOULD, never failed."""

from __future__ import annotations

from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, WITH_IDS, need, warning
from doubles.draft import Draft
from doubles.wire import walk


@warning("translation/ids-kept", target=WITH_IDS)
def ids_replaced(draft: Draft) -> None:
    """Ids that are legal here were replaced, the same way on calls and results."""
    source = Draft(draft.source, draft.source_format)
    ids = [call.id for call in need(draft.calls)]
    need(len(set(ids)) == len(ids) and set(ids) <= {call.id for call in source.calls})
    draft.rename_ids({old: f"call_{number:04}" for number, old in enumerate(ids)})


@warning("translation/call-order", check="response")
def calls_reordered(draft: Draft) -> None:
    """Parallel calls of a reply stand in another order."""
    batch = need([batch for batch in draft.batches if len(batch) > 1])[0]
    need(batch[0].arguments != batch[-1].arguments and batch[-1].place == batch[0].place + len(batch) - 1)
    batch[0].holder[batch[0].place : batch[-1].place + 1] = [call.entry for call in reversed(batch)]


@warning("anthropic/results-in-one-message")
def results_in_two_messages(draft: Draft) -> None:
    """Parallel results stand in user messages of their own."""
    _split(draft, lambda entry: {"role": "user", "content": [entry]})


@warning("gemini/results-in-one-content")
def results_split_over_contents(draft: Draft) -> None:
    """Parallel responses stand in contents of their own."""
    _split(draft, lambda entry: {"role": "user", "parts": [entry]})


def _split(draft: Draft, wrap: Any) -> None:
    batch = need([batch for batch in draft.result_batches if len(batch) > 1])[0]
    at = next(index for index, message in enumerate(draft.messages) if message is batch[0].message)
    need(len(batch[0].holder) == len(batch))
    rest = [result.entry for result in batch[1:]]
    for result in batch[1:]:
        result.remove()
    draft.messages[at + 1 : at + 1] = [wrap(entry) for entry in rest]


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


@warning("gemini/role-function")
def results_with_role_function(draft: Draft) -> None:
    """Responses stand in contents of the role function, as in old versions of the API."""
    for result in need(draft.results):
        assert result.message is not None
        result.message["role"] = "function"


@warning("gemini/result-id-both-or-neither")
def id_on_call_only(draft: Draft) -> None:
    """Responses leave out the id that their call has."""
    for result in need([result for result in draft.results if result.id is not None]):
        result.drop_id()


@warning("translation/result-trimmed")
def result_trimmed(draft: Draft) -> None:
    """White space at the ends of a result is gone."""
    hit = False
    for result in draft.results:
        if isinstance(result.text, str) and result.text.strip() not in ("", result.text) and not result.failed:
            result.text, hit = result.text.strip(), True
    need(hit)


@warning("translation/text-invented", check="response")
def reply_text_invented(draft: Draft) -> None:
    """A reply with calls says something that the model did not say."""
    need(draft.calls and not draft.texts)
    words = "I will use a tool."
    if draft.format == ANTHROPIC:
        draft.body["content"].insert(0, {"type": "text", "text": words})
    elif draft.format == CHAT:
        draft.messages[0]["content"] = words
    elif draft.format == GEMINI:
        draft.messages[0]["parts"].insert(0, {"text": words})
    else:
        part = {"type": "output_text", "text": words, "annotations": [], "logprobs": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
        draft.body["output"].insert(0, item)


@warning("translation/system-added")
def system_added(draft: Draft) -> None:
    """A sentence was added to the system prompt."""
    texts = need(draft.system)
    draft.system = [*texts, "You can use tools."]


@warning("translation/tool-name-kept")
def tool_renamed(draft: Draft) -> None:
    """Tools have another name, the same in declaration and history."""
    need(not draft.body.get("toolConfig") and draft.body.get("tool_choice") in (None, "auto", {"type": "auto"}))
    names = {tool.inner["name"]: tool.inner["name"] + "_x" for tool in need(draft.tools)}
    need(all(call.name in names for call in draft.calls))
    for handle in [*draft.tools, *draft.calls]:
        handle.inner["name"] = names[handle.inner["name"]]
    if draft.format == GEMINI:
        for result in draft.results:
            result.inner["name"] = names[result.inner["name"]]


@warning("translation/tool-strict", target=(ANTHROPIC, CHAT, RESPONSES))
def tool_strict_lost(draft: Draft) -> None:
    """Strict tools are not strict any more."""
    for tool in need([tool for tool in draft.tools if tool.inner.get("strict")]):
        if draft.format == RESPONSES:
            tool.inner["strict"] = False
        else:
            del tool.inner["strict"]


@warning("translation/schema-property-invented")
def schema_property_invented(draft: Draft) -> None:
    """Tools got a parameter more."""
    hit = False
    for tool in draft.tools:
        if tool.schema.get("properties") and not tool.inner.get("strict"):
            kind = "STRING" if str(tool.schema["type"]).isupper() else "string"
            tool.schema["properties"]["reason"], hit = {"type": kind}, True
    need(hit)


@warning("translation/schema-bound")
def schema_bound_lost(draft: Draft) -> None:
    """Bounds of parameters are gone."""
    keys = ("minimum", "maximum", "minItems", "maxItems")
    hit = False
    for tool in draft.tools:
        for schema in walk(tool.schema):
            for key in keys:
                hit = schema.pop(key, None) is not None or hit
    need(hit)


@warning("translation/schema-widened", target=(ANTHROPIC, CHAT, RESPONSES))
def schema_opened(draft: Draft) -> None:
    """A closed object takes any parameter."""
    for tool in need([tool for tool in draft.tools if tool.schema.get("additionalProperties") is False]):
        for schema in walk(tool.schema):
            schema.pop("additionalProperties", None)
        tool.inner.pop("strict", None)
        if draft.format == RESPONSES:
            tool.inner["strict"] = False


@warning("translation/setting-changed")
def temperature_changed(draft: Draft) -> None:
    """The temperature is another one."""
    holder = draft.body.get("generationConfig", {}) if draft.format == GEMINI else draft.body
    need(holder.get("temperature") is not None and holder["temperature"] != 1)
    holder["temperature"] = 1


@warning("translation/setting-added")
def temperature_added(draft: Draft) -> None:
    """A temperature is set of which nobody spoke."""
    holder = draft.body.setdefault("generationConfig", {}) if draft.format == GEMINI else draft.body
    need("temperature" not in holder)
    holder["temperature"] = 0.7


@warning("translation/model-of-route", target=(ANTHROPIC, CHAT, RESPONSES))
def model_of_another_route(draft: Draft) -> None:
    """The request names a model that the route does not name."""
    draft.body["model"] = {ANTHROPIC: "claude-3-5-haiku-20241022"}.get(draft.format, "gpt-4o-mini-2024-07-18")


@warning("translation/usage", target=(CHAT, RESPONSES, GEMINI), check="response")
def usage_lost(draft: Draft) -> None:
    """The token counts are gone."""
    usage = draft.body.pop("usageMetadata" if draft.format == GEMINI else "usage")
    need(not _details(usage) and not _details(draft.source))


@warning("translation/usage", target=(ANTHROPIC, CHAT, RESPONSES), check="response")
def usage_exchanged(draft: Draft) -> None:
    """The counts of input and output are exchanged."""
    usage = draft.body["usage"]
    need(not _details(usage) and not _details(draft.source))
    one, two = ("prompt_tokens", "completion_tokens") if draft.format == CHAT else ("input_tokens", "output_tokens")
    usage[one], usage[two] = usage[two], usage[one]


def _details(value: Any) -> bool:
    """Whether cached or thinking tokens are told apart: formats count those differently."""
    if isinstance(value, dict):
        return any(
            _details(entry)
            or (isinstance(entry, int) and entry and ("cache" in key or "reasoning" in key or "oughts" in key))
            for key, entry in value.items()
        )
    return isinstance(value, list) and any(map(_details, value))


@warning("gemini/reply-camel-case", check="response")
def reply_in_snake_case(draft: Draft) -> None:
    """Keys of a reply are spelt in snake_case, which replies of the API never are."""
    for call in need(draft.calls):
        call.entry["function_call"] = call.entry.pop("functionCall")


@warning("translation/state-lost", target=GEMINI)
def state_dropped(draft: Draft) -> None:
    """A signature that the client brought back does not reach the provider that made it."""
    hit = False
    for call in draft.calls:
        hit = call.entry.pop("thoughtSignature", None) is not None or hit
    need(hit and draft.source_format == CHAT and "thought_signature" in str(draft.source))


@warning("translation/result-placeholder", cases=("shell/empty-result",))
def empty_text_replaced(draft: Draft) -> None:
    """A result without text got a placeholder."""
    for result in need([result for result in draft.results if not (result.text or "").strip()]):
        result.text = "(no output)"


@warning("translation/reasoning-as-text", target=(CHAT, RESPONSES, GEMINI), check="response")
def thinking_as_text(draft: Draft) -> None:
    """What the model thought is given out as its answer."""
    thought = need(_thoughts(draft.source))[0]
    if draft.format == CHAT:
        message = draft.messages[0]
        message["content"] = "\n\n".join(filter(None, [thought, message["content"]]))
    elif draft.format == GEMINI:
        draft.messages[0].setdefault("parts", []).insert(0, {"text": thought})
    else:
        part = {"type": "output_text", "text": thought, "annotations": [], "logprobs": []}
        item = {"type": "message", "id": "msg_0", "role": "assistant", "status": "completed", "content": [part]}
        draft.body["output"].insert(0, item)


def _thoughts(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["thinking"]] if isinstance(value.get("thinking"), str) else []
        thought = value.get("thought") is True or value.get("type") == "summary_text"
        own += [value["text"]] if thought and isinstance(value.get("text"), str) else []
        return own + [found for entry in value.values() for found in _thoughts(entry)]
    return [found for entry in value for found in _thoughts(entry)] if isinstance(value, list) else []


@warning("translation/error-mark-in-words", target=GEMINI, sources=(ANTHROPIC,))
def error_told_in_words(draft: Draft) -> None:
    """A failed tool's message stands under ``output``, and the translator says before it that it is an error."""
    for result in need(
        [result for result in draft.results if result.failed and isinstance(result.content["error"], str)]
    ):
        result.content = {"output": "Error: " + result.content["error"]}
