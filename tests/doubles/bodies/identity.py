"""Bodies that should have come through as they are, between two ends of one format."""

from __future__ import annotations

from doubles.body import CHAT, GEMINI, RESPONSES, SAME, broken, need, warning
from doubles.draft import Draft

IDENTITY = "translation/identity"


@broken(IDENTITY, sources=SAME)
def identity_key_dropped(draft: Draft) -> None:
    """On A→A the last key of the body is gone."""
    # That no stream is wanted is what silence says as well.
    keys = [
        key for key in draft.body if key not in ("stream", "model", "messages", "input", "contents", "tools", "system")
    ]
    keys = [
        key for key in keys if key not in ("systemInstruction", "instructions", "tool_choice", "toolConfig", "stream")
    ]
    need(keys)
    del draft.body[keys[-1]]


@warning("translation/identity-spelling", sources=SAME)
def identity_empty_key_added(draft: Draft) -> None:
    """On A→A a key with null, of which nobody spoke, was added."""
    draft.body["metadata" if draft.format != GEMINI else "safetySettings"] = None


@broken((IDENTITY, "translation/results-linked"), check="response", sources=SAME)
def identity_id_changed(draft: Draft) -> None:
    """On A→A a call has another id."""
    for call in need([call for call in draft.calls if call.id]):
        call.id += "x"


@broken(IDENTITY, check="response", sources=SAME)
def identity_usage_changed(draft: Draft) -> None:
    """On A→A a token count is another one."""
    usage = draft.body["usageMetadata" if draft.format == GEMINI else "usage"]
    key = next(key for key, value in usage.items() if isinstance(value, int) and value)
    usage[key] += 1


@broken(IDENTITY, target=(CHAT, RESPONSES), check="response", sources=SAME)
def identity_arguments_spelt_anew(draft: Draft) -> None:
    """On A→A the JSON text of arguments was read and written again, with other blanks."""
    for call in need([call for call in draft.calls if isinstance(call.raw, str)]):
        call.raw = call.raw + " "


@broken(("translation/text-changed", "translation/identity"), sources=SAME)
def identity_text_changed(draft: Draft) -> None:
    """On A→A a text lost a word."""
    text = need(draft.texts_of("user"))[0]
    text.text = text.text.rsplit(" ", 1)[0]
