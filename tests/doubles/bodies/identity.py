"""Bodies that should have come through as they are, between two ends of one format.

Most of these faults are named by the rule that names them between two formats, too. Those of ``identity`` can show
nowhere else: what they lose or add, no other format says, or no rule compares.
"""

from __future__ import annotations

from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, SAME, broken, harmless, need, warning
from doubles.draft import Draft

IDENTITY = "translation/identity"
SPELLING = "translation/identity-spelling"
STATE = "translation/reply-state"
UNDER_WAY = ("reasoning/parallel-calls",)
"""A case whose last calls are still under way."""
CALLED_BY_CODE = ("server_tools/file-search-then-call",)
"""A case in which code that Anthropic runs calls the client's tool."""


@broken("translation/setting-lost", sources=SAME)
def identity_limit_dropped(draft: Draft) -> None:
    """On A→A the limit of tokens is gone."""
    if draft.format == GEMINI:
        need(draft.body.get("generationConfig", {}).pop("maxOutputTokens", None))
        return
    need([key for key in list(draft.body) if key.startswith("max_") and draft.body.pop(key)])


@broken("translation/setting-lost", target=(RESPONSES, GEMINI), sources=SAME)
def identity_option_dropped(draft: Draft) -> None:
    """On A→A a setting is gone that no other format has and on which the reply depends."""
    if draft.format == GEMINI:
        thinking = draft.body.get("generationConfig", {}).get("thinkingConfig", {})
        need(thinking.pop("includeThoughts", None))
    else:
        need(draft.body.pop("include", None))


@harmless(target=(CHAT, RESPONSES, ANTHROPIC), sources=SAME, warns=SPELLING, beside="translation/setting-lost")
def identity_default_tier(draft: Draft) -> None:
    """On A→A the service tier is said that holds anyway."""
    draft.body["service_tier"] = "auto"


@warning(IDENTITY, target=(CHAT, RESPONSES), sources=SAME)
def identity_key_added(draft: Draft) -> None:
    """On A→A a request asks for a cache of its own, which the client did not."""
    draft.body["prompt_cache_key"] = "route-7"


@warning("translation/cache-mark", target=ANTHROPIC, sources=SAME)
def identity_cache_mark_dropped(draft: Draft) -> None:
    """On A→A a mark for the cache is gone."""
    need([block for block in _blocks(draft.body.get("system")) if block.pop("cache_control", None)])


@warning(IDENTITY, target=(ANTHROPIC,), sources=SAME)
def identity_title_dropped(draft: Draft) -> None:
    """On A→A the name of a document is gone."""
    files = [block for block in _blocks(draft.body) if block.get("type") == "document"]
    need([block for block in files if block.pop("title", None)])


@warning(IDENTITY, target=(GEMINI, RESPONSES), check="response", sources=SAME)
def identity_thought_dropped(draft: Draft) -> None:
    """On A→A the readable thoughts of a reply are gone, and its state is there."""
    if draft.format == RESPONSES:
        for item in need([item for item in draft.body["output"] if item.get("summary")]):
            item["summary"] = []
        return
    parts = [part for message in draft.messages for part in message.get("parts", [])]
    for part in need([part for part in parts if part.get("thought") and "thoughtSignature" not in part]):
        for message in draft.messages:
            message["parts"] = [other for other in message["parts"] if other is not part]


@broken(STATE, target=ANTHROPIC, check="response", sources=SAME)
def identity_thinking_not_shown_dropped(draft: Draft) -> None:
    """On A→A thinking that has a signature and no text is gone from a reply."""
    content = draft.body["content"]
    for block in need([block for block in content if block.get("type") == "thinking" and not block["thinking"]]):
        content.remove(block)


@warning(IDENTITY, target=(ANTHROPIC, RESPONSES), check="response", sources=SAME)
def identity_hosted_step_dropped(draft: Draft) -> None:
    """On A→A a step that the provider ran itself is gone from the reply."""
    holder = draft.body["content" if draft.format == ANTHROPIC else "output"]
    for step in need([entry for entry in holder if entry["type"].startswith(("server_tool", "web_search"))]):
        holder.remove(step)


@warning(IDENTITY, target=RESPONSES, sources=SAME, cases=("parallel/text-around",))
@warning(IDENTITY, target=RESPONSES, check="response", sources=SAME, fault="identity-reply-phase-dropped")
def identity_phase_dropped(draft: Draft) -> None:
    """On A→A a message does not say any more whether it comments on the work or is the answer."""
    items = draft.body["output" if "output" in draft.body else "input"]
    need([item for item in items if item.pop("phase", None)])


@harmless(target=RESPONSES, sources=SAME, warns=SPELLING)
def identity_phase_null(draft: Draft) -> None:
    """On A→A a message says null for its phase, where nothing was said."""
    items = draft.body["input"]
    messages = [item for item in items if isinstance(item, dict) and item.get("role") == "assistant"]
    for message in need([message for message in messages if "phase" not in message]):
        message["phase"] = None


@broken("translation/setting-lost", target=ANTHROPIC, sources=SAME, cases=CALLED_BY_CODE)
def identity_container_dropped(draft: Draft) -> None:
    """On A→A the container, in which code waits for the result of its call, is not named any more."""
    need(draft.body.pop("container", None))


@warning(IDENTITY, target=ANTHROPIC, sources=SAME, cases=CALLED_BY_CODE)
@warning(
    IDENTITY,
    target=ANTHROPIC,
    check="response",
    sources=SAME,
    cases=CALLED_BY_CODE,
    fault="identity-reply-caller-dropped",
)
def identity_caller_dropped(draft: Draft) -> None:
    """On A→A a call that code made does not say any more who called."""
    blocks = draft.body["content"] if "content" in draft.body else draft.body["messages"]
    need([block for block in _blocks(blocks) if block.get("type") == "tool_use" and block.pop("caller", None)])


@warning(IDENTITY, target=(ANTHROPIC, CHAT, RESPONSES), check="response", sources=SAME)
def identity_tier_of_the_reply_dropped(draft: Draft) -> None:
    """On A→A a reply does not say any more which tier it was made on."""
    need((draft.body.get("usage", {}) if draft.format == ANTHROPIC else draft.body).pop("service_tier", None))


@warning((SPELLING, "anthropic/null-key", "gemini/null-key"), sources=SAME)
def identity_empty_key_added(draft: Draft) -> None:
    """On A→A a key with null, of which nobody spoke, was added."""
    draft.body["metadata" if draft.format != GEMINI else "safetySettings"] = None


@warning("translation/ids-kept", check="response", sources=SAME)
def identity_id_changed(draft: Draft) -> None:
    """On A→A a call has another id."""
    for call in need([call for call in draft.calls if call.id]):
        call.id += "x"


@warning("translation/usage", check="response", sources=SAME)
def identity_usage_changed(draft: Draft) -> None:
    """On A→A a token count is another one."""
    usage = need(draft.body.get("usageMetadata" if draft.format == GEMINI else "usage"))
    key = next(key for key, value in usage.items() if isinstance(value, int) and value)
    usage[key] += 1


@harmless(target=(CHAT, RESPONSES), check="response", sources=SAME, warns=SPELLING, beside="translation/arguments")
def identity_arguments_spelt_anew(draft: Draft) -> None:
    """On A→A the JSON text of arguments was read and written again, with other blanks."""
    for call in need([call for call in draft.calls if isinstance(call.raw, str)]):
        call.raw = call.raw + " "


@broken("translation/text-changed", sources=SAME)
def identity_text_changed(draft: Draft) -> None:
    """On A→A a text lost a word."""
    text = need(draft.texts_of("user"))[0]
    text.text = text.text.rsplit(" ", 1)[0]


@broken("translation/state-returned", target=(ANTHROPIC, GEMINI, RESPONSES), sources=SAME, cases=UNDER_WAY)
def identity_state_dropped(draft: Draft) -> None:
    """On A→A a request does not bring back the state of the calls under way."""
    need([holder for holder, key in _states(draft.body) if holder.pop(key)])
    _drop_empty(draft.body)


@broken("translation/state-changed", target=(ANTHROPIC, GEMINI, RESPONSES), sources=SAME)
def identity_state_cut(draft: Draft) -> None:
    """On A→A a request brings back state that is cut."""
    items = draft.body.get("input")
    need(not isinstance(items, list) or all(item.get("type") != "compaction" for item in items))  # the whole history
    for holder, key in need(_states(draft.body)):
        holder[key] = holder[key][:40]


@broken(STATE, target=(ANTHROPIC, GEMINI, RESPONSES), check="response", sources=SAME)
def identity_reply_state_dropped(draft: Draft) -> None:
    """On A→A a reply has lost the state of its calls."""
    need(draft.calls)
    need([holder for holder, key in _states(draft.body) if holder.pop(key)])
    _drop_empty(draft.body)


@broken(STATE, target=(ANTHROPIC, GEMINI, RESPONSES), check="response", sources=SAME)
def identity_reply_state_cut(draft: Draft) -> None:
    """On A→A the state of a reply's calls is cut."""
    need(draft.calls)
    for holder, key in need(_states(draft.body)):
        holder[key] = holder[key][:40]


@harmless(target=GEMINI, check="response", sources=SAME, warns=(IDENTITY, SPELLING), beside=STATE)
def identity_reply_state_spelt_anew(draft: Draft) -> None:
    """On A→A the bytes of a signature stand in the web's alphabet of base64."""
    for holder, key in need(_states(draft.body)):
        holder[key] = holder[key].replace("+", "-").replace("/", "_")


def _blocks(value: Any) -> list[dict[str, Any]]:
    """All objects inside a value."""
    if isinstance(value, list):
        return [block for entry in value for block in _blocks(entry)]
    if isinstance(value, dict):
        return [value, *(block for entry in value.values() for block in _blocks(entry))]
    return []


def _states(body: Any) -> list[tuple[dict[str, Any], str]]:
    """Each object with state in it, and its key."""
    keys = ("signature", "thoughtSignature", "encrypted_content")
    blocks = [block for block in _blocks(body) if block.get("type") != "web_search_result"]
    return [(block, key) for block in blocks for key in keys if isinstance(block.get(key), str)]


def _drop_empty(body: dict[str, Any]) -> None:
    """Take out what held the state and nothing else."""
    for message in [body, *body.get("messages", [])]:
        for key in ("content", "input", "output"):
            if isinstance(message.get(key), list):
                message[key] = [block for block in message[key] if block.get("type") not in ("thinking", "reasoning")]
