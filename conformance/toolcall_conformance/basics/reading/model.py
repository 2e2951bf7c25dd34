"""The nouns of a reading: elements, each with the JSON Pointer of the place it was read from.

A reading is neutral: the same conversation gives the same reading in every format that can express it. Pointers
have the keys of the body (an accepted alias is not replaced) and always resolve in that body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from toolcall_conformance.basics.findings import MISSING


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Call arguments that could not be parsed; ``raw`` is the value in the body.

    ``is_json``: it is JSON text that no reader can hold, such as a number beyond a double.
    """

    raw: Any
    is_json: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """A page that a text names as its source. ``words`` are those that cite it; None if the body does not say which.

    They are empty if it names a place that the text does not have. ``quote`` are the words that the body
    writes out in addition to their place.
    """

    url: str
    title: str | None
    words: str | None
    pointer: str
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A chunk of visible text. Blank text is never read as an element.

    ``labels`` are the title and source of the search result that it is of; ``citations`` are its own sources.
    ``phase_pointer`` is the place at which its message says whether it comments on the work or is the answer.
    """

    text: str
    pointer: str
    labels: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    phase_pointer: str | None = None


@dataclass(frozen=True, slots=True)
class Media:
    """Bytes or a reference to them.

    ``kind`` is image, document, audio, video or file. One of ``data`` (base64 as it stands in the body, without any
    ``data:`` prefix), ``url`` and ``file_id`` is set.
    """

    kind: str
    mime: str | None
    pointer: str
    data: str | None = None
    url: str | None = None
    file_id: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. ``ordinal`` counts the calls of the body from 0, in order.

    ``batch`` numbers the groups of calls that the format lets a model make at once (an Anthropic or Gemini turn, a
    Chat message, a run of Responses items). ``arguments`` is a JSON value (an absent or blank one is ``{}``) or
    Unreadable. ``kind`` is function or custom (free text: ``arguments`` is the text).
    ``id_pointer`` is None where the body has no id for it. ``form`` is the key that it stands in, where the format has
    several for the same.
    """

    ordinal: int
    batch: int
    name: str | None
    arguments: Any
    id: str | None
    pointer: str
    name_pointer: str | None = None
    arguments_pointer: str | None = None
    id_pointer: str | None = None
    kind: str = "function"
    namespace: str | None = None
    form: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a tool call. ``call`` is the ordinal of the call it answers by the format's own pairing, or None.

    ``parts`` are Text, Media or Value, in order. ``error`` is the format's native mark: True, False, or None where the
    format has none or the body does not say. ``name`` is the function name that the result itself carries. ``group``
    numbers the messages or turns that results stand in.
    """

    call: int | None
    id: str | None
    name: str | None
    parts: tuple[Any, ...]
    error: bool | None
    pointer: str
    group: int = 0
    content_pointer: str | None = None
    id_pointer: str | None = None
    name_pointer: str | None = None


@dataclass(frozen=True, slots=True)
class Value:
    """A result that is a JSON object rather than text (Gemini's ``response``), not yet unwrapped."""

    value: Any
    pointer: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """Visible thinking text (a thought part, a reasoning summary): not part of the answer."""

    text: str
    pointer: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """State that only its provider understands: a signature, encrypted reasoning.

    ``call`` is the ordinal of the call it is attached to, None where it stands by itself or, with ``on_text``, on a
    text, or, with ``on_step``, on a step that the provider ran itself. ``origin`` is the format whose provider made
    it, as far as the key tells it. ``sealed_id`` is the id of the item that it is a member of, and ``id_pointer`` is
    the place of that id.
    """

    value: str
    pointer: str
    origin: str
    call: int | None = None
    on_text: bool = False
    on_step: bool = False
    sealed_id: str | None = None
    id_pointer: str = ""


@dataclass(frozen=True, slots=True)
class Waiver:
    """A documented value in the place of state: it says that the call ``call`` has none."""

    pointer: str
    call: int | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """A reference to a part of the conversation that only the provider can read.

    It stored that (an earlier ``reply``, a ``conversation``, one ``item``), or packed it into an encrypted
    ``compaction``, whose ``id`` is that text. In a ``thread`` a reply stands for the system prompt and the tools, too.
    """

    kind: str
    id: str
    pointer: str


@dataclass(frozen=True, slots=True)
class Hosted:
    """A step that the provider runs itself (a server tool's call, its result, or both in one item).

    ``type`` is the block's or item's discriminator; ``name`` the tool, ``id`` what links call and result. ``picture``
    is the one that the step holds.
    """

    type: str
    name: str | None
    id: str | None
    value: Any
    pointer: str
    picture: Media | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """A block, part or item of a type that this reader does not know; ``type`` is its discriminator."""

    type: str
    pointer: str


@dataclass(frozen=True, slots=True)
class CacheMark:
    """A mark for the cache of prompts; ``on`` is body, tool, system, result, or message for all else."""

    on: str
    pointer: str


Item = Text | Media | Call | Result | Reasoning | Opaque | Waiver | Hosted | Unknown


@dataclass(slots=True)
class Turn:
    """Consecutive items of one side: ``user``, ``assistant`` or (in the middle of a conversation) ``system``.

    Neighbouring messages of one side are one turn. Tool results stand on the user side.
    """

    side: str
    pointer: str
    items: list[Item] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Tool:
    """A declared tool. ``kind`` is function, custom or hosted; ``schema`` is its parameter schema as written there.

    ``schema`` is None where the declaration has none. ``strict`` is None where it does not say. Of a hosted one, which
    its API defines, ``type`` says which, and ``declaration`` is all of it. ``grammar`` is the
    ``syntax`` and ``definition`` that the text of a custom one must fit; ``namespace`` the group that it stands in.
    ``form`` is the key that its calls stand in, where the format has several for the same. ``in_history``: an item of
    the conversation declares it.
    """

    name: str | None
    description: str | None
    schema: Any
    pointer: str
    kind: str = "function"
    strict: bool | None = None
    name_pointer: str | None = None
    description_pointer: str | None = None
    schema_pointer: str | None = None
    type: str | None = None
    declaration: Any = None
    grammar: Any = None
    namespace: str | None = None
    form: str = field(default="", compare=False)
    in_history: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Setting:
    """A request setting under its neutral name; ``value`` is neutral too."""

    name: str
    value: Any
    pointer: str


@dataclass(frozen=True, slots=True)
class Finish:
    """The reason of a reply's end. ``reason`` is neutral, ``raw`` is the body's value.

    Neutral reasons: tools, end, length, filter, refusal, stop_sequence, pause, error, other. ``is_known``: the API has
    this word; the meaning of any other is unknown.
    """

    reason: str
    raw: Any
    pointer: str
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class Wait:
    """How long a failed request says to wait: seconds, infinite for a date; None if nothing legible says it.

    ``pointer`` is where it is said, or where it belongs; ``raw`` is the value there.
    """

    seconds: float | None = None
    pointer: str = ""
    raw: Any = MISSING


@dataclass(frozen=True, slots=True)
class Failure:
    """An error that came instead of a reply, read from ``{"status", "headers", "body"}``.

    ``status`` is the HTTP status, None where it is no number. ``kind`` is set where the body says more than the status:
    ``unauthorized`` under a status that says only that the request is bad. ``header_wait`` and ``body_wait`` are how
    long to wait, as the headers and the body say; ``body_wait`` is None in a format whose body says nothing of it.
    ``has_headers`` is whether the headers are known at all.
    """

    status: int | None
    message: str | None
    pointer: str
    status_pointer: str = ""
    message_pointer: str | None = None
    kind: str | None = None
    header_wait: Wait | None = None
    body_wait: Wait | None = None
    has_headers: bool = False

    @property
    def wait(self) -> Wait:
        """How long to wait, wherever that is said; the headers take precedence."""
        return next((wait for wait in (self.header_wait, self.body_wait) if wait and wait.seconds is not None), Wait())


@dataclass(frozen=True, slots=True)
class Residue:
    """A key that the reader neither read nor ignored by name."""

    key: str
    pointer: str
    value: Any


@dataclass
class Reading:
    """A body as the judge sees it. ``direction`` is ``request``, ``response`` or ``error``; an error has a ``failure``.

    ``loaded_tools`` are those that a search brought into the history. ``cache_marks`` are the places at which a request
    marks the end of a cacheable prefix. ``thoughts`` says whether the reply is to show thoughts, ``thinks`` in which
    way the model is to think where the format says that apart from how much. ``compacts`` is the place at which a
    request asks the provider to compact the conversation. ``body`` is what was read.
    ``calls`` and ``results`` are gathered once: nobody adds to the turns of a reading that is read.
    """

    format: str
    direction: str
    system: list[Text] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    tools: list[Tool] = field(default_factory=list)
    loaded_tools: list[Tool] = field(default_factory=list)
    settings: dict[str, Setting] = field(default_factory=dict)
    finish: Finish | None = None
    failure: Failure | None = None
    usage: dict[str, int] = field(default_factory=dict)
    residue: list[Residue] = field(default_factory=list)
    cache_marks: list[CacheMark] = field(default_factory=list)
    stored: list[Stored] = field(default_factory=list)
    thoughts: Setting | None = None
    thinks: Setting | None = None
    compacts: str | None = None
    body: Any = field(default=None, repr=False, compare=False)

    @cached_property
    def calls(self) -> Sequence[Call]:
        """All calls of the body in order."""
        return [item for turn in self.turns for item in turn.items if isinstance(item, Call)]

    @cached_property
    def results(self) -> Sequence[Result]:
        """All results of the body in order."""
        return [item for turn in self.turns for item in turn.items if isinstance(item, Result)]

    @cached_property
    def turn_by_pointer(self) -> Mapping[str, int]:
        """The number of the turn that holds an item, by the pointer of the item."""
        turns: dict[str, int] = {}
        for number, turn in enumerate(self.turns):
            for item in turn.items:
                turns.setdefault(item.pointer, number)
        return turns

    @cached_property
    def turns_by_side(self) -> Mapping[str, Sequence[int]]:
        """The numbers of the turns of each side, in order."""
        turns: dict[str, list[int]] = {}
        for number, turn in enumerate(self.turns):
            turns.setdefault(turn.side, []).append(number)
        return turns
