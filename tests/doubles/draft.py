"""What a double gets to change: a copy of the body that the reference produced, with handles on what is in it."""

from __future__ import annotations

import marshal
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import dropwhile, takewhile
from typing import Any, TypeVar

from doubles import wire
from doubles.wire import Skip
from toolcall_conformance.library import load_corpus

_CAPTION = re.compile(r"From (?:the )?result .{1,300}:", re.DOTALL)
_OWN = re.compile(rf"{_CAPTION.pattern}|\[[^\]]{{1,300}}\]", re.DOTALL)


T = TypeVar("T")


def need(value: T | None) -> T:
    """``value``, if there is any; else there is nothing here to change."""
    if not value:
        raise Skip
    return value


def copied(value: Any) -> Any:
    """A copy of a JSON value; ``copy.deepcopy`` would take most of the time of all doubles."""
    return marshal.loads(marshal.dumps(value, 2))


@dataclass(slots=True)
class Draft:
    """``body`` is to be changed; ``source`` is what the reference was given, for the doubles that look at it.

    ``asked`` is, for a reply, the client's request of the exchange.
    """

    body: dict[str, Any]
    format: str
    source: dict[str, Any] = field(default_factory=dict)
    source_format: str = ""
    asked: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, body: Any, format_name: str, source: Any, source_format: str, request: Any = None) -> Draft:
        """A draft of a copy: nothing that is done to it reaches the body given. Doubles only read the source."""
        return cls(copied(body), format_name, source, source_format, request or {})

    @property
    def messages(self) -> list[Any]:
        return wire.messages(self.format, self.body)

    @property
    def calls(self) -> list[wire.Call]:
        return list(wire.calls(self.format, self.body))

    @property
    def whole_calls(self) -> list[wire.Call]:
        """The calls, but for the last one of a reply that the limit of tokens cut: that one may be dropped."""
        body = self.body
        endings = [body.get("status"), body.get("stop_reason")]
        endings += [choice.get("finish_reason") for choice in body.get("choices") or ()]
        endings += [candidate.get("finishReason") for candidate in body.get("candidates") or ()]
        return self.calls[:-1] if {"incomplete", "length", "max_tokens", "MAX_TOKENS"} & {*endings} else self.calls

    @property
    def function_calls(self) -> list[wire.Call]:
        """The calls of functions: of tools that the source's API itself defines each format says it in its own way."""
        own = self.defined_by_the_api()
        return [call for call in self.calls if call.name not in own]

    @property
    def results(self) -> list[wire.Result]:
        return list(wire.results(self.format, self.body))

    @property
    def texts(self) -> list[wire.Text]:
        """The texts of the speakers, without the translator's own captions and placeholders."""
        return [text for text in wire.texts(self.format, self.body) if not _OWN.fullmatch(text.text.strip())]

    @property
    def captions(self) -> list[wire.Text]:
        """The translator's texts that say which call the media after them come from."""
        texts = {text.text for text in wire.texts(self.source_format, self.source)} if self.source else set()
        return [text for text in self.all_captions if text.text not in texts]

    @property
    def all_captions(self) -> list[wire.Text]:
        """The same, and those that the source has already."""
        return [text for text in wire.texts(self.format, self.body) if _CAPTION.fullmatch(text.text.strip())]

    def rename_ids(self, id_map: Mapping[Any, str]) -> None:
        """Give calls and results other ids, in captions too."""
        for handle in [*self.calls, *self.results]:
            handle.id = id_map.get(handle.id, handle.id)
        for caption in self.all_captions:
            for old, new in id_map.items():
                caption.text = caption.text.replace(f"({old})", f"({new})")

    def texts_of(self, side: str) -> list[wire.Text]:
        return [text for text in self.texts if text.side == side]

    @property
    def tools(self) -> list[wire.Tool]:
        """The declared functions; not those that replace another kind of tool, whose schema is the translator's own.

        That is a free-text tool, or one that the source's API itself defines.
        """
        declared = self.source.get("tools") or [] if self.source_format.startswith("openai") else []
        others = {tool.get("custom", tool).get("name") for tool in declared if tool.get("type") == "custom"}
        others |= self.defined_by_the_api()
        return [tool for tool in wire.tools(self.format, self.body) if tool.inner["name"] not in others]

    def defined_by_the_api(self) -> set[str | None]:
        """The names of the source's tools that its API itself defines."""
        names: set[str | None] = set()
        if self.source_format in ("", self.format):
            return names
        own_tools = load_corpus().own_tools(self.source_format)
        for declared in self.source.get("tools") or []:
            gemini = self.source_format == "gemini"
            for kind in declared if gemini else [declared.get("type")]:
                tool = own_tools.find(kind, declared[kind] if gemini else declared)
                if tool is not None:
                    names |= {declared.get("name", tool.called), *tool.functions}
        return names

    @property
    def batches(self) -> list[list[wire.Call]]:
        """Calls that were made at once, by turn."""
        return _group_handles(self.calls)

    @property
    def result_batches(self) -> list[list[wire.Result]]:
        """Neighbouring results."""
        return _group_handles(self.results)

    def results_of(self, batch: list[wire.Call]) -> list[wire.Result]:
        """The results of a batch: by id, where there are ids, else by position."""
        for calls, group in zip(self.batches, self.result_batches, strict=False):
            if calls and calls[0].entry is batch[0].entry:
                return group
        return []

    @property
    def system(self) -> list[str]:
        """The texts of the system prompt, which is what comes before the conversation."""
        if self.format == "anthropic":
            stated = self.body.get("system") or []
            return [stated] if isinstance(stated, str) else [block["text"] for block in stated]
        if self.format == "openai_chat":
            texts = []
            for message in takewhile(_has_instructions, self.messages):
                content = message["content"]
                texts += [content] if isinstance(content, str) else [part["text"] for part in content]
            return texts
        if self.format == "gemini":
            return [part["text"] for part in (self.body.get("systemInstruction") or {}).get("parts", [])]
        return [self.body["instructions"]] if self.body.get("instructions") else []

    @system.setter
    def system(self, texts: list[str]) -> None:
        """Write the system prompt at its usual place, one entry a text; nothing for no texts."""
        if self.format == "anthropic":
            self.body.pop("system", None)
            if texts:
                blocks = [{"type": "text", "text": text} for text in texts]
                self.body = {
                    "model": self.body["model"],
                    "system": texts[0] if len(texts) == 1 else blocks,
                    **self.body,
                }
        elif self.format == "openai_chat":
            rest = list(dropwhile(_has_instructions, self.messages))
            self.body["messages"] = [{"role": "system", "content": text} for text in texts] + rest
        elif self.format == "gemini":
            self.body.pop("systemInstruction", None)
            if texts:
                self.body["systemInstruction"] = {"parts": [{"text": text} for text in texts]}
        else:
            self.body.pop("instructions", None)
            if texts:
                self.body["instructions"] = "\n\n".join(texts)

    def tidy(self) -> None:
        """Take out messages that nothing is left in, and empty lists of calls."""
        if self.format == "openai_responses" or not self.is_request:
            if self.format == "openai_chat":
                for message in self.messages:
                    if message.get("tool_calls") == []:
                        del message["tool_calls"]
            return
        messages = []
        for message in self.messages:
            if message.get("tool_calls") == []:
                del message["tool_calls"]
            content = message.get("parts") if self.format == "gemini" else message.get("content")
            if content not in (None, [], "") or message.get("tool_calls") or message.get("role") == "tool":
                messages.append(message)
        self.messages[:] = messages

    @property
    def is_request(self) -> bool:
        return any(key in self.body for key in ("messages", "input", "contents"))


def _has_instructions(message: dict[str, Any]) -> bool:
    """Whether a message of Chat Completions holds instructions."""
    return message["role"] in ("system", "developer")


def _group_handles(handles: list[Any]) -> list[list[Any]]:
    """Handles in one message, or one after the other in the list of items."""
    groups: list[list[Any]] = []
    for handle in handles:
        last = groups[-1][-1] if groups else None
        together = last is not None and (
            last.message is handle.message
            if handle.message is not None
            else last.holder is handle.holder and last.place + 1 == handle.place
        )
        if together:
            groups[-1].append(handle)
        else:
            groups.append([handle])
    return groups


__all__ = ["Draft", "Skip", "need"]
