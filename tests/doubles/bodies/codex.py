"""What OpenAI's Codex sends, and what bridges make of it: tools that an item of the conversation declares."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from doubles import wire
from doubles.bodies.connectors import groups
from doubles.bodies.free_form import as_function, custom_calls, custom_tools
from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, SAME, broken, harmless, need, warning
from doubles.draft import Draft
from doubles.wire import Skip

OTHERS = (ANTHROPIC, CHAT, GEMINI)
FIRST = ("codex/additional-tools",)
LATE = ("codex/late-tools",)
TWINS = ("codex/twin-tools",)
SEARCHED = ("codex/tool-search",)
MIXED = ("codex/mixed-namespace",)
ASKED = ("codex/compaction-asked",)


def brought(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The declarations that items of a conversation bring."""
    items = body["input"] if isinstance(body.get("input"), list) else []
    return [tool for item in items if item.get("type") == "additional_tools" for tool in item["tools"]]


@broken("translation/tool-lost", target=OTHERS, sources=(RESPONSES,), cases=FIRST)
def additional_tools_dropped(draft: Draft) -> None:
    """An item that declares tools is no message, and is left out."""
    need(brought(draft.source))
    for tool in draft.tools:
        tool.remove()


@broken("translation/tool-lost", target=OTHERS, sources=(RESPONSES,), cases=LATE)
def late_tool_dropped(draft: Draft) -> None:
    """A tool that an item amid the conversation declares is left out; the others are there."""
    late = {tool["name"] for entry in brought(draft.source) for tool in entry.get("tools", [entry])}
    for tool in need([tool for tool in draft.tools if tool.inner["name"] in late]):
        tool.remove()


@warning("translation/call-namespace", check="response", target=RESPONSES, sources=OTHERS, cases=LATE)
def late_group_forgotten(draft: Draft) -> None:
    """The call of a reply does not name the namespace in which an item amid the conversation declared its tool."""
    for item in need([item for item in draft.messages if item.get("namespace")]):
        del item["namespace"]


@broken("translation/tool-lost", target=CHAT, sources=(RESPONSES,), cases=FIRST)
def additional_tools_as_text(draft: Draft) -> None:
    """An item that declares tools stands as its JSON text before the user's first words."""
    tools = need(brought(draft.source))
    del draft.body["tools"]
    item = {"type": "additional_tools", "role": "developer", "tools": tools}
    draft.messages.insert(0, {"role": "user", "content": json.dumps(item)})


@broken("translation/tool-lost", target=(ANTHROPIC, GEMINI), sources=(RESPONSES,), cases=FIRST)
def additional_free_text_dropped(draft: Draft) -> None:
    """Of the tools that an item declares only the functions arrive."""
    inside = [tool for entry in brought(draft.source) for tool in entry.get("tools", [entry])]
    names = {tool["name"] for tool in inside if tool["type"] == "custom"}
    for tool in need([tool for tool in draft.tools if tool.inner["name"] in names]):
        tool.remove()


@harmless(target=OTHERS, sources=(RESPONSES,), cases=FIRST, beside=("translation/tool-lost", "translation/call-name"))
def additional_groups_in_the_names(draft: Draft) -> None:
    """The tools that an item declares in a namespace have it in their names."""
    inside = groups(brought(draft.source))
    for handle in need([handle for handle in [*draft.tools, *draft.calls] if handle.inner["name"] in inside]):
        handle.inner["name"] = f"{inside[handle.inner['name']]}__{handle.inner['name']}"
    for result in draft.results if draft.format == GEMINI else ():
        name = result.inner["name"]
        result.inner["name"] = f"{inside[name]}__{name}" if name in inside else name


@warning("translation/call-namespace", check="response", target=RESPONSES, sources=OTHERS, cases=FIRST)
def additional_group_forgotten(draft: Draft) -> None:
    """The calls of a reply do not name the namespaces in which an item of the conversation declared their tools."""
    for item in need([item for item in draft.messages if item.get("namespace")]):
        del item["namespace"]


@broken("translation/tool-lost", target=OTHERS, sources=(RESPONSES,), cases=TWINS)
def twin_tools_as_one(draft: Draft) -> None:
    """Of two servers' tools of one name only the first is declared, under that name, and each call is one of it."""
    need(draft.tools)[-1].remove()
    for handle in [*draft.tools, *draft.calls, *draft.results]:
        if "name" in handle.inner:
            handle.inner["name"] = "find_berth"


@broken("translation/call-name", target=(ANTHROPIC, CHAT), sources=(RESPONSES,), cases=TWINS)
def twin_call_of_the_other(draft: Draft) -> None:
    """A call goes to the other server's tool of its name."""
    names = [tool.inner["name"] for tool in draft.tools]
    for handle in [*need(draft.calls), *draft.results]:
        if "name" in handle.inner:
            handle.inner["name"] = names[1 - names.index(handle.inner["name"])]


@harmless(target=OTHERS, sources=(RESPONSES,), cases=TWINS, beside=("translation/tool-lost", "translation/call-name"))
def twin_tools_told_apart_otherwise(draft: Draft) -> None:
    """Two servers' tools of one name are told apart by a number behind it."""
    names = [tool.inner["name"] for tool in draft.tools]
    for handle in [*need(draft.tools), *draft.calls, *draft.results]:
        if "name" in handle.inner:
            handle.inner["name"] = f"find_berth_{names.index(handle.inner['name']) + 1}"


@broken(
    "translation/call-name",
    check="response",
    target=RESPONSES,
    sources=OTHERS,
    cases=TWINS,
    warns="translation/call-namespace",
)
def twin_call_of_no_server(draft: Draft) -> None:
    """The call of a reply does not say which of two servers' tools of its name it calls."""
    for item in need([item for item in draft.messages if item.get("namespace")]):
        del item["namespace"]


@broken("translation/call-name", check="response", target=RESPONSES, sources=OTHERS, cases=TWINS)
def twin_call_of_the_wrong_server(draft: Draft) -> None:
    """The call of a reply names the other of two servers that have a tool of its name."""
    for item in need([item for item in draft.messages if item.get("namespace")]):
        item["namespace"] = {"north_quay": "south_quay", "south_quay": "north_quay"}[item["namespace"]]


@broken("translation/tool-lost", target=OTHERS, sources=(RESPONSES,), cases=MIXED)
def mixed_free_text_dropped(draft: Draft) -> None:
    """Of a namespace that has both kinds of tools only the functions are declared."""
    free = {tool["name"] for entry in draft.source["tools"] for tool in entry["tools"] if tool["type"] == "custom"}
    if draft.format == CHAT:
        need(free)
        draft.body["tools"] = [tool for tool in draft.body["tools"] if tool["type"] == "function"]
    else:
        for tool in need([tool for tool in draft.tools if tool.inner["name"] in free]):
            tool.remove()


@broken("translation/call-kind", check="response", target=RESPONSES, sources=OTHERS, cases=MIXED)
def mixed_calls_of_one_kind(draft: Draft) -> None:
    """All calls of a namespace are those of functions, for its first tool is one."""
    for call in need(list(custom_calls(draft))):
        as_function(call)


@broken("translation/call-name", check="response", target=RESPONSES, sources=OTHERS, cases=MIXED)
def mixed_group_left_in_the_name(draft: Draft) -> None:
    """The namespace is taken out of the names of functions only; a free-text call keeps it in its name."""
    for call in need(list(custom_calls(draft))):
        call["name"] = f"{call.pop('namespace')}__{call['name']}"


@warning("translation/call-namespace", check="response", target=RESPONSES, sources=OTHERS, cases=MIXED)
def mixed_group_of_functions_only(draft: Draft) -> None:
    """Of the calls of one namespace only those of functions name it."""
    for call in need(list(custom_calls(draft))):
        del call["namespace"]


@harmless(
    target=OTHERS,
    sources=(RESPONSES,),
    cases=MIXED,
    beside=("translation/tool-lost", "translation/call-name", "translation/call-kind"),
)
def mixed_group_in_the_names(draft: Draft) -> None:
    """Both kinds of tools of a namespace have it in their names."""
    handles = [*need(draft.tools), *draft.calls, *(draft.results if draft.format == GEMINI else ())]
    free = [*custom_tools(draft), *(call["custom"] for call in custom_calls(draft))] if draft.format == CHAT else []
    for named in [*(handle.inner for handle in handles), *free]:
        named["name"] = f"stowage__{named['name']}"


@broken("translation/compaction-asked", target=RESPONSES, sources=SAME, cases=ASKED)
def wish_for_a_compaction_dropped(draft: Draft) -> None:
    """On A→A the wish for a compaction is skipped as an item that is no message."""
    items = draft.body["input"]
    for item in need([item for item in items if item.get("type") == "compaction_trigger"]):
        items.remove(item)


@harmless(
    target=RESPONSES, sources=SAME, cases=ASKED, beside="translation/compaction-asked", warns="translation/identity"
)
def wish_for_a_compaction_with_an_id(draft: Draft) -> None:
    """On A→A the wish for a compaction gets an id."""
    for item in need([item for item in draft.body["input"] if item.get("type") == "compaction_trigger"]):
        item["id"] = "ct_68f2c1d1b3e48193905d7ac4f08e6b12"


@warning("translation/identity", target=RESPONSES, sources=SAME, cases=FIRST)
def reasoning_context_dropped(draft: Draft) -> None:
    """On A→A a request does not say any more that the model is to read the thoughts of all turns."""
    need(draft.body.get("reasoning", {}).pop("context", None))


def _leave_out(draft: Draft, calls: Sequence[Any]) -> None:
    """Take calls and their results out of a history; where results have no ids, the last ones are meant."""
    keys = {call.id for call in calls} - {None}
    named = [result for result in draft.results if result.id in keys]
    results = named or [result for result in draft.results if result.inner.get("name") == "tool_search"][-len(calls) :]
    for place in (*results, *calls):
        place.remove()
    draft.tidy()


@broken("translation/tool-lost", target=OTHERS, sources=(RESPONSES,), cases=SEARCHED)
def client_search_dropped(draft: Draft) -> None:
    """The search for tools that the client runs is not offered, so that the model never finds a further one."""
    declared = wire.tools(draft.format, draft.body)
    for tool in need([tool for tool in declared if tool.inner["name"] == "tool_search"]):
        tool.remove()


@broken("translation/call-lost", target=OTHERS, sources=(RESPONSES,), cases=SEARCHED)
def client_search_forgotten(draft: Draft) -> None:
    """Of two searches that the client ran only the first is in the history."""
    gone = [call for call in draft.calls if call.name == "tool_search"][1:]
    if not gone:
        raise Skip
    _leave_out(draft, gone)


@harmless(
    target=OTHERS,
    sources=(RESPONSES,),
    cases=SEARCHED,
    beside="translation/call-lost",
    warns="translation/hosted-step-lost",
)
def client_searches_left_out(draft: Draft) -> None:
    """The searches that are done are left out of the history, for the tools that they brought are declared."""
    _leave_out(draft, need([call for call in draft.calls if call.name == "tool_search"]))


@harmless(
    target=OTHERS, sources=(RESPONSES,), cases=SEARCHED, beside=("translation/call-lost", "translation/tool-lost")
)
def client_search_of_another_name(draft: Draft) -> None:
    """The search is a function of another name, in its declaration, its calls and its results."""
    declared = [tool.inner for tool in wire.tools(draft.format, draft.body)]
    handles = [*declared, *(each.inner for each in (*draft.calls, *draft.results))]
    for inner in need([inner for inner in handles if inner.get("name") == "tool_search"]):
        inner["name"] = "find_tools"


@broken("translation/tool-lost", target=OTHERS, sources=(RESPONSES,), cases=SEARCHED)
def loaded_tool_dropped(draft: Draft) -> None:
    """A tool that a search of the client's loads is not declared, though its search and its calls are there."""
    if not any(item.get("type") == "tool_search_output" for item in draft.source["input"]):
        raise Skip
    for tool in need([tool for tool in draft.tools if tool.inner["name"] == "list_tickets"]):
        tool.remove()


@broken("translation/result-content", target=(ANTHROPIC, CHAT), sources=(RESPONSES,), cases=SEARCHED)
def loaded_tools_unsaid(draft: Draft) -> None:
    """The result of a search says only that it is done."""
    for result in need([result for result in draft.results if "list_tickets" in json.dumps(result.inner)]):
        result.inner["content"] = "done"


@harmless(target=(ANTHROPIC, CHAT), sources=(RESPONSES,), cases=SEARCHED, beside="translation/result-content")
def loaded_tools_by_name(draft: Draft) -> None:
    """The result of a search gives the names of the tools that it loads; their declarations are with the others."""
    for result in need([result for result in draft.results if "list_tickets" in json.dumps(result.inner)]):
        result.inner["content"] = json.dumps({"tools": ["helpdesk.list_tickets"]})


@warning("translation/own-call-kind", check="response", target=RESPONSES, sources=OTHERS, cases=SEARCHED)
def client_search_as_function(draft: Draft) -> None:
    """A reply calls the client's search for tools as a function, at which Codex ends."""
    for item in need([item for item in draft.messages if item.get("type") == "tool_search_call"]):
        arguments = json.dumps(item.pop("arguments"))
        del item["execution"]
        item |= {"type": "function_call", "name": "tool_search", "arguments": arguments}


@broken("translation/call-lost", check="response", target=RESPONSES, sources=OTHERS, cases=SEARCHED)
def client_search_by_the_server(draft: Draft) -> None:
    """A reply says of the client's search that the server ran it, so that the client does nothing."""
    for item in need([item for item in draft.messages if item.get("type") == "tool_search_call"]):
        item["execution"] = "server"
