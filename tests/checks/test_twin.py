"""The twin of a case: its goldens are as legal as those of the case, and say something else under the same ids."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from doubles.harness import HARNESS
from every import every
from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.basics.jsonvalue import parse as parse_json
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.checks import CHECKS, variants
from toolcall_conformance.checks.conversation.twin import Twin, other_words, twin_of
from toolcall_conformance.checks.streams.json_values import JSONValues
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.library import Case, load_corpus
from toolcall_reference import ReferenceTranslator
from turns import share

CORPUS = load_corpus()
IDS_RETURNED = "translation/ids-returned"
PLAYED = [
    case
    for case in CORPUS.cases.values()
    if not case.features.isdisjoint(CORPUS.needing_memory) and len([*case.path.glob("anthropic/*-request.json")]) > 1
]
each_of_its_formats = every(
    "case, name",
    [(case, name) for case in PLAYED for name in case.formats],
    id=lambda case, name: f"{case.id}-{name}",
    by=lambda case, _: case.family,
)


@cache
def cached_twin(case: Case) -> Twin:
    """The twin of a case, which makes its exchanges once."""
    return twin_of(CORPUS, case)


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Iterator[None]:
    yield
    cached_twin.cache_clear()


@every("case", PLAYED, id=lambda case: case.id, by=lambda case: case.family)
def test_the_reference_translates_it(case: Case) -> None:
    """From one of its formats to half of them, to the other half on another day."""
    twin = cached_twin(case)
    driver = PythonDriver(ReferenceTranslator(), "toolcall_reference:ReferenceTranslator")
    client = case.formats[PLAYED.index(case) % len(case.formats)]
    for upstream in share(case.formats, 2, PLAYED.index(case)):
        route = Route(client, upstream, case.model(client), case.model(upstream))
        for variant in {"", "streamed"} & {*variants(CORPUS, "agent_loop", case, client, upstream)}:
            result = CHECKS["agent_loop"](twin, route, driver.open, HARNESS, variant, None)
            # A client of Chat's deprecated functions has no id that it could return.
            is_exempt = "legacy-functions" in case.features and {finding.rule for finding in result.findings} == {
                IDS_RETURNED
            }
            assert result.verdict is Verdict.PASS or is_exempt, (route, variant, result.findings)


@each_of_its_formats
def test_ids_are_the_same_and_contents_are_not(case: Case, name: str) -> None:
    for own, other in zip(case.exchanges(name), cached_twin(case).exchanges(name), strict=True):
        before, after = (formats.read(name, "request", exchange.request) for exchange in (own, other))
        assert [call.id for call in before.calls] == [call.id for call in after.calls]
        assert [result.call for result in before.results] == [result.call for result in after.results]
        assert before.tools == after.tools
        if own.number == 1:
            assert own.request == other.request
        for call, twin in zip(before.calls, after.calls, strict=True):
            says = any(isinstance(each, str) and each.isascii() and each for each in _leaves(call.arguments))
            changes = cached_twin(case).changes_calls
            assert not says or ((call.name, call.arguments) != (twin.name, twin.arguments)) is changes


def _leaves(value: object) -> list[object]:
    if isinstance(value, (dict, list)):
        return [leaf for each in (value.values() if isinstance(value, dict) else value) for leaf in _leaves(each)]
    return [value]


@each_of_its_formats
def test_its_streams_say_what_its_replies_say(case: Case, name: str) -> None:
    for own, other in zip(case.exchanges(name), cached_twin(case).exchanges(name), strict=True):
        if own.stream_path is None:
            continue
        differ = [
            _reply_content(name, exchange.response) != _reply_content(name, _texts_and_calls(name, exchange.stream()))
            for exchange in (own, other)
        ]
        assert differ in ([False, False], [True, True])


def _texts_and_calls(name: str, stream: bytes) -> object:
    return formats.assemble(name, parse(stream)).body


def _reply_content(name: str, reply: object) -> object:
    reading = formats.read(name, "response", reply)
    return (
        "".join(getattr(item, "text", "") for turn in reading.turns for item in turn.items),
        [(call.name, call.id, call.arguments) for call in reading.calls],
    )


DOCUMENTS = [
    '{"command": "ls -la", "n": [1e5, true, null, "a"], "deep": {"list": ["x", {"y": "z"}]}}',
    '{"text": "a \\"quoted\\" \\u00e9 \\\\ back\\nslash", "": ""}',
    "[]",
    '"alone"',
    "",
    "}}{",
]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_values_change_alike_wherever_a_document_is_cut(document: str) -> None:
    whole = JSONValues(str.upper).change(document)
    for at in range(len(document) + 1):
        cut = JSONValues(str.upper)
        assert cut.change(document[:at]) + cut.change(document[at:]) == whole


def test_only_values_change() -> None:
    changed = JSONValues(str.upper).change(DOCUMENTS[0])
    assert parse_json(changed) == {
        "command": "LS -LA",
        "n": [1e5, True, None, "A"],
        "deep": {"list": ["X", {"y": "Z"}]},
    }
    assert JSONValues(str.upper).change(DOCUMENTS[1]) == '{"text": "A \\"QUOTED\\" \\u00e9 \\\\ BACK\\nSLASH", "": ""}'


def test_every_letter_and_digit_becomes_another() -> None:
    characters = "".join(map(chr, range(128)))
    assert sorted(other_words(characters)) == sorted(characters)
    assert all((character != other_words(character)) is character.isalnum() for character in characters)
