"""Requests, replies and streams as GenAI messages.

Settings, model and usage are attributes of a span, not messages; each is recorded as a loss.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields

from toolcall_reference import formats
from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import copy_json
from toolcall_reference.conversation.intermediate import (
    Body,
    Conversation,
    Item,
    Reply,
    Settings,
    Text,
    Turn,
    UniversalToolResult,
)
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.formats import Format
from toolcall_reference.otel.parts import Writer
from toolcall_reference.otel.tools import tool_definitions
from toolcall_reference.streaming import streams
from toolcall_reference.streaming.deltas import Delta, ReplyAssembler
from toolcall_reference.streaming.streams import Decoder

_FINISH = {"end": "stop", "stop_sequence": "stop", "tools": "tool_call", "filter": "content_filter"}


@dataclass(slots=True)
class GenAI:
    """The messages of one exchange; each list is the value of the attribute ``gen_ai.…`` of its name.

    ``losses`` are the parts of the source that are in none of them.
    """

    input_messages: list[Body] = field(default_factory=list)
    output_messages: list[Body] = field(default_factory=list)
    system_instructions: list[Body] = field(default_factory=list)
    tool_definitions: list[Body] = field(default_factory=list)
    losses: Losses = field(default_factory=Losses)

    @property
    def finish_reasons(self) -> list[str]:
        """The value of ``gen_ai.response.finish_reasons``: one for each output message."""
        return [message["finish_reason"] for message in self.output_messages if "finish_reason" in message]

    def attributes(self) -> dict[str, list[Body]]:
        """The four lists by name."""
        names = ("input_messages", "output_messages", "system_instructions", "tool_definitions")
        return {name: getattr(self, name) for name in names}


def of_request(body: Body, format_name: str, *, state: bool = False) -> GenAI:
    """The messages of a request. Raises Refused if its shape is not the format's.

    ``state``: parts include opaque state (signatures, encrypted reasoning), so that the request can be restored. A
    tracer does not need it.
    """
    wire_format = formats.get(format_name)
    telemetry = GenAI()
    request = copy_json(body)
    conversation = wire_format.decode_request(
        wire_format.observer.prepare_request(request, telemetry.losses), telemetry.losses
    )
    writer = Writer(wire_format, telemetry.losses, {call.id: call.given_id for call in conversation.calls}, state)
    apart = wire_format.observer.count_system_texts(request, conversation)
    telemetry.system_instructions = writer.parts(list(conversation.system[:apart]))
    within: list[Item] = list(conversation.system[apart:])
    turns = [*([Turn("system", within)] if within else []), *conversation.turns]
    telemetry.input_messages = [_message(turn, writer) for turn in turns]
    telemetry.tool_definitions = tool_definitions(conversation.tools, telemetry.losses)
    _lose_settings(conversation, telemetry.losses)
    if request.get("stream") is True:
        telemetry.losses.add("setting", "messages do not say that the reply was to be streamed", "stream")
    return telemetry


def _message(turn: Turn, writer: Writer) -> Body:
    only_results = bool(turn.items) and all(isinstance(item, UniversalToolResult) for item in turn.items)
    role = writer.wire_format.observer.result_role if only_results else turn.side
    named = {} if turn.name is None else {"name": turn.name}
    return {"role": role, "parts": writer.parts(turn.items), **named}


def _lose_settings(conversation: Conversation, losses: Losses) -> None:
    for setting in fields(Settings):
        if getattr(conversation.settings, setting.name) not in (None, {}):
            losses.add("setting", "messages have no settings", setting.name)


def of_response(body: Body, format_name: str, *, state: bool = False) -> GenAI:
    """The messages of a reply, one for each of its choices. Raises Refused if it is not a finished reply."""
    wire_format = formats.get(format_name)
    telemetry = GenAI()
    for choice in wire_format.observer.split_choices(copy_json(body)):
        reply = wire_format.decode_response(choice, telemetry.losses)
        telemetry.output_messages.append(_reply_message(reply, wire_format, telemetry.losses, state))
    return telemetry


def _reply_message(reply: Reply, wire_format: Format, losses: Losses, state: bool) -> Body:
    writer = Writer(wire_format, losses, {call.id: call.given_id for call in reply.calls}, state)
    return {"role": "assistant", "parts": writer.parts(reply.items), "finish_reason": finish_reason(reply)}


def finish_reason(reply: Reply) -> str:
    """The finish reason: a word of the convention if there is one, else that of the intermediate form.

    A refusal in the model's own words is ``stop``; a refusal by its provider is ``content_filter``.
    """
    if reply.finish == "refusal":
        has_refusal = any(isinstance(item, Text) and item.refusal for item in reply.items)
        return "stop" if has_refusal else "content_filter"
    return _FINISH.get(reply.finish, reply.finish)


def of_stream(chunks: Iterable[bytes], format_name: str, *, state: bool = False) -> GenAI:
    """The messages of a streamed reply. A failed or cut one has the finish reason ``error``."""
    wire_format = formats.get(format_name)
    telemetry = GenAI()
    reply = assemble_reply(chunks, wire_format, telemetry.losses)
    if reply is None:
        raise Refused("the stream holds no reply")
    telemetry.output_messages = [_reply_message(reply, wire_format, telemetry.losses, state)]
    return telemetry


def of_exchange(request: Body, reply: Body | bytes, format_name: str, *, state: bool = False) -> GenAI:
    """The messages of a request and its reply; ``reply`` is a body, or the bytes of a stream."""
    telemetry = of_request(request, format_name, state=state)
    if isinstance(reply, bytes):
        answer = of_stream([reply], format_name, state=state)
    else:
        answer = of_response(reply, format_name, state=state)
    telemetry.output_messages = answer.output_messages
    for loss in answer.losses:
        telemetry.losses.add(loss.element, loss.note, loss.where)
    return telemetry


def of_conversation(exchanges: Sequence[tuple[Body, Body | bytes]], format_name: str, *, state: bool = False) -> GenAI:
    """The messages of a whole conversation, as of a last exchange whose request holds the whole history.

    If a provider stores the history, a request holds only new items; those of earlier exchanges are put before them.
    """
    telemetry = GenAI()
    goes_on = formats.get(format_name).observer.continues_history
    for request, reply in exchanges:
        next_one = of_exchange(request, reply, format_name, state=state)
        if goes_on(request):
            before = [
                *telemetry.input_messages,
                *(_without_finish_reason(message) for message in telemetry.output_messages[:1]),
            ]
            next_one.input_messages = [*before, *next_one.input_messages]
        telemetry = next_one
    return telemetry


def _without_finish_reason(message: Body) -> Body:
    return {key: value for key, value in message.items() if key != "finish_reason"}


class _ObservingDecoder:
    """A decoder whose events are prepared by the observer of its format."""

    def __init__(self, decoder: Decoder, wire_format: Format) -> None:
        self._decoder, self._event = decoder, wire_format.observer.prepare_event

    def decode_event(self, body: Body, /) -> Iterable[Delta]:
        """The deltas of an event."""
        return self._decoder.decode_event(self._event(body))

    def decode_end(self, *, is_marked: bool) -> Iterable[Delta]:
        """The deltas of the end of the stream."""
        return self._decoder.decode_end(is_marked=is_marked)


def assemble_reply(chunks: Iterable[bytes], wire_format: Format, losses: Losses) -> Reply | None:
    """The reply of a stream, as far as it arrived; None if it starts none."""
    reply = ReplyAssembler()
    for delta in streams.read_deltas(chunks, _ObservingDecoder(wire_format.stream_decoder(losses), wire_format)):
        if reply.add(delta):
            break
    return reply.assembled_reply()
