"""Names of tools that a search found are rendered as text; what a speaker said of such a tool stays."""

from __future__ import annotations

import copy
from typing import Any

from corpus_judge import judge
from toolcall_conformance.library import load_corpus

ASKED = "Now use {name}."


def bodies(ending: str | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """A request with a found tool, which the user names in the end, and its translation, which ends with ``ending``."""
    case = load_corpus().cases["server_tools/tool-reference-in-result"]
    source, output = (copy.deepcopy(case.exchanges(name)[-1].request) for name in ("anthropic", "openai_chat"))
    source["messages"].append({"role": "user", "content": ASKED.format(name=tool_reference_name(source))})
    if ending is not None:
        output["messages"].append({"role": "user", "content": ending.format(name=tool_reference_name(source))})
    return source, output


def tool_reference_name(source: dict[str, Any]) -> str:
    contents = (message["content"] for message in source["messages"])
    parts = (part for content in contents if isinstance(content, list) for part in content)
    inner = (block for part in parts if part["type"] == "tool_result" for block in part["content"])
    return next(
        str(block["tool_name"]) for block in inner if isinstance(block, dict) and block["type"] == "tool_reference"
    )


def rules_of_ending(ending: str | None) -> set[str]:
    source, output = bodies(ending)
    findings = judge(source, output, client="anthropic", upstream="openai_chat").findings
    return {
        finding.rule for finding in findings if finding.rule in ("translation/text-lost", "translation/text-changed")
    }


def test_a_word_of_the_user_s_that_names_the_tool() -> None:
    assert rules_of_ending(ASKED) == set()


def test_without_it_something_is_lost() -> None:
    assert rules_of_ending(None) == {"translation/text-lost"}
