"""Tool calls from one format's replies, and results back into it, for agents that run tools themselves.

    calls = parse_tool_calls(reply, "gemini")
    results = [UniversalToolResult.of(run(call.name, **call.arguments), call) for call in calls]
    request = build_follow_up(request, reply, results, "gemini")

Every call has an id, generated if its provider gave none, and its arguments are an object. If the model wrote text
that is not a JSON object, ``readable`` is False, ``arguments`` is empty and ``text`` is that text. Format names are
those of :func:`toolcall_reference.formats.names`; any other raises :class:`Unsupported`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from toolcall_reference import formats
from toolcall_reference.basics.errors import Refused, Unsupported
from toolcall_reference.basics.jsontext import copy_json
from toolcall_reference.conversation.intermediate import (
    Body,
    Conversation,
    Reply,
    Text,
    Turn,
    UniversalToolCall,
    UniversalToolResult,
)
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats import Format
from toolcall_reference.streaming import streams
from toolcall_reference.streaming.deltas import ReplyAssembler, ReplyFailed

_PLACEHOLDER_TURN = Turn("user", [Text(".")])


def parse_tool_calls(response: Body, format: str) -> list[UniversalToolCall]:
    """The calls of the client's tools in a reply, in order. Raises Refused if ``response`` is not a reply."""
    return _get_format(format).decode_response(copy_json(response), Losses()).calls


def parse_tool_calls_stream(chunks: Iterable[bytes], format: str) -> list[UniversalToolCall]:
    """The calls of a complete streamed reply. Raises Refused if it broke off: half a call must not run."""
    return _read_stream(chunks, _get_format(format)).calls


def build_tool_results(
    calls: Sequence[UniversalToolCall],
    results: Sequence[UniversalToolResult],
    format: str,
    *,
    model: str | None = None,
) -> list[Body]:
    """The conversation entries that answer ``calls``: messages, items or contents.

    ``results`` may come in any order. Raises Refused if a result has no call, or a call has no result or several.
    ``model`` matters where models of one format differ: only since Gemini 3 may a functionResponse hold media.
    """
    wire_format = _get_format(format)
    answers = _pair_results(calls, results)
    if not answers:
        return []
    turn = Turn("assistant", [replace(call, batch=0) for call in calls])
    before = len(_encode_turns([_PLACEHOLDER_TURN, turn, _PLACEHOLDER_TURN], wire_format, model)) - 1
    return _encode_turns([_PLACEHOLDER_TURN, turn, Turn("user", [*answers])], wire_format, model)[before:]


def build_follow_up(
    request: Body,
    response: Body | Iterable[bytes],
    results: Sequence[UniversalToolResult],
    format: str,
) -> Body:
    """An agent's next request: ``request``, the reply with its reasoning and signatures unchanged, and the results.

    ``response`` is the reply or its stream. No argument is changed. If the request has Responses'
    ``previous_response_id``, the next one names the reply there and does not repeat its items. Raises Refused as
    :func:`build_tool_results` does, and for a reply that calls no tool and is not paused: nothing is to be sent then.
    """
    wire_format = _get_format(format)
    if isinstance(response, dict):
        response_copy, reply = copy_json(response), wire_format.decode_response(copy_json(response), Losses())
    else:
        reply = _read_stream(response, wire_format)
        response_copy = _encode_reply(reply, wire_format, request)
    if not reply.calls and not results and reply.finish != "pause":
        raise Refused("the reply calls no tool, so there is nothing to answer")
    model = request.get("model") if isinstance(request.get("model"), str) else reply.model
    entries = build_tool_results(reply.calls, results, format, model=model)
    body: Body = wire_format.follow_up(copy_json(request), response_copy, [call.id for call in reply.calls], entries)
    return body


def _get_format(format_name: str) -> Format:
    if format_name not in formats.names():
        raise Unsupported(f"no such format: {format_name!r} (known: {', '.join(formats.names())})")
    return formats.get(format_name)


def _pair_results(
    calls: Sequence[UniversalToolCall], results: Sequence[UniversalToolResult]
) -> list[UniversalToolResult]:
    """The results with the name and kind of their calls. Raises Refused unless calls and results pair one to one."""
    open_calls = {call.id: call for call in calls}
    if len(open_calls) < len(calls):
        raise Refused("two calls have one id; take them as parse_tool_calls gives them")
    matches = []
    for result in results:
        call = open_calls.pop(result.tool_call_id, None)
        if call is None:
            raise Refused(_unmatched_result_text(result, calls))
        if result.name not in ("", call.name):
            raise Refused(f"the result for the call {call.id!r} of {call.name} is named {result.name}")
        matches.append(replace(result, name=call.name, kind=call.kind))
    if open_calls:
        left = ", ".join(f"{call.id!r} of {call.name}" for call in open_calls.values())
        raise Refused(f"no result for the call {left}; where a tool gave none, say so as an error")
    return matches


def _unmatched_result_text(result: UniversalToolResult, calls: Sequence[UniversalToolCall]) -> str:
    names = ", ".join(repr(call.id) for call in calls) or "there are none"
    if any(call.id == result.tool_call_id for call in calls):
        return f"a second result for the call {result.tool_call_id!r}"
    return f"a result is for the call {result.tool_call_id!r}, which is none of the reply's calls: {names}"


def _encode_turns(turns: list[Turn], wire_format: Format, model: str | None) -> list[Body]:
    target = Target(model or wire_format.provider.default_model, native=True)
    turns = [replace(turn, items=list(turn.items)) for turn in turns]
    messages: list[Body] = wire_format.encode_request(Conversation.of(turns), target)[wire_format.conversation_key]
    return messages


def _read_stream(chunks: Iterable[bytes], wire_format: Format) -> Reply:
    """Assemble the reply of a stream. Raises Refused if it broke off or holds no reply."""
    gathered = ReplyAssembler()
    for delta in streams.read_deltas(chunks, wire_format.stream_decoder(Losses())):
        if isinstance(delta, ReplyFailed):
            raise Refused(f"the stream broke off, so its calls may not be whole: {delta.failure.message}")
        if gathered.add(delta):
            break
    reply = gathered.assembled_reply()
    if reply is None:
        raise Refused("the stream holds no reply")
    return reply


def _encode_reply(reply: Reply, wire_format: Format, request: Body) -> Body:
    """Encode a streamed reply as the body of a whole one."""
    target = Target(
        reply.model or wire_format.provider.default_model, client_request=request, is_reply=True, native=True
    )
    body: Body = wire_format.encode_response(reply, target)
    return body
