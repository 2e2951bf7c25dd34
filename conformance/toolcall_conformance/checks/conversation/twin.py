"""The twin of a case: the same conversation with the same ids, in which the model and the tools say something else.

Two conversations that share ids show what a translator remembers by an id alone. Letters and digits of texts, argument
values, results and opaque state are exchanged for others; where a case declares several tools, calls name another one.
Everything else stays, so that the twin's goldens are legal wherever those of the case are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Final

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import JSONError, deep_copy, join, parse, resolve, unescape
from toolcall_conformance.basics.reading import Call, Media, Opaque, Reading, Reasoning, Result, Text
from toolcall_conformance.basics.reading.model import Value
from toolcall_conformance.checks.conversation.golden_replies import rename_calls_in_stream
from toolcall_conformance.checks.streams.event_places import change_values, nearest_member, values_at
from toolcall_conformance.checks.streams.json_values import JSONValues
from toolcall_conformance.library import Case, Corpus, Exchange

# Each character becomes the next one of its row. The rows keep base64 canonical: before one `=` stands a character of
# the first two rows, before two `=` one of the first.
_CHARACTER_ROWS: Final = ("AQgw", "EIMUYckos048", "BCDFGHJKLNOPRSTVWXZ", "abdefhijlmnpqrtuvxyz", "1235679")
_OTHER_CHARACTER: Final = {
    ord(character): row[(place + 1) % len(row)] for row in _CHARACTER_ROWS for place, character in enumerate(row)
}

Change = Callable[[Any], Any]


def other_words(text: str) -> str:
    """Replace each letter and digit by another one; a part of a text becomes the same part of the changed text."""
    return text.translate(_OTHER_CHARACTER)


@lru_cache(maxsize=32)  # the items of a case are played one after the other, and there is no end of generated cases
def twin_of(corpus: Corpus, case: Case) -> Twin:
    """The twin of ``case``; its formats say the same, as those of the case do."""
    return Twin(corpus, case)


class Twin(Case):
    """A case with other exchanges."""

    def __init__(self, corpus: Corpus, case: Case) -> None:
        super().__init__(case.path, case.scenario)
        self._corpus = corpus
        self._case = case
        #: Whether calls change: the arguments of an API's own tools are fixed, also in other formats.
        self.changes_calls = not any(_has_own_calls(_last_request(case, name)) for name in case.formats)
        # Texts next to media are captions and placeholders, which a judge reads word by word.
        self._media = any(
            isinstance(item, Media)
            for name in case.formats
            for turn in _last_request(case, name).turns
            for item in (*turn.items, *(part for each in turn.items if isinstance(each, Result) for part in each.parts))
        )
        failed = (each.error for name in case.formats for each in _last_request(case, name).results)
        is_verbatim = all(_is_verbatim(case, name) for name in case.formats)
        self._results = not self._media and True not in failed and is_verbatim

    def exchanges(self, format_name: str) -> tuple[Exchange, ...]:
        """The exchanges in one format, in order."""
        if format_name not in self._exchanges:
            names = self._exchange_names(format_name)
            exchanges = tuple(
                self._change_exchange(format_name, exchange, names) for exchange in self._case.exchanges(format_name)
            )
            self._exchanges[format_name] = exchanges
        return self._exchanges[format_name]

    def _change_exchange(self, format_name: str, exchange: Exchange, names: Mapping[str, str]) -> Exchange:
        changes = partial(_item_changes, names=names, calls=self.changes_calls)
        response = exchange.response
        if response is not None:
            response = _change_items(
                formats.read(format_name, "response", response), response, partial(changes, results=False)
            )
        stream = exchange.stream() if exchange.stream_path is not None else None
        if stream is not None:
            transport = self._corpus.transports[format_name]["stream"]
            places = [*transport["said"], *(transport["arguments"] if self.changes_calls else ())]
            stream = _change_stream(rename_calls_in_stream(stream, names, transport), places)
        changes = partial(changes, results=self._results)
        request = _change_items(formats.read(format_name, "request", exchange.request), exchange.request, changes)
        return replace(exchange, request=request, response=response, streamed=stream)

    def _exchange_names(self, format_name: str) -> dict[str, str]:
        """The name of the next function tool for that of each, as in every format.

        If a format has other tools in the place of some, only names that are functions in all formats change.
        """
        if self._media:
            return {}
        functions = {
            other_format: _function_names(_last_request(self._case, other_format))
            for other_format in self._case.formats
        }
        names = functions[format_name]
        if len({len(other_format) for other_format in functions.values()}) > 1:
            names = [
                other_format for other_format in names if all(other_format in others for others in functions.values())
            ]
        return dict(zip(names, [*names[1:], *names[:1]], strict=True))


def _last_request(case: Case, format_name: str) -> Reading:
    """The reading of the last request, which has the whole conversation."""
    return formats.read(format_name, "request", case.exchanges(format_name)[-1].request)


def _function_names(request: Reading) -> list[str]:
    """The names of the function tools that are in no group of tools."""
    return [tool.name for tool in request.tools if tool.kind == "function" and tool.name and not tool.namespace]


def _has_own_calls(request: Reading) -> bool:
    """Whether it has calls of tools that its API defines and the client runs."""
    hosted_names = {tool.name for tool in request.tools if tool.kind == "hosted"}
    return any(call.kind == "builtin" or call.name in hosted_names for call in request.calls)


def _is_verbatim(case: Case, format_name: str) -> bool:
    """Whether all texts of results are in the body as they were read, and none is derived from something else."""
    body = case.exchanges(format_name)[-1].request
    parts = (part for result in _last_request(case, format_name).results for part in result.parts)
    return all(resolve(body, part.pointer) == part.text for part in parts if isinstance(part, Text))


def _change_items(reading: Reading, body: Any, changes: Callable[[object, str], Iterator[tuple[str, Change]]]) -> Any:
    """A copy of the body with the changes of its items."""
    changed = deep_copy(body)
    for turn in reading.turns:
        for item in turn.items:
            for pointer, change in changes(item, turn.side):
                parent, _, key = pointer.rpartition("/")
                holder = resolve(changed, parent)
                place: Any = int(key) if isinstance(holder, list) else unescape(key)
                holder[place] = change(holder[place])
    return changed


def _item_changes(
    item: object, side: str, *, names: Mapping[str, str], calls: bool, results: bool
) -> Iterator[tuple[str, Change]]:
    """The pointers to the content of an item, each with the function that changes it."""

    def renamed(name: Any) -> Any:
        return names.get(name, name)

    match item:
        case Text() | Reasoning() if side == "assistant":
            yield item.pointer, _change_texts
        case Opaque():
            yield item.pointer, _change_texts
        case Call():
            if item.name_pointer is not None:
                yield item.name_pointer, renamed
            if item.arguments_pointer is not None and calls:
                yield item.arguments_pointer, _change_texts if item.kind == "custom" else _change_arguments
        case Result():
            if item.name_pointer is not None:
                yield item.name_pointer, renamed
            for part in item.parts if results else ():
                if isinstance(part, (Text, Value)):
                    yield part.pointer, _change_documents


def _change_texts(value: Any) -> Any:
    """A value with every text in it changed."""
    if isinstance(value, dict):
        return {key: _change_texts(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_change_texts(entry) for entry in value]
    return other_words(value) if isinstance(value, str) else value


def _change_arguments(value: Any) -> Any:
    """Arguments with other values: a text is taken for JSON, whether it is or not, as that of a stream is."""
    return JSONValues(other_words).change(value) if isinstance(value, str) else _change_texts(value)


def _change_documents(value: Any) -> Any:
    """A value with every text in it changed; in a text that is a JSON document only its values."""
    if isinstance(value, dict):
        return {key: _change_documents(entry) for key, entry in value.items()}
    if isinstance(value, str) and _is_document(value):
        return JSONValues(other_words).change(value)
    return _change_texts(value)


def _is_document(text: str) -> bool:
    try:
        return isinstance(parse(text), (dict, list))
    except JSONError:
        return False


def _change_stream(stream: bytes, places: Sequence[Mapping[str, Any]]) -> bytes:
    """The bytes of a stream with the texts at ``places`` changed (``said`` of ``transport.json``)."""
    documents: dict[tuple[str, Any], JSONValues] = {}

    def new_values(event: Any) -> dict[str, str]:
        texts: dict[str, str] = {}
        for place in places:
            for pointer, value in values_at(event, place):
                if not place.get("json"):
                    texts |= {below: other_words(text) for below, text in _texts_within(pointer, value)}
                    continue
                call = (str(place["at"]), nearest_member(event, pointer, place["of"])) if "of" in place else None
                document = JSONValues(other_words)
                if call is not None:
                    document = documents.setdefault(call, document)
                texts[pointer] = document.change(value)
        return texts

    return change_values(stream, new_values)


def _texts_within(pointer: str, value: Any) -> Iterator[tuple[str, str]]:
    """Every text in a value, with its pointer."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, (dict, list)):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts_within(join(pointer, key), entry)
