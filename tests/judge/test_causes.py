"""The signature of findings: what it keeps, and what it leaves out."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance import Ends, Judge, load_corpus
from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Finding, Form, Level, OneOf
from toolcall_conformance.judge.causes import cause_of, difference_kind, kind_of_place

CORPUS = load_corpus()


@pytest.mark.parametrize(
    ("pointer", "kind"),
    [
        ("", ""),
        ("/messages/12/tool_calls/0/id", "/messages/*/tool_calls/*/id"),
        ("/tools/0/input_schema/properties/cmd/items/anyOf/1/type", "/tools/*/input_schema/**/type"),
        ("/tools/0/input_schema/properties/type", "/tools/*/input_schema/**"),
        ("/messages/3/content/1/input/path/0", "/messages/*/content/*/input/**"),
        ("/input/3/content/0/text", "/input/*/content/*/text"),
        ("/contents/1/parts/0/functionCall/args/a~1b", "/contents/*/parts/*/functionCall/args/**"),
        ("/contents/1/parts/0/functionResponse/response/a", "/contents/*/parts/*/functionResponse/response/**"),
        ("/events/7/data/response/status", "/events/*/data/response/status"),
    ],
)
def test_kinds_of_place(pointer: str, kind: str) -> None:
    assert kind_of_place(CORPUS, pointer) == kind


@pytest.mark.parametrize(
    ("want", "got", "kind"),
    [
        ("a", MISSING, "lost"),
        (NOT_KNOWN, MISSING, "lost"),
        (MISSING, "a", "added"),
        (NOT_KNOWN, "a", ""),
        ("a", "b", "value"),
        ({}, "{}", "type"),
        (1, True, "type"),
        (OneOf((1, "a")), "b", "value"),
        (NOT_KNOWN, NOT_KNOWN, ""),
        # A form is told beside what was not known; signatures in known failures must stay as they are.
        (Form({"type": "string"}), "a", ""),
        (Form({"type": "string"}), 1, ""),
        (Form({"type": "string"}), MISSING, "lost"),
    ],
)
def test_kinds_of_difference(want: Any, got: Any, kind: str) -> None:
    assert difference_kind(want, got) == kind


@pytest.mark.parametrize(
    ("pointer", "want", "got", "kind"),
    [
        ("/stop_reason", "tool_use", "end_turn", "tool_use≠end_turn"),
        ("/stop_reason", "max_tokens", "end_turn", "max_tokens≠end_turn"),
        ("/stop_reason", OneOf(("end_turn", "refusal")), "tool_use", "end_turn|refusal≠tool_use"),
        ("/stop_reason", OneOf(("a", "b", "c")), "tool_use", "a|b|c≠tool_use"),
        ("/stop_reason", OneOf(("a", "b", "c", "d")), "tool_use", "*≠tool_use"),
        ("/stop_reason", "tool_use", "It ended well.", "value"),
        ("/stop_reason", NOT_KNOWN, "end_turn", ""),
        ("/stop_reason", Form({"type": "string"}), "end_turn", ""),
        ("/stop_reason", "tool_use", MISSING, "lost"),
        ("/name", "one", "other", "value"),
    ],
)
def test_two_words_of_a_format_are_a_difference_of_their_own(pointer: str, want: Any, got: Any, kind: str) -> None:
    finding = Finding("anthropic/finish-reason", Level.MUST, pointer, "it changed", want, got)
    assert cause_of(CORPUS, finding).difference == kind


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("request raised KeyError: 'type'", "request_raised_KeyError:_*"),
        ("request raised TypeError: it's no text", "request_raised_TypeError:_it's_no_text"),
        ("request raised IndexError: 7 of 12", "request_raised_IndexError:_*_of_*"),
    ],
)
def test_of_a_failed_call_the_difference_is_what_was_said(message: str, kind: str) -> None:
    finding = Finding("translation/crashed", Level.MUST, "", message)
    assert cause_of(CORPUS, finding).difference == kind


@pytest.mark.parametrize(("element", "place"), [("setting", "top_p"), ("usage", "top_p"), ("text", "")])
def test_a_setting_without_a_place_has_its_name_for_a_place(element: str, place: str) -> None:
    finding = Finding("translation/setting-lost", Level.MUST, "", "it is lost", element=element, subject="top_p")
    assert cause_of(CORPUS, finding).place == place


@pytest.mark.parametrize("number", [0, 3])
def test_the_format_is_that_of_the_wrong_body(number: int) -> None:
    """A finding on a request is on a body of the provider's format, wherever in it the fault is."""
    source = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "a"}]}
    output = {"model": "m", "messages": [{"role": "user", "content": "b"}] * (number + 1)}
    findings = Judge(CORPUS).request(source, output, Ends("anthropic", "openai_chat")).findings
    assert findings
    assert {cause_of(CORPUS, finding).format for finding in findings} == {"openai_chat"}
