"""Reading Chat Completions streams: https://platform.openai.com/docs/api-reference/chat-streaming

A chunk says of a call only what is new. Nothing says that a call is complete but the finish reason, so all calls stay
open until then. Compatible servers leave out indexes and ids, or say them again and again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolcall_reference.basics.jsontext import as_list, as_object, as_text, dump, is_cut, joined
from toolcall_reference.conversation import citations
from toolcall_reference.conversation.intermediate import Body, Opaque, Text
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.formats.openai_chat.api import LEGACY, NAME
from toolcall_reference.formats.openai_chat.decode import (
    BESIDE,
    decode_usage,
    finish_of,
    head,
    lose_extras,
    pictures,
    spoken,
    state_of,
)
from toolcall_reference.formats.openai_chat.failures import decode_error_event
from toolcall_reference.formats.openai_chat.parts import decode_parts
from toolcall_reference.formats.openai_chat.transcripts import AUDIO, CONTENT, SaidOnce
from toolcall_reference.streaming.deltas import Delta
from toolcall_reference.streaming.draft import Draft, OpenCall

_KINDS = {"function": "arguments", "custom": "input"}
_NONE = object()

Waiting = list[tuple[Body, str]]
"""The entries of a call that has not begun, each with its kind."""


class StreamDecoder:
    """One stream; of several choices the first."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._draft = Draft(NAME)
        self._by_index: dict[int, OpenCall] = {}
        self._by_id: dict[str, OpenCall] = {}
        self._waiting: dict[int | str | None, Waiting] = {}
        self._legacy: OpenCall | None = None
        self._thoughts: tuple[str, list[str]] | None = None
        self._once = SaidOnce()
        self._reason: Any = None
        self._usage: Any = None

    def decode_event(self, body: Body, /) -> Iterable[Delta]:
        """What a chunk tells."""
        if not self._draft.is_ended:
            self._chunk(body)
        return self._draft.take_deltas()

    def decode_end(self, *, is_marked: bool) -> Iterable[Delta]:
        """The stream is over, with ``[DONE]`` or without: what counts is that a finish reason was given.

        Some servers give one after each call; without ``[DONE]`` there must be one after the last. Others give a blank
        one or none, and ``[DONE]`` alone says that the reply is whole: https://github.com/weave-os/router/issues/250
        """
        self._begin_waiting()
        is_open = any(not call.is_closed for call in self._draft.calls)
        if is_marked and self._reason is None and self._is_whole():
            self._finish("stop")
        if self._reason is not None and (is_marked or not is_open) and not self._draft.is_ended:
            reply = self._draft.reply
            calls, refused = bool(self._draft.calls), self._draft.has_refusal
            reply.finish = finish_of(self._reason, calls=calls, refused=refused)
            reply.usage = decode_usage(self._usage)
            self._draft.end_reply()
        return self._draft.take_deltas()

    def _chunk(self, body: Body) -> None:
        if body.get("error"):
            self._draft.fail_reply(decode_error_event(body, self._losses))
            return
        if isinstance(body.get("usage"), dict):
            self._usage = body["usage"]
        choices = as_list(body.get("choices"), "choices")
        if choices and not self._draft.is_started:  # Azure's first chunk, of no choices, has no id either
            self._draft.start_reply(head(body))
        for choice in choices:
            choice = as_object(choice, "a choice")
            if choice.get("index") not in (None, 0):
                self._losses.add("choices", "only the first of several choices is kept")
            else:
                self._choice(choice)

    def _choice(self, choice: Body) -> None:
        delta = as_object(choice.get("delta"), "delta")
        lose_extras(choice, self._losses)
        has_more = not BESIDE.isdisjoint(delta)
        for key in ("reasoning_content", "reasoning") if has_more else ():
            if isinstance(delta.get(key), str) and delta[key]:
                self._think(key, delta[key])
                break
        for part in decode_parts(delta.get("content"), self._losses):
            self._begin_waiting()
            self._end_thoughts()
            if isinstance(part, Text) and not part.refusal:
                self._say(self._once.add(CONTENT, part.text))
            elif isinstance(part, Text):
                self._draft.add_text(part.text, refusal=True)
            else:
                self._draft.add_item(part)
        if has_more:
            self._beside(delta)
        for entry in as_list(delta.get("tool_calls"), "tool_calls"):
            self._end_thoughts()
            self._call(as_object(entry, "a tool call"))
        legacy = as_object(delta.get("function_call"), "function_call")
        if legacy and (legacy.get("name") or self._legacy):
            self._end_thoughts()
            if self._legacy is None:
                self._legacy = self._draft.open_call(None, as_text(legacy.get("name"), "name"))
                self._legacy.call.form = LEGACY
            self._draft.grow_call(self._legacy, as_text(legacy.get("arguments"), "arguments"))
        if choice.get("finish_reason"):
            self._finish(choice["finish_reason"])

    def _finish(self, reason: Any) -> None:
        self._begin_waiting()
        self._reason = reason
        self._end_thoughts()
        self._say(self._once.rest())
        self._draft.close_all()

    def _is_whole(self) -> bool:
        """Whether something was said, and no call breaks off amid its arguments."""
        functions = [call for call in self._draft.calls if call.call.kind == "function"]
        has_content = self._draft.has_items or self._thoughts is not None
        return self._draft.is_started and has_content and not any(is_cut(call.text) for call in functions)

    def _beside(self, delta: Body) -> None:
        """What stands beside content and calls."""
        self._draft.cite_text(citations.from_openai(delta.get("annotations"), self._losses, "url_citation"))
        for picture in pictures(delta):
            self._end_thoughts()
            self._draft.add_item(picture)
        refusal = as_text(delta.get("refusal"), "refusal")
        if refusal:
            self._end_thoughts()
            self._draft.add_text(refusal, refusal=True)
        transcript = spoken(delta, self._losses)
        if transcript:
            self._end_thoughts()
            self._say(self._once.add(AUDIO, transcript))

    def _say(self, pieces: Iterable[tuple[str, str]]) -> None:
        for key, piece in pieces:
            self._draft.add_text(piece, key=key)

    def _think(self, key: str, piece: str) -> None:
        if self._thoughts is None or self._thoughts[0] != key:
            self._end_thoughts()
            self._thoughts = (key, [])
        self._thoughts[1].append(piece)

    def _end_thoughts(self) -> None:
        if self._thoughts is not None:
            key, pieces = self._thoughts
            self._thoughts = None
            self._draft.add_item(Opaque(NAME, key, joined(pieces)))

    def _call(self, entry: Body) -> None:
        is_custom = entry.get("type") == "custom" or ("custom" in entry and "function" not in entry)
        kind = "custom" if is_custom else "function"
        function = as_object(entry.get(kind), kind)
        key = _key(entry)
        self._begin_waiting(but=key)
        if function.get("name") and _named(self._waiting.get(key, ())) is not None:
            self._begin_waiting()
        call = self._known(entry, function)
        if call is None:
            waiting = [*self._waiting.pop(key, ()), (entry, kind)]
            if not _can_begin(waiting):
                self._waiting[key] = waiting
            else:
                self._begin(waiting)
        else:
            self._grow(call, entry, kind)

    def _begin(self, waiting: Waiting) -> None:
        """A call begins, with all that was said of it so far."""
        entry, kind, name = next(
            named_entry for named_entry in (_named([entry]) for entry in waiting) if named_entry is not None
        )
        given_id = next((entry["id"] for entry, _ in waiting if _has_id(entry)), None)
        call = self._new({**entry, "id": given_id}, kind, as_text(name, "name"))
        for fragment, own in waiting:
            self._grow(call, fragment, own)

    def _begin_waiting(self, *, but: object = _NONE) -> None:
        """The calls that only wait for an id begin without."""
        for key in [key for key in self._waiting if key != but and _named(self._waiting[key]) is not None]:
            self._begin(self._waiting.pop(key))

    def _grow(self, call: OpenCall, entry: Body, kind: str) -> None:
        function = as_object(entry.get(kind), kind)
        if entry.get("extra_content") is not None:
            call.call.raw_context = call.call.raw_context | state_of(entry)
        text = function.get(_KINDS[call.call.kind])
        self._draft.grow_call(call, dump(text) if isinstance(text, dict) else as_text(text, "arguments"))

    def _known(self, entry: Body, function: Body) -> OpenCall | None:
        """The call that this is a piece of: by its index, by its id, or the last one where it has neither.

        An index under another id is another call; some servers count none.
        """
        if _key(entry) in self._waiting:
            return None
        index, given_id, name = _index(entry), entry.get("id"), function.get("name")
        if index is None:
            if isinstance(given_id, str) and given_id:
                return self._by_id.get(given_id)
            return None if name else self._last()
        call = self._by_index.get(index)
        if call is None:  # https://github.com/dirac-run/dirac/pull/215
            last = self._last()
            return None if given_id or name or last is None or _begins_anew(last, function) else last
        own = call.call.given_id
        if given_id and own and given_id != own:
            # Servers give pieces of one call another id: https://github.com/poolsideai/pool/issues/9
            is_piece = function and not name and not _begins_anew(call, function)
            return call if is_piece else self._by_id.get(given_id) if isinstance(given_id, str) else None
        unlike = name and not (given_id or own) and (name != call.call.name or _is_whole(call))
        return None if unlike else call

    def _last(self) -> OpenCall | None:
        calls = self._draft.calls
        return calls[-1] if calls else None

    def _new(self, entry: Body, kind: str, name: str) -> OpenCall:
        given_id = entry.get("id")
        given_id = given_id if isinstance(given_id, str) and given_id else None
        call = self._draft.open_call(given_id, name, kind)
        index = _index(entry)
        if index is not None:
            self._by_index[index] = call
        if given_id is not None:
            self._by_id[given_id] = call
        return call


def _named(waiting: Waiting | tuple[()]) -> tuple[Body, str, Any] | None:
    """The first entry that names its call, its kind, and the name."""
    for entry, kind in waiting:
        name = as_object(entry.get(kind), kind).get("name")
        if name:
            return entry, kind, name
    return None


def _can_begin(waiting: Waiting) -> bool:
    """Whether a call can be told of: its name is known, and its id is, or its arguments have begun."""
    has_arguments = any(as_object(entry.get(kind), kind).get(_KINDS[kind]) for entry, kind in waiting)
    return _named(waiting) is not None and (has_arguments or any(_has_id(entry) for entry, _ in waiting))


def _has_id(entry: Body) -> bool:
    return isinstance(entry.get("id"), str) and bool(entry["id"])


def _key(entry: Body) -> int | str | None:
    """What the entries of a call that has not begun have in common."""
    index, given_id = _index(entry), entry.get("id")
    return index if index is not None else given_id if isinstance(given_id, str) else None


def _is_whole(call: OpenCall) -> bool:
    """Whether the arguments of a call are there, and are JSON."""
    return bool(call.text.strip()) and not is_cut(call.text)


def _begins_anew(call: OpenCall, function: Body) -> bool:
    """Whether arguments come that cannot go on with those of a call."""
    more = function.get("arguments")
    return bool(more) and call.call.kind == "function" and _is_whole(call)


def _index(entry: Body) -> int | None:
    """The index; none and -1 say nothing."""
    index = entry.get("index")
    return index if isinstance(index, int) and index >= 0 else None
