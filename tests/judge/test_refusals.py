"""A loud refusal is never graver than a silent drop, by every element of the loss table on every route."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from doubles.harness import HARNESS
from every import every
from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Refused, Route, Unsupported
from toolcall_conformance.basics.findings import Finding, Level, Verdict
from toolcall_conformance.basics.jsonvalue import resolve, unescape
from toolcall_conformance.checks import CHECKS
from toolcall_conformance.checks.base import ItemResult
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.judge.excuses.nameable_parts import NameablePart, find_nameable_parts
from toolcall_conformance.judge.excuses.refusals import named_loss
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.library import Case, load_corpus, loss_table
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
ORDER = (None, Level.NOTE, Level.SHOULD, Level.MUST)
REFUSED = "translation/refused"
NO_MEMBER_OF_ITS_OWN = {
    "text-between-calls": "the place of a text",
    "result-structured": "how a result is written",
    "big-integers": "the size of a number",
    "call-id": "every call has one where the format has ids",
    "result-id": "every result has one where the format has ids",
    "result-name": "every result has one where the format has names",
    "media-drawn": "in requests it is history",
}
"""Elements that no member of a body is, with what they are: nobody refuses a body for them by a name."""
KEYS = {"tool-strict": ["strict"], "tool-grammar": ["format"], "error-mark": ["is_error", "status"]}
"""The keys that say an element at the place of a whole tool or result."""


class Refusing:
    """The reference, which refuses a request in the given words: the first, or the one after ``taken`` others."""

    def __init__(self, words: str, error: type[Exception] = Refused, earlier_count: int = 0) -> None:
        self.words, self.error, self.taken = words, error, earlier_count

    def open(self, route: Route, /) -> Session:
        return Session(route, self)


class Session:
    def __init__(self, route: Route, of: Refusing) -> None:
        self.inner, self.part_of_day, self.left = ReferenceTranslator().open(route), of, of.taken

    def request(self, body: dict[str, Any], /) -> Any:
        if not self.left:
            raise self.part_of_day.error(self.part_of_day.words)
        self.left -= 1
        return self.inner.request(body)

    def response(self, body: dict[str, Any], /) -> Any:
        return self.inner.response(body)


def route_of(case: Case, client: str, upstream: str) -> Route:
    return Route(client, upstream, case.model(client), case.model(upstream))


def check_refusal(
    case: Case,
    route: Route,
    words: str,
    error: type[Exception] = Refused,
    *,
    earlier_count: int = 0,
    check: str = "request",
) -> ItemResult:
    """What a check says of a refusal in these words."""
    translator = Refusing(words, error, earlier_count)
    return CHECKS[check](case, route, PythonDriver(translator, "t:T").open, HARNESS, "", None)


def gravest(findings: Any) -> Level | None:
    return max((finding.level for finding in findings), key=ORDER.index, default=None)


def parts(case: Case, route: Route) -> Iterator[tuple[int, NameablePart]]:
    """What of a case's requests a refusal can name, with the number of the request."""
    for number, (client, upstream) in enumerate(
        zip(case.exchanges(route.client), case.exchanges(route.upstream), strict=True)
    ):
        source = formats.read(route.client, "request", client.request)
        output = formats.read(route.upstream, "request", upstream.request)
        for part in find_nameable_parts(align_sides(Sides(CORPUS, source, output, model=route.upstream_model))):
            yield number, part


@cache
def example_parts(pair: str) -> Mapping[str, tuple[Case, int, NameablePart]]:
    """For each element that may be lost on a route a case, and the part of one of its requests that says it."""
    client, upstream = pair.split("-to-")
    examples: dict[str, tuple[Case, int, NameablePart]] = {}
    for case in CORPUS.cases.values():
        if {client, upstream} <= set(case.formats):
            for number, part in parts(case, route_of(case, client, upstream)):
                if part.demand != "must" and part.names:
                    examples.setdefault(part.element, (case, number, part))
    return examples


def drop_part(body: Any, part: NameablePart) -> Any:
    """The body without the part: without the key, or the whole entry of a list, that says it."""
    body = copy.deepcopy(body)
    pointer = part.pointer
    if part.element == "tool-schema-root":
        tools = formats.read("gemini", "request", body).tools
        [schema] = [tool.schema_pointer for tool in tools if tool.pointer == pointer]
        for name in part.names:
            resolve(body, schema or "").pop(name)
        return body
    if part.element in KEYS:
        holder = resolve(body, pointer)
        for key in KEYS[part.element]:
            (holder.get("custom") or holder.get("function") or holder).pop(key, None)
        return body
    parent, _, last = pointer.rpartition("/")
    while part.element.startswith(("media", "result", "tool-hosted")) and not last.isdigit():
        parent, _, last = parent.rpartition("/")
    holder = resolve(body, parent)
    if isinstance(holder, list):
        del holder[int(last)]
    else:
        holder.pop(unescape(last), None)
    return body


def judge_dropped_parts(case: Case, route: Route, number: int, words: str) -> list[Finding]:
    """What the judge says of the reference's translation of the request without all that words name."""
    body = shorter = case.exchanges(route.client)[number].request
    named = [part for place, part in parts(case, route) if place == number and part.is_named_in(words)]
    for part in sorted(named, key=lambda part: part.pointer, reverse=True):  # the last of a list first
        shorter = drop_part(shorter, part)
    output = ReferenceTranslator().open(route).request(shorter)
    return list(HARNESS.judge.request(body, output, route).findings)


def losses(pair: str) -> Iterator[str]:
    """The elements that requests lose on a route, by the loss table."""
    table = loss_table.table(CORPUS)["pairs"][pair]["request"]
    yield from dict.fromkeys(entry["element"] for entry in table)


@every("pair", loss_table.pairs(CORPUS), id=str)
def test_refused_never_weighs_more_than_dropped(pair: str) -> None:
    graver = []
    for element, (case, number, part) in example_parts(pair).items():
        if element.startswith("private:"):
            continue
        route = route_of(case, *pair.split("-to-"))
        words = f"{pair} does not support {part.names[0]!r}"
        loud = gravest(check_refusal(case, route, words, earlier_count=number).findings)
        quiet = gravest(judge_dropped_parts(case, route, number, words))
        if ORDER.index(loud) > ORDER.index(quiet):
            graver.append(f"{element} in {case.id}: refused {loud}, dropped {quiet}")
    assert not graver, "\n".join(graver)


def test_every_element_that_may_be_lost_is_tried() -> None:
    table = {element for pair in loss_table.pairs(CORPUS) for element in losses(pair)}
    tried = {element for pair in loss_table.pairs(CORPUS) for element in example_parts(pair)}
    assert table - tried == NO_MEMBER_OF_ITS_OWN.keys() | {"result-audio", *LIMITED}


LIMITED = ("temperature", "top-p", "max-output-tokens")
"""Settings that both formats have, whose values a target may take in part only; no case of the corpus goes beyond."""


def test_a_value_beyond_the_limit_may_be_refused() -> None:
    case = CORPUS.cases["shell/seed"]
    route, body = route_of(case, "openai_chat", "anthropic"), case.exchanges("openai_chat")[0].request
    hot, words = body | {"temperature": 1.7}, "temperature is out of range"
    loss = named_loss(CORPUS, route, hot, words)
    assert loss is not None
    output = ReferenceTranslator().open(route).request(body)
    quiet = gravest(HARNESS.judge.request(hot, output, route).findings)
    assert ORDER.index(gravest(loss.findings)) <= ORDER.index(quiet)
    assert named_loss(CORPUS, route, body | {"temperature": 0.5}, words) is None


SAMPLED = ("settings/seed-and-penalties", "openai_chat", "anthropic")
ONE_CALL = ("write_file/no-parallel", "anthropic", "gemini")
SEARCH = ("web_tools/hosted-beside-function", "anthropic", "openai_chat")
MEASURED = [
    (SAMPLED, "anthropic does not support parameters: ['seed'], for model=claude", None),
    (SAMPLED, "frequency penalty, presence penalty: unsupported", None),
    (ONE_CALL, "disable_parallel_tool_use is not supported", None),
    (ONE_CALL, "'parallel_tool_calls' is not supported by gemini", None),
    (SEARCH, "Tool type web_search_20250305", Level.SHOULD),
    (SEARCH, "no web_search tools", Level.SHOULD),
    (SEARCH, "openai does not support parameters: ['web_search_options']", Level.SHOULD),
    (SEARCH, "web_fetch is not supported", Level.MUST),
    (("write_file/no-parallel", "anthropic", "openai_chat"), "disable_parallel_tool_use: no", Level.MUST),
    (SAMPLED, "invalid request", Level.MUST),
    (SAMPLED, "top_k is not supported", Level.MUST),
    (SAMPLED, "seed and tool_choice are not supported", Level.MUST),
    (SAMPLED, "a seed_value is not supported", Level.MUST),
]
"""Refusals in words that published translators use, and in words that name nothing, or what both formats have."""


@pytest.mark.parametrize("error", [Refused, Unsupported])
@pytest.mark.parametrize(("place", "words", "level"), MEASURED)
def test_a_refusal_by_its_words(
    place: tuple[str, str, str], words: str, level: Level | None, error: type[Exception]
) -> None:
    case_id, client, upstream = place
    case = CORPUS.cases[case_id]
    route = route_of(case, client, upstream)
    result = check_refusal(case, route, words, error)
    assert [(finding.rule, finding.level) for finding in result.findings] == (
        [] if level is None else [(REFUSED, level)]
    )
    assert result.verdict in {None: [Verdict.PASS], Level.SHOULD: [Verdict.WARN]}.get(
        level, [Verdict.FAIL, Verdict.REFUSED]
    )
    assert words in (result.reason if level is None else result.findings[0].message)


def test_a_crash_that_names_a_setting_is_a_crash() -> None:
    case = CORPUS.cases["settings/seed-and-penalties"]
    result = check_refusal(case, route_of(case, "openai_chat", "anthropic"), "seed", ValueError)
    assert [(finding.rule, finding.level) for finding in result.findings] == [("translation/crashed", Level.MUST)]


class NeedsNoSeed(Session):
    def request(self, body: dict[str, Any], /) -> Any:
        if "seed" in body:
            raise Refused("'seed' is not supported")
        return self.inner.request(body)


class RefusesSeeds(Refusing):
    def open(self, route: Route, /) -> Session:
        return NeedsNoSeed(route, self)


@pytest.mark.parametrize("check", ["response", "agent_loop"])
def test_what_comes_after_a_refusal_that_weighs_nothing_is_judged_without_a_warning(check: str) -> None:
    case = CORPUS.cases["settings/seed-and-penalties"]
    route = route_of(case, "openai_chat", "anthropic")
    result = CHECKS[check](case, route, PythonDriver(RefusesSeeds(""), "t:T").open, HARNESS, "", None)
    assert result.left_out == ("/seed",)
    assert [finding for finding in result.findings if finding.rule == REFUSED] == []
    assert "'seed' is not supported" in result.reason
