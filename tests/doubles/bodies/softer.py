"""Softer faults that have rules of their own beside the grave ones: nearly right, told as a SHOULD."""

from __future__ import annotations

import json
from typing import Any

from doubles.bodies.outcome import end_well
from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, harmless, need, warning
from doubles.draft import Draft
from doubles.pictures import pictures, pieces
from doubles.wire import walk


@warning("translation/system-prompt-trimmed")
def system_with_a_line_behind(draft: Draft) -> None:
    """The system prompt got a line break at its end."""
    need(len(_source(draft).system) == 1)  # where several are joined, white space is free
    *texts, last = need(draft.system)
    draft.system = [*texts, f"{last}\n"]


def _source(draft: Draft) -> Draft:
    return Draft(draft.source, draft.source_format)


@warning("translation/text-trimmed", check="response")
def reply_text_with_a_blank_behind(draft: Draft) -> None:
    """The text of a reply got a blank at its end."""
    need(len(_source(draft).texts) == 1)
    (text,) = need(draft.texts)
    need(text.text.strip())
    text.text += " "


@warning("translation/setting-by-convention-lost", target=(CHAT, RESPONSES), sources=(ANTHROPIC,))
def user_id_lost(draft: Draft) -> None:
    """The id of the user is gone, for which the formats have different words."""
    need(draft.body.pop("user", None) or draft.body.pop("safety_identifier", None))


@warning("translation/response-format-lost", target=CHAT)
def response_format_lost(draft: Draft) -> None:
    """The format that the answer shall have is gone."""
    need(draft.body.pop("response_format", None))


@warning("translation/result-json-respelt", target=CHAT, sources=(ANTHROPIC, RESPONSES))
def result_json_respelt(draft: Draft) -> None:
    """The JSON in a text result was read and written anew."""
    hit = False
    for result in draft.results:
        value = _json(result.text)
        if value is not None and (notation := json.dumps(value, separators=(" , ", " : "))) != result.text:
            result.text, hit = notation, True
    need(hit)


def _json(text: Any) -> Any:
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


@warning("translation/result-wrapped", target=GEMINI, sources=(ANTHROPIC, CHAT, RESPONSES))
def result_as_text_blocks(draft: Draft) -> None:
    """The text of a result stands in a list of blocks, as other APIs have it."""
    need(not pieces(draft))
    hit = False
    for result in draft.results:
        if not result.failed and isinstance(result.text, str) and result.text.strip() and _json(result.text) is None:
            blocks = [{"type": "text", "text": result.text}]
            result.inner["response"], hit = {"content": blocks}, True
    need(hit)


@warning("translation/error-message-extended", target=ANTHROPIC, sources=(GEMINI,))
def advice_behind_an_error(draft: Draft) -> None:
    """The translator gives advice behind the message of a failed tool."""
    hit = False
    for result in draft.results:
        text = result.text or ""
        if result.failed and text.strip() and _json(text) is None:
            result.text, hit = f"{text}\n\nFix the errors and try again.", True
    need(hit)


@warning("translation/foreign-key-null", check="response", target=CHAT)
def stop_reason_null(draft: Draft) -> None:
    """Anthropic's stop_reason stands in a reply with null."""
    draft.messages[0]["stop_reason"] = None


@warning("translation/failed-reply-reason", check="response", target=CHAT, sources=(GEMINI,), hides=("finish-error",))
def failed_reply_ends_well(draft: Draft) -> None:
    """A reply that failed behind its first words ends as if these were the answer, and nobody is told."""
    need(draft.source.get("candidates", [{}])[0].get("finishReason") == "MALFORMED_FUNCTION_CALL" and draft.texts)
    draft.body["choices"][0]["finish_reason"] = "stop"


@warning(
    "translation/paused-reply-reason",
    check="response",
    target=(CHAT, RESPONSES, GEMINI),
    sources=(ANTHROPIC,),
    hides=("finish-pause",),
)
def paused_reply_ends_well(draft: Draft) -> None:
    """A reply that its provider paused ends as if it were whole, and nobody is told."""
    need(draft.source.get("stop_reason") == "pause_turn")
    end_well(draft)


@warning("translation/schema-branch-description", target=(CHAT, RESPONSES, GEMINI))
def union_of_objects_as_one(draft: Draft) -> None:
    """A union of described objects became one object with the properties of all."""
    hit = False
    for schema in _schemas(draft):
        branches = schema.get("anyOf") or [{}]
        if all(branch.get("description") and branch.get("properties") for branch in branches):
            kind = branches[0]["type"]
            members = {name: inner for branch in branches for name, inner in branch["properties"].items()}
            schema.clear()
            schema.update({"type": kind, "properties": members})
            hit = True
    need(hit)


def _schemas(draft: Draft) -> list[dict[str, Any]]:
    return [schema for tool in draft.tools for schema in walk(tool.schema)]


@warning("translation/schema-entries-narrowed", target=CHAT)
def a_position_more(draft: Draft) -> None:
    """A list of entries by position got one more."""
    for schema in need([schema for schema in _schemas(draft) if schema.get("prefixItems")]):
        schema["prefixItems"].append({"type": "string"})


@warning("translation/schema-required-undeclared", target=CHAT)
def undeclared_not_required(draft: Draft) -> None:
    """A required parameter that is not declared is not required any more."""
    hit = False
    for schema in _schemas(draft):
        names = [name for name in schema.get("required", []) if name in schema.get("properties", {})]
        if schema.get("required", []) != names:
            schema["required"], hit = names, True
    need(hit)


@warning("translation/schema-rest-narrowed", target=ANTHROPIC)
def objects_closed(draft: Draft) -> None:
    """Tools take no parameters beside those that they list, which nobody asked for."""
    open_tools = [tool for tool in draft.tools if tool.schema.get("properties") and not tool.inner.get("strict")]
    for tool in need([tool for tool in open_tools if "additionalProperties" not in tool.schema]):
        tool.schema["additionalProperties"] = False


@warning("translation/media-link-lost", target=CHAT, sources=(ANTHROPIC,))
def linked_picture_lost(draft: Draft) -> None:
    """A picture that the source only links to is gone."""
    hit = False
    for message in draft.messages:
        if isinstance(message.get("content"), list):
            parts = [part for part in message["content"] if not _is_link(part)]
            message["content"], hit = parts, hit or len(parts) < len(message["content"])
    need(hit)


def _is_link(part: Any) -> bool:
    return part.get("type") == "image_url" and str(part["image_url"]["url"]).startswith("http")


@warning("translation/media-order", target=CHAT)
def pictures_reversed(draft: Draft) -> None:
    """The pictures of a user's message stand in another order."""
    need(not draft.results)
    for message in draft.messages:
        parts = [part for part in message.get("content") or [] if isinstance(part, dict) and "image_url" in part]
        if message["role"] == "user" and len(parts) > 1 and parts[0] != parts[-1]:
            places = [message["content"].index(part) for part in parts]
            for place, part in zip(places, reversed(parts), strict=True):
                message["content"][place] = part
            return
    need(False)


@warning("translation/assistant-media-lost", target=CHAT, sources=(GEMINI,))
def drawn_picture_told_only(draft: Draft) -> None:
    """Of a picture that the model gave only a remark is left."""
    for message, turn in zip(draft.messages, draft.source.get("contents", []), strict=False):
        if turn.get("role") == "model" and any("inlineData" in part for part in turn["parts"]):
            message["content"] = f"{need(message['content'])}\n[image/png, not shown]"
            need(pictures(draft))[-1].remove()  # the reference lets the user show it
            return
    need(False)


@warning("translation/ids-injective-across-turns", target=CHAT)
def first_id_again(draft: Draft) -> None:
    """The last call of a conversation has the id of the first, and so has its result."""
    need(len(draft.batches) > 1)
    first, last = draft.batches[0][0], draft.batches[-1][-1]
    old = last.id
    need(len(draft.batches[-1]) == 1 and old != first.id)
    answers = [result for result in draft.results if result.id == old]
    last.id = first.id
    for result in answers:
        result.id = first.id


@harmless(target=ANTHROPIC, warns="anthropic/assistant-text-not-blank", beside="anthropic/text-not-blank")
def white_space_beside_call(draft: Draft) -> None:
    """A text block of white space stands beside a call, as recorded clients send it."""
    need(draft.calls)[0].holder.insert(0, {"type": "text", "text": " "})


@harmless(target=CHAT, warns="openai_chat/tool-parameters-null", beside="openai_chat/tool-parameters")
def null_for_no_parameters(draft: Draft) -> None:
    """The parameters of a function that has none are null, as recorded clients send it."""
    for tool in need([tool for tool in draft.tools if not _takes(tool.schema or {})]):
        tool.inner["parameters"] = None


def _takes(schema: dict[str, Any]) -> bool:
    """Whether arguments have members that the schema says something of, by their names or by what they hold."""
    return bool(schema.get("properties") or schema.get("additionalProperties") or schema.get("patternProperties"))
