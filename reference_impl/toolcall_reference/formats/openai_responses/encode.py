"""Writing Responses bodies from the intermediate form; a reply has ids of its own and echoes its request's settings."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.jsontext import RAW_ARGUMENTS_KEY, digest, dump
from toolcall_reference.conversation import citations, history, media, results
from toolcall_reference.conversation.intermediate import (
    Body,
    Conversation,
    Hosted,
    Item,
    Media,
    Opaque,
    Reply,
    Text,
    Turn,
    UniversalToolCall,
    UniversalToolResult,
    Usage,
)
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.hosted import encode_hosted
from toolcall_reference.formats.openai_responses import namespaces, own_tools
from toolcall_reference.formats.openai_responses.api import IDS, NAME, NAMES
from toolcall_reference.formats.openai_responses.parts import encode_content
from toolcall_reference.formats.openai_responses.settings import (
    HOSTED_BY_PURPOSE,
    encode_settings,
    encode_tool,
    encode_tools,
)

PLACEHOLDER = "."
"""The user's text if the source has no message and a request needs one."""
NOTATIONS = frozenset(
    {
        *("strict", "deferred", "non-strict", "null", "omitted", "developer-item", "system-item", "text-parts"),
        *("encrypted", "safety-identifier", "stateless", "typed-messages", "nulls", "item-references"),
        *("additional-tools", "late-tools", "loaded-tools"),
    }
)

_ECHOED_DEFAULTS: dict[str, Any] = {
    "frequency_penalty": 0.0,
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "presence_penalty": 0.0,
    "prompt_cache_key": None,
    "prompt_cache_retention": None,
    "reasoning": {"effort": None, "summary": None},
    "safety_identifier": None,
    "service_tier": "default",
    "store": True,
    "temperature": 1.0,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
    "user": None,
}
"""The request settings that a response echoes, with their defaults."""
_NEWER_KEYS = (
    *("frequency_penalty", "max_tool_calls", "presence_penalty", "prompt_cache_key", "prompt_cache_retention"),
    *("safety_identifier", "top_logprobs"),
)
"""The echoed settings that the first version of the API did not have."""


def encode_request(conversation: Conversation, target: Target) -> Body:
    """A complete request body."""
    tools = encode_tools(conversation)
    target.use_names(NAMES, tools, conversation.calls)
    target.own_tools = own_tools.own_tool_names(tool.own_declaration for tool in tools if target.exact)
    target.namespaces = {
        tool.name: (tool.namespace, tool.name_in_namespace or tool.name)
        for tool in tools
        if tool.namespace is not None and target.exact
    }
    ids = target.assign_ids(conversation.calls, IDS)
    body: Body = {"model": target.model}
    system = [text.text for text in conversation.system if text.text.strip()]
    items: list[Body] = []
    role = next((role for role in ("developer", "system") if f"{role}-item" in target.notations), None)
    if system and role is not None:
        items = [{"role": role, "content": encode_content(list(conversation.system), target)}]
    elif system:
        body["instructions"] = "\n\n".join(system)
    for turn in history.move_media_to_user(conversation.turns):
        items += _encode_turn(turn, ids, target)
    if not items:
        if system:
            target.losses.add("system", "there is no conversation beside it; a placeholder stands for the user")
        items = [{"role": "user", "content": PLACEHOLDER}]
    if "typed-messages" in target.notations:
        items = [item if "type" in item else {"type": "message", **item} for item in items]
    body["input"] = items
    declarations = namespaces.group_declarations(tools, [encode_tool(tool, target) for tool in tools])
    declarations += encode_hosted(conversation.tools, HOSTED_BY_PURPOSE, target)
    if "deferred" in target.notations:
        declarations[-1]["defer_loading"] = True
    _move_declarations(declarations, items, target)
    if declarations:
        body["tools"] = declarations
    encode_settings(body, conversation.settings, tools, target)
    if target.stream:
        body["stream"] = True
    return body


def _move_declarations(declarations: list[Body], items: list[Body], target: Target) -> None:
    """Move tools from ``declarations`` into the conversation, if a notation requests that."""
    if "additional-tools" in target.notations:
        items.insert(0, _additional_tools_item([*declarations]))
        declarations.clear()
    elif "late-tools" in target.notations:
        # The last tool is declared before the user's last message, the others with the request.
        place = max(place for place, item in enumerate(items) if item.get("role") == "user")
        items.insert(place, _additional_tools_item([declarations.pop()]))
    elif "loaded-tools" in target.notations:
        declarations.pop()  # a client-run search finds it


def _additional_tools_item(declarations: list[Body]) -> Body:
    """The input item that declares tools."""
    return {"type": "additional_tools", "role": "developer", "tools": declarations}


def _encode_turn(turn: Turn, ids: dict[str, str], target: Target) -> list[Body]:
    """The input items of a turn."""
    if turn.side == "assistant":
        return _encode_assistant(turn.items, ids, target)
    if turn.side == "system":
        texts = [item for item in turn.items if isinstance(item, Text)]
        return [{"role": "developer", "content": encode_content(texts, target)}] if texts else []
    items: list[Body] = []
    hosted_items: list[Body] = []
    content: list[Text | Media] = []
    for item in turn.items:
        if isinstance(item, UniversalToolResult):
            items.append(_encode_result(item, ids, target))
        elif isinstance(item, (Text, Media)):
            content.append(item)
        elif isinstance(item, Hosted) and item.origin == NAME and target.exact:
            hosted_items.append(item.value)
        else:
            target.losses.add("tool-hosted", "dropped from a user message", type(item).__name__)
    if content:
        items.append({"role": "user", "content": encode_content(content, target)})
    return [*items, *hosted_items]


def _encode_result(result: UniversalToolResult, ids: dict[str, str], target: Target) -> Body:
    form = target.call_forms.get(result.tool_call_id)
    if form is not None or result.name in target.own_tools:
        name = result.name if form is None else form.removesuffix("_call")
        return own_tools.result_item(name, result, ids[result.tool_call_id])
    # By the tool's kind, not the source's type: a free-text tool's output has a type of its own.
    kind = "custom_tool_call_output" if result.kind == "custom" else "function_call_output"
    output: Any = None if "text-parts" in target.notations else results.plain_text(result, marks=not target.exact)
    if output is None:
        output = encode_content(results.error_marked_parts(result, bare=target.exact), target)
    return {"type": kind, "call_id": ids.get(result.tool_call_id, result.tool_call_id), "output": output}


def _encode_assistant(items: list[Any], ids: dict[str, str], target: Target) -> list[Body]:
    """The input items of an assistant's turn, one by one."""
    bodies: list[Body] = []
    for item in items:
        if isinstance(item, Text):
            if item.raw_context:
                target.lose_state(item)
            if item.refusal:
                bodies.append({"role": "assistant", "content": [{"type": "refusal", "refusal": item.text}]})
            elif item.text.strip():
                bodies.append({"role": "assistant", "content": item.text})
        elif isinstance(item, UniversalToolCall):
            if item.raw_context:
                target.lose_state(item)
            bodies.append(encode_call(item, ids, target))
        elif isinstance(item, (Opaque, Hosted)):
            if item.origin == NAME:
                bodies.append(item.value)
                continue
            element = "signature" if isinstance(item, Opaque) else "tool-hosted"
            target.losses.add(element, f"of {item.origin}; dropped", item.type)
    return bodies


def encode_call(call: UniversalToolCall, ids: dict[str, str], target: Target) -> Body:
    """The item of a call, without an item id, which is unknown here."""
    name = target.names.target_name(call.name)
    call_id = ids.get(call.id, call.id)
    if call.name in target.own_tools and call.readable:
        return own_tools.call_item(call, call_id)
    custom = call.kind == "custom"
    body: Body = {"type": "custom_tool_call" if custom else "function_call", "call_id": call_id, "name": name}
    if call.name in target.namespaces:
        body["namespace"], body["name"] = target.namespaces[call.name]
    if custom:
        body["input"] = call.text or ""
    elif call.readable:
        body["arguments"] = dump(call.arguments) if call.text is None else call.text
    else:
        # A request must hold JSON; a reply shows the client the model's raw text, and so does the client of a golden.
        is_raw = target.is_reply or target.exact
        body["arguments"] = (call.text or "") if is_raw else dump({RAW_ARGUMENTS_KEY: call.text})
    return body


def encode_response(reply: Reply, target: Target) -> Body:
    """A complete reply body."""
    reply.items = media.replace_media_by_text(reply.items, target.losses, NAME)
    target.use_names(NAMES, [], reply.calls)
    declarations = namespaces.client_declarations(target)
    target.own_tools, target.namespaces = (
        own_tools.own_tool_names(declarations),
        namespaces.places_by_name(declarations),
    )
    ids = target.assign_ids(reply.calls, IDS)
    refused = any(isinstance(item, Text) and item.refusal for item in reply.items)
    end = encode_finish(reply, target, refused=refused)
    output = _encode_output(reply, ids, target)
    if end["status"] == "incomplete" and output and "status" in output[-1]:
        output[-1]["status"] = "incomplete"
    return encode_body(reply, target, output, end)


def encode_finish(reply: Reply, target: Target, *, refused: bool) -> Body:
    """How the response ended: ``status``, ``error``, ``incomplete_details`` and ``usage``.

    ``refused``: its refusal is in the output. A reply that a classifier broke off has none; such a response is
    incomplete.
    """
    status, details = "completed", None
    if reply.finish in ("length", "filter", "pause", "other") or (reply.finish == "refusal" and not refused):
        status = "incomplete"
        details = {"reason": "max_output_tokens" if reply.finish in ("length", "pause") else "content_filter"}
    elif reply.finish == "error":
        status = "failed"
    if reply.finish in ("pause", "other"):
        target.losses.add(f"finish-{reply.finish}", f"{reply.message or reply.finish}; said as incomplete")
    if reply.stop_sequence is not None:
        target.losses.add(
            "finish-stop_sequence", "Responses does not say which one ended the reply", reply.stop_sequence
        )
    error = {"code": "server_error", "message": reply.message or "the model failed"} if status == "failed" else None
    usage = encode_usage(reply.usage or Usage())
    return {"status": status, "error": error, "incomplete_details": details, "usage": usage}


IN_PROGRESS: Body = {"status": "in_progress", "error": None, "incomplete_details": None, "usage": None}
"""The result of :func:`encode_finish` for an unfinished response."""


def encode_body(reply: Reply, target: Target, output: list[Body], end: Body) -> Body:
    """The response around its output."""
    echoed = {
        key: value if target.client_request.get(key) is None else target.client_request[key]
        for key, value in _ECHOED_DEFAULTS.items()
    }
    created = reply.created or 0
    return {
        "id": "resp_" + digest("resp", reply.key, length=48),
        "object": "response",
        "created_at": created,
        "status": end["status"],
        "background": False,
        "error": end["error"],
        "incomplete_details": end["incomplete_details"],
        "instructions": echoed["instructions"],
        "max_output_tokens": echoed["max_output_tokens"],
        "model": target.model,
        "output": output,
        "parallel_tool_calls": echoed["parallel_tool_calls"],
        "previous_response_id": target.client_request.get("previous_response_id"),
        "reasoning": echoed["reasoning"],
        "service_tier": echoed["service_tier"],
        "store": echoed["store"],
        "temperature": echoed["temperature"],
        "text": echoed["text"],
        "tool_choice": echoed["tool_choice"],
        "tools": [_echo_tool(tool) for tool in echoed["tools"]],
        "top_p": echoed["top_p"],
        "truncation": echoed["truncation"],
        "completed_at": created if end["status"] == "completed" else None,
        **{key: echoed[key] for key in _NEWER_KEYS},
        "usage": end["usage"],
        "user": echoed["user"],
        "metadata": echoed["metadata"],
    }


def _echo_tool(tool: Body) -> Body:
    """A tool as a reply echoes it: a function with all its members, not strict by default."""
    if tool.get("type") != "function":
        return tool
    return {**tool, **{key: tool.get(key, absent) for key, absent in _FUNCTION_DEFAULTS.items()}}


_FUNCTION_DEFAULTS: Body = {"description": None, "parameters": None, "strict": False}


def _encode_output(reply: Reply, ids: dict[str, str], target: Target) -> list[Body]:
    """The output items of a reply; neighbouring texts are parts of one message."""
    bodies: list[Body] = []
    previous: Item | None = None
    for item in reply.items:
        place = len(bodies)
        if isinstance(item, (Text, UniversalToolCall)):
            target.lose_state(item)
        if isinstance(item, Text):
            part = text_part(item.text, refusal=item.refusal, cited=item)
            if isinstance(previous, Text) and not item.refusal and not previous.refusal:
                bodies[-1]["content"].append(part)  # neighbours are parts of one message
            else:
                bodies.append(message_item(reply.key, place, [part]))
        elif isinstance(item, UniversalToolCall):
            bodies.append(call_item(reply.key, place, encode_call(item, ids, target)))
        elif isinstance(item, (Opaque, Hosted)) and item.origin == NAME:
            bodies.append(item.value)
        else:
            lose_item(item, target)
        previous = item
    return bodies


def lose_item(item: Item, target: Target) -> None:
    """Record the loss of a reply's item that is neither text nor call."""
    if isinstance(item, (Opaque, Hosted)):
        element = "signature" if isinstance(item, Opaque) else "tool-hosted"
        target.losses.add(element, f"of {item.origin}; dropped", item.type)
    else:
        target.losses.add("media", "Responses has no media in the assistant's messages; dropped")


def message_item(key: str, place: int, content: list[Body]) -> Body:
    """A message at ``place`` of the output of the reply ``key``."""
    item_id = "msg_" + digest("msg", key, place, length=48)
    return {"id": item_id, "type": "message", "status": "completed", "content": content, "role": "assistant"}


def call_item(key: str, place: int, call: Body) -> Body:
    """A call at ``place`` of the output of the reply ``key``; ``call`` is the item, possibly without its own id."""
    if "id" in call:
        return call
    prefix = "ctc_" if call["type"] == "custom_tool_call" else "fc_"
    item_id = prefix + digest("item", key, place, length=48)
    rest: Body = {name: call[name] for name in ("arguments", "input", "call_id", "name", "namespace") if name in call}
    return {"id": item_id, "type": call["type"], "status": "completed", **rest}


def text_part(text: str, *, refusal: bool, cited: Text | None = None) -> Body:
    """One part of a message; ``cited`` has its citations."""
    if refusal:
        return {"type": "refusal", "refusal": text}
    annotations = [] if cited is None else list(citations.to_openai(cited, 0, len(text)))
    return {"type": "output_text", "annotations": annotations, "logprobs": [], "text": text}


def encode_usage(usage: Usage) -> Body:
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.output if usage.total is None else usage.total,
    }
