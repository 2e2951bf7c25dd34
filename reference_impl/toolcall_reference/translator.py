"""The translator: a session decodes one format and encodes the other.

The session holds what a reply needs of its request: names, free-text tools, settings to echo. Nothing else is needed
across exchanges, so a new session can continue any conversation that is sent whole. The session's memory stores the
conversation for clients that ask for it, and restores what the client's format has no place for: opaque state, and ids
that it does not allow. Sessions may share a memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from toolcall_reference import formats
from toolcall_reference.adapter import build_tool_results, parse_tool_calls
from toolcall_reference.adapter_json import call_from_json, call_to_json, result_from_json
from toolcall_reference.basics.errors import Refused, Unsupported
from toolcall_reference.basics.jsontext import Snapshot, copy_json
from toolcall_reference.conversation import history
from toolcall_reference.conversation.failures import Headers, client_headers
from toolcall_reference.conversation.intermediate import Body, Conversation, Reply, UniversalToolCall, distinct_tools
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.names import NameMap
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats import Format
from toolcall_reference.mcp import mcp_result, mcp_tools
from toolcall_reference.policy import AppliedPolicy, NoPolicy, Policy, apply
from toolcall_reference.policy.patch import patch_body
from toolcall_reference.sessions.memory import Memory
from toolcall_reference.sessions.state import PrecedingWords, StateCollector
from toolcall_reference.streaming import streams
from toolcall_reference.streaming.deltas import Delta, ReplyEnded
from toolcall_reference.streaming.streams import StreamTranslator

VERSION = "0.1.0"


class Route(Protocol):
    """The formats and models of client and upstream; any object with these attributes will do."""

    @property
    def client(self) -> str: ...
    @property
    def upstream(self) -> str: ...
    @property
    def client_model(self) -> str: ...
    @property
    def upstream_model(self) -> str: ...
    @property
    def stream(self) -> bool: ...


class ReferenceTranslator:
    """Translates tool calls between all formats, both ways.

    >>> from types import SimpleNamespace
    >>> route = SimpleNamespace(client="openai_chat", upstream="gemini", client_model="gpt-4.1",
    ...                         upstream_model="gemini-2.5-flash", stream=False)
    >>> session = ReferenceTranslator().open(route)
    >>> session.request({"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi"}]})
    {'contents': [{'role': 'user', 'parts': [{'text': 'Hi'}]}]}
    """

    name = "toolcall-reference"
    version = VERSION

    def __init__(self, policy: Policy | None = None) -> None:
        self._policy = policy

    def open(self, route: Route, /, memory: Memory | None = None) -> Session:
        """A session for one conversation. Raises Unsupported for an unknown format.

        Without ``memory`` it gets one of its own. Exchanges that overlap need one session each and a shared memory.
        """
        for name in (route.client, route.upstream):
            if name not in formats.names():
                raise Unsupported(f"no such format: {name!r} (known: {', '.join(formats.names())})")
        kind = NativeSession if route.client == route.upstream else Session
        return kind(route, memory, self._policy)


_EMPTY_REQUEST, _NO_CONVERSATION = Snapshot({}), Snapshot(None)


class Session:
    """One conversation on one route. ``losses`` are what the last translation could not carry."""

    def __init__(self, route: Route, memory: Memory | None = None, policy: Policy | None = None) -> None:
        self.losses = Losses()
        self._route = route
        self._client: Format = formats.get(route.client)
        self._upstream: Format = formats.get(route.upstream)
        self._names = NameMap(None)
        self._custom_tools: set[str] = set()
        self._brought_declarations: list[Body] = []
        self._request_snapshot, self._conversation_snapshot = _EMPTY_REQUEST, _NO_CONVERSATION
        self._used_ids: frozenset[str] = frozenset()
        self._preceding_words = PrecedingWords()
        self._policy = policy
        self._applied_policy: AppliedPolicy | NoPolicy = NoPolicy()
        self.memory = Memory.of(self._client) if memory is None else memory

    def request(self, body: Body, /) -> Body:
        """Translate the client's request for the upstream. Raises Refused if that needs invented content."""
        self.losses = Losses()
        entries = self._client.conversation_key
        # The conversation itself needs no snapshot: the decoder copies the objects that it passes on.
        self._request_snapshot = Snapshot({key: value for key, value in body.items() if key != entries})
        self._conversation_snapshot = (
            Snapshot(body.get(entries)) if self.memory.reply_memory.needs_conversation(body) else _NO_CONVERSATION
        )
        if self._route.client == self._route.upstream:
            return _copy_with_model(
                self._apply_policy(body), self._upstream.request_model_key, self._route.upstream_model
            )
        settings = self._request_snapshot.value
        request = {key: value if key == entries else settings[key] for key, value in body.items()}
        conversation = self._client.decode_request(self.memory.reply_memory.complete_request(request), self.losses)
        history.check_whole(conversation)
        history.check_pairing(conversation)
        conversation.tools = distinct_tools(conversation.tools)
        self._remember_request(conversation)
        self.memory.state_memory.restore_state(conversation, self._route.upstream)
        self.memory.id_memory.restore_ids(conversation.calls)
        if self._policy is not None:
            self._applied_policy = apply(self._policy, conversation)
        # Gemini's body does not say whether a stream is wanted; the others do, whatever the route says.
        wished = self._route.stream or body.get("stream") is True
        target = Target(self._route.upstream_model, self.losses, stream=wished, names=self._names)
        return self._upstream.encode_request(conversation, target)

    def _apply_policy(self, body: Body) -> Body:
        """Apply the policy to a request of the upstream's own format, and change nothing else."""
        if self._policy is None:
            return body
        conversation = self._client.decode_request(copy_json(body), self.losses)
        before = self._upstream.encode_request(conversation, Target(self._route.upstream_model, exact=True))
        conversation = self._client.decode_request(copy_json(body), Losses())
        self._applied_policy = apply(self._policy, conversation)
        after = self._upstream.encode_request(conversation, Target(self._route.upstream_model, exact=True))
        return patch_body(body, before, after)

    def _remember_request(self, conversation: Conversation) -> None:
        self._names = NameMap(None)
        self._preceding_words = PrecedingWords(conversation.turns)
        self._brought_declarations = conversation.brought_declarations
        self._custom_tools = {tool.name for tool in conversation.tools if tool.kind == "custom"}
        self._used_ids = frozenset([call.given_id for call in conversation.calls if call.given_id is not None])

    def response(self, body: Body, /) -> Body:
        """Translate the upstream's reply for the client."""
        self.losses = Losses()
        if self._route.client == self._route.upstream:
            return _copy_with_model(
                self._restore_reply_names(body), self._client.reply_model_key, self._route.client_model
            )
        reply = self._upstream.decode_response(body, self.losses)
        self._restore_calls(reply)
        target = self._reply_target()
        output = self._client.encode_response(reply, target)
        self.memory.reply_memory.keep_reply(target.client_request, output)
        self.memory.state_memory.keep_state(reply, target.call_ids, self._preceding_words)
        self.memory.id_memory.keep_ids(reply.calls, target.call_ids)
        return output

    def _restore_reply_names(self, body: Body) -> Body:
        """Restore the client's names in a reply of the client's own format, and change nothing else."""
        if not self._applied_policy.changes_calls:
            return body
        reply = self._upstream.decode_response(copy_json(body), Losses())
        before = self._client.encode_response(reply, Target(self._route.client_model, is_reply=True, exact=True))
        for call in reply.calls:
            call.name = self._applied_policy.client_name(call.name)
            self._applied_policy.restore_call(call)
        after = self._client.encode_response(reply, Target(self._route.client_model, is_reply=True, exact=True))
        return patch_body(body, before, after)

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        """Translate the upstream's stream as it arrives; ``losses`` is complete when the stream has ended.

        Raises what ``chunks`` raises, and Refused where :meth:`response` would, after the output of all that was read
        before.
        """
        return streams.translate_stream(chunks, self.stream_translator())

    def stream_translator(self) -> StreamTranslator:
        """Start translating a stream by push: feed it chunks one by one, as :meth:`stream` does in a loop."""
        self.losses = Losses()
        if self._route.client == self._route.upstream and not self._applied_policy.changes_calls:
            return streams.SameFormatTranslator(
                self._client.stream_model_path, self._route.client_model, self._client.newline
            )
        target = self._reply_target()
        decoder, encoder = self._upstream.stream_decoder(self.losses), self._client.stream_encoder(target)
        collector, words = StateCollector(), self._preceding_words

        def store_state(delta: Delta) -> None:
            """Store state and ids that the client's format cannot hold, once the reply is complete."""
            collector.add_delta(delta)
            if isinstance(delta, ReplyEnded):
                self.memory.state_memory.keep_collected(collector, target.call_ids, words)
                self.memory.id_memory.keep_ids(collector.calls, target.call_ids)
                if encoder.whole_reply is not None:
                    self.memory.reply_memory.keep_reply(target.client_request, encoder.whole_reply)

        restorer = streams.CallRestorer(self._rename_call, self._to_free_text, self._applied_policy)
        return streams.CrossFormatTranslator(decoder, restorer, encoder, store_state, self._client.newline)

    def _reply_target(self) -> Target:
        """The encoding context of a reply to the last request."""
        model = self._route.client_model
        request = {**self._request_snapshot.value, self._client.conversation_key: self._conversation_snapshot.value}
        return Target(
            model,
            self.losses,
            is_reply=True,
            client_request=request,
            used_ids=self._used_ids,
            brought_declarations=self._brought_declarations,
        )

    def error(self, status: int, body: Body, headers: Headers, /) -> tuple[int, Body, Headers]:
        """Translate the upstream's error: status, body, and the headers that a client needs."""
        self.losses = Losses()
        if self._route.client == self._route.upstream:
            return status, copy_json(body), dict(headers)
        failure = self._upstream.decode_error(status, copy_json(body), headers, self.losses)
        return (*self._client.encode_error(failure), client_headers(failure))

    def _restore_calls(self, reply: Reply) -> None:
        for call in reply.calls:
            custom = self._rename_call(call)
            self._applied_policy.restore_call(call)
            if custom:
                self._to_free_text(call)

    def _rename_call(self, call: UniversalToolCall) -> bool:
        """Restore a call's client name. Returns whether the function stands for one of the client's free-text tools."""
        call.name = self._applied_policy.client_name(self._names.source_name(call.name))
        return call.name in self._custom_tools and call.kind == "function"

    def _to_free_text(self, call: UniversalToolCall) -> None:
        """Turn a call of the function that stands for a free-text tool upstream into a call of that tool."""
        value = call.arguments.get("input")
        if isinstance(value, str) and len(call.arguments) == 1:
            call.kind, call.text = "custom", value
        else:
            self.losses.add("tool-custom", "the call is not the text it should be; passed on as it is", call.name)
            call.kind, call.text = "custom", call.text if call.text is not None else str(value)


class NativeSession(Session):
    """A session within one format. It also reads calls from replies and writes results, as agents do."""

    def tool_calls(self, reply: Body, /) -> list[Body]:
        """The calls of a reply, as JSON values; see :func:`toolcall_reference.adapter.parse_tool_calls`."""
        return [call_to_json(call) for call in parse_tool_calls(reply, self._route.client)]

    def tool_results(self, calls: list[Body], results: list[Body], /) -> list[Body]:
        """The entries that answer ``calls``; see :func:`toolcall_reference.adapter.build_tool_results`."""
        owner = self._client.provider.file_vendor
        universal_calls, answers = (
            [call_from_json(call) for call in calls],
            [result_from_json(result, owner) for result in results],
        )
        return build_tool_results(universal_calls, answers, self._route.client, model=self._route.upstream_model)

    def mcp_tools(self, listed: Body, /) -> list[Body]:
        """The ``tools`` of a request for an MCP server's list; see :func:`toolcall_reference.mcp.mcp_tools`."""
        return mcp_tools(listed, self._route.client, model=self._route.upstream_model)

    def mcp_result(self, call: Body, result: Body, /) -> list[Body]:
        """The entries that answer ``call``; see :func:`toolcall_reference.mcp.mcp_result`."""
        return mcp_result(call, result, self._route.client, model=self._route.upstream_model)


def _copy_with_model(body: Body, model_key: str | None, model: str) -> Body:
    """A copy of the body with another model name."""
    body_copy: Body = copy_json(body)
    if model_key is not None and model_key in body_copy:
        body_copy[model_key] = model
    return body_copy


__all__ = ["NativeSession", "ReferenceTranslator", "Refused", "Route", "Session", "Unsupported"]
