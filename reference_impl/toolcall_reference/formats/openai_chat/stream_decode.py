"""Reading Chat Completions streams: https://platform.openai.com/docs/api-reference/chat-streaming

A chunk holds only the new pieces of a call. Only the finish reason says that calls are complete, so all stay open until
then. Compatible servers omit indexes and ids, or repeat them in every chunk.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolcall_reference.basics.jsontext import as_list, as_object, as_text, dump, is_cut, join_pieces
from toolcall_reference.conversation import citations
from toolcall_reference.conversation.intermediate import Body, Opaque, Text
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.formats.openai_chat.api import LEGACY, NAME
from toolcall_reference.formats.openai_chat.decode import (
    EXTRA_KEYS,
    decode_finish,
    decode_head,
    decode_images,
    decode_state,
    decode_transcript,
    decode_usage,
    lose_logprobs,
)
from toolcall_reference.formats.openai_chat.failures import decode_error_event
from toolcall_reference.formats.openai_chat.parts import decode_parts
from toolcall_reference.formats.openai_chat.transcripts import AUDIO, CONTENT, TranscriptFilter
from toolcall_reference.streaming.deltas import Delta
from toolcall_reference.streaming.draft import Draft, OpenCall

_ARGUMENT_KEYS = {"function": "arguments", "custom": "input"}
_NO_KEY = object()

PendingEntries = list[tuple[Body, str]]
"""The entries of a call that is not open yet, each with its kind."""


class StreamDecoder:
    """Decodes one stream; of several choices the first."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._draft = Draft(NAME)
        self._by_index: dict[int, OpenCall] = {}
        self._by_id: dict[str, OpenCall] = {}
        self._pending: dict[int | str | None, PendingEntries] = {}
        self._function_call: OpenCall | None = None
        self._open_reasoning: tuple[str, list[str]] | None = None
        self._transcript_filter = TranscriptFilter()
        self._reason: Any = None
        self._usage: Any = None

    def decode_event(self, body: Body, /) -> Iterable[Delta]:
        """The deltas of a chunk."""
        if not self._draft.is_ended:
            self._decode_chunk(body)
        return self._draft.take_deltas()

    def decode_end(self, *, is_marked: bool) -> Iterable[Delta]:
        """The deltas of the stream's end, with ``[DONE]`` or without: the reply is complete if it has a finish reason.

        Some servers send one after each call; without ``[DONE]`` there must be one after the last. Others send a blank
        one or none, and ``[DONE]`` alone says that the reply is complete: https://github.com/weave-os/router/issues/250
        """
        self._open_pending()
        is_open = any(not call.is_closed for call in self._draft.calls)
        if is_marked and self._reason is None and self._is_whole():
            self._end_choice("stop")
        if self._reason is not None and (is_marked or not is_open) and not self._draft.is_ended:
            reply = self._draft.reply
            calls, refused = bool(self._draft.calls), self._draft.has_refusal
            reply.finish = decode_finish(self._reason, calls=calls, refused=refused)
            reply.usage = decode_usage(self._usage)
            self._draft.end_reply()
        return self._draft.take_deltas()

    def _decode_chunk(self, body: Body) -> None:
        if body.get("error"):
            self._draft.fail_reply(decode_error_event(body, self._losses))
            return
        if isinstance(body.get("usage"), dict):
            self._usage = body["usage"]
        choices = as_list(body.get("choices"), "choices")
        if choices and not self._draft.is_started:  # Azure's first chunk has no choices and no id
            self._draft.start_reply(decode_head(body))
        for choice in choices:
            choice = as_object(choice, "a choice")
            if choice.get("index") not in (None, 0):
                self._losses.add("choices", "only the first of several choices is kept")
            else:
                self._decode_choice(choice)

    def _decode_choice(self, choice: Body) -> None:
        """Decode the delta and the finish reason of the first choice."""
        delta = as_object(choice.get("delta"), "delta")
        lose_logprobs(choice, self._losses)
        has_more = not EXTRA_KEYS.isdisjoint(delta)
        for key in ("reasoning_content", "reasoning") if has_more else ():
            if isinstance(delta.get(key), str) and delta[key]:
                self._add_reasoning(key, delta[key])
                break
        for part in decode_parts(delta.get("content"), self._losses):
            self._open_pending()
            self._close_reasoning()
            if isinstance(part, Text) and not part.refusal:
                self._add_text(self._transcript_filter.add_piece(CONTENT, part.text))
            elif isinstance(part, Text):
                self._draft.add_text(part.text, refusal=True)
            else:
                self._draft.add_item(part)
        if has_more:
            self._decode_extras(delta)
        for entry in as_list(delta.get("tool_calls"), "tool_calls"):
            self._close_reasoning()
            self._decode_call_entry(as_object(entry, "a tool call"))
        legacy = as_object(delta.get("function_call"), "function_call")
        if legacy and (legacy.get("name") or self._function_call):
            self._close_reasoning()
            if self._function_call is None:
                self._function_call = self._draft.open_call(None, as_text(legacy.get("name"), "name"))
                self._function_call.call.form = LEGACY
            self._draft.grow_call(self._function_call, as_text(legacy.get("arguments"), "arguments"))
        if choice.get("finish_reason"):
            self._end_choice(choice["finish_reason"])

    def _end_choice(self, reason: Any) -> None:
        self._open_pending()
        self._reason = reason
        self._close_reasoning()
        self._add_text(self._transcript_filter.release_rest())
        self._draft.close_all()

    def _is_whole(self) -> bool:
        """Whether the reply has content, and no call breaks off within its arguments."""
        functions = [call for call in self._draft.calls if call.call.kind == "function"]
        has_content = self._draft.has_items or self._open_reasoning is not None
        return self._draft.is_started and has_content and not any(is_cut(call.text) for call in functions)

    def _decode_extras(self, delta: Body) -> None:
        """Decode the extra keys of a delta: citations, images, refusal, transcript."""
        self._draft.cite_text(citations.from_openai(delta.get("annotations"), self._losses, "url_citation"))
        for picture in decode_images(delta):
            self._close_reasoning()
            self._draft.add_item(picture)
        refusal = as_text(delta.get("refusal"), "refusal")
        if refusal:
            self._close_reasoning()
            self._draft.add_text(refusal, refusal=True)
        transcript = decode_transcript(delta, self._losses)
        if transcript:
            self._close_reasoning()
            self._add_text(self._transcript_filter.add_piece(AUDIO, transcript))

    def _add_text(self, pieces: Iterable[tuple[str, str]]) -> None:
        for key, piece in pieces:
            self._draft.add_text(piece, key=key)

    def _add_reasoning(self, key: str, piece: str) -> None:
        if self._open_reasoning is None or self._open_reasoning[0] != key:
            self._close_reasoning()
            self._open_reasoning = (key, [])
        self._open_reasoning[1].append(piece)

    def _close_reasoning(self) -> None:
        if self._open_reasoning is not None:
            key, pieces = self._open_reasoning
            self._open_reasoning = None
            self._draft.add_item(Opaque(NAME, key, join_pieces(pieces)))

    def _decode_call_entry(self, entry: Body) -> None:
        """Decode an entry of ``tool_calls``: a piece of an open call, of a pending call, or a new call."""
        is_custom = entry.get("type") == "custom" or ("custom" in entry and "function" not in entry)
        kind = "custom" if is_custom else "function"
        function = as_object(entry.get(kind), kind)
        key = _entry_key(entry)
        self._open_pending(but=key)
        if function.get("name") and _first_named(self._pending.get(key, ())) is not None:
            self._open_pending()
        call = self._find_call(entry, function)
        if call is None:
            waiting = [*self._pending.pop(key, ()), (entry, kind)]
            if not _can_begin(waiting):
                self._pending[key] = waiting
            else:
                self._open_call(waiting)
        else:
            self._grow_call(call, entry, kind)

    def _open_call(self, waiting: PendingEntries) -> None:
        """Open a call with all its entries so far."""
        entry, kind, name = next(
            named_entry for named_entry in (_first_named([entry]) for entry in waiting) if named_entry is not None
        )
        given_id = next((entry["id"] for entry, _ in waiting if _has_id(entry)), None)
        call = self._new_call({**entry, "id": given_id}, kind, as_text(name, "name"))
        for fragment, fragment_kind in waiting:
            self._grow_call(call, fragment, fragment_kind)

    def _open_pending(self, *, but: object = _NO_KEY) -> None:
        """Open the pending calls that lack only an id, except that of ``but``."""
        for key in [key for key in self._pending if key != but and _first_named(self._pending[key]) is not None]:
            self._open_call(self._pending.pop(key))

    def _grow_call(self, call: OpenCall, entry: Body, kind: str) -> None:
        function = as_object(entry.get(kind), kind)
        if entry.get("extra_content") is not None:
            call.call.raw_context = call.call.raw_context | decode_state(entry)
        text = function.get(_ARGUMENT_KEYS[call.call.kind])
        self._draft.grow_call(call, dump(text) if isinstance(text, dict) else as_text(text, "arguments"))

    def _find_call(self, entry: Body, function: Body) -> OpenCall | None:
        """The open call of an entry: by its index, by its id, or the last one if it has neither; None for a new call.

        A known index with another id is another call; some servers send no index.
        """
        if _entry_key(entry) in self._pending:
            return None
        index, given_id, name = _entry_index(entry), entry.get("id"), function.get("name")
        if index is None:
            if isinstance(given_id, str) and given_id:
                return self._by_id.get(given_id)
            return None if name else self._last_call()
        call = self._by_index.get(index)
        if call is None:  # https://github.com/dirac-run/dirac/pull/215
            last = self._last_call()
            return None if given_id or name or last is None or _starts_new_arguments(last, function) else last
        first_id = call.call.given_id
        if given_id and first_id and given_id != first_id:
            # Servers give pieces of one call another id: https://github.com/poolsideai/pool/issues/9
            is_piece = function and not name and not _starts_new_arguments(call, function)
            return call if is_piece else self._by_id.get(given_id) if isinstance(given_id, str) else None
        is_other_call = name and not (given_id or first_id) and (name != call.call.name or _is_whole(call))
        return None if is_other_call else call

    def _last_call(self) -> OpenCall | None:
        calls = self._draft.calls
        return calls[-1] if calls else None

    def _new_call(self, entry: Body, kind: str, tool_name: str) -> OpenCall:
        given_id = entry.get("id")
        given_id = given_id if isinstance(given_id, str) and given_id else None
        call = self._draft.open_call(given_id, tool_name, kind)
        index = _entry_index(entry)
        if index is not None:
            self._by_index[index] = call
        if given_id is not None:
            self._by_id[given_id] = call
        return call


def _first_named(waiting: PendingEntries | tuple[()]) -> tuple[Body, str, Any] | None:
    """The first entry that has a name, with its kind and the name."""
    for entry, kind in waiting:
        name = as_object(entry.get(kind), kind).get("name")
        if name:
            return entry, kind, name
    return None


def _can_begin(waiting: PendingEntries) -> bool:
    """Whether a call can be opened: it has a name, and an id or arguments."""
    has_arguments = any(as_object(entry.get(kind), kind).get(_ARGUMENT_KEYS[kind]) for entry, kind in waiting)
    return _first_named(waiting) is not None and (has_arguments or any(_has_id(entry) for entry, _ in waiting))


def _has_id(entry: Body) -> bool:
    return isinstance(entry.get("id"), str) and bool(entry["id"])


def _entry_key(entry: Body) -> int | str | None:
    """The key that the entries of a pending call share: index or id."""
    index, given_id = _entry_index(entry), entry.get("id")
    return index if index is not None else given_id if isinstance(given_id, str) else None


def _is_whole(call: OpenCall) -> bool:
    """Whether a call has arguments that are complete JSON."""
    return bool(call.text.strip()) and not is_cut(call.text)


def _starts_new_arguments(call: OpenCall, function: Body) -> bool:
    """Whether an entry has arguments although those of the call are complete."""
    more = function.get("arguments")
    return bool(more) and call.call.kind == "function" and _is_whole(call)


def _entry_index(entry: Body) -> int | None:
    """The index of an entry; None if it has none or -1."""
    index = entry.get("index")
    return index if isinstance(index, int) and index >= 0 else None
