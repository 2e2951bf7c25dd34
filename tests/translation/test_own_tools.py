"""Tools that an API defines: those that the client runs must arrive, of the others it must learn that they do not."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.findings import Level
from toolcall_reference import ReferenceTranslator

ID = "call_9hYbNzEaQm4pVxT7dKcJwRe1"
LOST, AS_FUNCTION = "translation/hosted-tool-lost", "translation/hosted-tool-as-function"


def anthropic(*tools: Any, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "Have a look."}]
    return {"model": "claude-sonnet-4-5-20250929", "max_tokens": 1024, "messages": messages, "tools": [*tools], **more}


def chat(*names: str, **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {}}
    tools = [{"type": "function", "function": {"name": name, "parameters": schema}} for name in names]
    body = {"model": "gpt-4.1-2025-04-14", "messages": [{"role": "user", "content": "Have a look."}], **more}
    return {**body, "max_completion_tokens": 1024, **({"tools": tools} if tools else {})}


def responses(*tools: Any, items: tuple[Any, ...] = ()) -> dict[str, Any]:
    input_items = [{"role": "user", "content": "Have a look."}, *items]
    return {"model": "gpt-4.1-2025-04-14", "input": input_items, "max_output_tokens": 1024, "tools": [*tools]}


def levels_by_rule(source: Any, output: Any, client: str, upstream: str, **more: Any) -> dict[str, Level]:
    findings = judge(source, output, client=client, upstream=upstream, **more).findings
    return {finding.rule: finding.level for finding in findings if finding.level is not Level.NOTE}


CLIENT_RUN = [
    ("bash_20250124", "bash", ["run_shell"]),
    ("text_editor_20250728", "str_replace_based_edit_tool", ["view_file", "create_file", "str_replace"]),
    ("computer_20250124", "computer", ["computer_use"]),
    ("memory_20250818", "memory", ["remember"]),
]


@pytest.mark.parametrize(("kind", "name", "others"), CLIENT_RUN)
def test_a_tool_that_the_client_runs_arrives_as_a_function(kind: str, name: str, others: list[str]) -> None:
    source = anthropic({"type": kind, "name": name})
    assert levels_by_rule(source, chat(name), "anthropic", "openai_chat") == {}
    assert levels_by_rule(source, chat(*others), "anthropic", "openai_chat") == {}
    assert levels_by_rule(source, chat("quite_another_name"), "anthropic", "openai_chat") == {}
    assert levels_by_rule(source, chat(), "anthropic", "openai_chat") == {"translation/tool-lost": Level.MUST}


def test_two_functions_for_one_are_one_too_many() -> None:
    source = anthropic({"type": "bash_20250124", "name": "bash"})
    levels = levels_by_rule(source, chat("bash", "send_money"), "anthropic", "openai_chat")
    assert levels == {"translation/tool-invented": Level.MUST}


@pytest.mark.parametrize("own", [{"type": "shell", "environment": {"type": "local"}}, {"type": "local_shell"}])
def test_or_as_the_targets_own(own: dict[str, Any]) -> None:
    source = anthropic({"type": "bash_20250124", "name": "bash"})
    assert levels_by_rule(source, responses(own), "anthropic", "openai_responses") == {}
    assert levels_by_rule(source, responses({"type": "apply_patch"}), "anthropic", "openai_responses") == {
        "translation/tool-lost": Level.MUST
    }


def test_a_shell_of_the_providers_is_another_matter() -> None:
    hosted = responses({"type": "shell", "environment": {"type": "container_auto"}})
    assert levels_by_rule(hosted, chat(), "openai_responses", "openai_chat") == {LOST: Level.SHOULD}


SEARCH = anthropic({"type": "web_search_20250305", "name": "web_search"})


def test_a_tool_that_the_provider_runs_is_never_silently_gone() -> None:
    assert levels_by_rule(SEARCH, chat(), "anthropic", "openai_chat") == {LOST: Level.SHOULD}
    assert levels_by_rule(SEARCH, chat(), "anthropic", "openai_chat", declared=["tool-hosted"]) == {}
    assert levels_by_rule(SEARCH, chat("web_search"), "anthropic", "openai_chat") == {AS_FUNCTION: Level.SHOULD}
    assert levels_by_rule(SEARCH, chat(web_search_options={}), "anthropic", "openai_chat") == {}
    assert levels_by_rule(SEARCH, responses({"type": "web_search"}), "anthropic", "openai_responses") == {}
    assert (
        levels_by_rule(SEARCH, responses({"type": "code_interpreter"}), "anthropic", "openai_responses")[LOST]
        == Level.SHOULD
    )


def test_the_choice_of_a_tool_that_stays_behind_is_lost_with_it() -> None:
    source = anthropic(
        {"type": "web_search_20250305", "name": "web_search"},
        {"name": "ping", "input_schema": {"type": "object", "properties": {}}},
        tool_choice={"type": "tool", "name": "web_search"},
    )
    assert levels_by_rule(source, chat("ping"), "anthropic", "openai_chat") == {LOST: Level.SHOULD}


def test_what_only_brings_in_other_tools_may_go() -> None:
    source = anthropic({"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"})
    assert levels_by_rule(source, chat(), "anthropic", "openai_chat") == {}


HISTORIES = [
    (
        {"type": "local_shell"},
        {
            "type": "local_shell_call",
            "id": "lsh_1",
            "action": {"type": "exec", "command": ["git", "status"], "env": {}},
        },
        {"type": "local_shell_call_output", "output": "clean"},
        {"command": "git status"},
    ),
    (
        {"type": "shell"},
        {"type": "shell_call", "action": {"commands": ["git status"], "timeout_ms": 5}},
        {
            "type": "shell_call_output",
            "output": [{"stdout": "clean", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}],
        },
        {"commands": ["git status"]},
    ),
    (
        {"type": "apply_patch"},
        {"type": "apply_patch_call", "operation": {"type": "update_file", "path": "a.py", "diff": "@@\n-a\n+b"}},
        {"type": "apply_patch_call_output", "status": "failed", "output": "no such file"},
        {"patch": "*** Update File: a.py\n@@\n-a\n+b"},
    ),
    (
        {"type": "computer_use_preview", "display_width": 800, "display_height": 600, "environment": "browser"},
        {"type": "computer_call", "id": "cu_1", "action": {"type": "click", "x": 1, "y": 2, "button": "left"}},
        {
            "type": "computer_call_output",
            "output": {"type": "computer_screenshot", "image_url": "data:image/png;base64,iVBORw0KGgo="},
        },
        {"action": "click", "coordinate": [1, 2], "button": "left"},
    ),
]


@pytest.mark.parametrize(("tool", "call", "output", "arguments"), HISTORIES, ids=lambda value: str(value.get("type")))
def test_calls_and_results_cross(tool: Any, call: Any, output: Any, arguments: Any) -> None:
    """The reference's are taken, and so are those that say the same in other keys."""
    source = responses(tool, items=({**call, "call_id": ID, "status": "completed"}, {**output, "call_id": ID}))
    for upstream in ("anthropic", "openai_chat", "gemini"):
        route = SimpleNamespace(
            client="openai_responses",
            upstream=upstream,
            client_model="gpt-5.1",
            upstream_model={"anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-flash"}.get(upstream, "gpt-4.1"),
            stream=False,
        )
        translation = ReferenceTranslator().open(route).request(source)
        assert levels_by_rule(source, translation, "openai_responses", upstream) == {}
        if upstream == "openai_chat":
            function = translation["messages"][1]["tool_calls"][0]["function"]
            function["arguments"] = json.dumps(arguments)
            assert levels_by_rule(source, translation, "openai_responses", upstream) == {}
            function["arguments"] = json.dumps({"command": "rm -r ."})
            assert levels_by_rule(source, translation, "openai_responses", upstream) == {
                "translation/arguments": Level.MUST
            }
