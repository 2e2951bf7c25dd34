"""Judges an instrumentation's record of one exchange: its shape first, then whether it is complete."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.reading import Call, Hosted, Media, Reading, Result, Text, Turn
from toolcall_conformance.judge.otel.parts import (
    choices_of,
    compare_arguments_form,
    compare_call_ids,
    compare_choices,
    compare_finish,
    compare_places,
    compare_roles,
    compare_steps,
    compare_thoughts,
    compare_tools,
)
from toolcall_conformance.judge.otel.reading import Messages, SourceFacts, plain_name, read_input, read_reply
from toolcall_conformance.judge.otel.schemas import ATTRIBUTES, compare_shape
from toolcall_conformance.judge.translation.calls.calls import compare_calls
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.media.media import compare_media
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.translation.results.results import compare_results
from toolcall_conformance.judge.translation.texts.texts import compare_texts
from toolcall_conformance.judge.translation.texts.white_space import squeeze
from toolcall_conformance.library import Corpus

_COMPARED_ITEMS = (Text, Media, Call, Result)
_IDS_RULE = "translation/ids-kept"
"""The law of translators; here it is ``otel/call-id``."""
_CONTENT_RULE = "translation/result-content"


@dataclass(frozen=True, slots=True)
class ObservedExchange:
    """A request and its reply in one format; the reply is None where only the request was observed."""

    format: str
    request: Any
    reply: Any = None


def judge_exchange(corpus: Corpus, exchange: ObservedExchange, output: Any) -> list[Finding]:
    """The findings on the four lists that an instrumentation recorded of an exchange.

    If the shape is wrong, the content is not judged.
    """
    findings = list(compare_shape(corpus, output))
    if any(finding.is_must for finding in findings):
        return findings
    output = {name: output.get(name, []) for name in ATTRIBUTES}
    request = formats.read(exchange.format, "request", exchange.request)
    facts = _source_facts(request)
    findings += _compare(corpus, request, read_input(exchange.format, output, facts), facts)
    findings += compare_tools(corpus, request, output["tool_definitions"])
    findings += compare_places(corpus, formats.get(exchange.format).client.CONTAINER, request, output)
    if exchange.reply is not None:
        reply = formats.read(exchange.format, "response", exchange.reply)
        facts = replace(facts, hosted={*facts.hosted, *_source_facts(reply).hosted})
        choices = choices_of(corpus, exchange.reply)
        findings += _compare(corpus, reply, read_reply(exchange.format, output, facts, choices), facts)
        findings += compare_choices(corpus, choices, output["output_messages"])
        findings += compare_finish(corpus, reply, output["output_messages"])
    return findings


def _source_facts(reading: Reading) -> SourceFacts:
    items = [item for turn in reading.turns for item in turn.items]
    free = {tool.name for tool in reading.tools if tool.kind == "custom" and tool.name}
    free |= {call.name for call in reading.calls if call.kind == "custom" and call.name}
    hosted = [item for item in items if isinstance(item, Hosted)]
    hosted_ids = {item.value.get("id") for item in hosted if isinstance(item.value, dict)}
    ids = {
        identity for identity in {*hosted_ids, *(item.id for item in hosted)} if isinstance(identity, str) and identity
    }
    in_namespaces = {
        plain_name(f"{tool.namespace}{tool.name}"): tool.name for tool in reading.tools if tool.namespace and tool.name
    }
    return SourceFacts(free, ids, in_namespaces)


def _compare(corpus: Corpus, before: Reading, after: Messages, facts: SourceFacts) -> Iterator[Finding]:
    pair = align_sides(Sides(corpus, _comparable_reading(before), after.reading))
    yield from (finding for finding in compare_calls(pair) if finding.rule != _IDS_RULE)
    if before.direction == "request":
        yield from (
            finding for finding in compare_results(pair) if not (finding.rule == _CONTENT_RULE and _says_more(finding))
        )
    yield from compare_texts(pair)
    yield from compare_media(pair)
    yield from compare_call_ids(pair)
    yield from compare_arguments_form(corpus, after)
    yield from compare_roles(corpus, after)
    yield from compare_steps(corpus, before, after, facts.hosted)
    yield from compare_thoughts(corpus, before, after)


def _says_more(finding: Finding) -> bool:
    """Whether the content of a result is complete, with more words around it."""
    expected = finding.want if isinstance(finding.want, list) else [finding.want]
    content = squeeze("\n".join(_texts_in(finding.got)))
    return all(isinstance(text, str) and squeeze(text) in content for text in expected)


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(entry)


def _plain_result(result: Result) -> Result:
    """A result without its media and its error mark: a response may have them in any form."""
    return replace(result, error=None, parts=tuple(part for part in result.parts if not isinstance(part, Media)))


def _comparable_reading(reading: Reading) -> Reading:
    """The part of a body's reading that is compared; recorded results have no error mark."""
    turns = [
        Turn(
            turn.side,
            turn.pointer,
            [
                _plain_result(item) if isinstance(item, Result) else item
                for item in turn.items
                if isinstance(item, _COMPARED_ITEMS)
            ],
        )
        for turn in reading.turns
    ]
    turns = [turn for turn in turns if turn.items]
    return replace(reading, turns=turns, settings={}, usage={}, cache_marks=[], stored=[])
