"""Rules that a schema cannot say: across messages, between a schema's own parts, between declared and named tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.findings import MISSING
from toolcall_conformance.formats.openai_chat.history import Answer, walk
from toolcall_conformance.formats.openai_chat.stream import RULES, assemble
from toolcall_conformance.formats.openai_chat.strictness import open_objects, unsupported_keywords
from toolcall_conformance.jsonvalue import join, resolve
from toolcall_conformance.reading import Call, Unreadable
from toolcall_conformance.rules.registry import Breach, Subject, rule
from toolcall_conformance.rules.streams import register

register(assemble, RULES)


@rule("openai_chat/calls-answered", "request")
def calls_answered(subject: Subject) -> Iterator[Breach]:
    """The provider refuses a history with an open call, wherever the history ends."""
    for call in walk(subject.body).unanswered:
        yield Breach(call.pointer, got=call.id, subject=f"call {call.id}, {call.name}")


@rule("openai_chat/result-answers-call", "request")
def result_answers_call(subject: Subject) -> Iterator[Breach]:
    yield from _standing(subject, "orphan", "no earlier assistant message has a call with this id")


@rule("openai_chat/result-once", "request")
def result_once(subject: Subject) -> Iterator[Breach]:
    yield from _standing(subject, "again", "the call with this id has been answered before")


@rule("openai_chat/results-follow-calls", "request")
def results_follow_calls(subject: Subject) -> Iterator[Breach]:
    yield from _standing(subject, "late", "other messages stand between this result and its call")


def _standing(subject: Subject, standing: str, message: str) -> Iterator[Breach]:
    found: list[Answer] = [answer for answer in walk(subject.body).answers if answer.standing == standing]
    for answer in found:
        yield Breach(answer.pointer, message, got=answer.id, subject=f"result of {answer.id}")


@rule("openai_chat/call-ids-unique", "request", "response")
def call_ids_unique(subject: Subject) -> Iterator[Breach]:
    """Within one message only: ids may come again in a later turn. Empty ids are another rule's."""
    seen: set[tuple[int, str]] = set()
    for call in subject.reading.calls:
        if not call.id or call.id_pointer is None:
            continue
        if (call.batch, call.id) in seen:
            yield Breach(call.id_pointer, got=call.id, subject=_words(call))
        seen.add((call.batch, call.id))


@rule("openai_chat/call-arguments-json", "request", "response")
def call_arguments_json(subject: Subject) -> Iterator[Breach]:
    """Arguments that are no string at all are the schema's; so is custom tools' input, which is free text."""
    finish = subject.reading.finish
    calls = subject.reading.calls
    if finish is not None and finish.reason == "length":
        # The reply was cut, and its last call with it.
        calls = calls[:-1]
    for call in calls:
        if call.kind != "function" or call.arguments_pointer is None:
            continue
        raw = resolve(subject.body, call.arguments_pointer)
        if not isinstance(raw, str):
            continue
        if not raw.strip():
            yield Breach(call.arguments_pointer, "a call without arguments has {}", "{}", raw, subject=_words(call))
        elif isinstance(call.arguments, Unreadable):
            yield Breach(call.arguments_pointer, "arguments are not JSON", got=raw, subject=_words(call))
        elif not isinstance(call.arguments, dict):
            yield Breach(call.arguments_pointer, "arguments are not a JSON object", got=raw, subject=_words(call))


@rule("openai_chat/tool-names-unique", "request")
def tool_names_unique(subject: Subject) -> Iterator[Breach]:
    seen: set[str] = set()
    for tool in subject.reading.tools:
        if tool.name is None or tool.name_pointer is None:
            continue
        if tool.name in seen:
            yield Breach(tool.name_pointer, got=tool.name, subject=f"tool {tool.name}")
        seen.add(tool.name)


@rule("openai_chat/tool-choice-declared", "request")
def tool_choice_declared(subject: Subject) -> Iterator[Breach]:
    choice = subject.reading.settings.get("tool_choice")
    # Without any tools it is the choice itself that is wrong.
    if choice is None or not isinstance(choice.value, dict) or not subject.reading.tools:
        return
    declared = {tool.name for tool in subject.reading.tools}
    names = choice.value.get("names")
    for name in names if isinstance(names, list) else []:
        if isinstance(name, str) and name not in declared:
            yield Breach(choice.pointer, got=name, subject=f"tool {name}")


@rule("openai_chat/strict-schema", "request")
def strict_schema(subject: Subject) -> Iterator[Breach]:
    for schema, pointer, name in _strict(subject):
        if schema is MISSING:
            message = "strict mode wants a schema, also for a tool without parameters"
            yield Breach(pointer, message, subject=f"tool {name}")
            continue
        for place, message in open_objects(schema, pointer):
            yield Breach(place, message, subject=f"tool {name}")


@rule("openai_chat/strict-keywords", "request")
def strict_keywords(subject: Subject) -> Iterator[Breach]:
    for schema, pointer, name in _strict(subject):
        for place, keyword in unsupported_keywords(schema, pointer):
            yield Breach(place, f"strict mode does not have the keyword {keyword}", subject=f"tool {name}")


def _strict(subject: Subject) -> Iterator[tuple[Any, str, str]]:
    """(schema or MISSING, pointer, name) of every function tool that is declared strict."""
    for tool in subject.reading.tools:
        if tool.strict and tool.kind == "function":
            if tool.schema_pointer is None:
                yield MISSING, tool.pointer, str(tool.name)
            else:
                yield tool.schema, tool.schema_pointer, str(tool.name)


@rule("openai_chat/usage-total", "response")
def usage_total(subject: Subject) -> Iterator[Breach]:
    usage = subject.reading.usage
    if {"input", "output", "total"} <= usage.keys() and usage["input"] + usage["output"] != usage["total"]:
        yield Breach(join("/usage", "total_tokens"), want=usage["input"] + usage["output"], got=usage["total"])


def _words(call: Call) -> str:
    return f"call {call.ordinal + 1}, {call.name}"
