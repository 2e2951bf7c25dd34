"""Tools that the provider runs itself: their declarations, and their steps in histories and replies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, SAME, broken, harmless, need, warning
from doubles.draft import Draft

IDENTITY = ("translation/identity", "translation/identity-spelling")


def _blocks(draft: Draft) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """The assistant's blocks of an Anthropic request, each with the list that it stands in."""
    for message in draft.body.get("messages", []):
        if message["role"] == "assistant" and isinstance(message["content"], list):
            yield from ((message["content"], block) for block in list(message["content"]))


def _steps(draft: Draft) -> list[tuple[list[Any], dict[str, Any]]]:
    """The calls of Anthropic's own tools."""
    return need([(holder, block) for holder, block in _blocks(draft) if block["type"] == "server_tool_use"])


def _outcomes(draft: Draft) -> list[tuple[list[Any], dict[str, Any]]]:
    """What they brought."""
    blocks = [(holder, block) for holder, block in _blocks(draft) if block["type"].endswith("_tool_result")]
    return need([(holder, block) for holder, block in blocks if "srvtoolu" in block["tool_use_id"]])


def _items(draft: Draft, *kinds: str) -> list[dict[str, Any]]:
    """The items of these types in a Responses request."""
    items = draft.body.get("input")
    return need([item for item in items if item.get("type") in kinds] if isinstance(items, list) else [])


def _declared(draft: Draft) -> list[dict[str, Any]]:
    """The declarations of the provider's own tools that need more than their type."""
    plain = ("function", "custom", "web_search")
    return need([tool for tool in draft.body.get("tools", []) if tool.get("type", "custom") not in plain])


@broken("anthropic/hosted-call-shape", sources=SAME)
def step_without_input(draft: Draft) -> None:
    """A server tool's call of the history lost its input."""
    for _, block in _steps(draft):
        del block["input"]


@broken("anthropic/hosted-call-shape", sources=SAME)
def step_input_as_text(draft: Draft) -> None:
    """The input of a server tool's call is JSON text, as the other formats write arguments."""
    for _, block in _steps(draft):
        block["input"] = json.dumps(block["input"])


@broken("anthropic/hosted-result-linked", sources=SAME)
def outcome_moved_to_user(draft: Draft) -> None:
    """What a server tool brought goes to the next user message, where results of the client's tools stand."""
    holder, block = _outcomes(draft)[0]
    holder.remove(block)
    after = next(place for place, message in enumerate(draft.messages) if message["content"] is holder) + 1
    content = need(draft.messages[after]["content"] if after < len(draft.messages) else None)
    texts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    draft.messages[after]["content"] = [block, *texts]


@broken("anthropic/hosted-result-linked", sources=SAME)
def step_dropped_before_outcome(draft: Draft) -> None:
    """The call of a server tool is filtered out, and what it brought stays."""
    brought = {block["tool_use_id"] for _, block in _outcomes(draft)}
    for holder, block in need([each for each in _steps(draft) if each[1]["id"] in brought]):
        holder.remove(block)


@broken("anthropic/hosted-result-opaque", sources=SAME)
def sealed_contents_dropped(draft: Draft) -> None:
    """The pages that a search brought lost their encrypted content, which nobody seems to need."""
    for _, block in _outcomes(draft):
        for page in block["content"] if isinstance(block["content"], list) else ():
            page.pop("encrypted_content", None)


@broken("anthropic/hosted-result-shape", sources=SAME)
def outcome_as_text(draft: Draft) -> None:
    """What a server tool brought is JSON text, as results of functions are in the OpenAI formats."""
    for _, block in _outcomes(draft):
        block["content"] = json.dumps(block["content"])


@broken("anthropic/hosted-result-shape", sources=SAME)
def failure_marked_on_outcome(draft: Draft) -> None:
    """A server tool that failed gets the mark that a client's failed tool has."""
    for _, block in need([outcome for outcome in _outcomes(draft) if "error" in json.dumps(outcome[1]["content"])]):
        block["is_error"] = True


@broken("anthropic/hosted-not-answered", sources=SAME)
def step_answered(draft: Draft) -> None:
    """Every call of the history gets a result of the client, those of server tools too."""
    holder, block = _steps(draft)[0]
    for content, other in _outcomes(draft):
        if other["tool_use_id"] == block["id"]:
            content.remove(other)
    after = next(place for place, message in enumerate(draft.messages) if message["content"] is holder) + 1
    blocks = need(draft.messages[after]["content"] if after < len(draft.messages) else None)
    texts = [{"type": "text", "text": blocks}] if isinstance(blocks, str) else blocks
    answer = {"type": "tool_result", "tool_use_id": block["id"], "content": "No such tool."}
    draft.messages[after]["content"] = [answer, *texts]


@broken("anthropic/hosted-tool-shape", sources=SAME)
def own_tool_under_another_name(draft: Draft) -> None:
    """Names of tools get a prefix, that of a server tool too, whose name is fixed."""
    own = [tool for tool in draft.body.get("tools", []) if tool.get("type", "custom") != "custom"]
    for tool in need([tool for tool in own if "name" in tool]):
        tool["name"] = f"proxy_{tool['name']}"


@broken("openai_responses/hosted-item", sources=SAME)
def own_keys_of_steps_dropped(draft: Draft) -> None:
    """Only id, status and what can be read stays of a step, not the container or the queries."""
    for item in _items(draft, "code_interpreter_call", "file_search_call"):
        for key in ("container_id", "queries"):
            item.pop(key, None)


@broken("openai_responses/hosted-item", sources=SAME)
def ids_of_steps_dropped(draft: Draft) -> None:
    """Items lose their ids, those of steps too, which need one."""
    kinds = ("web_search_call", "code_interpreter_call", "file_search_call", "image_generation_call")
    for item in _items(draft, *kinds):
        item.pop("id")


@broken("openai_responses/hosted-call-has-no-result", sources=SAME)
def step_of_openai_answered(draft: Draft) -> None:
    """Every call of the history gets an output, the provider's own steps too."""
    item = _items(draft, "web_search_call", "code_interpreter_call", "file_search_call", "image_generation_call")[0]
    answer = {"type": "function_call_output", "call_id": item["id"], "output": "No such tool."}
    draft.body["input"].insert(draft.body["input"].index(item) + 1, answer)


@broken("openai_responses/hosted-tool", sources=SAME)
def own_tool_as_bare_type(draft: Draft) -> None:
    """Of a tool that the provider runs only the type is passed on."""
    for tool in need([tool for tool in _declared(draft) if "container" in tool or "vector_store_ids" in tool]):
        for key in set(tool) - {"type"}:
            del tool[key]


@broken("gemini/server-call-not-answered", sources=SAME)
def step_of_google_answered(draft: Draft) -> None:
    """A call that Google ran itself gets a response of the client."""
    contents = draft.body["contents"]
    for place, content in enumerate(contents):
        called = [part["toolCall"]["id"] for part in content["parts"] if "toolCall" in part]
        if called and place + 1 < len(contents):
            response = {"name": "google_search", "id": called[0], "response": {"error": "No such tool."}}
            contents[place + 1]["parts"].append({"functionResponse": response})
            return
    need(None)


@broken(
    "translation/server-call-as-client-call", check="response", sources=(ANTHROPIC,), target=(CHAT, RESPONSES, GEMINI)
)
def step_of_anthropic_as_call(draft: Draft) -> None:
    """A step of Anthropic's own tools becomes a call, which no client can run."""
    step = need([block for block in draft.source["content"] if block["type"] == "server_tool_use"])[0]
    _add_call(draft, step["id"], step["name"], step["input"])


@broken(
    "translation/server-call-as-client-call", check="response", sources=(RESPONSES,), target=(ANTHROPIC, CHAT, GEMINI)
)
def step_of_openai_as_call(draft: Draft) -> None:
    """A search that OpenAI ran itself becomes a call, which no client can run."""
    kinds = ("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call")
    step = need([item for item in draft.source["output"] if item["type"] in kinds])[0]
    _add_call(draft, step["id"], step["type"].removesuffix("_call"), {"query": "harbour"})


@broken(
    "translation/server-call-as-client-call", check="response", sources=(GEMINI,), target=(ANTHROPIC, CHAT, RESPONSES)
)
def step_of_google_as_call(draft: Draft) -> None:
    """A call that Google ran itself becomes one of the client's."""
    parts = draft.source["candidates"][0].get("content", {}).get("parts", []) if "candidates" in draft.source else []
    step = need([part["toolCall"] for part in parts if "toolCall" in part])[0]
    _add_call(draft, step["id"], step["toolType"].lower(), step.get("args", {}))


def _add_call(draft: Draft, call_id: str, name: str, arguments: dict[str, Any]) -> None:
    if draft.format == ANTHROPIC:
        draft.body["content"].append({"type": "tool_use", "id": call_id, "name": name, "input": arguments})
        draft.body["stop_reason"] = "tool_use"
    elif draft.format == CHAT:
        called = {"name": name, "arguments": json.dumps(arguments)}
        message = draft.body["choices"][0]["message"]
        message.setdefault("tool_calls", []).append({"id": call_id, "type": "function", "function": called})
        draft.body["choices"][0]["finish_reason"] = "tool_calls"
    elif draft.format == RESPONSES:
        item = {"type": "function_call", "id": "fc_1", "call_id": call_id, "name": name, "status": "completed"}
        draft.body["output"].append({**item, "arguments": json.dumps(arguments)})
    else:
        call = {"id": call_id, "name": name, "args": arguments}
        draft.body["candidates"][0]["content"]["parts"].append({"functionCall": call})


STEPS = (
    "server_tools/web-search",
    "server_tools/search-then-call",
    "server_tools/code-execution",
    "server_tools/fetch-fails-once",
    "server_tools/file-search-then-call",
    "server_tools/image-generation",
)


@broken("translation/text-lost", check="response", cases=STEPS)
def words_before_step_lost(draft: Draft) -> None:
    """Of a reply with a step in it only what is said behind the step arrives."""
    first = _first_words(draft)
    holder = _said_in(draft)
    holder[:] = [entry for entry in holder if _text_of(entry) != first] if holder else []
    for text in [text for text in draft.texts if first in text.text] if draft.format == CHAT else ():
        text.text = text.text.replace(first, "").lstrip()


def _first_words(draft: Draft) -> str:
    """The text before a step, where the reply goes on in words behind it."""
    texts: list[str] = []
    stepped = False
    for entry in _entries(draft):
        text = _text_of(entry)
        if text is None:
            stepped = stepped or bool(texts)
        elif stepped:
            return texts[0]
        else:
            texts.append(text)
    return need(None) or ""


def _said_in(draft: Draft) -> list[dict[str, Any]]:
    """What a reply consists of, where that is a list."""
    content = draft.body.get("content") or draft.body.get("output")
    return content or (draft.body["candidates"][0]["content"]["parts"] if "candidates" in draft.body else [])


def _entries(draft: Draft) -> list[dict[str, Any]]:
    source = draft.source
    content = source.get("content") or source.get("output")
    return need(content or (source["candidates"][0]["content"]["parts"] if "candidates" in source else None))


def _text_of(entry: dict[str, Any]) -> str | None:
    if entry.get("type") == "message":
        return "".join(part["text"] for part in entry["content"])
    return entry.get("text")


@warning("translation/hosted-tool-lost", target=(RESPONSES, ANTHROPIC, GEMINI), cases=STEPS)
def own_tools_dropped(draft: Draft) -> None:
    """A tool that the target has too is gone, and nobody says so."""
    need(not _has_steps(draft.source))
    tools = need(draft.body.get("tools"))
    own = [tool for tool in tools if "functionDeclarations" not in tool and tool.get("type") not in (None, "function")]
    own += [tool for tool in tools if "type" not in tool and not {"functionDeclarations", "name"} & set(tool)]
    for tool in need(own):
        tools.remove(tool)
    if not tools:
        del draft.body["tools"]


@warning(IDENTITY, check="request", target=(ANTHROPIC, RESPONSES, GEMINI), sources=SAME, cases=STEPS)
def steps_dropped_at_home(draft: Draft) -> None:
    """On A→A the history loses the steps that the provider ran itself."""
    if draft.format == ANTHROPIC:
        for holder, block in [*_steps(draft), *_outcomes(draft)]:
            holder.remove(block)
    elif draft.format == RESPONSES:
        items = draft.body["input"]
        for item in need([item for item in items if str(item.get("id")).startswith(("ws_", "ci_", "fs_", "ig_"))]):
            items.remove(item)
    else:
        ran = ("toolCall", "toolResponse", "executableCode", "codeExecutionResult")
        for content in draft.body["contents"]:
            content["parts"] = [part for part in content["parts"] if not set(ran) & set(part)]


@harmless(
    target=CHAT,
    sources=(ANTHROPIC, RESPONSES, GEMINI),
    cases=STEPS,
    warns=("translation/hosted-step-lost", "translation/hosted-tool-lost"),
    beside="translation/text-changed",
)
def steps_told_as_text(draft: Draft) -> None:
    """The steps of the history are told as text, in the assistant's own messages."""
    messages = [message for message in draft.messages if message["role"] == "assistant" and message.get("content")]
    need(messages and _has_steps(draft.source))
    messages[0]["content"] = f"[web_search code_execution web_fetch: done]\n\n{messages[0]['content']}"


def _has_steps(source: dict[str, Any]) -> bool:
    words = json.dumps(source.get("messages") or source.get("input") or source.get("contents"))
    return any(word in words for word in ("srvtoolu_", '"ws_', '"ci_', '"fs_', '"ig_', "toolCall", "executableCode"))


@harmless(
    target=ANTHROPIC,
    sources=SAME,
    cases=STEPS,
    warns=IDENTITY,
    beside=("anthropic/hosted-call-shape", "anthropic/hosted-result-shape", "anthropic/hosted-result-linked"),
)
def steps_say_who_called(draft: Draft) -> None:
    """Steps of the history say that the model called them itself, as replies do."""
    for _, block in [*_steps(draft), *_outcomes(draft)]:
        block["caller"] = {"type": "direct"}


@harmless(
    target=ANTHROPIC,
    sources=SAME,
    cases=STEPS,
    warns=IDENTITY,
    beside=("anthropic/hosted-result-opaque", "anthropic/hosted-not-answered", "anthropic/hosted-tool-shape"),
)
def own_tools_first(draft: Draft) -> None:
    """Server tools are declared before the client's, and of the pages no age is passed on."""
    draft.body["tools"].sort(key=lambda tool: tool.get("type", "custom") == "custom")
    for _, block in _outcomes(draft):
        for page in block["content"] if isinstance(block["content"], list) else ():
            page.pop("page_age", None)


@harmless(
    target=RESPONSES,
    sources=SAME,
    cases=STEPS,
    warns=IDENTITY,
    beside=(
        "openai_responses/hosted-item",
        "openai_responses/hosted-call-has-no-result",
        "openai_responses/hosted-tool",
    ),
)
def states_of_steps_dropped(draft: Draft) -> None:
    """Steps of the history do not say how far they got."""
    kinds = ("code_interpreter_call", "file_search_call")
    for item in _items(draft, *kinds):
        item.pop("status", None)
        item.pop("outputs", None)


@harmless(target=GEMINI, sources=SAME, cases=STEPS, warns=IDENTITY, beside=("gemini/server-call-not-answered",))
def empty_response_of_step(draft: Draft) -> None:
    """A response of Google's own tool says that it is empty."""
    parts = [part for content in draft.body["contents"] for part in content["parts"]]
    for part in need([part for part in parts if "toolResponse" in part]):
        part["toolResponse"].setdefault("response", {})


@harmless(
    target=(ANTHROPIC, CHAT, RESPONSES, GEMINI),
    check="response",
    cases=STEPS,
    beside="translation/server-call-as-client-call",
)
def step_told_in_reply(draft: Draft) -> None:
    """A step is told of as text in the reply."""
    need(_has_steps({"input": draft.source}))
    need("tool_calls" not in json.dumps(draft.body) or draft.texts)
    first = need(draft.texts)[0]
    first.text = f"[{_name_of_step(draft)}]\n\n{first.text}"


def _name_of_step(draft: Draft) -> str:
    text = json.dumps(draft.source)
    names = ("web_search", "web_fetch", "bash_code_execution", "code_interpreter", "file_search", "image_generation")
    google = {
        "FILE_SEARCH": "file_search",
        "GOOGLE_SEARCH_WEB": "google_search_web",
        "executableCode": "executablecode",
    }
    names_in_source = [name for name in names if f'"{name}' in text] + [
        word for key, word in google.items() if key in text
    ]
    return need(names_in_source)[0]
