"""The other ways to write what a provider ran itself: valid by their schemas, and there and back."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import jsonschema
import pytest

from reference.genai import FOLDER
from reference.test_reference_otel import FORMATS, files, messages_of
from toolcall_conformance.basics.jsonvalue import parse
from toolcall_reference import Refused, otel
from toolcall_reference.conversation.losses import Losses

TYPES = {
    "polymorphic": ("tool_call", "tool_call_response"),
    "unified": ("server_tool",),
    "execution": ("server_tool_execution",),
}
EXAMPLES = sorted((FOLDER / "examples").glob("*.json"))
each_form = pytest.mark.parametrize("form", otel.FORMS)


@cache
def validator(form: str) -> Any:
    schema = parse((FOLDER / "schemas" / f"{form}.schema.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def faults(form: str, part: dict[str, Any]) -> list[str]:
    if part["type"] not in TYPES[form]:
        return []
    return [error.message for error in validator(form).iter_errors(part)]


@each_form
def test_messages_of_the_corpus_go_there_and_back(form: str) -> None:
    counts: Counter[str] = Counter()
    for name in FORMATS:
        for path in files(name, "response.json"):
            messages = messages_of(path, name).output_messages
            losses = Losses()
            written = otel.to_form(messages, form, losses)
            parts = [part for message in written for part in message["parts"]]
            assert [fault for part in parts for fault in faults(form, part)] == [], path
            assert not any(part["type"].startswith("server_tool_call") for part in parts if form == "polymorphic"), path
            counts.update(part["type"] for part in parts if part["type"] in TYPES[form])
            again = otel.from_form(written, form, losses)
            ordered = "order" not in {loss.element for loss in losses}
            assert (again if ordered else _sort_parts(again)) == (messages if ordered else _sort_parts(messages)), path
    assert all(counts[kind] > 10 for kind in TYPES[form]), counts


def _sort_parts(messages: list[dict[str, Any]]) -> list[list[str]]:
    return [sorted(map(repr, message["parts"])) for message in messages]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_valid_and_say_the_same_in_every_form(path: Any) -> None:
    example = parse(path.read_bytes())
    form, parts = example["form"], example["parts"]
    plain = [{"role": "assistant", "parts": parts}]
    if form is not None:
        assert [fault for part in parts for fault in faults(form, part)] == []
        losses = Losses()
        plain = otel.from_form(plain, form, losses)
        places = {loss.where for loss in losses}
        # When it was and how long it took: no part of the convention's has a place for that.
        assert places == ({"duration_ms", "timestamp"} if form == "execution" else set())
        again = otel.to_form(plain, form)[0]["parts"]
        if form != "execution":
            assert again == parts
    assert [part["type"] for part in plain[0]["parts"]] == ["server_tool_call", "server_tool_call_response"]


def test_text_between_a_call_and_its_result_moves_and_is_reported() -> None:
    call = {"type": "server_tool_call", "id": "s1", "name": "web_search", "server_tool_call": {"type": "web_search"}}
    answer = {"type": "server_tool_call_response", "id": "s1", "server_tool_call_response": {"type": "web_search"}}
    text = {"type": "text", "content": "I look it up."}
    losses = Losses()
    written = otel.to_form([{"role": "assistant", "parts": [call, text, answer]}], "unified", losses)
    assert [loss.element for loss in losses] == ["order"]
    assert otel.from_form(written, "unified")[0]["parts"] == [call, answer, text]
    alone = otel.to_form([{"role": "assistant", "parts": [call]}], "unified")[0]["parts"]
    assert alone[0]["status"] == "in_progress"
    assert otel.from_form([{"role": "assistant", "parts": alone}], "unified")[0]["parts"] == [call]


def test_wrong_forms_are_refused_in_words() -> None:
    with pytest.raises(LookupError, match="no such form: 'flat'"):
        otel.to_form([], "flat")
    untyped = {"type": "tool_call", "name": "web_search", "tool_call": {}}
    with pytest.raises(Refused, match="an object with a type"):
        otel.from_form([{"role": "assistant", "parts": [untyped]}], "polymorphic")
