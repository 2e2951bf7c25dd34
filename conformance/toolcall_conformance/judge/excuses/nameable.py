"""What of a request a refusal can name: each part by its words, with the request's reading as it is without it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.reading import (
    Hosted,
    Media,
    Opaque,
    Reading,
    Reasoning,
    Result,
    Setting,
    Text,
    Tool,
    Turn,
)
from toolcall_conformance.judge.translation.media.media_losses import media_demand, media_element
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.schemas.normal_schemas import BRANCH_KEYWORDS
from toolcall_conformance.judge.translation.schemas.schema_branches import is_composed
from toolcall_conformance.judge.translation.settings.limits import limited
from toolcall_conformance.judge.translation.settings.settings import OF_THE_ROUTE, PRIVATE, chosen_names
from toolcall_conformance.judge.translation.tools.own_tools import own_tool, run_by_client
from toolcall_conformance.library import Corpus

Drop = Callable[[Reading], Reading]

_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_BETWEEN: Final = r"[\s_./-]*"
_DATE: Final = re.compile(r"_?\d{8}$")


@dataclass(frozen=True, slots=True)
class Nameable:
    """A part of a request: the ``names`` that it goes by, how far it must survive, and a reading without it.

    ``demand`` is of the loss table; where the target takes a value in part only, it is ``cannot``. ``is_whole``: it is
    all that stands at its place, and no mark on it.
    """

    element: str
    pointer: str
    names: tuple[str, ...]
    demand: str
    drop: Drop
    is_whole: bool = True

    def is_named_in(self, words: str) -> bool:
        """Whether ``words`` name it."""
        return is_named(self.names, words)


def is_named(names: Iterable[str], words: str) -> bool:
    """Whether ``words`` hold one of the ``names``, in any case, with or without ``_``, ``-`` and spaces within it."""
    return any(_pattern(name).search(words) for name in names)


@lru_cache(maxsize=1024)
def _pattern(name: str) -> re.Pattern[str]:
    words = _BETWEEN.join(map(re.escape, _WORDS.findall(name)))
    return re.compile(rf"(?<![\w-]){words}s?(?![\w-])" if words else r"(?!)", re.IGNORECASE)


def nameables(pair: Pair) -> Iterator[Nameable]:
    """All parts of the pair's source that a refusal can name as a reason; its words, calls and functions are none."""
    yield from _settings(pair)
    yield from _tools(pair)
    for turn in pair.source.turns:
        for item in turn.items:
            yield from _item(pair, item)
    yield from _system(pair)
    for mark in pair.source.cache_marks:
        yield _part(pair, "cache-control", mark.pointer, _without_marks, _key(mark.pointer))


def _part(
    pair: Pair,
    element: str,
    pointer: str,
    drop: Drop,
    *names: str | None,
    demand: str | None = None,
    is_whole: bool = True,
) -> Nameable:
    """A part by its own ``names`` and those that the corpus knows of its element."""
    candidates = (*names, *pair.corpus.elements[element].get("names", ()))
    part_names = tuple(dict.fromkeys(name for name in candidates if name))
    return Nameable(element, pointer, part_names, demand or pair.demand(element), drop, is_whole)


def setting_names(corpus: Corpus, setting: Setting) -> tuple[str, ...]:
    """The names of a setting: its neutral one, its key, and what each format calls it.

    A last key of one word, such as ``format`` in ``text.format``, says too little without the one that holds it.
    """
    neutral = setting.name.removeprefix(PRIVATE)
    wire_names = (corpus.format(name)["wire_words"]["settings"].get(setting.name, "") for name in corpus.formats)
    return tuple(dict.fromkeys((neutral, *(name for at in (setting.pointer, *wire_names) for name in _key_names(at)))))


def _key_names(pointer: str) -> Iterator[str]:
    keys = pointer.split("/")[1:]
    if len(keys) == 1 or (keys and len(_WORDS.findall(keys[-1])) > 1):
        yield keys[-1]
    elif keys:
        yield "/".join(keys[-2:])


def _settings(pair: Pair) -> Iterator[Nameable]:
    for name, setting in pair.source.settings.items():
        names = setting_names(pair.corpus, setting)
        if name.startswith(PRIVATE):
            demand = "must" if pair.is_same_format else "cannot"
            yield Nameable(name, setting.pointer, names, demand, _without_setting(name))
        elif name not in OF_THE_ROUTE:
            element = _element(pair.source, name, setting)
            demand = pair.demand(element)
            if demand == "must" and limited(pair, name, setting.value) is not None:
                demand = "cannot"
            yield _part(pair, element, setting.pointer, _without_setting(name), *names, demand=demand)


def _element(reading: Reading, name: str, setting: Setting) -> str:
    """The element that a setting is."""
    if name == "tool_choice":
        mode = setting.value.get("mode", "auto") if isinstance(setting.value, dict) else "auto"
        names = chosen_names(reading)
        if names is None or mode == "none":
            return f"choice-{mode}" if mode in ("required", "none") else "choice-auto"
        return "choice-named" if mode == "required" and len(names) == 1 else "choice-subset"
    return "parallel-flag" if name == "parallel_calls" else name.replace("_", "-")


def _without_setting(name: str) -> Drop:
    def drop(reading: Reading) -> Reading:
        settings = {other: setting for other, setting in reading.settings.items() if other != name}
        return replace(reading, settings=settings, thinks=None if name == "reasoning" else reading.thinks)

    return drop


def _tools(pair: Pair) -> Iterator[Nameable]:
    for tool in pair.source.tools:
        at, gone = tool.pointer, _tool(tool.pointer, lambda _: None)
        if tool.kind == "hosted":
            element = "tool-client-run" if run_by_client(pair.corpus, pair.source, tool) else "tool-hosted"
            yield _part(pair, element, at, gone, *_undated(tool.type, tool.name), *_named_elsewhere(pair, tool))
        elif tool.kind == "custom":
            yield _part(pair, "tool-custom", at, gone, tool.name)
        if tool.strict is True:
            yield _part(pair, "tool-strict", at, _tool(at, lambda tool: replace(tool, strict=None)), is_whole=False)
        if tool.grammar is not None:
            yield _part(pair, "tool-grammar", at, _tool(at, lambda tool: replace(tool, grammar=None)), is_whole=False)
        if is_composed(tool.schema):
            names = [key for key in tool.schema if key in BRANCH_KEYWORDS]
            yield _part(pair, "tool-schema-root", at, _tool(at, _without_branches), *names, is_whole=False)


def _undated(*names: str | None) -> list[str]:
    """The names, and those of them that end in a date without it."""
    full_names = [name for name in names if name]
    return full_names + [_DATE.sub("", name) for name in full_names]


def _named_elsewhere(pair: Pair, tool: Tool) -> Iterator[str]:
    """What the APIs call their own tools for the same purpose: a refusal may use the words of the target."""
    own = own_tool(pair.corpus, pair.source, tool)
    if own is not None:
        yield own.purpose
        every = (other for name in pair.corpus.formats for other in pair.corpus.own_tools(name).tools)
        yield from (other.type.rstrip("*_") for other in every if other.purpose == own.purpose)


def _tool(pointer: str, change: Callable[[Tool], Tool | None]) -> Drop:
    def drop(reading: Reading) -> Reading:
        changed = [change(tool) if tool.pointer == pointer else tool for tool in reading.tools]
        return replace(reading, tools=[tool for tool in changed if tool is not None])

    return drop


def _without_branches(tool: Tool) -> Tool:
    return replace(tool, schema={key: value for key, value in tool.schema.items() if key not in BRANCH_KEYWORDS})


def _item(pair: Pair, item: Any) -> Iterator[Nameable]:
    match item:
        case Media():
            yield _media(pair, item, in_result=False)
        case Result():
            yield from (_media(pair, part, in_result=True) for part in item.parts if isinstance(part, Media))
            if item.error is True:
                yield _part(pair, "error-mark", item.pointer, _unmarked, is_whole=False)
        case Reasoning(pointer=pointer):
            yield _part(pair, "reasoning-text", pointer, _without_item(pointer), _key(pointer))
        case Opaque(pointer=pointer):
            yield _part(pair, "signature", pointer, _without_item(pointer), _key(pointer))
        case Hosted(pointer=pointer):
            yield _part(pair, "tool-hosted", pointer, _without_item(pointer), *_undated(item.type, item.name))


def _media(pair: Pair, media: Media, *, in_result: bool) -> Nameable:
    """Media by their kind, their type, and the word of the part that holds them."""
    mime, stands = media.mime or "", resolve(pair.source.body, media.pointer)
    kind = stands.get("type") if isinstance(stands, dict) else None
    names = (media.kind, mime, mime.rpartition("/")[2], kind if isinstance(kind, str) else _key(media.pointer))
    demand = media_demand(pair, media, in_result=in_result)
    element = media_element(media, in_result=in_result)
    return _part(pair, element, media.pointer, _without_item(media.pointer), *names, demand=demand)


def _key(pointer: str) -> str:
    """The last key on the way to a place that is no number."""
    return next((key for key in reversed(pointer.split("/")) if key and not key.isdigit()), "")


def _without_item(pointer: str) -> Drop:
    """Drops what stands at a place, be it in a result."""

    def drop(reading: Reading) -> Reading:
        return _with_items(reading, lambda item: _kept(item, pointer))

    return drop


def _kept(item: Any, pointer: str) -> Any:
    """An item without what stands at a place; None for that itself."""
    if isinstance(item, Result):
        return replace(item, parts=tuple(part for part in item.parts if part.pointer != pointer))
    droppable = isinstance(item, (Media, Reasoning, Opaque, Hosted))
    return None if droppable and item.pointer == pointer else item


def _unmarked(reading: Reading) -> Reading:
    return _with_items(reading, lambda item: replace(item, error=None) if isinstance(item, Result) else item)


def _with_items(reading: Reading, change: Callable[[Any], Any]) -> Reading:
    changed = [(turn, [change(item) for item in turn.items]) for turn in reading.turns]
    return replace(
        reading, turns=[replace(turn, items=[item for item in items if item is not None]) for turn, items in changed]
    )


def _without_marks(reading: Reading) -> Reading:
    return replace(reading, cache_marks=[])


def _system(pair: Pair) -> Iterator[Nameable]:
    """Instructions at the head, and those in the middle, which may lose their place."""
    for text in pair.source.system[:1]:
        yield _part(pair, "system", text.pointer, lambda reading: replace(reading, system=[]))
    for turn in pair.source.turns:
        if turn.side == "system":
            yield _part(pair, "system-mid", turn.pointer, _at_the_head)


def _at_the_head(reading: Reading) -> Reading:
    turns: list[Turn] = [turn for turn in reading.turns if turn.side != "system"]
    texts = [item for turn in reading.turns if turn.side == "system" for item in turn.items if isinstance(item, Text)]
    return replace(reading, system=[*reading.system, *texts], turns=turns)
