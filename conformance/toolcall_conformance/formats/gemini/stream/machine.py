"""Assembles streamed replies and checks them against the grammar of the API.

A stream is a sequence of GenerateContentResponse objects without names; it ends with the connection. The states of a
candidate, and of the stream::

    REPLYING  a chunk with content                         -> REPLYING
              a chunk with finishReason, content or not    -> FINISHED
    FINISHED  chunks without content (usage)               -> FINISHED
    any       {"error": …}                                 -> FAILED

    a call    whole in one part; on Vertex AI also OPEN (name, willContinue: true), then parts of a functionCall without
              a name (partialArgs, willContinue: true)*, the last of them without willContinue -> CLOSED

https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent. The official SDK hands out the chunks
and appends their parts (https://github.com/googleapis/python-genai/blob/main/google/genai/chats.py). So does this
machine, and it joins neighbouring texts, as a unary reply has them; a text with a signature stays a part of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Words
from toolcall_conformance.basics.jsonvalue import append_text, deep_copy
from toolcall_conformance.basics.reading.assembled import Assembled, StreamedCall
from toolcall_conformance.formats.expected_values import OBJECT, TEXT, intended_object, json_fault
from toolcall_conformance.formats.gemini.proto_json import (
    FINISH_REASONS,
    FINISH_REASONS_WITH_CALLS,
    camel_case,
    enum_name,
    member,
    spellings,
)
from toolcall_conformance.formats.gemini.stream.partial_args import PIECE_FORM, PartialArgs
from toolcall_conformance.formats.rule import repeated_indexes
from toolcall_conformance.formats.stream_machine import Machine, Report, rule_ids

RULES = rule_ids(
    "gemini",
    *("stream-data", "stream-event-name", "stream-after-end", "stream-same-id"),
    *("stream-finish", "stream-finish-last", "stream-finish-agrees", "stream-usage"),
    *("stream-call-continued", "stream-call-closed", "stream-partial-args"),
    "stream-candidate-once",
    "stream-lines",
)


#: The expected and actual value in the breach of a call that is not closed.
_NOT_CLOSED: dict[str, Any] = {"want": {"functionCall": {}}, "got": MISSING}


def assemble(stream: Any) -> Assembled:
    """Assemble the reply of a stream. Never raises, whatever JSON it gets."""
    return _CandidateMachine(RULES).run(stream)


class _Call:
    """A functionCall part of the assembled content."""

    def __init__(self, part: dict[str, Any], pointer: str, goes_on: bool) -> None:
        self.part = part
        self.body: dict[str, Any] = part["functionCall"]
        self.pointer = pointer
        self.is_open = goes_on
        self.pointers = [pointer]
        self.partial_args: PartialArgs | None = None

    def add_piece(self, piece: Any) -> bool:
        if self.partial_args is None:
            args = self.body.get("args")
            self.body["args"] = args = args if isinstance(args, dict) else {}
            self.partial_args = PartialArgs(args)
        return self.partial_args.add(piece)


class _Candidate:
    """One candidate: its chunks go through ``take``; ``finish_pointer`` is that of its finishReason."""

    def __init__(self, report: Report) -> None:
        self.body: dict[str, Any] = {"content": {"parts": []}}
        self.calls: list[_Call] = []
        self.finish_pointer = ""
        self._report = report
        self._joinable = False

    def take(self, pointer: str, chunk: dict[str, Any]) -> None:
        """Take a chunk of this candidate: its members, then its parts."""
        content, pointer_of = member(chunk, "content"), _member_pointers(pointer, chunk)
        entries = member(content, "parts")
        parts = entries if isinstance(entries, list) else []
        for key, value in chunk.items():
            if camel_case(key) != "content" and value is not None:
                self.body[camel_case(key)] = deep_copy(value)
        if isinstance(content, dict):
            self.body["content"] |= deep_copy({key: value for key, value in content.items() if key != "parts"})
        if self.finish_pointer and any(map(_has_content, parts)):
            at, message = pointer_of("content"), "content follows finishReason; it must precede it"
            self._report.add("stream-finish-last", at, message, want=Words("before the finishReason"), got=content)
        reason = member(chunk, "finishReason")
        if reason is not None:
            if self.finish_pointer:
                at = pointer_of("finishReason")
                self._report.add("stream-finish-last", at, "a second finishReason", want=MISSING, got=reason)
            self.finish_pointer = pointer_of("finishReason")
        for place, part in enumerate(parts):
            self._add_part(f"{pointer_of('content')}/parts/{place}", part)

    def _add_part(self, pointer: str, part: Any) -> None:
        """Append a part, or join a piece of text or of a call to the part before."""
        mine: list[Any] = self.body["content"]["parts"]
        call = member(part, "functionCall")
        if isinstance(call, dict):
            self._add_call(pointer, part, call)
            return
        if part == {}:  # has no content: the SDK joins the texts around it
            return
        plain = isinstance(part, dict) and part.keys() <= {"text", "thought"} and isinstance(part.get("text"), str)
        if plain and self._joinable and mine[-1].get("thought") == part.get("thought"):
            mine[-1]["text"] = append_text(mine[-1]["text"], part["text"])
        else:
            mine.append(deep_copy(part))
        self._joinable = plain

    def _add_call(self, pointer: str, part: dict[str, Any], call: dict[str, Any]) -> None:
        """Start a call, or continue the open one if the functionCall has no name; then add its partialArgs."""
        at = f"{pointer}/{_present_key(part, 'functionCall')}"
        others = deep_copy({key: value for key, value in part.items() if key not in spellings("functionCall")})
        goes_on = member(call, "willContinue") is True
        under_way = self.calls[-1] if self.calls and self.calls[-1].is_open else None
        if member(call, "name") or under_way is None:
            if under_way is not None:
                self._call_report(under_way).add("stream-call-closed", under_way.pointer, **_NOT_CLOSED)
                under_way.is_open = False
            if not member(call, "name"):
                message = "this functionCall has no name, and there is no earlier one for it to continue"
                self._report.part_report(at).add("stream-call-continued", at, message, want=TEXT, got=MISSING)
            aside = (*spellings("partialArgs"), *spellings("willContinue"))
            body = deep_copy({key: value for key, value in call.items() if key not in aside})
            under_way = _Call(others | {"functionCall": body}, at, goes_on)
            self.body["content"]["parts"].append(under_way.part)
            self.calls.append(under_way)
            self._joinable = False
        else:
            under_way.is_open = goes_on
            under_way.pointers.append(at)
            under_way.part |= {key: value for key, value in others.items() if key not in under_way.part}
        pieces = member(call, "partialArgs")
        for place, piece in enumerate(pieces if isinstance(pieces, list) else ()):
            if not under_way.add_piece(piece):
                where = f"{at}/{_present_key(call, 'partialArgs')}/{place}"
                self._call_report(under_way).add("stream-partial-args", where, want=PIECE_FORM, got=piece)

    def _call_report(self, call: _Call) -> Report:
        return self._report.part_report(call.pointer)

    def finish(self) -> None:
        for call in self.calls:
            if call.is_open and self.finish_pointer:
                self._call_report(call).add("stream-call-closed", call.pointer, **_NOT_CLOSED)
        reason = enum_name(self.body.get("finishReason"), FINISH_REASONS)
        if self.calls and reason is not None and reason not in FINISH_REASONS_WITH_CALLS:
            self._report.add("stream-finish-agrees", self.finish_pointer, want="STOP", got=reason)

    def streamed_calls(self) -> Iterator[StreamedCall]:
        for call in self.calls:
            name, identity, args = (call.body.get(key) for key in ("name", "id", "args"))
            yield StreamedCall(
                call.pointer,
                identity if isinstance(identity, str) and identity else None,
                name if isinstance(name, str) else None,
                whole_text=json.dumps(args, ensure_ascii=False)
                if isinstance(args, dict) and call.partial_args is None
                else None,
                closed=not call.is_open,
                pointers=tuple(call.pointers),
            )


class _CandidateMachine(Machine):
    def __init__(self, ids: Iterable[str]) -> None:
        super().__init__(ids)
        self.body: dict[str, Any] | None = None
        self.candidates: dict[Any, _Candidate] = {}
        self.last_pointer = ""
        self.last_has_usage = False

    def check_aside(self, line: str) -> None:
        data = line.removeprefix("\ufeff").removeprefix("data:")
        expected = f"data: {data.lstrip()}" if data != line.removeprefix("\ufeff") else MISSING
        self.report.add("stream-lines", "/aside", want=expected, got=line)

    def take(self, pointer: str, event: dict[str, Any]) -> None:
        if "data" not in event:
            return
        data = event["data"]
        if self.error is not None:
            self.report.add("stream-after-end", f"{pointer}/data", want=MISSING, got=data)
            return
        if "event" in event:
            self.report.add_once("stream-event-name", f"{pointer}/event", want=MISSING, got=event["event"])
        if not isinstance(data, dict):
            ours, want = json_fault(data), intended_object(data)
            if data == "[DONE]":
                ours, want = "[DONE] ends OpenAI's streams; these must end with the connection", MISSING
            self.report.add("stream-data", f"{pointer}/data", ours, want=want, got=data)
        elif data.get("error") is not None:
            self.error = deep_copy(data)
        else:
            self._take_chunk(f"{pointer}/data", data)

    def _take_chunk(self, pointer: str, data: dict[str, Any]) -> None:
        """Take a chunk: members of the reply, then an entry for each candidate."""
        self.body = self.body if self.body is not None else {}
        before, after = self.body.get("responseId"), member(data, "responseId")
        if isinstance(before, str) and isinstance(after, str) and before != after:
            self.report.add("stream-same-id", _member_pointers(pointer, data)("responseId"), want=before, got=after)
        for key, value in data.items():
            if key != "candidates" and value is not None:
                self.body[camel_case(key)] = deep_copy(value)
        self.last_pointer, self.last_has_usage = pointer, isinstance(member(data, "usageMetadata"), dict)
        candidates = data.get("candidates")
        for at, number in repeated_indexes(candidates, f"{pointer}/candidates"):
            message = f"an entry before this one in the chunk is of the candidate {number}, too"
            self.report.add_once("stream-candidate-once", at, message, want=MISSING, got=number)
        for place, chunk in enumerate(candidates if isinstance(candidates, list) else ()):
            if isinstance(chunk, dict):
                index = chunk.get("index")
                candidate_index = index if isinstance(index, int) else 0
                if candidate_index not in self.candidates:
                    self.candidates[candidate_index] = _Candidate(self.report)
                self.candidates[candidate_index].take(f"{pointer}/candidates/{place}", chunk)

    def finish(self, pointer: str) -> Assembled:
        """Report what only the end shows, and return the assembled reply."""
        del pointer
        if self.candidates and self.body is not None:
            self.body["candidates"] = [candidate.body for candidate in self.candidates.values()]
        for candidate in self.candidates.values():
            candidate.finish()
        blocked = member(self.body, "promptFeedback") is not None
        whole = all(candidate.finish_pointer for candidate in self.candidates.values()) if self.candidates else blocked
        if self.error is None and not whole:
            message = "nothing follows this chunk; the last one must have a finishReason"
            self.report.add("stream-finish", self.last_pointer, message, want=Words("STOP or MAX_TOKENS"), got=MISSING)
        elif self.error is None and not self.last_has_usage:
            self.report.add("stream-usage", self.last_pointer, want=OBJECT, got=MISSING)
        calls = (call for candidate in self.candidates.values() for call in candidate.streamed_calls())
        return self.assembled_stream(self.body, calls, failed=self.error is not None, is_complete=whole)


def _has_content(part: Any) -> bool:
    return not (isinstance(part, dict) and part.keys() <= {"text", "thought"} and part.get("text") == "")


def _present_key(value: dict[str, Any], key: str) -> str:
    """Return the spelling in which an object has a key; the camelCase one if it lacks the key."""
    return next((spelling for spelling in spellings(key) if spelling in value), key)


def _member_pointers(pointer: str, value: dict[str, Any]) -> Any:
    """Return a function from a camelCase key to the member's pointer, or the object's own if it lacks the key."""

    def pointer_of(key: str) -> str:
        return next((f"{pointer}/{spelling}" for spelling in spellings(key) if spelling in value), pointer)

    return pointer_of


_PART_KEYS = ("text", "functionCall", "inlineData")


def chunk_kind(data: dict[str, Any]) -> str:
    """Return the kind of a chunk: ``part.text``, ``finish`` …, several joined by ``+``; ``no part`` if it has none."""
    candidates = data.get("candidates")
    kinds = set()
    for candidate in candidates if isinstance(candidates, list) else []:
        if isinstance(candidate, dict):
            content = candidate.get("content")
            parts = content.get("parts") if isinstance(content, dict) else None
            for part in parts if isinstance(parts, list) else []:
                kinds |= {f"part.{key}" for key in _PART_KEYS if isinstance(part, dict) and key in part}
            kinds |= {"finish"} if candidate.get("finishReason") else set()
    return "+".join(sorted(kinds)) or "no part"
