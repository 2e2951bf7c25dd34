"""The intermediate form between the formats: a conversation without any provider's notation.

The two central nouns, :class:`UniversalToolCall` and :class:`UniversalToolResult`, hold native values: arguments are
an object, never JSON text, and every call has an id whether its provider gave one or not. The formats' encoders turn
them into text, rename and wrap.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import dump, is_json
from toolcall_reference.basics.mimes import media_kind
from toolcall_reference.conversation.reasoning import Reasoning

Body = dict[str, Any]
"""A JSON object in a format's wire notation."""


@dataclass(slots=True)
class Citation:
    """A page that a text cites, from the text's character ``start`` to before ``end``; without these, for all of it.

    ``quote`` is the cited text of the page, and ``seal`` opaque state of the provider.
    """

    url: str
    title: str | None = None
    start: int | None = None
    end: int | None = None
    quote: str = ""
    seal: str = ""


class NoState(dict[str, Any]):
    """The empty opaque state, shared by all items without state, and therefore immutable."""

    __hash__ = object.__hash__  # type: ignore[assignment]  # dataclasses accept a default only if it is hashable

    def __deepcopy__(self, memo: dict[int, Any]) -> NoState:
        return self

    def _refuse(self, *_: object, **__: object) -> Any:
        raise TypeError("the state of an item is set, not changed")

    __setitem__ = __ior__ = update = setdefault = _refuse


NO_STATE = NoState()


@dataclass(slots=True)
class Text:
    """Visible text. ``refusal`` marks the model's refusal to answer; ``raw_context`` is opaque state as in calls.

    ``cached``: a cache breakpoint follows.
    """

    text: str
    refusal: bool = False
    raw_context: dict[str, Any] = NO_STATE
    cached: bool = False
    citations: Sequence[Citation] = ()


@dataclass(slots=True)
class Media:
    """An image, document, audio, video or other file: by its bytes (base64), its URL, or a provider's file id.

    ``vendor`` is the vendor of the file id; ``detail`` is OpenAI's resolution setting of an image.
    """

    kind: str
    mime: str | None = None
    data: str | None = None
    url: str | None = None
    file_id: str | None = None
    name: str | None = None
    detail: str | None = None
    vendor: str | None = None


@dataclass(slots=True)
class UniversalToolCall:
    """A call of a client's tool.

    ``id`` is unique in the conversation. ``given_id`` is the source's id: None if it wrote none, and possibly reused in
    a later turn. ``text`` is the raw argument text, if the source had text; if it is not a JSON object, ``arguments``
    is empty and ``readable`` False. A call of kind ``custom`` takes free text: ``text`` is its input. ``raw_context``
    holds opaque state by format, such as Gemini's thoughtSignature. ``form`` is the source's type of a call with a
    notation of its own: ``shell_call``, Chat's ``function_call``.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    raw_context: dict[str, Any] = NO_STATE
    given_id: str | None = None
    text: str | None = None
    readable: bool = True
    kind: str = "function"
    batch: int = 0
    form: str | None = None


@dataclass(slots=True)
class UniversalToolResult:
    """What a tool returned for the call ``tool_call_id``.

    ``result`` is text, or an object if the source had one. ``multimodal_parts`` are the texts and media in order, if
    the content is more than one text; ``result`` is then the texts joined by line breaks.
    """

    tool_call_id: str
    name: str
    result: dict[str, Any] | str
    is_error: bool = False
    multimodal_parts: list[Text | Media] = field(default_factory=list)
    kind: str = "function"
    cached: bool = False

    @classmethod
    def of(cls, value: object, call: UniversalToolCall, *, media_type: str | None = None) -> UniversalToolResult:
        """The result of ``call`` from the value that a tool returned in Python.

        Text and objects are kept. Bytes need a ``media_type`` such as ``image/png`` and become a part, as do
        :class:`Text` and :class:`Media`, alone or in a list. An exception becomes an error with its class and message.
        Anything else becomes JSON text. Raises TypeError if it is not JSON.
        """
        result = cls(call.id, call.name, "", kind=call.kind)
        if isinstance(value, BaseException):
            message = str(value)
            result.result, result.is_error = type(value).__name__ + (f": {message}" if message else ""), True
        elif isinstance(value, str):
            result.result = value
        elif isinstance(value, (bytes, bytearray, memoryview, Text, Media)):
            result.multimodal_parts = [_part(value, call, media_type)]
        elif isinstance(value, (list, tuple)) and value and all(isinstance(part, (Text, Media)) for part in value):
            result.multimodal_parts = list(value)
        elif not is_json(value):
            raise TypeError(f"the result of {call.name} is no JSON value; return text, JSON, bytes or an exception")
        else:
            result.result = value if isinstance(value, dict) else dump(value)
        if result.multimodal_parts:
            result.result = "\n".join(part.text for part in result.multimodal_parts if isinstance(part, Text))
        return result


def _part(
    value: bytes | bytearray | memoryview | Text | Media, call: UniversalToolCall, mime: str | None
) -> Text | Media:
    if isinstance(value, (Text, Media)):
        return value
    if mime is None:
        raise TypeError(f"the result of {call.name} is bytes; say what they are, such as media_type='image/png'")
    return Media(media_kind(mime), mime, data=base64.b64encode(value).decode("ascii"))


@dataclass(slots=True)
class Opaque:
    """Reasoning and signatures that only the provider ``origin`` understands; ``value`` is the unchanged block."""

    origin: str
    type: str
    value: Any


@dataclass(slots=True)
class Hosted:
    """A step that the provider ``origin`` ran itself (such as web search); ``value`` is the unchanged block."""

    origin: str
    type: str
    value: Any


Item = Text | Media | UniversalToolCall | UniversalToolResult | Opaque | Hosted


@dataclass(slots=True)
class Turn:
    """One message: ``side`` is user, assistant, or system for instructions within the conversation.

    ``name`` is the participant's name, if a scenario gives one; only Chat can hold it.
    """

    side: str
    items: list[Item] = field(default_factory=list)
    name: str | None = None

    @property
    def calls(self) -> list[UniversalToolCall]:
        """The calls of this message, in order."""
        return [item for item in self.items if isinstance(item, UniversalToolCall)]

    @property
    def results(self) -> list[UniversalToolResult]:
        """The results of this message, in order."""
        return [item for item in self.items if isinstance(item, UniversalToolResult)]


@dataclass(slots=True)
class Tool:
    """A declared tool. ``kind`` is function, custom (free text, perhaps with a grammar in ``format``) or hosted.

    ``schema`` is JSON Schema, None for a tool declared without parameters. ``strict`` is None if unset.
    ``own_declaration`` is the API's own declaration of a tool that it defines. ``name_in_namespace`` is None unless the
    name there differs.
    """

    name: str
    description: str | None = None
    schema: dict[str, Any] | None = None
    kind: str = "function"
    strict: bool | None = None
    format: Any = None
    own_declaration: Body | None = None
    namespace: str | None = None
    name_in_namespace: str | None = None


def distinct_tools(tools: Sequence[Tool]) -> list[Tool]:
    """The tools without repeated equal declarations.

    OpenAI takes both; Anthropic refuses two tools of one name (https://github.com/danny-avila/LibreChat/issues/13162).
    """
    by_name: dict[str, list[Tool]] = {}
    items = []
    for tool in tools:
        others = by_name.setdefault(tool.name, [])
        if tool not in others:
            others.append(tool)
            items.append(tool)
    return items


@dataclass(slots=True)
class ToolChoice:
    """``mode`` is auto, required or none; ``names`` restricts it to some tools (one name: that tool)."""

    mode: str
    names: list[str] | None = None


@dataclass(slots=True)
class ResponseFormat:
    """The shape of the answer: ``type`` is text, json_object or json_schema."""

    type: str
    schema: Any = None
    name: str | None = None
    description: str | None = None
    strict: bool | None = None


@dataclass(slots=True)
class Settings:
    """A request's settings; None means unset.

    ``openai`` holds the options that only the two OpenAI formats share, under Chat's names.
    """

    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    stop: list[str] | None = None
    seed: int | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    reply_count: int | None = None
    tool_choice: ToolChoice | None = None
    parallel_calls: bool | None = None
    response_format: ResponseFormat | None = None
    user_id: str | None = None
    metadata: dict[str, Any] | None = None
    reasoning: Reasoning | None = None
    openai: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Conversation:
    """A request: system text, turns, declared tools, settings.

    ``brought_declarations`` are raw tool declarations within the conversation, in addition to those of the request.
    ``calls`` and ``results`` are those of all turns in order; code that adds a turn must add them, too.
    ``missing_part`` is the refusal of a conversation that only its client's provider can complete.
    """

    system: list[Text] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    tools: list[Tool] = field(default_factory=list)
    settings: Settings = field(default_factory=Settings)
    calls: list[UniversalToolCall] = field(default_factory=list)
    results: list[UniversalToolResult] = field(default_factory=list)
    brought_declarations: list[Body] = field(default_factory=list)
    missing_part: Refused | None = None

    @classmethod
    def of(cls, turns: list[Turn], *, system: Sequence[Text] = (), tools: Sequence[Tool] = ()) -> Conversation:
        """The conversation of turns that exist already."""
        calls = [call for turn in turns for call in turn.calls]
        results = [result for turn in turns for result in turn.results]
        return cls([*system], turns, [*tools], calls=calls, results=results)


@dataclass(slots=True)
class Usage:
    """Tokens: ``input`` with what was read from (``cached``) and written to a cache, ``output`` with ``reasoning``."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cache_write: int = 0
    reasoning: int = 0
    total: int | None = None


@dataclass(slots=True)
class Reply:
    """A model's answer.

    ``finish`` is tools, end, length, filter, refusal, stop_sequence, pause, error or other. ``key`` is what generated
    ids are derived from: the provider's id of the reply, or a digest of the body.
    """

    key: str
    items: list[Item]
    finish: str
    model: str | None = None
    id: str | None = None
    stop_sequence: str | None = None
    usage: Usage | None = None
    created: int | None = None
    message: str | None = None

    @property
    def calls(self) -> list[UniversalToolCall]:
        """The calls of the reply, in order."""
        return [item for item in self.items if isinstance(item, UniversalToolCall)]
