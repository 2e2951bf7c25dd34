"""Marks for the cache of prompts: dropped, at places where they are refused, too many; and the key of a cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doubles.body import ANTHROPIC, CHAT, RESPONSES, SAME, broken, harmless, need, warning
from doubles.draft import Draft

FOUR = "caching/four-marks"
MARK = {"type": "ephemeral"}
LOST = "translation/cache-mark"


def results(draft: Draft) -> Iterator[Any]:
    """The tool_result blocks of a request."""
    for message in draft.body["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block["type"] == "tool_result":
                yield block


@warning(LOST, target=ANTHROPIC, sources=SAME, cases=(FOUR,))
def mark_on_result_dropped(draft: Draft) -> None:
    """The mark on a result is gone, as the translator only knows those on texts."""
    need([block for block in results(draft) if block.pop("cache_control", None)])


@warning(LOST, target=ANTHROPIC, sources=SAME, cases=(FOUR,))
def mark_on_tool_dropped(draft: Draft) -> None:
    """The mark on a tool is gone."""
    need([tool for tool in draft.body["tools"] if tool.pop("cache_control", None)])


@warning(LOST, target=ANTHROPIC, sources=(CHAT, RESPONSES), cases=(FOUR,))
def mark_on_system_not_translated(draft: Draft) -> None:
    """The mark on the system prompt is not translated."""
    need(isinstance(draft.body.get("system"), list))
    draft.body["system"] = draft.body["system"][0]["text"]


@broken("anthropic/cache-mark-on-result", cases=(FOUR,))
def mark_inside_the_result(draft: Draft) -> None:
    """The mark on a result stands on a block of its content, where the API refuses it."""
    for block in need(list(results(draft))):
        block.pop("cache_control", None)
        text = block["content"] if isinstance(block["content"], str) else block["content"][0]["text"]
        block["content"] = [{"type": "text", "text": text, "cache_control": dict(MARK)}]


@harmless(
    target=ANTHROPIC,
    sources=(CHAT, RESPONSES),
    cases=(FOUR,),
    beside=("anthropic/cache-mark-on-result", "anthropic/cache-breakpoints"),
)
def last_result_marked(draft: Draft) -> None:
    """The translator marks the last result by itself, which makes four marks."""
    need(list(results(draft)))[-1]["cache_control"] = dict(MARK)
    draft.body["tools"][-1]["cache_control"] = dict(MARK)


@broken("anthropic/cache-breakpoints", cases=(FOUR,))
def every_block_marked(draft: Draft) -> None:
    """Every block is marked, though four marks are all that may be."""
    need(list(results(draft)))
    for entry in (*draft.body["tools"], *results(draft)):
        entry["cache_control"] = dict(MARK)
    draft.body["system"] = [{"type": "text", "text": "You watch the gauges of a brewery.", "cache_control": dict(MARK)}]
    draft.body["messages"][0]["content"] = [
        {"type": "text", "text": "Is the pressure at gauge 7 too high?", "cache_control": dict(MARK)}
    ]


@broken(
    {CHAT: ("openai_chat/foreign-key", "translation/foreign-key"), RESPONSES: "openai_responses/foreign-key"},
    sources=(ANTHROPIC,),
    cases=(FOUR,),
)
def mark_passed_on(draft: Draft) -> None:
    """Anthropic's mark stands on the tool that it stood on."""
    draft.body["tools"][1]["cache_control"] = dict(MARK)


@warning("translation/service-setting", target=(CHAT, RESPONSES), sources=(CHAT, RESPONSES), cases=("caching/key",))
def cache_key_lost(draft: Draft) -> None:
    """The key of the cache is gone, and requests that begin alike find no common one."""
    need(draft.body.pop("prompt_cache_key", None))


CALL = "caching/mark-on-call"


@warning(LOST, target=ANTHROPIC, sources=SAME, cases=(CALL,))
def mark_on_call_dropped(draft: Draft) -> None:
    """The mark on a call of the history is gone."""
    blocks = [block for message in draft.body["messages"] for block in message["content"] if isinstance(block, dict)]
    need([block for block in blocks if block["type"] == "tool_use" and block.pop("cache_control", None)])


@broken("anthropic/unknown-key", sources=SAME, cases=(CALL,))
def mark_of_call_inside_another_key(draft: Draft) -> None:
    """The mark of a call stands inside another key, where the API does not know it."""
    for call in need(draft.calls):
        call.inner["function"] = {"cache_control": call.inner.pop("cache_control", dict(MARK))}


EFFORT = "openai_chat/effort-beside-tools"
OF_5_4 = ("mcp/namespaces", "server_tools/tool-search")


@broken(EFFORT, target=CHAT, cases=(FOUR, "caching/an-hour"))
def thinking_by_default_beside_tools(draft: Draft) -> None:
    """How much to think is left to a model that thinks by default, which takes no function tools then."""
    need(draft.body.pop("reasoning_effort", None))


@broken(EFFORT, target=CHAT, cases=OF_5_4)
def thinking_a_little_beside_tools(draft: Draft) -> None:
    """A model shall think a little, which takes function tools only where it does not think."""
    need("reasoning_effort" not in draft.body)
    draft.body["reasoning_effort"] = "low"


@harmless(target=CHAT, cases=OF_5_4, beside=EFFORT)
def told_not_to_think_beside_tools(draft: Draft) -> None:
    """A model is told not to think, which does not do so by default."""
    need("reasoning_effort" not in draft.body)
    draft.body["reasoning_effort"] = "none"
