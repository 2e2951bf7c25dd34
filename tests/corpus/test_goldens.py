"""Every golden body obeys its own format and says exactly what its scenario says, read by the judge's own readers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from corpus import expected
from every import every
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.basics.jsonvalue import canonical, equal
from toolcall_conformance.basics.reading import Reading, Unknown
from toolcall_conformance.basics.streaming import parse as parse_stream
from toolcall_conformance.judge.excuses.provider_memory import whole_exchanges
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.translation.results.placeholders import ReferencedMedia, without_placeholders
from toolcall_conformance.library import Case, Exchange, load_corpus, read_json

CORPUS = load_corpus()
GOLDENS = [(case, name) for case in CORPUS.cases.values() for name in case.formats]
each_golden = every(
    "case, name",
    GOLDENS,
    id=lambda case, name: f"{case.id}-{name}",
    by=lambda case, _: case.family,
)


def member(body: Any, key: str) -> Any:
    return body.get(key) if isinstance(body, dict) else None


def bodies(case: Case, name: str, *, whole: bool = False) -> Iterator[tuple[int, str, Any]]:
    """Every body of a case in one format: number of the exchange, direction, body. Not those of another vendor.

    ``whole``: with the items themselves where a request refers to what the case's replies gave.
    """
    exchanges = case.exchanges(name)
    for exchange in whole_exchanges(name, exchanges) if whole else exchanges:
        yield exchange.number, "request", exchange.request
        if exchange.response is not None and name not in case.dialects:
            yield exchange.number, "response", exchange.response


# What rules say of arguments that the model spelt oddly, each with a SHOULD.
ODD_ARGUMENTS = {
    "openai_chat/call-arguments-json",
    "openai_chat/stream-arguments-json",
    "openai_responses/arguments-object",
}


def deliberate_breaches(case: Case, name: str) -> set[str]:
    """The rules that a case breaks on purpose, for a model does so."""
    entries = (entry for turn in case.scenario["conversation"] for entry in turn["content"])
    return ODD_ARGUMENTS if any(name in entry.get("call", {}).get("spelt", ()) for entry in entries) else set()


@each_golden
def test_no_rule_is_broken(case: Case, name: str) -> None:
    bent = set(case.scenario.get("bends", {}).get(name, ()))
    broken: set[str] = set()
    messages = []
    for number, direction, body in bodies(case, name):
        for finding in check_body(CORPUS, name, direction, body, model=case.model(name)):
            if direction == "request" and finding.rule in bent:
                broken.add(finding.rule)
            elif finding.level is Level.MUST or (
                finding.level is Level.SHOULD and finding.rule not in deliberate_breaches(case, name)
            ):
                messages.append(f"{number:02}-{direction}: {finding.level} {finding.rule} {finding.pointer}")
    assert messages == []
    assert broken == bent, "a request bends each rule that its case names"


@each_golden
def test_the_stream_says_what_the_reply_says(case: Case, name: str) -> None:
    """Legal in its format, whole, with every call closed; and read as the unary reply is."""
    for exchange in case.exchanges(name) if formats.get(name).stream is not None else ():
        if exchange.stream_path is None:
            continue
        stream = parse_stream(exchange.stream_path.read_bytes())
        vendor = name in case.dialects
        findings = check_body(CORPUS, name, "stream", stream, model=case.model(name))
        findings = [
            finding
            for finding in findings
            if not (finding.level is Level.SHOULD and finding.rule in deliberate_breaches(case, name))
        ]
        assert vendor or [finding for finding in findings if finding.level is not Level.NOTE] == []
        assembled = formats.assemble(name, stream)
        failed = member(exchange.response, "status") == "failed"  # Responses says so of a reply, and ends its stream so
        assert assembled.end == ("failed" if failed else "whole")
        assert all(call.closed for call in assembled.calls)
        reading, reply_reading = formats.read(name, "stream", stream), formats.read(name, "response", exchange.response)
        # A vendor may end the two by different words for the same.
        assert _stream_content(reading, word=not vendor) == _stream_content(reply_reading, word=not vendor)


ENDS = {"error": "failed", "loss": "open", "limit": "whole"}


@pytest.mark.parametrize(
    "case", [case for case in CORPUS.cases.values() if "broken_stream" in case.scenario], ids=lambda case: case.id
)
def test_a_broken_stream_is_legal_as_far_as_it_goes(case: Case) -> None:
    """It holds what the reply begins with, less than all of it, and ends as the scenario says."""
    break_entry = case.scenario["broken_stream"]
    for name in case.formats:
        exchange = case.exchanges(name)[break_entry["exchange"] - 1]
        if exchange.broken_path is None:
            continue
        stream = parse_stream(exchange.broken_path.read_bytes())
        findings = check_body(CORPUS, name, "stream", stream, model=case.model(name))
        legal = {"anthropic/stream-end", "openai_chat/stream-finish", "openai_chat/stream-end"}
        legal |= {"openai_responses/stream-end", "gemini/stream-finish", "gemini/stream-usage"}
        if name not in case.dialects:  # a vendor fails in its own way
            allowed = legal if break_entry["by"] == "loss" else set()
            assert {finding.rule for finding in findings if finding.level is not Level.NOTE} <= allowed
        assembled = formats.assemble(name, stream)
        assert assembled.end == ENDS[break_entry["by"]]
        whole = formats.assemble(name, parse_stream(_whole_stream(exchange))).calls
        texts = ["".join(call.fragments) or call.whole_text or "" for call in assembled.calls]
        wholes = ["".join(call.fragments) or call.whole_text or "" for call in whole]
        assert texts[:-1] == wholes[: len(texts) - 1]
        assert not texts or wholes[len(texts) - 1].startswith(texts[-1])
        assert "".join(texts) != "".join(wholes)
        if break_entry["by"] == "limit":
            finish = formats.read(name, "stream", stream).finish
            assert finish is not None
            assert finish.reason == "length"


def _whole_stream(exchange: Exchange) -> bytes:
    assert exchange.stream_path is not None
    return exchange.stream_path.read_bytes()


def _stream_content(reading: Reading, *, word: bool = True) -> Any:
    calls = [(call.id, call.name, canonical(call.arguments)) for call in reading.calls]
    elements = expected.body_content(reading, [], [])
    # A text whose signature comes with its last piece stays in pieces: a signature belongs to its own part.
    elements.turns = [(role, _join_texts(items)) for role, items in elements.turns]
    return calls, elements, reading.finish and (reading.finish.reason, reading.finish.raw if word else None)


def _join_texts(items: list[Any]) -> list[Any]:
    output: list[Any] = []
    for item in items:
        if output and item[0] == output[-1][0] == "text":
            output[-1] = ("text", output[-1][1] + item[1])
        else:
            output.append(item)
    return output


@each_golden
def test_it_says_what_the_scenario_says(case: Case, name: str) -> None:
    data = expected.format_data(CORPUS, name)
    for number, direction, body in bodies(case, name, whole=True):
        reading = formats.read(name, direction, body)
        scenario_elements = expected.scenario_content(CORPUS, case, name, number, direction)
        body_elements = expected.body_content(reading, data["result_wrappers"], data["error_keys"])
        if reading.finish is not None and reading.finish.reason == "error" and not scenario_elements.calls:
            body_elements, reading = (
                _without_calls(body_elements),
                replace(reading, turns=[]),
            )  # its provider itself refuses such a call
        _assert_same_conversation(
            expected.order_results(body_elements), expected.order_results(scenario_elements), reading
        )
        # Some clients give each parallel call a message of its own.
        if f"{name}/{number:02}-{direction}.json" not in case.scenario["files"]:
            assert [call.batch for call in reading.calls] == _batches(scenario_elements.turns)
        if expected.is_native(CORPUS, name, "error-mark"):
            assert [result[3] for result in body_elements.results] == [
                result[3] for result in scenario_elements.results
            ]


@pytest.mark.parametrize("case", [case for case in CORPUS.cases.values() if case.dialects], ids=lambda case: case.id)
def test_a_vendor_says_the_same_in_its_own_way(case: Case) -> None:
    for name in case.dialects:
        count = 0
        for exchange in case.exchanges(name):
            reading = formats.read(name, "response", exchange.response)
            scenario_elements = expected.scenario_content(CORPUS, case, name, exchange.number, "response")
            body_elements = expected.body_content(reading, [], [])
            items = [item for _, items in body_elements.turns for item in items]
            assert items == [item for _, items in scenario_elements.turns for item in items]
            assert [call[:2] for call in body_elements.calls] == [call[:2] for call in scenario_elements.calls]
            own = check_body(CORPUS, name, "response", exchange.response, model=case.model(name))
            count += len(own) + len(reading.residue) + len(body_elements.opaque)
            for path in filter(None, (exchange.stream_path, exchange.broken_path)):
                stream = parse_stream(path.read_bytes())
                count += len(check_body(CORPUS, name, "stream", stream, model=case.model(name)))
        assert count or case.id in PLAINLY_LEGAL, "nothing in these replies is the vendor's own"


# A finish reason that the format knows, though its maker sends it beside calls only where one was forced; counts that a
# format may leave out; halves of characters, which JSON can say.
PLAINLY_LEGAL = {
    *("write_file/dialect-stop-beside-calls", "shell/dialect-azure", "usage/absent", "dialects/xai"),
    *("streaming/dialect-halves-of-characters", "dialects/empty-calls"),
}


def _assert_same_conversation(
    body_elements: expected.Content, scenario_elements: expected.Content, reading: Reading
) -> None:
    assert body_elements.system == scenario_elements.system
    assert [
        (side, _without_stand_ins(items, scenario_elements)) for side, items in body_elements.turns
    ] == _without_blank_texts(scenario_elements.turns)
    assert [call[::2] for call in body_elements.calls] == [call[::2] for call in scenario_elements.calls]
    for (_, got, _), (_, want, _) in zip(body_elements.calls, scenario_elements.calls, strict=True):
        assert equal(got, want), f"{got!r} is not {want!r}"
    # Where results follow their calls in order, a client may leave their ids out.
    assert [result[0] for result in body_elements.results] == [result[0] for result in scenario_elements.results]
    by_order = expected.format_data(CORPUS, reading.format)["positional_pairing"]
    ids = zip(body_elements.results, scenario_elements.results, strict=True)
    assert [got[:2] for got, want in ids if got[1] != want[1] and not (by_order and got[1] is None)] == []
    for got, want in zip(body_elements.results, scenario_elements.results, strict=True):
        assert expected.same_content(want[2], got[2]), f"{got[2]!r} is not {want[2]!r}"
    hidden = [text for block in scenario_elements.blocks for text in expected.strings_of(block)]
    assert [state for state in body_elements.opaque if state[1] not in hidden] == scenario_elements.opaque
    assert [
        block
        for block in scenario_elements.blocks
        if not {state[1] for state in body_elements.opaque} & {*expected.strings_of(block)}
    ] == []
    assert body_elements.media == scenario_elements.media
    assert canonical(body_elements.hosted) == canonical(scenario_elements.hosted)


def _without_calls(elements: expected.Content) -> expected.Content:
    turns = [(side, [item for item in items if item[0] != "call"]) for side, items in elements.turns]
    return replace(elements, calls=[], turns=[turn for turn in turns if turn[1]])


def _without_stand_ins(items: list[Any], scenario_elements: expected.Content) -> list[Any]:
    """A turn's items without the texts that replace the user's media in formats that cannot hold them."""
    media = scenario_elements.unsaid
    descriptions = ReferencedMedia(media)
    return [
        item
        for item in items
        if item[0] != "text" or without_placeholders(CORPUS, [item[1]], descriptions) or not media
    ]


def _without_blank_texts(turns: list[tuple[str, list[Any]]]) -> list[tuple[str, list[Any]]]:
    """Blank text is never an element."""
    return [(side, [item for item in items if item[0] != "text" or item[1].strip()]) for side, items in turns]


def _batches(turns: list[tuple[str, list[Any]]]) -> list[int]:
    batches: list[int] = []
    number = 0
    for _, items in turns:
        calls = [item for item in items if item[0] == "call"]
        batches += [number] * len(calls)
        number += bool(calls)
    return batches


@each_golden
def test_nothing_is_left_over(case: Case, name: str) -> None:
    for _, direction, body in bodies(case, name):
        reading = formats.read(name, direction, body)
        assert reading.residue == []
        assert [item for turn in reading.turns for item in turn.items if isinstance(item, Unknown)] == []


@each_golden
def test_declarations(case: Case, name: str) -> None:
    names = case.scenario.get("names", {}).get(name, {})
    declared = case.scenario.get("tools_in", {}).get(name, case.scenario["tools"])
    definitions = [read_json(CORPUS.root / "tools" / f"{tool}.json") for tool in declared]
    choice = case.scenario["settings"].get("tool_choice", {})
    if len(choice.get("names", [])) > 1 and not expected.is_native(CORPUS, name, "choice-subset"):
        definitions = [tool for tool in definitions if tool["name"] in choice["names"]]
    hosted = case.scenario.get("hosted_tools", {}).get(name, [])
    own = [tool["own"][name] for tool in definitions if name in tool.get("own", {})]
    own = [declaration for place, declaration in enumerate(own) if declaration not in own[:place]]
    definitions = [tool for tool in definitions if name not in tool.get("own", {})]
    every = definitions
    for exchange in case.exchanges(name):
        definitions = [tool for tool in every if not _is_search_result(case, name, tool["name"], exchange.number)]
        declared = formats.read(name, "request", exchange.request).tools
        assert [tool for tool in exchange.request.get("tools", []) if tool in own] == own
        declared = [
            tool for tool in declared if tool.kind != "hosted" or tool.declaration not in _own_declarations(own)
        ]
        declared = sorted(declared, key=lambda tool: tool.kind == "hosted")  # the provider's own stand on either side
        assert [tool.kind for tool in declared[len(definitions) :]] == ["hosted"] * len(hosted)
        assert [tool for tool in exchange.request.get("tools", []) if tool in hosted] == hosted
        tools = declared[: len(definitions)]
        assert [(tool.name, tool.description or None) for tool in tools] == [
            (names.get(tool["name"], tool["name"]), tool.get("description")) for tool in definitions
        ]
        for tool, want in zip(tools, definitions, strict=True):
            free = want.get("kind") == "custom" and expected.is_native(CORPUS, name, "tool-custom")
            assert tool.kind == ("custom" if free else "function")
            parameters = want.get("parameters", FREE_TEXT if want.get("kind") == "custom" and not free else None)
            schema, expected_schema = (expected.plain_schema(schema) for schema in (tool.schema, parameters))
            assert canonical(schema) == canonical(expected_schema)
        if case.scenario.get("declare", {}).get(name) == "strict":
            assert all(tool.strict is True for tool in tools)


def _is_search_result(case: Case, name: str, tool: str, number: int) -> bool:
    """Whether a search of the client's brings a tool: with a later request, or only with its result."""
    if tool not in case.scenario.get("found_tools", {}):
        return False
    replies = [place for place, turn in enumerate(case.scenario["conversation"]) if turn["role"] == "assistant"]
    before = [entry for turn in case.scenario["conversation"][: replies[number - 1]] for entry in turn["content"]]
    answered_ids = {entry["result"]["call"] for entry in before if "result" in entry}
    loaded = "loaded-tools" in case.scenario.get("spell", {}).get(name, ())
    return loaded or case.scenario["found_tools"][tool] not in answered_ids


#: How a tool that takes free text is declared where the format has functions alone.
FREE_TEXT = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
    "additionalProperties": False,
}


def _own_declarations(own: list[Any]) -> list[Any]:
    """What the readers show of declarations of an API's own tools: in Gemini what is under its key."""
    return [*own, *(value for declaration in own for value in declaration.values())]


@each_golden
def test_settings(case: Case, name: str) -> None:
    settings, may = expected.expected_settings(CORPUS, case, name)
    data = expected.format_data(CORPUS, name)
    defaults = data["defaults"] | {"stream": False}
    for exchange in case.exchanges(name):
        reading = formats.read(name, "request", exchange.request)
        values = {key: setting.value for key, setting in reading.settings.items()}
        if "model" in values:
            assert values.pop("model") == case.model(name)
        wish = values.pop("reasoning", {})
        if "reasoning" not in case.scenario["settings"] and expected.is_full_effort(CORPUS, case, name, wish):
            wish = {}  # the model of the case takes nothing else beside the tools of the case
        assert wish.items() <= case.scenario["settings"].get("reasoning", {}).items()
        assert bool(wish) == ("reasoning" in case.scenario["settings"])
        if "response_format" in settings:
            answer_format, answer = settings["response_format"], values.pop("response_format")
            assert answer["type"] == answer_format["type"]
            schema, wished = (
                expected.plain_schema(format_entry.get("schema")) for format_entry in (answer, answer_format)
            )
            if "response-schema" in case.scenario.get("spell", {}).get(name, []):
                # It has no word for objects that are closed, and one for the order of members.
                schema, wished = expected.open_schema(schema), expected.open_schema(wished)
            assert canonical(schema) == canonical(wished)
            assert all(
                answer[key] == answer_format[key]
                for key in ("name", "strict")
                if key in answer and key in answer_format
            )
        for key, value in settings.items():
            if key == "response_format":
                continue
            assert equal(values.get(key), value), f"{key}: {values.get(key)!r} is not {value!r}"
        extra = {
            key: value
            for key, value in values.items()
            if key not in settings
            and not key.startswith("private:")
            and not CORPUS.elements.get(key.replace("_", "-"), {}).get("of_service")
            and not equal(may.get(key, defaults.get(key)), value)
        }
        if data["max_output_tokens_required"] and "max_output_tokens" not in settings:
            extra.pop("max_output_tokens")
        assert extra == {}


@each_golden
def test_outcomes(case: Case, name: str) -> None:
    turns = [turn for turn in case.scenario["conversation"] if turn["role"] == "assistant" and not turn.get("given")]
    answered = [exchange for exchange in case.exchanges(name) if exchange.response is not None]
    for exchange, turn in zip(answered, turns, strict=True):
        reading = formats.read(name, "response", exchange.response)
        assert reading.finish is not None
        reasons = {turn["finish"]}
        if not expected.is_native(CORPUS, name, f"finish-{turn['finish']}"):
            words = CORPUS.equivalence("finish-next-best").parameters
            # For a reason without a neutral name any word will do that calls no reply a whole one.
            reasons = set(words["next_best"].get(turn["finish"], ("filter", "refusal", "length", "error")))
        assert reading.finish.reason in reasons
        counted = ("input", "output") if name in case.dialects else ("input", "output", "cached")
        assert {key: reading.usage.get(key) or 0 for key in counted} == {
            key: turn["usage"].get(key, 0) for key in counted
        }
