"""What distinguishes repairs of one signature: of a text, an id, and a refusal."""

from __future__ import annotations

from typing import Any

import pytest

from reports.runs import finding, item
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.causes.grouping import find_root_causes
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.features import feature

_JSON = {"$json_schema": {"type": "string", "contentMediaType": "application/json"}}
_NAME = "call 2, read_file; opened by event 5 of 9"
_INVALID = "stream raised ValidationError: 1 validation error for Chunk"


@pytest.mark.parametrize(
    ("got", "kind"),
    [
        ("", "empty"),
        (' {"a": 1}{"b": 2}', "joined"),
        ('{}{"a": 1}', "joined"),
        ('{"a": "b', "cut"),
        ('{"a": ', "cut"),
        ("{'a': 1}", "garbled"),
        ("[1]", ""),
        ("[" * 100_000, ""),
        ("1" * 5_000, ""),
        ({"$shown": '{"a": 1}{"b', "$length": 9_000}, "joined"),
        ({"$shown": '{"a": "b', "$length": 9_000}, ""),
        ({"$absent": True}, ""),
        (7, ""),
    ],
)
def test_texts_that_are_no_json(got: Any, kind: str) -> None:
    for want in (_JSON, {"$json_schema": {"anyOf": [{"type": "object"}, _JSON["$json_schema"]]}}):
        assert feature(finding("a/b", element="call", want=want, got=got)) == kind


@pytest.mark.parametrize(
    ("want", "got", "kind"),
    [
        ("call_0123456789", "call_0123", "part"),
        ("functions.read_file:1", "functions_read_file_1", "part"),
        ("functions.read_file:1", "call_read_file", ""),
        ("call_1", "call_read_file", "name"),
        ({"$json_schema": {"type": "string"}}, "call_read_file", ""),
        ({"$words": "an id that call 1 does not have"}, "toolu_read_file", "name"),
        ("call_1", "call", "part"),
        ("call_1", "0", ""),
    ],
)
def test_what_an_id_was_made_of(want: Any, got: str, kind: str) -> None:
    facts = {"element": "id", "subject": _NAME, "want": want, "got": got}
    assert feature(finding("translation/ids-injective", **facts)) == kind
    assert feature(finding("translation/ids-returned", **facts)) == ""


_FORM = {
    "type": "object",
    "properties": {"type": {"const": "tool_use"}, "name": {"const": "a"}, "input": {"const": {"type": "round"}}},
}


@pytest.mark.parametrize(
    ("want", "kind"),
    [
        ({"type": "custom_tool_call", "name": "a"}, "custom_tool_call"),
        ({"type": "tool_use", "caller": {"type": "direct"}}, "tool_use"),
        ({"role": "assistant", "content": [{"type": "mcp_tool_use"}, {"type": "tool_use"}]}, "mcp_tool_use"),
        ({"functionCall": {"name": "a", "args": {"type": "round"}}}, ""),
        ({"name": "a", "args": {"type": "round"}}, ""),
        ({"$json_schema": _FORM}, "tool_use"),
        (
            {
                "$json_schema": {
                    "properties": {"role": {"const": "assistant"}, "content": {"type": "array", "items": _FORM}}
                }
            },
            "tool_use",
        ),
        ({"$json_schema": {"type": "object"}}, ""),
        ({"$words": "call 1, a"}, ""),
        ({"type": "A type of my own"}, ""),
        ("tool_use", ""),
    ],
)
def test_the_type_of_what_was_lost(want: Any, kind: str) -> None:
    lost = {"$absent": True}
    assert feature(finding("a/b", element="call", want=want, got=lost)) == (f"type={kind}" if kind else "")
    assert feature(finding("a/b", element="tool", want=want, got=lost)) == ""
    assert feature(finding("a/b", element="call", want=want, got={"type": "text"})) == ""


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (f"{_INVALID} choices.0.delta.tool_calls.1.type Input should be", "choices.*.delta.tool_calls.*.type"),
        ("request refused this input: messages[12].content[0]: no audio", "messages[*].content[*]"),
        ("request raised BadRequest (it names /tools/3/custom)", "/tools/*/custom"),
        ("request raised KeyError: 'a/0/b', see https://errors.example/2.14/v/x", ""),
        ("request refused this input: notes.txt of mine is no text", ""),
    ],
)
def test_the_place_that_a_refusal_names(message: str, kind: str) -> None:
    absent = {"$absent": True}
    assert feature(finding("a/b", element="body", pointer="", message=message, got=absent)) == kind
    assert feature(finding("a/b", element="body", pointer="/a", message=message, got=absent)) == ""


@pytest.mark.parametrize(("other", "causes"), [("tool_calls.0.index", 2), ("tool_calls.7.type", 1)])
def test_refusals_of_other_places_are_other_causes(corpus: Corpus, other: str, causes: int) -> None:
    def refused(case: str, place: str) -> Any:
        ambiguous = finding(
            "translation/refused",
            message=f"{_INVALID} choices.0.delta.{place} Input should be",
            element="body",
            pointer="",
            got={"$absent": True},
            signature="translation/refused body gemini - stream_raised_ValidationError",
        )
        return item(case, "stream", "anthropic", "gemini", [ambiguous])

    refusal_causes = find_root_causes([refused("a/b", "tool_calls.0.type"), refused("a/c", other)], Harm.of(corpus))
    assert len(refusal_causes) == causes
