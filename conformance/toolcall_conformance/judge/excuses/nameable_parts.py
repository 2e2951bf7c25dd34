"""The parts of a request that a refusal can name, each with its names and a reading of the request without it."""

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
from toolcall_conformance.judge.translation.settings.limits import limit_value
from toolcall_conformance.judge.translation.settings.settings import PRIVATE_PREFIX, ROUTE_SETTINGS, chosen_tool_names
from toolcall_conformance.judge.translation.tools.own_tools import find_own_tool, is_run_by_client
from toolcall_conformance.library import Corpus

Drop = Callable[[Reading], Reading]

_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_WORD_SEPARATOR: Final = r"[\s_./-]*"
_DATE_SUFFIX: Final = re.compile(r"_?\d{8}$")


@dataclass(frozen=True, slots=True)
class NameablePart:
    """A part of a request: its ``names``, how far it must survive, and a function that drops it from a reading.

    ``demand`` is that of the loss table; if the target takes only a part of the value, it is ``cannot``. ``is_whole``:
    it is the whole value at its place, not a mark on it.
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
    return any(_name_pattern(name).search(words) for name in names)


@lru_cache(maxsize=1024)
def _name_pattern(name: str) -> re.Pattern[str]:
    words = _WORD_SEPARATOR.join(map(re.escape, _WORDS.findall(name)))
    return re.compile(rf"(?<![\w-]){words}s?(?![\w-])" if words else r"(?!)", re.IGNORECASE)


def find_nameable_parts(pair: Pair) -> Iterator[NameablePart]:
    """All parts of the pair's source that a refusal can name as a reason; texts, calls and functions are none."""
    yield from _setting_parts(pair)
    yield from _tool_parts(pair)
    for turn in pair.source.turns:
        for item in turn.items:
            yield from _item_parts(pair, item)
    yield from _instruction_parts(pair)
    for mark in pair.source.cache_marks:
        yield _make_part(pair, "cache-control", mark.pointer, _drop_cache_marks, _last_key(mark.pointer))


def _make_part(
    pair: Pair,
    element: str,
    pointer: str,
    drop: Drop,
    *names: str | None,
    demand: str | None = None,
    is_whole: bool = True,
) -> NameablePart:
    """Make a part with its own ``names`` and those that the corpus has for its element."""
    candidates = (*names, *pair.corpus.elements[element].get("names", ()))
    part_names = tuple(dict.fromkeys(name for name in candidates if name))
    return NameablePart(element, pointer, part_names, demand or pair.demand(element), drop, is_whole)


def setting_names(corpus: Corpus, setting: Setting) -> tuple[str, ...]:
    """The names of a setting: its neutral name, its key, and its name in each format.

    A last key of one word, such as ``format`` in ``text.format``, is too little without the key before it.
    """
    neutral = setting.name.removeprefix(PRIVATE_PREFIX)
    wire_names = (corpus.format(name)["wire_words"]["settings"].get(setting.name, "") for name in corpus.formats)
    return tuple(dict.fromkeys((neutral, *(name for at in (setting.pointer, *wire_names) for name in _key_names(at)))))


def _key_names(pointer: str) -> Iterator[str]:
    keys = pointer.split("/")[1:]
    if len(keys) == 1 or (keys and len(_WORDS.findall(keys[-1])) > 1):
        yield keys[-1]
    elif keys:
        yield "/".join(keys[-2:])


def _setting_parts(pair: Pair) -> Iterator[NameablePart]:
    for name, setting in pair.source.settings.items():
        names = setting_names(pair.corpus, setting)
        if name.startswith(PRIVATE_PREFIX):
            demand = "must" if pair.is_same_format else "cannot"
            yield NameablePart(name, setting.pointer, names, demand, _drop_setting(name))
        elif name not in ROUTE_SETTINGS:
            element = _setting_element(pair.source, name, setting)
            demand = pair.demand(element)
            if demand == "must" and limit_value(pair, name, setting.value) is not None:
                demand = "cannot"
            yield _make_part(pair, element, setting.pointer, _drop_setting(name), *names, demand=demand)


def _setting_element(reading: Reading, setting_name: str, setting: Setting) -> str:
    """The element that a setting is."""
    if setting_name == "tool_choice":
        mode = setting.value.get("mode", "auto") if isinstance(setting.value, dict) else "auto"
        names = chosen_tool_names(reading)
        if names is None or mode == "none":
            return f"choice-{mode}" if mode in ("required", "none") else "choice-auto"
        return "choice-named" if mode == "required" and len(names) == 1 else "choice-subset"
    return "parallel-flag" if setting_name == "parallel_calls" else setting_name.replace("_", "-")


def _drop_setting(setting_name: str) -> Drop:
    def drop(reading: Reading) -> Reading:
        settings = {other: setting for other, setting in reading.settings.items() if other != setting_name}
        return replace(reading, settings=settings, thinks=None if setting_name == "reasoning" else reading.thinks)

    return drop


def _tool_parts(pair: Pair) -> Iterator[NameablePart]:
    for tool in pair.source.tools:
        at, gone = tool.pointer, _change_tool(tool.pointer, lambda _: None)
        if tool.kind == "hosted":
            element = "tool-client-run" if is_run_by_client(pair.corpus, pair.source, tool) else "tool-hosted"
            yield _make_part(
                pair, element, at, gone, *_names_with_undated(tool.type, tool.name), *_names_in_other_apis(pair, tool)
            )
        elif tool.kind == "custom":
            yield _make_part(pair, "tool-custom", at, gone, tool.name)
        if tool.strict is True:
            yield _make_part(
                pair, "tool-strict", at, _change_tool(at, lambda tool: replace(tool, strict=None)), is_whole=False
            )
        if tool.grammar is not None:
            yield _make_part(
                pair, "tool-grammar", at, _change_tool(at, lambda tool: replace(tool, grammar=None)), is_whole=False
            )
        if is_composed(tool.schema):
            names = [key for key in tool.schema if key in BRANCH_KEYWORDS]
            yield _make_part(pair, "tool-schema-root", at, _change_tool(at, _drop_branches), *names, is_whole=False)


def _names_with_undated(*names: str | None) -> list[str]:
    """The names, and each that ends in a date also without the date."""
    full_names = [name for name in names if name]
    return full_names + [_DATE_SUFFIX.sub("", name) for name in full_names]


def _names_in_other_apis(pair: Pair, tool: Tool) -> Iterator[str]:
    """The names that the APIs have for tools of the same purpose: a refusal may use those of the target."""
    own_tool = find_own_tool(pair.corpus, pair.source, tool)
    if own_tool is not None:
        yield own_tool.purpose
        tools_of_other_apis = (other for name in pair.corpus.formats for other in pair.corpus.own_tools(name).tools)
        yield from (other.type.rstrip("*_") for other in tools_of_other_apis if other.purpose == own_tool.purpose)


def _change_tool(pointer: str, change: Callable[[Tool], Tool | None]) -> Drop:
    def drop(reading: Reading) -> Reading:
        changed = [change(tool) if tool.pointer == pointer else tool for tool in reading.tools]
        return replace(reading, tools=[tool for tool in changed if tool is not None])

    return drop


def _drop_branches(tool: Tool) -> Tool:
    return replace(tool, schema={key: value for key, value in tool.schema.items() if key not in BRANCH_KEYWORDS})


def _item_parts(pair: Pair, item: Any) -> Iterator[NameablePart]:
    match item:
        case Media():
            yield _media_part(pair, item, in_result=False)
        case Result():
            yield from (_media_part(pair, part, in_result=True) for part in item.parts if isinstance(part, Media))
            if item.error is True:
                yield _make_part(pair, "error-mark", item.pointer, _drop_error_marks, is_whole=False)
        case Text(phase_pointer=str() as pointer):
            yield _make_part(pair, "phase", pointer, _drop_phase(pointer), is_whole=False)
        case Reasoning(pointer=pointer):
            yield _make_part(pair, "reasoning-text", pointer, _drop_item(pointer), _last_key(pointer))
        case Opaque(pointer=pointer):
            yield _make_part(pair, "signature", pointer, _drop_item(pointer), _last_key(pointer))
        case Hosted(pointer=pointer):
            yield _make_part(
                pair, "tool-hosted", pointer, _drop_item(pointer), *_names_with_undated(item.type, item.name)
            )


def _media_part(pair: Pair, media: Media, *, in_result: bool) -> NameablePart:
    """A part for media, named by their kind, their MIME type, and the type of the part that holds them."""
    mime, stands = media.mime or "", resolve(pair.source.body, media.pointer)
    kind = stands.get("type") if isinstance(stands, dict) else None
    names = (media.kind, mime, mime.rpartition("/")[2], kind if isinstance(kind, str) else _last_key(media.pointer))
    demand = media_demand(pair, media, in_result=in_result)
    element = media_element(media, in_result=in_result)
    return _make_part(pair, element, media.pointer, _drop_item(media.pointer), *names, demand=demand)


def _last_key(pointer: str) -> str:
    """The last key of a pointer that is no index."""
    return next((key for key in reversed(pointer.split("/")) if key and not key.isdigit()), "")


def _drop_item(pointer: str) -> Drop:
    """Drop the item at a place, also inside a result."""

    def drop(reading: Reading) -> Reading:
        return _change_items(reading, lambda item: _remove_from_item(item, pointer))

    return drop


def _remove_from_item(item: Any, pointer: str) -> Any:
    """An item without the part at a place; None if the item itself is there."""
    if isinstance(item, Result):
        return replace(item, parts=tuple(part for part in item.parts if part.pointer != pointer))
    droppable = isinstance(item, (Media, Reasoning, Opaque, Hosted))
    return None if droppable and item.pointer == pointer else item


def _drop_phase(pointer: str) -> Drop:
    """Return what drops the phase of a message: of all its texts."""

    def without_phase(item: Any) -> Any:
        is_of_message = isinstance(item, Text) and item.phase_pointer == pointer
        return replace(item, phase_pointer=None) if is_of_message else item

    return lambda reading: _change_items(reading, without_phase)


def _drop_error_marks(reading: Reading) -> Reading:
    return _change_items(reading, lambda item: replace(item, error=None) if isinstance(item, Result) else item)


def _change_items(reading: Reading, change: Callable[[Any], Any]) -> Reading:
    changed = [(turn, [change(item) for item in turn.items]) for turn in reading.turns]
    return replace(
        reading, turns=[replace(turn, items=[item for item in items if item is not None]) for turn, items in changed]
    )


def _drop_cache_marks(reading: Reading) -> Reading:
    return replace(reading, cache_marks=[])


def _instruction_parts(pair: Pair) -> Iterator[NameablePart]:
    """The parts for instructions at the head, and for those in the middle, which may be moved to the head."""
    for text in pair.source.system[:1]:
        yield _make_part(pair, "system", text.pointer, lambda reading: replace(reading, system=[]))
    for turn in pair.source.turns:
        if turn.side == "system":
            yield _make_part(pair, "system-mid", turn.pointer, _move_instructions_to_head)


def _move_instructions_to_head(reading: Reading) -> Reading:
    turns: list[Turn] = [turn for turn in reading.turns if turn.side != "system"]
    texts = [item for turn in reading.turns if turn.side == "system" for item in turn.items if isinstance(item, Text)]
    return replace(reading, system=[*reading.system, *texts], turns=turns)
