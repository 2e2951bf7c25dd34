"""Rules on the conversation: the order of roles, and the place of results."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, takewhile

from toolcall_conformance.basics.findings import MAX_CHOICES, MISSING, one_of
from toolcall_conformance.basics.reading import Call, Node, Result
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.expected_values import ANOTHER_CALL, object_with_values
from toolcall_conformance.formats.gemini.parts import DATA_KEYS
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
from toolcall_conformance.formats.rule import Subject, rule


@rule("gemini/call-follows-user", "request")
def call_follows_user(subject: Subject) -> Iterator[Breach]:
    for part in _opening_parts(subject):
        if has_value(part, "functionCall"):
            message = "the conversation starts with a functionCall; a content of the user must precede it"
            yield Breach(part.pointer, message, object_with_values(role="user"), MISSING)
            return


@rule("gemini/starts-with-user", "request")
def starts_with_user(subject: Subject) -> Iterator[Breach]:
    opening = _opening_parts(subject)
    if opening and not any(has_value(part, "functionCall") for part in opening):
        yield Breach(opening[0].pointer, want=object_with_values(role="user"), got={"role": "model"})


@rule("gemini/ends-with-user", "request")
def ends_with_user(subject: Subject) -> Iterator[Breach]:
    all_contents = subject.derive(contents)
    if all_contents and all_contents[-1].get("role") == "model":
        yield Breach(all_contents[-1].pointer, want=object_with_values(role="user"), got={"role": "model"})


@rule("gemini/alternate-roles", "request")
def alternate_roles(subject: Subject) -> Iterator[Breach]:
    before = None
    for content in subject.derive(contents):
        role = content.get("role") or "user"
        if role == before:
            yield Breach(content.pointer, f"two neighbouring contents have the role {role}")
        before = role


@rule("gemini/result-answers-call", "request")
def result_answers_call(subject: Subject) -> Iterator[Breach]:
    for batch, turn in answering_turns(subject.reading):
        ordinals = {call.ordinal for call in batch}
        answered = {result.call for result in results(turn)}
        waiting = [_name_and_id(call) for call in batch if call.ordinal not in answered][:MAX_CHOICES]
        for result in results(turn):
            # gemini/result-id-matches-call reports an id that no call has.
            strange_id = result.id is not None and result.call is None and bool(batch)
            if result.call not in ordinals and not strange_id:
                message = "the functionResponse answers no functionCall of the model turn before it"
                if not batch:
                    message = "there is no functionCall in the turn before this functionResponse"
                want = one_of(waiting, object_with_values(functionCall=object_with_values(**_name_and_id(result))))
                got = _name_and_id(result) if waiting else MISSING
                yield Breach(result.pointer, message, want, got, subject=result_label(result))


@rule("gemini/result-once", "request")
def result_once(subject: Subject) -> Iterator[Breach]:
    for _, turn in answering_turns(subject.reading):
        answered: set[int] = set()
        for result in results(turn):
            if result.call is not None and result.call in answered:
                message = (
                    "this functionCall has its functionResponse already; this one must answer another, or be left out"
                )
                yield Breach(result.pointer, message, ANOTHER_CALL, _name_and_id(result), subject=result_label(result))
            elif result.call is not None:
                answered.add(result.call)


@rule("gemini/results-complete", "request")
def results_complete(subject: Subject) -> Iterator[Breach]:
    turns = [turn for turn in subject.reading.turns if turn.side != "system"]
    for turn, after in pairwise(turns):
        if turn.side != "assistant":
            continue
        answers_here = [*results(turn), *results(after)]
        answered = {result.call for result in answers_here}
        open_calls = [call for call in calls(turn) if call.ordinal not in answered]
        # gemini/result-id-matches-call reports a result with an unknown id.
        strange = [result for result in answers_here if result.call is None and result.id is not None]
        if len(open_calls) > len(strange):
            message = "the turn after this functionCall must answer it with a functionResponse"
            for call in open_calls:
                want = object_with_values(functionResponse=object_with_values(**_name_and_id(call)))
                yield Breach(call.pointer, message, want, MISSING, subject=call_label(call))


@rule("gemini/results-in-one-content", "request")
def results_in_one_content(subject: Subject) -> Iterator[Breach]:
    for batch, turn in answering_turns(subject.reading):
        batch_results = [result for result in results(turn) if batch]
        for result in batch_results[1:]:
            if result.group != batch_results[0].group:
                message = f"this functionResponse must be in the same content as the one at {batch_results[0].pointer}"
                yield Breach(result.pointer, message, subject=result_label(result))


@rule("gemini/results-first", "request")
def results_first(subject: Subject) -> Iterator[Breach]:
    for content in subject.derive(contents):
        all_parts = parts(content)
        last = max((index for index, part in enumerate(all_parts) if has_value(part, "functionResponse")), default=0)
        for part in all_parts[:last]:
            if not has_value(part, "functionResponse") and any(has_value(part, key) for key in DATA_KEYS):
                message = f"the functionResponse at {all_parts[last].pointer} must precede this part"
                yield Breach(part.pointer, message)


def _name_and_id(item: Call | Result) -> dict[str, str]:
    """Return the name and the id of a functionCall or functionResponse, as far as it has them."""
    return {key: value for key, value in (("id", item.id), ("name", item.name)) if value is not None}


def _opening_parts(subject: Subject) -> list[Node]:
    """Return the parts of the model's contents before the first content of another role."""
    opening = takewhile(lambda content: content.get("role") == "model", subject.derive(contents))
    return [part for content in opening for part in parts(content)]
