"""Handles on what is in a body of any format: calls, results, texts, tools. They read and write in place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

ID_KEYS = {"anthropic": "id", "openai_chat": "id", "openai_responses": "call_id", "gemini": "id"}
RESULT_ID_KEYS = {
    "anthropic": "tool_use_id",
    "openai_chat": "tool_call_id",
    "openai_responses": "call_id",
    "gemini": "id",
}
ARGUMENT_KEYS = {"anthropic": "input", "openai_chat": "arguments", "openai_responses": "arguments", "gemini": "args"}
CONTENT_KEYS = {"anthropic": "content", "openai_chat": "content", "openai_responses": "output", "gemini": "response"}


class Skip(Exception):  # noqa: N818 - no error: there is nothing here to change
    """The body has nothing that this double could change."""


@dataclass(slots=True)
class Handle:
    """The value ``entry`` in the list ``holder``; ``message`` is the message or turn around it, if any."""

    format: str
    holder: list[Any]
    entry: dict[str, Any]
    message: dict[str, Any] | None = None

    @property
    def place(self) -> int:
        return next(index for index, entry in enumerate(self.holder) if entry is self.entry)

    def remove(self) -> None:
        del self.holder[self.place]

    @property
    def inner(self) -> dict[str, Any]:
        """The object that has the name."""
        return self.entry


class Linked(Handle):
    """What has the id of a call."""

    __slots__ = ()

    @property
    def _of_id(self) -> tuple[dict[str, Any], str]:
        """The object that has the id, and its key."""
        return self.inner, ID_KEYS[self.format]

    @property
    def id(self) -> Any:
        inner, key = self._of_id
        return inner.get(key)

    @id.setter
    def id(self, value: Any) -> None:
        inner, key = self._of_id
        inner[key] = value

    def drop_id(self) -> None:
        inner, key = self._of_id
        inner.pop(key, None)


class Call(Linked):
    """A tool call."""

    __slots__ = ()

    @property
    def inner(self) -> dict[str, Any]:
        """The object that has the name and the arguments."""
        key = {"openai_chat": "function", "gemini": "functionCall"}.get(self.format)
        return self.entry[key] if key else self.entry

    @property
    def _of_id(self) -> tuple[dict[str, Any], str]:
        return (self.inner if self.format == "gemini" else self.entry), ID_KEYS[self.format]

    @property
    def name(self) -> str:
        return str(self.inner["name"])

    @name.setter
    def name(self, value: str) -> None:
        self.inner["name"] = value

    @property
    def raw(self) -> Any:
        """The arguments as the body spells them."""
        return self.inner.get(ARGUMENT_KEYS[self.format])

    @raw.setter
    def raw(self, value: Any) -> None:
        self.inner[ARGUMENT_KEYS[self.format]] = value

    def drop_arguments(self) -> None:
        self.inner.pop(ARGUMENT_KEYS[self.format], None)

    @property
    def arguments(self) -> Any:
        """The arguments as a JSON value; some vendors of Chat write them as an object.

        Skip where the model wrote something else: that is for the doubles of odd arguments.
        """
        if not isinstance(self.raw, str) or not self.raw:
            return self.raw or {}
        try:
            arguments = json.loads(self.raw)
        except ValueError:
            raise Skip from None
        if not isinstance(arguments, dict):
            raise Skip
        return arguments

    @arguments.setter
    def arguments(self, value: Any) -> None:
        self.raw = json.dumps(value, ensure_ascii=False) if self.format.startswith("openai") else value


class Result(Linked):
    """A tool result."""

    __slots__ = ()

    @property
    def inner(self) -> dict[str, Any]:
        return self.entry["functionResponse"] if self.format == "gemini" else self.entry

    @property
    def _of_id(self) -> tuple[dict[str, Any], str]:
        return self.inner, RESULT_ID_KEYS[self.format]

    @property
    def content(self) -> Any:
        """The content as the body spells it: text or blocks, in Gemini an object."""
        return self.inner.get(CONTENT_KEYS[self.format])

    @content.setter
    def content(self, value: Any) -> None:
        self.inner[CONTENT_KEYS[self.format]] = value

    @property
    def text(self) -> str | None:
        """The content if it is one text (in Gemini under ``output`` or ``error`` alone), else None."""
        content = self.content
        if self.format == "gemini":
            content = next(iter(content.values())) if list(content) in (["output"], ["error"]) else None
        return content if isinstance(content, str) else None

    @text.setter
    def text(self, value: str) -> None:
        self.content = {next(iter(self.content)): value} if self.format == "gemini" else value

    @property
    def failed(self) -> bool:
        """Whether the body marks it as an error, where its format has a mark."""
        return self.inner.get("is_error") is True or (self.format == "gemini" and "error" in self.content)


class Tool(Handle):
    """A tool declaration of a function."""

    __slots__ = ()

    @property
    def inner(self) -> dict[str, Any]:
        return self.entry["function"] if self.format == "openai_chat" else self.entry

    @property
    def schema_key(self) -> str:
        keys = ("input_schema", "parametersJsonSchema", "parameters")
        return next((key for key in keys if key in self.inner), "parameters")

    @property
    def schema(self) -> Any:
        return self.inner.get(self.schema_key) or {}

    @schema.setter
    def schema(self, value: Any) -> None:
        self.inner[self.schema_key] = value


@dataclass(slots=True)
class Text:
    """A text of the conversation at ``holder[key]``; ``side`` is user, assistant or system."""

    format: str
    side: str
    holder: dict[str, Any]
    key: str
    message: dict[str, Any]
    messages: list[Any]
    blocks: list[Any] | None
    in_reply: bool = False

    @property
    def text(self) -> str:
        return str(self.holder[self.key])

    @text.setter
    def text(self, value: str) -> None:
        self.holder[self.key] = value

    @property
    def alone(self) -> bool:
        """Whether its message has nothing else in it."""
        return self.message.get("tool_calls") is None and (self.blocks is None or len(self.blocks) == 1)

    @property
    def place(self) -> int:
        return next(index for index, entry in enumerate(self.messages) if entry is self.message)

    def remove(self) -> None:
        """Take it out, and its message with it if nothing else is in there."""
        if self.alone and not self.in_reply:
            del self.messages[self.place]
        elif self.blocks is None:
            self.holder[self.key] = None
        else:
            self.blocks.remove(self.holder)


def messages(format_name: str, body: dict[str, Any]) -> list[Any]:
    """The list of messages, items or turns of a request; of a reply, one message: that of its first alternative."""
    if format_name == "openai_responses":
        entries = body["input"] if "input" in body else body["output"]
    elif format_name == "gemini":
        entries = (
            body["contents"]
            if "contents" in body
            else [entry["content"] for entry in body.get("candidates", [])[:1] if "content" in entry]
        )
    elif format_name == "openai_chat":
        entries = body["messages"] if "messages" in body else [choice["message"] for choice in body["choices"][:1]]
    else:
        entries = body.get("messages", [body])
    return entries if isinstance(entries, list) else []


def calls(format_name: str, body: dict[str, Any]) -> Iterator[Call]:
    """Every function call in order."""
    every = messages(format_name, body)
    for message in every:
        if format_name == "openai_responses":
            if message.get("type") == "function_call":
                yield Call(format_name, every, message)
        elif format_name == "openai_chat":
            siblings = message.get("tool_calls") or []
            yield from (Call(format_name, siblings, entry, message) for entry in siblings if "function" in entry)
        elif format_name == "gemini":
            siblings = message.get("parts") or []
            yield from (Call(format_name, siblings, part, message) for part in siblings if "functionCall" in part)
        elif isinstance(message["content"], list):
            siblings = message["content"]
            yield from (
                Call(format_name, siblings, block, message) for block in siblings if block["type"] == "tool_use"
            )


def results(format_name: str, body: dict[str, Any]) -> Iterator[Result]:
    """Every tool result in order."""
    every = messages(format_name, body)
    for message in every:
        if format_name == "openai_responses":
            if message.get("type") == "function_call_output":
                yield Result(format_name, every, message)
        elif format_name == "openai_chat":
            if message["role"] == "tool":
                yield Result(format_name, every, message)
        elif format_name == "gemini":
            siblings = message.get("parts") or []
            yield from (Result(format_name, siblings, part, message) for part in siblings if "functionResponse" in part)
        elif isinstance(message["content"], list):
            siblings = message["content"]
            yield from (
                Result(format_name, siblings, block, message) for block in siblings if block["type"] == "tool_result"
            )


def texts(format_name: str, body: dict[str, Any]) -> Iterator[Text]:
    """Every text of the conversation in order, the system prompt aside; results are no texts."""
    every = messages(format_name, body)
    in_reply = not {"messages", "input", "contents"} & body.keys() and format_name != "openai_responses"
    for message in every:
        side = {"model": "assistant"}.get(str(message.get("role")), str(message.get("role")))
        if side not in ("user", "assistant"):
            continue
        content = message.get("parts") if format_name == "gemini" else message.get("content")
        if isinstance(content, str) and content.strip():
            yield Text(format_name, side, message, "content", message, every, None, in_reply)
        elif isinstance(content, list):
            for block in content:
                if isinstance(block.get("text"), str) and block["text"].strip() and not block.get("thought"):
                    yield Text(format_name, side, block, "text", message, every, content, in_reply)


def tools(format_name: str, body: dict[str, Any]) -> Iterator[Tool]:
    """Every declared function."""
    for entry in body.get("tools") or []:
        if format_name == "gemini":
            declarations = entry.get("functionDeclarations") or []
            yield from (Tool(format_name, declarations, declaration, entry) for declaration in declarations)
        elif entry.get("type", "custom") in ("function", "custom") and (
            format_name == "anthropic" or entry["type"] == "function"
        ):
            yield Tool(format_name, body["tools"], entry)


def walk(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and all schemas inside it, outermost first."""
    if not isinstance(schema, dict):
        return
    yield schema
    for entry in (schema.get("properties") or {}).values():
        yield from walk(entry)
    yield from walk(schema.get("items"))
    for key in ("anyOf", "oneOf", "allOf"):
        for entry in schema.get(key) or []:
            yield from walk(entry)
