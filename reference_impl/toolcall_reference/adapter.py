"""Tool calls out of one format's replies, and results back into it: what an agent needs that calls tools itself.

    calls = parse_tool_calls(reply, "gemini")
    results = [UniversalToolResult.of(run(call.name, **call.arguments), call) for call in calls]
    request = build_follow_up(request, reply, results, "gemini")

Every call has an id, made where its provider gave none, and its arguments are an object. Where the model wrote text
that is none, ``readable`` is False, ``arguments`` is empty and ``text`` is what it wrote. A format is named as in
:func:`toolcall_reference.formats.names`; one that is not there raises :class:`Unsupported`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from toolcall_reference import formats
from toolcall_reference.basics.errors import Refused, Unsupported
from toolcall_reference.basics.jsontext import copied
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

_QUESTION = Turn("user", [Text(".")])


def parse_tool_calls(response: Body, format: str) -> list[UniversalToolCall]:
    """The calls of the client's tools in a reply, in its order; Refused where ``response`` is no reply."""
    return _spoken(format).decode_response(copied(response), Losses()).calls


def parse_tool_calls_stream(chunks: Iterable[bytes], format: str) -> list[UniversalToolCall]:
    """The calls in a streamed reply, when it is over; Refused where it broke off, for half a call must not run."""
    return _gathered(chunks, _spoken(format)).calls


def build_tool_results(
    calls: Sequence[UniversalToolCall],
    results: Sequence[UniversalToolResult],
    format: str,
    *,
    model: str | None = None,
) -> list[Body]:
    """The entries of the conversation that answer ``calls``: messages, items or contents.

    ``results`` may come in any order. Refused for a result of no call, a call without a result, and one with several.
    ``model`` decides where models of one format differ: only since Gemini 3 may a functionResponse hold media.
    """
    spoken = _spoken(format)
    answers = _matched(calls, results)
    if not answers:
        return []
    turn = Turn("assistant", [replace(call, batch=0) for call in calls])
    before = len(_encoded([_QUESTION, turn, _QUESTION], spoken, model)) - 1
    return _encoded([_QUESTION, turn, Turn("user", [*answers])], spoken, model)[before:]


def build_follow_up(
    request: Body,
    response: Body | Iterable[bytes],
    results: Sequence[UniversalToolResult],
    format: str,
) -> Body:
    """What an agent sends next: ``request`` with the reply, reasoning and signatures as they came, and the results.

    ``response`` is the reply or its stream; nothing that is given is changed. Responses' ``previous_response_id`` goes
    on to the reply, whose items are then not said again. Refused as by :func:`build_tool_results`, and for a reply
    that calls no tool and is not paused: nothing is to be sent then.
    """
    spoken = _spoken(format)
    if isinstance(response, dict):
        whole, reply = copied(response), spoken.decode_response(copied(response), Losses())
    else:
        reply = _gathered(response, spoken)
        whole = _body(reply, spoken, request)
    if not reply.calls and not results and reply.finish != "pause":
        raise Refused("the reply calls no tool, so there is nothing to answer")
    model = request.get("model") if isinstance(request.get("model"), str) else reply.model
    entries = build_tool_results(reply.calls, results, format, model=model)
    body: Body = spoken.follow_up(copied(request), whole, [call.id for call in reply.calls], entries)
    return body


def _spoken(name: str) -> Format:
    if name not in formats.names():
        raise Unsupported(f"no such format: {name!r} (known: {', '.join(formats.names())})")
    return formats.get(name)


def _matched(calls: Sequence[UniversalToolCall], results: Sequence[UniversalToolResult]) -> list[UniversalToolResult]:
    """The results, each of the kind of its call; Refused unless every call has one, and every result its own call."""
    open_calls = {call.id: call for call in calls}
    if len(open_calls) < len(calls):
        raise Refused("two calls have one id; take them as parse_tool_calls gives them")
    matches = []
    for result in results:
        call = open_calls.pop(result.tool_call_id, None)
        if call is None:
            raise Refused(_stranger(result, calls))
        if result.name not in ("", call.name):
            raise Refused(f"the result for the call {call.id!r} of {call.name} is named {result.name}")
        matches.append(replace(result, name=call.name, kind=call.kind))
    if open_calls:
        left = ", ".join(f"{call.id!r} of {call.name}" for call in open_calls.values())
        raise Refused(f"no result for the call {left}; where a tool gave none, say so as an error")
    return matches


def _stranger(result: UniversalToolResult, calls: Sequence[UniversalToolCall]) -> str:
    names = ", ".join(repr(call.id) for call in calls) or "there are none"
    if any(call.id == result.tool_call_id for call in calls):
        return f"a second result for the call {result.tool_call_id!r}"
    return f"a result is for the call {result.tool_call_id!r}, which is none of the reply's calls: {names}"


def _encoded(turns: list[Turn], spoken: Format, model: str | None) -> list[Body]:
    target = Target(model or spoken.provider.default_model, native=True)
    turns = [replace(turn, items=list(turn.items)) for turn in turns]
    messages: list[Body] = spoken.encode_request(Conversation.of(turns), target)[spoken.entries]
    return messages


def _gathered(chunks: Iterable[bytes], spoken: Format) -> Reply:
    gathered = ReplyAssembler()
    for delta in streams.read_deltas(chunks, spoken.stream_decoder(Losses())):
        if isinstance(delta, ReplyFailed):
            raise Refused(f"the stream broke off, so its calls may not be whole: {delta.failure.message}")
        if gathered.add(delta):
            break
    reply = gathered.assembled_reply()
    if reply is None:
        raise Refused("the stream holds no reply")
    return reply


def _body(reply: Reply, spoken: Format, request: Body) -> Body:
    """A streamed reply as it would have come whole."""
    target = Target(reply.model or spoken.provider.default_model, asked=request, is_reply=True, native=True)
    body: Body = spoken.encode_response(reply, target)
    return body
