"""Rules on calls and results: names, ids, arguments, signatures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Form, Words, one_of
from toolcall_conformance.basics.jsonvalue import join, resolve
from toolcall_conformance.basics.reading import Call, Hosted, Result, Turn
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.expected_values import first_choices
from toolcall_conformance.formats.gemini.proto_json import camel_case, spellings
from toolcall_conformance.formats.gemini.rules.view import (
    answering_turns,
    call_label,
    calls,
    contents,
    has_value,
    parts,
    result_label,
    results,
)
from toolcall_conformance.formats.rule import Subject, duplicate_id_breach, rule, wrong_id_message

#: Up to this number a double can hold every integer.
MAX_SAFE_INTEGER = 2**53


@rule("gemini/result-names-call", "request")
def result_names_call(subject: Subject) -> Iterator[Breach]:
    by_ordinal = {call.ordinal: call for call in subject.reading.calls}
    for result in subject.reading.results:
        call = None if result.call is None else by_ordinal.get(result.call)
        # A missing name is the schema's matter.
        if call is not None and call.name and result.name and result.name != call.name:
            yield Breach(
                result.name_pointer or result.pointer, want=call.name, got=result.name, subject=call_label(call)
            )


@rule("gemini/result-id-matches-call", "request")
def result_id_matches_call(subject: Subject) -> Iterator[Breach]:
    for batch, turn in answering_turns(subject.reading):
        answered = {other.call for other in results(turn)}
        waiting = dict.fromkeys(call.id for call in batch if call.id and call.ordinal not in answered)
        for result in results(turn):
            if result.id is not None and result.call is None and batch:
                pointer, named = result.id_pointer or result.pointer, result_label(result)
                message = wrong_id_message(waiting) if waiting else ""
                yield Breach(pointer, message, one_of(waiting, MISSING), result.id, subject=named)


@rule("gemini/result-id-both-or-neither", "request")
def result_id_both_or_neither(subject: Subject) -> Iterator[Breach]:
    by_ordinal = {call.ordinal: call for call in subject.reading.calls}
    paired = [result for turn in subject.reading.turns for result in _results_without_ids(turn)]
    for result in subject.reading.results:
        call = None if result.call is None else by_ordinal.get(result.call)
        if call is None or (call.id is None) == (result.id is None) or result in paired:
            continue
        if result.id is None:
            message = "the functionResponse leaves out the id of its functionCall"
            yield Breach(result.pointer, message, call.id, MISSING, subject=call_label(call))
        else:
            message = "the functionResponse has an id, its functionCall has none"
            yield Breach(result.id_pointer or result.pointer, message, MISSING, result.id, subject=call_label(call))


def _results_without_ids(turn: Turn) -> list[Result]:
    """Return the results of a turn if none has an id: then all are paired by name and order, as by Google's SDK."""
    turn_results = results(turn)
    return [] if any(result.id is not None for result in turn_results) else list(turn_results)


@rule("gemini/call-ids-unique")
def call_ids_unique(subject: Subject) -> Iterator[Breach]:
    for turn in subject.reading.turns:
        first_calls: dict[str, Call] = {}
        turn_calls = calls(turn)
        ids = first_choices(call.id for call in turn_calls)
        for call in turn_calls:
            if call.id is not None and (first := first_calls.setdefault(call.id, call)) is not call:
                yield duplicate_id_breach(call, first, ids)


@rule("gemini/server-call-not-answered", "request")
def server_call_not_answered(subject: Subject) -> Iterator[Breach]:
    items = [item for turn in subject.reading.turns for item in turn.items]
    hosted = {item.id for item in items if isinstance(item, Hosted) and item.id}
    call_ids = {call.id for call in subject.reading.calls}
    for result in subject.reading.results:
        if result.id in hosted and result.id not in call_ids:
            message = "Google ran this toolCall and sent its toolResponse; no functionResponse may answer it"
            yield Breach(result.pointer, message, MISSING, result.id, subject=result_label(result))


@rule("gemini/call-declared", "request")
def call_declared(subject: Subject) -> Iterator[Breach]:
    declared = dict.fromkeys(tool.name for tool in subject.reading.tools if tool.kind == "function" and tool.name)
    for call in subject.reading.calls:
        if declared and call.name and call.name not in declared:
            pointer, want = call.name_pointer or call.pointer, one_of(declared)
            yield Breach(pointer, "", want, call.name, subject=call_label(call))


@rule("gemini/args-double")
def args_double(subject: Subject) -> Iterator[Breach]:
    for call in subject.reading.calls:
        if call.arguments_pointer is not None:
            for pointer, value in _nested_numbers(call.arguments, call.arguments_pointer):
                if isinstance(value, int) and abs(value) > MAX_SAFE_INTEGER and not _is_double(value):
                    want = Form({"type": "number", "not": {"const": value}})
                    yield Breach(pointer, want=want, got=value, subject=call_label(call))


@rule("gemini/signature-first-only", "request")
def signature_first_only(subject: Subject) -> Iterator[Breach]:
    for content in subject.derive(contents):
        called = [part for part in parts(content) if has_value(part, "functionCall")]
        for part in called[1:]:
            if has_value(part, "thoughtSignature"):
                want, got = Words("on the first call"), Words("on a later one")
                yield Breach(part.child("thoughtSignature").pointer, want=want, got=got)


@rule("gemini/one-spelling", "request")
def one_spelling(subject: Subject) -> Iterator[Breach]:
    # The reader takes one spelling of a key; the other one is residue.
    for residue in subject.reading.residue:
        holder = resolve(subject.body, residue.pointer.rpartition("/")[0])
        for other in spellings(camel_case(residue.key)):
            if other != residue.key and other in holder:
                yield Breach(residue.pointer, f"{residue.key} and {other} are one and the same key")


def _nested_numbers(value: Any, pointer: str) -> Iterator[tuple[str, Any]]:
    """Yield pointer and value of every number in a JSON value, at any depth."""
    left = [(pointer, value)]
    while left:
        place, entry = left.pop()
        if isinstance(entry, dict):
            left.extend((join(place, key), inner) for key, inner in entry.items())
        elif isinstance(entry, list):
            left.extend((join(place, index), inner) for index, inner in enumerate(entry))
        elif isinstance(entry, (int, float)) and not isinstance(entry, bool):
            yield place, entry


def _is_double(value: int) -> bool:
    """Whether a double can hold this number exactly."""
    try:
        return math.isfinite(float(value)) and int(float(value)) == value
    except OverflowError:
        return False
