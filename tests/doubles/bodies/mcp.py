"""Names of tools: cut or cleaned until two are one, and renamed in one place only."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from doubles import wire
from doubles.bodies.choice import choice
from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need
from doubles.draft import Draft

INJECTIVE = "translation/tool-names-injective"
CUT = "mcp/names-cut-alike"


def names(draft: Draft) -> dict[str, str]:
    """The source's names of the tools by those that the reference gave them; a renamed one is known by description."""
    own = [tool.inner for tool in wire.tools(draft.source_format, draft.source)]
    names_of_server = {inner["name"] for inner in own}
    described = {inner.get("description"): inner["name"] for inner in own}
    return {
        inner["name"]: inner["name"]
        if inner["name"] in names_of_server
        else described.get(inner.get("description"), inner["name"])
        for inner in (tool.inner for tool in need(draft.tools))
    }


def rename(draft: Draft, new: Callable[[str], str]) -> None:
    """Give every tool the name that ``new`` makes of the source's, wherever it stands; Skip if none changes."""
    fitting = {mine: new(own) for mine, own in names(draft).items()}
    need(any(mine != other for mine, other in fitting.items()))
    for handle in [*draft.tools, *draft.calls, *draft.results]:
        if "name" in handle.inner:
            handle.inner["name"] = fitting.get(handle.inner["name"], handle.inner["name"])
    _choose(draft, fitting)


def _choose(draft: Draft, fitting: dict[str, str]) -> None:
    stated = choice(draft)
    if not isinstance(stated, dict):
        return
    if draft.format == GEMINI:
        if "allowedFunctionNames" in stated:
            stated["allowedFunctionNames"] = [fitting.get(name, name) for name in stated["allowedFunctionNames"]]
        return
    for entry in [stated, *_listed(stated)]:
        inner = entry.get("function", entry)
        if "name" in inner:
            inner["name"] = fitting.get(inner["name"], inner["name"])


def _listed(stated: dict[str, Any]) -> list[dict[str, Any]]:
    """The tools of a subset in OpenAI's two formats."""
    inner = stated.get("allowed_tools", stated)
    listed: list[dict[str, Any]] = inner.get("tools") or []
    return listed


@broken(INJECTIVE, target=CHAT, sources=(ANTHROPIC, RESPONSES), cases=(CUT,))
def names_cut(draft: Draft) -> None:
    """Names are cut at the limit, so that three tools have one."""
    rename(draft, lambda name: name[:64])


@broken(INJECTIVE, target=(ANTHROPIC, CHAT, RESPONSES), sources=(GEMINI,), cases=("mcp/names-cleaned-alike",))
def names_cleaned(draft: Draft) -> None:
    """Dots and colons of names become underscores, so that three tools have one name."""
    rename(draft, lambda name: re.sub(r"[^a-zA-Z0-9_-]", "_", name))


@broken(
    {
        ANTHROPIC: "anthropic/tool-name",
        CHAT: "openai_chat/tool-name",
        RESPONSES: "openai_responses/tool-name",
        GEMINI: "gemini/name-charset",
    },
    cases=("mcp/odd-characters",),
)
def names_passed_on(draft: Draft) -> None:
    """Names that begin with a digit or hold a colon go to a provider that does not take them."""
    rename(draft, lambda name: name)


@broken(INJECTIVE, cases=("declarations/eighteen-tools",))
def names_in_lower_case(draft: Draft) -> None:
    """All names are written in small letters, so that two tools have one."""
    rename(draft, str.lower)


@broken(INJECTIVE, cases=("mcp/two-servers",))
def names_without_server(draft: Draft) -> None:
    """The server is taken off the names, and the same tool of two servers has one."""
    new = {mine: mine.rsplit("__", 1)[-1] for mine in (tool.inner["name"] for tool in need(draft.tools))}
    for handle in [*draft.tools, *draft.calls, *draft.results]:
        if "name" in handle.inner:
            handle.inner["name"] = new[handle.inner["name"]]


CHOSEN = ("mcp/choice-named", "mcp/choice-subset")


@broken("translation/tool-choice", cases=CHOSEN)
def choice_keeps_old_names(draft: Draft) -> None:
    """The tools that a choice names have their old names there, which nobody declared."""
    original_names = names(draft)
    need(any(mine != own and f'"{mine}"' in json.dumps(choice(draft)) for mine, own in original_names.items()))
    _choose(draft, original_names)


@broken("translation/tool-choice", target=(CHAT, GEMINI))
def choice_loses_renamed(draft: Draft) -> None:
    """A subset of tools is short of those that were renamed."""
    renamed = {mine for mine, own in names(draft).items() if mine != own}
    stated = need(choice(draft))
    need(isinstance(stated, dict))
    if draft.format == GEMINI:
        listed = need(stated.get("allowedFunctionNames"))
        rest = [name for name in listed if name not in renamed]
    else:
        listed = need(_listed(stated))
        rest = [entry for entry in listed if entry.get(str(entry.get("type")), entry).get("name") not in renamed]
    need(0 < len(rest) < len(listed))
    listed[:] = rest


@broken(
    {
        ANTHROPIC: ("translation/call-name", "anthropic/tool-name"),
        CHAT: ("translation/call-name", "openai_chat/call-name"),
        RESPONSES: "translation/call-name",
        GEMINI: ("translation/call-name", "gemini/result-names-call"),
    }
)
def history_keeps_old_names(draft: Draft) -> None:
    """Tools are renamed where they are declared, and called by their old names in the history."""
    original_names = names(draft)
    calls = need([call for call in draft.calls if original_names.get(call.name, call.name) != call.name])
    for call in calls:
        call.name = original_names[call.name]
