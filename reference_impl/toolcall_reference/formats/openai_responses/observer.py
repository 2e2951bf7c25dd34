"""OpenAI's own tools, as calls and results, both ways: one item is often both.

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
from toolcall_reference.formats.openai_responses.reply_store import named

_WRAPPED = "observed"
#: Items of the history that a translation has to refuse, to drop or to say elsewhere; an observer shows them.
_SHOWN = frozenset({"mcp_approval_request", "mcp_approval_response", "tool_search_output"})
_HELD = ("previous_response_id", "conversation", "prompt")
_OVER = ("completed", "failed", "incomplete")
#: By the type of an item that is a call and its result: which of its members are the result.
_RESULTS = {
    "code_interpreter_call": ("outputs",),
    "file_search_call": ("results",),
    "image_generation_call": ("result", "revised_prompt"),
    "mcp_call": ("output", "error"),
    "mcp_list_tools": ("tools", "error"),
    "web_search_call": (),
}
#: Types whose calls and results are items of their own, and what stands for the type.
_APART = {"shell_call": "shell", "tool_search_call": "tool_search", "mcp_approval_request": "mcp_approval_request"}
_ANSWERS = {
    "shell_call_output": "shell", "tool_search_output": "tool_search", "mcp_approval_response": "mcp_approval_request",
}  # fmt: skip
#: How the types of its own tools begin, and how those of others end that begin alike.
_DECLARED = ("code_interpreter", "file_search", "image_generation", "mcp", "shell", "tool_search", "web_search")
_ANOTHERS = re.compile(r"_20\d{6}$|_toolset$")
_TYPES = {"mcp_call": "mcp", "mcp_list_tools": "mcp_list_tools", **_APART}


def _request(body: Body, losses: Losses) -> Body:
    request = dict(body)
    for key in _HELD:
        if request.pop(key, None) is not None:
            losses.add("history", "what OpenAI keeps is not in the request", key)
    if isinstance(request.get("input"), list):
        items = [item for item in request["input"] if not _is_reference(item, losses)]
        hosted = {item.get("call_id") for item in items if isinstance(item, dict) and own_tools.is_hosted(item)}
        request["input"] = [_wrapped(item, hosted - {None}) for item in items]
    return request


def _is_reference(item: Any, losses: Losses) -> bool:
    refers = isinstance(item, dict) and (item.get("type") == "item_reference" or named(item) is not None)
    if refers:
        losses.add("history", "an item that only OpenAI has is named, not shown", item.get("id"))
    return refers


def _wrapped(item: Any, hosted: Collection[Any] = ()) -> Any:
    """An item that the decoder would refuse or drop, in a form that it takes for a step of OpenAI's.

    ``hosted`` are the ids of calls that OpenAI ran: what answers them is no result of the client's.
    """
    if not isinstance(item, dict):
        return item
    ran = item.get("call_id") in hosted and item.get("type") in _ANSWERS
    is_shown = item.get("type") in _SHOWN and not (item["type"] in own_tools.OUTPUTS and not own_tools.is_hosted(item))
    return {"type": _WRAPPED, "item": item} if ran or is_shown else item


def _reply(body: Body) -> list[Body]:
    output = body.get("output")
    return [{**body, "output": [_wrapped(item) for item in output]} if isinstance(output, list) else body]


def _event(body: Body) -> Body:
    event = dict(body)
    if "item" in event:
        event["item"] = _wrapped(event["item"])
    if isinstance(event.get("response"), dict):
        event["response"] = _reply(event["response"])[0]
    return event


def _separate(body: Body, conversation: Conversation) -> int:
    instructions = body.get("instructions")
    return min(len(conversation.system), int(isinstance(instructions, str) and bool(instructions.strip())))


def _goes_on(body: Body) -> bool:
    return body.get("previous_response_id") is not None or body.get("conversation") is not None


def _steps(item: Hosted) -> list[Step]:
    content = dict(item.value["item"] if item.type == _WRAPPED else item.value)
    kind = str(content.pop("type", item.type))
    if kind in _ANSWERS:
        answers = content.pop("approval_request_id", None) or content.pop("call_id", None)
        return [ServerResult({"type": _ANSWERS[kind], **_item_id(content)}, answers)]
    if kind not in _RESULTS and not kind.endswith("_call") and kind not in _APART:
        return [Block(kind, content)]
    name = content.pop("name", None) or _TYPES.get(kind) or kind.removesuffix("_call")
    if isinstance(content.get("arguments"), str):
        arguments = parse_object(content["arguments"])
        content["arguments"] = content["arguments"] if arguments is None else arguments
    step_id = content.pop("id", None) if content.get("call_id") is None else content.pop("call_id")
    details = {"type": _TYPES.get(kind) or kind.removesuffix("_call"), **_item_id(content)}
    answer = {} if kind in _APART else _taken(details, (*_RESULTS.get(kind, ()), "status"))
    call = ServerCall(str(name), details, step_id)
    if any(answer.get(key) is not None for key in _RESULTS.get(kind, ())) or answer.get("status") in _OVER:
        return [call, ServerResult({"type": details["type"], **answer}, step_id)]
    details |= answer
    return [call]


def _item_id(fields: Body) -> Body:
    """The members of an item; its own id, where its call has another, under a name of its own."""
    return {("item_id" if key == "id" else key): value for key, value in fields.items()}


def _taken(members: Body, keys: Sequence[str]) -> Body:
    return {key: members.pop(key) for key in keys if key in members}


def _hosted(steps: Sequence[Step]) -> Iterator[tuple[Step, Body]]:
    places: set[int] = set()
    for place, step in enumerate(steps):
        if place in places:
            continue
        if isinstance(step, Block):
            yield step, {"type": step.type, **step.members}
        elif isinstance(step, ServerResult):
            yield step, _answer(step)
        elif step.details["type"] in _APART.values():
            yield step, _call(step, apart=True)
        else:
            at = next((other for other in range(place + 1, len(steps)) if _answers(steps[other], step)), None)
            item = _call(step, apart=False)
            if at is not None:
                places.add(at)
                item |= _without_type(steps[at])
            yield step, item


def _answers(step: Step, call: ServerCall) -> bool:
    return isinstance(step, ServerResult) and step.id == call.id and step.details["type"] == call.details["type"]


def _without_type(step: Step) -> Body:
    return {} if isinstance(step, Block) else {key: value for key, value in step.details.items() if key != "type"}


def _call(step: ServerCall, *, apart: bool) -> Body:
    kind = step.details["type"]
    own = next((key for key, value in _TYPES.items() if value == kind), f"{kind}_call")
    members = _without_type(step)
    if isinstance(members.get("arguments"), dict) and own != "tool_search_call":
        members["arguments"] = dump(members["arguments"])
    item: Body = {"type": own, "id": members.pop("item_id", step.id), **members}
    if apart and own != "mcp_approval_request" and "call_id" not in members:
        item["call_id"] = step.id
    if step.name != kind:
        item["name"] = step.name
    return item


def _answer(step: ServerResult) -> Body:
    kind = step.details["type"]
    own = next((key for key, value in _ANSWERS.items() if value == kind), f"{kind}_call_output")
    members = _without_type(step)
    item: Body = {"type": own, "approval_request_id" if own == "mcp_approval_response" else "call_id": step.id}
    if "item_id" in members:
        item["id"] = members.pop("item_id")
    return item | members


def _thoughts(item: Opaque) -> list[str]:
    parts = [*(item.value.get("summary") or ()), *(item.value.get("content") or ())]
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return [text for text in texts if isinstance(text, str) and text]


def _declaration(definition: Body) -> Body | None:
    kind = str(definition.get("type"))
    if not kind.startswith(_DECLARED) or kind in definition or _ANOTHERS.search(kind):
        return None
    # A definition does not say which tools are deferred, and OpenAI refuses to search among none.
    if kind == "tool_search" and definition.get("execution") != "client":
        return None
    return {key: value for key, value in definition.items() if (key, value) != ("name", kind)}


OBSERVED = Observer(
    result_role="tool",
    prepare_request=_request,
    split_choices=_reply,
    prepare_event=_event,
    count_system_texts=_separate,
    continues_history=_goes_on,
    decode_steps=_steps,
    encode_steps=_hosted,
    encode_declaration=_declaration,
    reasoning_texts=_thoughts,
)
