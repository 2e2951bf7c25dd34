"""What a reply of Responses repeats of its request: another value than the client asked for, or more beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from doubles.body import RESPONSES, harmless, need, warning
from doubles.draft import Draft, copied

ECHO = "translation/reply-echo"

ANOTHER: dict[str, Any] = {
    "background": True,
    "max_output_tokens": 77,
    "metadata": {"run": "of somebody else"},
    "temperature": 0.77,
    "text": {"format": {"type": "json_object"}},
    "top_p": 0.77,
    "user": "somebody else",
}
"""Values that no request of the corpus has."""


def _asked_otherwise(key: str, value: Any) -> Callable[[Draft], None]:
    def change(draft: Draft) -> None:
        need(draft.asked.get(key) is not None and draft.asked[key] != value)
        draft.body[key] = copied(value)

    return change


for name, given in ANOTHER.items():
    warning(
        ECHO,
        target=RESPONSES,
        check="response",
        at_home=(),
        fault=f"another-{name.replace('_', '-')}",
        title=f"A reply repeats another {name} than the request had",
    )(_asked_otherwise(name, given))

UNASKED: dict[str, Any] = {
    "background": True,
    "parallel_tool_calls": False,
    "text": {"format": {"type": "json_object"}},
    "tool_choice": "required",
    "truncation": "auto",
}
"""Values that are not the default."""


def _not_asked(key: str, value: Any) -> Callable[[Draft], None]:
    def change(draft: Draft) -> None:
        need(draft.asked and draft.asked.get(key) is None)
        draft.body[key] = copied(value)

    return change


for name, given in UNASKED.items():
    warning(
        ECHO,
        target=RESPONSES,
        check="response",
        at_home=(),
        fault=f"unasked-{name.replace('_', '-')}",
        title=f"A reply tells of a {name} that nobody asked for, and that is not the default",
    )(_not_asked(name, given))


def _flipped(key: str) -> Callable[[Draft], None]:
    def change(draft: Draft) -> None:
        need(isinstance(draft.asked.get(key), bool))
        draft.body[key] = not draft.asked[key]

    return change


for name in ("parallel_tool_calls", "store"):
    warning(
        ECHO,
        target=RESPONSES,
        check="response",
        at_home=(),
        fault=f"{name.replace('_', '-')}-turned-round",
        title=f"A reply repeats the opposite of the {name} that the request had",
    )(_flipped(name))


@warning(ECHO, target=RESPONSES, check="response", at_home=())
def choice_given_up(draft: Draft) -> None:
    """A reply says that the model was free to choose, where the request forced or forbade a call."""
    need(draft.asked.get("tool_choice") not in (None, "auto"))
    draft.body["tool_choice"] = "auto"


@warning(ECHO, target=RESPONSES, check="response", at_home=())
def another_effort(draft: Draft) -> None:
    """A reply repeats another effort than the request had."""
    need((draft.asked.get("reasoning") or {}).get("effort") not in (None, "minimal"))
    draft.body["reasoning"] = {"effort": "minimal"}


@warning(ECHO, target=RESPONSES, check="response", at_home=())
def truncation_given_up(draft: Draft) -> None:
    """A reply says that it was not truncated, where the request allowed it."""
    need(draft.asked.get("truncation") == "auto")
    draft.body["truncation"] = "disabled"


def _functions(draft: Draft) -> list[dict[str, Any]]:
    others = {"tool_search", "namespace", "additional_tools"}
    need(not any(tool.get("type") in others for tool in draft.asked.get("tools", ())))
    return need([tool for tool in draft.body["tools"] if tool.get("type") == "function"])


@warning(ECHO, target=RESPONSES, check="response", at_home=())
def tools_described_otherwise(draft: Draft) -> None:
    """A reply repeats the tools with descriptions of the translator's own."""
    for tool in _functions(draft):
        need(tool.get("description"))
        tool["description"] = "A tool of the gateway."


@warning(ECHO, target=RESPONSES, check="response", at_home=())
def tools_without_parameters(draft: Draft) -> None:
    """A reply repeats the tools with schemas that have no properties."""
    for tool in _functions(draft):
        need((tool.get("parameters") or {}).get("properties"))
        tool["parameters"] = {"type": "object", "properties": {}}


@warning(ECHO, target=RESPONSES, check="response", at_home=())
def tools_strict_otherwise(draft: Draft) -> None:
    """A reply says of tools that they are strict which are not, and the other way round."""
    strict = {tool.get("name"): tool.get("strict") for tool in draft.asked.get("tools", ())}
    for tool in _functions(draft):
        need(isinstance(strict.get(tool["name"]), bool))
        tool["strict"] = not strict[tool["name"]]


@warning(ECHO, target=RESPONSES, check="response", at_home=())
def tools_by_the_names_sent(draft: Draft) -> None:
    """A reply repeats the tools under names that only the upstream knows."""
    for tool in _functions(draft):
        tool["name"] = f"gw_{tool['name']}"


@warning(ECHO, target=RESPONSES, check="response", at_home=())
def hosted_tools_set_otherwise(draft: Draft) -> None:
    """A reply repeats the tools that the provider runs with other settings than the request gave them."""
    set_up = {"image_generation": ("output_format", "bmp"), "code_interpreter": ("container", {"type": "none"})}
    for tool in draft.asked.get("tools", ()):
        key, value = set_up.get(tool.get("type"), ("", None))
        if key in tool:
            declaration = next(
                declaration for declaration in draft.body["tools"] if declaration.get("type") == tool["type"]
            )
            declaration[key] = value


@harmless(target=RESPONSES, check="response", at_home=())
def hosted_tools_with_secrets_hidden(draft: Draft) -> None:
    """A reply repeats the tools that the provider runs with defaults, and hides addresses and headers."""
    for tool in draft.body["tools"]:
        if tool.get("type") == "mcp":
            tool |= {"server_url": "https://example.com/<redacted>", "headers": {"x-key": "<redacted>"}}
        if tool.get("type") == "image_generation":
            tool |= {"background": "auto", "n": 1}
            tool.pop("quality", None)


@harmless(target=RESPONSES, check="response", at_home=())
def schemas_repeated_with_more(draft: Draft) -> None:
    """A reply repeats schemas with members that the request left open, and says what the request says with null."""
    for tool in _functions(draft):
        schema = tool.get("parameters")
        if isinstance(schema, dict) and schema.get("properties"):
            schema["required"] = list(schema["properties"])
            schema.setdefault("additionalProperties", False)
    need(draft.asked.get("service_tier") is None)
    draft.body |= {"service_tier": "default", "max_tool_calls": None, "top_logprobs": 0}
