"""What a golden body must be read as: the scenario up to one exchange, in the words of one format.

Used by ``test_goldens.py``. A scenario says everything once; a format may have no word for some of it, and
``expresses.json`` says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any
from unittest.mock import ANY

from toolcall_conformance.basics.jsonvalue import JSONError, begins_json, parse, parse_arguments, resolve
from toolcall_conformance.basics.reading import (
    Call,
    Hosted,
    Media,
    Opaque,
    Reading,
    Reasoning,
    Result,
    Text,
    Turn,
    Value,
    Waiver,
)
from toolcall_conformance.judge.translation.calls.call_arguments import readable_arguments
from toolcall_conformance.judge.translation.media.media_identity import media_identity
from toolcall_conformance.judge.translation.results.placeholders import ReferencedMedia, without_placeholders
from toolcall_conformance.judge.translation.settings.model_names import matches_model
from toolcall_conformance.library import Case, Corpus, load_corpus, read_json

#: The element of expresses.json that a neutral setting belongs to.
ELEMENT_OF = {
    "max_output_tokens": "max-output-tokens",
    "temperature": "temperature",
    "top_p": "top-p",
    "top_k": "top-k",
    "stop": "stop",
    "seed": "seed",
    "frequency_penalty": "frequency-penalty",
    "presence_penalty": "presence-penalty",
    "reply_count": "reply-count",
    "user_id": "user-id",
    "metadata": "metadata",
    "parallel_calls": "parallel-flag",
    "service_tier": "service-tier",
    "store": "store",
    "verbosity": "verbosity",
    "cache_key": "cache-key",
}


@dataclass
class Content:
    """The elements of a conversation, in order, flattened: what the scenario says, or what a reading found."""

    system: str = ""
    turns: list[tuple[str, list[Any]]] = field(default_factory=list)
    calls: list[tuple[str | None, Any, str | None]] = field(default_factory=list)
    results: list[tuple[int | None, str | None, Any, bool]] = field(default_factory=list)
    opaque: list[tuple[int | None, str]] = field(default_factory=list)
    media: list[tuple[str | None, str]] = field(default_factory=list)
    unsaid: list[Media] = field(default_factory=list)
    blocks: list[dict[str, Any]] = field(default_factory=list)
    hosted: list[Any] = field(default_factory=list)


def squeeze(text: str) -> str:
    return " ".join(text.split())


def scenario_content(corpus: Corpus, case: Case, format_name: str, number: int, direction: str) -> Content:
    """The scenario's turns before assistant turn ``number`` (``request``) or that turn alone (``response``)."""
    elements = Content()
    ids = _ids(corpus, case, format_name, direction)
    names = case.scenario.get("names", {}).get(format_name, {})
    turns = [turn for turn in case.scenario["conversation"] if format_name in turn.get("only", [format_name])]
    # Behind the last turn may come an error instead of a reply.
    replies = [place for place, turn in enumerate(turns) if turn["role"] == "assistant" and not turn.get("given")]
    ends = [*replies, len(turns)]
    expected_turns = turns[: ends[number - 1]] if direction == "request" else [turns[ends[number - 1]]]
    ordinals: dict[str, int] = {}
    systems: list[str] = []
    for turn in expected_turns:
        if turn["role"] == "system" and not elements.turns:
            systems += [entry["text"] for entry in turn["content"]]
            continue
        side = _side(corpus, case, format_name, turn["role"])
        if not elements.turns or elements.turns[-1][0] != side:
            elements.turns.append((side, []))
        items = elements.turns[-1][1]
        for entry in turn["content"]:
            signature = entry.get("signature")
            if "text" in entry:
                _add_text(items, entry, format_name)
            elif "call" in entry:
                call = entry["call"]
                signature = call.get("signature")
                ordinals[call["key"]] = len(elements.calls)
                items.append(("call", len(elements.calls)))
                elements.calls.append(
                    (
                        names.get(call["name"], call["name"]),
                        _call_arguments(corpus, format_name, call),
                        ids[call["key"]],
                    )
                )
            elif "media" in entry:
                media = media_of([entry], format_name)
                elements.media += [_media(item) for item in media if _can_express_media(format_name, item)]
                elements.unsaid += [item for item in media if not _can_express_media(format_name, item)]
            elif "opaque" in entry:
                elements.blocks += entry["opaque"].get(format_name, [])
            elif "hosted" in entry:
                _add_steps(elements, entry["hosted"].get(format_name, []))
            else:
                result = entry["result"]
                items.append(("result", len(elements.results)))
                content = result["content"]
                elements.media += [
                    _media(item)
                    for item in media_of(content, format_name)
                    if _can_express_media(format_name, item)
                    and corpus.expresses(format_name, f"result-{item.kind}") != "no"
                ]
                elements.results.append((ordinals[result["call"]], ids[result["call"]], content, result["error"]))
            signed = format_name == "gemini" or _spells(case, format_name, "extra-content")
            elements.opaque += _signature(entry, signature if signed else None, len(elements.calls))
    elements.system = squeeze(" ".join(systems))
    turns_said = [(side, [item[:2] for item in items]) for side, items in elements.turns]
    elements.turns = [turn for turn in turns_said if turn[1] or elements.hosted]  # a reply that failed says nothing
    if not is_native(corpus, format_name, "text-between-calls"):
        first = _separate_texts if _spells(case, format_name, "turns-apart") else _merge_leading_texts
        elements.turns = [(side, first(items) if side == "assistant" else items) for side, items in elements.turns]
    return elements


def _signature(entry: dict[str, Any], signature: str | None, calls: int) -> list[tuple[int | None, str]]:
    """A signature on the last of so many calls, or on something else."""
    return [(calls - 1 if "call" in entry else None, signature)] if signature else []


def _add_text(items: list[Any], entry: dict[str, Any], format_name: str) -> None:
    """A text; where sources are no whole block's, those around a text with sources are one with it."""
    cited = "citations" in entry
    if items and items[-1][0] == "text" and (cited or len(items[-1]) > 2) and format_name != "anthropic":
        items[-1] = ("text", items[-1][1] + entry["text"], "cited")
    else:
        items.append(("text", entry["text"], "cited") if cited else ("text", entry["text"]))


def _add_steps(elements: Content, blocks: list[dict[str, Any]]) -> None:
    """Steps as they are read: Gemini's are parts of one member, perhaps with a signature next to it.

    A picture that Gemini draws is no step, but media.
    """
    for block in blocks:
        if "inlineData" in block:
            drawn = block["inlineData"]
            elements.media.append((drawn["mimeType"], drawn["data"]))
            continue
        bare = {key: value for key, value in block.items() if key != "thoughtSignature"}
        elements.hosted += [block] if "type" in block else list(bare.values())
        if bare != block:
            elements.opaque.append((None, block["thoughtSignature"]))


def _call_arguments(corpus: Corpus, format_name: str, call: dict[str, Any]) -> Any:
    """The arguments of a call; free text is in an object where the format has functions alone."""
    if "input" not in call:
        return _arguments(call, format_name)
    return call["input"] if is_native(corpus, format_name, "tool-custom") else {"input": call["input"]}


def _spells(case: Case, format_name: str, word: str) -> bool:
    return word in case.scenario.get("spell", {}).get(format_name, ())


def _side(corpus: Corpus, case: Case, format_name: str, role: str) -> str:
    """Whose turn it is: the user's, where a format has no word for instructions at their place."""
    has_system_turns = _spells(case, format_name, "system-messages") or is_native(corpus, format_name, "system-mid")
    return "user" if role == "system" and not has_system_turns else role


def _ids(corpus: Corpus, case: Case, format_name: str, direction: str) -> dict[str, Any]:
    # In proto-JSON an empty text is the same as an absent one.
    ids = {key: call_id or None for key, call_id in case.scenario["ids"][format_name].items()}
    if direction == "response" or format_data(corpus, format_name)["positional_pairing"]:
        return ids
    # Where a vendor wrote an empty id, its client makes one up.
    return {key: ANY if call_id is None else call_id for key, call_id in ids.items()}


def _merge_leading_texts(items: list[Any]) -> list[Any]:
    """What a turn says as one text before its calls, where the format keeps no order between the two."""
    texts = [item[1] for item in items if item[0] == "text"]
    return [*([("text", "\n\n".join(texts))] if texts else []), *(item for item in items if item[0] != "text")]


def _separate_texts(items: list[Any]) -> list[Any]:
    """The same where each text is in a message of its own."""
    return sorted(items, key=lambda item: item[0] != "text")


def order_results(elements: Content) -> Content:
    """The same with the results in the order of their calls, first in their turn: their place is each API's own, and a
    rule of its format.
    """
    order = sorted(
        range(len(elements.results)), key=lambda place: (elements.results[place][0] is None, elements.results[place][0])
    )
    counter = iter(range(len(elements.results)))
    turns = []
    for side, items in elements.turns:
        if side == "user":
            items = sorted(items, key=lambda item: item[0] != "result")
        turns.append((side, [("result", next(counter)) if item[0] == "result" else item for item in items]))
    return replace(elements, turns=turns, results=[elements.results[place] for place in order])


def body_content(reading: Reading, wrappers: list[str], error_keys: list[str]) -> Content:
    """What a reading found, in the same words. Neighbouring texts stay apart."""
    elements = Content(system=squeeze(" ".join(text.text for text in reading.system)))
    for turn in reading.turns:
        items: list[Any] = []
        elements.turns.append((turn.side, items))
        for place, item in enumerate(turn.items):
            if isinstance(item, Text):
                if not _captions(turn, place):
                    items.append(("text", item.text))
            elif isinstance(item, Media):
                elements.media.append(_media(item))
            elif isinstance(item, Call):
                items.append(("call", len(elements.calls)))
                elements.calls.append((item.name, readable_arguments(item), item.id))
            elif isinstance(item, Result):
                items.append(("result", len(elements.results)))
                content, failed = _content(item, wrappers, error_keys)
                elements.media += [_media(part) for part in item.parts if isinstance(part, Media)]
                elements.results.append((item.call, item.id, content, failed or item.error is True))
            elif isinstance(item, Opaque):
                elements.opaque.append((item.call, item.value))
            elif isinstance(item, Hosted):
                elements.hosted.append(item.value)
            elif isinstance(item, Reasoning):
                elements.opaque.append((None, item.text))
            elif not isinstance(item, Waiver):  # what stands for a signature that nobody has says nothing
                items.append(item)
    elements.hosted += _wishes(reading)
    return elements


def _wishes(reading: Reading) -> list[Any]:
    """The wish for a compaction, which is a member of the reading and no item of a turn."""
    return [] if reading.compacts is None else [resolve(reading.body, reading.compacts)]


def _captions(turn: Turn, place: int) -> bool:
    """Whether a text only says of which result the media after it are: formats that cannot nest them need that."""
    after = turn.items[place + 1] if place + 1 < len(turn.items) else None
    results = any(isinstance(item, Result) for item in turn.items[:place])
    return results and isinstance(after, Media) and turn.items[place].text.endswith(":")  # type: ignore[union-attr]


def _media(media: Media) -> tuple[str | None, str]:
    """Type and bytes, in either alphabet of base64, or the address: formats need not tell the type of that."""
    return media.mime if media.data is not None else None, media_identity(media)


def _can_express_media(format_name: str, media: Media) -> bool:
    """Whether a format can say these media: Chat takes the address of a picture, and of nothing else."""
    return format_name != "openai_chat" or media.url is None or media.kind == "image"


def _arguments(call: dict[str, Any], format_name: str) -> Any:
    """The arguments of a call as they are read: their value, or the text that is none."""
    notation = call.get("spelt", {}).get(format_name)
    if notation is None:
        return call["arguments"]
    try:
        return parse_arguments(notation)
    except JSONError:
        return notation


def strings_of(value: Any) -> list[str]:
    """Every string in a block, however deep."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for entry in inner for text in strings_of(entry)]


def _content(result: Result, wrappers: list[str], error_keys: list[str]) -> tuple[Any, bool]:
    texts = [part.text for part in result.parts if isinstance(part, Text)]
    values = [part.value for part in result.parts if isinstance(part, Value)]
    if not values:
        return texts, False
    (value,) = values
    if value == {}:
        return [], False
    if isinstance(value, dict) and len(value) == 1:
        ((key, inner),) = value.items()
        if key in error_keys:
            return inner, True
        if key in wrappers and isinstance(inner, str):
            return inner, False
    return value, False


def media_of(content: Any, format_name: str) -> list[Media]:
    """The media in a scenario's result, as a format has them."""
    parts = [part["media"] for part in content if "media" in part] if isinstance(content, list) else []
    return [
        Media(part["kind"], part["mime"], "", part.get("data"), part.get("url"), part.get("file", {}).get(format_name))
        for part in parts
    ]


def _texts_in(block: dict[str, Any]) -> list[str]:
    """What a block of a result's own kind says."""
    return [block["tool_name"]] if "tool_name" in block else [part["text"] for part in block["content"]]


def same_content(expected: Any, actual: Any) -> bool:
    """Whether a scenario's result content is what was read: text, texts, or an object (perhaps as JSON text).

    A placeholder may replace media of the result.
    """
    texts = actual if isinstance(actual, list) else [actual] if isinstance(actual, str) else None
    if isinstance(expected, dict):
        if texts is None:
            return bool(actual == expected)
        try:
            return bool(parse("".join(texts)) == expected)
        except JSONError:
            return False
    presentations = (
        [] if isinstance(expected, str) else [block for part in expected for block in part.get("shown", {}).values()]
    )
    if presentations and actual in (*presentations, [text for block in presentations for text in _texts_in(block)]):
        return True
    pieces = [expected] if isinstance(expected, str) else [part["text"] for part in expected if "text" in part]
    if not texts or not all(isinstance(text, str) for text in texts):
        if isinstance(expected, str) and begins_json(expected):  # a list of declarations, be it empty
            return bool(parse(expected) == actual)
        if texts is None or texts:
            return False
    expected_texts = [piece for piece in pieces if piece.strip()]
    for actual_texts in (texts, without_placeholders(load_corpus(), texts, ReferencedMedia(media_of(expected, "")))):
        if actual_texts == expected_texts or (
            len(expected_texts) != 1 and squeeze(" ".join(actual_texts)) == squeeze(" ".join(expected_texts))
        ):
            return True
    return False


def expected_settings(corpus: Corpus, case: Case, format_name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The scenario's settings that a body of the format must have, and those that it may have by convention."""
    settings_by_name: dict[str, Any] = {}
    may: dict[str, Any] = {}
    for name, value in case.scenario["settings"].items():
        if name == "reasoning":
            continue  # each format says it in its own measure
        if name == "tool_choice":
            wire = case.scenario.get("names", {}).get(format_name, {})
            if "names" in value:
                value = {**value, "names": [wire.get(tool, tool) for tool in value["names"]]}
            if "names" in value and len(value["names"]) > 1 and not is_native(corpus, format_name, "choice-subset"):
                value = {"mode": value["mode"]}
        elif name == "response_format":
            if value["type"] == "text" or (value["type"] == "json_object" and format_name == "anthropic"):
                may[name] = value  # the default; and Anthropic has no JSON mode without a schema
                continue
        elif not is_native(corpus, format_name, ELEMENT_OF[name]):
            if corpus.expresses(format_name, ELEMENT_OF[name]) == "convention":
                may[name] = value
            continue
        settings_by_name[name] = value
    return settings_by_name, may


def is_full_effort(corpus: Corpus, case: Case, format_name: str, wish: dict[str, Any]) -> bool:
    """Whether the effort is the most that the case's model takes in a format together with the case's tools."""
    limits = format_data(corpus, format_name)["limits"]
    return any(
        wish in entry["taken"] and matches_model(corpus, case.model(format_name), entry["models"])
        for entry in limits
        if entry["setting"] == "reasoning" and "taken" in entry
    )


def is_native(corpus: Corpus, format_name: str, element: str) -> bool:
    return corpus.expresses(format_name, element) == "native"


def format_data(corpus: Corpus, format_name: str) -> dict[str, Any]:
    data: dict[str, Any] = read_json(corpus.root / "formats" / format_name / "format.json")
    return data


def open_schema(schema: Any) -> Any:
    """A schema that closes no object, and does not say in which order the members come."""
    unsaid = ("additionalProperties", "propertyOrdering")
    if isinstance(schema, dict):
        return {key: open_schema(value) for key, value in schema.items() if key not in unsaid}
    return [open_schema(entry) for entry in schema] if isinstance(schema, list) else schema


def plain_schema(schema: Any, *, root: bool = True) -> Any:
    """A schema without what formats spell in ways of their own; None, an empty one and no parameters are the same.

    That is Gemini's upper-case types and ``nullable``, the root's ``$schema``, which Gemini does not want, the
    ``items`` without a word that OpenAI wants, and ``properties`` without any.
    """
    if root and schema in (None, {}):
        return {"type": "object"}
    if not isinstance(schema, dict):
        return schema
    schema_copy = {key: _plain(key, value) for key, value in schema.items()}
    if root:
        schema_copy.pop("$schema", None)
    if schema_copy.get("items") == {} or "properties" in schema_copy:
        schema_copy = {
            key: value for key, value in schema_copy.items() if key not in ("items", "properties") or value != {}
        }
    if schema_copy.pop("nullable", None) and isinstance(schema_copy.get("type"), str):
        schema_copy["type"] = [schema_copy["type"], "null"]
        if "enum" in schema_copy:
            schema_copy["enum"] = [*schema_copy["enum"], None]
    return schema_copy


def _plain(key: str, value: Any) -> Any:
    if key == "type" and isinstance(value, str):
        return value.lower()
    if key in ("properties", "$defs", "definitions") and isinstance(value, dict):
        return {name: plain_schema(inner, root=False) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain_schema(entry, root=False) for entry in value]
    return plain_schema(value, root=False)
