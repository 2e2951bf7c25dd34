"""Requests, replies and streams as GenAI messages.

Settings, model and usage are attributes of a span, not messages; that they are not here is said as a loss.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields

from toolcall_reference import formats
from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import copied
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
from toolcall_reference.otel.tools import definitions
from toolcall_reference.streaming import streams
from toolcall_reference.streaming.deltas import Delta, ReplyAssembler
from toolcall_reference.streaming.streams import Decoder

_FINISH = {"end": "stop", "stop_sequence": "stop", "tools": "tool_call", "filter": "content_filter"}


@dataclass(slots=True)
class GenAI:
    """What a span tells of one exchange; each list is the value of the attribute ``gen_ai.…`` of its name.

    ``losses`` says what of the source is in none of them.
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
        """The four lists by their names."""
        names = ("input_messages", "output_messages", "system_instructions", "tool_definitions")
        return {name: getattr(self, name) for name in names}


def of_request(body: Body, format_name: str, *, state: bool = False) -> GenAI:
    """The messages of a request; Refused where its shape is not that of the format.

    ``state``: what only the provider can read (signatures, encrypted reasoning) stands beside the parts, so that the
    way back has it. A tracer has no use for it.
    """
    spoken = formats.get(format_name)
    telemetry = GenAI()
    request = copied(body)
    conversation = spoken.decode_request(spoken.observer.prepare_request(request, telemetry.losses), telemetry.losses)
    writer = Writer(spoken, telemetry.losses, {call.id: call.given_id for call in conversation.calls}, state)
    apart = spoken.observer.count_system_texts(request, conversation)
    telemetry.system_instructions = writer.parts(list(conversation.system[:apart]))
    within: list[Item] = list(conversation.system[apart:])
    turns = [*([Turn("system", within)] if within else []), *conversation.turns]
    telemetry.input_messages = [_message(turn, writer) for turn in turns]
    telemetry.tool_definitions = definitions(conversation.tools, telemetry.losses)
    _lose_settings(conversation, telemetry.losses)
    if request.get("stream") is True:
        telemetry.losses.add("setting", "messages do not say that the reply was to be streamed", "stream")
    return telemetry


def _message(turn: Turn, writer: Writer) -> Body:
    only_results = bool(turn.items) and all(isinstance(item, UniversalToolResult) for item in turn.items)
    role = writer.spoken.observer.result_role if only_results else turn.side
    named = {} if turn.name is None else {"name": turn.name}
    return {"role": role, "parts": writer.parts(turn.items), **named}


def _lose_settings(conversation: Conversation, losses: Losses) -> None:
    for setting in fields(Settings):
        if getattr(conversation.settings, setting.name) not in (None, {}):
            losses.add("setting", "messages have no settings", setting.name)


def of_response(body: Body, format_name: str, *, state: bool = False) -> GenAI:
    """The messages of a reply, one for each of its choices; Refused where it is none, or is still being made."""
    spoken = formats.get(format_name)
    telemetry = GenAI()
    for choice in spoken.observer.split_choices(copied(body)):
        reply = spoken.decode_response(choice, telemetry.losses)
        telemetry.output_messages.append(_answer(reply, spoken, telemetry.losses, state))
    return telemetry


def _answer(reply: Reply, spoken: Format, losses: Losses, state: bool) -> Body:
    writer = Writer(spoken, losses, {call.id: call.given_id for call in reply.calls}, state)
    return {"role": "assistant", "parts": writer.parts(reply.items), "finish_reason": finish_reason(reply)}


def finish_reason(reply: Reply) -> str:
    """The word for why a reply ended: one of the vocabulary's, else the neutral form's own.

    A model that refuses in its own words just stops; where its provider refuses for it, the content was filtered.
    """
    if reply.finish == "refusal":
        spoken = any(isinstance(item, Text) and item.refusal for item in reply.items)
        return "stop" if spoken else "content_filter"
    return _FINISH.get(reply.finish, reply.finish)


def of_stream(chunks: Iterable[bytes], format_name: str, *, state: bool = False) -> GenAI:
    """The messages of a streamed reply. One that failed or broke off has the finish reason ``error``."""
    spoken = formats.get(format_name)
    telemetry = GenAI()
    reply = gathered(chunks, spoken, telemetry.losses)
    if reply is None:
        raise Refused("the stream holds no reply")
    telemetry.output_messages = [_answer(reply, spoken, telemetry.losses, state)]
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
    """The messages of a whole conversation, as its last exchange would have them if every request said all.

    Where a provider keeps the history, a request brings only what is new; what earlier exchanges said goes before it.
    """
    telemetry = GenAI()
    goes_on = formats.get(format_name).observer.continues_history
    for request, reply in exchanges:
        next_one = of_exchange(request, reply, format_name, state=state)
        if goes_on(request):
            before = [*telemetry.input_messages, *(_said(message) for message in telemetry.output_messages[:1])]
            next_one.input_messages = [*before, *next_one.input_messages]
        telemetry = next_one
    return telemetry


def _said(message: Body) -> Body:
    return {key: value for key, value in message.items() if key != "finish_reason"}


class _ObservingDecoder:
    """A decoder that gets every event as an observer of its format reads it."""

    def __init__(self, decoder: Decoder, spoken: Format) -> None:
        self._decoder, self._event = decoder, spoken.observer.prepare_event

    def decode_event(self, body: Body, /) -> Iterable[Delta]:
        """What an event tells."""
        return self._decoder.decode_event(self._event(body))

    def decode_end(self, *, is_marked: bool) -> Iterable[Delta]:
        """What the end of the stream tells."""
        return self._decoder.decode_end(is_marked=is_marked)


def gathered(chunks: Iterable[bytes], spoken: Format, losses: Losses) -> Reply | None:
    """The reply that a stream says, as far as it came; None where it begins none."""
    reply = ReplyAssembler()
    for delta in streams.read_deltas(chunks, _ObservingDecoder(spoken.stream_decoder(losses), spoken)):
        if reply.add(delta):
            break
    return reply.assembled_reply()
