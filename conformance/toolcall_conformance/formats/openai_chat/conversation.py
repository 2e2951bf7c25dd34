"""Reads messages into turns of calls, results and text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from toolcall_conformance.basics.reading import (
    Call,
    Media,
    Node,
    Opaque,
    Reading,
    Reasoning,
    Result,
    Text,
    Turn,
    Unknown,
    Value,
)
from toolcall_conformance.basics.reading.arguments import read_arguments
from toolcall_conformance.basics.reading.citations import add_citations, url_citations
from toolcall_conformance.formats.openai_chat.pairing import ChatPairing
from toolcall_conformance.formats.openai_chat.parts import read_content, read_generated_images
from toolcall_conformance.formats.openai_chat.thoughts import read_signature, read_thoughts

Item = Text | Media | Call | Result | Reasoning | Opaque | Unknown

INSTRUCTION_ROLES = ("system", "developer")


class ChatMessageReader:
    """Reads messages one by one into a reading."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._pairing = ChatPairing()
        self._ordinal = 0

    def read(self, message: Node) -> None:
        """Read a request's message of any role."""
        role = message.text("role") or ""
        if role in INSTRUCTION_ROLES:
            self._read_instruction(message)
        elif role == "assistant":
            self.read_assistant(message)
        elif role in ("tool", "function"):
            self._append("user", message, [self._read_result(message, role)])
        elif role == "user":
            self._append("user", message, list(read_content(message.child("content"), self.reading.residue)))
        else:
            # Neither its side nor the meaning of its keys is known.
            self._append("user", message, [Unknown(role, message.pointer)])
            return
        message.ignore("name")
        message.close(self.reading.residue)

    def read_assistant(self, message: Node) -> None:
        """Read an assistant message: text first, for Chat has no order of text and calls."""
        residue = self.reading.residue
        message.ignore("role")
        content = message.child("content")
        contents = list(read_content(content, residue))
        sources = list(url_citations(message.child("annotations"), message.text("content"), "url_citation"))
        items: list[Item] = [*read_thoughts(message, residue), *add_citations(contents, sources, content.pointer)]
        refusal = message.child("refusal")
        if isinstance(refusal.value, str) and refusal.value.strip():
            items.append(Text(refusal.value, refusal.pointer))
        items.extend(read_generated_images(message.child("images"), residue))
        items.extend(self._read_audio(message.child("audio"), contents))
        items.extend(self._read_calls(message))
        self._append("assistant", message, items)

    def _read_instruction(self, message: Node) -> None:
        items = list(read_content(message.child("content"), self.reading.residue))
        if self.reading.turns:
            self._append("system", message, items)
            return
        self.reading.system.extend(item for item in items if isinstance(item, Text))
        # What is no text cannot be in the system prompt, but must not vanish from the reading.
        self._append("system", message, [item for item in items if not isinstance(item, Text)])

    def _read_audio(self, audio: Node, content: Iterable[Item]) -> Iterator[Item]:
        """Yield a spoken answer, of which a request has the id only, and its transcript.

        A transcript that repeats the message's ``content`` is left out.
        """
        if not audio.is_object:
            return
        data, file_id, transcript = audio.text("data"), audio.text("id"), audio.child("transcript")
        audio.ignore("expires_at")
        audio.close(self.reading.residue)
        if data or file_id:
            yield Media("audio", None, audio.pointer, data=data or None, file_id=None if data else file_id)
        if isinstance(transcript.value, str) and transcript.value.strip():
            written = "".join(item.text for item in content if isinstance(item, Text))
            if written.split() != transcript.value.split():
                yield Text(transcript.value, transcript.pointer)

    def _read_calls(self, message: Node) -> Iterator[Item]:
        """Yield the calls of a message, those of ``tool_calls`` before a legacy ``function_call``."""
        calls = list(message.child("tool_calls").each())
        legacy = message.child("function_call")
        # Some vendors always send a function_call, with nothing in it.
        has_legacy = bool(legacy.is_object and legacy.text("name"))
        if calls or has_legacy:
            self._pairing.begin_batch()
        for call in calls:
            yield from self._read_call(call)
        if has_legacy:
            yield self._add_call(legacy, legacy, None, None, legacy=True)
            legacy.close(self.reading.residue)

    def _read_call(self, call: Node) -> Iterator[Item]:
        """Yield an entry of ``tool_calls`` as a call, and its signature."""
        residue = self.reading.residue
        kind = call.text("type")
        function, custom = call.child("function"), call.child("custom")
        call.ignore("index")
        call_id = call.child("id")
        text = call_id.value if isinstance(call_id.value, str) else None
        id_pointer = call_id.pointer if text is not None else None
        if function.is_object:
            read = self._add_call(call, function, text, id_pointer)
        elif custom.is_object:
            read = self._add_call(call, custom, text, id_pointer, custom=True)
        else:
            yield Unknown(kind or type(call.value).__name__, call.pointer)
            return
        yield read
        yield from read_signature(call, read.ordinal, residue)
        for holder in (function, custom, call):
            holder.close(residue)

    def _add_call(
        self,
        place: Node,
        holder: Node,
        call_id: str | None,
        id_pointer: str | None,
        *,
        custom: bool = False,
        legacy: bool = False,
    ) -> Call:
        """Return a new call; ``holder`` has its name and arguments, ``place`` is its own node."""
        named = holder.child("name")
        name = named.value if isinstance(named.value, str) else None
        key = "input" if custom else "arguments"
        arguments_node = holder.child(key)
        arguments = (
            (arguments_node.value if arguments_node.value is not None else "")
            if custom
            else read_arguments(arguments_node.value)
        )
        self._pairing.add_call(self._ordinal, call_id, name, legacy=legacy)
        self._ordinal += 1
        return Call(
            ordinal=self._ordinal - 1,
            batch=self._pairing.batch - 1,
            name=name,
            arguments=arguments,
            id=call_id,
            pointer=place.pointer,
            name_pointer=named.pointer if name is not None else None,
            arguments_pointer=arguments_node.pointer if key in holder else None,
            id_pointer=id_pointer,
            kind="custom" if custom else "function",
            form="function_call" if legacy else "tool_calls",
        )

    def _read_result(self, message: Node, role: str) -> Result:
        """Return the result of a message with the role tool or function, paired with its call."""
        name, call_id, content = message.child("name"), message.child("tool_call_id"), message.child("content")
        text = call_id.value if isinstance(call_id.value, str) else None
        function_name = name.value if isinstance(name.value, str) else None
        answered = (
            self._pairing.answered_call(text, function_name)
            if role == "tool"
            else self._pairing.answered_function_call(function_name)
        )
        turns = self.reading.turns
        return Result(
            call=answered,
            id=text,
            name=function_name,
            parts=tuple(self._read_result_parts(content)),
            error=None,
            pointer=message.pointer,
            # Neighbouring tool messages are one group: together they answer one batch.
            group=len(turns) - 1 if turns and turns[-1].side == "user" else len(turns),
            content_pointer=content.pointer if "content" in message else None,
            id_pointer=call_id.pointer if text is not None else None,
            name_pointer=name.pointer if function_name is not None else None,
        )

    def _read_result_parts(self, content: Node) -> Iterator[Text | Media | Value]:
        if content.value is not None and not isinstance(content.value, (str, list)):
            yield Value(content.value, content.pointer)
            return
        parts = list(content.each())
        for item in read_content(content, self.reading.residue):
            if isinstance(item, (Text, Media)):
                yield item
            elif isinstance(item, Unknown):
                raw: Any = next((part.value for part in parts if part.pointer == item.pointer), None)
                yield Value(raw, item.pointer)

    def _append(self, side: str, message: Node, items: list[Any]) -> None:
        """Add items to the last turn if it is of this side, else to a new one; without items there is no new turn."""
        if not items:
            return
        turns = self.reading.turns
        if not turns or turns[-1].side != side:
            turns.append(Turn(side, message.pointer))
        turns[-1].items.extend(items)
