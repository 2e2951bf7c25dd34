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
from toolcall_conformance.basics.jsonspans import replace_texts
from toolcall_conformance.basics.jsonvalue import JSONError, deep_copy, join, parse, resolve, unescape
from toolcall_conformance.basics.reading import Call, Media, Opaque, Reading, Reasoning, Result, Text
from toolcall_conformance.basics.reading.model import Value
from toolcall_conformance.basics.streaming.event_data import rewrite_data
from toolcall_conformance.checks.conversation.golden_replies import rename_calls_in_stream
from toolcall_conformance.checks.streams.event_places import nearest, values_at
from toolcall_conformance.checks.streams.json_values import JSONValues
from toolcall_conformance.library import Case, Corpus, Exchange

# Each character becomes the next one of its row. The rows keep base64 canonical: before one `=` stands a character of
# the first two rows, before two `=` one of the first.
_ROWS: Final = ("AQgw", "EIMUYckos048", "BCDFGHJKLNOPRSTVWXZ", "abdefhijlmnpqrtuvxyz", "1235679")
_OTHER: Final = {ord(character): row[(place + 1) % len(row)] for row in _ROWS for place, character in enumerate(row)}

Change = Callable[[Any], Any]


def other_words(text: str) -> str:
    """The same number of other letters and digits; the words of a part are the part of the words."""
    return text.translate(_OTHER)


@lru_cache(maxsize=32)  # the items of a case are played one behind the other, and drawn cases have no end
def twin_of(corpus: Corpus, case: Case) -> Twin:
    """The twin of ``case``; its formats say the same, as those of the case do."""
    return Twin(corpus, case)


class Twin(Case):
    """A case with other exchanges."""

    def __init__(self, corpus: Corpus, case: Case) -> None:
        super().__init__(case.path, case.scenario)
        self._corpus = corpus
        self._case = case
        #: Whether calls say something else: what those of an API's own may say is fixed, also where others spell them.
        self.changes_calls = not any(_has_own_calls(_last(case, name)) for name in case.formats)
        # Beside media texts are captions and placeholders, which a judge reads word by word.
        self._media = any(
            isinstance(item, Media)
            for name in case.formats
            for turn in _last(case, name).turns
            for item in (*turn.items, *(part for each in turn.items if isinstance(each, Result) for part in each.parts))
        )
        failed = (each.error for name in case.formats for each in _last(case, name).results)
        is_verbatim = all(_is_verbatim(case, name) for name in case.formats)
        self._results = not self._media and True not in failed and is_verbatim

    def exchanges(self, format_name: str) -> tuple[Exchange, ...]:
        """The exchanges in one format, in order."""
        if format_name not in self._exchanges:
            names = self._other_names(format_name)
            exchanges = tuple(
                self._other(format_name, exchange, names) for exchange in self._case.exchanges(format_name)
            )
            self._exchanges[format_name] = exchanges
        return self._exchanges[format_name]

    def _other(self, name: str, exchange: Exchange, names: Mapping[str, str]) -> Exchange:
        changes = partial(_changes, names=names, calls=self.changes_calls)
        response = exchange.response
        if response is not None:
            response = _said(formats.read(name, "response", response), response, partial(changes, results=False))
        stream = exchange.stream() if exchange.stream_path is not None else None
        if stream is not None:
            transport = self._corpus.transports[name]["stream"]
            places = [*transport["said"], *(transport["arguments"] if self.changes_calls else ())]
            stream = _streamed(rename_calls_in_stream(stream, names, transport), places)
        changes = partial(changes, results=self._results)
        request = _said(formats.read(name, "request", exchange.request), exchange.request, changes)
        return replace(exchange, request=request, response=response, streamed=stream)

    def _other_names(self, name: str) -> dict[str, str]:
        """For the name of each function tool that of the next one, as in every format.

        Where a format has other tools in the place of some, only those change that are functions in all of them.
        """
        if self._media:
            return {}
        functions = {each: _functions(_last(self._case, each)) for each in self._case.formats}
        names = functions[name]
        if len({len(each) for each in functions.values()}) > 1:
            names = [each for each in names if all(each in others for others in functions.values())]
        return dict(zip(names, [*names[1:], *names[:1]], strict=True))


def _last(case: Case, name: str) -> Reading:
    """The last request, which holds all that the client says."""
    return formats.read(name, "request", case.exchanges(name)[-1].request)


def _functions(request: Reading) -> list[str]:
    """The names of the function tools that stand in no group of tools."""
    return [tool.name for tool in request.tools if tool.kind == "function" and tool.name and not tool.namespace]


def _has_own_calls(request: Reading) -> bool:
    """Whether it has calls of tools that its API defines and the client runs."""
    own = {tool.name for tool in request.tools if tool.kind == "hosted"}
    return any(call.kind == "builtin" or call.name in own for call in request.calls)


def _is_verbatim(case: Case, name: str) -> bool:
    """Whether the texts of results stand where they were read, and none was made of something else."""
    body = case.exchanges(name)[-1].request
    parts = (part for result in _last(case, name).results for part in result.parts)
    return all(resolve(body, part.pointer) == part.text for part in parts if isinstance(part, Text))


def _said(reading: Reading, body: Any, changes: Callable[[object, str], Iterator[tuple[str, Change]]]) -> Any:
    """The body with the changes of its items."""
    changed = deep_copy(body)
    for turn in reading.turns:
        for item in turn.items:
            for pointer, change in changes(item, turn.side):
                parent, _, key = pointer.rpartition("/")
                holder = resolve(changed, parent)
                place: Any = int(key) if isinstance(holder, list) else unescape(key)
                holder[place] = change(holder[place])
    return changed


def _changes(
    item: object, side: str, *, names: Mapping[str, str], calls: bool, results: bool
) -> Iterator[tuple[str, Change]]:
    """Pointers to what an item says, each with how it changes."""

    def renamed(name: Any) -> Any:
        return names.get(name, name)

    match item:
        case Text() | Reasoning() if side == "assistant":
            yield item.pointer, _deeply
        case Opaque():
            yield item.pointer, _deeply
        case Call():
            if item.name_pointer is not None:
                yield item.name_pointer, renamed
            if item.arguments_pointer is not None and calls:
                yield item.arguments_pointer, _deeply if item.kind == "custom" else _arguments
        case Result():
            if item.name_pointer is not None:
                yield item.name_pointer, renamed
            for part in item.parts if results else ():
                if isinstance(part, (Text, Value)):
                    yield part.pointer, _documents


def _deeply(value: Any) -> Any:
    """Every text in a value, said in other words."""
    if isinstance(value, dict):
        return {key: _deeply(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_deeply(entry) for entry in value]
    return other_words(value) if isinstance(value, str) else value


def _arguments(value: Any) -> Any:
    """Arguments with other values: what is a text is read as JSON, whether it is any or not, as that of a stream is."""
    return JSONValues(other_words).change(value) if isinstance(value, str) else _deeply(value)


def _documents(value: Any) -> Any:
    """The same; where a text is itself a JSON document, in its values."""
    if isinstance(value, dict):
        return {key: _documents(entry) for key, entry in value.items()}
    if isinstance(value, str) and _is_document(value):
        return JSONValues(other_words).change(value)
    return _deeply(value)


def _is_document(text: str) -> bool:
    try:
        return isinstance(parse(text), (dict, list))
    except JSONError:
        return False


def _streamed(stream: bytes, places: Sequence[Mapping[str, Any]]) -> bytes:
    """The bytes of a stream with other words at ``places`` (``transport.json``: ``said``)."""
    documents: dict[tuple[str, Any], JSONValues] = {}

    def changed(data: str) -> str:
        try:
            event = parse(data)
        except JSONError:
            return data
        texts: dict[str, str] = {}
        for place in places:
            for pointer, value in values_at(event, place):
                if not place.get("json"):
                    texts |= {below: other_words(text) for below, text in _texts_below(pointer, value)}
                    continue
                call = (str(place["at"]), nearest(event, pointer, place["of"])) if "of" in place else None
                document = JSONValues(other_words)
                if call is not None:
                    document = documents.setdefault(call, document)
                texts[pointer] = document.change(value)
        return replace_texts(data, texts)

    return rewrite_data(stream, changed)


def _texts_below(pointer: str, value: Any) -> Iterator[tuple[str, str]]:
    """Every text in a value, with its pointer."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, (dict, list)):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts_below(join(pointer, key), entry)
