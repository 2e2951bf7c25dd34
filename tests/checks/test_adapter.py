"""The check ``adapter``: the reference passes, broken doubles die by the rule that they break, harmless ones pass."""

from __future__ import annotations

import copy
import json
from base64 import b64decode, b64encode, urlsafe_b64decode
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from doubles.harness import HARNESS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Level, Verdict
from toolcall_conformance.checks import CHECKS, ItemResult
from toolcall_conformance.checks.adapter import call_rounds, neutral_results, variants
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator, formats

CORPUS = load_corpus()
Json = Any
Change = Callable[[list[Json]], Json]


class Changed:
    """The reference, with what it returns changed: the calls, the results that it is given, or the entries."""

    name, version = "changed", "1"

    def __init__(
        self, calls: Change | None = None, results: Change | None = None, entries: Change | None = None
    ) -> None:
        self._changes = calls, results, entries

    def open(self, route: Route, /) -> Changed:
        self._session: Any = ReferenceTranslator().open(route)
        self._own: list[Json] = []
        return self

    def tool_calls(self, reply: Json, /) -> Json:
        self._own = self._session.tool_calls(reply)
        return _apply(self._own, self._changes[0])

    def tool_results(self, calls: Json, results: Json, /) -> Json:
        """By place, so that what was changed of the calls does not matter here."""
        places = {call.get("id"): own for call, own in zip(calls, self._own, strict=False)}
        entries = []
        for result in results:
            own = places.get(result["tool_call_id"], {"id": result["tool_call_id"], "name": result["name"]})
            entries.append({**result, "tool_call_id": own["id"], "name": own["name"]})
        output = self._session.tool_results(self._own, _apply(entries, self._changes[1]))
        return _apply(output, self._changes[2])


def _apply(value: list[Json], change: Change | None) -> Json:
    return value if change is None else change(copy.deepcopy(value))


def play(case: str, name: str, translator: Any, variant: str = "") -> ItemResult:
    model = CORPUS.cases[case].model(name)
    opened = PythonDriver(translator, "double").open
    return CHECKS["adapter"](CORPUS.cases[case], Route(name, name, model, model), opened, HARNESS, variant, None)


@pytest.mark.parametrize("name", formats.names())
def test_the_reference_passes_every_case(name: str) -> None:
    played = [
        (f"{case.id} {variant}", play(case.id, name, ReferenceTranslator(), variant))
        for case in CORPUS.cases.values()
        for variant in variants(case, name)
    ]
    assert [(item, result.findings) for item, result in played if result.verdict is not Verdict.PASS] == []
    assert len(played) > 200


def change_entries(**members: Callable[[Json], Json]) -> Change:
    """Changes these members of each entry; what is not there stays so."""
    return lambda entries: [
        {**entry, **{key: to(entry[key]) for key, to in members.items() if key in entry}} for entry in entries
    ]


def change_blocks(change: Callable[[Json], Json], within: str) -> Change:
    """Changes each block in the list ``within`` of each entry."""
    return change_entries(**{within: lambda inner: [change(block) for block in inner]})


def drop_keys(*keys: str) -> Callable[[Json], Json]:
    return lambda body: {key: value for key, value in body.items() if key not in keys}


def change_answers(change: Callable[[Json], Json]) -> Change:
    """Changes each functionResponse."""
    return change_blocks(lambda part: {**part, "functionResponse": change(part["functionResponse"])}, "parts")


EXTRA = {"id": "call_of_nobody", "name": "get_temperature", "arguments": {"location": "Atlantis"}}
BROKEN: dict[str, tuple[str, str, Changed, str]] = {
    "drops-the-last-call": ("parallel/seed", "openai_chat", Changed(lambda it: it[:-1]), "translation/call-lost"),
    "invents-a-call": ("parallel/seed", "gemini", Changed(lambda it: [*it, EXTRA]), "translation/call-invented"),
    "says-a-call-twice": (
        "parallel/seed",
        "anthropic",
        Changed(lambda it: [*it, it[0]]),
        "translation/call-duplicated",
    ),
    "names-another-tool": (
        "parallel/seed",
        "openai_chat",
        Changed(change_entries(name=str.upper)),
        "translation/call-name",
    ),
    "leaves-arguments-as-text": (
        "parallel/seed",
        "openai_chat",
        Changed(change_entries(arguments=json.dumps)),
        "translation/arguments",
    ),
    "leaves-arguments-out": (
        "parallel/seed",
        "gemini",
        Changed(change_entries(arguments=lambda _: {})),
        "translation/arguments",
    ),
    "makes-no-id": ("parallel/seed", "gemini", Changed(change_entries(id=lambda _: None)), "translation/bad-output"),
    "makes-a-blank-id": (
        "parallel/seed",
        "gemini",
        Changed(change_entries(id=lambda _: " ")),
        "translation/bad-output",
    ),
    "makes-one-id-for-all": (
        "parallel/seed",
        "gemini",
        Changed(change_entries(id=lambda _: "call_0")),
        "translation/ids-injective",
    ),
    "answers-the-first-call-always": (
        "parallel/seed",
        "openai_responses",
        Changed(entries=lambda it: [{**entry, "call_id": it[0]["call_id"]} for entry in it]),
        "translation/results-linked",
    ),
    "keeps-the-order-of-the-results": (
        "parallel/seed",
        "gemini",
        Changed(entries=change_entries(parts=lambda it: it[::-1])),
        "translation/results-linked",
    ),
    "drops-a-result": ("parallel/seed", "openai_chat", Changed(entries=lambda it: it[:-1]), "translation/result-lost"),
    "says-a-result-twice": (
        "parallel/seed",
        "openai_chat",
        Changed(entries=lambda it: [*it, it[-1]]),
        "translation/result-duplicated",
    ),
    "empties-the-results": (
        "parallel/seed",
        "openai_responses",
        Changed(entries=change_entries(output=lambda _: "")),
        "translation/result-content",
    ),
    "sends-text-as-a-response": (
        "parallel/seed",
        "gemini",
        Changed(entries=change_answers(lambda it: {**it, "response": json.dumps(it["response"])})),
        "gemini/result-response-object",
    ),
    "answers-free-text-as-a-function": (
        "free_form/beside-function",
        "openai_responses",
        Changed(entries=change_entries(type=lambda _: "function_call_output")),
        "openai_responses/result-type-mirrors-call",
    ),
    "hides-failures": (
        "errors/recorded-shape",
        "anthropic",
        Changed(entries=change_blocks(drop_keys("is_error"), "content")),
        "translation/error-mark",
    ),
    "drops-pictures": (
        "binary/seed",
        "anthropic",
        Changed(results=change_entries(multimodal_parts=lambda it: [entry for entry in it if entry["type"] == "text"])),
        "translation/media-lost",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_mutant_fails_by_its_rule(name: str) -> None:
    case, spoken, double, rule = BROKEN[name]
    result = play(case, spoken, double)
    assert result.verdict is Verdict.FAIL
    broken = {finding.rule for finding in result.findings if finding.level is Level.MUST}
    # The format's own rules may say the same of the body.
    assert {rule_name for rule_name in broken if rule.startswith(rule_name.partition("/")[0])} == {rule}
    assert {rule_name.partition("/")[0] for rule_name in broken} <= {"translation", spoken}
    assert play(case, spoken, Changed()).verdict is Verdict.PASS


DOUBTFUL: dict[str, tuple[str, str, Changed, str]] = {
    "turns-the-calls": ("parallel/seed", "openai_responses", Changed(lambda it: it[::-1]), "translation/call-order"),
    "sends-its-own-ids-to-gemini": (
        "parallel/seed",
        "gemini",
        Changed(entries=change_answers(lambda it: {**it, "id": "call_made_here"})),
        "gemini/result-id-both-or-neither",
    ),
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_a_doubtful_translator_is_warned(name: str) -> None:
    case, spoken, double, rule = DOUBTFUL[name]
    result = play(case, spoken, double)
    assert {(finding.rule, finding.level) for finding in result.findings} == {(rule, Level.SHOULD)}


def number_calls(entries: list[Json]) -> list[Json]:
    """Calls with ids of our own making."""
    return [{**entry, "id": f"{place}"} for place, entry in enumerate(entries)]


def as_parts(kind: str) -> Callable[[Json], Json]:
    return lambda text: [{"type": kind, "text": text}]


HARMLESS: dict[str, tuple[str, str, Changed]] = {
    "numbers-calls-without-ids": ("parallel/seed", "gemini", Changed(number_calls)),
    "adds-keys-to-calls": (
        "parallel/seed",
        "openai_chat",
        Changed(lambda it: [{**entry, "index": 3, "_raw": None} for entry in it]),
    ),
    "has-only-what-is-asked": (
        "parallel/seed",
        "anthropic",
        Changed(lambda it: [{key: entry[key] for key in EXTRA} for entry in it]),
    ),
    "writes-results-as-blocks": (
        "parallel/seed",
        "anthropic",
        Changed(entries=change_blocks(lambda it: {**it, "content": as_parts("text")(it["content"])}, "content")),
    ),
    "writes-outputs-as-parts": (
        "parallel/seed",
        "openai_responses",
        Changed(entries=change_entries(output=as_parts("input_text"))),
    ),
    "writes-contents-as-parts": (
        "parallel/seed",
        "openai_chat",
        Changed(entries=change_entries(content=as_parts("text"))),
    ),
    "says-that-nothing-failed": (
        "parallel/seed",
        "anthropic",
        Changed(entries=change_blocks(lambda it: {**it, "is_error": False}, "content")),
    ),
    "writes-text-as-result": (
        "parallel/seed",
        "gemini",
        Changed(
            entries=change_answers(
                lambda it: {**it, "response": {"result": it["response"].get("output", it["response"])}}
            )
        ),
    ),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_a_harmless_variant_passes(name: str) -> None:
    case, spoken, double = HARMLESS[name]
    result = play(case, spoken, double)
    assert (result.verdict, result.findings) == (Verdict.PASS, ())


def handed_bytes(name: str) -> Iterator[tuple[str, str]]:
    """The bytes that agents of a format are handed, each with the case."""
    for case in CORPUS.cases.values():
        for _, following in call_rounds(case, name) if '"media"' in json.dumps(case.scenario) else ():
            calls = [{"id": f"c{at}", "name": "f"} for at in range(99)]
            for result in neutral_results(CORPUS, name, following.request, calls):
                yield from (
                    (case.id, part["data"])
                    for part in result.get("multimodal_parts", ())
                    if part.get("data") is not None
                )


@pytest.mark.parametrize("name", sorted(CORPUS.formats))
def test_agents_are_handed_standard_base64(name: str) -> None:
    """Whatever the format takes: a reader that knows one alphabet would leave out or refuse what the other has."""
    handed = list(handed_bytes(name))
    assert [(case, data) for case, data in handed if b64encode(b64decode(data, validate=True)).decode() != data] == []
    assert bool(handed) is (name != "openai_chat")  # there media stand in a message of their own


def test_what_a_format_spells_otherwise_are_the_same_bytes() -> None:
    """Google's SDK writes bytes in the alphabet for addresses, and its golden request has them so."""
    golden = CORPUS.cases["binary/recorded-shape"].exchanges("gemini")[1].request
    written = [part["inline_data"]["data"] for part in golden["contents"][2]["parts"][0]["functionResponse"]["parts"]]
    assert any("_" in data for data in written)
    handed = [data for case, data in handed_bytes("gemini") if case == "binary/recorded-shape"]
    assert list(map(b64decode, handed)) == list(map(urlsafe_b64decode, written))


def reencode_bytes(results: list[Json]) -> Json:
    """Decode and encode bytes again, in the standard alphabet alone."""
    for result in results:
        for part in result.get("multimodal_parts", ()):
            if "data" in part:
                part["data"] = b64encode(b64decode(part["data"], validate=True)).decode()
    return results


@pytest.mark.parametrize("name", sorted(CORPUS.formats))
def test_a_strict_reader_passes(name: str) -> None:
    assert play("binary/recorded-shape", name, Changed(results=reencode_bytes)).verdict is Verdict.PASS


def test_an_empty_object_next_to_pictures_is_dropped() -> None:
    """Gemini demands an object in every result; here it says nothing, and written as a text it would."""
    golden = CORPUS.cases["binary/recorded-shape"].exchanges("gemini")[1].request
    (result,) = neutral_results(CORPUS, "gemini", golden, [{"id": "c", "name": "capture_frames"}])
    assert [part["type"] for part in result["multimodal_parts"]] == ["media", "media"]


def test_agents_are_handed_the_text_that_the_tool_returned() -> None:
    """Gemini puts a text into an object, next to pictures too; the tool did not."""
    golden = copy.deepcopy(CORPUS.cases["binary/recorded-shape"].exchanges("gemini")[1].request)
    answer = golden["contents"][2]["parts"][0]["functionResponse"]
    parts = []
    for response in ({"output": "two frames"}, {"frames": "2"}):
        answer["response"] = response
        (result,) = neutral_results(CORPUS, "gemini", golden, [{"id": "c", "name": "capture_frames"}])
        parts.append([part for part in result["multimodal_parts"] if part["type"] != "media"])
    assert parts == [[{"type": "text", "text": "two frames"}], [{"type": "object", "value": {"frames": "2"}}]]
