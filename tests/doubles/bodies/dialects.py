"""What compatible vendors say in words of their own, to a translator that knows the makers' words alone."""

from __future__ import annotations

import base64

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft

OTHERS = (ANTHROPIC, GEMINI, RESPONSES)
SIGNED = "dialects/signature-in-extra-content"
PICTURE = "dialects/picture-in-tool-message"
THOUGHT = "dialects/reasoning-content-kept"
SNAKE = "dialects/snake-case-parts"
SNOWFLAKE = "dialects/snowflake"
GROQ = "dialects/groq"


@broken("gemini/signature-demanded", sources=[CHAT], cases=[SIGNED])
def extra_content_unread(draft: Draft) -> None:
    """The signature in a call's extra_content is not read, and Gemini 3 gets a call without one."""
    for call in need(draft.calls):
        call.entry.pop("thoughtSignature", None)


@warning("translation/state-lost", target=GEMINI, sources=[CHAT], cases=[SIGNED])
def extra_content_encoded_again(draft: Draft) -> None:
    """The signature in a call's extra_content is taken for plain bytes and encoded once more."""
    for call in need(draft.calls):
        signature = call.entry["thoughtSignature"].encode()
        call.entry["thoughtSignature"] = base64.b64encode(signature).decode()


@broken("translation/media-dropped-silently", target=OTHERS, sources=[CHAT], cases=[PICTURE])
def picture_of_a_tool_message_lost(draft: Draft) -> None:
    """Of a tool message's parts only the texts are read."""
    _bare(draft)


@warning("translation/media-by-convention-lost", target=(GEMINI, RESPONSES), sources=[CHAT], cases=[PICTURE])
def picture_of_a_tool_message_told(draft: Draft) -> None:
    """Of a tool message's picture only a remark is left."""
    _bare(draft, "[image/png]")


def _bare(draft: Draft, remark: str = "") -> None:
    result = need(draft.results)[0]
    result.text = " ".join(filter(None, ["1 picture, 3 x 1", remark]))
    for message in draft.messages:
        parts = message.get("parts", [])
        parts[:] = [part for part in parts if "inlineData" not in part]


@warning("translation/reasoning-as-text", target=OTHERS, sources=[CHAT], cases=[THOUGHT])
def reasoning_content_said_aloud(draft: Draft) -> None:
    """What the model thought is put before what it said."""
    thought = draft.source["messages"][1]["reasoning_content"]
    text = need(draft.texts_of("assistant"))[0]
    text.text = f"{thought}\n\n{text.text}"


@broken("translation/call-lost", target=(ANTHROPIC, CHAT, RESPONSES), sources=[GEMINI], cases=[SNAKE])
def function_call_in_snake_case_lost(draft: Draft) -> None:
    """Only camelCase is read: calls and results written in snake_case are gone."""
    for handle in [*draft.results, *draft.calls]:
        handle.remove()
    draft.tidy()


@broken("translation/media-lost", target=(ANTHROPIC, RESPONSES), sources=[GEMINI], cases=[SNAKE])
def inline_data_in_snake_case_lost(draft: Draft) -> None:
    """The user's picture, written as inline_data, is gone."""
    for message in draft.messages:
        if message.get("role") == "user" and isinstance(message["content"], list):
            parts = [part for part in message["content"] if part["type"] not in ("image", "input_image")]
            message["content"] = parts
    need(draft.messages)


@broken("translation/setting-lost", target=(ANTHROPIC, CHAT), sources=[GEMINI], cases=[SNAKE])
def generation_config_in_snake_case_lost(draft: Draft) -> None:
    """The limits and the sampling of generation_config are gone."""
    for key in ("top_p", "stop", "stop_sequences", "max_completion_tokens"):
        draft.body.pop(key, None)


@broken("translation/finish-reason", target=ANTHROPIC, check="response", sources=[CHAT], cases=[SNOWFLAKE])
def blank_finish_as_end(draft: Draft) -> None:
    """An empty finish_reason is taken for the end, though there is a call."""
    need(draft.calls)
    draft.body["stop_reason"] = "end_turn"


@broken("translation/call-invented", target=OTHERS, check="response", sources=[CHAT], cases=[SNOWFLAKE])
def empty_function_call_read(draft: Draft) -> None:
    """The empty function_call beside every message is read as a call."""
    calls = need(draft.calls)
    entry = dict(calls[0].entry)
    if draft.format == GEMINI:
        entry = {"functionCall": {"name": "unknown", "args": {}}}
    elif draft.format == ANTHROPIC:
        entry |= {"id": "toolu_01Rk7TzWqVnXcLbYm4HpGdJs", "name": "unknown", "input": {}}
    else:
        entry |= {"id": "fc_5a7d", "call_id": "call_Rk7TzWqVnXcLbYm4HpGdJsQe", "name": "unknown", "arguments": "{}"}
    calls[0].holder.append(entry)


@warning("anthropic/reply-call-id", check="response", sources=[CHAT], cases=[GROQ])
def groq_ids_passed_on(draft: Draft) -> None:
    """Ids with dots and colons are passed on to a client whose provider takes neither."""
    calls = draft.calls
    for number, call in enumerate(need(calls)):
        call.id = f"functions.read_sensor:{number}"


@harmless(target=ANTHROPIC, check="response", sources=[CHAT], cases=[GROQ], beside="translation/ids-injective")
def groq_ids_cleaned(draft: Draft) -> None:
    """Ids with dots and colons have underscores in their place."""
    for number, call in enumerate(need(draft.calls)):
        call.id = f"functions_read_sensor_{number}"


@broken("anthropic/call-shape", sources=[CHAT], check="response", cases=["read_file/dialect-mistral"])
def id_lost_beside_a_missing_type(draft: Draft) -> None:
    """The provider's call has no type, which excuses no translation that leaves out its id."""
    for call in need(draft.calls):
        del call.entry["id"]


@warning("translation/reply-state-shown", target=CHAT, sources=(GEMINI,), check="response")
def shown_signature_cut(draft: Draft) -> None:
    """The signature in a call's extra_content is cut."""
    google = need([call.entry["extra_content"]["google"] for call in draft.calls if "extra_content" in call.entry])[0]
    google["thought_signature"] = google["thought_signature"][:-8]


@warning("translation/reply-state-shown", target=CHAT, sources=(GEMINI,), check="response")
def shown_signature_on_another_call(draft: Draft) -> None:
    """The signature of the first call is on the last one, and on no other."""
    need(len(draft.calls) > 1)
    signature = need(draft.calls[0].entry.pop("extra_content", None))
    need(draft.calls[-1].entry.get("extra_content") != signature)
    draft.calls[-1].entry["extra_content"] = signature


@harmless(target=CHAT, sources=(GEMINI,), check="response")
def shown_signature_on_every_call(draft: Draft) -> None:
    """Each call has a signature: its own, that of the first, or, without one in the source, the word that says so."""
    need(draft.calls)
    first = draft.calls[0].entry.get("extra_content") or {
        "google": {"thought_signature": "skip_thought_signature_validator"}
    }
    for call in draft.calls:
        call.entry.setdefault("extra_content", first)


@harmless(target=CHAT, sources=(GEMINI,), check="response")
def shown_signature_in_the_alphabet_of_the_web(draft: Draft) -> None:
    """A signature's bytes are spelt in Base64's other alphabet, without padding."""
    for call in need([call for call in draft.calls if "extra_content" in call.entry]):
        google = call.entry["extra_content"]["google"]
        google["thought_signature"] = google["thought_signature"].replace("+", "-").replace("/", "_").rstrip("=")


@harmless(target=CHAT, sources=(GEMINI,), check="response")
def shown_signature_remembered(draft: Draft) -> None:
    """The translator keeps the signature for itself, under a key of its own."""
    for call in need([call for call in draft.calls if "extra_content" in call.entry]):
        signature = call.entry.pop("extra_content")["google"]["thought_signature"]
        call.entry["provider_specific_fields"] = {"thought_signature": signature}
