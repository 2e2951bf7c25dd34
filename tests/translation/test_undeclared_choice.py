"""A choice of a tool that is not declared: no output could keep it, so none is held to it."""

from __future__ import annotations

from typing import Any

import pytest

from judging import judge
from toolcall_conformance.library import load_corpus

ENDS: dict[str, Any] = {"client": "openai_chat", "upstream": "gemini"}


def source(name: str) -> dict[str, Any]:
    body: dict[str, Any] = load_corpus().cases["read_file/choice-named"].exchanges("openai_chat")[0].request
    return {**body, "tool_choice": {"type": "function", "function": {"name": name}}}


def output(mode: str) -> dict[str, Any]:
    body: dict[str, Any] = load_corpus().cases["read_file/choice-named"].exchanges("gemini")[0].request
    return {**body, "toolConfig": {"functionCallingConfig": {"mode": mode}}}


@pytest.mark.parametrize(("name", "wrong"), [("of_nobody", False), ("read_file", True)])
def test_a_choice_is_held_to_declared_tools(name: str, wrong: bool) -> None:
    found = judge(source(name), output("AUTO"), direction="request", **ENDS).findings
    assert ("translation/tool-choice" in {one.rule for one in found}) is wrong
