"""Tools that an API defines and the client runs: a shell, an editor, a computer."""

from __future__ import annotations

import json
from typing import Any

from doubles import wire
from doubles.body import ANTHROPIC, CHAT, FORMATS, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft

THREAD = "https://github.com/router-for-me/CLIProxyAPI/issues/3199"
BROWSER = ("client_run/computer-gemini",)
ACTIONS = {
    "local_shell_call": "action",
    "shell_call": "action",
    "computer_call": "action",
    "apply_patch_call": "operation",
}
FIXED = ("bash_", "text_editor_", "memory_", "computer_2", "local_shell", "shell", "apply_patch", "computer_use")


def own(draft: Draft) -> list[dict[str, Any]]:
    """The source's declarations of tools that its API defines and the client runs."""
    declared = draft.source.get("tools") or []
    return [tool for tool in declared if str(tool.get("type")).startswith(FIXED)]


def standing(draft: Draft) -> list[wire.Tool]:
    """The functions that stand for them."""
    names = {"computer" if "computer" in tool["type"] else tool.get("name", tool["type"]) for tool in own(draft)}
    return [tool for tool in wire.tools(draft.format, draft.body) if tool.inner["name"] in names]


@broken("translation/tool-lost", target=FORMATS, sources=(ANTHROPIC, RESPONSES))
def own_tool_dropped(draft: Draft) -> None:
    """A tool that the client runs is not declared, as if the provider ran it."""
    for tool in need(standing(draft)):
        tool.remove()
    draft.body.pop("tool_choice", None)
    draft.body.pop("toolConfig", None)


ONLY_DECLARED = ("codex/tool-search", "client_run/shell")


def replaced(draft: Draft, name: str, description: str | None) -> None:
    """Declare a function of another name in the place of each tool that the client runs, before anybody called it."""
    need(not draft.calls)
    names = {"tool_search", "shell", "bash", "local_shell"}
    tools = [tool for tool in wire.tools(draft.format, draft.body) if tool.inner["name"] in names]
    for tool in need(tools):
        tool.inner["name"] = name
        tool.schema = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
        tool.inner.pop("description", None)
        if description is not None:
            tool.inner["description"] = description


@broken("translation/tool-lost", target=(ANTHROPIC, CHAT, GEMINI), sources=(RESPONSES,), cases=ONLY_DECLARED)
def own_tool_made_another(draft: Draft) -> None:
    """A tool that the client runs is dropped, and a function of the translator's own, for something else, is there."""
    replaced(draft, "think", "Think about what was found before you go on.")


@harmless(
    target=(ANTHROPIC, CHAT, GEMINI), sources=(RESPONSES,), cases=("client_run/shell",), beside="translation/tool-lost"
)
def own_tool_of_a_free_name(draft: Draft) -> None:
    """A shell becomes a function of any name, whose description says that it runs commands."""
    replaced(draft, "run_it", "Run a command line on the machine of the user.")


@harmless(
    target=(ANTHROPIC, CHAT, GEMINI), sources=(RESPONSES,), cases=("client_run/shell",), beside="translation/tool-lost"
)
def own_tool_of_a_free_name_in_the_plural(draft: Draft) -> None:
    """A shell becomes a function of any name, whose description says what it does in the plural."""
    replaced(draft, "run_it", "Runs commands on the machine of the user, and returns what they print.")


@harmless(
    target=(ANTHROPIC, CHAT, GEMINI), sources=(RESPONSES,), cases=("client_run/shell",), beside="translation/tool-lost"
)
def own_tool_of_a_free_name_alone(draft: Draft) -> None:
    """A shell becomes a function of any name that says nothing of itself."""
    replaced(draft, "run_it", None)


@warning("translation/schema-listed-twice", target=(CHAT, GEMINI, RESPONSES), sources=(ANTHROPIC, RESPONSES))
def own_tool_requires_twice(draft: Draft) -> None:
    """The schema that the translator wrote for a tool of the client's lists its first required member twice."""
    for tool in need([tool for tool in standing(draft) if tool.schema.get("required")]):
        tool.schema["required"].append(tool.schema["required"][0])


@broken("translation/tool-lost", target=(ANTHROPIC, CHAT, RESPONSES), sources=(GEMINI,), cases=BROWSER)
def browser_dropped(draft: Draft) -> None:
    """Google's browser is not declared: none of its functions is."""
    del draft.body["tools"]


@harmless(
    target=(ANTHROPIC, CHAT, RESPONSES),
    sources=(GEMINI,),
    cases=BROWSER,
    warns="translation/own-tool-functions",
    beside="translation/tool-lost",
)
def browser_without_some_functions(draft: Draft) -> None:
    """Of the functions of Google's browser those are declared that the conversation calls, and one more."""
    names = ("open_web_browser", "click_at", "type_text_at")
    for tool in list(wire.tools(draft.format, draft.body)):
        if tool.inner["name"] not in names:
            tool.remove()


@broken(
    {
        ANTHROPIC: "anthropic/tool-name",
        CHAT: "openai_chat/tool-name",
        GEMINI: ("gemini/declaration-name", "gemini/name-charset"),
    },
    sources=(RESPONSES,),
)
def own_tool_without_a_name(draft: Draft) -> None:
    """A tool that has no name in its declaration becomes a function whose name is empty."""
    for tool in need(standing(draft)):
        tool.inner["name"] = ""


@broken({CHAT: "openai_chat/tool-type", RESPONSES: "openai_responses/tool-type"}, sources=(ANTHROPIC,))
def own_tool_as_it_was(draft: Draft) -> None:
    """The declaration of a tool that another API defines is passed on as it stood."""
    place = {tool.get("name"): tool for tool in own(draft)}
    for tool in need(standing(draft)):
        tool.holder[tool.place] = dict(place[tool.inner["name"]])


@broken("translation/tool-lost", target=GEMINI, sources=(ANTHROPIC, RESPONSES), fault="own-tool-for-another-purpose")
def own_tool_for_another_purpose(draft: Draft) -> None:
    """A shell, an editor or a patch tool becomes the provider's search."""
    for tool in need(standing(draft)):
        tool.remove()
    draft.body["tools"].append({"googleSearch": {}})
    draft.body.pop("toolConfig", None)


@broken("translation/call-lost", sources=(RESPONSES,), target=(ANTHROPIC, CHAT, GEMINI))
def own_calls_dropped(draft: Draft) -> None:
    """The calls of a tool that OpenAI defines, and what they returned, are gone from the history."""
    names = {tool.inner["name"] for tool in need(standing(draft))}
    gone = need([call for call in draft.calls if call.name in names])
    keys = {call.id for call in gone}
    for result in [result for result in draft.results if result.id in keys or result.inner.get("name") in names]:
        result.remove()
    for call in gone:
        call.remove()
    draft.tidy()


@broken("translation/arguments", sources=(RESPONSES,), target=(ANTHROPIC, CHAT, GEMINI))
def own_call_without_its_action(draft: Draft) -> None:
    """What a call of a tool that OpenAI defines is to do is left out."""
    names = {tool.inner["name"] for tool in need(standing(draft))}
    for call in need([call for call in draft.calls if call.name in names and list(call.arguments) != ["type"]]):
        call.arguments = {}


@harmless(
    sources=(RESPONSES,),
    target=(ANTHROPIC, CHAT, GEMINI),
    beside=("translation/arguments", "translation/call-lost", "translation/tool-lost"),
)
def own_call_in_its_item(draft: Draft) -> None:
    """What a call of a tool that OpenAI defines is to do stands under action, as in its item."""
    names = {tool.inner["name"] for tool in need(standing(draft))}
    for call in need([call for call in draft.calls if call.name in names]):
        call.arguments = {"action": call.arguments}


@warning("translation/own-call-kind", check="response", target=RESPONSES)
def own_call_as_function(draft: Draft) -> None:
    """The call of a tool that OpenAI defines is given to its client as that of a function."""
    for item in need([item for item in draft.messages if item.get("type") in ACTIONS]):
        actions = item.pop(ACTIONS[item["type"]])
        item["name"] = item["type"].removesuffix("_call")
        item |= {"type": "function_call", "id": f"fc_{item['call_id']}", "arguments": json.dumps(actions)}
        item.pop("pending_safety_checks", None)


@harmless(check="response", target=RESPONSES, beside="translation/call-kind")
def own_call_without_defaults(draft: Draft) -> None:
    """The item of a call leaves out what is empty."""
    for item in need([item for item in draft.messages if item.get("type") == "local_shell_call"]):
        need(item["action"].get("env") == {})
        item["action"]["timeout_ms"] = None


@broken(
    "translation/arguments",
    check="response",
    target=RESPONSES,
    cases=("client_run/shell", "client_run/local-shell"),
    at_home=(),
)
def own_call_with_another_patience(draft: Draft) -> None:
    """The shell of the client is given a thousandth of the time that the model gave it."""
    actions = [item["action"] for item in draft.body["output"] if item["type"].endswith("shell_call")]
    for action in need([action for action in actions if action.get("timeout_ms")]):
        action["timeout_ms"] //= 1000


@broken("translation/arguments", check="response", target=RESPONSES, cases=("client_run/shell",))
def own_call_of_nothing(draft: Draft) -> None:
    """The shell of the client is called without a command."""
    for item in need([item for item in draft.body["output"] if item["type"] == "shell_call"]):
        item["action"] = {"commands": []}


@broken("translation/error-mark", target=ANTHROPIC, sources=(RESPONSES,), cases=("client_run/apply-patch",))
def failed_patch_as_a_good_one(draft: Draft) -> None:
    """A patch that failed is marked as one that did not."""
    blocks = [block for message in draft.body["messages"][1:] for block in message["content"]]
    for block in need([block for block in blocks if block.get("is_error")]):
        block["is_error"] = False


@warning("translation/own-tool-functions", target=(ANTHROPIC, CHAT, RESPONSES), sources=(GEMINI,), cases=BROWSER)
def half_of_a_computer(draft: Draft) -> None:
    """Of the functions that stand for a computer only the first few are declared."""
    declared = need(draft.body.get("tools"))
    need(len(declared) > 2)
    del declared[len(declared) // 2 :]


@harmless(target=(ANTHROPIC, CHAT, RESPONSES), sources=(GEMINI,), cases=BROWSER)
def functions_of_a_computer_in_another_order(draft: Draft) -> None:
    """The functions that stand for a computer are declared from the last to the first."""
    need(len(need(draft.body.get("tools"))) > 2)
    draft.body["tools"].reverse()
