"""OpenAI's own tools as server calls and results, both ways: one item is often both.

https://platform.openai.com/docs/api-reference/responses/object
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from toolcall_reference.basics.jsontext import dump, parse_object
from toolcall_reference.conversation.intermediate import Body, Conversation, Hosted, Opaque
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.formats.observer import Block, Observer, ServerCall, ServerResult, Step
from toolcall_reference.formats.openai_responses import own_tools
from toolcall_reference.formats.openai_responses.reply_store import reference_id

_WRAPPED_TYPE = "observed"
#: Types of history items that a translation refuses, drops or moves; an observer shows them.
_OBSERVED_TYPES = frozenset({"mcp_approval_request", "mcp_approval_response", "tool_search_output"})
_STATE_KEYS = ("previous_response_id", "conversation", "prompt")
_FINAL_STATUSES = ("completed", "failed", "incomplete")
#: The members that are the result, by the type of items that are both call and result.
_RESULT_KEYS_BY_TYPE = {
    "code_interpreter_call": ("outputs",),
    "file_search_call": ("results",),
    "image_generation_call": ("result", "revised_prompt"),
    "mcp_call": ("output", "error"),
    "mcp_list_tools": ("tools", "error"),
    "web_search_call": (),
}
#: Step types of calls whose result is a separate item, by item type.
_SEPARATE_CALLS = {
    "shell_call": "shell",
    "tool_search_call": "tool_search",
    "mcp_approval_request": "mcp_approval_request",
}
_SEPARATE_RESULTS = {
    "shell_call_output": "shell", "tool_search_output": "tool_search", "mcp_approval_response": "mcp_approval_request",
}  # fmt: skip
#: Prefixes of the types of OpenAI's tools, and the suffixes of other providers' types with such prefixes.
_TOOL_TYPE_PREFIXES = (
    "code_interpreter",
    "file_search",
    "image_generation",
    "mcp",
    "shell",
    "tool_search",
    "web_search",
)
_OTHER_PROVIDER_TYPE = re.compile(r"_20\d{6}$|_toolset$")
_STEP_TYPE_BY_ITEM_TYPE = {"mcp_call": "mcp", "mcp_list_tools": "mcp_list_tools", **_SEPARATE_CALLS}


def _prepare_request(body: Body, losses: Losses) -> Body:
    """The request without references to OpenAI's state; items that the decoder would drop are wrapped."""
    request = dict(body)
    for key in _STATE_KEYS:
        if request.pop(key, None) is not None:
            losses.add("history", "what OpenAI keeps is not in the request", key)
    if isinstance(request.get("input"), list):
        items = [item for item in request["input"] if not _is_reference(item, losses)]
        hosted = {item.get("call_id") for item in items if isinstance(item, dict) and own_tools.is_hosted(item)}
        request["input"] = [_wrap_item(item, hosted - {None}) for item in items]
    return request


def _is_reference(item: Any, losses: Losses) -> bool:
    refers = isinstance(item, dict) and (item.get("type") == "item_reference" or reference_id(item) is not None)
    if refers:
        losses.add("history", "an item that only OpenAI has is named, not shown", item.get("id"))
    return refers


def _wrap_item(item: Any, hosted: Collection[Any] = ()) -> Any:
    """Wrap an item that the decoder would refuse or drop, so that it decodes it as a provider-run step.

    ``hosted`` are the ids of calls that OpenAI ran: their outputs are not results of the client.
    """
    if not isinstance(item, dict):
        return item
    ran = item.get("call_id") in hosted and item.get("type") in _SEPARATE_RESULTS
    is_shown = item.get("type") in _OBSERVED_TYPES and not (
        item["type"] in own_tools.OUTPUT_TYPES and not own_tools.is_hosted(item)
    )
    return {"type": _WRAPPED_TYPE, "item": item} if ran or is_shown else item


def _prepare_reply(body: Body) -> list[Body]:
    output = body.get("output")
    return [{**body, "output": [_wrap_item(item) for item in output]} if isinstance(output, list) else body]


def _prepare_event(body: Body) -> Body:
    event = dict(body)
    if "item" in event:
        event["item"] = _wrap_item(event["item"])
    if isinstance(event.get("response"), dict):
        event["response"] = _prepare_reply(event["response"])[0]
    return event


def _count_system_texts(body: Body, conversation: Conversation) -> int:
    instructions = body.get("instructions")
    return min(len(conversation.system), int(isinstance(instructions, str) and bool(instructions.strip())))


def _continues_history(body: Body) -> bool:
    return body.get("previous_response_id") is not None or body.get("conversation") is not None


def _decode_steps(item: Hosted) -> list[Step]:
    """Split an item into server call and result; an unknown item is an opaque block."""
    content = dict(item.value["item"] if item.type == _WRAPPED_TYPE else item.value)
    kind = str(content.pop("type", item.type))
    if kind in _SEPARATE_RESULTS:
        answers = content.pop("approval_request_id", None) or content.pop("call_id", None)
        return [ServerResult({"type": _SEPARATE_RESULTS[kind], **_item_id(content)}, answers)]
    if kind not in _RESULT_KEYS_BY_TYPE and not kind.endswith("_call") and kind not in _SEPARATE_CALLS:
        return [Block(kind, content)]
    name = content.pop("name", None) or _STEP_TYPE_BY_ITEM_TYPE.get(kind) or kind.removesuffix("_call")
    if isinstance(content.get("arguments"), str):
        arguments = parse_object(content["arguments"])
        content["arguments"] = content["arguments"] if arguments is None else arguments
    step_id = content.pop("id", None) if content.get("call_id") is None else content.pop("call_id")
    details = {"type": _STEP_TYPE_BY_ITEM_TYPE.get(kind) or kind.removesuffix("_call"), **_item_id(content)}
    answer = {} if kind in _SEPARATE_CALLS else _take_members(details, (*_RESULT_KEYS_BY_TYPE.get(kind, ()), "status"))
    call = ServerCall(str(name), details, step_id)
    if (
        any(answer.get(key) is not None for key in _RESULT_KEYS_BY_TYPE.get(kind, ()))
        or answer.get("status") in _FINAL_STATUSES
    ):
        return [call, ServerResult({"type": details["type"], **answer}, step_id)]
    details |= answer
    return [call]


def _item_id(fields: Body) -> Body:
    """The members of an item, its id renamed to ``item_id``."""
    return {("item_id" if key == "id" else key): value for key, value in fields.items()}


def _take_members(members: Body, keys: Sequence[str]) -> Body:
    return {key: members.pop(key) for key in keys if key in members}


def _encode_steps(steps: Sequence[Step]) -> Iterator[tuple[Step, Body]]:
    """Join server calls with their results as items; separate results stay items of their own."""
    places: set[int] = set()
    for place, step in enumerate(steps):
        if place in places:
            continue
        if isinstance(step, Block):
            yield step, {"type": step.type, **step.members}
        elif isinstance(step, ServerResult):
            yield step, _encode_answer(step)
        elif step.details["type"] in _SEPARATE_CALLS.values():
            yield step, _encode_call(step, is_separate=True)
        else:
            at = next((other for other in range(place + 1, len(steps)) if _is_answer_to(steps[other], step)), None)
            item = _encode_call(step, is_separate=False)
            if at is not None:
                places.add(at)
                item |= _without_type(steps[at])
            yield step, item


def _is_answer_to(step: Step, call: ServerCall) -> bool:
    return isinstance(step, ServerResult) and step.id == call.id and step.details["type"] == call.details["type"]


def _without_type(step: Step) -> Body:
    return {} if isinstance(step, Block) else {key: value for key, value in step.details.items() if key != "type"}


def _encode_call(step: ServerCall, *, is_separate: bool) -> Body:
    kind = step.details["type"]
    item_type = next((key for key, value in _STEP_TYPE_BY_ITEM_TYPE.items() if value == kind), f"{kind}_call")
    members = _without_type(step)
    if isinstance(members.get("arguments"), dict) and item_type != "tool_search_call":
        members["arguments"] = dump(members["arguments"])
    item: Body = {"type": item_type, "id": members.pop("item_id", step.id), **members}
    if is_separate and item_type != "mcp_approval_request" and "call_id" not in members:
        item["call_id"] = step.id
    if step.name != kind:
        item["name"] = step.name
    return item


def _encode_answer(step: ServerResult) -> Body:
    kind = step.details["type"]
    item_type = next((key for key, value in _SEPARATE_RESULTS.items() if value == kind), f"{kind}_call_output")
    members = _without_type(step)
    item: Body = {
        "type": item_type,
        "approval_request_id" if item_type == "mcp_approval_response" else "call_id": step.id,
    }
    if "item_id" in members:
        item["id"] = members.pop("item_id")
    return item | members


def _reasoning_texts(item: Opaque) -> list[str]:
    parts = [*(item.value.get("summary") or ()), *(item.value.get("content") or ())]
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return [text for text in texts if isinstance(text, str) and text]


def _encode_declaration(definition: Body) -> Body | None:
    kind = str(definition.get("type"))
    if not kind.startswith(_TOOL_TYPE_PREFIXES) or kind in definition or _OTHER_PROVIDER_TYPE.search(kind):
        return None
    # A definition does not say which tools are deferred, and OpenAI refuses to search among none.
    if kind == "tool_search" and definition.get("execution") != "client":
        return None
    return {key: value for key, value in definition.items() if (key, value) != ("name", kind)}


OBSERVER = Observer(
    result_role="tool",
    prepare_request=_prepare_request,
    split_choices=_prepare_reply,
    prepare_event=_prepare_event,
    count_system_texts=_count_system_texts,
    continues_history=_continues_history,
    decode_steps=_decode_steps,
    encode_steps=_encode_steps,
    encode_declaration=_encode_declaration,
    reasoning_texts=_reasoning_texts,
)
