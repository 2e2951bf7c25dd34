"""Reading Responses bodies into the intermediate form."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import as_list, as_object, as_text, copy_json, digest
from toolcall_reference.basics.numbers import as_count
from toolcall_reference.conversation import results
from toolcall_reference.conversation.intermediate import (
    Body,
    Conversation,
    Hosted,
    Item,
    Opaque,
    Reply,
    Text,
    Turn,
    UniversalToolResult,
    Usage,
)
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.pairing import Ledger
from toolcall_reference.formats.openai_responses import namespaces, own_tools
from toolcall_reference.formats.openai_responses.api import NAME
from toolcall_reference.formats.openai_responses.parts import decode_parts
from toolcall_reference.formats.openai_responses.reply_store import reference_id
from toolcall_reference.formats.openai_responses.settings import decode_settings, decode_tools

_CALL_TYPES = {"function_call", "custom_tool_call"} | own_tools.CALL_TYPES
#: The reason for a refusal by the type of items that only OpenAI can read or answer.
_REFUSAL_BY_TYPE = {
    "compaction": "a compaction holds the earlier conversation, encrypted by OpenAI; send that conversation instead",
    "compaction_trigger": "only OpenAI can answer with a compaction; ask the model for a summary instead",
}
_OUTPUT_TYPES = {"function_call_output", "custom_tool_call_output"} | own_tools.OUTPUT_TYPES


def decode_request(body: Body, losses: Losses) -> Conversation:
    """The conversation of a request body.

    Raises Refused if it needs state that only OpenAI has: ``previous_response_id``, ``conversation``, ``prompt``, item
    references.
    """
    for key in ("previous_response_id", "conversation", "prompt"):
        if body.get(key) is not None:
            raise Refused(f"{key} refers to state that is held by OpenAI; send the whole input")
    conversation = Conversation()
    instructions = body.get("instructions")
    if isinstance(instructions, str) and instructions.strip():
        conversation.system.append(Text(instructions))
    source = body.get("input")
    items = [{"role": "user", "content": source}] if isinstance(source, str) else as_list(source, "input")
    ledger = Ledger(NAME)
    hosted: set[str] = set()
    conversation.brought_declarations = copy_json(namespaces.tools_in_history(items))
    names = namespaces.distinct_names([*as_list(body.get("tools"), "tools"), *conversation.brought_declarations])
    for item in items:
        item = as_object(item, "an input item")
        if conversation.missing_part is None and (reason := _REFUSAL_BY_TYPE.get(str(item.get("type")))):
            conversation.missing_part = Refused(reason)
        _decode_item(namespaces.rename_call(item, names), conversation, ledger, hosted, losses)
    conversation.tools = decode_tools(body, losses, names)
    # Tools that a search found are declared in the history; other formats declare them with the others.
    tool_names = {tool.name for tool in conversation.tools}
    for tool in decode_tools({"tools": conversation.brought_declarations}, losses, names):
        if tool.name not in tool_names:
            conversation.tools.append(tool)
            tool_names.add(tool.name)
    conversation.settings = decode_settings(body, losses)
    conversation.calls, conversation.results = ledger.calls, ledger.results
    return conversation


def _decode_item(item: Body, conversation: Conversation, ledger: Ledger, hosted: set[str], losses: Losses) -> None:
    """Decode an input item; ``hosted`` collects the ids of calls that OpenAI answers itself."""
    kind = item.get("type")
    if isinstance(kind, (dict, list)):
        raise Refused(f"an item's type must be a string, not {type(kind).__name__}")
    if kind == "message" or (kind is None and "role" in item):
        _decode_message(item, conversation, ledger, losses)
    elif kind == "additional_tools":
        losses.add("tool-hosted", "tools that the conversation brings in are declared with the others", kind)
    elif kind in _OUTPUT_TYPES and isinstance(item.get("call_id"), str) and item["call_id"] in hosted:
        losses.add("tool-hosted", "the client's answer to a tool of OpenAI's; dropped", kind)
    elif kind in _OUTPUT_TYPES and not own_tools.is_hosted(item):
        result = _decode_output(item, kind, ledger, losses)
        ledger.results.append(result)
        last = conversation.turns[-1].items if conversation.turns else None
        if last and isinstance(last[0], UniversalToolResult):  # the client answers several calls
            last.append(result)
        else:
            conversation.turns.append(Turn("user", [result]))
    elif kind == "mcp_approval_request":
        losses.add("tool-hosted", "OpenAI's question whether it may call a tool of a server; dropped", item.get("name"))
    elif kind == "mcp_approval_response" or (isinstance(kind, str) and kind.endswith("_output")):
        losses.add("tool-hosted", "the client's answer to a tool of OpenAI's; dropped", kind)
    else:
        items = _assistant_items(conversation, ledger)
        model_items = _decode_model_item(item, ledger, losses)
        if model_items and isinstance(model_items[0], Hosted) and isinstance(item.get("call_id"), str):
            hosted.add(item["call_id"])
        items += model_items


def _assistant_items(conversation: Conversation, ledger: Ledger) -> list[Item]:
    """The items of the current assistant turn, which is begun if the last turn is the user's.

    Neighbouring items of the model form one turn and one batch of calls.
    """
    if not conversation.turns or conversation.turns[-1].side != "assistant":
        ledger.new_batch()
        conversation.turns.append(Turn("assistant", []))
    return conversation.turns[-1].items


def _decode_message(item: Body, conversation: Conversation, ledger: Ledger, losses: Losses) -> None:
    role, parts = item.get("role"), decode_parts(item.get("content"), losses)
    lose_phase(item, losses)
    if role == "assistant":
        items = _assistant_items(conversation, ledger)
        items += parts
    elif role not in ("system", "developer"):
        conversation.turns.append(Turn("user", parts))
    elif conversation.turns:
        conversation.turns.append(Turn("system", [part for part in parts if isinstance(part, Text)]))
    else:
        conversation.system += [part for part in parts if isinstance(part, Text)]


def _decode_model_item(item: Body, ledger: Ledger, losses: Losses) -> list[Item]:
    """Decode an item of the model: a call, a message, or another item."""
    kind = item.get("type")
    if is_call(item):
        call = ledger.open_call(*decode_call_head(item, losses))
        if kind in own_tools.CALL_TYPES:
            call.form = call_form(item)
        return [ledger.fill_from_text(call, decode_raw_arguments(item))]
    if kind == "message":
        lose_phase(item, losses)
        return decode_parts(item.get("content"), losses)
    return [decode_other_item(item)]


def lose_phase(message: Body, losses: Losses) -> None:
    """Say that a message's phase is lost, if it has one: no other format has a place for it.

    https://github.com/openai/openai-python/blob/main/src/openai/types/responses/response_output_message.py
    """
    if message.get("phase"):
        losses.add("phase", "only Responses says whether a message is commentary or the answer", message["phase"])


def is_call(item: Body) -> bool:
    """Whether the item is a call for the client to answer."""
    kind = item.get("type")
    return isinstance(kind, str) and kind in _CALL_TYPES and not own_tools.is_hosted(item)


def decode_call_head(item: Body, losses: Losses) -> tuple[str | None, str, str]:
    """The id, name and kind of the call of an item."""
    call_id = item.get("call_id")
    if item.get("type") in own_tools.CALL_TYPES:
        return call_id if isinstance(call_id, str) and call_id else None, own_tools.function_name(item), "function"
    name = as_text(item.get("name"), "name")
    if item.get("namespace"):
        losses.add("namespace", "dropped from a call", name)
    kind = "custom" if item.get("type") == "custom_tool_call" else "function"
    return call_id if isinstance(call_id, str) and call_id else None, name, kind


def call_form(item: Body) -> str | None:
    """The item's type if it calls a tool that OpenAI defines and the client runs; None otherwise."""
    return str(item["type"]) if item.get("type") in own_tools.CALL_TYPES else None


def decode_raw_arguments(item: Body) -> str:
    """The argument text of a call's item, or its input."""
    if item.get("type") in own_tools.CALL_TYPES:
        return own_tools.function_arguments(item)
    key = "input" if item.get("type") == "custom_tool_call" else "arguments"
    return as_text(item.get(key), key)


def decode_other_item(item: Body) -> Item:
    """Decode an item that is neither a message nor a call. Raises Refused for those that only OpenAI can resolve."""
    kind = item.get("type")
    if kind == "reasoning":
        return Opaque(NAME, "reasoning", copy_json(item))
    if kind == "item_reference" or reference_id(item) is not None:
        raise Refused("an item reference refers to state that is held by OpenAI; send the item itself")
    if kind == "mcp_approval_request":
        raise Refused("OpenAI waits until the client allows a call of a server, and only Responses can say so")
    return Hosted(NAME, str(kind), copy_json(item))


def _decode_output(item: Body, kind: str, ledger: Ledger, losses: Losses) -> UniversalToolResult:
    # The output of a local shell may name its call by id alone.
    given_id = as_text(item.get("call_id") or (kind == "local_shell_call_output" and item.get("id")) or None, "call_id")
    call = ledger.answer_call(given_id or None)
    output = own_tools.function_output(item) if kind in own_tools.OUTPUT_TYPES else item.get("output")
    call_id, name = (call.id, call.name) if call else (given_id, "")
    failed = kind == "apply_patch_call_output" and item.get("status") == "failed"
    call_kind = "custom" if kind == "custom_tool_call_output" else "function"
    if isinstance(output, str):
        return results.from_text(call_id, name, output, is_error=failed, kind=call_kind)
    return results.from_parts(call_id, name, decode_parts(output, losses), is_error=failed, kind=call_kind)


def decode_response(body: Body, losses: Losses) -> Reply:
    """The reply of a response body. Raises Refused if it is not finished."""
    status = body.get("status")
    if "output" not in body:
        raise Refused("the body is no response: it has no output")
    if status in ("queued", "in_progress", "cancelled"):
        raise Refused(f"the response is {status}, not finished")
    reply = decode_head(body)
    ledger = Ledger(NAME, reply.key)
    for item in as_list(body.get("output"), "output"):
        reply.items += _decode_model_item(as_object(item, "an output item"), ledger, losses)
    refused = any(isinstance(item, Text) and item.refusal for item in reply.items)
    decode_finish(reply, body, calls=bool(ledger.calls), refused=refused)
    return reply


def decode_head(body: Body) -> Reply:
    """The reply with id, key, model and time from a response, without its output."""
    reply_id = body.get("id")
    return Reply(
        reply_id if isinstance(reply_id, str) and reply_id else digest(body),
        [],
        "end",
        model=body.get("model"),
        id=reply_id if isinstance(reply_id, str) else None,
        created=int(body["created_at"]) if isinstance(body.get("created_at"), (int, float)) else None,
    )


def decode_finish(reply: Reply, body: Body, *, calls: bool, refused: bool) -> None:
    """Set finish and usage of ``reply`` from a finished response; ``calls``, ``refused``: it has calls, a refusal."""
    status = body.get("status")
    reply.usage = decode_usage(body.get("usage"))
    reply.finish = "tools" if calls else "end"
    if status == "incomplete":
        reason = as_object(body.get("incomplete_details"), "incomplete_details").get("reason")
        reply.finish = "filter" if reason == "content_filter" else "length"
    elif status == "failed":
        reply.finish = "error"
        reply.message = str(as_object(body.get("error"), "error").get("message") or "failed")
    elif reply.finish == "end" and refused:
        reply.finish = "refusal"


def decode_usage(value: Any) -> Usage | None:
    """Decode token counts; None if there are none."""
    if not isinstance(value, dict):
        return None
    prompt = value.get("input_tokens_details")
    completion = value.get("output_tokens_details")
    return Usage(
        as_count(value.get("input_tokens")),
        as_count(value.get("output_tokens")),
        as_count(prompt.get("cached_tokens")) if isinstance(prompt, dict) else 0,
        as_count(prompt.get("cache_write_tokens")) if isinstance(prompt, dict) else 0,
        as_count(completion.get("reasoning_tokens")) if isinstance(completion, dict) else 0,
        as_count(value.get("total_tokens")) or None,
    )
